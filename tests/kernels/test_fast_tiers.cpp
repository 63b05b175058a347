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
    int two_fold = 0, refused = 0, wide = 0, windows = 0, surveys = 0, searches = 0, tiny = 0;
};
tally seen;
const pair_kernels* counted = nullptr;

bool count_sum_products(const float* a, const float* b, std::size_t n, block_range ra, block_range rb, product_steps& sums) {
    const bool fits = counted->sum_products(a, b, n, ra, rb, sums);
    ++(fits ? seen.two_fold : seen.refused);
    return fits;
}
void count_wide(const float* x, const float* y, std::size_t n, int low, int high, exact_steps& sum) {
    counted->sum_wide_product(x, y, n, low, high, sum);
    ++seen.wide;
    seen.windows += sum.count / 4;
}
void count_survey(const void* a, const void* b, std::size_t n, const pair_limits& limits, float* wa, float* wb,
                  block_survey& survey) {
    counted->survey_f32(a, b, n, limits, wa, wb, survey);
    ++seen.surveys;
}
std::size_t count_search(const float* a, const float* b, std::size_t from, std::size_t n, const pair_limits& limits, bool tiny) {
    ++seen.searches;
    seen.tiny += tiny;
    return counted->find_above(a, b, from, n, limits, tiny);
}

/// What a level does with 100 blocks of a shape.
tally run(cpu_level level, dtype type, shape kind) {
    constexpr std::size_t n = 100 * block_pairs;
    counted = pair_kernels_of<survey_parts(plumb::default_metrics)>(level);
    pair_kernels kernels = *counted;
    kernels.sum_products = count_sum_products;
    kernels.sum_wide_product = count_wide;
    kernels.survey_f32 = count_survey;
    kernels.find_above = count_search;
    buffer a(type, n), b(type, n);
    fill(a, b, n, kind, 11);
    seen = tally();
    pair_state<plumb::default_metrics, narrow_range> state;
    add_vector(state, kernels, type, a.at(0), type, b.at(0), n);
    return seen;
}

} // namespace

TEST_CASE("tiers: tensors as models make them take two folds a product, block after block") {
    for (const cpu_level level : levels())
        for (const dtype type : types)
            for (const shape kind : {shape::normal, shape::relu, shape::quantised, shape::equal}) {
                INFO(name_of(level) << ", " << plumb::name_of(type) << ", " << name_of(kind));
                CHECK(run(level, type, kind).two_fold >= 97);
            }
}

TEST_CASE("tiers: f16 never leaves the first tier: all its finite numbers fit") {
    for (const cpu_level level : levels()) CHECK(run(level, dtype::f16, shape::any_bits).refused == 0);
}

TEST_CASE("tiers: numbers of two scales take four folds in one window") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::two_scales);
        CHECK(t.refused >= 99);
        CHECK(t.wide == 3 * t.refused);
        CHECK(t.windows == t.wide);
    }
}

TEST_CASE("tiers: any bit pattern takes several windows") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::any_bits);
        CHECK(t.refused == 100);
        CHECK(t.windows >= 4 * t.wide);
    }
}

TEST_CASE("tiers: a block with a NaN or an infinity is surveyed again without it, and keeps its tier") {
    for (const cpu_level level : levels()) {
        const tally t = run(level, dtype::f32, shape::nonfinite);
        CHECK(t.surveys > 150);
        CHECK(t.two_fold > 90);
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
