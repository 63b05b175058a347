#include <plumb/guard/find_nonfinite.hpp>

#include "catch.hpp"

#include <plumb/types/small_float.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();

/// All patterns of a 16-bit format, one after the other.
std::vector<std::uint16_t> all_patterns() {
    std::vector<std::uint16_t> all(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    return all;
}

} // namespace

TEST_CASE("find_nonfinite: of all 16-bit patterns alone, exactly those with the largest exponent are found") {
    const auto type = GENERATE(plumb::dtype::f16, plumb::dtype::bf16);
    const std::uint16_t exponent = type == plumb::dtype::f16 ? 0x7c00 : 0x7f80;
    std::size_t wrong = 0;
    for (const std::uint16_t pattern : all_patterns()) {
        const bool found = plumb::find_nonfinite(plumb::tensor_view(type, &pattern, plumb::extents{})).has_value();
        wrong += found != ((pattern & exponent) == exponent);
    }
    CHECK(wrong == 0);
}

TEST_CASE("find_nonfinite: of all 8-bit patterns, e5m2 has 8 that are not finite, e4m3fn 2") {
    std::vector<std::uint8_t> e5m2, e4m3fn;
    for (unsigned i = 0; i < 256; ++i) {
        const auto pattern = static_cast<std::uint8_t>(i);
        if (plumb::find_nonfinite({plumb::dtype::f8_e5m2, &pattern, plumb::extents{}})) e5m2.push_back(pattern);
        if (plumb::find_nonfinite({plumb::dtype::f8_e4m3fn, &pattern, plumb::extents{}})) e4m3fn.push_back(pattern);
    }
    CHECK(e5m2 == std::vector<std::uint8_t>{0x7c, 0x7d, 0x7e, 0x7f, 0xfc, 0xfd, 0xfe, 0xff});
    CHECK(e4m3fn == std::vector<std::uint8_t>{0x7f, 0xff});
}

TEST_CASE("find_nonfinite: gives the first position, in whatever block it is") {
    std::vector<float> data(10000, 3e38f);
    const auto at =
        GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1024}, std::size_t{8191}, std::size_t{9999});
    const auto bad = GENERATE(values<float>({infinity, -infinity, quiet_nan, -quiet_nan}));
    data[at] = bad;
    data[9999] = bad;
    CAPTURE(at, bad);
    const auto found = plumb::find_nonfinite(data);
    REQUIRE(found);
    CHECK(*found == at);
}

TEST_CASE("find_nonfinite: positions count in row-major order, whatever the strides") {
    std::vector<double> data(6000, 1.0);
    data[3002] = std::numeric_limits<double>::infinity();
    const plumb::extents shape{2000, 3}, strides{8, 16000};
    const plumb::tensor_view columns(plumb::dtype::f64, data.data(), shape, strides);
    // Element 3002 of the memory is column 1, row 1002.
    CHECK(plumb::find_nonfinite(columns) == std::uint64_t{1002 * 3 + 1});
}

TEST_CASE("find_nonfinite: integers, bool and empty tensors hold none") {
    const std::vector<std::int32_t> all_ones(100, -1);
    CHECK(!plumb::find_nonfinite(all_ones));
    CHECK(!plumb::find_nonfinite(plumb::tensor_view(plumb::dtype::boolean, all_ones.data(), {4})));
    CHECK(!plumb::find_nonfinite(std::vector<float>{}));
}

TEST_CASE("kinds_of_nonfinite: tells NaN and the two infinities apart") {
    const auto kinds = plumb::kinds_of_nonfinite(std::vector<float>{1, -infinity, 2, quiet_nan});
    CHECK(kinds.nan);
    CHECK(kinds.neg_inf);
    CHECK(!kinds.pos_inf);
    const auto none = plumb::kinds_of_nonfinite(std::vector<float>{1, 0});
    CHECK((!none.nan && !none.pos_inf && !none.neg_inf));
}

TEST_CASE("find_saturated: counts the largest finite magnitude of either sign, not infinities") {
    const std::vector<std::uint16_t> patterns{0x7bff, 0x7c00, 0xfbff, 0x7bfe, 0xfc00, 0x7e00, 0x7bff}; // 65504 is 0x7bff
    const auto found = plumb::find_saturated({plumb::dtype::f16, patterns.data(), {7}});
    CHECK(found.count == 3);
    CHECK(found.first == std::uint64_t{0});
    const std::vector<float> floats{1.0f, std::numeric_limits<float>::max(), infinity};
    CHECK(plumb::find_saturated(floats).count == 1);
    CHECK(plumb::find_saturated(floats).first == std::uint64_t{1});
    CHECK(plumb::find_saturated(std::vector<std::int8_t>{127, -128}).count == 0);
}
