/// \file
/// Bit-level helpers that C++17 does not have yet.
#pragma once

#include <plumb/detail/target.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace plumb::detail {
inline namespace PLUMB_TARGET {

/// The object of type To with the bytes of `from` (C++20's std::bit_cast).
template <class To, class From>
PLUMB_ALWAYS_INLINE To bit_cast(const From& from) noexcept {
    static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
    To to;
    std::memcpy(static_cast<void*>(&to), &from, sizeof to);
    return to;
}

/// Reads a T from memory of any type and alignment.
template <class T>
PLUMB_ALWAYS_INLINE T load(const void* from) noexcept {
    T to;
    std::memcpy(static_cast<void*>(&to), from, sizeof to);
    return to;
}

/// Number of bits needed to write `x`; 0 for 0 (C++20's std::bit_width).
PLUMB_ALWAYS_INLINE int bit_width(std::uint64_t x) noexcept {
#if defined(__GNUC__)
    return x == 0 ? 0 : 64 - __builtin_clzll(x);
#else
    int width = 0;
    for (; x != 0; x >>= 1) ++width;
    return width;
#endif
}

} // namespace PLUMB_TARGET
} // namespace plumb::detail
