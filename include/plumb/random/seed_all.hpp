/// \file
/// One seed for everything random in a process.
#pragma once

#include <plumb/random/default_generators.hpp>
#include <plumb/random/randomness.hpp>
#include <plumb/random/seed_environment.hpp>
#include <plumb/random/seed_receipt.hpp>
#include <plumb/random/seed_registry.hpp>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {
inline namespace PLUMB_TARGET {

inline std::uint32_t checked_seed(std::int64_t seed) {
    if (seed < 0 || seed > 0xffffffff)
        throw std::invalid_argument("plumb: seed_all takes seeds from 0 to 2^32 - 1, not " + std::to_string(seed));
    return static_cast<std::uint32_t>(seed);
}

inline void seed_own_generators(std::uint32_t seed, std::vector<std::string>& seeded) {
    plumb::default_torch_generator()->manual_seed(seed);
    plumb::default_numpy_state()->seed(seed);
    const auto python = plumb::default_python_random();
    *python = rng::python::random(seed, python->libm());
    std::srand(seed);
    seeded = {"plumb's torch generator", "plumb's NumPy state", "plumb's Python random", "std::rand"};
}

inline seed_receipt seed_everything(const seed_request& request, std::optional<int> rank) {
    seed_registry& registry = shared_seed_registry.get();
    const std::lock_guard<std::mutex> one_at_a_time(registry.seeding);
    seed_receipt receipt;
    receipt.request = request;
    receipt.rank = rank;

    const std::vector<std::string> objects = loaded_objects();
    set_environment(objects, receipt);
    seed_own_generators(request.seed, receipt.seeded);
    shared_randomness.dropout_removed.store(request.rm_dropout);

    std::vector<std::pair<std::string, seeder>> seeders;
    {
        const std::lock_guard<std::mutex> lock(registry.mutex);
        seeders = registry.seeders;
        registry.last = request;
    }
    for (const auto& [name, seed] : seeders) {
        receipt.seeded.push_back(name);
        try {
            seed(request, receipt);
        } catch (const std::exception& error) {
            receipt.seeded.pop_back();
            receipt.not_reached.push_back(name + ": its seeder failed: " + error.what());
        } catch (...) {
            receipt.seeded.pop_back();
            receipt.not_reached.push_back(name + ": its seeder failed");
        }
    }
    report_unseeded(objects, receipt);
    report_floating_point_modes(receipt);
    return receipt;
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// Seeds everything random in the process and says what that was: plumb's default generators, std::rand (and so Eigen's
/// Random()), and whatever registered itself with on_seed, in that order. Sets the environment variables that make common
/// libraries reproducible, more of them if `deterministic`; seeders get the word to choose deterministic algorithms. `rm_dropout`
/// makes dropout_probability return 0 until the next call.
///
/// Throws std::invalid_argument for a seed outside 0 to 2^32 - 1, before anything is changed. Nothing else makes it throw: what
/// cannot be done stands in the receipt. Thread-safe, but for setenv's own limits: call it before other threads read the
/// environment.
inline seed_receipt seed_all(std::int64_t seed = 1234, bool deterministic = false, bool rm_dropout = false) {
    return detail::seed_everything({detail::checked_seed(seed), deterministic, rm_dropout}, std::nullopt);
}

/// The same for one process of a distributed run, each of which is to draw its own numbers: seeds with seed + rank.
/// Throws std::invalid_argument for a negative rank, too.
inline seed_receipt seed_rank(int rank, std::int64_t seed = 1234, bool deterministic = false, bool rm_dropout = false) {
    if (rank < 0) throw std::invalid_argument("plumb: a rank is not negative");
    detail::checked_seed(seed);
    return detail::seed_everything({detail::checked_seed(seed + rank), deterministic, rm_dropout}, rank);
}

} // namespace PLUMB_TARGET
} // namespace plumb
