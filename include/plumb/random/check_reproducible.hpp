/// \file
/// Does the same step give the same bits twice?
#pragma once

#include <plumb/random/fingerprint.hpp>
#include <plumb/random/seed_all.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace plumb {

/// What check_reproducible found.
struct reproducibility {
    bool passed = true;
    /// One line: "2 runs, 14 tensors: the same bits", or which tensor of which run differed first.
    std::string reason;
    /// The first run's tensors, to be kept and compared with another machine's by first_difference.
    fingerprint tensors;
};

inline namespace PLUMB_TARGET {

/// Runs a step several times and compares all bits of what it reports.
///
/// `step` is called with a fingerprint, to which it adds its tensors (losses, gradients, weights after the update). Before each
/// run everything is seeded anew, as the last seed_all asked; whatever else the step changes, it has to put back itself. Stops at
/// the first difference. Throws std::invalid_argument unless runs >= 2, and what the step throws.
template <class Step>
inline reproducibility check_reproducible(Step&& step, int runs = 2) {
    if (runs < 2) throw std::invalid_argument("plumb: check_reproducible compares at least two runs");
    const seed_request request = last_seeding();
    reproducibility result;
    for (int run = 1; run <= runs; ++run) {
        seed_all(request.seed, request.deterministic, request.rm_dropout);
        fingerprint tensors;
        step(tensors);
        if (run == 1) {
            result.tensors = std::move(tensors);
        } else if (const auto difference = first_difference(tensors, result.tensors)) {
            result.passed = false;
            result.reason = "run " + std::to_string(run) + " differs from run 1: " + *difference;
            return result;
        }
    }
    result.reason = std::to_string(runs) + " runs, " + std::to_string(result.tensors.size()) + " tensors: the same bits";
    return result;
}

} // namespace PLUMB_TARGET
} // namespace plumb
