/// \file
/// Which operators of a dump overflow, and which of them is the source.
#pragma once

#include <plumb/compare/compare_dumps.hpp>
#include <plumb/compare/overflow_probe.hpp>
#include <plumb/compare/overflow_report.hpp>
#include <plumb/compare/overflow_search.hpp>
#include <plumb/dump/load.hpp>
#include <plumb/dump/model.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

/// Finds the operators of a dump with NaN or infinities in their outputs, and where these come from.
///
/// A source has finite inputs and such an output. Where an operator's inputs are bad already, it inherits: from the source before
/// it, or, if nothing before it overflows, from outside. Infinities that a constant writer wrote, or that are an argument in the
/// code (masked_fill(mask, -inf)), are no overflow, nor is what carries them on; making NaN of them is. An operator that
/// exchanges data with other ranks inherits if any of these has a source. Of nested module calls the innermost is named.
///
/// Tensors are judged by their elements where data were recorded and can be read, else by max and min; never by a norm, which
/// may overflow in its own type.
inline overflow_report find_overflow(dump recorded, const overflow_options& options = {}) {
    overflow_report report;
    report.warnings = recorded.warnings;
    report.recorded = std::make_shared<const dump>(std::move(recorded));

    std::vector<const dump_entry*> entries;
    for (const rank_dump& rank : report.recorded->ranks)
        for (const dump_entry& entry : rank.entries) entries.push_back(&entry);
    std::vector<overflow_probe> probes(entries.size());
    std::mutex progress_lock;
    std::size_t done = 0;
    detail::for_each_index(entries.size(), options.jobs, [&] {
        return [&, loader = entry_loader()](std::size_t i) mutable {
            probes[i] = probe_overflow(*entries[i], loader);
            if (!options.progress) return;
            const std::lock_guard<std::mutex> lock(progress_lock);
            options.progress(++done, entries.size());
        };
    });
    detail::overflow_search::probes found;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        report.judged += probes[i].known;
        report.unjudged += probes[i].is_tensor && !probes[i].known;
        if (!probes[i].problem.empty()) report.warnings.push_back(probes[i].problem);
        found.emplace(entries[i], std::move(probes[i]));
    }

    std::vector<detail::overflow_search> searches;
    searches.reserve(report.recorded->ranks.size());
    for (const rank_dump& rank : report.recorded->ranks) searches.emplace_back(rank, found, options).run();
    std::vector<bool> is_source;
    for (const auto& search : searches) is_source.push_back(search.has_source());

    std::set<std::string> named;
    for (std::size_t i = 0; i < searches.size(); ++i) {
        const rank_dump& rank = report.recorded->ranks[i];
        bool another = false;
        for (std::size_t k = 0; k < searches.size(); ++k)
            another = another || (k != i && is_source[k] && report.recorded->ranks[k].step == rank.step);
        searches[i].settle(another || is_source[i]);
        auto& sources = searches[i].sources();
        report.sources.insert(report.sources.end(), sources.begin(), sources.end());
        for (const recorded_call& call : searches[i].calls())
            if (searches[i].role_of(*call.entries.front()) == overflow_role::inherited && named.insert(call.op).second)
                report.inherited.push_back(call.op);
        for (const dump_entry& entry : rank.entries) {
            const overflow_probe& probe = found.at(&entry);
            if (!is_literal(entry) && (probe.overflows(true)))
                report.rows.push_back({rank.rank, rank.step, &entry, probe, searches[i].role_of(entry)});
        }
    }
    if (!report.sources.empty()) report.source = report.sources.front();
    return report;
}

} // namespace plumb
