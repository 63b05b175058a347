// Every number that each level of processor gives, against exact integers: pairs and single tensors of f16, bf16 and f32, cut
// anywhere, in every floating-point mode. 60 cases a pair of types, with lengths up to 10,000; the environment variable
// PLUMB_ORACLE_CASES asks for more, PLUMB_ORACLE_SEED for others.
#include "oracle.hpp"
#include "random_pairs.hpp"
#include "same_report.hpp"

#include "catch.hpp"
#include "float_mode.hpp"

#include <plumb/metrics.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using plumb::cpu_level;
using plumb::kernels::narrow_range;

/// Calls add(first, count) for the pieces between 0, the cuts and n.
template <class Add>
void for_each_piece(const std::vector<std::size_t>& cuts, std::size_t n, Add add) {
    std::size_t first = 0;
    for (const std::size_t cut : cuts) {
        add(first, cut - first);
        first = cut;
    }
    add(first, n - first);
}

plumb::pair_report pairs_at(cpu_level level, const buffer_pair& pair, const std::vector<std::size_t>& cuts) {
    plumb::kernels::pair_state<plumb::all_metrics, narrow_range> state;
    state.outside.limits = pair.limits;
    for_each_piece(cuts, pair.actual.size(), [&](std::size_t first, std::size_t count) {
        plumb::kernels::add_pairs_at(level, state, pair.actual.type, pair.actual.at(first), pair.reference.type,
                                     pair.reference.at(first), count);
    });
    return plumb::kernels::make_report(state);
}

plumb::tensor_report tensor_at(cpu_level level, const buffer& x, const std::vector<std::size_t>& cuts) {
    plumb::kernels::statistics_state<narrow_range> state;
    for_each_piece(cuts, x.size(), [&](std::size_t first, std::size_t count) {
        plumb::kernels::add_tensor_at(level, state, x.type, x.at(first), count);
    });
    return plumb::kernels::make_report(state);
}

/// From 0 to 10,000; one in two as random_length has it, so that the edges of steps and blocks are met.
std::size_t length_up_to_10000(random_engine& random) { return random() % 2 == 0 ? random_length(random) : random() % 10001; }

void check_levels(plumb::dtype actual, plumb::dtype reference, std::uint64_t cases, std::uint64_t seed) {
    const std::vector<float_mode> modes = all_float_modes();
    random_engine random(seed * 1000003 + static_cast<std::uint64_t>(actual) * 101 + static_cast<std::uint64_t>(reference) + 7);
    std::size_t failed = 0;
    for (std::uint64_t i = 0; i < cases && failed < 5; ++i) {
        const auto kind = static_cast<pair_kind>(i % static_cast<std::uint64_t>(pair_kind::count));
        const std::size_t n = length_up_to_10000(random);
        const buffer_pair pair = random_pair(random, kind, actual, reference, n);
        std::vector<std::size_t> cuts;
        for (std::size_t left = random() % 3; left > 0; --left) cuts.push_back(random() % (n + 1));
        std::sort(cuts.begin(), cuts.end());
        const plumb::pair_report expected =
            oracle::pairs(actual, pair.actual.bytes.data(), reference, pair.reference.bytes.data(), n, pair.limits);
        const plumb::tensor_report expected_tensor = oracle::tensor(actual, pair.actual.bytes.data(), n);

        std::string trouble;
        for (int each = 0; each <= static_cast<int>(plumb::best_cpu_level()); ++each) {
            const auto level = static_cast<cpu_level>(each);
            const float_mode& mode = modes[(i + static_cast<std::uint64_t>(each)) % modes.size()];
            const auto [got, got_tensor] = [&] {
                const with_float_mode guard(mode);
                return std::make_pair(pairs_at(level, pair, cuts), tensor_at(level, pair.actual, cuts));
            }();
            const std::string here = difference_of(got, expected) + difference_of(got_tensor, expected_tensor);
            if (!here.empty()) trouble += std::string(name_of(level)) + ", " + mode.name + ": " + here + "\n";
        }
        INFO(plumb::name_of(actual) << " against " << plumb::name_of(reference) << ", case " << i << ", n = " << n);
        CHECK(trouble == "");
        failed += !trouble.empty();
    }
}

} // namespace

TEST_CASE("levels: each gives the exact value of every number, rounded once, for the 9 pairs of f16, bf16 and f32") {
    constexpr plumb::dtype types[] = {plumb::dtype::f16, plumb::dtype::bf16, plumb::dtype::f32};
    const std::uint64_t cases = number_from_environment("PLUMB_ORACLE_CASES", 60);
    const std::uint64_t seed = number_from_environment("PLUMB_ORACLE_SEED", 1);
    for (const plumb::dtype actual : types)
        for (const plumb::dtype reference : types) check_levels(actual, reference, cases, seed);
}
