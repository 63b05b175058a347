/// \file
/// The entries of a dump, gathered into calls of operators.
#pragma once

#include <plumb/compare/operator_name.hpp>
#include <plumb/dump/model.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace plumb {

/// One call of one operator, and what was recorded of it. Points into the dump it was gathered from.
struct recorded_call {
    std::string op;         ///< dump_entry::op
    operator_name name;     ///< the same, taken apart
    std::string direction;  ///< as the name says, else as the entries say
    std::uint64_t call = 0; ///< the counter in the name, else dump_entry::call
    std::vector<const dump_entry*> entries;
};

/// A text that two entries share exactly if they belong to the same call.
inline std::string call_key(const dump_entry& entry) {
    return entry.op + '\n' + entry.direction + '\n' + std::to_string(entry.call);
}

/// The calls of one rank in the order in which the index first names them.
inline std::vector<recorded_call> gather_calls(const rank_dump& rank) {
    std::vector<recorded_call> calls;
    std::unordered_map<std::string, std::size_t> position;
    for (const dump_entry& entry : rank.entries) {
        const auto [found, is_new] = position.emplace(call_key(entry), calls.size());
        if (is_new) {
            recorded_call call;
            call.op = entry.op;
            call.name = parse_operator_name(entry.op);
            call.direction = call.name.direction.empty() ? entry.direction : call.name.direction;
            call.call = call.name.call.value_or(entry.call);
            calls.push_back(std::move(call));
        }
        calls[found->second].entries.push_back(&entry);
    }
    return calls;
}

} // namespace plumb
