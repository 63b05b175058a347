/// \file
/// NumPy's .npy files: one tensor each.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/dump/file_bytes.hpp>
#include <plumb/dump/file_writer.hpp>
#include <plumb/dump/npy_header.hpp>
#include <plumb/dump/tensor.hpp>
#include <plumb/types/small_float.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plumb {

/// How write_npy stores the types that NumPy lacks: bf16 and the two f8.
enum class npy_narrow_floats : std::uint8_t {
    as_bits, ///< their patterns, as uint16 or uint8: exact and small; the reader must be told the type
    as_f32,  ///< widened to float32: exact too, and read by any tool
};

namespace detail {

/// Bytes that the elements of an .npy file take. Throws io_error if its shape is too large to count.
inline std::uint64_t npy_data_bytes(const file_bytes& file, const npy_header& header) {
    try {
        const std::uint64_t count = element_count(header.shape), size = header.element_bytes;
        if (count <= UINT64_MAX / size) return count * size;
    } catch (const std::invalid_argument&) {
    }
    file.fail("the .npy header's shape " + to_string(header.shape) + " is too large: its product overflows");
}

} // namespace detail

/// Reads the tensor in the bytes of an .npy file. The result points into these bytes where it can; where the elements are
/// big-endian or lie askew, it holds a copy of them. data() is aligned to the element size.
///
/// `as` tells what the elements are where NumPy has no name for them: a file of uint16, int16 or '<V2' can be bf16 (or f16), one
/// of uint8, int8 or '|V1' an f8. For any other file it must be the type that the file names. Throws io_error if
/// not, for what is no number (structured, object, complex, text), and if the data are not exactly as long as the shape says.
inline tensor read_npy(const file_bytes& file, std::optional<dtype> as = {}) {
    const npy_header header = read_npy_header(file);
    std::optional<dtype> type = header.type();
    if (as && as != type) {
        const bool plain_bits = header.kind == 'u' || header.kind == 'i' || header.kind == 'V';
        if (!plain_bits || header.element_bytes != size_of(*as))
            file.fail("holds dtype '" + header.descr + "', which can't be read as " + std::string(name_of(*as)));
        type = as;
    }
    if (!type)
        file.fail("unsupported dtype '" + header.descr + "': plain bytes; say which type they are (bf16 for '<V2', for example)");

    std::uint64_t count = 0;
    try {
        count = element_count(header.shape);
    } catch (const std::invalid_argument&) {
        file.fail("the .npy header's shape " + to_string(header.shape) + " is too large: its product overflows");
    }
    const std::size_t size = size_of(*type);
    const std::uint64_t available = file.size - header.data_offset;
    const std::string expected = "shape " + to_string(header.shape) + " of " + std::string(name_of(*type)) + " needs ";
    if (count > available / size)
        file.fail_at(file.size, "the file is truncated: " + expected +
                                    (count > UINT64_MAX / size ? std::to_string(count) + " elements"
                                                               : std::to_string(count * size) + " bytes") +
                                    ", only " + std::to_string(available) + " are there: too short for this size");
    if (count * size != available)
        file.fail_at(header.data_offset + count * size, "expected the file's end: " + expected + std::to_string(count * size) +
                                                            " bytes, " + std::to_string(available) + " are there");

    auto [data, owner] = detail::usable_elements(file.data + header.data_offset, available, size,
                                                 header.big_endian != detail::big_endian_host, file.owner);
    const extents strides = contiguous_strides(header.shape, size, header.fortran_order);
    return {tensor_view(*type, data, header.shape, strides), std::move(owner)};
}

/// The same, of a file on disk, which is mapped.
inline tensor read_npy(const std::filesystem::path& path, std::optional<dtype> as = {}) { return read_npy(map_file(path), as); }

namespace detail {

/// Magic, version 1.0 and header, padded to 64 bytes and with NumPy's room for a growing first length: the very bytes that
/// numpy.save writes.
inline std::string npy_preamble(dtype type, const extents& shape) {
    const char kind = type == dtype::boolean ? 'b' : is_floating(type) ? 'f' : type >= dtype::u8 ? 'u' : 'i';
    const std::size_t size = size_of(type);
    std::string text = "{'descr': '";
    text += size == 1 ? '|' : big_endian_host ? '>' : '<';
    text += kind + std::to_string(size) + "', 'fortran_order': False, 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    text += shape.size() == 1 ? ",), }" : "), }";
    if (!shape.empty()) text.append(21 - std::to_string(shape[0]).size(), ' ');
    text.append(63 - (10 + text.size()) % 64, ' ');
    text += '\n';
    std::string preamble("\x93NUMPY\x01\x00", 8);
    preamble += static_cast<char>(text.size() & 0xff);
    preamble += static_cast<char>(text.size() >> 8);
    return preamble + text;
}

template <class Narrow>
void widen_all(const char* from, std::size_t count, float* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(load<Narrow>(from + i * sizeof(Narrow)));
}

} // namespace detail

/// Writes an .npy file of version 1.0, in C order whatever the strides. It appears whole or not at all.
inline void write_npy(const std::filesystem::path& path, const tensor_view& view,
                      npy_narrow_floats narrow = npy_narrow_floats::as_bits) {
    const dtype type = view.type();
    const bool unnamed = type == dtype::bf16 || type == dtype::f8_e4m3fn || type == dtype::f8_e5m2;
    const bool widen = unnamed && narrow == npy_narrow_floats::as_f32;
    file_writer file(path);
    file.write(detail::npy_preamble(!unnamed              ? type
                                    : widen               ? dtype::f32
                                    : type == dtype::bf16 ? dtype::u16
                                                          : dtype::u8,
                                    view.shape()));
    detail::for_each_packed(view, [&](const char* data, std::size_t bytes) {
        if (!widen) return file.write(data, bytes);
        constexpr std::size_t step = 4096;
        std::vector<float> wide(step);
        const std::size_t size = size_of(type);
        for (std::size_t done = 0; done < bytes / size; done += step) {
            const std::size_t n = std::min(step, bytes / size - done);
            const char* from = data + done * size;
            if (type == dtype::bf16) detail::widen_all<bfloat16>(from, n, wide.data());
            if (type == dtype::f8_e4m3fn) detail::widen_all<float8_e4m3fn>(from, n, wide.data());
            if (type == dtype::f8_e5m2) detail::widen_all<float8_e5m2>(from, n, wide.data());
            file.write(wide.data(), n * sizeof(float));
        }
    });
    file.commit();
}

} // namespace plumb
