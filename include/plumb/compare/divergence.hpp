/// \file
/// Finds the first diverging operator of each rank, and all operators that are sources of a difference.
#pragma once

#include <plumb/compare/call_evidence.hpp>
#include <plumb/compare/comparison.hpp>
#include <plumb/compare/evidence_text.hpp>
#include <plumb/compare/producer.hpp>
#include <plumb/compare/rank_agreement.hpp>
#include <plumb/compare/rounding_noise.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumb {

/// What one rank's rows tell about where its differences begin.
struct rank_divergence {
    std::optional<divergence> first;
    std::vector<divergence_source> sources; ///< in call order
    std::vector<std::string> warnings;
};

namespace detail {

/// Finds what rank_divergence holds; one object per rank.
class divergence_finder {
public:
    /// `explained_elsewhere`: calls that exchange data with ranks whose inputs differ; `others_differ`: any other rank does;
    /// `with_steps`: there are several.
    divergence_finder(const rank_pair& rank, const call_history& history, const std::set<std::string>& explained_elsewhere,
                      bool others_differ, bool with_steps)
        : rank_(rank), history_(history), explained_elsewhere_(explained_elsewhere), others_differ_(others_differ),
          with_steps_(with_steps) {}

    rank_divergence find() {
        const event first = first_event();
        if (first.call == nullptr && inherited_from_ == nullptr) return std::move(result_);
        steps_ = error_steps(history_);
        for (const error_step& step : steps_) step_of_.emplace(step.call, &step);

        const bool from_outside = first.input != nullptr;
        const bool noise_everywhere = from_outside && all_inputs_differ_a_little(*first.input);
        for (const call_evidence* call : history_.calls()) add_if_source(*call, first, !from_outside || noise_everywhere);

        if (from_outside && !noise_everywhere) {
            name_input(first);
            mention_steps();
        } else if (!found_.empty()) {
            const auto& [call, row, why] = found_.front();
            result_.first = divergence_at(*call, *row, why);
        } else if (noise_everywhere) {
            name_largest_steps();
        }
        if (inherited_from_ != nullptr && !result_.first)
            warn("has no divergence of its own: " + inherited_from_->title + " brings in what differs on another rank");
        return std::move(result_);
    }

    static std::string peer_key(const call_evidence& call) {
        return call.name.base + ' ' + call.direction + ' ' + std::to_string(call.call);
    }

private:
    struct event {
        const call_evidence* call = nullptr;
        const comparison_row* input = nullptr; ///< set if the difference came in by an input
    };
    struct finding {
        const call_evidence* call;
        const comparison_row* row;
        std::string why;
    };

    divergence divergence_at(const call_evidence& call, const comparison_row& row, std::string why) const {
        const dump_entry& entry = row.entry();
        return {rank_.rank,    rank_.step, call.op,    call.direction,
                call.call,     call.title, entry.kind, entry.slot.empty() ? "0" : entry.slot,
                std::move(why)};
    }
    void warn(const std::string& text) {
        result_.warnings.push_back("rank " + std::to_string(rank_.rank) +
                                   (with_steps_ ? " step " + std::to_string(rank_.step) : "") + ": " + text);
    }

    bool comes_from_another_rank(const call_evidence& call) const {
        if (!talks_to_other_ranks(call.name)) return false;
        const bool receives = call.name.function.find("recv") != std::string::npos;
        return explained_elsewhere_.count(peer_key(call)) != 0 || (receives && others_differ_);
    }

    /// The first call with a difference that nothing before it explains. Until there everything agrees, so a differing input
    /// has been produced by no recorded operator.
    event first_event() {
        for (const call_evidence* call : history_.calls()) {
            if (call->encloses_a_difference) continue;
            if (const comparison_row* input = call->differing_input())
                return inherited_from_ == nullptr ? event{call, input} : event{};
            if (!call->outputs_differ() || leaves_memory_unset(call->name)) continue;
            if (!comes_from_another_rank(*call)) return {call, nullptr};
            inherited_from_ = call;
        }
        return {};
    }

    void add_if_source(const call_evidence& call, const event& first, bool noise_counts) {
        if (call.encloses_a_difference || leaves_memory_unset(call.name) || comes_from_another_rank(call)) return;
        const auto step = step_of_.find(&call);
        finding found{&call, call.differing_output(), {}};
        if (call.is_certain_source()) {
            found.why = why_certain(call);
        } else if (call.is_nonfinite_source()) {
            found.why = why_nonfinite(call);
        } else if (call.recorded_inputs_agree() || (&call == first.call && first.input == nullptr)) {
            found.why = why_suspected(call);
        } else if (draws_differently(call)) {
            found.why = "it draws random numbers and was called differently: " + argument_text(*call.differing_input());
        } else if (noise_counts && step != step_of_.end() && step->second->stands_out) {
            found.row = step->second->output;
            found.why = why_it_stands_out(*step->second);
        } else {
            return;
        }
        result_.sources.push_back({rank_.rank, rank_.step, call.op, call.direction, call.call, call.title, found.why});
        found_.push_back(std::move(found));
    }

    /// A random operator whose tensors agree and whose plain arguments (the probability, the training mode) do not.
    static bool draws_differently(const call_evidence& call) {
        if (!draws_random_numbers(call.name) || !call.outputs_differ() || call.inputs_missing()) return false;
        return std::all_of(call.inputs.begin(), call.inputs.end(), [](const comparison_row* row) {
            return row->agrees != agreement::different || is_argument(row->entry());
        });
    }
    static std::string argument_text(const comparison_row& row) {
        return slot_text(row.entry()) + " differs: " + difference_text(row);
    }

    void name_input(const event& first) {
        const comparison_row& row = *first.input;
        std::string why = argument_text(row) + "; ";
        if (is_argument(row.entry())) {
            why += "the two runs call it with different arguments";
        } else if (const call_evidence* producer = find_producer(history_, *first.call, *row.reference)) {
            const bool compared = std::all_of(producer->outputs.begin(), producer->outputs.end(),
                                              [](const comparison_row* output) { return output->agrees != agreement::unknown; });
            why += "in the reference " + producer->title + " produced it, ";
            why += compared ? "whose outputs agree: something that is not recorded changed it in between"
                            : "whose own outputs could not be compared, so the difference may be its";
        } else if (first.call->is_backward()) {
            why += "no recorded operator produced it: the gradient comes from a step that the dump does not show, after "
                   "operators that agree";
        } else {
            why += "no operator of the dump produced it, so the divergence came from outside (the model's input, a weight, an "
                   "operator "
                   "that is not recorded)";
        }
        result_.first = divergence_at(*first.call, row, std::move(why));
    }

    /// Rounding everywhere rather than one wrong tensor: the difference is of the size of the types' rounding, or it is small and
    /// what comes later grows beyond it; and hardly a tensor of floating-point numbers is equal.
    bool all_inputs_differ_a_little(const comparison_row& first) const {
        const auto d = distance_of(first);
        if (!d || d->count < 2) return false;
        std::size_t tensors = 0, equal = 0;
        for (const call_evidence* call : history_.calls())
            for (const comparison_row* row : call->inputs)
                if (const auto each = distance_of(*row); each && each->count > 1) {
                    const bool same = row->agrees == agreement::same;
                    if (same && has_no_more_digits(*row)) continue; // ones and zeros survive any rounding
                    ++tensors;
                    if (same) ++equal;
                }
        if (equal * 10 > tensors) return false;
        if (d->relative <= 2 * unit_roundoff(first)) return true;

        std::vector<double> later;
        for (const error_step& step : steps_) later.push_back(step.outgoing);
        if (later.size() < 8 || d->relative > 2 * unit_roundoff(dtype::bf16)) return false;
        later.erase(later.begin(), later.begin() + static_cast<std::ptrdiff_t>(later.size() * 3 / 4));
        return median(std::move(later)) >= 2 * d->relative;
    }

    /// True if the reference's f32 or f64 tensor holds what a 16-bit type can hold, so that its being equal tells nothing.
    static bool has_no_more_digits(const comparison_row& row) {
        const dump_entry& entry = *row.reference;
        if (!has_data(entry)) {
            if (!row.reference_stats) return false;
            const auto max = number_of(row.reference_stats->max), min = number_of(row.reference_stats->min);
            if (!max || !min) return false;
            const double ends[] = {*max, *min};
            return (*max == 0 && *min == 0) || sixteen_bit_grid(tensor_view(dtype::f64, ends, extents{2})) > 0;
        }
        try {
            const tensor data = load(entry);
            return sixteen_bit_grid(data) > 0 || summarize(data.view()).zeros == data.view().count();
        } catch (const std::exception&) {
            return false; // its row says why
        }
    }

    std::string steps_text(std::vector<error_step> steps) const {
        std::stable_sort(steps.begin(), steps.end(),
                         [](const error_step& a, const error_step& b) { return a.growth > b.growth; });
        std::string text;
        for (std::size_t i = 0; i < steps.size() && i < 3; ++i)
            text += (i == 0 ? "" : ", ") + steps[i].call->title + " (" + to_text(steps[i].growth, 3) +
                    " times what its inputs explain, rel_l2_err " + to_text(steps[i].incoming, 3) + " to " +
                    to_text(steps[i].outgoing, 3) + ")";
        return text;
    }
    void name_largest_steps() {
        warn("no single source: differences grow evenly" + (steps_.empty() ? "" : "; the largest steps: " + steps_text(steps_)));
    }
    /// Beside a difference that came from outside, an operator may still be worth a look.
    void mention_steps() {
        std::vector<error_step> outstanding;
        for (const error_step& step : steps_)
            if (step.stands_out) outstanding.push_back(step);
        if (!outstanding.empty()) warn("these operators add more than they were given: " + steps_text(std::move(outstanding)));
    }

    const rank_pair& rank_;
    const call_history& history_;
    const std::set<std::string>& explained_elsewhere_;
    bool others_differ_;
    bool with_steps_;
    const call_evidence* inherited_from_ = nullptr; ///< the first call that only hands on another rank's difference
    std::vector<error_step> steps_;
    std::unordered_map<const call_evidence*, const error_step*> step_of_;
    std::vector<finding> found_;
    rank_divergence result_;
};

} // namespace detail

/// Fills first_diverging, per_rank, sources and each rank_pair::first of a comparison from its rows, and adds to its warnings.
/// Every step is judged by itself: one that follows a divergence starts from other weights, which its evidence shows, and an
/// operator with equal inputs and differing outputs is a source in whichever step it stands.
inline void find_divergences(comparison& result) {
    const bool with_steps = has_several_steps(result);
    for (auto first = result.ranks.begin(); first != result.ranks.end();) {
        const auto last = std::find_if(first, result.ranks.end(), [&](const rank_pair& r) { return r.step != first->step; });
        std::vector<std::pair<rank_pair*, std::unique_ptr<call_history>>> ranks;
        std::set<std::string> explained_elsewhere;
        for (auto rank = first; rank != last; ++rank) {
            if (rank->actual == nullptr || rank->reference == nullptr) continue;
            result.per_rank.emplace(rank->rank, std::nullopt);
            const rank_agreement agreed = count_agreement(result, *rank);
            if (agreed.different == 0) {
                if (const std::string doubt = doubt_of(agreed); !doubt.empty())
                    result.warnings.push_back("rank " + std::to_string(rank->rank) +
                                              (with_steps ? " step " + std::to_string(rank->step) : "") + ": " + doubt);
                continue;
            }
            const comparison_row* rows = result.rows.data();
            ranks.emplace_back(&*rank,
                               std::make_unique<call_history>(rows + rank->first_row, rows + rank->last_row, *rank->reference));
            for (const call_evidence* call : ranks.back().second->calls())
                if (talks_to_other_ranks(call->name) && call->differing_input() != nullptr)
                    explained_elsewhere.insert(detail::divergence_finder::peer_key(*call));
        }
        for (const auto& [rank, history] : ranks) {
            rank_divergence found =
                detail::divergence_finder(*rank, *history, explained_elsewhere, ranks.size() > 1, with_steps).find();
            rank->first = std::move(found.first);
            if (!result.first_diverging) result.first_diverging = rank->first;
            if (auto& earliest = result.per_rank[rank->rank]; !earliest) earliest = rank->first;
            for (divergence_source& source : found.sources) result.sources.push_back(std::move(source));
            for (std::string& warning : found.warnings) result.warnings.push_back(std::move(warning));
        }
        first = last;
    }
}

} // namespace plumb
