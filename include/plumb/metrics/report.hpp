/// \file
/// What one pass over a pair of tensors found out.
#pragma once

#include <plumb/kernels/metric.hpp>

#include <cstdint>
#include <limits>
#include <optional>

namespace plumb {

namespace detail {
/// A constant rather than a call: with -ffast-math Clang takes it that no function returns NaN.
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
} // namespace detail

/// How many NaN and infinities one side holds.
struct nonfinite_counts {
    std::uint64_t nan = 0;
    std::uint64_t pos_inf = 0;
    std::uint64_t neg_inf = 0;
};

/// The numbers that describe `actual` against `reference`.
///
/// A finite pair is a position where neither side is NaN or infinite; all error metrics are over finite pairs. Each is the
/// exact value rounded once to double, ties to even. Without a finite pair they are NaN and the indices are empty, and so is
/// what was not asked for. Positions count in the row-major order of the shape, from 0. On a tie the lowest position wins.
///
/// Branch on cosine_defined, finite_pairs and nonfinite_mismatched first: under -ffast-math a compiler may treat a comparison
/// with NaN as if it could not happen.
struct pair_report {
    metric metrics = all_metrics;   ///< what was measured; what was not has the values below
    std::uint64_t count = 0;        ///< pairs seen
    std::uint64_t finite_pairs = 0; ///< of them, finite on both sides

    /// Σab / sqrt(Σa²·Σb²). Two zero vectors give 1; exactly one gives NaN, and cosine_defined is false.
    double cosine = detail::quiet_nan;
    bool cosine_defined = false;

    /// max |a−b|; infinite beyond the greatest double.
    double max_abs_err = detail::quiet_nan;
    std::optional<std::uint64_t> max_abs_err_index;

    /// max |a−b|/|b|, where 0/0 = 0 and x/0 = inf.
    double max_rel_err = detail::quiet_nan;
    std::optional<std::uint64_t> max_rel_err_index;

    double euclidean = detail::quiet_nan;  ///< sqrt(Σ(a−b)²)
    double rmse = detail::quiet_nan;       ///< sqrt(Σ(a−b)²/n)
    double rel_l2_err = detail::quiet_nan; ///< euclidean/‖b‖; b zero: 0 if a is zero too, else inf

    double ratio_1e3 = detail::quiet_nan;    ///< share of finite pairs with |a−b| < |b|/1000 (0/0 passes)
    double ratio_5e3 = detail::quiet_nan;    ///< the same with |b|/200
    double mean_abs_err = detail::quiet_nan; ///< Σ|a−b|/n

    /// Distances in representable values, −0 being +0; empty if a pair had two formats, and if they were not asked for.
    std::optional<double> max_ulp_err;
    std::optional<std::uint64_t> max_ulp_err_index;
    std::optional<double> mean_ulp_err;

    std::uint64_t differing = 0; ///< pairs whose values differ, finite or not (NaN does not differ from NaN, nor −0 from +0)
    std::optional<std::uint64_t> first_differing_index;
    std::uint64_t zero_reference = 0; ///< finite pairs with b = 0 and a ≠ 0

    nonfinite_counts actual_nonfinite;
    nonfinite_counts reference_nonfinite;
    std::uint64_t nonfinite_matched = 0;    ///< both NaN, or infinities of one sign
    std::uint64_t nonfinite_mismatched = 0; ///< any other pair with a non-finite side
    std::optional<std::uint64_t> first_mismatch_index;

    /// Finite pairs with |a−b| > atol + rtol·|b|, decided exactly, for the tolerance that was asked for, if one was.
    std::optional<std::uint64_t> outside_tolerance;
    std::optional<std::uint64_t> first_outside_index;
    std::optional<tolerance> limits; ///< that tolerance

    /// Pairs whose bit patterns differ (−0 from +0, one NaN from another); empty if a pair had two formats.
    std::optional<std::uint64_t> differing_bits;
    std::optional<std::uint64_t> first_differing_bits_index;
};

/// The numbers that describe one tensor. min, max, mean and norm are over its finite elements, exact and rounded once; NaN
/// without a finite element.
struct tensor_report {
    std::uint64_t count = 0;
    std::uint64_t finite = 0;
    double min = detail::quiet_nan;
    double max = detail::quiet_nan;
    double mean = detail::quiet_nan;
    double norm = detail::quiet_nan; ///< L2
    nonfinite_counts nonfinite;
    std::uint64_t zeros = 0;
    std::uint64_t subnormals = 0;
    std::uint64_t saturated = 0; ///< elements at the type's largest finite magnitude; 0 for integers
    std::optional<std::uint64_t> first_nonfinite_index;
};

} // namespace plumb
