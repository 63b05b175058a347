#include <plumb/metrics/parallel_measure.hpp>

#include "catch.hpp"
#include "same_report.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace {

struct tensors {
    std::vector<float> a, b;
};

tensors some_tensors(std::size_t n) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    tensors t;
    for (std::size_t i = 0; i < n; ++i) {
        t.a.push_back(normal(random));
        t.b.push_back(t.a.back() + 0.01f * normal(random));
    }
    t.b[n / 2] = std::numeric_limits<float>::quiet_NaN();
    t.a[n - 5] = 100.0f;
    return t;
}

} // namespace

TEST_CASE("measure: any number of threads gives the report of one, positions included") {
    const tensors t = some_tensors(3 * plumb::parallel_part + 77);
    const plumb::pair_report expected = plumb::measure(t.a, t.b);
    CHECK(expected.max_abs_err_index == t.a.size() - 5);
    for (const unsigned count : {1u, 2u, 3u, 8u}) {
        const plumb::pair_report got = plumb::measure(t.a, t.b, plumb::threads(count));
        CHECK(report_difference(got, expected).text() == "");
    }
}

TEST_CASE("measure: an executor of the caller's may take the parts in any order") {
    const tensors t = some_tensors(4 * plumb::parallel_part);
    std::vector<std::size_t> order;
    const auto backwards = [&](std::size_t parts, auto&& f) {
        for (std::size_t i = parts; i-- > 0;) {
            order.push_back(i);
            f(i);
        }
    };
    const auto got = plumb::measure_parallel<plumb::full_metrics>(t.a, t.b, backwards);
    CHECK(order == std::vector<std::size_t>{3, 2, 1, 0});
    CHECK(report_difference(got, plumb::measure<plumb::full_metrics>(t.a, t.b)).text() == "");
}

TEST_CASE("measure: different shapes are refused on several threads too") {
    const tensors t = some_tensors(100);
    CHECK_THROWS_AS(plumb::measure(t.a, std::vector<float>(99), plumb::threads(2)), std::invalid_argument);
    CHECK_THROWS_AS(plumb::threads(0), std::invalid_argument);
}
