#include <plumb/metrics/tensor_statistics.hpp>

#include "catch.hpp"
#include "random_pairs.hpp"
#include "same_report.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

using plumb::tensor_report;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();

} // namespace

TEST_CASE("summarize: of nothing has no numbers") {
    const tensor_report r = plumb::summarize(plumb::view<float>());
    CHECK(r.count == 0);
    CHECK(r.finite == 0);
    CHECK(std::isnan(r.min));
    CHECK(std::isnan(r.norm));
    CHECK_FALSE(r.first_nonfinite_index.has_value());
}

TEST_CASE("summarize: a handful of numbers, worked out by hand") {
    const float x[] = {-2, 1, 4, 2};
    const tensor_report r = plumb::summarize(x);
    CHECK(r.min == -2);
    CHECK(r.max == 4);
    CHECK(r.mean == 1.25);
    CHECK(r.norm == 5);
    CHECK(r.finite == 4);
}

TEST_CASE("summarize: NaN and infinities are counted and kept out of the numbers") {
    const float x[] = {1, quiet_nan, 3, -infinity, infinity, infinity};
    const tensor_report r = plumb::summarize(x);
    CHECK(r.count == 6);
    CHECK(r.finite == 2);
    CHECK(r.nonfinite.nan == 1);
    CHECK(r.nonfinite.pos_inf == 2);
    CHECK(r.nonfinite.neg_inf == 1);
    CHECK(r.first_nonfinite_index == 1);
    CHECK(r.max == 3);
    CHECK(r.mean == 2);
}

TEST_CASE("summarize: zeros of both signs, subnormal numbers and the largest ones are counted") {
    const float tiny = std::numeric_limits<float>::denorm_min(), least = std::numeric_limits<float>::min();
    const float huge = std::numeric_limits<float>::max();
    const float x[] = {0, -0.0f, tiny, -tiny, least, huge, -huge};
    const tensor_report r = plumb::summarize(x);
    CHECK(r.zeros == 2);
    CHECK(r.subnormals == 2);
    CHECK(r.saturated == 2);
    CHECK(r.mean == 0x1p-126 / 7); // all else cancels
    const float only_zero[] = {-0.0f};
    CHECK_FALSE(std::signbit(plumb::summarize(only_zero).min));
    const std::int32_t integers[] = {std::numeric_limits<std::int32_t>::max(), 0};
    CHECK(plumb::summarize(integers).saturated == 0);
    CHECK(plumb::summarize(integers).zeros == 1);
}

TEST_CASE("summarize: the norm of an fp16 tensor does not overflow, nor does its mean") {
    const std::vector<plumb::float16> x(65536, plumb::float16(32768.0f));
    const tensor_report r = plumb::summarize(x);
    CHECK(r.mean == 32768);
    CHECK(r.norm == 256.0 * 32768);
}

TEST_CASE("tensor_statistics: any cut, merged in any order at its offset, gives the same bits") {
    random_engine random(41);
    for (const plumb::dtype type :
         {plumb::dtype::f16, plumb::dtype::bf16, plumb::dtype::f32, plumb::dtype::f64, plumb::dtype::u64}) {
        const buffer x = random_pair(random, pair_kind::nonfinite, type, type, 1000).actual;
        const tensor_report whole = plumb::summarize(x.view());
        for (const std::int64_t cut : {0, 1, 333, 1000}) {
            const plumb::tensor_view front(type, x.at(0), {cut});
            const plumb::tensor_view back(type, x.bytes.data() + static_cast<std::size_t>(cut) * plumb::size_of(type),
                                          {1000 - cut});
            plumb::wide_tensor_statistics left, right, in_order, out_of_order;
            left.add(front);
            right.add(back);
            in_order.merge(left);
            in_order.merge(right);
            out_of_order.merge(right, static_cast<std::uint64_t>(cut));
            out_of_order.merge(left, 0);
            CHECK(difference_of(in_order.value(), whole) == "");
            CHECK(difference_of(out_of_order.value(), whole) == "");
        }
    }
}

TEST_CASE("tensor_statistics: a strided tensor is summed like its copy") {
    const float x[] = {1, 2, 3, 4, 5, quiet_nan};
    const plumb::tensor_view columns(plumb::dtype::f32, x, {3, 2}, {4, 12}); // {{1, 4}, {2, 5}, {3, NaN}}
    const tensor_report r = plumb::summarize(columns);
    CHECK(r.mean == 3);
    CHECK(r.first_nonfinite_index == 5);
}

TEST_CASE("tensor_statistics: elements of 64 bits need the wide form") {
    plumb::tensor_statistics narrow;
    const double x[] = {1};
    CHECK_THROWS_AS(narrow.add(plumb::tensor_view(x)), std::invalid_argument);
    CHECK(std::is_trivially_copyable_v<plumb::wide_tensor_statistics>);
}
