/// \file
/// The exact difference of one pair of numbers, and what is decided from it. This is the specification: vector code may filter,
/// but what it keeps comes from here.
#pragma once

#include <plumb/detail/uint128.hpp>
#include <plumb/types/float_format.hpp>

#include <cstdint>

namespace plumb::kernels {

/// |a - b| = (mantissa + rest) * 2^exponent with 0 <= rest < 1, where rest > 0 exactly if `inexact`; then mantissa >= 2^125.
struct exact_difference {
    detail::uint128 mantissa = 0;
    int exponent = 0;
    bool inexact = false;
    bool negative = false; ///< a < b

    PLUMB_ALWAYS_INLINE bool is_zero() const noexcept { return mantissa == 0; }
};

inline namespace PLUMB_TARGET {

/// The number with its mantissa's top bit set. Zero gets an exponent below all others.
PLUMB_ALWAYS_INLINE unpacked normalized(unpacked x) noexcept {
    if (x.mantissa == 0) {
        x.exponent = -100000;
        return x;
    }
    const int shift = 64 - detail::bit_width(x.mantissa);
    x.mantissa <<= shift;
    x.exponent -= shift;
    return x;
}

/// |a - b| of two finite numbers.
inline exact_difference difference(const unpacked& a, const unpacked& b) noexcept {
    unpacked x = normalized(a), y = normalized(b);
    const bool swapped = x.exponent < y.exponent || (x.exponent == y.exponent && x.mantissa < y.mantissa);
    if (swapped) {
        const unpacked larger = y;
        y = x;
        x = larger;
    }
    const bool subtract = a.negative == b.negative;
    exact_difference d;
    d.negative = x.negative != swapped;
    if (y.mantissa == 0) { // the larger number alone, or both zero
        d.mantissa = x.mantissa;
        d.exponent = x.exponent;
        return d;
    }

    // Up to 63 places apart, both fit one 128-bit frame. Farther apart, the larger number is put at its top but for one bit,
    // and what of the smaller one falls out below is the rest.
    const int gap = x.exponent - y.exponent;
    const int frame = gap <= 63 ? gap : 63;
    const int fall = gap - frame;
    const detail::uint128 large = detail::uint128{x.mantissa} << frame;
    const std::uint64_t small = fall < 64 ? y.mantissa >> fall : 0;
    d.exponent = x.exponent - frame;
    d.inexact = fall >= 64 || (small << fall) != y.mantissa;
    d.mantissa = subtract ? large - small - (d.inexact ? 1 : 0) : large + small;
    return d;
}

/// floor of log2 of a difference that is not zero.
PLUMB_ALWAYS_INLINE int floor_log2(const exact_difference& d) noexcept { return detail::bit_width(d.mantissa) - 1 + d.exponent; }

/// The bits of the double nearest to a difference. As the bits of positive doubles, they compare like the numbers.
inline std::uint64_t rounded_bits(const exact_difference& d) noexcept {
    const int surplus = detail::bit_width(d.mantissa) - 64;
    if (surplus <= 0) return round_to<binary64>(false, detail::low_half(d.mantissa), d.exponent, d.inexact);
    const std::uint64_t top = detail::low_half(d.mantissa >> surplus);
    const bool inexact = d.inexact || detail::uint128{top} << surplus != d.mantissa;
    return round_to<binary64>(false, top, d.exponent + surplus, inexact);
}

/// The bits of the double nearest to |a - b| / |b|; 0/0 is 0, x/0 is infinite.
inline std::uint64_t rounded_quotient_bits(const exact_difference& d, const unpacked& b) noexcept {
    if (d.is_zero()) return 0;
    if (b.mantissa == 0) return binary64::infinity;
    const unpacked divisor = normalized(b);
    // The dividend gets 126 bits or more, so the quotient has 62 or more: enough for the rest not to be a tie.
    const int shift = d.inexact ? 0 : 128 - detail::bit_width(d.mantissa);
    const detail::uint128 dividend = d.mantissa << shift;
    const detail::uint128 quotient = detail::divide(dividend, divisor.mantissa);
    const bool inexact = d.inexact || quotient * divisor.mantissa != dividend;
    return rounded_bits({quotient, d.exponent - shift - divisor.exponent, inexact, false});
}

/// True if |a - b| < |b| / Parts, decided exactly; equal numbers pass.
template <std::uint32_t Parts>
inline bool is_within(const exact_difference& d, const unpacked& b) noexcept {
    static_assert(Parts >= 2);
    if (d.is_zero()) return true;
    // With an inexact difference one number is 2^63 times the other, and the difference at least half the larger one.
    if (b.mantissa == 0 || d.inexact) return false;
    const unpacked limit = normalized(b);
    const int gap = limit.exponent - d.exponent;
    // Farther than a factor of two apart, the difference is at least half of |b|. The frame is then no wider than 65 bits.
    if (gap < 0 || gap > 1 || detail::high_half(d.mantissa) > 1) return false;
    return d.mantissa * Parts < detail::uint128{limit.mantissa} << gap;
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
