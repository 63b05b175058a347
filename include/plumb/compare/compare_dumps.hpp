/// \file
/// compare(): two dumps in, all their differences out.
#pragma once

#include <plumb/compare/compare_entries.hpp>
#include <plumb/compare/comparison.hpp>
#include <plumb/compare/divergence.hpp>
#include <plumb/compare/pairing.hpp>
#include <plumb/compare/row.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/dump/read_dump.hpp> // where what it compares comes from
#include <plumb/verdict.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace plumb {

/// How to compare two dumps.
struct compare_options {
    rule judge = rules::ptdbg();
    name_map names;    ///< actual name to reference name, where they differ
    unsigned jobs = 0; ///< threads; 0 for as many as the machine has. Never changes a result
    bool with_statistics =
        false; ///< compute max, min, mean and norm of data whose index has none (the seed tools' tables want them)
    std::function<void(std::size_t done, std::size_t total)> progress; ///< called after each row, by one thread at a time
};

namespace detail {

/// Calls a worker with 0 to count - 1, each once, on `jobs` threads that each have a worker of their own, from make_worker(). The
/// first exception ends the work and is thrown again here.
template <class MakeWorker>
void for_each_index(std::size_t count, unsigned jobs, const MakeWorker& make_worker) {
    if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
    std::atomic<std::size_t> next{0};
    std::exception_ptr problem;
    std::mutex problem_lock;
    const auto run = [&] {
        try {
            auto worker = make_worker();
            for (std::size_t i; (i = next.fetch_add(1)) < count;) worker(i);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(problem_lock);
            if (!problem) problem = std::current_exception();
            next = count;
        }
    };
    std::vector<std::thread> helpers;
    try {
        while (helpers.size() + 1 < std::min<std::size_t>(jobs, count)) helpers.emplace_back(run);
    } catch (const std::system_error&) {
        // No more threads to be had: fewer do the same work.
    }
    run();
    for (std::thread& helper : helpers) helper.join();
    if (problem) std::rethrow_exception(problem);
}

/// Pairs the ranks of two dumps by step and number. Where not one number is common (ptdbg_ascend names ranks after process ids
/// when it runs on a CPU; a step may be counted from elsewhere) they are paired in order, with a warning.
inline std::vector<rank_pair> pair_ranks(const dump& actual, const dump& reference, std::vector<std::string>& warnings) {
    const auto numbers = [](const dump& d, auto number) {
        std::vector<int> all;
        for (const rank_dump& rank : d.ranks) all.push_back(number(rank));
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    };
    // What the reference calls an actual step or rank.
    const auto renumber = [&](const std::string& what, const std::vector<int>& a, const std::vector<int>& b) {
        std::map<int, int> to;
        const bool disjoint = std::none_of(a.begin(), a.end(), [&](int n) { return std::binary_search(b.begin(), b.end(), n); });
        const bool in_order = disjoint && a.size() == b.size();
        for (std::size_t i = 0; i < a.size(); ++i) {
            to[a[i]] = in_order ? b[i] : a[i];
            if (in_order)
                warnings.push_back(what + ' ' + std::to_string(a[i]) + " is compared with the reference's " + what + ' ' +
                                   std::to_string(b[i]));
        }
        return to;
    };
    const auto step_of = [](const rank_dump& r) { return r.step; };
    const auto rank_of = [](const rank_dump& r) { return r.rank; };
    const auto steps = renumber("step", numbers(actual, step_of), numbers(reference, step_of));
    const auto ranks = renumber("rank", numbers(actual, rank_of), numbers(reference, rank_of));

    std::map<std::pair<int, int>, rank_pair> pairs; // by step and rank
    const auto place = [&](int step, int rank) -> rank_pair& {
        rank_pair& pair = pairs[{step, rank}];
        pair.step = step;
        pair.rank = rank;
        return pair;
    };
    for (const rank_dump& rank : reference.ranks) place(rank.step, rank.rank).reference = &rank;
    for (const rank_dump& rank : actual.ranks) place(steps.at(rank.step), ranks.at(rank.rank)).actual = &rank;

    std::vector<rank_pair> all;
    for (const auto& [number, pair] : pairs) {
        if (pair.actual == nullptr || pair.reference == nullptr)
            warnings.push_back("rank " + std::to_string(pair.rank) + " of step " + std::to_string(pair.step) + " is in the " +
                               (pair.actual != nullptr ? "actual dump" : "reference") + " alone");
        all.push_back(pair);
    }
    return all;
}

inline void summarize_rows(comparison& result) {
    comparison_summary& s = result.summary;
    std::size_t of_actual = 0, of_reference = 0;
    for (const comparison_row& row : result.rows) {
        ++s.rows;
        switch (row.judged.result()) {
        case outcome::pass: ++s.pass; break;
        case outcome::warn: ++s.warn; break;
        case outcome::fail: ++s.fail; break;
        case outcome::undefined: ++s.undefined; break;
        }
        if (!row.error.empty()) ++s.errors;
        if (row.reference == nullptr) ++of_actual;
        if (row.actual == nullptr) ++of_reference;
    }
    s.unmatched = of_actual + of_reference;
    const auto tell = [&](std::size_t count, const std::string& whose) {
        if (count > 0)
            result.warnings.push_back(std::to_string(count) + (count == 1 ? " entry of the " : " entries of the ") + whose +
                                      (count == 1 ? " has" : " have") + " no partner");
    };
    tell(of_actual, "actual dump");
    tell(of_reference, "reference");
}

} // namespace detail

/// Compares what two runs recorded: pairs ranks, operators and tensors, measures and judges each pair, and finds where the runs
/// begin to differ. Files that can't be read become rows with an error. Holds one pair of tensors per thread in memory,
/// of mapped files no more than what the system keeps. The result does not depend on the number of threads. Names of
/// `options.names` that match nothing are warned of; throws std::invalid_argument if two of them claim the same reference.
inline comparison compare(dump actual, dump reference, const compare_options& options = {}) {
    comparison result;
    for (const auto& [name, side] : {std::pair("actual", &actual), std::pair("reference", &reference)})
        for (const std::string& warning : side->warnings) result.warnings.push_back(std::string(name) + ": " + warning);
    result.actual = std::make_shared<const dump>(std::move(actual));
    result.reference = std::make_shared<const dump>(std::move(reference));
    result.ranks = detail::pair_ranks(*result.actual, *result.reference, result.warnings);

    std::vector<entry_pair> pairs;
    std::vector<const rank_pair*> rank_of_pair;
    const rank_dump nothing;
    names_found found;
    for (rank_pair& rank : result.ranks) {
        const auto of_rank = pair_entries(rank.actual != nullptr ? *rank.actual : nothing,
                                          rank.reference != nullptr ? *rank.reference : nothing, options.names, &found);
        rank.first_row = pairs.size();
        pairs.insert(pairs.end(), of_rank.begin(), of_rank.end());
        rank.last_row = pairs.size();
        rank_of_pair.resize(pairs.size(), &rank);
    }

    for (const auto& [actual_name, reference_name] : options.names) {
        if (found.actual.count(actual_name) == 0)
            result.warnings.push_back("the map of names: the actual dump has no " + actual_name);
        else if (found.reference.count(actual_name) == 0)
            result.warnings.push_back("the map of names: the reference has no " + reference_name + " for " + actual_name);
    }

    result.rows.resize(pairs.size());
    std::mutex progress_lock;
    std::size_t done = 0;
    detail::for_each_index(pairs.size(), options.jobs, [&] {
        return [&, compare_pair = entry_comparer(options.judge, options.with_statistics)](std::size_t i) mutable {
            comparison_row row = compare_pair(pairs[i]);
            row.rank = rank_of_pair[i]->rank;
            row.step = rank_of_pair[i]->step;
            result.rows[i] = std::move(row);
            if (!options.progress) return;
            const std::lock_guard<std::mutex> lock(progress_lock);
            options.progress(++done, pairs.size());
        };
    });

    detail::summarize_rows(result);
    find_divergences(result);
    return result;
}

} // namespace plumb
