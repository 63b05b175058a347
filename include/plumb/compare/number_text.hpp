/// \file
/// Numbers as text, the same in every locale: the forms that JSON, plumb's tables and the seed tools' tables use.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/types/float_format.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumb {

namespace detail {

/// Finite, infinite or NaN, told from the bits: also right under -ffast-math.
inline number_kind kind_of(double value) noexcept { return unpack<binary64>(bit_cast<std::uint64_t>(value)).kind; }
inline bool is_nan_value(double value) noexcept { return kind_of(value) == number_kind::nan; }
inline bool is_finite_value(double value) noexcept { return kind_of(value) == number_kind::finite; }
inline bool has_minus_sign(double value) noexcept { return (bit_cast<std::uint64_t>(value) >> 63) != 0; }

template <class... Format>
std::string chars_of(double value, Format... format) {
    char text[512]; // 309 digits before the point and 12 after it are the longest asked for
    return {text, std::to_chars(text, text + sizeof text, value, format...).ptr};
}

/// The words for what is not finite; empty for what is.
inline std::string_view nonfinite_text(double value, std::string_view nan, std::string_view inf, std::string_view minus_inf) {
    const number_kind kind = kind_of(value);
    if (kind == number_kind::finite) return {};
    return kind == number_kind::nan ? nan : has_minus_sign(value) ? minus_inf : inf;
}

} // namespace detail

/// `value` with up to `digits` significant digits, without trailing zeros; "nan", "inf" or "-inf" if it is not finite.
inline std::string to_text(double value, int digits = 17) {
    if (const auto word = detail::nonfinite_text(value, "nan", "inf", "-inf"); !word.empty()) return std::string(word);
    return detail::chars_of(value, std::chars_format::general, digits);
}

/// `value` with `places` digits after the point.
inline std::string to_fixed_text(double value, int places) {
    if (const auto word = detail::nonfinite_text(value, "nan", "inf", "-inf"); !word.empty()) return std::string(word);
    return detail::chars_of(value, std::chars_format::fixed, places);
}

/// What Python's repr() gives for a float: the fewest digits that read back the same, "62.0", "1e-05", "1.5e+16", "nan", "inf".
inline std::string python_repr(double value) {
    if (const auto word = detail::nonfinite_text(value, "nan", "inf", "-inf"); !word.empty()) return std::string(word);
    const std::string scientific = detail::chars_of(value, std::chars_format::scientific); // "-1.25e+02"
    const std::size_t e = scientific.find('e');
    int exponent = 0;
    std::from_chars(scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1), scientific.data() + scientific.size(), exponent);
    if (exponent < -4 || exponent >= 16) return scientific;
    std::string fixed = detail::chars_of(value, std::chars_format::fixed);
    if (fixed.find('.') == std::string::npos) fixed += ".0";
    return fixed;
}

} // namespace plumb
