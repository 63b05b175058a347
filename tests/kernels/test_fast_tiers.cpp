// Each tier of the sums and each filter of the maxima is reached, and by the data that it is there for.

#include <plumb/kernels/add_pairs.hpp>

#include "catch.hpp"
#include "kernels/fast_pairs.hpp"

using namespace fast_pairs;
using namespace plumb::kernels;
using plumb::cpu_level;
using plumb::dtype;

namespace {

/// How often the kernels that decide about tiers were called, and with what outcome.
struct tally {
    int surveys = 0, sums = 0, two_fold = 0, refused = 0, wide = 0, folds = 0, searches = 0, tiny = 0;
};
tally seen;
const pair_kernels* counted = nullptr;

template <survey_kernels pair_kernels::*Looks, survey_kernels::kernel survey_kernels::*Look, int tally::*Count>
void count_look(const void* a, const void* b, std::size_t n, const pair_limits& limits, const pair_ranges& expected,
                float* wide_a, float* wide_b, block_survey& survey) {
    (counted->*Looks.*Look)(a, b, n, limits, expected, wide_a, wide_b, survey);
    ++(seen.*Count);
}
template <survey_kernels pair_kernels::*Looks, int tally::*Count>
constexpr survey_kernels count_looks = {count_look<Looks, &survey_kernels::f32, Count>,
                                        count_look<Looks, &survey_kernels::f16, Count>,
                                        count_look<Looks, &survey_kernels::bf16, Count>};

bool count_sum_products(const float* a, const float* b, std::size_t n, block_range ra, block_range rb, product_terms& sums) {
    const bool fits = counted->sum_products(a, b, n, ra, rb, sums);
    ++(fits ? seen.two_fold : seen.refused);
    return fits;
}
void count_wide(const float* x, const float* y, std::size_t n, int low, int high, exact_steps& sum) {
    counted->sum_wide_product(x, y, n, low, high, sum);
    ++seen.wide;
    seen.folds += sum.count;
}
std::size_t count_search(const float* a, const float* b, std::size_t from, std::size_t n, const pair_limits& limits, bool tiny) {
    ++seen.searches;
    seen.tiny += tiny;
    return counted->find_above(a, b, from, n, limits, tiny);
}

/// What a level does with 100 blocks of a shape.
tally run(cpu_level level, dtype type, shape kind) {
    counted = pair_kernels_of<survey_parts(plumb::default_metrics)>(level);
    const std::size_t n = 100 * counted->block_pairs;
    pair_kernels kernels = *counted;
    kernels.survey = count_looks<&pair_kernels::survey, &tally::surveys>;
    kernels.survey_and_sum = count_looks<&pair_kernels::survey_and_sum, &tally::sums>;
    kernels.sum_products = count_sum_products;
    kernels.sum_wide_product = count_wide;
    kernels.find_above = count_search;
    buffer a(type, n), b(type, n);
    fill(a, b, n, kind, 11);
    seen = tally();
    pair_state<plumb::default_metrics, narrow_range> state;
    add_vector(state, kernels, type, a.at(0), type, b.at(0), n);
    return seen;
}

} // namespace

TEST_CASE("tiers: tensors as models make them are read once: their sums come with the survey, block after block") {
    for (const cpu_level level : levels())
        for (const dtype type : types)
            for (const shape kind : {shape::normal, shape::relu, shape::quantised, shape::equal}) {
                INFO(name_of(level) << ", " << plumb::name_of(type) << ", " << name_of(kind));
                const tally t = run(level, type, kind);
                CHECK(t.surveys <= 10);
                CHECK(t.surveys + t.sums == 100);
                CHECK(t.two_fold <= 20);
                CHECK(t.refused <= 5);
            }
}

TEST_CASE("tiers: where the numbers leave the ranges expected of them, a block is summed again") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::scale_jump);
        CHECK(t.two_fold >= 2); // the first block, and that of the jump
        CHECK(t.refused <= 5);
    }
}

TEST_CASE("tiers: f16 never leaves the first tier: all its finite numbers fit") {
    for (const cpu_level level : levels()) CHECK(run(level, dtype::f16, shape::any_bits).refused == 0);
}

TEST_CASE("tiers: numbers of two scales take a few folds") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::two_scales);
        CHECK(t.refused >= 99);
        CHECK(t.sums <= 1);
        CHECK(t.wide == 3 * t.refused);
        CHECK(t.folds <= 4 * t.wide);
    }
}

TEST_CASE("tiers: any bit pattern takes folds until nothing is left") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::any_bits);
        CHECK(t.refused == 100);
        CHECK(t.folds >= 12 * t.wide);
    }
}

TEST_CASE("tiers: a block with a NaN or an infinity is surveyed again without it, and keeps its tier") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::nonfinite);
        CHECK(t.surveys + t.sums > 150);
        CHECK(t.refused <= 10);
    }
}

TEST_CASE("maxima: a record is searched for only in blocks that may hold one") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::normal);
        CHECK(t.searches < 60);
        CHECK(t.tiny == 0);
    }
}

TEST_CASE("maxima: where differences are as small as the filters' own errors, every pair is looked at") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::subnormal);
        CHECK(t.tiny >= 100);
    }
}
