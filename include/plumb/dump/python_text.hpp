/// \file
/// Numbers as Python's json module writes them.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>

namespace plumb {

/// Appends the shortest text that reads back as the same double, in the form of Python's repr: "7.0", "0.25", "1e-05", "1e+16";
/// and the words NaN, Infinity and -Infinity, which strict JSON does not know but the seed tools write and read.
inline void append_python(std::string& to, double number) {
    std::uint64_t bits; // told from the bits: -ffast-math knows no NaN
    std::memcpy(&bits, &number, sizeof bits);
    if ((bits >> 52 & 0x7ff) == 0x7ff) {
        to += bits << 12 != 0 ? "NaN" : bits >> 63 != 0 ? "-Infinity" : "Infinity";
        return;
    }
    const double size = number < 0 ? -number : number;
    const bool fixed = bits << 1 == 0 || (size >= 1e-4 && size < 1e16);
    char digits[64];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, number, fixed ? std::chars_format::fixed : std::chars_format::scientific)
            .ptr;
    const std::string text(digits, end);
    to += text;
    if (fixed && text.find('.') == std::string::npos) to += ".0";
}

} // namespace plumb
