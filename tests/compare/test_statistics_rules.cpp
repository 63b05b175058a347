#include "catch.hpp"

#include <plumb/compare/statistics_rules.hpp>

#include <limits>
#include <string>

using plumb::agreement;
using plumb::classify_statistics;
using plumb::outcome;
using plumb::recorded_statistics;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity(), quiet_nan = std::numeric_limits<double>::quiet_NaN();
}

TEST_CASE("classify_statistics: equal and nearly equal statistics pass, and say what they are") {
    const auto judged = classify_statistics({2.0, -1.0, 0.5, 3.0}, {2.0, -1.5, 0.5, 3.0});
    CHECK(judged.result() == outcome::pass);
    CHECK(judged.why() == "statistics only");
}

TEST_CASE("classify_statistics: a change by more than half of the larger one is a warning") {
    CHECK(classify_statistics({2.0, -1.0, 0.5, 3.0}, {2.0, -1.0, 0.25, 3.0}).result() == outcome::pass); // exactly half
    CHECK(classify_statistics({2.0, -1.0, 0.5, 3.0}, {2.0, -1.0, 0.24, 3.0}).result() == outcome::warn);
    CHECK(classify_statistics({2.0, -1.0, -0.1, 3.0}, {2.0, -1.0, -0.5, 3.0}).result() ==
          outcome::warn); // of two negative ones too
    CHECK(classify_statistics({0.0, 0.0, 0.0, 0.0}, {1e-12, 0.0, 0.0, 0.0}).result() == outcome::pass); // below 1e-10
}

TEST_CASE("classify_statistics: a NaN or an infinity among the elements of one side alone fails") {
    CHECK(classify_statistics({infinity, -1.0, infinity, infinity}, {7.0, -1.0, 1.0, 8.0}).result() == outcome::fail);
    CHECK(classify_statistics({1.0, -1.0, 0.0, 2.0}, {quiet_nan, quiet_nan, quiet_nan, quiet_nan}).result() == outcome::fail);
    CHECK(classify_statistics({quiet_nan, quiet_nan, quiet_nan, quiet_nan}, {quiet_nan, quiet_nan, quiet_nan, quiet_nan})
              .result() == outcome::pass);
}

TEST_CASE("classify_statistics: infinities of other signs are other elements") {
    CHECK(classify_statistics({-infinity, -infinity, -infinity, infinity}, {infinity, -infinity, quiet_nan, infinity}).result() ==
          outcome::fail);
    CHECK(classify_statistics({infinity, -1.0, infinity, infinity}, {infinity, -1.0, infinity, infinity}).result() ==
          outcome::pass);
}

TEST_CASE("classify_statistics: a norm is NaN only if an element is, so on one side alone it fails") {
    CHECK(classify_statistics({7.0, -1.0, 1.0, quiet_nan}, {7.0, -1.0, 1.0, 8.0}).why() ==
          "statistics only: norm is nan, reference 8");
}

TEST_CASE("classify_statistics: a mean beside finite max and min overflowed in its own type, a lone one tells of elements") {
    CHECK(classify_statistics({7.0, -7.0, quiet_nan, 8.0}, {7.0, -7.0, 1.0, 8.0}).result() == outcome::warn);
    CHECK(classify_statistics({{}, {}, quiet_nan, {}}, {{}, {}, 1.0, {}}).result() == outcome::fail);
    CHECK(classify_statistics({{}, {}, {}, infinity}, {{}, {}, {}, 1.0}).result() == outcome::fail);
}

TEST_CASE("classify_statistics: a norm alone that overflowed is a warning") {
    CHECK(classify_statistics({700.0, -163.0, 7.5, infinity}, {700.0, -163.0, 7.5, 732.5}).result() == outcome::warn);
}

TEST_CASE("classify_statistics: a changed mask is seen, absent statistics decide nothing") {
    CHECK(classify_statistics({true, false, {}, {}}, {true, true, {}, {}}).result() == outcome::warn);
    CHECK(classify_statistics({true, false, {}, {}}, {true, false, {}, {}}).result() == outcome::pass);
    CHECK(classify_statistics({}, {1.0, 1.0, 1.0, 1.0}).result() == outcome::undefined);
    CHECK(classify_statistics({1.0, 1.0, 1.0, {}}, {1.0, 1.0, 1.0, 2.0}).result() == outcome::pass); // old files have no norm
}

TEST_CASE("agreement_of: equal entries are the same, also NaN and words") {
    const recorded_statistics a{2.0, -1.0, quiet_nan, std::string("Nan")};
    CHECK(plumb::agreement_of(a, a) == agreement::same);
    CHECK(plumb::agreement_of({2.0, -1.0, 0.5, 3.0}, {2.0, -1.0, 0.5, 3.0000000000000004}) == agreement::different);
    CHECK(plumb::agreement_of({}, {}) == agreement::unknown);
}

TEST_CASE("agreement_of: between types, mean and norm may differ by the rounding of the coarser") {
    const double f16 = 0x1p-11;
    CHECK(plumb::agreement_of({7.0, -1.625, 0.038848876953125, 9.734375}, {7.0, -1.625, 0.0388530083, 9.7356357}, f16) ==
          agreement::same);
    CHECK(plumb::agreement_of({7.0, -1.625, 0.038848876953125, 9.734375}, {7.0, -1.625, 0.0388530083, 9.7356357}) ==
          agreement::different);
    CHECK(plumb::agreement_of({7.0, -1.625, 0.03, infinity}, {7.0, -1.625, 0.03, 70000.0}, f16) == agreement::same);
    CHECK(plumb::agreement_of({7.0, -1.6251, 0.03, 9.0}, {7.0, -1.625, 0.03, 9.0}, f16) == agreement::different);
}

TEST_CASE("relative_change: neither overflows nor loses the largest numbers") {
    const double largest = std::numeric_limits<double>::max();
    CHECK(plumb::relative_change(largest, -largest) == 2.0);
    CHECK(plumb::relative_change(largest, largest) == 0.0);
    CHECK(plumb::relative_change(infinity, 1.0) == infinity);
    CHECK(plumb::relative_change(infinity, infinity) == 0.0);
}

TEST_CASE("seed_statistics: NaN and infinities go into all that they touch") {
    plumb::tensor_report report;
    report.count = 3;
    report.finite = 2;
    report.min = -1;
    report.max = 2;
    report.mean = 0.5;
    report.norm = 2.5;
    report.nonfinite.pos_inf = 1;
    const auto with_inf = plumb::seed_statistics(report);
    CHECK(plumb::number_of(with_inf.max) == infinity);
    CHECK(plumb::number_of(with_inf.min) == -1.0);
    CHECK(plumb::number_of(with_inf.mean) == infinity);
    CHECK(plumb::number_of(with_inf.norm) == infinity);
    report.nonfinite.nan = 1;
    CHECK(plumb::detail::is_nan_value(*plumb::number_of(plumb::seed_statistics(report).max)));
    CHECK_FALSE(plumb::number_of(plumb::seed_statistics(plumb::tensor_report{}).max)); // nothing of nothing
}
