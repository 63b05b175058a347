/// \file
/// JSON strings and numbers as text, the same in every locale.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace plumb {

/// Appends `text` in quotes, with quotes, backslashes and control characters escaped; UTF-8 stays as it is. Bytes that are not
/// UTF-8 are each replaced by U+FFFD, since JSON has no way to write them.
inline void append_json(std::string& to, std::string_view text) {
    constexpr char hex[] = "0123456789abcdef";
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    to += '"';
    for (std::size_t i = 0; i < text.size();) {
        const unsigned first = byte(i);
        if (first == '"' || first == '\\') {
            to += '\\';
            to += text[i++];
        } else if (first < 0x20 || first == 0x7f) {
            switch (first) {
            case '\n': to += "\\n"; break;
            case '\r': to += "\\r"; break;
            case '\t': to += "\\t"; break;
            default: (to += "\\u00") += hex[first >> 4]; to += hex[first & 15];
            }
            ++i;
        } else if (first < 0x80) {
            to += text[i++];
        } else {
            // Well-formed sequences, Unicode 15 table 3-7: the second byte's range depends on the first.
            const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                                       : first >= 0xe0 && first <= 0xef ? 3
                                       : first >= 0xf0 && first <= 0xf4 ? 4
                                                                        : 0;
            const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
            const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
            bool valid = length != 0 && byte(i + 1) >= low && byte(i + 1) <= high;
            for (std::size_t k = 2; valid && k < length; ++k) valid = byte(i + k) >= 0x80 && byte(i + k) <= 0xbf;
            if (valid)
                to.append(text, i, length);
            else
                to += "\xef\xbf\xbd";
            i += valid ? length : 1;
        }
    }
    to += '"';
}
inline void append_json(std::string& to, const char* text) { append_json(to, std::string_view(text)); }
inline void append_json(std::string& to, const std::string& text) { append_json(to, std::string_view(text)); }

/// Appends a number with 17 significant digits, as "%.17g" would in the C locale; a non-finite one as the string "nan", "inf" or
/// "-inf", which JSON's numbers lack.
inline void append_json(std::string& to, double number) {
    std::uint64_t bits; // told from the bits: -ffast-math knows no NaN
    std::memcpy(&bits, &number, sizeof bits);
    if ((bits >> 52 & 0x7ff) == 0x7ff) {
        to += bits << 12 != 0 ? "\"nan\"" : bits >> 63 != 0 ? "\"-inf\"" : "\"inf\"";
        return;
    }
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::general, 17).ptr;
    to.append(digits, static_cast<std::size_t>(end - digits));
}

/// Appends a whole number, or true or false.
template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
void append_json(std::string& to, Integer number) {
    if constexpr (std::is_same_v<Integer, bool>)
        to += number ? "true" : "false";
    else
        to += std::to_string(number);
}

/// The JSON text of a string, number or bool.
template <class T>
std::string to_json(const T& value) {
    std::string text;
    append_json(text, value);
    return text;
}

} // namespace plumb
