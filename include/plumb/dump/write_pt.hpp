/// \file
/// Writes a tensor as torch.save does.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/dump/error.hpp>
#include <plumb/types/tensor_view.hpp>

#include <zip.h>

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

inline std::string little_endian(std::uint64_t number, std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
    return text;
}

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

/// Adds stored records to an archive, each with its data at a multiple of 64 bytes, as torch lays them (in an extra field "FB").
class pt_records {
public:
    explicit pt_records(const std::filesystem::path& path) : path_(path) {
        int code = 0;
        archive_ = zip_open(path.string().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
        if (archive_) return;
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string why = zip_error_strerror(&error);
        zip_error_fini(&error);
        throw io_error(path, "can't create: " + why);
    }
    pt_records(const pt_records&) = delete;
    pt_records& operator=(const pt_records&) = delete;
    ~pt_records() {
        if (archive_) zip_discard(archive_);
    }

    /// `data` must live until close().
    void add(const std::string& name, const void* data, std::uint64_t size) {
        zip_source_t* source = zip_source_buffer(archive_, data, size, 0);
        const zip_int64_t added = source ? zip_file_add(archive_, name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
        if (added < 0) {
            if (source) zip_source_free(source);
            fail();
        }
        const auto index = static_cast<zip_uint64_t>(added);
        // Local header: 30 bytes, the name, 20 bytes of Zip64 sizes where needed, the extra field's own head of 4.
        const std::uint64_t head = 30 + name.size() + (size >= 0xffffffff ? 20 : 0) + 4;
        const std::string padding(static_cast<std::size_t>((64 - (end_ + head) % 64) % 64), 'Z');
        end_ += head + padding.size() + size;
        if (zip_set_file_compression(archive_, index, ZIP_CM_STORE, 0) != 0 ||
            zip_file_set_dostime(archive_, index, 0, 0x21, 0) != 0 || // 1980-01-01: the same tensor gives the same bytes
            zip_file_extra_field_set(archive_, index, 0x4246, 0, reinterpret_cast<const zip_uint8_t*>(padding.data()),
                                     static_cast<zip_uint16_t>(padding.size()), ZIP_FL_LOCAL) != 0)
            fail();
    }

    /// Writes all into a temporary file and renames it.
    void close() {
        if (zip_close(archive_) != 0) fail();
        archive_ = nullptr;
    }

private:
    [[noreturn]] void fail() const { throw io_error(path_, std::string("can't write: ") + zip_strerror(archive_)); }

    std::filesystem::path path_;
    zip_t* archive_ = nullptr;
    std::uint64_t end_ = 0;
};

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
    detail::pt_records records(path);
    records.add(prefix + "data.pkl", pickle.data(), pickle.size());
    records.add(prefix + "byteorder", order.data(), order.size());
    records.add(prefix + "data/0", data, view.bytes());
    records.add(prefix + "version", version.data(), version.size());
    records.close();
}

} // namespace plumb
