/// \file
/// The largest errors of a block: coarse filters in f32 find who might exceed, the specification decides.
#pragma once

#include <plumb/kernels/block_source.hpp>
#include <plumb/kernels/pair_scalar.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// The largest f32 that is not above the double with these bits, as a pattern; 0 below the normal numbers. Not negative.
inline std::uint32_t round_down_to_f32(std::uint64_t bits) noexcept {
    const int exponent = static_cast<int>(bits >> binary64::fraction_bits) - binary64::bias;
    if (exponent > binary32::bias) return binary32::largest;
    if (exponent < 1 - binary32::bias) return 0;
    constexpr int shift = binary64::fraction_bits - binary32::fraction_bits;
    return (static_cast<std::uint32_t>(exponent + binary32::bias) << binary32::fraction_bits) |
           static_cast<std::uint32_t>((bits & binary64::fraction_mask) >> shift);
}

/// Sets the limits in f32 from those in f64.
inline void set_coarse_limits(pair_limits& limits) noexcept {
    // A difference rounded to f32 that is below the limit is one that is below it exactly; at the limit it may be above.
    const std::uint32_t abs = round_down_to_f32(limits.max_abs);
    limits.abs = abs == 0 ? 0 : abs - 1;
    // The excess errs by the roundings of |a − b| and of the product: less than 2^-22 of it.
    const std::uint32_t rel = round_down_to_f32(limits.max_rel);
    limits.rel = rel == 0 ? 0 : rel - 16;
    limits.rel_floor = limits.max_rel == binary64::infinity ? binary32::infinity : 0;
}

/// Offers the pair at place i to the maxima, which have a pair already.
template <metric Set>
inline void offer_errors(pair_state<Set, narrow_range>& s, const pair_block& block, std::size_t i) noexcept {
    const unpacked b = number_at(block.b, i);
    const exact_difference d = difference(number_at(block.a, i), b);
    if (d.is_zero()) return;
    const int log2 = floor_log2(d);
    if constexpr (contains(Set, metric::max_abs_err))
        if (may_exceed(s.max_abs, log2 + 1)) offer(s.max_abs, rounded_bits(d), block.position + i);
    if constexpr (contains(Set, metric::max_rel_err))
        if (b.mantissa == 0 || may_exceed(s.max_rel, log2 - normalized(b).exponent - 62))
            offer(s.max_rel, rounded_quotient_bits(d, b), block.position + i);
}

template <metric Set>
inline pair_limits limits_of(const pair_state<Set, narrow_range>& s) noexcept {
    pair_limits limits;
    limits.max_abs = limits.max_rel = binary64::infinity;
    if constexpr (contains(Set, metric::max_abs_err)) limits.max_abs = s.max_abs.bits;
    if constexpr (contains(Set, metric::max_rel_err)) limits.max_rel = s.max_rel.bits;
    set_coarse_limits(limits);
    return limits;
}

/// Goes through the pairs that exceed a maximum. If there is none yet, it is 0 at the first finite pair, at place `first`,
/// until another exceeds that.
template <metric Set>
inline void add_maxima(pair_state<Set, narrow_range>& s, const pair_kernels& kernels, const pair_block& block, std::size_t first,
                       bool none_yet, bool tiny, pair_limits& limits) noexcept {
    const std::size_t n = padded_count(block.count);
    pair_limits raised;
    if (none_yet) {
        if constexpr (contains(Set, metric::max_abs_err)) offer(s.max_abs, 0, block.position + first);
        if constexpr (contains(Set, metric::max_rel_err)) offer(s.max_rel, 0, block.position + first);
        raised = limits;
        if (!tiny) kernels.raise_limits(block.a, block.b, n < 256 ? n : 256, raised);
    } else {
        raised = limits;
    }
    set_coarse_limits(raised);
    for (std::size_t i = 0; (i = kernels.find_above(block.a, block.b, i, n, raised, tiny)) < n; ++i) {
        offer_errors(s, block, i);
        limits = limits_of(s);
        if (limits.max_abs > raised.max_abs) raised.max_abs = limits.max_abs;
        if (limits.max_rel > raised.max_rel) raised.max_rel = limits.max_rel;
        set_coarse_limits(raised);
    }
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
