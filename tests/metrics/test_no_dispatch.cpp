// A file of a program may do without run-time dispatch while others use it.
#define PLUMB_NO_DISPATCH
#include <plumb/metrics.hpp>

#include "catch.hpp"

#include <cstdint>
#include <vector>

TEST_CASE("PLUMB_NO_DISPATCH: what the compiler was told about is the best there is, and PLUMB_CPU cannot ask for more") {
    using plumb::cpu_level;
    const cpu_level best = PLUMB_HAS_XSIMD ? cpu_level::portable : cpu_level::scalar;
    CHECK(plumb::best_cpu_level() == best);
    CHECK(plumb::parse_cpu_level("avx512ifma", plumb::best_cpu_level()) == best);
    CHECK(plumb::active_cpu_level() <= best);
    for (const cpu_level level : {cpu_level::avx2, cpu_level::avx512, cpu_level::avx512ifma})
        CHECK(plumb::kernels::tensor_kernels_of(level) == nullptr);
}

TEST_CASE("PLUMB_NO_DISPATCH: the numbers are the same") {
    std::vector<float> actual(5000), reference(5000);
    for (std::size_t i = 0; i < actual.size(); ++i) {
        reference[i] = static_cast<float>(i % 7) - 3.0f; // each seven of them add up to 0, and their squares to 28
        actual[i] = reference[i];
    }
    actual[4000] += 0.5f;                                           // reference[4000] is 0
    const plumb::pair_report r = plumb::measure(actual, reference); // 714 sevens, then −3 and −2
    CHECK(r.max_abs_err == 0.5);
    CHECK(r.max_abs_err_index == 4000);
    CHECK(r.euclidean == 0.5);
    const plumb::tensor_report s = plumb::summarize(reference);
    CHECK(s.mean == -5.0 / 5000);
    CHECK(s.zeros == 714);
    CHECK(s.max == 3);
    CHECK(plumb::exact_dot(reference, reference) == 714 * 28 + 9 + 4);
}
