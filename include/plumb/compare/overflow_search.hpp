/// \file
/// Follows an overflow through the calls of one rank.
#pragma once

#include <plumb/compare/operator_name.hpp>
#include <plumb/compare/overflow_report.hpp>
#include <plumb/compare/recorded_call.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

namespace detail {

/// Follows the calls of one rank in order and gives each its role.
class overflow_search {
public:
    using probes = std::map<const dump_entry*, overflow_probe>;

    overflow_search(const rank_dump& rank, const probes& found, const overflow_options& options)
        : rank_(rank), found_(found), options_(options), calls_(gather_calls(rank)) {}

    void run() {
        // A module call stands before the calls inside it. Those are looked at first: they say more.
        std::set<std::string_view> modules;
        for (const auto& [child, parent] : rank_.parents) modules.insert(parent);
        std::vector<const recorded_call*> outer;
        for (const recorded_call& call : calls_)
            if (modules.count(call.op) != 0)
                outer.push_back(&call);
            else
                judge(call);
        for (std::size_t i = outer.size(); i-- > 0;) {
            const recorded_call& module = *outer[i];
            const overflow_role inside = overflow_inside_.count(module.op) != 0    ? overflow_role::inherited
                                         : constants_inside_.count(module.op) != 0 ? overflow_role::constant
                                                                                   : overflow_role::none;
            if (inside == overflow_role::none)
                judge(module);
            else if (bad(module, false) != nullptr)
                give(module, inside);
        }
    }

    /// The received are sources where no other rank is.
    void settle(bool another_rank_is_source) {
        for (const auto& [call, output] : received_)
            if (another_rank_is_source)
                give(*call, overflow_role::inherited);
            else
                add_source(*call, *output, inputs_text(*call));
    }

    bool has_source() const { return !sources_.empty(); }
    overflow_role role_of(const dump_entry& entry) const {
        const auto role = roles_.find(call_key(entry));
        return role == roles_.end() ? overflow_role::none : role->second;
    }
    const std::vector<recorded_call>& calls() const { return calls_; }
    std::vector<overflow_source>& sources() { return sources_; }

private:
    const overflow_probe& probe_of(const dump_entry* entry) const {
        static const overflow_probe nothing;
        const auto found = found_.find(entry);
        return found == found_.end() ? nothing : found->second;
    }
    bool is_bad(const dump_entry* entry) const { return probe_of(entry).overflows(options_.saturation); }
    static bool is_input(const dump_entry& entry) {
        return entry.kind == tensor_kind::input || entry.kind == tensor_kind::parameter;
    }
    /// The first tensor on that side of the call that overflows.
    const dump_entry* bad(const recorded_call& call, bool inputs) const {
        for (const dump_entry* entry : call.entries)
            if (is_input(*entry) == inputs && !is_literal(*entry) && is_bad(entry)) return entry;
        return nullptr;
    }
    bool any_nan(const recorded_call& call, bool inputs) const {
        return std::any_of(call.entries.begin(), call.entries.end(),
                           [&](const dump_entry* entry) { return is_input(*entry) == inputs && probe_of(entry).nan; });
    }
    bool writes_constants(const recorded_call& call) const {
        return call.direction != "backward" && writes_constant(call.name.function, options_.constant_writers);
    }

    void judge(const recorded_call& call) {
        const dump_entry *input = bad(call, true), *output = bad(call, false);
        if (input != nullptr && origin_ == overflow_role::none && from_outside_ == nullptr) from_outside_ = input;
        if (output == nullptr) return;

        const bool literal = std::any_of(call.entries.begin(), call.entries.end(), [&](const dump_entry* entry) {
            return is_input(*entry) && is_literal(*entry) && is_bad(entry);
        });
        if (writes_constants(call) || (literal && input == nullptr && !any_nan(call, false))) {
            give(call, overflow_role::constant);
        } else if (input == nullptr && talks_to_other_ranks(call.name)) {
            received_.emplace_back(&call, output);
            give(call, overflow_role::inherited);
        } else if (input == nullptr && !(call_has_no_inputs(call) && origin_ == overflow_role::inherited)) {
            add_source(call, *output, inputs_text(call));
        } else if (origin_ == overflow_role::inherited) {
            give(call, overflow_role::inherited);
        } else if (from_outside_ != nullptr) {
            sources_.push_back({rank_.rank, rank_.step, from_outside_, probe_of(from_outside_).index,
                                "it comes from outside: " + content_text(*from_outside_) +
                                    ", and no operator of the dump produced this " + std::string(name_of(from_outside_->kind))});
            give(call, overflow_role::inherited);
        } else if (any_nan(call, false) && !any_nan(call, true)) {
            add_source(call, *output, "it makes NaN of infinities that were written on purpose");
        } else {
            give(call, overflow_role::constant);
        }
    }

    void give(const recorded_call& call, overflow_role role) {
        roles_[call_key(*call.entries.front())] = role;
        const bool constant = role == overflow_role::constant;
        if (!constant)
            origin_ = overflow_role::inherited; // what follows may inherit
        else if (origin_ == overflow_role::none)
            origin_ = role;
        std::set<std::string>& modules = constant ? constants_inside_ : overflow_inside_;
        for (auto parent = rank_.parents.find(call.op); parent != rank_.parents.end() && modules.insert(parent->second).second;)
            parent = rank_.parents.find(parent->second);
    }

    void add_source(const recorded_call& call, const dump_entry& output, const std::string& inputs) {
        sources_.push_back({rank_.rank, rank_.step, &output, probe_of(&output).index, inputs + ", and " + content_text(output)});
        give(call, overflow_role::source);
    }

    static bool call_has_no_inputs(const recorded_call& call) {
        return std::none_of(call.entries.begin(), call.entries.end(), [](const dump_entry* entry) { return is_input(*entry); });
    }

    std::string inputs_text(const recorded_call& call) const {
        std::size_t tensors = 0, unknown = 0;
        for (const dump_entry* entry : call.entries)
            if (is_input(*entry)) {
                const overflow_probe& found = probe_of(entry);
                tensors += found.known;
                unknown += !found.known && found.is_tensor;
            }
        if (unknown > 0) return std::to_string(unknown) + " of its inputs can't be judged, the others are finite";
        if (tensors == 0) return "its inputs were not recorded";
        return tensors == 1 ? "its only input is finite" : "its " + std::to_string(tensors) + " inputs are finite";
    }

    std::string content_text(const dump_entry& entry) const {
        return std::string(name_of(entry.kind)) + ' ' + (entry.slot.empty() ? "0" : entry.slot) + " holds " +
               probe_of(&entry).text();
    }

    const rank_dump& rank_;
    const probes& found_;
    const overflow_options& options_;
    std::vector<recorded_call> calls_;
    std::map<std::string, overflow_role> roles_;               // by call_key
    std::set<std::string> overflow_inside_, constants_inside_; // modules with such a call inside
    std::vector<overflow_source> sources_;
    std::vector<std::pair<const recorded_call*, const dump_entry*>> received_;
    const dump_entry* from_outside_ = nullptr;
    overflow_role origin_ = overflow_role::none; // the worst that an input may bring: constant, or inherited
};

} // namespace detail

} // namespace plumb
