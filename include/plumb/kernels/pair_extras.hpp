/// \file
/// Shares, the mean error, tolerances and ULPs of a block: vector kernels count what is certain, the specification the rest.
#pragma once

#include <plumb/kernels/block_source.hpp>
#include <plumb/kernels/pair_maxima.hpp>
#include <plumb/kernels/pair_scalar.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

PLUMB_ALWAYS_INLINE exact_difference difference_at(const pair_block& block, std::size_t i) noexcept {
    return difference(number_at(block.a, i), number_at(block.b, i));
}

template <class Sum>
inline void add_mean(Sum& sum, const pair_kernels& kernels, const pair_block& block, block_range a, block_range b) noexcept {
    exact_term term;
    if (kernels.sum_errors(block.a, block.b, padded_count(block.count), a, b, term)) return add_term(sum, term);
    for (std::size_t i = 0; i < block.count; ++i)
        add_magnitude(sum, false, difference_at(block, i), number_at(block.a, i), number_at(block.b, i));
}

/// How many of the block's pairs, `finite` of which are not just zeros that fill up, lie within a limit. `decide` is the
/// specification of it for the pair at a place.
template <class Decide>
inline std::size_t count_pairs_within(const pair_kernels& kernels, const pair_block& block, std::size_t finite, bool by_scalar,
                                      const tolerance_band& band, Decide&& decide) noexcept {
    const std::size_t n = padded_count(block.count), zeros = n - finite; // a pair of zeros lies within any limit
    std::size_t within = 0;
    if (by_scalar) {
        for (std::size_t i = 0; i < block.count; ++i) within += decide(i);
        return within - (block.count - finite);
    }
    band_count counts;
    kernels.count_within(block.a, block.b, n, band, counts);
    within = counts.within;
    for (std::uint32_t k = 0; k < counts.undecided; ++k) within += decide(std::size_t{counts.places[k]});
    return within - zeros;
}

/// A limit in f32, a little below and a little above the double `x`, which is 0 or neither very small nor very large.
inline void set_band(float& near, float& far, double x) noexcept {
    const std::uint32_t pattern = round_down_to_f32(detail::bit_cast<std::uint64_t>(x));
    near = detail::bit_cast<float>(pattern == 0 ? 0u : pattern - 16); // 2^-20 of it, against roundings of 2^-22
    far = detail::bit_cast<float>(pattern == 0 ? 0u : pattern + 16);
}

inline void add_ratios(ratio_part& part, const pair_kernels& kernels, const pair_block& block, std::size_t finite,
                       bool tiny) noexcept {
    tolerance_band band;
    set_band(band.near_rel, band.far_rel, 1.0 / 1000);
    part.within_1e3 += count_pairs_within(kernels, block, finite, tiny, band, [&](std::size_t i) {
        return is_within<1000>(difference_at(block, i), number_at(block.b, i));
    });
    set_band(band.near_rel, band.far_rel, 1.0 / 200);
    part.within_5e3 += count_pairs_within(kernels, block, finite, tiny, band, [&](std::size_t i) {
        return is_within<200>(difference_at(block, i), number_at(block.b, i));
    });
}

inline void add_outside(tolerance_part& part, const pair_kernels& kernels, const pair_block& block, std::size_t finite,
                        bool by_scalar) noexcept {
    const auto outside = [&](std::size_t i) {
        return is_outside(difference_at(block, i), number_at(block.a, i), number_at(block.b, i), part.limits);
    };
    const auto is_moderate = [](double x) { return x == 0.0 || (x > 0x1p-20 && x < 0x1p60); };
    tolerance_band band;
    set_band(band.near_abs, band.far_abs, part.limits.atol);
    set_band(band.near_rel, band.far_rel, part.limits.rtol);
    by_scalar = by_scalar || !is_moderate(part.limits.rtol) ||
                !(part.limits.atol == 0.0 || (part.limits.atol > 0x1p-90 && part.limits.atol < 0x1p60));
    const std::size_t within =
        count_pairs_within(kernels, block, finite, by_scalar, band, [&](std::size_t i) { return !outside(i); });
    if (within == finite) return;
    part.outside.count += finite - within;
    if (part.outside.first <= block.position) return;
    std::size_t i = 0;
    while (!outside(i)) ++i;
    if (block.position + i < part.outside.first) part.outside.first = block.position + i;
}

/// Distances are between elements as they lie in memory. `all_finite`: no pair of the block has been taken out.
template <metric Set>
inline void add_ulps(pair_state<Set, narrow_range>& s, const pair_kernels& kernels, const pair_block& block,
                     bool all_finite) noexcept {
    if (block.a_type != block.b_type) {
        s.ulp.mixed_formats = s.ulp.mixed_formats || block.count != 0;
        return;
    }
    const dtype type = block.a_type;
    const auto number = [&](const unsigned char* raw, std::size_t i) {
        unpacked x;
        unpack_run(type, raw + i * size_of(type), 1, &x);
        return x;
    };
    const auto distance = [&](const unpacked& a, const unpacked& b) {
        const std::uint64_t x = ordinal(type, a), y = ordinal(type, b);
        return a.negative != b.negative ? x + y : x > y ? x - y : y - x;
    };
    if (!all_finite) {
        for (std::size_t i = 0; i < block.count; ++i) {
            const unpacked a = number(block.raw_a, i), b = number(block.raw_b, i);
            if (a.kind != number_kind::finite || b.kind != number_kind::finite) continue;
            offer(s.ulp.largest, round_to<binary64>(false, distance(a, b), 0), block.position + i);
            add_ulp(s.ulp, distance(a, b), 0);
        }
        return;
    }
    ulp_survey survey;
    (type == dtype::f32 ? kernels.ulp_f32 : kernels.ulp_half)(block.raw_a, block.raw_b, padded_count(block.count), survey);
    add_ulp(s.ulp, survey.sum, 0);
    const std::uint64_t largest = round_to<binary64>(false, survey.largest, 0);
    if (s.ulp.largest.index != no_position && largest <= s.ulp.largest.bits) return;
    std::size_t i = 0;
    while (distance(number(block.raw_a, i), number(block.raw_b, i)) != survey.largest) ++i;
    offer(s.ulp.largest, largest, block.position + i);
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
