/// \file
/// The binary floating-point formats, taken apart and put together with integers alone.
#pragma once

#include <plumb/detail/bits.hpp>

#include <cstdint>

namespace plumb {

/// What kind of number a bit pattern stands for.
enum class number_kind : std::uint8_t { finite, infinite, nan };

/// A number as (-1)^negative * mantissa * 2^exponent, if it is finite. Zero has mantissa 0 and keeps its sign.
struct unpacked {
    std::uint64_t mantissa = 0;
    int exponent = 0;
    bool negative = false;
    number_kind kind = number_kind::finite;
};

/// An IEEE 754 binary interchange format, or one laid out like it: sign, exponent, fraction, from the top bit down.
///
/// `Infinities` is false for OCP's e4m3fn, which has none: there the all-ones exponent holds ordinary numbers, and only
/// the all-ones pattern below the sign is a NaN.
template <class Bits, int ExponentBits, int FractionBits, bool Infinities = true>
struct float_format {
    using bits_type = Bits;
    static constexpr int exponent_bits = ExponentBits;
    static constexpr int fraction_bits = FractionBits;
    static constexpr bool has_infinities = Infinities;
    static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    /// Exponent of the unit in the last place of the subnormal numbers: the smallest positive number is 2^min_exponent.
    static constexpr int min_exponent = 1 - bias - FractionBits;
    static constexpr Bits fraction_mask = static_cast<Bits>((Bits{1} << FractionBits) - 1);
    static constexpr int exponent_mask = (1 << ExponentBits) - 1;
    static constexpr Bits sign_mask = static_cast<Bits>(Bits{1} << (ExponentBits + FractionBits));
    static constexpr Bits magnitude_mask = static_cast<Bits>(sign_mask - 1);
    static constexpr Bits infinity = static_cast<Bits>(Bits(exponent_mask) << FractionBits);
    /// The largest finite number's pattern.
    static constexpr Bits largest = static_cast<Bits>(Infinities ? infinity - 1 : magnitude_mask - 1);
    static constexpr Bits quiet_nan = Infinities ? static_cast<Bits>(infinity | (Bits{1} << (FractionBits - 1))) : magnitude_mask;
};

using binary16 = float_format<std::uint16_t, 5, 10>;
using brain16 = float_format<std::uint16_t, 8, 7>;
using binary32 = float_format<std::uint32_t, 8, 23>;
using binary64 = float_format<std::uint64_t, 11, 52>;
using ocp_e5m2 = float_format<std::uint8_t, 5, 2>;
using ocp_e4m3fn = float_format<std::uint8_t, 4, 3, false>;

inline namespace PLUMB_TARGET {

/// The number that `bits` stands for in `Format`. Exact for every pattern; no floating-point instruction is used, so that
/// neither -ffast-math nor the processor's flush-to-zero modes or rounding mode can change it.
template <class Format>
PLUMB_ALWAYS_INLINE unpacked unpack(typename Format::bits_type bits) noexcept {
    unpacked number;
    const auto fraction = static_cast<std::uint64_t>(bits & Format::fraction_mask);
    const int exponent = static_cast<int>(bits >> Format::fraction_bits) & Format::exponent_mask;
    number.negative = (bits & Format::sign_mask) != 0;
    if constexpr (Format::has_infinities) {
        if (exponent == Format::exponent_mask) number.kind = fraction == 0 ? number_kind::infinite : number_kind::nan;
    } else {
        if ((bits & Format::magnitude_mask) == Format::magnitude_mask) number.kind = number_kind::nan;
    }
    const bool normal = exponent != 0;
    number.mantissa = fraction | (std::uint64_t{normal} << Format::fraction_bits);
    number.exponent = Format::min_exponent + (normal ? exponent - 1 : 0);
    return number;
}

/// How many of the lowest bits of mantissa * 2^exponent `Format` has no room for: those below its precision, counted from the
/// leading bit, and those below its smallest number. Negative if there is room to spare.
template <class Format>
PLUMB_ALWAYS_INLINE int dropped_bits(std::uint64_t mantissa, int exponent) noexcept {
    const int by_precision = detail::bit_width(mantissa) - 1 - Format::fraction_bits;
    const int by_range = Format::min_exponent - exponent;
    return by_precision > by_range ? by_precision : by_range;
}

/// The pattern of `Format` nearest to (-1)^negative * (mantissa + rest) * 2^exponent, ties to even, where 0 <= rest < 1 and
/// rest > 0 exactly if `inexact`. Beyond the largest finite number: infinity, or NaN in a format without one.
///
/// With `inexact`, the mantissa needs at least two bits more than the format keeps, so that the rest cannot be a tie.
/// This is the library's only rounding of a number to a floating-point format.
template <class Format>
inline typename Format::bits_type round_to(bool negative, std::uint64_t mantissa, int exponent, bool inexact = false) noexcept {
    using bits_type = typename Format::bits_type;
    const auto sign = static_cast<bits_type>(negative ? Format::sign_mask : 0);
    if (mantissa == 0) return sign;

    constexpr int largest_exponent = Format::bias + (Format::has_infinities ? 0 : 1);
    constexpr bits_type overflow = Format::has_infinities ? Format::infinity : Format::quiet_nan;
    if (exponent + detail::bit_width(mantissa) - 1 > largest_exponent) return static_cast<bits_type>(sign | overflow);

    const int drop = dropped_bits<Format>(mantissa, exponent);
    std::uint64_t kept;
    if (drop <= 0) {
        kept = mantissa << -drop;
    } else if (drop > 64) {
        kept = 0;
    } else {
        const std::uint64_t half = std::uint64_t{1} << (drop - 1);
        const std::uint64_t tail = mantissa & (2 * half - 1);
        kept = drop == 64 ? 0 : mantissa >> drop;
        if (tail > half || (tail == half && (inexact || (kept & 1) != 0))) ++kept;
    }

    // A carry out of the fraction runs into the exponent, which is what rounding up to the next binade means.
    const auto biased = static_cast<std::uint64_t>(exponent + drop - Format::min_exponent);
    const std::uint64_t bits = (biased << Format::fraction_bits) + kept;
    return static_cast<bits_type>(sign | (bits > Format::largest ? overflow : static_cast<bits_type>(bits)));
}

/// The pattern in `To` of the number whose pattern in `From` is `bits`: exact when widening, else to nearest, ties to even.
/// A NaN keeps its sign and the top bits of its payload, and is quiet.
template <class To, class From>
inline typename To::bits_type convert(typename From::bits_type bits) noexcept {
    using bits_type = typename To::bits_type;
    const unpacked number = unpack<From>(bits);
    const auto sign = static_cast<bits_type>(number.negative ? To::sign_mask : 0);
    if (number.kind == number_kind::finite) return round_to<To>(number.negative, number.mantissa, number.exponent);
    if (number.kind == number_kind::infinite && To::has_infinities) return static_cast<bits_type>(sign | To::infinity);
    bits_type payload = 0;
    if constexpr (From::has_infinities && To::has_infinities) {
        const auto fraction = static_cast<std::uint64_t>(bits & From::fraction_mask);
        constexpr int shift = To::fraction_bits - From::fraction_bits;
        if constexpr (shift >= 0)
            payload = static_cast<bits_type>(fraction << shift);
        else
            payload = static_cast<bits_type>(fraction >> -shift);
    }
    return static_cast<bits_type>(sign | To::quiet_nan | payload);
}

} // namespace PLUMB_TARGET
} // namespace plumb
