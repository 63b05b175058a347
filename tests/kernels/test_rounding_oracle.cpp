#include <plumb/kernels/rounding.hpp>

#include "big_integer.hpp"
#include "catch.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

using namespace plumb::kernels;

namespace {

using random_engine = std::mt19937_64;

template <std::size_t Words>
big_integer to_big(const natural<Words>& n) {
    return big_integer::from_words(n.words, Words);
}

template <std::size_t Words>
natural<Words> from_big(const big_integer& x) {
    natural<Words> n;
    REQUIRE(x.width() <= static_cast<long>(64 * Words));
    mpz_export(n.words, nullptr, -1, sizeof n.words[0], 0, 0, static_cast<mpz_srcptr>(x));
    return n;
}

/// A number of up to `bits` bits, more likely than not with long runs of ones and zeros.
big_integer random_integer(random_engine& random, unsigned long bits) {
    big_integer x(1);
    const unsigned long width = 1 + random() % bits;
    while (x.width() < static_cast<long>(width)) {
        const auto run = std::min<unsigned long>(1 + random() % 40, width - static_cast<unsigned long>(x.width()));
        x = x << run;
        if (random() % 2 == 0) x = x + big_integer::power_of_two(run) - big_integer(1);
        if (random() % 4 == 0) x = x - big_integer(static_cast<long>(random() % (1ul << std::min(run, 40ul))));
        if (x.sign() <= 0) x = big_integer(1);
    }
    return x;
}

double double_from(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

template <int Root, std::size_t P, std::size_t Q>
bool rounds_right(const big_integer& p, const big_integer& q, int exponent) {
    const std::uint64_t y = rounded_root_bits<Root>(from_big<P>(p), make_natural(1), from_big<Q>(q), make_natural(1), exponent);
    return is_rounded_root(double_from(y), Root, p, q, exponent);
}

/// Of random quotients of numbers that wide, those that come out wrong, with results of all sizes, subnormal and infinite too.
template <int Root, std::size_t P, std::size_t Q>
int wrong_of_random(int cases) {
    random_engine random(3);
    int wrong = 0;
    for (int i = 0; i < cases; ++i) {
        const big_integer p = random_integer(random, 64 * P), q = random_integer(random, 64 * Q);
        const int wanted = static_cast<int>(random() % 2300) - 1180; // log2 of the result
        const int exponent = Root * wanted - static_cast<int>(p.width() - q.width());
        wrong += !rounds_right<Root, P, Q>(p, q, exponent);
    }
    return wrong;
}

/// The same where the value is a middle between two doubles, a double, or misses one of these by the least possible.
template <int Root, std::size_t P, std::size_t Q>
int wrong_of_ties(int cases) {
    random_engine random(4);
    int wrong = 0;
    for (int i = 0; i < cases; ++i) {
        const unsigned long h_bits = i % 3 == 0   ? 54
                                     : i % 3 == 1 ? 53
                                                  : 1 + random() % 52; // middle, double, both in the subnormals
        std::uint64_t h = (random() >> (64 - h_bits)) | std::uint64_t{1} << (h_bits - 1) | 1;
        if (i % 7 == 0) h = (std::uint64_t{1} << h_bits) - 1; // rounds up into the next binade
        const big_integer middle(static_cast<long>(h));       // below 2^54
        const big_integer q = random_integer(random, 64 * P - 54 * Root - 40 < 64 * Q ? 64 * P - 54 * Root - 40 : 64 * Q);
        const auto extra = static_cast<unsigned>(random() % 40);
        const big_integer exact = (Root == 1 ? q * middle : q * middle * middle) << extra;
        // The exponent of h: any, or that which puts the middle between two subnormal numbers.
        const int h_exponent = h_bits < 53 ? -1075 : static_cast<int>(random() % 2040) - 1074 - (h_bits == 54 ? 0 : 0);
        const int exponent = Root * h_exponent - static_cast<int>(extra);
        for (const long off : {-1L, 0L, 1L}) wrong += !rounds_right<Root, P, Q>(exact + big_integer(off), q, exponent);
    }
    return wrong;
}

} // namespace

TEST_CASE("rounded_root: quotients of all sizes are rounded once, to nearest") {
    CHECK(wrong_of_random<1, 2, 1>(2000) == 0);
    CHECK(wrong_of_random<1, 6, 1>(2000) == 0);
    CHECK(wrong_of_random<1, 34, 1>(1000) == 0);
    CHECK(wrong_of_random<1, 10, 10>(1000) == 0);
}

TEST_CASE("rounded_root: square roots of quotients of all sizes are rounded once, to nearest") {
    CHECK(wrong_of_random<2, 10, 1>(2000) == 0);
    CHECK(wrong_of_random<2, 10, 10>(2000) == 0);
    CHECK(wrong_of_random<2, 67, 1>(500) == 0);
    CHECK(wrong_of_random<2, 67, 67>(500) == 0);
}

TEST_CASE("rounded_root: exact ties go to even, and what misses a tie by the least possible goes to its side") {
    CHECK(wrong_of_ties<1, 2, 1>(500) == 0);
    CHECK(wrong_of_ties<1, 10, 10>(500) == 0);
    CHECK(wrong_of_ties<2, 10, 1>(500) == 0);
    CHECK(wrong_of_ties<2, 10, 10>(500) == 0);
    CHECK(wrong_of_ties<2, 67, 67>(200) == 0);
}

TEST_CASE("rounded_root: four factors are multiplied exactly, as the cosine needs it") {
    random_engine random(5);
    int wrong = 0;
    for (int i = 0; i < 500; ++i) {
        const big_integer ab = random_integer(random, 600), aa = random_integer(random, 600), bb = random_integer(random, 600);
        const std::uint64_t y = rounded_root_bits<2>(from_big<10>(ab), from_big<10>(ab), from_big<10>(aa), from_big<10>(bb), 0);
        wrong += !is_rounded_root(double_from(y), 2, ab * ab, aa * bb, 0);

        // A cosine that is a middle between two doubles: h / 2^54, from ab = h x and aa bb = (2^54 x)^2.
        const big_integer h(static_cast<long>((random() >> 10) | 1)), x = random_integer(random, 200);
        const big_integer tie = h * x;
        const std::uint64_t middle =
            rounded_root_bits<2>(from_big<10>(tie), from_big<10>(tie), from_big<10>(x << 54), from_big<10>(x << 54), 0);
        wrong += !is_rounded_root(double_from(middle), 2, tie * tie, x * x << 108, 0);
    }
    CHECK(wrong == 0);
}

TEST_CASE("rounded_root: of equal products is exactly 1") {
    random_engine random(6);
    for (int i = 0; i < 200; ++i) {
        const natural<10> x = from_big<10>(random_integer(random, 640)), y = from_big<10>(random_integer(random, 640));
        CHECK(double_from(rounded_root_bits<2>(x, y, x, y, 0)) == 1.0);
    }
}

TEST_CASE("rounded_root: of zero is zero, far below the range zero, far above it infinite") {
    CHECK(double_from(rounded_quotient_bits(make_natural(0), make_natural(3), 1000)) == 0.0);
    CHECK(double_from(rounded_quotient_bits(make_natural(1), make_natural(1), -5000)) == 0.0);
    CHECK(double_from(rounded_sqrt_quotient_bits(make_natural(1), make_natural(1), -5000)) == 0.0);
    CHECK(double_from(rounded_quotient_bits(make_natural(1), make_natural(1), 5000)) == std::numeric_limits<double>::infinity());
    CHECK(double_from(rounded_sqrt_quotient_bits(make_natural(1), make_natural(1), 5000)) ==
          std::numeric_limits<double>::infinity());
    CHECK(double_from(rounded_quotient_bits(make_natural(1), make_natural(3), 0)) == 1.0 / 3.0);
    CHECK(double_from(rounded_sqrt_quotient_bits(make_natural(2), make_natural(1), 0)) == std::sqrt(2.0));
    CHECK(double_from(rounded_sqrt_quotient_bits(make_natural(2), make_natural(1), -2149)) == 5e-324); // sqrt(2^-2148)
}

TEST_CASE("integer_sqrt: is the floor of the root, at both ends and around squares") {
    random_engine random(7);
    int wrong = 0;
    const auto check = [&](plumb::detail::uint128 n) {
        const plumb::detail::uint128 r = integer_sqrt(n);
        const bool not_above = r * r <= n;
        const bool not_below = r == ~std::uint64_t{0} || (r + 1) * (r + 1) > n;
        wrong += !(not_above && not_below);
    };
    const plumb::detail::uint128 one = 1;
    check(one << 126);
    check((one << 126) + 1);
    check(~plumb::detail::uint128{0});
    for (int i = 0; i < 20000; ++i) {
        const plumb::detail::uint128 root = random() | std::uint64_t{1} << 63;
        check(root * root);
        check(root * root - 1);
        check(root * root + 2 * root);
        check((plumb::detail::uint128{random() | std::uint64_t{1} << 62} << 64) | random());
    }
    CHECK(wrong == 0);
}

TEST_CASE("natural: leading bits, products, shifts and comparison are those of integers") {
    random_engine random(8);
    int wrong = 0;
    for (int i = 0; i < 2000; ++i) {
        const big_integer x = random_integer(random, 640), y = random_integer(random, 384);
        const natural<10> nx = from_big<10>(x);
        const natural<6> ny = from_big<6>(y);
        wrong += !(to_big(multiply(nx, ny)) == x * y);
        const auto shift = static_cast<unsigned>(random() % 256);
        wrong += !(to_big(shift_left<10>(ny, static_cast<int>(shift))) == y << shift);
        const big_integer z = i % 2 == 0 ? random_integer(random, 640) : x;
        wrong += compare(nx, from_big<10>(z)) != compare_scaled(x, 0, z, 0);

        const leading_bits top = leading(nx);
        const big_integer mantissa = big_integer::from_words(&top.mantissa, 1);
        const int low = compare_scaled(mantissa, top.exponent, x, 0),
                  high = compare_scaled(mantissa + big_integer(1), top.exponent, x, 0);
        wrong += top.mantissa >> 63 == 0 || (top.inexact ? low >= 0 : low != 0) || high <= 0;
    }
    CHECK(wrong == 0);
    CHECK(leading(natural<10>{}).mantissa == 0);
}
