/// \file
/// The words of reasons.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/metrics/report.hpp>
#include <plumb/types/float_format.hpp>
#include <plumb/verdict/verdict.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::detail {
inline namespace PLUMB_TARGET {

// Doubles go by reference here: with -ffast-math Clang takes it that one passed by value is neither NaN nor infinite.

/// "cosine and ulp": the enumerators in a set.
inline std::string names_of(metric set) {
    constexpr std::string_view names[] = {"cosine", "max_abs_err",  "max_rel_err", "euclidean",         "differing",
                                          "ratios", "mean_abs_err", "ulp",         "outside_tolerance", "bits"};
    std::string text;
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (contains(set, static_cast<metric>(1u << i))) text += (text.empty() ? "" : " and ") + std::string(names[i]);
    return text;
}

/// Decided on the bits.
inline bool is_nan(const double& value) noexcept {
    return (bit_cast<std::uint64_t>(value) & binary64::magnitude_mask) > binary64::infinity;
}

/// "inf", "-inf" or "nan"; empty for a finite number.
inline std::string nonfinite_name(const double& value) {
    if (is_nan(value)) return "nan";
    const std::uint64_t bits = bit_cast<std::uint64_t>(value);
    if ((bits & binary64::magnitude_mask) != binary64::infinity) return "";
    return bits == binary64::infinity ? "inf" : "-inf";
}

/// A number for people, in any locale the same: up to `digits` significant digits, "inf", "nan".
inline std::string short_number(const double& value, int digits = 4) {
    char text[40];
    const std::string name = nonfinite_name(value);
    if (!name.empty()) return name;
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
    return {text, end};
}

/// A limit as it was written: the fewest digits that stand for this very number.
inline std::string limit_text(const double& limit) {
    char text[40];
    const std::string name = nonfinite_name(limit);
    if (!name.empty()) return name;
    const auto end = std::to_chars(text, text + sizeof text, limit, std::chars_format::general).ptr;
    return {text, end};
}

/// A number with as many digits as it takes to tell it from `limit`.
inline std::string number_beside(const double& value, const double& limit) {
    for (int digits = 4; digits < 17; ++digits) {
        const std::string text = short_number(value, digits);
        if (text != short_number(limit, digits) && text != limit_text(limit)) return text;
    }
    return short_number(value, 17);
}

inline std::string at(const std::optional<std::uint64_t>& index) { return index ? " at " + std::to_string(*index) : ""; }

/// "max_abs_err 0.0132 > 0.001 at 1187"
inline std::string exceeds(std::string_view name, const double& value, const double& limit,
                           const std::optional<std::uint64_t>& index) {
    return std::string(name) + " " + number_beside(value, limit) + " > " + limit_text(limit) + at(index);
}

/// "cosine 0.9712 < 0.99"
inline std::string falls_below(std::string_view name, const double& value, const double& limit) {
    return std::string(name) + " " + number_beside(value, limit) + " < " + limit_text(limit);
}

/// The verdict that non-finite values and empty tensors give under every numeric rule, if they give one.
inline std::optional<verdict> judge_nonfinite(const pair_report& r) {
    if (r.nonfinite_mismatched > 0)
        return verdict(outcome::fail, std::to_string(r.nonfinite_mismatched) + " of " + std::to_string(r.count) +
                                          " pairs have a NaN or infinity that the other side has not, first" +
                                          at(r.first_mismatch_index));
    if (r.count == 0) return verdict(outcome::undefined, "the tensors are empty: nothing was compared");
    if (r.finite_pairs == 0) return verdict(outcome::undefined, "no pair is finite: nothing was compared");
    return std::nullopt;
}

} // namespace PLUMB_TARGET
} // namespace plumb::detail
