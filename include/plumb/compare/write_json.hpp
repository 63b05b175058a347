/// \file
/// A comparison as one JSON object.
#pragma once

#include <plumb/compare/comparison.hpp>
#include <plumb/compare/operator_name.hpp>
#include <plumb/compare/rank_agreement.hpp>
#include <plumb/dump/json_text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>

namespace plumb {

namespace detail {

/// Text of a JSON object or array, put together member by member.
class json_builder {
public:
    json_builder& open(char bracket) { return separate(), text_ += bracket, first_ = true, *this; }
    json_builder& close(char bracket) { return text_ += bracket, first_ = false, *this; }
    json_builder& key(std::string_view name) {
        separate();
        append_json(text_, name);
        text_ += ": ";
        first_ = true;
        return *this;
    }
    template <class T>
    json_builder& value(const T& what) {
        separate();
        append_json(text_, what);
        return *this;
    }
    template <class T>
    json_builder& value(const std::optional<T>& what) {
        return what ? value(*what) : null();
    }
    json_builder& null() { return separate(), text_ += "null", *this; }
    template <class T>
    json_builder& member(std::string_view name, const T& what) {
        return key(name).value(what);
    }

    /// Hands over what has been put together so far.
    void flush(std::ostream& to) {
        to.write(text_.data(), static_cast<std::streamsize>(text_.size()));
        text_.clear();
    }
    void append_to(std::string& to) const { to += text_; }

private:
    void separate() {
        if (!first_) text_ += ", ";
        first_ = false;
    }

    std::string text_;
    bool first_ = true;
};

/// An integer for a plain position, else text such as "3.0" or a keyword.
inline void add_slot(json_builder& to, const std::string& slot) {
    const bool plain = !slot.empty() && slot.size() < 18 && (slot == "0" || slot[0] != '0') &&
                       slot.find_first_not_of("0123456789") == std::string::npos;
    if (plain)
        to.member("slot", static_cast<std::uint64_t>(std::stoull(slot)));
    else if (slot.empty())
        to.member("slot", std::uint64_t{0});
    else
        to.member("slot", slot);
}

inline void add_statistics(json_builder& to, std::string_view side, const std::optional<recorded_statistics>& stats) {
    to.key(side);
    if (!stats) return void(to.null());
    to.open('{');
    for (const auto& [name, number] : {std::pair("max", &stats->max), std::pair("min", &stats->min),
                                       std::pair("mean", &stats->mean), std::pair("norm", &stats->norm)}) {
        to.key(name);
        if (const double* value = std::get_if<double>(number))
            to.value(*value);
        else if (const bool* flag = std::get_if<bool>(number))
            to.value(*flag);
        else
            to.null();
    }
    to.close('}');
}

inline void add_checksum(json_builder& to, std::string_view side, const dump_entry* entry) {
    to.key(side);
    if (entry == nullptr || entry->checksum.empty())
        to.null();
    else
        to.value(entry->checksum);
}

} // namespace detail

/// Adds the members of `compare --json` and `metrics --json` that describe a pair; all null without a report.
inline void add_report(detail::json_builder& to, const std::optional<pair_report>& report) {
    const pair_report empty, &r = report ? *report : empty;
    const auto add = [&](std::string_view name, const auto& number) {
        to.key(name);
        if (report)
            to.value(number);
        else
            to.null();
    };
    add("count", r.count);
    add("finite_pairs", r.finite_pairs);
    add("cosine", r.cosine);
    add("max_abs_err", r.max_abs_err);
    add("max_abs_err_index", r.max_abs_err_index);
    add("max_rel_err", r.max_rel_err);
    add("max_rel_err_index", r.max_rel_err_index);
    add("euclidean", r.euclidean);
    add("rmse", r.rmse);
    add("rel_l2_err", r.rel_l2_err);
    add("ratio_1e3", r.ratio_1e3);
    add("ratio_5e3", r.ratio_5e3);
    add("mean_abs_err", r.mean_abs_err);
    add("max_ulp_err", r.max_ulp_err);
    add("max_ulp_err_index", r.max_ulp_err_index);
    add("mean_ulp_err", r.mean_ulp_err);
    add("differing", r.differing);
    add("first_differing_index", r.first_differing_index);
    add("zero_reference", r.zero_reference);
    to.key("nonfinite");
    if (!report) return void(to.null());
    const auto add_side = [&](std::string_view side, const nonfinite_counts& counts) {
        to.key(side)
            .open('{')
            .member("nan", counts.nan)
            .member("pos_inf", counts.pos_inf)
            .member("neg_inf", counts.neg_inf)
            .close('}');
    };
    to.open('{');
    add_side("actual", r.actual_nonfinite);
    add_side("reference", r.reference_nonfinite);
    to.member("matched", r.nonfinite_matched).member("mismatched", r.nonfinite_mismatched);
    to.member("first_mismatch_index", r.first_mismatch_index).close('}');
}

namespace detail {

inline void add_row(json_builder& to, const comparison_row& row, bool with_step) {
    const dump_entry& entry = row.entry();
    const auto name = [&](const dump_entry* side) {
        return side != nullptr ? std::optional<std::string>(side->name) : std::nullopt;
    };
    const auto type = [](const std::optional<dtype>& t) {
        return t ? std::optional<std::string_view>(name_of(*t)) : std::nullopt;
    };
    to.open('{').member("rank", row.rank);
    if (with_step) to.member("step", row.step);
    to.member("operator", entry.op).member("call", entry.call).key("direction");
    if (entry.direction.empty())
        to.null();
    else
        to.value(entry.direction);
    to.member("kind", name_of(entry.kind));
    add_slot(to, entry.slot);
    to.member("actual_name", name(row.actual)).member("reference_name", name(row.reference));
    to.member("actual_dtype", type(row.actual_type)).member("reference_dtype", type(row.reference_type)).key("shape");
    if (const auto& shape = row.reference_shape ? row.reference_shape : row.actual_shape) {
        to.open('[');
        for (const std::int64_t length : *shape) to.value(length);
        to.close(']');
    } else {
        to.null();
    }
    add_report(to, row.report);
    to.key("stats").open('{');
    add_statistics(to, "actual", row.actual_stats);
    add_statistics(to, "reference", row.reference_stats);
    to.close('}').key("checksum").open('{');
    add_checksum(to, "actual", row.actual);
    add_checksum(to, "reference", row.reference);
    to.close('}');
    to.member("verdict", name_of(row.judged.result())).member("reason", row.judged.why());
    to.key("error");
    if (row.error.empty())
        to.null();
    else
        to.value(row.error);
    to.close('}');
}

/// Rank, step and operator of a divergence or a source; call and direction where the operator's name does not tell them.
template <class Found>
void add_operator(json_builder& to, const Found& found, bool with_step) {
    to.member("rank", found.rank);
    if (with_step) to.member("step", found.step);
    to.member("operator", found.op);
    const operator_name name = parse_operator_name(found.op);
    if (!name.call) to.member("call", found.call);
    if (name.direction.empty() && !found.direction.empty()) to.member("direction", found.direction);
}

inline void add_divergence(json_builder& to, const std::optional<divergence>& found, bool with_step) {
    if (!found) return void(to.null());
    add_operator(to.open('{'), *found, with_step);
    to.member("kind", name_of(found->kind));
    add_slot(to, found->slot);
    to.member("why", found->why).close('}');
}

inline void add_steps(json_builder& to, const comparison& result) {
    to.key("per_step").open('{');
    for (std::size_t i = 0; i < result.ranks.size();) {
        const int step = result.ranks[i].step;
        to.key(std::to_string(step)).open('{');
        for (; i < result.ranks.size() && result.ranks[i].step == step; ++i)
            if (const rank_pair& rank = result.ranks[i]; rank.actual != nullptr && rank.reference != nullptr)
                add_divergence(to.key(std::to_string(rank.rank)), rank.first, true);
        to.close('}');
    }
    to.close('}');
}

} // namespace detail

/// Writes what `plumb compare --json` prints: one object, row by row, so that the text is never in memory as a whole. Rows,
/// divergences and sources say their step only if more than one was compared; then "per_step" has what "per_rank" has, step by
/// step, and "per_rank" that of each rank's earliest step.
inline void write_json(std::ostream& to, const comparison& result) {
    const bool with_step = has_several_steps(result);
    detail::json_builder json;
    json.open('{').key("rows").open('[');
    for (const comparison_row& row : result.rows) {
        json.flush(to);
        detail::add_row(json, row, with_step);
        to.put('\n');
    }
    json.close(']').key("unmatched").open('{');
    for (const bool of_actual : {true, false}) {
        json.key(of_actual ? "actual" : "reference").open('[');
        for (const comparison_row& row : result.rows)
            if (!row.matched() && (row.actual != nullptr) == of_actual) json.value(row.entry().name);
        json.close(']');
    }
    json.close('}').key("first_diverging");
    detail::add_divergence(json, result.first_diverging, with_step);
    json.key("per_rank").open('{');
    for (const auto& [rank, found] : result.per_rank) detail::add_divergence(json.key(std::to_string(rank)), found, with_step);
    json.close('}');
    if (with_step) detail::add_steps(json, result);
    json.key("sources").open('[');
    for (const divergence_source& source : result.sources) {
        detail::add_operator(json.open('{'), source, with_step);
        json.member("why", source.why).close('}');
    }
    json.close(']').key("warnings").open('[');
    for (const std::string& warning : result.warnings) json.value(warning);
    const comparison_summary& s = result.summary;
    json.close(']')
        .key("summary")
        .open('{')
        .member("rows", s.rows)
        .member("pass", s.pass)
        .member("warn", s.warn)
        .member("fail", s.fail);
    json.member("undefined", s.undefined).member("unmatched", s.unmatched).member("errors", s.errors).close('}').close('}');
    json.flush(to);
    to.put('\n');
}

} // namespace plumb
