/// \file
/// The seed tools' checksum of a tensor.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

// ISA-L is about ten times as fast as zlib, which is there wherever libzip is.
#if defined(PLUMB_HAS_ISAL)
#include <isa-l/crc.h>
#else
#include <zlib.h>
#endif

namespace plumb {

/// zlib's CRC-32. Begins at 0; give the result of one piece as `crc` of the next.
inline std::uint32_t crc32(const void* data, std::size_t size, std::uint32_t crc = 0) noexcept {
    if (size == 0) return crc; // zlib takes a null pointer for a wish to begin
    const auto* bytes = static_cast<const unsigned char*>(data);
#if defined(PLUMB_HAS_ISAL)
    return ::crc32_gzip_refl(crc, bytes, size);
#else
    return static_cast<std::uint32_t>(::crc32_z(crc, bytes, size));
#endif
}

/// Eight hexadecimal digits: CRC-32 of the tensor's bytes, little-endian and in row-major order. msprobe and ptdbg_ascend call
/// it md5.
inline std::string crc32_text(const tensor_view& view) {
    static_assert(!detail::big_endian_host, "plumb: the checksum is over little-endian bytes");
    std::uint32_t crc = 0;
    detail::for_each_packed(view, [&](const char* piece, std::size_t size) { crc = crc32(piece, size, crc); });
    constexpr char digits[] = "0123456789abcdef";
    std::string text(8, '0');
    for (std::size_t i = 8; i-- > 0; crc >>= 4) text[i] = digits[crc & 15];
    return text;
}

} // namespace plumb
