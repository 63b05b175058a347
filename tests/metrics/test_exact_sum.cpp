#include <plumb/metrics/exact_sum.hpp>

#include "catch.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr float infinity_f32 = std::numeric_limits<float>::infinity();
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();

bool is_nan(double x) { return (plumb::detail::bit_cast<std::uint64_t>(x) & INT64_MAX) > plumb::binary64::infinity; }
} // namespace

TEST_CASE("exact_sum: of nothing is 0") {
    CHECK(plumb::exact_sum(std::vector<float>{}) == 0.0);
    CHECK(plumb::exact_norm(std::vector<float>{}) == 0.0);
    CHECK(plumb::exact_dot(std::vector<float>{}, std::vector<float>{}) == 0.0);
}

TEST_CASE("exact_sum: what cancels leaves what is left, to the last bit") {
    CHECK(plumb::exact_sum(std::vector<float>{0x1p127f, 0x1p-149f, -0x1p127f}) == 0x1p-149);
    CHECK(plumb::exact_sum(std::vector<double>{0x1p1023, 0x1p1023, 0x1p-1074, -0x1p1023, -0x1p1023}) == 0x1p-1074);
    CHECK(plumb::exact_sum(std::vector<std::int64_t>{INT64_MAX, 1, INT64_MIN}) == 0.0);
}

TEST_CASE("exact_sum: a million ones and one small number, in whatever order, round once") {
    std::vector<float> x(1 << 20, 1.0f);
    x[777] = 0x1p-30f;
    const double expected = 1048575.0 + 0x1p-30; // 20 + 30 bits: exact
    CHECK(plumb::exact_sum(x) == expected);
    plumb::exact_sum_of_narrow left, right;
    left.add(x.data(), 1000);
    right.add(x.data() + 1000, x.size() - 1000);
    right.merge(left);
    CHECK(right.value() == expected);
    CHECK(right.count() == x.size());
}

TEST_CASE("exact_norm: neither overflows nor underflows") {
    CHECK(plumb::exact_norm(std::vector<double>{0x3p1000, 0x4p1000}) == 0x5p1000);
    CHECK(plumb::exact_norm(std::vector<double>{0x3p-1070, 0x4p-1070}) == 0x5p-1070);
    CHECK(plumb::exact_norm(std::vector<plumb::float16>(10000, plumb::float16(60000.0f))) == 6000000.0);
}

TEST_CASE("exact_dot: products that cancel leave the exact rest") {
    const std::vector<float> a{0x1p100f, 3.0f, -0x1p100f}, b{0x1p100f, 5.0f, 0x1p100f};
    CHECK(plumb::exact_dot(a, b) == 15.0);
    CHECK(plumb::exact_dot(std::vector<double>{0x1p-600}, std::vector<float>{0x1p-140f}) == 0x1p-740);
    CHECK_THROWS_AS(plumb::exact_dot(a, std::vector<float>{1.0f}), std::invalid_argument);
}

TEST_CASE("exact_sum: NaN and infinities come out as IEEE arithmetic has them") {
    CHECK(plumb::exact_sum(std::vector<float>{1.0f, infinity_f32}) == infinity);
    CHECK(plumb::exact_sum(std::vector<float>{-infinity_f32, 1.0f}) == -infinity);
    CHECK(is_nan(plumb::exact_sum(std::vector<float>{infinity_f32, -infinity_f32})));
    CHECK(is_nan(plumb::exact_sum(std::vector<float>{quiet_nan})));
    CHECK(plumb::exact_norm(std::vector<float>{infinity_f32, -infinity_f32}) == infinity);
    CHECK(is_nan(plumb::exact_norm(std::vector<float>{infinity_f32, quiet_nan})));
    CHECK(is_nan(plumb::exact_dot(std::vector<float>{infinity_f32}, std::vector<float>{1.0f})));
}
