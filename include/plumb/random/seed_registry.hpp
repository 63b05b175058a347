/// \file
/// The engines and frameworks that want to be seeded.
#pragma once

#include <plumb/random/process_state.hpp>
#include <plumb/random/seed_receipt.hpp>

#include <algorithm>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

/// Seeds one engine as asked and writes into the receipt what it set (`receipt.settings`) and could not reach. It must not call
/// seed_all. What it throws ends up in the receipt.
using seeder = std::function<void(const seed_request&, seed_receipt& receipt)>;

namespace detail {

struct seed_registry {
    std::mutex mutex;
    std::vector<std::pair<std::string, seeder>> seeders;
    std::mutex seeding; // held by seed_all from beginning to end
    seed_request last;  // the last one that seed_all carried out
};

inline PLUMB_VISIBLE process_wide<seed_registry> shared_seed_registry;

} // namespace detail

inline namespace PLUMB_TARGET {

/// Registers what seed_all is to call for the engine `name`, after those registered before. A name that is registered already
/// gets the new seeder in its old place. Thread-safe. Throws std::invalid_argument for an empty name or seeder.
inline void on_seed(std::string name, seeder seed) {
    if (name.empty() || !seed) throw std::invalid_argument("plumb: on_seed needs a name and something to call");
    detail::seed_registry& registry = detail::shared_seed_registry.get();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    for (auto& [known, old] : registry.seeders)
        if (known == name) {
            old = std::move(seed);
            return;
        }
    registry.seeders.emplace_back(std::move(name), std::move(seed));
}

/// Takes the seeder of this name out: to be called before the code of a seeder is unloaded. False if there was none. Thread-safe.
inline bool forget_seeder(const std::string& name) {
    detail::seed_registry& registry = detail::shared_seed_registry.get();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    const auto at =
        std::find_if(registry.seeders.begin(), registry.seeders.end(), [&](const auto& each) { return each.first == name; });
    if (at == registry.seeders.end()) return false;
    registry.seeders.erase(at);
    return true;
}

/// What the last seed_all was asked for; its defaults if there was none. Thread-safe.
inline seed_request last_seeding() {
    detail::seed_registry& registry = detail::shared_seed_registry.get();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    return registry.last;
}

} // namespace PLUMB_TARGET
} // namespace plumb
