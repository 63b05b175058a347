/// \file
/// The caller's stack as addresses: cheap to take, and written as module and offset.
#pragma once

#include <plumb/dump/model.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

#if defined(__GNUC__)
#include <unwind.h>
#endif
#if defined(__GLIBC__)
#include <dlfcn.h>
#include <link.h>
#endif

namespace plumb {
namespace detail {

#if defined(__GNUC__)
struct unwinding {
    std::vector<const void*>* addresses;
    std::size_t limit;
};

inline _Unwind_Reason_Code add_frame(struct _Unwind_Context* context, void* state) {
    auto& to = *static_cast<unwinding*>(state);
    int before_call = 0;
    const auto address = static_cast<std::uintptr_t>(_Unwind_GetIPInfo(context, &before_call));
    if (address == 0) return _URC_END_OF_STACK;
    // A return address is that of the instruction after the call, which may belong to another line or function.
    to.addresses->push_back(reinterpret_cast<const void*>(before_call != 0 ? address : address - 1));
    return to.addresses->size() < to.limit ? _URC_NO_REASON : _URC_END_OF_STACK;
}
#endif

} // namespace detail

/// The addresses of the calls that led here, innermost first, at most `limit`. A fraction of a microsecond a frame; no symbol is
/// looked up. Empty where the compiler has no unwinder. Never inlined: its frame can then be told from the caller's also where
/// little debug information stands.
[[gnu::noinline]] inline std::vector<const void*> capture_stack(std::size_t limit = 64) {
    std::vector<const void*> addresses;
#if defined(__GNUC__)
    addresses.reserve(limit);
    detail::unwinding state{&addresses, limit};
    _Unwind_Backtrace(&detail::add_frame, &state);
#else
    static_cast<void>(limit);
#endif
    return addresses;
}

/// Writes addresses as module and offset in its file, which stay true when the process is gone: the frame's file is the module,
/// its line is "+0x1a2b", function and code are empty until resolve_stack() fills them in. Remembers what it looked up. For
/// one thread at a time.
class module_offsets {
public:
    stack_frame operator()(const void* address) {
        const auto found = known_.find(address);
        if (found != known_.end()) return found->second;
        return known_.emplace(address, look_up(address)).first->second;
    }

private:
    static std::string hexadecimal(std::uintptr_t number) {
        constexpr char digits[] = "0123456789abcdef";
        std::string text;
        do text.insert(text.begin(), digits[number & 15]);
        while ((number >>= 4) != 0);
        return "+0x" + text;
    }

    static stack_frame look_up(const void* address) {
        const auto number = reinterpret_cast<std::uintptr_t>(address);
#if defined(__GLIBC__)
        Dl_info info{};
        void* extra = nullptr;
        if (::dladdr1(address, &info, &extra, RTLD_DL_LINKMAP) != 0 && info.dli_fname) {
            // l_addr is what was added to the file's addresses: 0 for a program that can't be moved.
            const auto base = static_cast<std::uintptr_t>(static_cast<const link_map*>(extra)->l_addr);
            const char* name = static_cast<const link_map*>(extra)->l_name;
            std::error_code error;
            const std::filesystem::path module =
                name && *name ? std::filesystem::canonical(name, error) : std::filesystem::read_symlink("/proc/self/exe", error);
            return {error ? info.dli_fname : module.string(), hexadecimal(number - base), {}, {}};
        }
#endif
        return {"?", hexadecimal(number), {}, {}};
    }

    std::unordered_map<const void*, stack_frame> known_;
};

} // namespace plumb
