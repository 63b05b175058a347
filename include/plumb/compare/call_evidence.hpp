/// \file
/// What the rows of one operator call say about where a difference comes from.
#pragma once

#include <plumb/compare/operator_name.hpp>
#include <plumb/compare/recorded_call.hpp>
#include <plumb/compare/row.hpp>
#include <plumb/compare/statistics_rules.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumb {

/// How far the two sides of a row are apart, and how large the reference is, as far as is known. Of statistics it is an estimate
/// from max, min and norm.
struct row_distance {
    double relative = 0;  ///< ‖a − b‖ / ‖b‖, at most 1e6 (a zero reference gives that)
    double rms = 0;       ///< root of the mean of (a − b)²
    double reference = 0; ///< root of the mean of b²
    double count = 0;     ///< elements
};

/// The distance of a row of floating-point numbers; nothing for other rows and where only checksums were compared.
inline std::optional<row_distance> distance_of(const comparison_row& row) {
    if (!row.reference_type || !is_floating(*row.reference_type)) return std::nullopt;
    row_distance d;
    constexpr double most = 1e6;
    if (row.report) {
        if (row.report->finite_pairs == 0) return std::nullopt;
        d.count = static_cast<double>(row.report->finite_pairs);
        d.rms = row.report->euclidean / std::sqrt(d.count);
        d.relative = detail::is_finite_value(row.report->rel_l2_err) ? std::min(row.report->rel_l2_err, most) : most;
        if (d.relative > 0 && d.relative < most) d.reference = d.rms / d.relative;
        return d;
    }
    if (row.basis != comparison_basis::statistics || !row.reference_shape) return std::nullopt;
    const auto [max, min, mean, norm] = statistic_pairs(*row.actual_stats, *row.reference_stats);
    d.count = std::max(1.0, static_cast<double>(element_count(*row.reference_shape)));
    double largest = 0;
    for (const statistic_pair* each : {&max, &min}) {
        if (!each->both() || !detail::is_finite_value(*each->actual) || !detail::is_finite_value(*each->reference))
            return std::nullopt;
        largest = std::max(largest, std::fabs(*each->reference));
    }
    for (const statistic_pair* each : {&max, &min})
        if (largest > 0) d.relative = std::max(d.relative, std::fabs(*each->actual - *each->reference) / largest);
    if (norm.both() && detail::is_finite_value(*norm.actual) && detail::is_finite_value(*norm.reference) && *norm.reference > 0) {
        d.relative = std::max(d.relative, std::fabs(*norm.actual - *norm.reference) / *norm.reference);
        d.reference = *norm.reference / std::sqrt(d.count);
    } else {
        d.reference = largest;
    }
    d.relative = std::min(d.relative, most);
    d.rms = d.relative * d.reference;
    return d;
}

/// True if a NaN or an infinity on one side stands against something else on the other.
inline bool has_nonfinite_mismatch(const comparison_row& row) {
    if (row.report) return row.report->nonfinite_mismatched > 0;
    if (row.basis == comparison_basis::data || !row.actual_stats || !row.reference_stats) return false;
    return nonfinite_difference(*row.actual_stats, *row.reference_stats).has_value();
}

/// A plain argument of a call (a number, a text, None), no tensor.
inline bool is_argument(const dump_entry& entry) {
    return (entry.value && entry.value->shape().empty()) || !entry.text.empty() ||
           entry.type_name.find("class") != std::string::npos || (!entry.shape && entry.file.empty());
}

/// One call of one operator of the reference, with its rows.
struct call_evidence : call_identity {
    using call_identity::call_identity;
    std::string title;                          ///< op, with direction and call where the rank has others of that name
    std::vector<const comparison_row*> inputs;  ///< inputs and parameters
    std::vector<const comparison_row*> outputs; ///< the others
    const call_evidence* forward = nullptr;     ///< of a backward call: what it differentiates, if recorded
    bool encloses_a_difference = false;         ///< a module around a recorded call that has differing tensors

    /// The same for all calls that do the same, whatever their number: "Functional_linear forward".
    std::string kind_of_call() const { return name.base + ' ' + direction; }
    bool is_backward() const { return direction == "backward"; }

    bool has_differing(const std::vector<const comparison_row*>& rows) const {
        return std::any_of(rows.begin(), rows.end(), [](const comparison_row* r) { return r->agrees == agreement::different; });
    }
    bool outputs_differ() const { return has_differing(outputs); }

    /// The first differing input that tells something: not the argument that the call overwrites without reading it, nor one
    /// that was recorded after the call had overwritten it.
    const comparison_row* differing_input() const {
        for (const comparison_row* row : inputs)
            if (row->agrees == agreement::different && !overwritten(*row)) return row;
        return nullptr;
    }
    const comparison_row* differing_output() const {
        for (const comparison_row* row : outputs)
            if (row->agrees == agreement::different) return row;
        return nullptr;
    }
    /// The lowest position among the inputs that the dump lacks although it has a later one: a tensor that a filter dropped. In
    /// ptdbg_ascend's dumps it may also be an argument that was None or a text, which leave no trace there; the dump can't tell.
    std::optional<std::uint64_t> missing_slot() const {
        std::set<std::uint64_t> slots;
        for (const comparison_row* row : inputs) {
            const std::string& slot = row->entry().slot;
            std::uint64_t position = 0; // of a nested one, such as "3.0", the argument's
            const auto [end, error] = std::from_chars(slot.data(), slot.data() + slot.size(), position);
            if (row->entry().kind != tensor_kind::input) continue;
            if (slot.empty() || (error == std::errc() && (end == slot.data() + slot.size() || *end == '.')))
                slots.insert(position);
        }
        std::uint64_t next = 0;
        for (const std::uint64_t slot : slots)
            if (slot != next++) return next - 1;
        return std::nullopt;
    }
    /// True if nothing is known of the recorded inputs, or not of all tensors among them.
    bool inputs_missing() const {
        bool any = false;
        for (const comparison_row* row : inputs) {
            if (row->agrees == agreement::unknown ? !is_argument(row->entry()) : overwritten(*row)) return true;
            any = any || row->agrees != agreement::unknown;
        }
        return !any || (is_backward() && forward == nullptr);
    }
    /// True if what a backward call remembers of its forward call differs. It is read by the backward call, but not recorded
    /// there.
    bool remembers_difference() const {
        return forward != nullptr && (forward->has_differing(forward->inputs) || forward->outputs_differ());
    }
    /// Differing outputs, and all inputs that were recorded are equal.
    bool recorded_inputs_agree() const {
        return outputs_differ() && !inputs_missing() && differing_input() == nullptr && !remembers_difference();
    }
    /// The same, and no input is missing from the record.
    bool is_certain_source() const {
        return recorded_inputs_agree() && !missing_slot() && !(is_backward() && forward->missing_slot());
    }
    /// A non-finite value appears on one side alone, while no input has such a one.
    bool is_nonfinite_source() const {
        const auto mismatched = [](const comparison_row* row) { return has_nonfinite_mismatch(*row); };
        const auto any = [&](const auto& rows) { return std::any_of(rows.begin(), rows.end(), mismatched); };
        return any(outputs) && !any(inputs) && !inputs_missing() &&
               (forward == nullptr || !(any(forward->inputs) || any(forward->outputs)));
    }

private:
    bool overwritten(const comparison_row& input) const {
        if (!works_in_place(name) || input.agrees != agreement::different || input.entry().kind != tensor_kind::input ||
            (!input.entry().slot.empty() && input.entry().slot != "0"))
            return false;
        if (draws_random_numbers(name) || name.function == "zero_" || name.function == "fill_" || name.function == "copy_")
            return true;
        const comparison_row* output = differing_output();
        return output != nullptr && same_difference(input, *output);
    }
    /// Two rows that differ in exactly the same way hold the same tensors.
    static bool same_difference(const comparison_row& a, const comparison_row& b) {
        if (a.basis != b.basis || a.reference_shape != b.reference_shape) return false;
        if (a.report && b.report)
            return a.report->differing == b.report->differing && a.report->euclidean == b.report->euclidean &&
                   a.report->first_differing_index == b.report->first_differing_index &&
                   detail::same_number(a.report->rel_l2_err, b.report->rel_l2_err) &&
                   a.report->nonfinite_mismatched == b.report->nonfinite_mismatched;
        if (a.basis == comparison_basis::checksum)
            return a.actual->checksum == b.actual->checksum && a.reference->checksum == b.reference->checksum;
        return a.basis == comparison_basis::statistics && agreement_of(*a.actual_stats, *b.actual_stats) == agreement::same &&
               agreement_of(*a.reference_stats, *b.reference_stats) == agreement::same;
    }
};

/// The reference's calls of one rank in call order, a module after all that it encloses. Not copyable: its calls point at each
/// other.
class call_history {
public:
    call_history(const comparison_row* first, const comparison_row* last, const rank_dump& reference) {
        call_finder<call_evidence> call_of(calls_);
        for (const comparison_row* row = first; row != last; ++row) {
            if (row->reference == nullptr) continue;
            const dump_entry& entry = *row->reference;
            call_evidence& call = call_of(entry);
            const bool is_input = entry.kind == tensor_kind::input || entry.kind == tensor_kind::parameter;
            (is_input ? call.inputs : call.outputs).push_back(row);
        }
        entitle();
        link_backward_to_forward();
        order_modules_last(reference);
    }
    call_history(const call_history&) = delete;
    call_history& operator=(const call_history&) = delete;

    const std::vector<const call_evidence*>& calls() const noexcept { return in_order_; }

private:
    void entitle() {
        std::unordered_map<std::string, std::set<std::string>> directions;
        std::unordered_map<std::string, std::size_t> appearances;
        for (const call_evidence& call : calls_) {
            directions[call.op].insert(call.direction);
            ++appearances[call.op + '\n' + call.direction];
        }
        for (call_evidence& call : calls_) {
            call.title = call.op;
            if (directions[call.op].size() > 1 && !call.direction.empty()) call.title += ' ' + call.direction;
            if (appearances[call.op + '\n' + call.direction] > 1) call.title += " (call " + std::to_string(call.call) + ')';
        }
    }

    void link_backward_to_forward() {
        std::map<std::pair<std::string, std::uint64_t>, const call_evidence*> forward;
        for (const call_evidence& call : calls_)
            if (call.direction == "forward") forward.emplace(std::pair(call.name.base, call.call), &call);
        for (call_evidence& call : calls_)
            if (call.is_backward())
                if (const auto found = forward.find({call.name.base, call.call}); found != forward.end())
                    call.forward = found->second;
    }

    void order_modules_last(const rank_dump& reference) {
        struct place {
            std::size_t last_inside, depth = 0;
        };
        std::vector<place> places(calls_.size());
        std::unordered_map<std::string, std::size_t> by_op;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            places[i].last_inside = i;
            by_op.emplace(calls_[i].op, i);
        }
        for (std::size_t i = 0; i < calls_.size() && !reference.parents.empty(); ++i) {
            const bool differs = calls_[i].outputs_differ() || calls_[i].has_differing(calls_[i].inputs);
            auto parent = reference.parents.find(calls_[i].op);
            constexpr std::size_t deepest = 1000; // a file may name circles
            for (std::size_t depth = 1; parent != reference.parents.end() && depth < deepest; ++depth) {
                if (const auto module = by_op.find(parent->second); module != by_op.end() && module->second != i) {
                    places[module->second].last_inside = std::max(places[module->second].last_inside, i);
                    calls_[module->second].encloses_a_difference |= differs;
                }
                places[i].depth = depth;
                parent = reference.parents.find(parent->second);
            }
        }
        std::vector<std::size_t> order(calls_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            if (places[a].last_inside != places[b].last_inside) return places[a].last_inside < places[b].last_inside;
            return places[a].depth > places[b].depth;
        });
        for (const std::size_t i : order) in_order_.push_back(&calls_[i]);
    }

    std::vector<call_evidence> calls_;
    std::vector<const call_evidence*> in_order_;
};

} // namespace plumb
