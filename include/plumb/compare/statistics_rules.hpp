/// \file
/// What four recorded statistics of a tensor tell about its equality and its verdict.
#pragma once

#include <plumb/compare/number_text.hpp>
#include <plumb/compare/row.hpp>
#include <plumb/detail/value_barrier.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/metrics/report.hpp>
#include <plumb/verdict/verdict.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace plumb {

/// The number that was recorded; false and true are 0 and 1; nothing for words and what is absent.
inline std::optional<double> number_of(const recorded_number& recorded) noexcept {
    if (const double* number = std::get_if<double>(&recorded)) return *number;
    if (const bool* flag = std::get_if<bool>(&recorded)) return *flag ? 1.0 : 0.0;
    return std::nullopt;
}

/// A statistic of both sides.
struct statistic_pair {
    std::string_view name;
    std::optional<double> actual, reference;
    bool both() const noexcept { return actual && reference; }
};

/// max, min, mean and norm of both sides.
inline std::array<statistic_pair, 4> statistic_pairs(const recorded_statistics& a, const recorded_statistics& b) noexcept {
    return {{{"max", number_of(a.max), number_of(b.max)},
             {"min", number_of(a.min), number_of(b.min)},
             {"mean", number_of(a.mean), number_of(b.mean)},
             {"norm", number_of(a.norm), number_of(b.norm)}}};
}

namespace detail {

inline bool same_number(double a, double b) noexcept {
    if (is_finite_value(a) && is_finite_value(b)) return a == b;
    return kind_of(a) == kind_of(b) && (is_nan_value(a) || has_minus_sign(a) == has_minus_sign(b));
}

} // namespace detail

/// |Δ|/(max(|a|, |b|) + 1e-10); infinite if exactly one is not finite, 0 if both are the same non-finite value.
inline double relative_change(double actual, double reference) noexcept {
    if (detail::same_number(actual, reference)) return 0;
    if (!detail::is_finite_value(actual) || !detail::is_finite_value(reference)) return std::numeric_limits<double>::infinity();
    // Halves, so that neither the difference nor the sum overflows. The barrier keeps -ffast-math from taking the difference
    // first.
    const double a = detail::value_barrier(actual / 2), b = detail::value_barrier(reference / 2);
    return std::fabs(a - b) / (std::max(std::fabs(a), std::fabs(b)) + 0.5e-10);
}

/// The statistic that tells that one side has a NaN or an infinity where the other has none, or one of the other sign.
///
/// max and min are elements, so they always tell. A mean and a norm are sums, which may overflow in their own type though all
/// elements are finite, and a mean may then be NaN (inf - inf); so beside a max and a min that agree in this they tell nothing,
/// but for a norm that is NaN: squares can't cancel, so an element is.
inline std::optional<statistic_pair> nonfinite_difference(const recorded_statistics& actual,
                                                          const recorded_statistics& reference) noexcept {
    const auto pairs = statistic_pairs(actual, reference);
    const auto differs = [](const statistic_pair& each) {
        return each.both() && !(detail::is_finite_value(*each.actual) && detail::is_finite_value(*each.reference)) &&
               !detail::same_number(*each.actual, *each.reference);
    };
    const auto& [max, min, mean, norm] = pairs;
    for (const statistic_pair* each : {&max, &min})
        if (differs(*each)) return *each;
    const bool elements_known = max.both() && min.both();
    if (differs(mean) && !elements_known) return mean;
    if (differs(norm) && (!elements_known || detail::is_nan_value(*norm.actual) || detail::is_nan_value(*norm.reference)))
        return norm;
    return std::nullopt;
}

/// Fail if one side has a NaN or an infinity and the other has not (see nonfinite_difference); warn if any of the four changes by
/// more than half; undefined without a number on both sides; else pass. The reason says "statistics only".
inline verdict classify_statistics(const recorded_statistics& actual, const recorded_statistics& reference) {
    if (const auto found = nonfinite_difference(actual, reference))
        return {outcome::fail, "statistics only: " + std::string(found->name) + " is " + to_text(*found->actual, 6) +
                                   ", reference " + to_text(*found->reference, 6)};
    bool any = false;
    std::string changes;
    for (const auto& [name, a, b] : statistic_pairs(actual, reference)) {
        if (!a || !b) continue;
        any = true;
        if (relative_change(*a, *b) > 0.5)
            changes += (changes.empty() ? "" : ", ") + std::string(name) + ' ' + to_text(*a, 6) + " against " + to_text(*b, 6);
    }
    if (!any) return {outcome::undefined, "no statistic was recorded on both sides"};
    if (!changes.empty()) return {outcome::warn, "statistics only: " + changes};
    return {outcome::pass, "statistics only"};
}

/// Same if every statistic that both sides recorded is equal. Where the types differ, `roundoff` is the unit roundoff of the
/// coarser one: then mean and norm, which each side rounded to its own type, may differ by that much.
inline agreement agreement_of(const recorded_statistics& actual, const recorded_statistics& reference, double roundoff = 0) {
    agreement agrees = agreement::unknown;
    for (const auto& [name, a, b] : statistic_pairs(actual, reference)) {
        if (!a || !b) continue;
        const bool summed = name == "mean" || name == "norm";
        bool same = detail::same_number(*a, *b);
        if (!same && summed && roundoff > 0) {
            const bool overflowed = name == "norm" && detail::is_finite_value(*a) != detail::is_finite_value(*b);
            same = overflowed || relative_change(*a, *b) <= 2 * roundoff;
        }
        if (!same) return agreement::different;
        agrees = agreement::same;
    }
    return agrees;
}

/// The four statistics as the seed tools mean them: NaN and infinities go into each of them.
inline recorded_statistics seed_statistics(const tensor_report& report) {
    constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    if (report.count == 0) return {};
    const auto& [nans, pos_inf, neg_inf] = report.nonfinite;
    if (nans > 0) return {nan, nan, nan, nan};
    double max = report.max, min = report.min, mean = report.mean, norm = report.norm;
    if (pos_inf > 0 || (neg_inf > 0 && report.finite == 0)) max = pos_inf > 0 ? infinity : -infinity;
    if (neg_inf > 0 || (pos_inf > 0 && report.finite == 0)) min = neg_inf > 0 ? -infinity : infinity;
    if (pos_inf > 0 || neg_inf > 0) {
        mean = pos_inf > 0 && neg_inf > 0 ? nan : pos_inf > 0 ? infinity : -infinity;
        norm = infinity;
    }
    return {max, min, mean, norm};
}

} // namespace plumb
