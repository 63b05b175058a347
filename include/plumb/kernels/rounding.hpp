/// \file
/// Correctly rounded quotients and square roots of quotients of big natural numbers, with integers alone.
#pragma once

#include <plumb/kernels/natural.hpp>
#include <plumb/types/float_format.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// floor(sqrt(n)) for n >= 2^126.
///
/// The processor's square root is within some 2^12 of it, and one step of Newton's from there within one. The last two loops
/// make it exact, whatever the rounding mode or the compiler made of the two steps before.
inline std::uint64_t integer_sqrt(detail::uint128 n) noexcept {
    const double near = std::sqrt(static_cast<double>(detail::high_half(n))) * 0x1p32;
    std::uint64_t root = near < 0x1p64 ? static_cast<std::uint64_t>(near) : ~std::uint64_t{0};
    const detail::uint128 square = detail::uint128{root} * root;
    const bool below = square <= n;
    const double rest = static_cast<double>(below ? n - square : square - n);
    const auto step = static_cast<std::uint64_t>(rest / (2 * static_cast<double>(root)));
    root = !below ? root - step : step > ~root ? ~std::uint64_t{0} : root + step;
    while (detail::uint128{root} * root > n) --root;
    while (n - detail::uint128{root} * root > 2 * detail::uint128{root}) ++root;
    return root;
}

/// The bits of the double nearest to (p1 * p2 / (q1 * q2) * 2^exponent)^(1/Root), ties to even; Root is 1 or 2, and q1, q2 are
/// not zero.
///
/// Sixty-odd leading bits settle nearly every case. Where they leave the value too near the middle between two doubles,
/// that middle is compared with it exactly: h^Root * q1 * q2 against p1 * p2.
///
/// Bits, as all functions here that may find an infinity: with -ffast-math Clang takes it that no function returns one.
template <int Root, std::size_t P1, std::size_t P2, std::size_t Q1, std::size_t Q2>
inline std::uint64_t rounded_root_bits(const natural<P1>& p1, const natural<P2>& p2, const natural<Q1>& q1, const natural<Q2>& q2,
                                       int exponent) noexcept {
    static_assert(Root == 1 || Root == 2);
    const leading_bits a = leading(p1), b = leading(p2), c = leading(q1), d = leading(q2);
    if (a.mantissa == 0 || b.mantissa == 0) return 0;

    // Each factor is cut by less than 2^-63 of itself, the quotient by less than 2^-61: together below 2^-59.
    const detail::uint128 divisor = detail::uint128{c.mantissa} * d.mantissa; // 127 or 128 bits
    const int divisor_shift = detail::bit_width(divisor) - 64;
    detail::uint128 quotient =
        detail::divide(detail::uint128{a.mantissa} * b.mantissa, detail::low_half(divisor >> divisor_shift));
    int unit = a.exponent + b.exponent - c.exponent - d.exponent - divisor_shift + exponent;

    std::uint64_t root;
    if constexpr (Root == 1) {
        const int surplus = detail::bit_width(quotient) > 64 ? detail::bit_width(quotient) - 64 : 0;
        root = detail::low_half(quotient >> surplus);
        unit += surplus;
    } else {
        int shift = 128 - detail::bit_width(quotient);
        if ((unit - shift) % 2 != 0) --shift;
        root = integer_sqrt(quotient << shift);
        unit = (unit - shift) / 2;
    }

    constexpr int margin = 64; // units of the last place of `root`, far above its error
    const int drop = dropped_bits<binary64>(root, unit);
    if (drop > 66) return round_to<binary64>(false, root, unit, true); // far below the smallest
    const detail::uint128 kept = detail::uint128{root} >> drop;
    const detail::uint128 middle = (2 * kept + 1) << (drop - 1);
    const detail::uint128 distance = root > middle ? root - middle : middle - root;
    if (distance > margin) return round_to<binary64>(false, root, unit, true);

    const std::uint64_t h = 2 * detail::low_half(kept) + 1; // at most 54 bits
    const int h_exponent = unit + drop - 1;
    const natural<2> power =
        Root == 1 ? natural<2>{{h, 0}}
                  : natural<2>{{detail::low_half(detail::uint128{h} * h), detail::high_half(detail::uint128{h} * h)}};
    constexpr std::size_t words = (P1 + P2 > Q1 + Q2 + 2 ? P1 + P2 : Q1 + Q2 + 2) + 1;
    const int shift = exponent - Root * h_exponent;
    const natural<words> value = shift_left<words>(multiply(p1, p2), shift > 0 ? shift : 0);
    const natural<words> limit = shift_left<words>(multiply(multiply(q1, q2), power), shift < 0 ? -shift : 0);
    const int side = compare(value, limit);
    const std::uint64_t nudged = side < 0 ? 4 * h - 1 : side > 0 ? 4 * h + 1 : 4 * h;
    return round_to<binary64>(false, nudged, h_exponent - 2);
}

/// The bits of the double nearest to p / q * 2^exponent.
template <std::size_t P, std::size_t Q>
inline std::uint64_t rounded_quotient_bits(const natural<P>& p, const natural<Q>& q, int exponent) noexcept {
    return rounded_root_bits<1>(p, make_natural(1), q, make_natural(1), exponent);
}

/// The bits of the double nearest to sqrt(p / q * 2^exponent).
template <std::size_t P, std::size_t Q>
inline std::uint64_t rounded_sqrt_quotient_bits(const natural<P>& p, const natural<Q>& q, int exponent) noexcept {
    return rounded_root_bits<2>(p, make_natural(1), q, make_natural(1), exponent);
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
