/// \file
/// Statistics and stack of one operator, as ptdbg_ascend's `parse` prints them.
#pragma once

#include <plumb/compare/compare_entries.hpp>
#include <plumb/compare/number_text.hpp>
#include <plumb/compare/statistics_rules.hpp>
#include <plumb/dump/load.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/metrics/tensor_statistics.hpp>

#include <cstddef>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace plumb {

/// True if `name` begins with `prefix` and a field ends there: "Functional_linear_1" stands before "_forward_output" and
/// "Functional.linear.1" before ".forward", but neither before "0" (linear number 10). An empty prefix begins every name.
inline bool has_name_prefix(std::string_view name, std::string_view prefix) noexcept {
    const auto is_separator = [](char c) { return c == '_' || c == '.'; };
    if (name.substr(0, prefix.size()) != prefix) return false;
    return prefix.empty() || name.size() == prefix.size() || is_separator(name[prefix.size()]) || is_separator(prefix.back());
}

namespace detail {

/// A recorded statistic as Python prints it. `whole`: of a Python integer.
inline std::string python_text(const recorded_number& number, bool whole, std::string_view nothing) {
    if (const bool* flag = std::get_if<bool>(&number)) return *flag ? "True" : "False";
    if (const std::string* word = std::get_if<std::string>(&number)) return *word;
    if (const double* value = std::get_if<double>(&number)) {
        if (!whole || !is_finite_value(*value)) return python_repr(*value);
        return to_fixed_text(*value, 0);
    }
    return std::string(nothing);
}

inline std::string statistics_line(const dump_entry& entry, dump_layout layout) {
    std::string line = "  [" + entry.name + "]";
    if (!entry.text.empty()) return line + "[value: " + entry.text + "]";
    recorded_statistics stats = entry.stats.value_or(recorded_statistics{});
    std::string problem;
    if (!entry.stats && has_data(entry)) {
        try {
            const tensor data = load(entry);
            const tensor_report report = summarize(data.view());
            stats = seed_statistics(report);
            if (data.type() == dtype::boolean && report.count > 0) stats = {report.max != 0, report.min != 0, {}, {}};
        } catch (const std::exception& unreadable) {
            problem = unreadable.what();
        }
    }
    const bool whole =
        entry.type_name == "<class 'int'>" || (entry.value && entry.file.empty() && entry.value->type() == dtype::i64);
    const std::string_view nothing = layout == dump_layout::ptdbg ? "[]" : "None";
    line += "[dtype: " + entry.type_name + "][shape: " + (entry.shape ? to_string(*entry.shape) : "[]") + "]";
    line += "[max: " + python_text(stats.max, whole, nothing) + "]";
    line += "[min: " + python_text(stats.min, whole, nothing) + "]";
    line += "[mean: " + python_text(stats.mean, whole, nothing) + "]";
    return problem.empty() ? line : line + "[" + problem + "]";
}

} // namespace detail

/// What ptdbg_ascend's parse(index, prefix) prints of the entries whose names have this prefix (see has_name_prefix), line by
/// line: statistics of each tensor, then the operator's stack, outermost frame first. For an index of any layout; where it has no
/// statistics, those of the data are computed, NaN and infinities going into each. Arguments that were not given are left out.
/// Nothing if no name has the prefix.
inline std::vector<std::string> parse_lines(const rank_dump& rank, std::string_view prefix) {
    std::vector<std::string> lines;
    std::set<std::string> printed;
    const auto add_stack = [&](const std::string& op) {
        const auto stack = rank.stacks.find(op);
        const std::string name = rank.layout == dump_layout::ptdbg ? op + "_stack_info" : op;
        if (stack == rank.stacks.end() || !has_name_prefix(name, prefix) || !printed.insert(op).second) return;
        lines.push_back("");
        lines.push_back("Trace back(" + name + "):");
        for (std::size_t i = stack->second.size(); i-- > 0;) {
            const stack_frame& frame = stack->second[i];
            const bool is_frame = !frame.file.empty() || !frame.line.empty();
            if (is_frame) lines.push_back("  File \"" + frame.file + "\", line " + frame.line + ", in " + frame.function);
            lines.push_back("    " + frame.code);
        }
    };

    std::unordered_map<std::string, const dump_entry*> last_of; // an operator's stack follows its last tensor
    for (const dump_entry& entry : rank.entries) last_of[entry.op] = &entry;
    bool any_statistics = false;
    for (const dump_entry& entry : rank.entries) {
        if (has_name_prefix(entry.name, prefix) && !detail::is_absent(entry)) {
            if (!any_statistics) lines.insert(lines.end(), {"", "Statistic Info:"});
            any_statistics = true;
            lines.push_back(detail::statistics_line(entry, rank.layout));
        }
        if (last_of[entry.op] == &entry) add_stack(entry.op);
    }
    for (const auto& each : rank.stacks) // of operators without tensors
        if (last_of.count(each.first) == 0) add_stack(each.first);
    return lines;
}

} // namespace plumb
