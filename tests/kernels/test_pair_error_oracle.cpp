#include <plumb/kernels/pair_error.hpp>
#include <plumb/kernels/pair_scalar.hpp>

#include "big_integer.hpp"
#include "catch.hpp"

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

using namespace plumb::kernels;
using plumb::unpacked;

namespace {

constexpr long unit = -1200; // every number here is a multiple of 2^unit

big_integer to_big(const unpacked& x) {
    const big_integer size = big_integer::from_words(&x.mantissa, 1) << static_cast<unsigned long>(x.exponent - unit);
    return x.negative ? -size : size;
}

big_integer to_big(plumb::detail::uint128 x) {
    const std::uint64_t words[2] = {static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64)};
    return big_integer::from_words(words, 2);
}

double double_from(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

/// Everything that is decided of a pair, against exact integers.
bool is_right(const unpacked& a, const unpacked& b) {
    const exact_difference d = difference(a, b);
    const big_integer exact = to_big(a) - to_big(b), size = abs(exact), b_size = abs(to_big(b));

    if (d.is_zero() != (exact.sign() == 0)) return false;
    if (rounded_quotient_bits(d, b) == plumb::binary64::infinity && b_size.sign() != 0 &&
        !is_rounded_root(double_from(plumb::binary64::infinity), 1, size, b_size, 0))
        return false;
    if (!is_rounded_root(double_from(rounded_bits(d)), 1, size, 1, unit)) return false;
    if (is_within<1000>(d, b) != (exact.sign() == 0 || size * big_integer(1000) < b_size)) return false;
    if (is_within<200>(d, b) != (exact.sign() == 0 || size * big_integer(200) < b_size)) return false;
    if (is_within<2>(d, b) != (exact.sign() == 0 || size * big_integer(2) < b_size)) return false;
    if (exact.sign() == 0) return rounded_quotient_bits(d, b) == 0;

    // mantissa * 2^exponent <= |a - b| < (mantissa + 1) * 2^exponent, with equality exactly if it is not inexact
    const big_integer low = to_big(d.mantissa);
    const int from_below = compare_scaled(low, d.exponent, size, unit);
    if (d.inexact ? from_below >= 0 : from_below != 0) return false;
    if (compare_scaled(low + big_integer(1), d.exponent, size, unit) <= 0) return false;
    if (d.inexact && d.mantissa >> 125 == 0) return false;
    if (d.negative != (exact.sign() < 0)) return false;
    const int log2 = floor_log2(d);
    if (compare_scaled(1, log2, size, unit) > 0 || compare_scaled(1, log2 + 1, size, unit) <= 0) return false;
    if (b_size.sign() == 0) return rounded_quotient_bits(d, b) == plumb::binary64::infinity;
    return is_rounded_root(double_from(rounded_quotient_bits(d, b)), 1, size, b_size, 0);
}

unpacked number(std::uint64_t mantissa, int exponent, bool negative = false) {
    unpacked x;
    x.mantissa = mantissa;
    x.exponent = exponent;
    x.negative = negative;
    return x;
}

} // namespace

TEST_CASE("difference: doubles, floats and integers of any size, near and far apart") {
    std::mt19937_64 random(21);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t x = random(), y = i % 3 == 0 ? x + random() % 9 - 4 : random();
        const unpacked a = plumb::unpack<plumb::binary64>(x), b = plumb::unpack<plumb::binary64>(y);
        if (a.kind != plumb::number_kind::finite || b.kind != plumb::number_kind::finite) continue;
        wrong += !is_right(a, b);
        const unpacked single = plumb::unpack<plumb::binary32>(static_cast<std::uint32_t>(x));
        const unpacked whole = number(random() >> random() % 64, 0, random() % 2 == 0);
        if (single.kind == plumb::number_kind::finite) wrong += !is_right(single, whole) + !is_right(whole, single);
        wrong += !is_right(whole, a) + !is_right(whole, number(random() >> random() % 64, 0, random() % 2 == 0));
    }
    CHECK(wrong == 0);
}

TEST_CASE("difference: every gap between the exponents, and every kind of mantissa") {
    std::mt19937_64 random(22);
    const std::uint64_t mantissas[] = {1,
                                       3,
                                       std::uint64_t{1} << 52,
                                       (std::uint64_t{1} << 53) - 1,
                                       std::uint64_t{1} << 63,
                                       ~std::uint64_t{0},
                                       (std::uint64_t{1} << 63) + 1,
                                       random()};
    int wrong = 0;
    for (int gap = 0; gap <= 200; ++gap)
        for (const std::uint64_t x : mantissas)
            for (const std::uint64_t y : mantissas)
                for (const bool negative : {false, true})
                    wrong += !is_right(number(x, gap - 100), number(y, -100, negative)) +
                             !is_right(number(y, -100, negative), number(x, gap - 100, true));
    CHECK(wrong == 0);
}

TEST_CASE("difference: zeros of both signs and equal numbers") {
    const unpacked plus = number(0, -1074), minus = number(0, -1074, true), three = number(3, 0), six = number(6, -1);
    for (const unpacked& a : {plus, minus, three, six})
        for (const unpacked& b : {plus, minus, three, six}) CHECK(is_right(a, b));
    CHECK(difference(plus, minus).is_zero());
    CHECK(difference(three, six).is_zero());
    CHECK(rounded_quotient_bits(difference(plus, minus), minus) == 0);
    CHECK(rounded_quotient_bits(difference(three, minus), minus) == plumb::binary64::infinity);
}

TEST_CASE("rounded_bits: a difference between two doubles is a tie, goes to even") {
    // 2^60 - m for m around the middles between doubles just below 2^60 (which are 2^7 apart)
    int wrong = 0;
    for (std::uint64_t m = 0; m < 1000; ++m)
        wrong += !is_right(number(1, 60), number(m, 0)) + !is_right(number(1, 60), number(m, 0, true));
    CHECK(wrong == 0);
}

TEST_CASE("is_within: an error of exactly 1/1000 or 1/200 is not within") {
    const unpacked b = number(1000, -3), at = number(1001, -3), inside = number((std::uint64_t{1001} << 50) - 1, -53);
    CHECK_FALSE(is_within<1000>(difference(at, b), b));
    CHECK(is_within<1000>(difference(inside, b), b));
    const unpacked wide = number(1005, -3);
    CHECK_FALSE(is_within<200>(difference(wide, b), b));
    CHECK(is_within<200>(difference(number(1004, -3), b), b));
}

TEST_CASE("is_outside: |a - b| > atol + rtol |b|, decided exactly, for tolerances of any size") {
    std::mt19937_64 random(23);
    int wrong = 0, outside = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t x = random();
        const std::uint64_t y = i % 2 == 0 ? x + random() % 2000 - 1000 : random();
        const unpacked a = plumb::unpack<plumb::binary64>(x), b = plumb::unpack<plumb::binary64>(y);
        if (a.kind != plumb::number_kind::finite || b.kind != plumb::number_kind::finite) continue;
        const exact_difference d = difference(a, b);
        plumb::tolerance limits;
        const auto any = [&] { return double_from((random() % 0x7ff << 52) | random() >> 12); };
        if (i % 3 == 0) limits = {any(), any()};
        if (i % 3 == 1) limits = {0.0, double_from(rounded_bits(d) < plumb::binary64::infinity ? rounded_bits(d) : 0)};
        if (i % 3 == 2)
            limits = {double_from(rounded_quotient_bits(d, b) < plumb::binary64::infinity ? rounded_quotient_bits(d, b) : 0),
                      0.0};
        const unpacked rtol = plumb::unpack<plumb::binary64>(plumb::detail::bit_cast<std::uint64_t>(limits.rtol));
        const unpacked atol = plumb::unpack<plumb::binary64>(plumb::detail::bit_cast<std::uint64_t>(limits.atol));
        const big_integer size = abs(to_big(a) - to_big(b)) << static_cast<unsigned long>(-unit);
        const big_integer limit = (to_big(atol) << static_cast<unsigned long>(-unit)) + to_big(rtol) * abs(to_big(b));
        const bool expected = limit < size;
        wrong += is_outside(d, a, b, limits) != expected;
        outside += expected;
    }
    CHECK(wrong == 0);
    CHECK(outside > 1000);
}
