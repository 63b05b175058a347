/// \file
/// The one-pass accumulator behind every pair metric.
#pragma once

#include <plumb/detail/fp_guard.hpp>
#include <plumb/kernels/add_pairs.hpp>
#include <plumb/metrics/report.hpp>
#include <plumb/types/strided_reader.hpp>
#include <plumb/types/view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

namespace plumb {

namespace kernels {
inline namespace PLUMB_TARGET {

inline std::optional<std::uint64_t> position_or_none(std::uint64_t index) noexcept {
    return index == no_position ? std::nullopt : std::optional<std::uint64_t>(index);
}

/// Writes the double with these bits. (Through memory: with -ffast-math Clang takes it that no function takes or returns an
/// infinity.)
PLUMB_ALWAYS_INLINE void set_double(double& to, std::uint64_t bits) noexcept { std::memcpy(&to, &bits, sizeof to); }

/// The share part / whole, rounded once, as bits; whole is not 0.
inline std::uint64_t share_bits(std::uint64_t part, std::uint64_t whole) noexcept {
    return rounded_quotient_bits(make_natural(part), make_natural(whole), 0);
}

template <class Sum>
inline void report_products(const product_part<Sum>& sums, metric set, pair_report& report) noexcept {
    const auto ab = sums.ab.magnitude(), aa = sums.aa.magnitude(), bb = sums.bb.magnitude();
    const bool zero_a = leading(aa).mantissa == 0, zero_b = leading(bb).mantissa == 0;
    if (contains(set, metric::cosine)) {
        report.cosine_defined = zero_a == zero_b;
        if (zero_a && zero_b) {
            report.cosine = 1.0;
        } else if (report.cosine_defined) {
            const std::uint64_t size = rounded_root_bits<2>(ab, ab, aa, bb, 0);
            set_double(report.cosine, sums.ab.is_negative() ? size | binary64::sign_mask : size);
        }
    }
    if (contains(set, metric::euclidean)) {
        Sum squares = sums.aa; // Σ(a−b)² = Σa² − 2Σab + Σb²
        squares.merge_scaled(sums.ab, true, 1);
        squares.merge(sums.bb);
        const auto s = squares.magnitude();
        set_double(report.euclidean, rounded_sqrt_quotient_bits(s, make_natural(1), Sum::min_exponent));
        set_double(report.rmse, rounded_sqrt_quotient_bits(s, make_natural(report.finite_pairs), Sum::min_exponent));
        const std::uint64_t over_zero = zero_a ? 0 : binary64::infinity;
        set_double(report.rel_l2_err, zero_b ? over_zero : rounded_sqrt_quotient_bits(s, bb, 0));
    }
}

template <metric Set, class Range>
inline pair_report make_report(const pair_state<Set, Range>& s) noexcept {
    pair_report r;
    const auto counts_of = [](const nonfinite_part& side) { return nonfinite_counts{side.nan, side.pos_inf, side.neg_inf}; };
    r.metrics = Set;
    r.count = s.counts.count;
    r.finite_pairs = s.counts.finite;
    r.actual_nonfinite = counts_of(s.counts.actual);
    r.reference_nonfinite = counts_of(s.counts.reference);
    r.nonfinite_matched = s.counts.matched;
    r.nonfinite_mismatched = s.counts.mismatched;
    r.first_mismatch_index = position_or_none(s.counts.first_mismatch);
    if constexpr (contains(Set, metric::differing)) {
        r.differing = s.differing.differing.count;
        r.first_differing_index = position_or_none(s.differing.differing.first);
        r.zero_reference = s.differing.zero_reference;
    }
    if constexpr (contains(Set, metric::outside_tolerance)) {
        r.outside_tolerance = s.outside.outside.count;
        r.first_outside_index = position_or_none(s.outside.outside.first);
        r.limits = s.outside.limits;
    }
    if constexpr (contains(Set, metric::bits)) {
        if (!s.bits.mixed_formats) {
            r.differing_bits = s.bits.differing.count;
            r.first_differing_bits_index = position_or_none(s.bits.differing.first);
        }
    }
    if constexpr (contains(Set, metric::ulp)) {
        if (!s.ulp.mixed_formats) r.max_ulp_err = r.mean_ulp_err = detail::quiet_nan;
    }
    if (r.finite_pairs == 0) return r;

    const detail::fp_guard guard; // square roots start from the processor's
    if constexpr (contains(Set, metric::cosine | metric::euclidean)) report_products(s.products, Set, r);
    if constexpr (contains(Set, metric::max_abs_err)) {
        set_double(r.max_abs_err, s.max_abs.bits);
        r.max_abs_err_index = position_or_none(s.max_abs.index);
    }
    if constexpr (contains(Set, metric::max_rel_err)) {
        set_double(r.max_rel_err, s.max_rel.bits);
        r.max_rel_err_index = position_or_none(s.max_rel.index);
    }
    if constexpr (contains(Set, metric::ratios)) {
        set_double(r.ratio_1e3, share_bits(s.ratios.within_1e3, r.finite_pairs));
        set_double(r.ratio_5e3, share_bits(s.ratios.within_5e3, r.finite_pairs));
    }
    if constexpr (contains(Set, metric::mean_abs_err))
        set_double(r.mean_abs_err,
                   rounded_quotient_bits(s.abs_sum.magnitude(), make_natural(r.finite_pairs), Range::linear::min_exponent));
    if constexpr (contains(Set, metric::ulp)) {
        if (!s.ulp.mixed_formats) {
            set_double(r.max_ulp_err.emplace(), s.ulp.largest.bits);
            r.max_ulp_err_index = position_or_none(s.ulp.largest.index);
            const natural<2> sum{{s.ulp.sum_low, s.ulp.sum_high}};
            set_double(r.mean_ulp_err.emplace(), rounded_quotient_bits(sum, make_natural(r.finite_pairs), 0));
        }
    }
    return r;
}

/// Adds the pairs of two tensors of one shape, side by side or not.
template <metric Set, class Range>
inline void add_tensors(pair_state<Set, Range>& s, const tensor_view& actual, const tensor_view& reference) {
    if (actual.is_contiguous() && reference.is_contiguous()) {
        add_pairs(s, actual.type(), actual.data(), reference.type(), reference.data(), static_cast<std::size_t>(actual.count()));
        return;
    }
    constexpr std::size_t block = 2048;
    alignas(64) char a[block * 8], b[block * 8];
    strided_reader from_a(actual), from_b(reference);
    while (const std::size_t n = from_a.read(a, block)) {
        from_b.read(b, n);
        add_pairs(s, actual.type(), a, reference.type(), b, n);
    }
}

} // namespace PLUMB_TARGET
} // namespace kernels

/// Streams pairs of elements and keeps what the metrics of `Set` need of them: the one implementation of them all.
///
/// The numbers it reports are exact values rounded once (see pair_report), and so depend on the data alone: not on how the data
/// are cut into pieces, in which order the pieces are merged, or what machine, compiler flags or floating-point mode are used.
/// The object is trivially copyable: keep one per thread, chunk or rank, send it as bytes, merge. What is not in the set costs
/// nothing.
///
/// `Range` is narrow_range for element types of up to 32 bits, or wide_range, which takes all types but is about 7 times larger.
template <metric Set, class Range = kernels::narrow_range>
class basic_pair_metrics {
public:
    static constexpr metric metrics = Set;

    basic_pair_metrics() = default;
    /// With metric::outside_tolerance in the set: counts the pairs outside `limits`.
    PLUMB_ALWAYS_INLINE explicit basic_pair_metrics(const tolerance& limits) noexcept { state_.outside.limits = limits; }

    /// Adds the pairs actual[0..n) and reference[0..n). Positions continue from the last call. The two types may differ.
    template <class T, class U>
    PLUMB_ALWAYS_INLINE void add(const T* actual, const U* reference, std::size_t n) noexcept {
        static_assert(is_element_v<T> && is_element_v<U>,
                      "plumb does not know this element type: specialise plumb::element_traits");
        static_assert(sizeof(T) <= Range::max_element_bytes && sizeof(U) <= Range::max_element_bytes,
                      "elements of 64 bits need wide_pair_metrics");
        kernels::add_pairs(state_, dtype_of<T>, actual, dtype_of<U>, reference, n);
    }

    /// Adds two buffers of one length; throws std::invalid_argument if the lengths differ.
    template <class T, class U>
    PLUMB_ALWAYS_INLINE void add(view<T> actual, view<U> reference) {
        if (actual.size() != reference.size())
            throw std::invalid_argument("plumb: actual has " + std::to_string(actual.size()) + " elements, reference " +
                                        std::to_string(reference.size()));
        add(actual.data(), reference.data(), actual.size());
    }

    /// Adds two tensors, in row-major order. Throws std::invalid_argument if the shapes differ or a type has too many bits.
    PLUMB_ALWAYS_INLINE void add(const tensor_view& actual, const tensor_view& reference) {
        if (actual.shape() != reference.shape())
            throw std::invalid_argument("plumb: shapes differ: actual " + to_string(actual.shape()) + ", reference " +
                                        to_string(reference.shape()));
        if (size_of(actual.type()) > Range::max_element_bytes || size_of(reference.type()) > Range::max_element_bytes)
            throw std::invalid_argument("plumb: elements of 64 bits need wide_pair_metrics");
        kernels::add_tensors(state_, actual, reference);
    }

    /// Adds what `other` has seen, right after what this has seen. The tolerance stays this one's.
    PLUMB_ALWAYS_INLINE void merge(const basic_pair_metrics& other) noexcept { merge(other, state_.counts.count); }

    /// Adds what `other` has seen; its first pair is pair number `offset` of the whole. Values never depend on the order of
    /// merges, and positions are right if the offsets are.
    PLUMB_ALWAYS_INLINE void merge(const basic_pair_metrics& other, std::uint64_t offset) noexcept {
        kernels::merge_state(state_, other.shifted(offset).state_);
    }

    /// The same with every position moved by `offset`: what a rank sends into a reduction that merges with offset 0.
    PLUMB_ALWAYS_INLINE basic_pair_metrics shifted(std::uint64_t offset) const noexcept {
        basic_pair_metrics moved = *this;
        kernels::move_positions(moved.state_, offset);
        return moved;
    }

    /// The numbers so far.
    PLUMB_ALWAYS_INLINE pair_report value() const noexcept { return kernels::make_report(state_); }

    /// Pairs so far, finite or not.
    PLUMB_ALWAYS_INLINE std::uint64_t count() const noexcept { return state_.counts.count; }

private:
    kernels::pair_state<Set, Range> state_;
};

using cosine = basic_pair_metrics<metric::cosine>;           ///< Σab / sqrt(Σa²·Σb²) alone
using max_abs_err = basic_pair_metrics<metric::max_abs_err>; ///< max |a−b| alone
using max_rel_err = basic_pair_metrics<metric::max_rel_err>; ///< max |a−b|/|b| alone
using pair_metrics = basic_pair_metrics<default_metrics>;    ///< cosine, max abs, max rel, euclidean, differing
using full_pair_metrics = basic_pair_metrics<full_metrics>;  ///< all of them
using wide_pair_metrics = basic_pair_metrics<default_metrics, kernels::wide_range>;   ///< the default set, for all types
using wide_full_pair_metrics = basic_pair_metrics<full_metrics, kernels::wide_range>; ///< all metrics, for all types

} // namespace plumb
