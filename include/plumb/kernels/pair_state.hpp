/// \file
/// What a pass over pairs remembers: one small part for each metric of the set.
#pragma once

#include <plumb/kernels/metric.hpp>
#include <plumb/kernels/superaccumulator.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace plumb::kernels {

/// The position that no element has: "there is none".
inline constexpr std::uint64_t no_position = ~std::uint64_t{0};

/// For element types of up to 32 bits.
struct narrow_range {
    using product = product_sum;
    using linear = linear_sum;
    static constexpr std::size_t max_element_bytes = 4;
};

/// For all element types.
struct wide_range {
    using product = wide_product_sum;
    using linear = wide_linear_sum;
    static constexpr std::size_t max_element_bytes = 8;
};

/// NaN and infinities of one side.
struct nonfinite_part {
    std::uint64_t nan = 0, pos_inf = 0, neg_inf = 0;
};

/// What every set counts.
struct count_part {
    std::uint64_t count = 0, finite = 0, matched = 0, mismatched = 0, first_mismatch = no_position;
    nonfinite_part actual, reference;
};

template <class Sum>
struct product_part {
    Sum ab, aa, bb;
};

/// The largest of some non-negative doubles, as its bits, and the first position that had it.
struct maximum_part {
    std::uint64_t bits = 0;
    std::uint64_t index = no_position;
};

/// How often something happened, and where first.
struct event_part {
    std::uint64_t count = 0;
    std::uint64_t first = no_position;
};

struct differing_part {
    event_part differing;
    std::uint64_t zero_reference = 0;
};

struct ratio_part {
    std::uint64_t within_1e3 = 0, within_5e3 = 0;
};

struct ulp_part {
    maximum_part largest;
    std::uint64_t sum_low = 0, sum_high = 0;
    bool mixed_formats = false;
};

struct tolerance_part {
    tolerance limits;
    event_part outside;
};

struct bits_part {
    event_part differing;
    bool mixed_formats = false;
};

/// Stands where a part is not asked for.
template <metric>
struct no_part {};

template <metric Set, metric Wanted, class Part>
using part_if = std::conditional_t<contains(Set, Wanted), Part, no_part<Wanted>>;

/// The state of a pass. Trivially copyable.
template <metric Set, class Range>
struct pair_state {
    count_part counts;
    part_if<Set, metric::cosine | metric::euclidean, product_part<typename Range::product>> products;
    part_if<Set, metric::max_abs_err, maximum_part> max_abs;
    part_if<Set, metric::max_rel_err, maximum_part> max_rel;
    part_if<Set, metric::differing, differing_part> differing;
    part_if<Set, metric::ratios, ratio_part> ratios;
    part_if<Set, metric::mean_abs_err, typename Range::linear> abs_sum;
    part_if<Set, metric::ulp, ulp_part> ulp;
    part_if<Set, metric::outside_tolerance, tolerance_part> outside;
    part_if<Set, metric::bits, bits_part> bits;
};

inline namespace PLUMB_TARGET {

/// Offers a value at a position. The larger value wins, on a tie the lower position.
PLUMB_ALWAYS_INLINE void offer(maximum_part& best, std::uint64_t bits, std::uint64_t index) noexcept {
    const bool better = best.index == no_position || bits > best.bits || (bits == best.bits && index < best.index);
    if (better) best = {bits, index};
}

PLUMB_ALWAYS_INLINE void record(event_part& event, std::uint64_t index) noexcept {
    ++event.count;
    if (index < event.first) event.first = index;
}

PLUMB_ALWAYS_INLINE void add_ulp(ulp_part& part, std::uint64_t low, std::uint64_t high) noexcept {
    part.sum_low += low;
    part.sum_high += high + (part.sum_low < low);
}

PLUMB_ALWAYS_INLINE std::uint64_t moved(std::uint64_t index, std::uint64_t offset) noexcept {
    return index == no_position ? index : index + offset;
}

/// Moves every position by `offset`.
template <metric Set, class Range>
inline void move_positions(pair_state<Set, Range>& s, std::uint64_t offset) noexcept {
    s.counts.first_mismatch = moved(s.counts.first_mismatch, offset);
    if constexpr (contains(Set, metric::max_abs_err)) s.max_abs.index = moved(s.max_abs.index, offset);
    if constexpr (contains(Set, metric::max_rel_err)) s.max_rel.index = moved(s.max_rel.index, offset);
    if constexpr (contains(Set, metric::differing)) s.differing.differing.first = moved(s.differing.differing.first, offset);
    if constexpr (contains(Set, metric::ulp)) s.ulp.largest.index = moved(s.ulp.largest.index, offset);
    if constexpr (contains(Set, metric::outside_tolerance)) s.outside.outside.first = moved(s.outside.outside.first, offset);
    if constexpr (contains(Set, metric::bits)) s.bits.differing.first = moved(s.bits.differing.first, offset);
}

PLUMB_ALWAYS_INLINE void merge_part(maximum_part& best, const maximum_part& other) noexcept {
    if (other.index != no_position) offer(best, other.bits, other.index);
}

PLUMB_ALWAYS_INLINE void merge_part(event_part& event, const event_part& other) noexcept {
    event.count += other.count;
    if (other.first < event.first) event.first = other.first;
}

PLUMB_ALWAYS_INLINE void merge_part(nonfinite_part& part, const nonfinite_part& other) noexcept {
    part.nan += other.nan;
    part.pos_inf += other.pos_inf;
    part.neg_inf += other.neg_inf;
}

/// Adds what `other` has seen; positions stay as they are in both.
template <metric Set, class Range>
inline void merge_state(pair_state<Set, Range>& s, const pair_state<Set, Range>& other) noexcept {
    s.counts.count += other.counts.count;
    s.counts.finite += other.counts.finite;
    s.counts.matched += other.counts.matched;
    s.counts.mismatched += other.counts.mismatched;
    if (other.counts.first_mismatch < s.counts.first_mismatch) s.counts.first_mismatch = other.counts.first_mismatch;
    merge_part(s.counts.actual, other.counts.actual);
    merge_part(s.counts.reference, other.counts.reference);
    if constexpr (contains(Set, metric::cosine | metric::euclidean)) {
        s.products.ab.merge(other.products.ab);
        s.products.aa.merge(other.products.aa);
        s.products.bb.merge(other.products.bb);
    }
    if constexpr (contains(Set, metric::max_abs_err)) merge_part(s.max_abs, other.max_abs);
    if constexpr (contains(Set, metric::max_rel_err)) merge_part(s.max_rel, other.max_rel);
    if constexpr (contains(Set, metric::differing)) {
        merge_part(s.differing.differing, other.differing.differing);
        s.differing.zero_reference += other.differing.zero_reference;
    }
    if constexpr (contains(Set, metric::ratios)) {
        s.ratios.within_1e3 += other.ratios.within_1e3;
        s.ratios.within_5e3 += other.ratios.within_5e3;
    }
    if constexpr (contains(Set, metric::mean_abs_err)) s.abs_sum.merge(other.abs_sum);
    if constexpr (contains(Set, metric::ulp)) {
        merge_part(s.ulp.largest, other.ulp.largest);
        add_ulp(s.ulp, other.ulp.sum_low, other.ulp.sum_high);
        s.ulp.mixed_formats = s.ulp.mixed_formats || other.ulp.mixed_formats;
    }
    if constexpr (contains(Set, metric::outside_tolerance)) merge_part(s.outside.outside, other.outside.outside);
    if constexpr (contains(Set, metric::bits)) {
        merge_part(s.bits.differing, other.bits.differing);
        s.bits.mixed_formats = s.bits.mixed_formats || other.bits.mixed_formats;
    }
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
