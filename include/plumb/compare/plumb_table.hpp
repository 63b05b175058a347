/// \file
/// The columns of plumb's own table.
#pragma once

#include <plumb/compare/number_text.hpp>
#include <plumb/compare/row.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plumb {

/// plumb's table: every number of a row with 17 significant digits; a cell is empty where a number does not apply.
class plumb_table {
public:
    std::vector<std::string> header() const {
        return {"step",
                "rank",
                "operator",
                "call",
                "direction",
                "kind",
                "slot",
                "actual_name",
                "reference_name",
                "actual_dtype",
                "reference_dtype",
                "actual_shape",
                "reference_shape",
                "compared_by",
                "verdict",
                "reason",
                "count",
                "finite_pairs",
                "cosine",
                "max_abs_err",
                "max_abs_err_index",
                "max_rel_err",
                "max_rel_err_index",
                "euclidean",
                "rmse",
                "rel_l2_err",
                "ratio_1e3",
                "ratio_5e3",
                "mean_abs_err",
                "max_ulp_err",
                "max_ulp_err_index",
                "mean_ulp_err",
                "differing",
                "first_differing_index",
                "zero_reference",
                "actual_nan",
                "actual_pos_inf",
                "actual_neg_inf",
                "reference_nan",
                "reference_pos_inf",
                "reference_neg_inf",
                "nonfinite_matched",
                "nonfinite_mismatched",
                "first_mismatch_index",
                "actual_max",
                "actual_min",
                "actual_mean",
                "actual_norm",
                "reference_max",
                "reference_min",
                "reference_mean",
                "reference_norm",
                "actual_checksum",
                "reference_checksum",
                "error"};
    }

    std::vector<std::string> cells(const comparison_row& row) const {
        const dump_entry& entry = row.entry();
        std::vector<std::string> all{std::to_string(row.step),
                                     std::to_string(row.rank),
                                     entry.op,
                                     std::to_string(entry.call),
                                     entry.direction,
                                     std::string(name_of(entry.kind)),
                                     entry.slot,
                                     row.actual != nullptr ? row.actual->name : "",
                                     row.reference != nullptr ? row.reference->name : "",
                                     row.actual_type ? std::string(name_of(*row.actual_type)) : "",
                                     row.reference_type ? std::string(name_of(*row.reference_type)) : "",
                                     row.actual_shape ? to_string(*row.actual_shape) : "",
                                     row.reference_shape ? to_string(*row.reference_shape) : "",
                                     std::string(name_of(row.basis)),
                                     std::string(name_of(row.judged.result())),
                                     row.judged.why()};
        add_report(all, row.report);
        add_statistics(all, row.actual_stats);
        add_statistics(all, row.reference_stats);
        all.push_back(row.actual != nullptr ? row.actual->checksum : "");
        all.push_back(row.reference != nullptr ? row.reference->checksum : "");
        all.push_back(row.error);
        return all;
    }

private:
    static std::string text(double number) { return to_text(number); }
    static std::string text(std::uint64_t number) { return std::to_string(number); }
    template <class T>
    static std::string text(const std::optional<T>& number) {
        return number ? text(*number) : std::string();
    }

    static void add_report(std::vector<std::string>& to, const std::optional<pair_report>& report) {
        constexpr std::size_t columns = 28;
        if (!report) return to.resize(to.size() + columns);
        const pair_report& r = *report;
        for (std::string cell : {text(r.count),
                                 text(r.finite_pairs),
                                 text(r.cosine),
                                 text(r.max_abs_err),
                                 text(r.max_abs_err_index),
                                 text(r.max_rel_err),
                                 text(r.max_rel_err_index),
                                 text(r.euclidean),
                                 text(r.rmse),
                                 text(r.rel_l2_err),
                                 text(r.ratio_1e3),
                                 text(r.ratio_5e3),
                                 text(r.mean_abs_err),
                                 text(r.max_ulp_err),
                                 text(r.max_ulp_err_index),
                                 text(r.mean_ulp_err),
                                 text(r.differing),
                                 text(r.first_differing_index),
                                 text(r.zero_reference),
                                 text(r.actual_nonfinite.nan),
                                 text(r.actual_nonfinite.pos_inf),
                                 text(r.actual_nonfinite.neg_inf),
                                 text(r.reference_nonfinite.nan),
                                 text(r.reference_nonfinite.pos_inf),
                                 text(r.reference_nonfinite.neg_inf),
                                 text(r.nonfinite_matched),
                                 text(r.nonfinite_mismatched),
                                 text(r.first_mismatch_index)})
            to.push_back(std::move(cell));
    }

    static std::string text(const recorded_number& recorded) {
        if (const double* number = std::get_if<double>(&recorded)) return to_text(*number);
        if (const bool* flag = std::get_if<bool>(&recorded)) return *flag ? "true" : "false";
        const std::string* word = std::get_if<std::string>(&recorded);
        return word != nullptr ? *word : "";
    }
    static void add_statistics(std::vector<std::string>& to, const std::optional<recorded_statistics>& stats) {
        const recorded_statistics s = stats.value_or(recorded_statistics{});
        for (const recorded_number* each : {&s.max, &s.min, &s.mean, &s.norm}) to.push_back(text(*each));
    }
};

} // namespace plumb
