/// \file
/// Pairs of f16, bf16 and f32 by vector kernels, with the results of the specification.
#pragma once

#include <plumb/detail/fp_guard.hpp>
#include <plumb/kernels/pair_extras.hpp>
#include <plumb/kernels/pair_maxima.hpp>
#include <plumb/kernels/pair_scalar.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// What the surveys look for, given what is asked.
constexpr unsigned survey_parts(metric set) noexcept {
    return (contains(set, metric::max_abs_err) ? unsigned{survey_abs} : 0u) |
           (contains(set, metric::max_rel_err) ? unsigned{survey_rel} : 0u) |
           (contains(set, metric::differing) ? unsigned{survey_differing} : 0u) |
           (contains(set, metric::cosine | metric::euclidean) ? unsigned{survey_products} : 0u);
}

/// How many pairs of a block are finite, and the place of the first of them.
struct finite_pairs {
    std::size_t count = 0, first = 0;
};

/// Counts the pairs of a block that are not finite and puts zeros in their place, which change no sum and no maximum.
template <metric Set>
inline finite_pairs take_nonfinite(pair_state<Set, narrow_range>& s, const pair_block& block, float* a, float* b) noexcept {
    finite_pairs left;
    for (std::size_t i = 0; i < block.count; ++i) {
        const unpacked x = number_at(block.a, i), y = number_at(block.b, i);
        const bool finite = x.kind == number_kind::finite && y.kind == number_kind::finite;
        if (!finite) add_pair(s, x, y, block.position + i, dtype::f32, true); // counts it, and that is all
        if (finite && left.count++ == 0) left.first = i;
        const std::uint32_t keep = finite ? ~std::uint32_t{0} : 0;
        a[i] = detail::bit_cast<float>(detail::load<std::uint32_t>(block.a + i) & keep);
        b[i] = detail::bit_cast<float>(detail::load<std::uint32_t>(block.b + i) & keep);
    }
    for (std::size_t i = block.count; i < padded_count(block.count); ++i) a[i] = b[i] = 0.0f;
    return left;
}

/// A block's survey, and the ranges that its sums of products were prepared for, if it has any.
struct surveyed_block {
    block_survey survey;
    pair_ranges prepared;
    bool summed = false;
};

/// A range of that many bits for the sums of the next block, about that of a block.
inline block_range widened(block_range range, int bits, int least_unit) noexcept {
    if (range.top - range.unit < bits) ++range.top; // for numbers that are a little larger
    range.unit = range.top - bits > least_unit ? range.top - bits : least_unit;
    return range;
}

constexpr bool covers(block_range outer, block_range inner) noexcept {
    return inner.top <= outer.top && inner.unit >= outer.unit;
}

template <class Sum>
inline void add_products(product_part<Sum>& sums, const pair_kernels& kernels, const pair_block& block, const pair_ranges& ranges,
                         const surveyed_block& seen) noexcept {
    const std::size_t n = padded_count(block.count);
    const auto [a, b] = ranges;
    product_terms terms = seen.survey.products;
    const bool summed = seen.summed && covers(seen.prepared.a, a) && covers(seen.prepared.b, b);
    if (summed || kernels.sum_products(block.a, block.b, n, a, b, terms)) {
        add_term(sums.ab, terms.ab);
        add_term(sums.aa, terms.aa);
        add_term(sums.bb, terms.bb);
        return;
    }
    const auto add_wide = [&](Sum& sum, const float* x, const float* y, int low, int high) {
        exact_steps steps;
        kernels.sum_wide_product(x, y, n, low, high, steps);
        add_steps(sum, steps);
    };
    const bool some_a = seen.survey.least_a != no_magnitude, some_b = seen.survey.least_b != no_magnitude;
    if (some_a && some_b) add_wide(sums.ab, block.a, block.b, a.floor + b.floor, a.top + b.top);
    if (some_a) add_wide(sums.aa, block.a, block.a, 2 * a.floor, 2 * a.top);
    if (some_b) add_wide(sums.bb, block.b, block.b, 2 * b.floor, 2 * b.top);
}

/// Adds one block whose pairs are all finite but for those that `finite` leaves out, which are zeros by now.
template <metric Set>
inline void add_finite_block(pair_state<Set, narrow_range>& s, const pair_kernels& kernels, const pair_block& block,
                             const pair_ranges& ranges, const surveyed_block& seen, const finite_pairs& finite,
                             pair_limits& limits) noexcept {
    if (finite.count == 0) return;
    s.counts.finite += finite.count;
    const auto [a, b] = ranges;
    const block_survey& survey = seen.survey;
    // Differences are multiples of the unit. Below this, the filters' own roundings in f32 would be of their size.
    const bool tiny = a.unit < -120 || b.unit < -120;

    if constexpr (contains(Set, metric::cosine | metric::euclidean)) add_products(s.products, kernels, block, ranges, seen);
    if constexpr (contains(Set, metric::max_abs_err | metric::max_rel_err)) {
        bool none_yet = false;
        if constexpr (contains(Set, metric::max_abs_err)) none_yet = s.max_abs.index == no_position;
        if constexpr (contains(Set, metric::max_rel_err)) none_yet = s.max_rel.index == no_position;
        if (survey.above || tiny || none_yet) add_maxima(s, kernels, block, finite.first, none_yet, tiny, limits);
    }
    if constexpr (contains(Set, metric::differing)) {
        differing_part& part = s.differing;
        part.differing.count += survey.differing;
        if (survey.differing != 0 && survey.zero_b)
            part.zero_reference += kernels.count_zero_reference(block.a, block.b, padded_count(block.count));
        if (survey.differing != 0 && part.differing.first > block.position) {
            std::size_t i = 0;
            while (difference(number_at(block.a, i), number_at(block.b, i)).is_zero()) ++i;
            if (block.position + i < part.differing.first) part.differing.first = block.position + i;
        }
    }
    if constexpr (contains(Set, metric::mean_abs_err)) add_mean(s.abs_sum, kernels, block, a, b);
    if constexpr (contains(Set, metric::ratios)) add_ratios(s.ratios, kernels, block, finite.count, tiny);
    if constexpr (contains(Set, metric::outside_tolerance))
        add_outside(s.outside, kernels, block, finite.count, tiny || a.top > 60 || b.top > 60);
}

/// Adds n pairs of f16, bf16 or f32, side by side in memory.
template <metric Set>
inline void add_vector(pair_state<Set, narrow_range>& s, const pair_kernels& kernels, dtype a_type, const void* actual,
                       dtype b_type, const void* reference, std::size_t n) noexcept {
    const detail::fp_guard guard;
    const auto* from_a = static_cast<const unsigned char*>(actual);
    const auto* from_b = static_cast<const unsigned char*>(reference);
    block_buffer room_a, room_b;
    pair_limits limits = limits_of(s);
    surveyed_block seen;
    for (std::size_t done = 0; done < n; done += kernels.block_pairs) {
        pair_block block;
        block.count = n - done < kernels.block_pairs ? n - done : kernels.block_pairs;
        block.position = s.counts.count;
        block.a_type = a_type;
        block.b_type = b_type;
        block.raw_a = padded_run(from_a + done * size_of(a_type), block.count, size_of(a_type), room_a);
        block.raw_b = padded_run(from_b + done * size_of(b_type), block.count, size_of(b_type), room_b);
        const std::size_t padded = padded_count(block.count);

        const bool halves = a_type == b_type && a_type != dtype::f32;
        block_survey& survey = seen.survey;
        const survey_kernels& look = seen.summed ? kernels.survey_and_sum : kernels.survey;
        if (halves) {
            block.a = room_a.wide;
            block.b = room_b.wide;
            (a_type == dtype::f16 ? look.f16 : look.bf16)(block.raw_a, block.raw_b, padded, limits, seen.prepared, room_a.wide,
                                                          room_b.wide, survey);
        } else {
            const auto as_f32 = [&](dtype type, const unsigned char* raw, block_buffer& room) {
                if (type == dtype::f32) return reinterpret_cast<const float*>(raw);
                (type == dtype::f16 ? kernels.widen_f16 : kernels.widen_bf16)(raw, padded, room.wide);
                return static_cast<const float*>(room.wide);
            };
            block.a = as_f32(a_type, block.raw_a, room_a);
            block.b = as_f32(b_type, block.raw_b, room_b);
            look.f32(block.a, block.b, padded, limits, seen.prepared, nullptr, nullptr, survey);
        }

        finite_pairs finite{block.count, 0};
        constexpr auto infinity = static_cast<std::int32_t>(binary32::infinity);
        if (survey.largest_a >= infinity || survey.largest_b >= infinity) {
            finite = take_nonfinite(s, block, room_a.wide, room_b.wide);
            block.a = room_a.wide;
            block.b = room_b.wide;
            look.f32(block.a, block.b, padded, limits, seen.prepared, nullptr, nullptr, survey);
        }
        const pair_ranges ranges = ranges_of(a_type, b_type, survey);
        add_finite_block(s, kernels, block, ranges, seen, finite, limits);
        const int bits = halves ? kernels.half_product_bits : kernels.product_bits, least_unit = halves ? -126 : -256;
        seen.prepared = {widened(ranges.a, bits, least_unit), widened(ranges.b, bits, least_unit)};
        seen.summed = covers(seen.prepared.a, ranges.a) && covers(seen.prepared.b, ranges.b);
        if constexpr (contains(Set, metric::ulp)) add_ulps(s, kernels, block, finite.count == block.count);
        if constexpr (contains(Set, metric::bits))
            add_bits(s.bits, a_type, block.raw_a, b_type, block.raw_b, block.count, block.position);
        s.counts.count += block.count;
    }
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
