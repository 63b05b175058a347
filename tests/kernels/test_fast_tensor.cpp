#include <plumb/kernels/add_tensor.hpp>

#include "catch.hpp"
#include "kernels/fast_pairs.hpp"

#include <limits>
#include <random>

using namespace fast_pairs;
using namespace plumb::kernels;
using plumb::cpu_level;
using plumb::dtype;

namespace {

std::string difference_of(const statistics_state<narrow_range>& x, const statistics_state<narrow_range>& y) {
    std::string names;
    const auto expect = [&](bool equal, const char* name) { names += equal ? "" : std::string(" ") + name; };
    expect(x.count == y.count && x.finite == y.finite, "count");
    expect(x.zeros == y.zeros, "zeros");
    expect(x.subnormals == y.subnormals, "subnormals");
    expect(x.saturated == y.saturated, "saturated");
    expect(x.first_nonfinite == y.first_nonfinite, "first_nonfinite");
    expect(x.nonfinite.nan == y.nonfinite.nan && x.nonfinite.pos_inf == y.nonfinite.pos_inf &&
               x.nonfinite.neg_inf == y.nonfinite.neg_inf,
           "nonfinite");
    expect(x.min_key == y.min_key, "min");
    expect(x.max_key == y.max_key, "max");
    expect(x.sum == y.sum, "sum");
    expect(x.squares == y.squares, "squares");
    return names;
}

} // namespace

TEST_CASE("add_tensor: every level gives the specification's state") {
    for (const std::size_t n : {0u, 1u, 31u, 32u, 33u, 1000u, 1023u, 1024u, 1025u, 4000u})
        for (int kind = 0; kind < shape_count; ++kind)
            for (const dtype type : types) {
                buffer a(type, n), unused(type, n);
                fill(a, unused, n, static_cast<shape>(kind), n + 17);
                for (const cpu_level level : levels()) {
                    statistics_state<narrow_range> expected, got;
                    add_scalar(expected, type, a.at(0), n);
                    add_tensor_at(level, got, type, a.at(0), n / 3);
                    add_tensor_at(level, got, type, a.at(n / 3), n - n / 3);
                    INFO(name_of(level) << ", " << name_of(static_cast<shape>(kind)) << ", " << plumb::name_of(type)
                                        << ", n = " << n);
                    const std::string wrong = difference_of(expected, got);
                    if (!wrong.empty()) CHECK(wrong == "");
                }
            }
    SUCCEED();
}

namespace {

/// 2^exponent plus `ulps` representable values, in a type.
void set_near(buffer& to, std::size_t i, int exponent, int ulps, bool negative) {
    const auto pattern_in = [&](auto format) {
        using f = decltype(format);
        const int biased = exponent + f::bias;
        const std::int64_t one = biased > 0                      ? std::int64_t{biased} << f::fraction_bits
                                 : biased + f::fraction_bits > 0 ? std::int64_t{1} << (biased + f::fraction_bits - 1)
                                                                 : 0;
        const std::int64_t size = one + ulps < 0 ? 0 : one + ulps > f::largest ? f::largest : one + ulps;
        return static_cast<std::uint32_t>(size) | (negative ? f::sign_mask : 0u);
    };
    to.set_bits(i, to.type == dtype::f32   ? pattern_in(plumb::binary32{})
                   : to.type == dtype::f16 ? pattern_in(plumb::binary16{})
                                           : pattern_in(plumb::brain16{}));
}

void check_levels(const buffer& a, std::size_t n, const char* what, int exponent) {
    statistics_state<narrow_range> expected;
    add_scalar(expected, a.type, a.at(0), n);
    for (const cpu_level level : levels()) {
        statistics_state<narrow_range> got;
        add_tensor_at(level, got, a.type, a.at(0), n);
        const std::string wrong = difference_of(expected, got);
        INFO(name_of(level) << ", " << plumb::name_of(a.type) << ", " << what << " 2^" << exponent);
        if (!wrong.empty()) CHECK(wrong == "");
    }
}

} // namespace

TEST_CASE("add_tensor: one number beyond either edge of what was there before is summed exactly") {
    // After a first block of numbers between 1 and 4, everything that one block may hold besides: each power of two and its
    // neighbours, alone, among numbers that fill all places of the sums, and with both signs.
    constexpr std::size_t n = 3 * block_pairs;
    for (const dtype type : types) {
        buffer filled(type, n);
        std::mt19937 random(9);
        for (std::size_t i = 0; i < n; ++i) {
            set_near(filled, i, static_cast<int>(random() % 2), static_cast<int>(random() % 100), random() % 2 != 0);
            if (i >= block_pairs && i < 2 * block_pairs) filled.set(i, i % 3 == 0 ? 3.9921875 : -3.9921875);
        }
        const int lowest = type == dtype::f16 ? -25 : -150, highest = type == dtype::f16 ? 16 : 128;
        for (int exponent = lowest; exponent <= highest; ++exponent)
            for (const int ulps : {-1, 0, 1}) {
                for (const std::size_t at : {std::size_t{5}, block_pairs + 5}) {
                    buffer a = filled;
                    set_near(a, at, exponent, ulps, exponent % 2 != 0);
                    check_levels(a, n, "one number near", exponent);
                }
                buffer a = filled;
                for (std::size_t i = block_pairs; i < 2 * block_pairs; ++i) // they fill the sums, or the sum's negative half
                    set_near(a, i, exponent, ulps, exponent % 2 != 0);
                check_levels(a, n, "a block of numbers near", exponent);
            }
    }
    SUCCEED();
}

TEST_CASE("add_tensor: a NaN or an infinity among many blocks is counted, and nothing else of its block is lost") {
    constexpr std::size_t n = 3 * block_pairs;
    constexpr double infinity = std::numeric_limits<double>::infinity(), quiet_nan = std::numeric_limits<double>::quiet_NaN();
    for (const dtype type : types)
        for (const double x : {quiet_nan, -quiet_nan, infinity, -infinity})
            for (const std::size_t at : {std::size_t{3}, block_pairs, 2 * block_pairs - 1, n - 1}) {
                buffer a(type, n);
                for (std::size_t i = 0; i < n; ++i) set_near(a, i, 0, static_cast<int>(i % 50), i % 3 == 0);
                a.set(at, x);
                check_levels(a, n, "NaN or infinity", 0);
            }
    SUCCEED();
}

TEST_CASE("add_tensor: saturated numbers are counted wherever they come") {
    constexpr std::size_t n = 3 * block_pairs;
    for (const dtype type : types) {
        const int highest = type == dtype::f16 ? 15 : 127;
        buffer a(type, n);
        for (std::size_t i = 0; i < n; ++i) set_near(a, i, highest, 0, i % 2 != 0);
        for (const std::size_t at : {std::size_t{7}, block_pairs + 7, n - 1}) {
            set_near(a, at, highest + 1, -1, at % 2 != 0); // the largest finite number
            check_levels(a, n, "the last number before", highest + 1);
        }
    }
    SUCCEED();
}

TEST_CASE("add_tensor: sums of equal numbers over many blocks fit where they are kept") {
    constexpr std::size_t n = 3 * run_elements + 1000;
    for (const dtype type : types)
        for (const double x : {1.9921875, -1.9921875}) {
            buffer a(type, n);
            for (std::size_t i = 0; i < n; ++i) a.set(i, x);
            statistics_state<narrow_range> expected;
            const plumb::unpacked number = plumb::unpack<plumb::binary64>(plumb::detail::bit_cast<std::uint64_t>(x));
            const std::uint64_t size = number.mantissa >> 45; // of 8 bits
            expected.sum.add(number.negative, plumb::detail::uint128{size} * n, number.exponent + 45);
            expected.squares.add(false, plumb::detail::uint128{size * size} * n, 2 * (number.exponent + 45));
            for (const cpu_level level : levels()) {
                statistics_state<narrow_range> got;
                add_tensor_at(level, got, type, a.at(0), n);
                INFO(name_of(level) << ", " << plumb::name_of(type));
                CHECK(got.sum == expected.sum);
                CHECK(got.squares == expected.squares);
                CHECK(got.count == n);
            }
        }
}

TEST_CASE("add_tensor: NaN and infinities at any place of a short tensor are counted and replaced by nothing") {
    for (const dtype type : types)
        for (const std::size_t n : {1u, 2u, 31u, 33u, 64u, 70u}) {
            buffer a(type, n);
            for (std::size_t i = 0; i < n; ++i) a.set(i, i % 2 != 0 ? -3.0 - static_cast<double>(i) : 0.0);
            for (std::size_t at = 0; at < n; ++at) {
                buffer b = a;
                b.set(at, at % 2 != 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN());
                check_levels(b, n, "a short tensor", static_cast<int>(at));
            }
            for (std::size_t i = 0; i < n; ++i) a.set(i, -std::numeric_limits<double>::infinity());
            check_levels(a, n, "infinities alone", 0);
        }
    SUCCEED();
}

namespace {

const tensor_kernels* counted = nullptr;
std::size_t surveyed = 0, runs = 0, wide = 0;

void count_survey(const void* from, std::size_t n, float* wider, tensor_survey& survey) {
    counted->survey_f32(from, n, wider, survey);
    surveyed += n;
}
std::size_t count_run(const void* from, std::size_t n, const tensor_window& window, tensor_sums& sums) {
    ++runs;
    return counted->run_f32(from, n, window, sums);
}
void count_wide(const float* x, const float* y, std::size_t n, int low, int high, exact_steps& sum) {
    counted->sum_wide_product(x, y, n, low, high, sum);
    ++wide;
}

/// What a level does with 100 blocks of a shape.
void tally(cpu_level level, shape kind) {
    constexpr std::size_t n = 100 * block_pairs;
    counted = tensor_kernels_of(level);
    tensor_kernels kernels = *counted;
    kernels.survey_f32 = count_survey;
    kernels.run_f32 = count_run;
    kernels.sum_wide_product = count_wide;
    buffer a(dtype::f32, n), unused(dtype::f32, n);
    fill(a, unused, n, kind, 11);
    surveyed = runs = wide = 0;
    statistics_state<narrow_range> state;
    add_tensor_vector(state, kernels, dtype::f32, a.at(0), n);
}

} // namespace

TEST_CASE("tiers of statistics: tensors as models make them are gone through once") {
    for (const cpu_level level : levels())
        for (const shape kind : {shape::normal, shape::relu, shape::quantised, shape::scale_jump}) {
            INFO(name_of(level) << ", " << name_of(kind));
            tally(level, kind);
            CHECK(surveyed <= 10 * block_pairs);
            CHECK(wide == 0);
        }
}

TEST_CASE("tiers of statistics: any bit pattern takes the widest sums, block after block, and no run is tried") {
    for (const cpu_level level : levels()) {
        INFO(name_of(level));
        tally(level, shape::any_bits);
        CHECK(wide == 200);
        CHECK(runs == 0);
    }
}

TEST_CASE("find_nonfinite: the first NaN or infinity, wherever it is") {
    constexpr double infinity = std::numeric_limits<double>::infinity(), quiet_nan = std::numeric_limits<double>::quiet_NaN();
    constexpr std::size_t n = 700;
    for (const dtype type : types)
        for (const cpu_level level : levels()) {
            buffer a(type, n), unused(type, n);
            fill(a, unused, n, shape::normal, 3);
            a.set(9, 65504.0);
            a.set(11, -65504.0);
            INFO(name_of(level) << ", " << plumb::name_of(type));
            CHECK(find_nonfinite_at(level, type, a.at(0), n) == n);
            bool right = true;
            for (std::size_t at = n; at-- > 0;) {
                a.set(at, at % 3 == 0 ? infinity : at % 3 == 1 ? -infinity : quiet_nan);
                right = right && find_nonfinite_at(level, type, a.at(0), n) == at;
            }
            CHECK(right);
        }
}

TEST_CASE("find_nonfinite: each of the 65,536 patterns of a half is judged by its exponent") {
    for (const dtype type : {dtype::f16, dtype::bf16})
        for (const cpu_level level : levels()) {
            const std::uint32_t infinity = type == dtype::f16 ? 0x7c00 : 0x7f80;
            bool right = true;
            for (std::uint32_t bits = 0; bits < 65536; ++bits) {
                buffer a(type, 256);
                a.set_bits(bits % 256, bits);
                const std::size_t found = find_nonfinite_at(level, type, a.at(0), 256);
                right = right && found == ((bits & 0x7fff) >= infinity ? bits % 256 : 256);
            }
            INFO(name_of(level) << ", " << plumb::name_of(type));
            CHECK(right);
        }
}
