#include <plumb/kernels/superaccumulator.hpp>

#include "big_integer.hpp"
#include "catch.hpp"

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

namespace {

using plumb::detail::uint128;
using random_engine = std::mt19937_64;

template <class Sum>
constexpr int bits_of_sum = static_cast<int>(sizeof(Sum) * 8);

big_integer to_big(uint128 x) {
    const std::uint64_t words[2] = {static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64)};
    return big_integer::from_words(words, 2);
}

/// The sum in units.
template <class Sum>
big_integer to_big(const Sum& sum) {
    const auto magnitude = sum.magnitude();
    const big_integer size = big_integer::from_words(magnitude.words, sizeof magnitude.words / sizeof magnitude.words[0]);
    return sum.is_negative() ? -size : size;
}

template <class Sum>
bool holds(const Sum& sum, const big_integer& expected) {
    const double value = sum.value();
    const bool rounded = is_rounded_root(expected.sign() < 0 ? -value : value, 1, abs(expected), 1, Sum::min_exponent);
    return to_big(sum) == expected && sum.is_negative() == (expected.sign() < 0) && rounded;
}

struct term {
    bool negative;
    uint128 mantissa;
    int position; ///< in units
    big_integer exact;
};

/// A term that leaves room for 2^20 of its kind.
template <class Sum>
term random_term(random_engine& random) {
    const int width = 1 + static_cast<int>(random() % 128);
    const uint128 mantissa = (uint128{random()} << 64 | random()) >> (128 - width);
    const int room = bits_of_sum<Sum> - 24 - 128;
    const int position = static_cast<int>(random() % static_cast<unsigned>(room));
    const bool negative = random() % 2 == 0;
    const big_integer exact = to_big(mantissa) << static_cast<unsigned>(position);
    return {negative, mantissa, position, negative ? -exact : exact};
}

template <class Sum>
void add(Sum& sum, const term& t) {
    sum.add(t.negative, t.mantissa, t.position + Sum::min_exponent);
}

template <class Sum>
int wrong_random_sums() {
    random_engine random(11);
    int wrong = 0;
    for (int run = 0; run < 60; ++run) {
        Sum sum, other;
        big_integer exact, other_exact;
        for (int i = 0; i < 40; ++i) {
            const term t = random_term<Sum>(random);
            switch (random() % 5) {
            case 0:
                add(other, t);
                other_exact = other_exact + t.exact;
                break;
            case 1:
                sum.merge(other);
                exact = exact + other_exact;
                other = Sum();
                other_exact = 0;
                break;
            case 2: { // one bit of shift, as the squares of differences need it, or more where the terms are small
                const bool negative = random() % 2 == 0;
                Sum small;
                small.add(t.negative, t.mantissa, Sum::min_exponent);
                const int power = static_cast<int>(random() % 64);
                sum.merge_scaled(small, negative, power);
                const big_integer step = (t.negative ? -to_big(t.mantissa) : to_big(t.mantissa)) << static_cast<unsigned>(power);
                exact = negative ? exact - step : exact + step;
                break;
            }
            default: add(sum, t); exact = exact + t.exact;
            }
            wrong += !holds(sum, exact);
        }
        // Back through zero: the sum's own negative, then one unit more.
        Sum negative;
        negative.merge_scaled(sum, true, 0);
        wrong += !holds(negative, -exact);
        sum.merge(negative);
        wrong += !holds(sum, 0) || sum != Sum();
        sum.add(true, 1, Sum::min_exponent);
        wrong += !holds(sum, -1);
        sum.add(false, 2, Sum::min_exponent);
        wrong += !holds(sum, 1);
    }
    return wrong;
}

template <class Sum>
int wrong_shifts() {
    int wrong = 0;
    for (int position = 0; position + 129 < bits_of_sum<Sum>; ++position) {
        for (const uint128 mantissa : {uint128{1}, ~uint128{0}, uint128{0x8000000000000001} << 31}) {
            Sum sum;
            sum.add(false, mantissa, Sum::min_exponent + position);
            wrong += !holds(sum, to_big(mantissa) << static_cast<unsigned>(position));
            sum.add(true, mantissa, Sum::min_exponent + position);
            wrong += sum != Sum();
            sum.add(true, mantissa, Sum::min_exponent + position);
            wrong += !holds(sum, -(to_big(mantissa) << static_cast<unsigned>(position)));
        }
    }
    // Up to the top word, where part of the 128-bit mantissa would have no place.
    for (int position = bits_of_sum<Sum> - 129; position < bits_of_sum<Sum> - 1; ++position) {
        Sum sum;
        sum.add(true, 1, Sum::min_exponent + position);
        wrong += !holds(sum, -big_integer::power_of_two(static_cast<unsigned>(position)));
    }
    return wrong;
}

template <class Sum>
int wrong_carries() {
    int wrong = 0;
    for (int k = 1; k < bits_of_sum<Sum> - 1; ++k) {
        Sum ones; // 2^k - 1, then one unit more: borrows and carries through all words
        ones.add(false, 1, Sum::min_exponent + k);
        ones.add(true, 1, Sum::min_exponent);
        wrong += !holds(ones, big_integer::power_of_two(static_cast<unsigned>(k)) - big_integer(1));
        ones.add(false, 1, Sum::min_exponent);
        wrong += !holds(ones, big_integer::power_of_two(static_cast<unsigned>(k)));
    }
    return wrong;
}

template <class Sum>
void check_sum() {
    static_assert(std::is_trivially_copyable_v<Sum>);
    CHECK(wrong_random_sums<Sum>() == 0);
    CHECK(wrong_shifts<Sum>() == 0);
    CHECK(wrong_carries<Sum>() == 0);
}

} // namespace

TEST_CASE("superaccumulator: random additions and merges give the exact sum, rounded once") {
    check_sum<plumb::product_sum>();
    check_sum<plumb::linear_sum>();
    check_sum<plumb::wide_product_sum>();
    check_sum<plumb::wide_linear_sum>();
}

TEST_CASE("superaccumulator: the order of additions leaves no trace") {
    random_engine random(12);
    std::vector<term> terms;
    for (int i = 0; i < 300; ++i) terms.push_back(random_term<plumb::product_sum>(random));
    plumb::product_sum forwards, backwards, left, right;
    for (const term& t : terms) add(forwards, t);
    for (std::size_t i = terms.size(); i-- > 0;) add(backwards, terms[i]);
    for (std::size_t i = 0; i < terms.size(); ++i) add(i % 3 == 0 ? left : right, terms[i]);
    right.merge(left);
    CHECK(forwards == backwards);
    CHECK(forwards == right);
}

TEST_CASE("superaccumulator: merging with itself doubles the sum") {
    random_engine random(13);
    const term t = random_term<plumb::linear_sum>(random);
    plumb::linear_sum sum;
    add(sum, t);
    sum.merge(sum);
    CHECK(holds(sum, t.exact + t.exact));
}

TEST_CASE("superaccumulator: the ranges hold the extremes they are made for") {
    // The largest f32 squared, 2^40 times over; the smallest one squared.
    plumb::product_sum sum;
    sum.add(false, uint128{0xffffff} * 0xffffff, 2 * (127 - 23));
    for (int i = 0; i < 40; ++i) sum.merge(sum);
    CHECK(holds(sum, (to_big(uint128{0xffffff} * 0xffffff) << 40) << (2 * 104 + 298)));
    plumb::product_sum least;
    least.add(false, 1, 2 * -149);
    CHECK(least.value() == 0x1p-298);

    plumb::wide_product_sum wide;
    const uint128 largest = (uint128{1} << 53) - 1;
    wide.add(true, largest * largest, 2 * (1023 - 52));
    for (int i = 0; i < 60; ++i) wide.merge(wide);
    CHECK(holds(wide, -((to_big(largest * largest) << 60) << (2 * 971 + 2148))));
    plumb::wide_linear_sum linear;
    linear.add(false, 1, -1074);
    CHECK(linear.value() == 0x1p-1074);
}
