/// \file
/// The seed tools' checksum of a tensor.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/types/tensor_view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace plumb {
namespace detail {

/// Tables for eight bytes at a time ("slicing by 8"), of the polynomial 0xedb88320 (reflected), zlib's CRC-32.
inline const std::array<std::array<std::uint32_t, 256>, 8>& crc32_tables() noexcept {
    static const auto tables = [] {
        std::array<std::array<std::uint32_t, 256>, 8> made{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t crc = i;
            for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
            made[0][i] = crc;
        }
        for (std::size_t k = 1; k < 8; ++k)
            for (std::size_t i = 0; i < 256; ++i) made[k][i] = made[k - 1][i] >> 8 ^ made[0][made[k - 1][i] & 0xff];
        return made;
    }();
    return tables;
}

} // namespace detail

/// zlib's CRC-32. Begins at 0; give the result of one piece as `crc` of the next.
inline std::uint32_t crc32(const char* data, std::size_t size, std::uint32_t crc = 0) noexcept {
    const auto& tables = detail::crc32_tables();
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(data[i])); };
    crc = ~crc;
    for (; size >= 8; data += 8, size -= 8) {
        const std::uint32_t low = crc ^ (byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24);
        crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
              tables[3][byte(4)] ^ tables[2][byte(5)] ^ tables[1][byte(6)] ^ tables[0][byte(7)];
    }
    for (std::size_t i = 0; i < size; ++i) crc = crc >> 8 ^ tables[0][(crc ^ byte(i)) & 0xff];
    return ~crc;
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
