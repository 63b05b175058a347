#include "compare_text.hpp"

#include "console.hpp"
#include "table.hpp"

#include <plumb/compare/evidence_text.hpp>
#include <plumb/compare/number_text.hpp>
#include <plumb/compare/rank_agreement.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using plumb::comparison;
using plumb::comparison_row;
using plumb::outcome;

/// The first line of a part, after an empty one.
std::string heading(std::string_view text) { return '\n' + console::in(console::look::bold, text) + '\n'; }

/// "rank 3", "ranks 0-3, 7", with the step where there are several.
std::string ranks_text(const comparison& result, int step, const std::vector<int>& ranks) {
    std::string list;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        list += (list.empty() ? "" : ", ") + std::to_string(ranks[i]) + (last > i ? "-" + std::to_string(ranks[last]) : "");
        i = last + 1;
    }
    return (has_several_steps(result) ? "step " + std::to_string(step) + " " : "") + (ranks.size() == 1 ? "rank " : "ranks ") +
           list;
}

std::string summary_text(const comparison& result) {
    const plumb::comparison_summary& s = result.summary;
    const auto part = [](std::size_t count, const char* what, console::look style) {
        return ", " + console::in(count == 0 ? console::look::dim : style, std::to_string(count) + ' ' + what);
    };
    std::string text = console::in(console::look::bold, std::to_string(s.rows) + (s.rows == 1 ? " tensor" : " tensors"));
    if (result.ranks.size() > 1)
        text += " of " + std::to_string(result.ranks.size()) + (has_several_steps(result) ? " ranks and steps" : " ranks");
    text += ": " + console::in(s.pass == 0 ? console::look::dim : console::look::good, std::to_string(s.pass) + " pass");
    text += part(s.warn, "warn", console::look::doubtful) + part(s.fail, "fail", console::look::bad) +
            part(s.undefined, "undefined", console::look::doubtful);
    if (s.unmatched > 0) text += console::in(console::look::doubtful, " (" + std::to_string(s.unmatched) + " without a partner)");
    if (s.errors > 0) text += console::in(console::look::bad, " (" + std::to_string(s.errors) + " unreadable)");
    return text + '\n';
}

/// What a rank begins to differ by; ranks that do so in the same way are told together.
struct rank_group {
    int step = 0;
    std::vector<int> ranks;
    const plumb::divergence* first = nullptr;
    plumb::rank_agreement agreed; ///< of the first of them
    std::string none;             ///< what stands in the place of an operator
};

std::string no_operator_text(const plumb::rank_agreement& agreed) {
    if (agreed.different > 0) return "none can be named";
    if (const std::string doubt = plumb::doubt_of(agreed); !doubt.empty()) return "none: " + doubt;
    return agreed.identical() ? "none: identical" : "none: checksums agree";
}

std::vector<rank_group> group_ranks(const comparison& result) {
    std::vector<rank_group> groups;
    for (const plumb::rank_pair& rank : result.ranks) {
        if (rank.actual == nullptr || rank.reference == nullptr) continue;
        const plumb::divergence* first = rank.first ? &*rank.first : nullptr;
        const plumb::rank_agreement agreed = count_agreement(result, rank);
        const std::string none = first == nullptr ? no_operator_text(agreed) : std::string();
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const rank_group& group) {
            if (group.step != rank.step || (group.first == nullptr) != (first == nullptr)) return false;
            if (first == nullptr) return group.none == none;
            return std::tie(group.first->title, group.first->kind, group.first->slot) ==
                   std::tie(first->title, first->kind, first->slot);
        });
        rank_group& group = same != groups.end() ? *same : groups.emplace_back();
        group.step = rank.step;
        group.ranks.push_back(rank.rank);
        if (group.first == nullptr) group.first = first;
        group.agreed = agreed;
        group.none = none;
    }
    return groups;
}

std::string divergence_text(const comparison& result) {
    std::string text = heading("first diverging operator");
    for (const rank_group& group : group_ranks(result)) {
        text += "  ";
        if (result.ranks.size() > 1) text += console::in(console::look::dim, ranks_text(result, group.step, group.ranks)) + "  ";
        if (group.first == nullptr) {
            text += (group.agreed.identical() ? console::in(console::look::good, group.none) : group.none) + '\n';
            continue;
        }
        const plumb::divergence& first = *group.first;
        const bool outside = first.kind == plumb::tensor_kind::input || first.kind == plumb::tensor_kind::parameter;
        text += console::in(console::look::bad, console::shown(first.title)) + "  " + std::string(name_of(first.kind)) + ' ' +
                console::shown(first.slot) + (outside ? "  (it comes from outside)" : "") + '\n';
        text += console::wrapped(console::shown(first.why), 4);
    }
    return text;
}

std::string sources_text(const comparison& result) {
    constexpr std::size_t most = 8;
    std::vector<std::pair<const plumb::divergence_source*, std::vector<int>>> others; // of one step and name, with their ranks
    for (const plumb::divergence_source& source : result.sources) {
        const bool is_first = std::any_of(result.ranks.begin(), result.ranks.end(), [&](const plumb::rank_pair& rank) {
            return rank.first && rank.rank == source.rank && rank.step == source.step && rank.first->title == source.title;
        });
        if (is_first) continue;
        const auto same = std::find_if(others.begin(), others.end(), [&](const auto& other) {
            return other.first->title == source.title && other.first->step == source.step;
        });
        if (same == others.end())
            others.push_back({&source, {source.rank}});
        else
            same->second.push_back(source.rank);
    }
    if (others.empty()) return {};
    std::string text = heading("sources beside it");
    for (std::size_t i = 0; i < std::min(most, others.size()); ++i) {
        const auto& [source, ranks] = others[i];
        text += "  ";
        if (result.ranks.size() > 1) text += console::in(console::look::dim, ranks_text(result, source->step, ranks)) + "  ";
        text += console::in(console::look::doubtful, console::shown(source->title)) + '\n' +
                console::wrapped(console::shown(source->why), 4);
    }
    if (others.size() > most) text += "  and " + std::to_string(others.size() - most) + " more (--json has all)\n";
    return text;
}

/// How bad a row is: greater is worse. Rows that only differ come after those that were judged.
std::tuple<int, double> badness(const comparison_row& row) {
    const int verdict = row.judged.result() == outcome::fail        ? 4
                        : !row.error.empty()                        ? 3
                        : row.judged.result() == outcome::undefined ? 2
                        : row.judged.result() == outcome::warn      ? 1
                                                                    : 0;
    if (!row.report) return {verdict, 0};
    constexpr double most = std::numeric_limits<double>::max();
    const double error = row.report->rel_l2_err;
    return {verdict, row.report->nonfinite_mismatched > 0 || !plumb::detail::is_finite_value(error) ? most : error};
}

std::string type_text(const comparison_row& row) {
    const auto name = [](const std::optional<plumb::dtype>& type) {
        return type ? std::string(name_of(*type)) : std::string("?");
    };
    const std::string actual = name(row.actual_type), reference = name(row.reference_type);
    return actual == reference ? actual : actual + "/" + reference;
}

std::vector<const comparison_row*> worst_rows(const comparison& result, std::size_t most) {
    std::vector<const comparison_row*> rows;
    for (const comparison_row& row : result.rows)
        if (row.matched() && (row.judged.result() != outcome::pass || row.agrees == plumb::agreement::different))
            rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return badness(*a) > badness(*b); });
    if (rows.size() > most) rows.resize(most);
    return rows;
}

/// The cells of a measured row after verdict and name.
void add_numbers(std::vector<table::cell>& cells, const plumb::pair_report& r) {
    const auto number = [](double value, int digits) { return table::cell{plumb::to_text(value, digits)}; };
    cells.push_back(r.cosine_defined ? number(r.cosine, 8) : table::cell{"undefined", console::look::dim});
    cells.push_back(r.nonfinite_mismatched > 0
                        ? table::cell{std::to_string(r.nonfinite_mismatched) + " NaN/Inf", console::look::bad}
                        : number(r.max_abs_err, 4));
    cells.push_back(number(r.max_rel_err, 4));
    cells.push_back(number(r.rel_l2_err, 4));
}

std::string rows_text(const comparison& result, std::size_t most) {
    const auto rows = worst_rows(result, most);
    if (rows.empty()) return {};
    const bool many = result.ranks.size() > 1, steps = has_several_steps(result);
    const std::string type = type_text(*rows.front());
    const bool mixed = std::any_of(rows.begin(), rows.end(), [&](const auto* row) { return type_text(*row) != type; });

    constexpr auto right = table::align::right;
    std::vector<table::column> first{{"verdict"}, {"tensor", table::align::left, true}};
    if (many) first.insert(first.begin(), {steps ? "step:rank" : "rank", right});
    auto measured_columns = first, other_columns = first;
    if (mixed) measured_columns.push_back({"dtype"});
    for (const char* title : {"cosine", "max_abs", "max_rel", "rel_l2"}) measured_columns.push_back({title, right});
    other_columns.push_back({"reason"});
    table measured(measured_columns), other(other_columns);

    for (const comparison_row* row : rows) {
        std::vector<table::cell> cells;
        if (many) cells.push_back({(steps ? std::to_string(row->step) + ":" : "") + std::to_string(row->rank)});
        const outcome judged = row->judged.result();
        cells.push_back({std::string(name_of(judged)), console::look_of(judged)});
        cells.push_back({console::shown(row->entry().name)});
        if (row->report) {
            if (mixed) cells.push_back({type_text(*row)});
            add_numbers(cells, *row->report);
            measured.add(std::move(cells));
        } else {
            cells.push_back({console::shown(row->judged.why().empty() ? plumb::difference_text(*row) : row->judged.why())});
            other.add(std::move(cells));
        }
    }
    const char* const title = rows.size() > 1    ? "worst rows"
                              : measured.empty() ? "the row that could not be compared"
                                                 : "the row that differs";
    const bool typed = !mixed && !measured.empty();
    std::string text = heading(title + (typed ? (rows.size() > 1 ? ", all " : ", ") + type : std::string()));
    if (!measured.empty()) text += measured.text();
    if (!other.empty()) text += other.text();
    return text;
}

std::string unmatched_text(const comparison& result) {
    constexpr std::size_t most = 5;
    std::string text;
    for (const bool of_actual : {true, false}) {
        std::size_t count = 0;
        std::string names;
        for (const comparison_row& row : result.rows)
            if (!row.matched() && (row.actual != nullptr) == of_actual && ++count <= most)
                names += "  " + console::shown(row.entry().name) + '\n';
        if (count == 0) continue;
        text += heading(std::string(of_actual ? "only in the actual dump" : "only in the reference") + " (" +
                        std::to_string(count) + ")") +
                names;
        if (count > most) text += "  and " + std::to_string(count - most) + " more (--json and the CSV table have all)\n";
    }
    return text;
}

} // namespace

std::string comparison_text(const comparison& result, std::size_t worst) {
    return summary_text(result) + divergence_text(result) + sources_text(result) + rows_text(result, worst) +
           unmatched_text(result);
}
