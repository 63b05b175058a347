/// \file
/// Correctly rounded quotients and square roots of quotients of big natural numbers, with integers alone.
#pragma once

#include <plumb/kernels/natural.hpp>
#include <plumb/types/float_format.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// floor(sqrt(n)) for n >= 2^126, by Newton's iteration, first on the upper half alone.
inline std::uint64_t integer_sqrt(detail::uint128 n) noexcept {
    const std::uint64_t high = detail::high_half(n);
    std::uint64_t half = (std::uint64_t{1} << 31) + (high >> 33); // one step from 2^32: never below sqrt(high)
    for (std::uint64_t next = (half + high / half) / 2; next < half; next = (half + high / half) / 2) half = next;

    // half + 1 exceeds sqrt(high), so the start is above the root; from there each step comes down until it is met.
    detail::uint128 root = (detail::uint128{half} + 1) << 32;
    for (detail::uint128 next = (root + n / root) / 2; next < root; next = (root + n / root) / 2) root = next;
    return detail::low_half(root);
}

/// The double nearest to (p1 * p2 / (q1 * q2) * 2^exponent)^(1/Root), ties to even; Root is 1 or 2, and q1, q2 are not zero.
///
/// Sixty-odd leading bits settle nearly every case. Where they leave the value too near the middle between two doubles,
/// that middle is compared with it exactly: h^Root * q1 * q2 against p1 * p2.
template <int Root, std::size_t P1, std::size_t P2, std::size_t Q1, std::size_t Q2>
inline double rounded_root(const natural<P1>& p1, const natural<P2>& p2, const natural<Q1>& q1, const natural<Q2>& q2,
                           int exponent) noexcept {
    static_assert(Root == 1 || Root == 2);
    const leading_bits a = leading(p1), b = leading(p2), c = leading(q1), d = leading(q2);
    if (a.mantissa == 0 || b.mantissa == 0) return 0.0;

    // Each factor is cut by less than 2^-63 of itself, the quotient by less than 2^-61: together below 2^-59.
    const detail::uint128 divisor = detail::uint128{c.mantissa} * d.mantissa; // 127 or 128 bits
    const int divisor_shift = detail::bit_width(divisor) - 64;
    detail::uint128 quotient = detail::uint128{a.mantissa} * b.mantissa / detail::low_half(divisor >> divisor_shift);
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
    if (drop > 66) return detail::bit_cast<double>(round_to<binary64>(false, root, unit, true)); // far below the smallest
    const detail::uint128 kept = detail::uint128{root} >> drop;
    const detail::uint128 middle = (2 * kept + 1) << (drop - 1);
    const detail::uint128 distance = root > middle ? root - middle : middle - root;
    if (distance > margin) return detail::bit_cast<double>(round_to<binary64>(false, root, unit, true));

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
    return detail::bit_cast<double>(round_to<binary64>(false, nudged, h_exponent - 2));
}

/// The double nearest to p / q * 2^exponent.
template <std::size_t P, std::size_t Q>
inline double rounded_quotient(const natural<P>& p, const natural<Q>& q, int exponent) noexcept {
    return rounded_root<1>(p, make_natural(1), q, make_natural(1), exponent);
}

/// The double nearest to sqrt(p / q * 2^exponent).
template <std::size_t P, std::size_t Q>
inline double rounded_sqrt_quotient(const natural<P>& p, const natural<Q>& q, int exponent) noexcept {
    return rounded_root<2>(p, make_natural(1), q, make_natural(1), exponent);
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
