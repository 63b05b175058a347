#include <plumb/kernels/add_pairs.hpp>

#include "catch.hpp"
#include "kernels/fast_pairs.hpp"

#include <cstdlib>

using namespace fast_pairs;
using plumb::cpu_level;
using plumb::dtype;
using plumb::metric;
using plumb::kernels::narrow_range;
using plumb::kernels::pair_state;

namespace {

template <metric Set>
pair_state<Set, narrow_range> empty_state() {
    pair_state<Set, narrow_range> state;
    if constexpr (contains(Set, metric::outside_tolerance)) state.outside.limits = {1e-3, 1e-5};
    return state;
}

/// The parts in which the vector loops of a level differ from the specification, for pairs added in two pieces.
template <metric Set>
std::string mistakes(cpu_level level, const buffer& a, const buffer& b, std::size_t n, std::size_t cut) {
    auto expected = empty_state<Set>(), got = expected;
    plumb::kernels::add_scalar(expected, a.type, a.at(0), b.type, b.at(0), n);
    plumb::kernels::add_pairs_at(level, got, a.type, a.at(0), b.type, b.at(0), cut);
    plumb::kernels::add_pairs_at(level, got, a.type, a.at(cut), b.type, b.at(cut), n - cut);
    return difference_of(expected, got);
}

template <metric Set>
void check_all(std::size_t n, std::uint64_t seed) {
    for (int kind = 0; kind < shape_count; ++kind)
        for (const dtype a_type : types)
            for (const dtype b_type : types) {
                buffer a(a_type, n), b(b_type, n);
                fill(a, b, n, static_cast<shape>(kind), seed);
                for (const cpu_level level : levels()) {
                    INFO(name_of(level) << ", " << name_of(static_cast<shape>(kind)) << ", " << plumb::name_of(a_type) << " and "
                                        << plumb::name_of(b_type) << ", n = " << n << ", seed " << seed);
                    const std::string wrong = mistakes<Set>(level, a, b, n, n / 3);
                    if (!wrong.empty()) CHECK(wrong == "");
                }
            }
}

/// PLUMB_TEST_ROUNDS=100 tests a hundred times as much as is usual.
std::uint64_t rounds() {
    const char* const text = std::getenv("PLUMB_TEST_ROUNDS");
    return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

} // namespace

TEST_CASE("add_pairs: every level gives the specification's state for every metric") {
    for (std::uint64_t seed = 1; seed <= 3 * rounds(); ++seed)
        check_all<plumb::all_metrics>(static_cast<std::size_t>((seed * 7919) % 5000), seed);
    SUCCEED();
}

TEST_CASE("add_pairs: every level gives the specification's state for sets of few metrics") {
    for (std::uint64_t seed = 1; seed <= rounds(); ++seed) {
        check_all<plumb::default_metrics>(3000, seed);
        check_all<metric::cosine>(1500, seed);
        check_all<metric::max_abs_err>(1500, seed);
        check_all<metric::max_rel_err>(1500, seed);
        check_all<metric::ulp | metric::mean_abs_err>(1500, seed);
    }
    SUCCEED();
}

TEST_CASE("add_pairs: lengths around the edges of steps and blocks") {
    for (const std::size_t edge : {std::size_t{0}, std::size_t{32}, std::size_t{256}, plumb::kernels::block_pairs,
                                   plumb::kernels::max_block_pairs, 2 * plumb::kernels::max_block_pairs})
        for (std::size_t n = edge < 2 ? 0 : edge - 2; n <= edge + 2; ++n) check_all<plumb::all_metrics>(n, n);
    SUCCEED();
}

TEST_CASE("add_pairs: every start within a cache line gives the same state") {
    constexpr std::size_t n = 1100, starts = 32;
    for (const dtype type : types) {
        buffer a(type, n + starts), b(type, n + starts);
        fill(a, b, n + starts, shape::spread_5, 5);
        for (const cpu_level level : levels())
            for (std::size_t start = 0; start < starts; ++start) {
                auto expected = empty_state<plumb::all_metrics>(), got = expected;
                plumb::kernels::add_scalar(expected, type, a.at(start), type, b.at(start), n);
                plumb::kernels::add_pairs_at(level, got, type, a.at(start), type, b.at(start), n);
                INFO(name_of(level) << ", start " << start);
                CHECK(difference_of(expected, got) == "");
            }
    }
}
