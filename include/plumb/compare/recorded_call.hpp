/// \file
/// The entries of a dump, gathered into calls of operators.
#pragma once

#include <plumb/compare/operator_name.hpp>
#include <plumb/dump/model.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace plumb {

/// Which call of which operator an entry belongs to.
struct call_identity {
    explicit call_identity(const dump_entry& entry)
        : op(entry.op), name(parse_operator_name(entry.op)), direction(name.direction.empty() ? entry.direction : name.direction),
          call(name.call.value_or(entry.call)) {}

    std::string op;         ///< dump_entry::op
    operator_name name;     ///< the same, taken apart
    std::string direction;  ///< as the name says, else as the entries say
    std::uint64_t call = 0; ///< the counter in the name, else dump_entry::call
};

/// A text that two entries share exactly if they belong to the same call.
inline std::string call_key(const dump_entry& entry) {
    return entry.op + '\n' + entry.direction + '\n' + std::to_string(entry.call);
}

/// One call of one operator, and what was recorded of it. Points into the dump it was gathered from.
struct recorded_call : call_identity {
    using call_identity::call_identity;
    std::vector<const dump_entry*> entries;
};

/// Finds the call that an entry belongs to, in a list of calls in the order in which entries first name them.
template <class Call>
class call_finder {
public:
    explicit call_finder(std::vector<Call>& calls) : calls_(calls) {}

    /// The entry's call, which is appended to the list if this is the first entry of it.
    Call& operator()(const dump_entry& entry) {
        const auto [found, is_new] = positions_.emplace(call_key(entry), calls_.size());
        if (is_new) calls_.emplace_back(entry);
        return calls_[found->second];
    }

private:
    std::vector<Call>& calls_;
    std::unordered_map<std::string, std::size_t> positions_;
};

/// The calls of one rank in the order in which the index first names them.
inline std::vector<recorded_call> gather_calls(const rank_dump& rank) {
    std::vector<recorded_call> calls;
    call_finder<recorded_call> call_of(calls);
    for (const dump_entry& entry : rank.entries) call_of(entry).entries.push_back(&entry);
    return calls;
}

} // namespace plumb
