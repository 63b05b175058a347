/// \file
/// Compares reports field by field and bit by bit.
#pragma once

#include <plumb/metrics/report.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

/// Collects the names of the fields in which two reports differ.
class report_difference {
public:
    report_difference(const plumb::pair_report& x, const plumb::pair_report& y) {
        note("count", x.count, y.count);
        note("finite_pairs", x.finite_pairs, y.finite_pairs);
        note("cosine", x.cosine, y.cosine);
        note("cosine_defined", x.cosine_defined, y.cosine_defined);
        note("max_abs_err", x.max_abs_err, y.max_abs_err);
        note("max_abs_err_index", x.max_abs_err_index, y.max_abs_err_index);
        note("max_rel_err", x.max_rel_err, y.max_rel_err);
        note("max_rel_err_index", x.max_rel_err_index, y.max_rel_err_index);
        note("euclidean", x.euclidean, y.euclidean);
        note("rmse", x.rmse, y.rmse);
        note("rel_l2_err", x.rel_l2_err, y.rel_l2_err);
        note("differing", x.differing, y.differing);
        note("first_differing_index", x.first_differing_index, y.first_differing_index);
        note("zero_reference", x.zero_reference, y.zero_reference);
        note("actual_nonfinite", x.actual_nonfinite, y.actual_nonfinite);
        note("reference_nonfinite", x.reference_nonfinite, y.reference_nonfinite);
        note("nonfinite_matched", x.nonfinite_matched, y.nonfinite_matched);
        note("nonfinite_mismatched", x.nonfinite_mismatched, y.nonfinite_mismatched);
        note("first_mismatch_index", x.first_mismatch_index, y.first_mismatch_index);
        note("ratio_1e3", x.ratio_1e3, y.ratio_1e3);
        note("ratio_5e3", x.ratio_5e3, y.ratio_5e3);
        note("mean_abs_err", x.mean_abs_err, y.mean_abs_err);
        note("max_ulp_err", x.max_ulp_err, y.max_ulp_err);
        note("max_ulp_err_index", x.max_ulp_err_index, y.max_ulp_err_index);
        note("mean_ulp_err", x.mean_ulp_err, y.mean_ulp_err);
        note("outside_tolerance", x.outside_tolerance, y.outside_tolerance);
        note("first_outside_index", x.first_outside_index, y.first_outside_index);
        note("limits", x.limits.has_value(), y.limits.has_value());
        note("differing_bits", x.differing_bits, y.differing_bits);
        note("first_differing_bits_index", x.first_differing_bits_index, y.first_differing_bits_index);
    }

    report_difference(const plumb::tensor_report& x, const plumb::tensor_report& y) {
        note("count", x.count, y.count);
        note("finite", x.finite, y.finite);
        note("min", x.min, y.min);
        note("max", x.max, y.max);
        note("mean", x.mean, y.mean);
        note("norm", x.norm, y.norm);
        note("nonfinite", x.nonfinite, y.nonfinite);
        note("zeros", x.zeros, y.zeros);
        note("subnormals", x.subnormals, y.subnormals);
        note("saturated", x.saturated, y.saturated);
        note("first_nonfinite_index", x.first_nonfinite_index, y.first_nonfinite_index);
    }

    /// Empty, or "field: this value, not that; …".
    const std::string& text() const { return text_; }

private:
    static std::string show(bool x) { return x ? "yes" : "no"; }
    static std::string show(std::uint64_t x) { return std::to_string(x); }
    static std::string show(double x) {
        char text[64];
        std::snprintf(text, sizeof text, "%.17g (%a)", x, x);
        return text;
    }
    template <class T>
    static std::string show(const std::optional<T>& x) {
        return x ? show(*x) : "none";
    }
    static std::string show(const plumb::nonfinite_counts& x) {
        return show(x.nan) + "/" + show(x.pos_inf) + "/" + show(x.neg_inf);
    }

    static bool same(bool x, bool y) { return x == y; }
    static bool same(std::uint64_t x, std::uint64_t y) { return x == y; }
    /// The same bits, any NaN being the same as another. (Decided on the bits, also under -ffast-math.)
    static bool same(double x, double y) {
        std::uint64_t a, b;
        std::memcpy(&a, &x, sizeof a);
        std::memcpy(&b, &y, sizeof b);
        const std::uint64_t infinity = std::uint64_t{0x7ff} << 52, magnitude = ~std::uint64_t{0} >> 1;
        return a == b || ((a & magnitude) > infinity && (b & magnitude) > infinity);
    }
    template <class T>
    static bool same(const std::optional<T>& x, const std::optional<T>& y) {
        return x.has_value() == y.has_value() && (!x || same(*x, *y));
    }
    static bool same(const plumb::nonfinite_counts& x, const plumb::nonfinite_counts& y) {
        return x.nan == y.nan && x.pos_inf == y.pos_inf && x.neg_inf == y.neg_inf;
    }

    template <class T>
    void note(const char* name, const T& x, const T& y) {
        if (!same(x, y)) text_ += std::string(name) + ": " + show(x) + ", not " + show(y) + "; ";
    }

    std::string text_;
};

/// Empty if the two reports hold the same, else what differs: "this, not that".
template <class Report>
std::string difference_of(const Report& is, const Report& expected) {
    return report_difference(is, expected).text();
}
