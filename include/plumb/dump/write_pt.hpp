/// \file
/// Writes a tensor as torch.save does.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/dump/zip_writer.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {
namespace detail {

/// A whole number below 2^63 in pickle's language.
inline std::string pickled(std::uint64_t number) {
    if (number < 0x100) return 'K' + little_endian(number, 1);
    if (number < 0x10000) return 'M' + little_endian(number, 2);
    if (number < 0x80000000) return 'J' + little_endian(number, 4);
    std::size_t bytes = 4;
    while (bytes < 8 && number >> (8 * bytes - 1) != 0) ++bytes; // the top bit is the sign
    return "\x8a" + little_endian(bytes, 1) + little_endian(number, bytes);
}

inline std::string pickled(const extents& numbers) {
    std::string text = "(";
    for (const std::int64_t each : numbers) text += pickled(static_cast<std::uint64_t>(each));
    return text + 't';
}

/// The pickle of one contiguous tensor, as torch._utils._rebuild_tensor_v2 wants it; _v3 for the types that have no storage
/// class of their own (torch 2.1 and later read it).
inline std::string pickled_tensor(dtype type, std::uint64_t count, const extents& shape) {
    const char* storage = nullptr;
    switch (type) {
    case dtype::boolean: storage = "BoolStorage"; break;
    case dtype::i8: storage = "CharStorage"; break;
    case dtype::i16: storage = "ShortStorage"; break;
    case dtype::i32: storage = "IntStorage"; break;
    case dtype::i64: storage = "LongStorage"; break;
    case dtype::u8: storage = "ByteStorage"; break;
    case dtype::f16: storage = "HalfStorage"; break;
    case dtype::bf16: storage = "BFloat16Storage"; break;
    case dtype::f32: storage = "FloatStorage"; break;
    case dtype::f64: storage = "DoubleStorage"; break;
    default: break;
    }
    extents strides = contiguous_strides(shape, 1);
    const auto word = [](std::string_view text) { return 'X' + little_endian(text.size(), 4) + std::string(text); };
    std::string text = "\x80\x02";
    text += std::string("ctorch._utils\n_rebuild_tensor_v") + (storage ? "2" : "3") + "\n((" + word("storage");
    text += storage ? std::string("ctorch\n") + storage + "\n" : "ctorch.storage\nUntypedStorage\n";
    text += word("0") + word("cpu") + pickled(storage ? count : count * size_of(type)) + "tQ";
    text += pickled(0) + pickled(shape) + pickled(strides) + "\x89" + "ccollections\nOrderedDict\n)R";
    if (!storage) text += "ctorch\n" + std::string(torch_name_of(type)) + "\n";
    return text + "tR.";
}

} // namespace detail

/// Writes a .pt file that torch.load reads, also with weights_only. The type stays what it is (bf16 stays bf16); strides become
/// those of C order. u16, u32, u64 and the f8 types need torch 2.3 or later to read. The same tensor always gives the same
/// bytes. The file appears whole or not at all; an older one is replaced.
inline void write_pt(const std::filesystem::path& path, const tensor_view& view) {
    std::shared_ptr<char> packed;
    const void* data = view.data();
    if (!view.is_contiguous()) {
        packed = detail::heap_bytes(view.bytes());
        std::size_t done = 0;
        detail::for_each_packed(view, [&](const char* piece, std::size_t size) {
            std::memcpy(packed.get() + done, piece, size);
            done += size;
        });
        data = packed.get();
    }
    const std::string pickle = detail::pickled_tensor(view.type(), view.count(), view.shape());
    const std::string order = detail::big_endian_host ? "big" : "little", version = "3\n";
    const std::string prefix = "archive/"; // torch takes any
    detail::zip_writer archive(path);
    archive.add(prefix + "data.pkl", pickle.data(), pickle.size());
    archive.add(prefix + "byteorder", order.data(), order.size());
    archive.add(prefix + "data/0", data, view.bytes());
    archive.add(prefix + "version", version.data(), version.size());
    archive.commit();
}

} // namespace plumb
