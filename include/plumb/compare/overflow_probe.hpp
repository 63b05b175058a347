/// \file
/// Does one recorded tensor hold NaN, infinities, or values at the end of its type's range?
#pragma once

#include <plumb/compare/number_text.hpp>
#include <plumb/compare/statistics_rules.hpp>
#include <plumb/dump/load.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/guard/find_nonfinite.hpp>
#include <plumb/metrics/tensor_statistics.hpp>
#include <plumb/types/float_format.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace plumb {

/// What is known of one recorded tensor.
struct overflow_probe {
    bool is_tensor = false; ///< there is something to judge: not an absent argument, a text or an integer
    bool known = false;     ///< and it could be judged, by its elements or its max and min
    bool from_data = false;
    bool nan = false, pos_inf = false, neg_inf = false;
    bool at_limit = false;                   ///< some value is the type's largest finite magnitude
    std::optional<tensor_report> statistics; ///< of its elements, if these were read
    std::optional<std::uint64_t> index;      ///< of the first NaN or infinity, else of the first saturated element
    std::string problem;                     ///< why its data could not be read

    /// True if it holds NaN or infinities, or saturated values where these count.
    bool overflows(bool saturation) const noexcept { return nan || pos_inf || neg_inf || (saturation && at_limit); }
    /// "1 NaN, 7 -inf of 48, first at 40": of the elements.
    std::string text() const;
};

/// True for a number that is an argument in the code, not a tensor: a Python scalar.
inline bool is_literal(const dump_entry& entry) {
    const bool held_by_index = entry.value && entry.file.empty() && (!entry.shape || entry.shape->empty());
    return held_by_index || entry.type_name.compare(0, 7, "<class ") == 0;
}

namespace detail {

inline void probe_data(overflow_probe& probe, const tensor_view& tensor) {
    const tensor_report& r = probe.statistics.emplace(summarize(tensor));
    probe.known = probe.from_data = true;
    probe.nan = r.nonfinite.nan > 0;
    probe.pos_inf = r.nonfinite.pos_inf > 0;
    probe.neg_inf = r.nonfinite.neg_inf > 0;
    probe.at_limit = r.saturated > 0;
    probe.index = r.first_nonfinite_index;
    if (!probe.index && probe.at_limit) probe.index = find_saturated(tensor).first;
}

/// The largest finite number of a floating type; nothing for the others.
inline std::optional<double> largest_of(std::optional<dtype> type) {
    if (!type) return std::nullopt;
    switch (*type) {
    case dtype::f8_e4m3fn: return 448.0;
    case dtype::f8_e5m2: return 57344.0;
    case dtype::f16: return 65504.0;
    case dtype::bf16: return 0x1.fep127;
    case dtype::f32: return 0x1.fffffep127;
    default: return std::nullopt; // the tools record statistics as float32 at best
    }
}

inline void probe_statistics(overflow_probe& probe, const dump_entry& entry) {
    for (const auto& bound : {number_of(entry.stats->max), number_of(entry.stats->min)}) {
        if (!bound) continue;
        probe.known = true;
        const number_kind kind = kind_of(*bound);
        if (kind == number_kind::nan)
            probe.nan = true;
        else if (kind != number_kind::finite)
            (has_minus_sign(*bound) ? probe.neg_inf : probe.pos_inf) = true;
        else if (const auto largest = largest_of(entry.type); largest && (*bound == *largest || *bound == -*largest))
            probe.at_limit = true;
    }
}

} // namespace detail

/// Looks at a recorded tensor: at its elements if they were recorded and can be read, else at its max and min. Never at its norm:
/// that may overflow though no element does.
inline overflow_probe probe_overflow(const dump_entry& entry, entry_loader& loader) {
    overflow_probe probe;
    probe.is_tensor = entry.value || !entry.file.empty() || entry.stats || entry.shape;
    if (entry.value || !entry.file.empty()) {
        try {
            detail::probe_data(probe, loader(entry).view());
            return probe;
        } catch (const std::exception& problem) {
            probe.problem = problem.what();
        }
    }
    if (entry.stats) detail::probe_statistics(probe, entry);
    // No maximum and minimum: a tensor without elements has none, and integers hold neither NaN nor infinities.
    const bool empty = entry.shape && element_count(*entry.shape) == 0;
    if (!probe.known && probe.problem.empty() && (empty || (entry.type && !is_floating(*entry.type)))) probe.known = true;
    return probe;
}

inline std::string overflow_probe::text() const {
    std::string found;
    const auto add = [&](const std::string& what) { found += (found.empty() ? "" : ", ") + what; };
    if (statistics) {
        const auto& [nans, pos_infs, neg_infs] = statistics->nonfinite;
        if (nans > 0) add(std::to_string(nans) + " NaN");
        if (pos_infs > 0) add(std::to_string(pos_infs) + " +inf");
        if (neg_infs > 0) add(std::to_string(neg_infs) + " -inf");
        if (statistics->saturated > 0) add(std::to_string(statistics->saturated) + " saturated");
        found += " of " + std::to_string(statistics->count);
        return index ? found + ", first at " + std::to_string(*index) : found;
    }
    if (nan) add("NaN");
    if (pos_inf) add("+inf");
    if (neg_inf) add("-inf");
    if (at_limit) add("saturated values");
    return found + " by max and min";
}

} // namespace plumb
