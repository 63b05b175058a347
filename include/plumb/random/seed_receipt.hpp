/// \file
/// What seed_all did, and what it could not do.
#pragma once

#include <plumb/detail/target.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumb {

/// What is asked of every seeder.
struct seed_request {
    std::uint32_t seed = 1234;
    bool deterministic = false;
    bool rm_dropout = false;
};

/// What one seeding seeded, set and could not reach. Worth a place at the top of a run's log: two runs whose receipts differ did
/// not start alike.
struct seed_receipt {
    /// A variable of the environment or a flag of a framework, and its value from now on.
    struct setting {
        std::string name, value;
    };

    seed_request request;
    std::optional<int> rank;
    std::vector<std::string> seeded;
    std::vector<setting> settings;
    /// Whole sentences: an engine without a seeder, a variable that may have been read before, a changed floating-point mode.
    std::vector<std::string> not_reached;

    bool complete() const noexcept { return not_reached.empty(); }
};

inline namespace PLUMB_TARGET {

/// The receipt as lines of text.
inline std::string to_string(const seed_receipt& receipt) {
    const auto on = [](bool flag) { return flag ? "on" : "off"; };
    std::string text = "seed " + std::to_string(receipt.request.seed);
    if (receipt.rank) text += " of rank " + std::to_string(*receipt.rank);
    text += std::string(", deterministic ") + on(receipt.request.deterministic) + ", dropout " + on(!receipt.request.rm_dropout);
    text += "\nseeded:";
    for (const std::string& name : receipt.seeded) text += (&name == receipt.seeded.data() ? " " : ", ") + name;
    text += "\nset:";
    for (const seed_receipt::setting& each : receipt.settings) text += " " + each.name + "=" + each.value;
    text += "\nnot reached:";
    if (receipt.complete()) text += " nothing";
    for (const std::string& sentence : receipt.not_reached) text += "\n  " + sentence;
    return text + "\n";
}

} // namespace PLUMB_TARGET
} // namespace plumb
