/// \file
/// Which recorded tensor of one dump is compared with which of the other.
#pragma once

#include <plumb/compare/recorded_call.hpp>
#include <plumb/dump/model.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumb {

/// Names of the actual dump and what the reference calls the same thing: whole tensors ("…linear.0.forward.input.1"), operators
/// with call and direction ("…linear.0.forward"), or without (every call: "Functional.linear").
using name_map = std::map<std::string, std::string>;

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

/// What the reference calls this operator, as far as the map says.
inline std::string mapped_operator(const recorded_call& call, const name_map& map) {
    if (map.empty()) return call.op;
    if (const auto whole = map.find(call.op); whole != map.end()) return whole->second;
    const std::size_t base = call.name.base.size(); // as long as in the original spelling
    if (const auto all_calls = map.find(call.op.substr(0, base)); all_calls != map.end())
        return all_calls->second + call.op.substr(base);
    return call.op;
}

/// For each actual call the reference call it is paired with, or npos.
inline std::vector<std::size_t> pair_calls(const std::vector<recorded_call>& actual, const std::vector<recorded_call>& reference,
                                           const name_map& map) {
    std::vector<std::size_t> partner(actual.size(), key_matcher::npos);
    key_matcher references(reference.size());

    struct renamed_call {
        std::string op;
        operator_name name;
    };
    std::vector<renamed_call> wanted;
    wanted.reserve(actual.size());
    for (const recorded_call& call : actual) {
        std::string op = mapped_operator(call, map);
        operator_name name = op == call.op ? call.name : parse_operator_name(op);
        wanted.push_back({std::move(op), std::move(name)});
    }

    // From the strictest to the laxest: the same name; the same in another layout's spelling.
    const auto pass = [&](auto&& key_of_actual, auto&& key_of_reference) {
        references.forget_keys();
        for (std::size_t r = 0; r < reference.size(); ++r)
            if (!references.taken(r)) references.add(key_of_reference(reference[r]), r);
        for (std::size_t a = 0; a < actual.size(); ++a)
            if (partner[a] == key_matcher::npos) partner[a] = references.take(key_of_actual(a));
    };
    const auto key = [](std::string_view name, std::string_view direction, const std::string& call) {
        return std::string(name).append(1, '\n').append(direction).append(1, '\n').append(call);
    };
    const auto direction_of = [&](std::size_t a) -> const std::string& {
        return wanted[a].name.direction.empty() ? actual[a].direction : wanted[a].name.direction;
    };
    const auto call_of = [&](std::size_t a) { return std::to_string(wanted[a].name.call.value_or(actual[a].call)); };
    pass([&](std::size_t a) { return key(wanted[a].op, direction_of(a), call_of(a)); },
         [&](const recorded_call& r) { return key(r.op, r.direction, std::to_string(r.call)); });
    pass([&](std::size_t a) { return key(wanted[a].name.base, direction_of(a), call_of(a)); },
         [&](const recorded_call& r) { return key(r.name.base, r.direction, std::to_string(r.call)); });

    // Counters that do not meet at all, or as many calls on both sides: the counting began elsewhere, so by order.
    struct tally {
        std::size_t actual = 0, reference = 0, paired = 0;
    };
    std::unordered_map<std::string, tally> group;
    for (std::size_t a = 0; a < actual.size(); ++a) {
        tally& calls = group[key(wanted[a].name.base, direction_of(a), "")];
        ++calls.actual;
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
        if (calls.paired == 0 || calls.actual == calls.reference) partner[a] = references.take(name);
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
inline std::vector<entry_pair> pair_entries(const rank_dump& actual, const rank_dump& reference, const name_map& map = {}) {
    std::unordered_map<const dump_entry*, const dump_entry*> partner; // of a reference entry
    std::unordered_map<const dump_entry*, bool> done;                 // of an actual entry

    if (!map.empty()) {
        std::unordered_map<std::string_view, const dump_entry*> by_name;
        for (const dump_entry& entry : reference.entries) by_name.emplace(entry.name, &entry);
        for (const dump_entry& entry : actual.entries) {
            const auto renamed = map.find(entry.name);
            if (renamed == map.end()) continue;
            const auto found = by_name.find(renamed->second);
            if (found == by_name.end() || !partner.emplace(found->second, &entry).second) continue;
            done[&entry] = true;
        }
    }

    const std::vector<recorded_call> actual_calls = gather_calls(actual), reference_calls = gather_calls(reference);
    const std::vector<std::size_t> call_partner = detail::pair_calls(actual_calls, reference_calls, map);
    for (std::size_t a = 0; a < actual_calls.size(); ++a) {
        if (call_partner[a] == detail::key_matcher::npos) continue;
        const auto& references = reference_calls[call_partner[a]].entries;
        detail::key_matcher slots(references.size());
        for (std::size_t r = 0; r < references.size(); ++r)
            if (partner.count(references[r]) == 0) slots.add(detail::slot_key(*references[r]), r);
        for (const dump_entry* entry : actual_calls[a].entries) {
            if (done.count(entry) != 0) continue;
            const std::size_t r = slots.take(detail::slot_key(*entry));
            if (r == detail::key_matcher::npos) continue;
            partner.emplace(references[r], entry);
            done[entry] = true;
        }
    }

    std::vector<entry_pair> pairs;
    pairs.reserve(std::max(actual.entries.size(), reference.entries.size()));
    for (const dump_entry& entry : reference.entries) {
        const auto found = partner.find(&entry);
        pairs.push_back({found == partner.end() ? nullptr : found->second, &entry});
    }
    for (const dump_entry& entry : actual.entries)
        if (done.count(&entry) == 0) pairs.push_back({&entry, nullptr});
    return pairs;
}

} // namespace plumb
