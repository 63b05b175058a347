/// \file
/// Which recorded tensor of one dump is compared with which of the other.
#pragma once

#include <plumb/compare/recorded_call.hpp>
#include <plumb/dump/model.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumb {

/// Names of the actual dump and what the reference calls the same thing: whole tensors ("…linear.0.forward.input.1"), operators
/// with call and direction ("…linear.0.forward"), or without (every call: "Functional.linear").
///
/// A tensor or a call that the map names is paired with what it says or not at all, and nothing else is paired with that.
using name_map = std::map<std::string, std::string>;

/// The names of a map that the ranks seen so far have: those that none has are misspelt.
struct names_found {
    std::set<std::string> actual;    ///< keys
    std::set<std::string> reference; ///< keys whose reference name was found
};

/// Two entries that record the same tensor; one is null where the other has no partner.
struct entry_pair {
    const dump_entry* actual = nullptr;
    const dump_entry* reference = nullptr;
};

namespace detail {

/// Pairs elements of two sequences that have equal keys, the n-th with the n-th, and never one twice.
class key_matcher {
public:
    explicit key_matcher(std::size_t references) : taken_(references, false) {}

    void add(std::string key, std::size_t reference) { waiting_[std::move(key)].push_back(reference); }
    /// The next unpaired reference with this key, or npos.
    std::size_t take(const std::string& key) {
        const auto found = waiting_.find(key);
        if (found == waiting_.end()) return npos;
        auto& [next, all] = found->second;
        while (next < all.size() && taken_[all[next]]) ++next;
        if (next == all.size()) return npos;
        taken_[all[next]] = true;
        return all[next++];
    }
    bool taken(std::size_t reference) const { return taken_[reference]; }
    void forget_keys() { waiting_.clear(); }

    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

private:
    struct queue {
        std::size_t next = 0;
        std::vector<std::size_t> all;
        void push_back(std::size_t reference) { all.push_back(reference); }
    };
    std::unordered_map<std::string, queue> waiting_;
    std::vector<bool> taken_;
};

/// A call of the actual dump under the name that the reference has for it.
struct renamed_call {
    std::string op;
    operator_name name;
    const std::string* key = nullptr; ///< of the map, if that says so
    bool is_one_call = false;         ///< it says so for this call, not for all of the operator's
};

inline renamed_call renamed(const recorded_call& call, const name_map& map) {
    if (map.empty()) return {call.op, call.name};
    if (const auto whole = map.find(call.op); whole != map.end())
        return {whole->second, parse_operator_name(whole->second), &whole->first, call.name.call.has_value()};
    const std::size_t base = call.name.base.size(); // as long as in the original spelling
    if (const auto all_calls = map.find(call.op.substr(0, base)); all_calls != map.end()) {
        std::string op = all_calls->second + call.op.substr(base);
        operator_name name = parse_operator_name(op);
        return {std::move(op), std::move(name), &all_calls->first, false};
    }
    return {call.op, call.name};
}

[[noreturn]] inline void fail_names_clash(const std::string& one, const std::string& other, const std::string& reference) {
    throw std::invalid_argument("plumb: the map of names gives both " + one + " and " + other + " the reference's " + reference);
}

/// For each actual call the reference call it is paired with, or npos.
inline std::vector<std::size_t> pair_calls(const std::vector<recorded_call>& actual, const std::vector<recorded_call>& reference,
                                           const name_map& map, names_found& found) {
    std::vector<std::size_t> partner(actual.size(), key_matcher::npos);
    key_matcher references(reference.size());

    std::vector<renamed_call> wanted;
    wanted.reserve(actual.size());
    for (const recorded_call& call : actual) wanted.push_back(renamed(call, map));
    std::map<std::string, const std::string*> key_of_one_call; // by what the reference calls it
    for (const renamed_call& each : wanted) {
        if (each.key == nullptr) continue;
        found.actual.insert(*each.key);
        if (!each.is_one_call) continue;
        const auto [other, is_new] = key_of_one_call.emplace(with_underscores(each.op), each.key);
        if (!is_new && *other->second != *each.key) fail_names_clash(*other->second, *each.key, each.op);
    }

    // From the strictest to the laxest: the same name; the same in another layout's spelling. What the map names goes first.
    const auto pass = [&](bool of_map, auto&& key_of_actual, auto&& key_of_reference) {
        references.forget_keys();
        for (std::size_t r = 0; r < reference.size(); ++r)
            if (!references.taken(r)) references.add(key_of_reference(reference[r]), r);
        for (std::size_t a = 0; a < actual.size(); ++a) {
            if (partner[a] != key_matcher::npos || (wanted[a].key != nullptr) != of_map) continue;
            partner[a] = references.take(key_of_actual(a));
            if (of_map && partner[a] != key_matcher::npos) found.reference.insert(*wanted[a].key);
        }
    };
    const auto key = [](std::string_view name, std::string_view direction, const std::string& call) {
        return std::string(name).append(1, '\n').append(direction).append(1, '\n').append(call);
    };
    const auto direction_of = [&](std::size_t a) -> const std::string& {
        return wanted[a].name.direction.empty() ? actual[a].direction : wanted[a].name.direction;
    };
    const auto call_of = [&](std::size_t a) { return std::to_string(wanted[a].name.call.value_or(actual[a].call)); };
    for (const bool of_map : {true, false}) {
        if (of_map && map.empty()) continue;
        pass(
            of_map, [&](std::size_t a) { return key(wanted[a].op, direction_of(a), call_of(a)); },
            [&](const recorded_call& r) { return key(r.op, r.direction, std::to_string(r.call)); });
        pass(
            of_map, [&](std::size_t a) { return key(wanted[a].name.base, direction_of(a), call_of(a)); },
            [&](const recorded_call& r) { return key(r.name.base, r.direction, std::to_string(r.call)); });
    }

    // Counters that do not meet at all, or as many calls on both sides: the counting began elsewhere, so by order. Not where the
    // map names single calls: who names them knows which is which.
    struct tally {
        std::size_t actual = 0, reference = 0, paired = 0;
        bool by_name_alone = false;
    };
    std::unordered_map<std::string, tally> group;
    for (std::size_t a = 0; a < actual.size(); ++a) {
        tally& calls = group[key(wanted[a].name.base, direction_of(a), "")];
        ++calls.actual;
        if (wanted[a].is_one_call) calls.by_name_alone = true;
        if (partner[a] != key_matcher::npos) ++calls.paired;
    }
    for (const recorded_call& r : reference) ++group[key(r.name.base, r.direction, "")].reference;
    references.forget_keys();
    for (std::size_t r = 0; r < reference.size(); ++r)
        if (!references.taken(r)) references.add(key(reference[r].name.base, reference[r].direction, ""), r);
    for (std::size_t a = 0; a < actual.size(); ++a) {
        if (partner[a] != key_matcher::npos) continue;
        const std::string name = key(wanted[a].name.base, direction_of(a), "");
        const tally& calls = group[name];
        if (calls.by_name_alone || (calls.paired > 0 && calls.actual != calls.reference)) continue;
        partner[a] = references.take(name);
        if (wanted[a].key != nullptr && partner[a] != key_matcher::npos) found.reference.insert(*wanted[a].key);
    }
    return partner;
}

/// Role and position in the call; an output without an index is number 0.
inline std::string slot_key(const dump_entry& entry) {
    return std::to_string(static_cast<int>(entry.kind)) + (entry.slot.empty() ? "0" : entry.slot);
}

} // namespace detail

/// Pairs the entries of two ranks: operators by name and call, whichever layout spells them, then by role and position in the
/// call. Entries that the map names go first. The result is in the reference's order, entries of the actual side alone
/// following in theirs; nothing is dropped. Takes O(n log n) time. The pairs point into the dumps.
///
/// `found`, if given, is told which names of the map these ranks have. Throws std::invalid_argument if the map gives two tensors
/// or two calls one and the same reference.
inline std::vector<entry_pair> pair_entries(const rank_dump& actual, const rank_dump& reference, const name_map& map = {},
                                            names_found* found = nullptr) {
    names_found unused;
    names_found& names = found != nullptr ? *found : unused;
    std::unordered_map<const dump_entry*, const dump_entry*> partner; // of a reference entry
    std::unordered_map<const dump_entry*, bool> done;                 // of an actual entry

    std::set<const dump_entry*> named; // tensors that the map names
    if (!map.empty()) {
        std::unordered_map<std::string_view, const dump_entry*> by_name;
        for (const dump_entry& entry : reference.entries) by_name.emplace(entry.name, &entry);
        for (const dump_entry& entry : actual.entries) {
            const auto renamed = map.find(entry.name);
            if (renamed == map.end()) continue;
            names.actual.insert(renamed->first);
            named.insert(&entry);
            const auto wanted = by_name.find(renamed->second);
            if (wanted == by_name.end()) continue;
            const auto [taken, is_new] = partner.emplace(wanted->second, &entry);
            if (!is_new && taken->second->name != entry.name)
                detail::fail_names_clash(taken->second->name, entry.name, renamed->second);
            names.reference.insert(renamed->first);
            if (is_new) done[&entry] = true;
        }
    }

    const std::vector<recorded_call> actual_calls = gather_calls(actual), reference_calls = gather_calls(reference);
    const std::vector<std::size_t> call_partner = detail::pair_calls(actual_calls, reference_calls, map, names);
    for (std::size_t a = 0; a < actual_calls.size(); ++a) {
        if (call_partner[a] == detail::key_matcher::npos) continue;
        const auto& references = reference_calls[call_partner[a]].entries;
        detail::key_matcher slots(references.size());
        for (std::size_t r = 0; r < references.size(); ++r)
            if (partner.count(references[r]) == 0) slots.add(detail::slot_key(*references[r]), r);
        for (const dump_entry* entry : actual_calls[a].entries) {
            if (done.count(entry) != 0 || named.count(entry) != 0) continue;
            const std::size_t r = slots.take(detail::slot_key(*entry));
            if (r == detail::key_matcher::npos) continue;
            partner.emplace(references[r], entry);
            done[entry] = true;
        }
    }

    std::vector<entry_pair> pairs;
    pairs.reserve(std::max(actual.entries.size(), reference.entries.size()));
    for (const dump_entry& entry : reference.entries) {
        const auto match = partner.find(&entry);
        pairs.push_back({match == partner.end() ? nullptr : match->second, &entry});
    }
    for (const dump_entry& entry : actual.entries)
        if (done.count(&entry) == 0) pairs.push_back({&entry, nullptr});
    return pairs;
}

} // namespace plumb
