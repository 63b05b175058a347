#include <plumb/metrics/measure.hpp>
#include <plumb/metrics/pair_metrics.hpp>

#include "catch.hpp"
#include "flavour.hpp"
#include "random_pairs.hpp"
#include "same_report.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

using plumb::full_pair_metrics;
using plumb::metric;
using plumb::pair_metrics;
using plumb::pair_report;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();

template <class T, class U>
pair_report fed(const std::vector<T>& actual, const std::vector<U>& reference) {
    full_pair_metrics metrics;
    metrics.add(actual.data(), reference.data(), actual.size());
    return metrics.value();
}

pair_report fed(const std::vector<float>& actual, const std::vector<float>& reference) {
    return fed<float, float>(actual, reference);
}

} // namespace

TEST_CASE("pair_metrics: of nothing has no numbers, no indices and no error") {
    const pair_report r = full_pair_metrics().value();
    CHECK(r.count == 0);
    CHECK(r.finite_pairs == 0);
    CHECK(r.differing == 0);
    CHECK_FALSE(r.cosine_defined);
    for (const double number : {r.cosine, r.max_abs_err, r.max_rel_err, r.euclidean, r.rmse, r.rel_l2_err, r.ratio_1e3,
                                r.ratio_5e3, r.mean_abs_err, r.max_ulp_err.value_or(0), r.mean_ulp_err.value_or(0)})
        CHECK(std::isnan(number));
    for (const auto& index : {r.max_abs_err_index, r.max_rel_err_index, r.max_ulp_err_index, r.first_differing_index,
                              r.first_mismatch_index, r.first_outside_index, r.first_differing_bits_index})
        CHECK_FALSE(index.has_value());
}

TEST_CASE("pair_metrics: one pair has a cosine of 1 or -1 and is its own maximum") {
    const pair_report r = fed({-3}, {2});
    CHECK(r.cosine == -1);
    CHECK(r.max_abs_err == 5);
    CHECK(r.max_abs_err_index == 0);
    CHECK(r.max_rel_err == 2.5);
    CHECK(r.euclidean == 5);
    CHECK(r.rmse == 5);
    CHECK(r.rel_l2_err == 2.5);
    CHECK(r.mean_abs_err == 5);
    CHECK(r.differing == 1);
    CHECK(r.first_differing_index == 0);
    CHECK(fed({0.1f}, {0.7f}).cosine == 1);
}

TEST_CASE("pair_metrics: a handful of pairs, worked out by hand") {
    const pair_report r = fed({3, 0, 4, 1}, {0, 3, 4, 1}); // Σab = 17, Σa² = Σb² = 26, Σ(a−b)² = 18
    CHECK(r.cosine == 17.0 / 26);
    CHECK(r.euclidean == std::sqrt(18.0));
    CHECK(r.rmse == std::sqrt(4.5));
    CHECK(r.rel_l2_err == std::sqrt(18.0 / 26)); // the double nearest to 18/26 has this root; checked with 60 digits
    CHECK(r.max_abs_err == 3);
    CHECK(r.max_abs_err_index == 0); // ties with 1
    CHECK(r.max_rel_err == std::numeric_limits<double>::infinity());
    CHECK(r.max_rel_err_index == 0);
    CHECK(r.mean_abs_err == 1.5);
    CHECK(r.ratio_1e3 == 0.5);
    CHECK(r.ratio_5e3 == 0.5);
    CHECK(r.differing == 2);
    CHECK(r.zero_reference == 1);
}

TEST_CASE("pair_metrics: two zero vectors have the cosine 1, exactly one has none") {
    const pair_report both = fed({0, -0.0f}, {-0.0f, 0});
    CHECK(both.cosine == 1);
    CHECK(both.cosine_defined);
    CHECK(both.max_rel_err == 0);
    CHECK(both.max_rel_err_index == 0);
    CHECK(both.rel_l2_err == 0);
    CHECK(both.differing == 0);
    CHECK(both.max_ulp_err == 0.0);
    CHECK(both.ratio_1e3 == 1); // 0/0 passes
    const pair_report one = fed({0, 1}, {0, 0});
    CHECK_FALSE(one.cosine_defined);
    CHECK(std::isnan(one.cosine));
    CHECK(one.rel_l2_err == std::numeric_limits<double>::infinity());
    CHECK(one.zero_reference == 1);
    CHECK(one.ratio_1e3 == 0.5); // x/0 does not
    const pair_report other = fed({0, 0}, {0, 1});
    CHECK_FALSE(other.cosine_defined);
    CHECK(other.rel_l2_err == 1);
}

TEST_CASE("pair_metrics: orthogonal vectors have the cosine +0") {
    const double cosine = fed({1, 1}, {1, -1}).cosine;
    CHECK(cosine == 0);
    CHECK_FALSE(std::signbit(cosine));
}

TEST_CASE("pair_metrics: subnormal and largest numbers neither vanish nor overflow") {
    const float tiny = std::numeric_limits<float>::denorm_min(), huge = std::numeric_limits<float>::max();
    const pair_report small = fed({tiny, 0}, {0, tiny});
    CHECK(small.max_abs_err == 0x1p-149);
    CHECK(small.euclidean == std::sqrt(2.0) * 0x1p-149);
    CHECK(small.cosine == 0);
    const pair_report large = fed({huge}, {-huge});
    CHECK(large.cosine == -1);
    CHECK(large.max_abs_err == 0x1.fffffep128);
    CHECK(large.euclidean == 0x1.fffffep128);
    const double most = std::numeric_limits<double>::max();
    plumb::wide_full_pair_metrics wide;
    wide.add(&most, std::vector<double>{-most}.data(), 1);
    CHECK(wide.value().max_abs_err == std::numeric_limits<double>::infinity());
    CHECK(wide.value().euclidean == std::numeric_limits<double>::infinity());
    CHECK(wide.value().max_rel_err == 2);
    CHECK(wide.value().cosine == -1);
    CHECK(wide.value().max_ulp_err == 0x1.ffcp63);
}

TEST_CASE("pair_metrics: NaN and infinities are counted by side, matched or not, and kept out of the numbers") {
    const std::vector<float> a{1, quiet_nan, infinity, -infinity, quiet_nan, 2, infinity};
    const std::vector<float> b{1, quiet_nan, infinity, infinity, 1, infinity, quiet_nan};
    const pair_report r = fed(a, b);
    CHECK(r.count == 7);
    CHECK(r.finite_pairs == 1);
    CHECK(r.nonfinite_matched == 2);
    CHECK(r.nonfinite_mismatched == 4);
    CHECK(r.first_mismatch_index == 3);
    CHECK(r.actual_nonfinite.nan == 2);
    CHECK(r.actual_nonfinite.pos_inf == 2);
    CHECK(r.actual_nonfinite.neg_inf == 1);
    CHECK(r.reference_nonfinite.nan == 2);
    CHECK(r.reference_nonfinite.pos_inf == 3);
    CHECK(r.reference_nonfinite.neg_inf == 0);
    CHECK(r.differing == 4);
    CHECK(r.first_differing_index == 3);
    CHECK(r.cosine == 1);
    CHECK(r.max_abs_err == 0);
    CHECK(r.max_abs_err_index == 0);
    CHECK(r.mean_abs_err == 0);
}

TEST_CASE("pair_metrics: without a finite pair every number is NaN, but the counts are there") {
    const pair_report r = fed({quiet_nan, infinity}, {quiet_nan, 1});
    CHECK(r.finite_pairs == 0);
    CHECK(r.nonfinite_matched == 1);
    CHECK(r.nonfinite_mismatched == 1);
    CHECK(std::isnan(r.max_abs_err));
    CHECK(std::isnan(r.rmse));
    CHECK_FALSE(r.max_abs_err_index.has_value());
    CHECK_FALSE(r.cosine_defined);
}

TEST_CASE("pair_metrics: the first of equal maxima counts, as rounded") {
    CHECK(fed({1, 2, 1}, {0, 1, 2}).max_abs_err_index == 0);
    CHECK(fed({5, 1, 2}, {5, 0, 0}).max_rel_err_index == 1); // both infinite
    // 2^60 - 2^-60 and 2^60 - 2^-61 are both 2^60 as doubles, though the second error is larger.
    const pair_report r = fed({0x1p60f, 0x1p60f}, {0x1p-60f, 0x1p-61f});
    CHECK(r.max_abs_err == 0x1p60);
    CHECK(r.max_abs_err_index == 0);
}

TEST_CASE("pair_metrics: integers are integers") {
    const std::int64_t a = (std::int64_t{1} << 53) + 1, b = std::int64_t{1} << 53;
    const pair_report r = plumb::measure<plumb::full_metrics>(plumb::view<std::int64_t>(&a, 1), plumb::view<std::int64_t>(&b, 1));
    CHECK(r.max_abs_err == 1);
    CHECK(r.differing == 1);
    CHECK(r.max_ulp_err == 1.0);
    const std::uint8_t low = 1, high = 250;
    CHECK(plumb::measure(plumb::view<std::uint8_t>(&low, 1), plumb::view<std::uint8_t>(&high, 1)).max_abs_err == 249);
    const std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
    CHECK(plumb::measure(plumb::view<std::int64_t>(&least, 1), plumb::view<std::int64_t>(&most, 1)).max_abs_err == 0x1p64);
    const bool yes[] = {true, true}, mixed[] = {true, false};
    CHECK(plumb::measure(yes, mixed).differing == 1);
}

TEST_CASE("pair_metrics: the two sides may have different types, each widened exactly") {
    const std::vector<plumb::bfloat16> a{plumb::bfloat16(1.5f), plumb::bfloat16(-2.0f)};
    const std::vector<float> b{1.5f, -2.5f};
    const pair_report r = fed(a, b);
    CHECK(r.max_abs_err == 0.5);
    CHECK(r.max_abs_err_index == 1);
    CHECK_FALSE(r.max_ulp_err.has_value());
    CHECK_FALSE(r.mean_ulp_err.has_value());
    CHECK_FALSE(r.max_ulp_err_index.has_value());
}

TEST_CASE("pair_metrics: without a finite pair the ULP error is NaN, as every error is, and absent between two formats") {
    const pair_report same = fed({quiet_nan, 1}, {1, quiet_nan});
    REQUIRE(same.max_ulp_err.has_value());
    CHECK(std::isnan(*same.max_ulp_err));
    CHECK(std::isnan(same.mean_ulp_err.value()));
    CHECK_FALSE(same.max_ulp_err_index.has_value());
    const std::size_t n = GENERATE(1u, 40u);
    const pair_report mixed = fed(std::vector<plumb::bfloat16>(n, plumb::bfloat16(quiet_nan)), std::vector<float>(n, quiet_nan));
    CHECK(mixed.nonfinite_matched == n);
    CHECK_FALSE(mixed.max_ulp_err.has_value());
    CHECK_FALSE(mixed.mean_ulp_err.has_value());
}

TEST_CASE("pair_metrics: distances in representable values count through zero") {
    const float tiny = std::numeric_limits<float>::denorm_min();
    const pair_report r = fed({-tiny, 1, 0}, {tiny, std::nextafter(1.0f, 2.0f), -0.0f});
    CHECK(r.max_ulp_err == 2.0);
    CHECK(r.max_ulp_err_index == 0);
    CHECK(r.mean_ulp_err == 1.0);
}

TEST_CASE("pair_metrics: the alias of a single metric gives the number that the full set gives") {
    random_engine random(31);
    for (int i = 0; i < 33; ++i) {
        const auto kind = static_cast<pair_kind>(i % static_cast<int>(pair_kind::count));
        const buffer_pair pair = random_pair(random, kind, plumb::dtype::f32, plumb::dtype::bf16, 300);
        const auto value_of = [&](auto metrics) {
            metrics.add(pair.actual.view(), pair.reference.view());
            return metrics.value();
        };
        const pair_report all = value_of(full_pair_metrics());
        pair_report expected;
        expected.count = all.count;
        expected.finite_pairs = all.finite_pairs;
        expected.actual_nonfinite = all.actual_nonfinite;
        expected.reference_nonfinite = all.reference_nonfinite;
        expected.nonfinite_matched = all.nonfinite_matched;
        expected.nonfinite_mismatched = all.nonfinite_mismatched;
        expected.first_mismatch_index = all.first_mismatch_index;
        pair_report only = expected;
        only.cosine = all.cosine;
        only.cosine_defined = all.cosine_defined;
        CHECK(difference_of(value_of(plumb::cosine()), only) == "");
        only = expected;
        only.max_abs_err = all.max_abs_err;
        only.max_abs_err_index = all.max_abs_err_index;
        CHECK(difference_of(value_of(plumb::max_abs_err()), only) == "");
        only = expected;
        only.max_rel_err = all.max_rel_err;
        only.max_rel_err_index = all.max_rel_err_index;
        CHECK(difference_of(value_of(plumb::max_rel_err()), only) == "");
        CHECK(difference_of(value_of(plumb::basic_pair_metrics<metric::none>()), expected) == "");
        const pair_report wide = value_of(plumb::wide_full_pair_metrics());
        CHECK(difference_of(wide, all) == "");
    }
}

TEST_CASE("pair_metrics: what is not in the set costs no memory") {
    CHECK(sizeof(plumb::max_abs_err) <= 128);
    CHECK(sizeof(plumb::cosine) <= 3 * 80 + 128);
    CHECK(sizeof(pair_metrics) < sizeof(full_pair_metrics));
}

TEST_CASE("pair_metrics: is trivially copyable, so that it can be sent as bytes") {
    CHECK(std::is_trivially_copyable_v<pair_metrics>);
    CHECK(std::is_trivially_copyable_v<full_pair_metrics>);
    CHECK(std::is_trivially_copyable_v<plumb::wide_full_pair_metrics>);
    CHECK(std::is_trivially_copyable_v<wide_metrics>);
}

TEST_CASE("pair_metrics: any cut, merged in any order at its offset, gives the same bits") {
    const std::vector<float> a{1, 5, 2, 8, 2, 8}, b{0, 1, 1, 4, 6, 4};
    const pair_report whole = fed(a, b);
    const auto cut = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{6});
    full_pair_metrics left, right;
    left.add(a.data(), b.data(), cut);
    right.add(a.data() + cut, b.data() + cut, a.size() - cut);

    full_pair_metrics in_order = left, out_of_order, reduced;
    in_order.merge(right);
    out_of_order.merge(right, cut);
    out_of_order.merge(left, 0);
    reduced.merge(right.shifted(cut), 0);
    reduced.merge(left.shifted(0), 0);
    CHECK(difference_of(in_order.value(), whole) == "");
    CHECK(difference_of(out_of_order.value(), whole) == "");
    CHECK(difference_of(reduced.value(), whole) == "");
    CHECK(in_order.count() == 6);
}

TEST_CASE("pair_metrics: merging with itself counts everything twice, at the places behind") {
    full_pair_metrics metrics;
    const float a[] = {1, 2}, b[] = {1, 3};
    metrics.add(a, b, 2);
    metrics.merge(metrics);
    const pair_report r = metrics.value();
    CHECK(r.count == 4);
    CHECK(r.differing == 2);
    CHECK(r.max_abs_err_index == 1);
    CHECK(r.euclidean == std::sqrt(2.0));
    CHECK(difference_of(r, fed({1, 2, 1, 2}, {1, 3, 1, 3})) == "");
}

TEST_CASE("pair_metrics: positions beyond 2^32 are kept") {
    full_pair_metrics part, whole;
    const float a = 1, b = 2;
    part.add(&a, &b, 1);
    whole.merge(part, std::uint64_t{5} << 32);
    CHECK(whole.value().max_abs_err_index == std::uint64_t{5} << 32);
    CHECK(whole.value().first_differing_index == std::uint64_t{5} << 32);
}

TEST_CASE("pair_metrics: buffers of different lengths or shapes are refused, with both named") {
    pair_metrics metrics;
    const std::vector<float> two(2), three(3);
    CHECK_THROWS_AS(metrics.add(plumb::view<float>(two), plumb::view<float>(three)), std::invalid_argument);
    std::string message;
    try {
        metrics.add(plumb::tensor_view(plumb::dtype::f32, two.data(), {2, 3}),
                    plumb::tensor_view(plumb::dtype::f32, two.data(), {3, 2}));
    } catch (const std::invalid_argument& error) {
        message = error.what();
    }
    CHECK(message == "plumb: shapes differ: actual [2, 3], reference [3, 2]");
    CHECK(metrics.count() == 0);
    const std::vector<double> wide(2);
    CHECK_THROWS_AS(metrics.add(wide, wide), std::invalid_argument); // 64-bit elements need a wide accumulator
}

TEST_CASE("measure: strides are storage alone: positions count in row-major order of the shape") {
    const float a[] = {1, 4, 2, 5, 3, 9}, b[] = {1, 2, 3, 4, 5, 6}; // a in Fortran order: {{1, 2, 3}, {4, 5, 9}}
    const plumb::tensor_view fortran(plumb::dtype::f32, a, {2, 3}, {4, 8}), c(plumb::dtype::f32, b, {2, 3});
    const pair_report r = plumb::measure(fortran, c);
    CHECK(r.max_abs_err == 3);
    CHECK(r.max_abs_err_index == 5);
    CHECK(r.differing == 1);
    const plumb::tensor_view column(plumb::dtype::f32, b, {2, 3}, {4, 0}); // {{1, 1, 1}, {2, 2, 2}}
    CHECK(plumb::measure(column, fortran).max_abs_err_index == 5);
}

TEST_CASE("measure: strided and contiguous tensors of all types give the same report") {
    random_engine random(32);
    for (const plumb::dtype type :
         {plumb::dtype::f16, plumb::dtype::bf16, plumb::dtype::f32, plumb::dtype::f64, plumb::dtype::i8}) {
        const buffer_pair pair = random_pair(random, pair_kind::nonfinite, type, type, 60 * 70);
        const auto size = static_cast<std::int64_t>(plumb::size_of(type));
        buffer turned{type, std::vector<unsigned char>(pair.actual.bytes.size())}; // the actual side, transposed
        for (std::size_t i = 0; i < 60; ++i)
            for (std::size_t j = 0; j < 70; ++j)
                std::memcpy(turned.bytes.data() + (j * 60 + i) * static_cast<std::size_t>(size), pair.actual.at(i * 70 + j),
                            static_cast<std::size_t>(size));
        const plumb::tensor_view strided(type, turned.bytes.data(), {60, 70}, {size, 60 * size});
        const plumb::tensor_view plain(type, pair.actual.bytes.data(), {60, 70});
        const plumb::tensor_view reference(type, pair.reference.bytes.data(), {60, 70});
        const auto all = [&](const plumb::tensor_view& actual) { return plumb::measure<plumb::all_metrics>(actual, reference); };
        CHECK(difference_of(all(strided), all(plain)) == "");
    }
}

TEST_CASE("measure: a tolerance that is negative, infinite or NaN is refused") {
    const float a[] = {1};
    for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        CHECK_THROWS_AS(plumb::measure<plumb::all_metrics>(a, a, {bad, 0}), std::invalid_argument);
        CHECK_THROWS_AS(plumb::measure<plumb::all_metrics>(a, a, {0, bad}), std::invalid_argument);
    }
}
