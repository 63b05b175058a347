/// \file
/// The specification of every pair metric: one pair after the other, in integers alone.
#pragma once

#include <plumb/kernels/pair_error.hpp>
#include <plumb/kernels/pair_state.hpp>
#include <plumb/kernels/unpack_run.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// Counts a pair with a NaN or an infinity in it.
inline void add_nonfinite(count_part& counts, const unpacked& a, const unpacked& b, std::uint64_t position) noexcept {
    const auto count_side = [](nonfinite_part& side, const unpacked& x) {
        if (x.kind == number_kind::nan) ++side.nan;
        if (x.kind == number_kind::infinite) ++(x.negative ? side.neg_inf : side.pos_inf);
    };
    count_side(counts.actual, a);
    count_side(counts.reference, b);
    if (a.kind == b.kind && (a.kind == number_kind::nan || a.negative == b.negative)) {
        ++counts.matched;
    } else {
        ++counts.mismatched;
        if (position < counts.first_mismatch) counts.first_mismatch = position;
    }
}

/// False only if a number below 2^bound certainly does not exceed `best`. Spares most pairs the rounding and the division.
PLUMB_ALWAYS_INLINE bool may_exceed(const maximum_part& best, int bound) noexcept {
    const int exponent = static_cast<int>(best.bits >> binary64::fraction_bits);
    return best.index == no_position || exponent == 0 || bound > exponent - binary64::bias;
}

/// sum += |a - b|, or -= if `subtract`: as |a - b| is a - b or b - a, two exact terms.
template <class Sum>
PLUMB_ALWAYS_INLINE void add_magnitude(Sum& sum, bool subtract, const exact_difference& d, const unpacked& a,
                                       const unpacked& b) noexcept {
    const bool flip = d.negative != subtract;
    sum.add(a.negative != flip, a.mantissa, a.exponent);
    sum.add(b.negative == flip, b.mantissa, b.exponent);
}

/// True if |a - b| > atol + rtol * |b|, decided exactly.
inline bool is_outside(const exact_difference& d, const unpacked& a, const unpacked& b, const tolerance& limits) noexcept {
    if (d.is_zero()) return false;
    const unpacked atol = unpack<binary64>(detail::bit_cast<std::uint64_t>(limits.atol));
    const unpacked rtol = unpack<binary64>(detail::bit_cast<std::uint64_t>(limits.rtol));
    const int atol_log2 = normalized(atol).exponent + 63;
    const int term_log2 = rtol.mantissa == 0 ? -100000 : normalized(rtol).exponent + normalized(b).exponent + 126;
    const int limit_log2 = atol_log2 > term_log2 ? atol_log2 : term_log2; // the limit is in [2^this, 2^(this + 3))
    const int error_log2 = floor_log2(d);
    if (error_log2 < limit_log2) return false;
    if (error_log2 >= limit_log2 + 3) return true;

    wide_product_sum room;
    room.add(false, atol.mantissa, atol.exponent);
    room.add(false, detail::uint128{rtol.mantissa} * b.mantissa, rtol.exponent + b.exponent);
    add_magnitude(room, true, d, a, b);
    return room.is_negative();
}

/// Adds one pair. `type` is the format of both sides, if they have the same one and `same_type` is true.
template <metric Set, class Range>
inline void add_pair(pair_state<Set, Range>& s, const unpacked& a, const unpacked& b, std::uint64_t position, dtype type,
                     bool same_type) noexcept {
    if constexpr (contains(Set, metric::ulp)) s.ulp.mixed_formats = s.ulp.mixed_formats || !same_type;
    if (a.kind != number_kind::finite || b.kind != number_kind::finite) {
        const std::uint64_t before = s.counts.mismatched;
        add_nonfinite(s.counts, a, b, position);
        if constexpr (contains(Set, metric::differing))
            if (s.counts.mismatched != before) record(s.differing.differing, position);
        return;
    }
    ++s.counts.finite;

    if constexpr (contains(Set, metric::cosine | metric::euclidean)) {
        const auto add_product = [](auto& sum, const unpacked& x, const unpacked& y) {
            sum.add(x.negative != y.negative, detail::uint128{x.mantissa} * y.mantissa, x.exponent + y.exponent);
        };
        if (a.mantissa != 0 && b.mantissa != 0) add_product(s.products.ab, a, b);
        if (a.mantissa != 0) add_product(s.products.aa, a, a);
        if (b.mantissa != 0) add_product(s.products.bb, b, b);
    }

    constexpr metric of_difference = metric::max_abs_err | metric::max_rel_err | metric::differing | metric::ratios |
                                     metric::mean_abs_err | metric::outside_tolerance;
    if constexpr (contains(Set, of_difference)) {
        const exact_difference d = difference(a, b);
        const int log2 = d.is_zero() ? -100000 : floor_log2(d);
        if constexpr (contains(Set, metric::max_abs_err))
            if (may_exceed(s.max_abs, log2 + 1)) offer(s.max_abs, rounded_bits(d), position);
        if constexpr (contains(Set, metric::max_rel_err))
            if (b.mantissa == 0 || may_exceed(s.max_rel, log2 - normalized(b).exponent - 62))
                offer(s.max_rel, rounded_quotient_bits(d, b), position);
        if constexpr (contains(Set, metric::differing)) {
            if (!d.is_zero()) record(s.differing.differing, position);
            if (!d.is_zero() && b.mantissa == 0) ++s.differing.zero_reference;
        }
        if constexpr (contains(Set, metric::ratios)) {
            s.ratios.within_1e3 += is_within<1000>(d, b);
            s.ratios.within_5e3 += is_within<200>(d, b);
        }
        if constexpr (contains(Set, metric::mean_abs_err)) add_magnitude(s.abs_sum, false, d, a, b);
        if constexpr (contains(Set, metric::outside_tolerance))
            if (is_outside(d, a, b, s.outside.limits)) record(s.outside.outside, position);
    }

    if constexpr (contains(Set, metric::ulp)) {
        if (same_type) {
            const std::uint64_t x = ordinal(type, a), y = ordinal(type, b);
            const std::uint64_t distance = a.negative != b.negative ? x + y : x > y ? x - y : y - x;
            offer(s.ulp.largest, round_to<binary64>(false, distance, 0), position);
            add_ulp(s.ulp, distance, 0);
        }
    }
}

/// Compares the bit patterns of n pairs, the first of which has the position `first`.
inline void add_bits(bits_part& part, dtype a_type, const unsigned char* a, dtype b_type, const unsigned char* b, std::size_t n,
                     std::uint64_t first) noexcept {
    if (a_type != b_type) {
        part.mixed_formats = true;
        return;
    }
    const std::size_t bytes = size_of(a_type);
    if (std::memcmp(a, b, n * bytes) == 0) return;
    for (std::size_t i = 0; i < n; ++i)
        if (std::memcmp(a + i * bytes, b + i * bytes, bytes) != 0) record(part.differing, first + i);
}

/// Adds n pairs of elements of any two types, side by side in memory.
template <metric Set, class Range>
inline void add_scalar(pair_state<Set, Range>& s, dtype a_type, const void* actual, dtype b_type, const void* reference,
                       std::size_t n) noexcept {
    constexpr std::size_t run = 256;
    unpacked a[run], b[run];
    const auto* from_a = static_cast<const unsigned char*>(actual);
    const auto* from_b = static_cast<const unsigned char*>(reference);
    for (std::size_t done = 0; done < n; done += run) {
        const std::size_t count = n - done < run ? n - done : run;
        unpack_run(a_type, from_a + done * size_of(a_type), count, a);
        unpack_run(b_type, from_b + done * size_of(b_type), count, b);
        if constexpr (contains(Set, metric::bits))
            add_bits(s.bits, a_type, from_a + done * size_of(a_type), b_type, from_b + done * size_of(b_type), count,
                     s.counts.count);
        for (std::size_t i = 0; i < count; ++i) add_pair(s, a[i], b[i], s.counts.count + i, a_type, a_type == b_type);
        s.counts.count += count;
    }
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
