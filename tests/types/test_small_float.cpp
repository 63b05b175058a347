#include <plumb/types/element_traits.hpp>
#include <plumb/types/small_float.hpp>

#include "catch.hpp"
#include "float_mode.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint32_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
std::uint64_t bits_of(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
float float_from(std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
double double_from(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

/// A format by its definition: the value of each pattern in real arithmetic, and rounding by search among all of them.
template <class Small>
struct format {
    using bits_type = typename Small::bits_type;
    int exponent_bits, fraction_bits;
    bool has_infinities;
    std::vector<double> values; ///< of the patterns 0, 1, 2, … up to the largest finite number: they ascend

    format(int exponent_bits_, int fraction_bits_, bool has_infinities_)
        : exponent_bits(exponent_bits_), fraction_bits(fraction_bits_), has_infinities(has_infinities_) {
        for (unsigned magnitude = 0; magnitude <= largest(); ++magnitude) values.push_back(value_of(magnitude));
    }

    unsigned sign() const { return 1u << (exponent_bits + fraction_bits); }
    unsigned infinity_pattern() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
    unsigned largest() const { return has_infinities ? infinity_pattern() - 1 : sign() - 2; }

    double value_of(unsigned magnitude) const {
        const int bias = (1 << (exponent_bits - 1)) - 1;
        const auto field = static_cast<int>(magnitude >> fraction_bits);
        const double fraction = (magnitude & ((1u << fraction_bits) - 1)) * std::ldexp(1.0, -fraction_bits);
        return field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias);
    }

    /// The pattern nearest to a finite number.
    bits_type nearest(double x) const {
        const double size = std::fabs(x);
        const unsigned s = std::signbit(x) ? sign() : 0;
        // The number after the largest one, were there one, is where overflow starts to be nearer.
        const double last = values.back(), beyond = 2 * last - values[values.size() - 2];
        if (size > last) {
            const double middle = last + (beyond - last) / 2; // exact
            const bool up = size > middle || (size == middle && values.size() % 2 == 0);
            return static_cast<bits_type>(s | (!up ? largest() : has_infinities ? infinity_pattern() : sign() - 1));
        }
        const auto at = std::lower_bound(values.begin(), values.end(), size); // the first that is not below
        const auto above = static_cast<unsigned>(at - values.begin());
        if (*at == size) return static_cast<bits_type>(s | above);
        const double to_above = *at - size, to_below = size - values[above - 1]; // exact: neighbours' differences, in double
        const bool up = to_above < to_below || (to_above == to_below && above % 2 == 0);
        return static_cast<bits_type>(s | (up ? above : above - 1));
    }
};

const format<plumb::float16> f16{5, 10, true};
const format<plumb::bfloat16> bf16{8, 7, true};
const format<plumb::float8_e4m3fn> e4m3fn{4, 3, false};
const format<plumb::float8_e5m2> e5m2{5, 2, true};

/// The number of patterns that widen to something else than their value, or do not narrow back to themselves.
template <class Small>
unsigned wrong_patterns(const format<Small>& expected) {
    unsigned wrong = 0;
    for (unsigned pattern = 0; pattern < 2 * expected.sign(); ++pattern) {
        const unsigned magnitude = pattern & (expected.sign() - 1);
        const bool negative = pattern != magnitude;
        const Small x = Small::from_bits(static_cast<typename Small::bits_type>(pattern));
        const auto narrow = static_cast<float>(x);
        const auto wide = static_cast<double>(x);
        bool right = x.bits() == pattern;
        if (magnitude <= expected.largest()) {
            const double value = expected.values[magnitude] == 0.0 ? 0.0 : expected.values[magnitude];
            const std::uint64_t sign = negative ? std::uint64_t{1} << 63 : 0;
            right = right && bits_of(wide) == (bits_of(value) | sign);
            right = right && bits_of(narrow) == bits_of(static_cast<float>(negative ? -value : value));
            right = right && Small(narrow).bits() == pattern && Small(wide).bits() == pattern;
        } else if (expected.has_infinities && magnitude == expected.infinity_pattern()) {
            right = right && bits_of(wide) == bits_of(negative ? -infinity : infinity);
            right = right && bits_of(narrow) == bits_of(static_cast<float>(negative ? -infinity : infinity));
            right = right && Small(narrow).bits() == pattern && Small(wide).bits() == pattern;
        } else { // NaN: the sign and the payload stay, the quiet bit is set
            const std::uint64_t fraction = expected.has_infinities ? magnitude & ((1u << expected.fraction_bits) - 1) : 0;
            const std::uint64_t sign = negative;
            right =
                right && bits_of(wide) == (sign << 63 | std::uint64_t{0x7ff8} << 48 | fraction << (52 - expected.fraction_bits));
            right = right && bits_of(narrow) == (static_cast<std::uint32_t>(sign) << 31 | 0x7fc00000u |
                                                 static_cast<std::uint32_t>(fraction << (23 - expected.fraction_bits)));
            const unsigned quiet = expected.has_infinities ? pattern | 1u << (expected.fraction_bits - 1) : pattern;
            right = right && Small(narrow).bits() == quiet && Small(wide).bits() == quiet;
        }
        wrong += !right;
    }
    return wrong;
}

/// Numbers that are hard to round to a format: every number, every middle between two, and what lies next to both in float and
/// double; then numbers of all exponents.
template <class Small>
std::vector<double> hard_numbers(const format<Small>& of) {
    std::vector<double> all;
    const auto add = [&](double x) {
        for (const double near : {x, std::nextafter(x, -infinity), std::nextafter(x, infinity)}) {
            all.push_back(near);
            all.push_back(-near);
        }
        const auto single = static_cast<float>(x);
        all.push_back(std::nextafter(single, 0.0f));
        all.push_back(-std::nextafter(single, std::numeric_limits<float>::infinity()));
    };
    const std::size_t step = of.values.size() > 300 ? 7 : 1; // every seventh of the 16-bit ones, of all binades
    for (std::size_t i = 0; i + 1 < of.values.size(); i += step) {
        add(of.values[i]);
        add((of.values[i] + of.values[i + 1]) / 2);
    }
    const double last = of.values.back(), gap = last - of.values[of.values.size() - 2];
    for (const double beyond : {last, last + gap / 4, last + gap / 2, last + gap, 2 * last, 1e300, 5e-324, 1e-320}) add(beyond);
    std::mt19937_64 random(1);
    for (int i = 0; i < 5000; ++i) {
        const double x = double_from(random());
        if (std::isfinite(x)) all.push_back(x);
        const float y = float_from(static_cast<std::uint32_t>(random()));
        if (std::isfinite(y)) all.push_back(double{y});
    }
    return all;
}

template <class Small>
unsigned wrongly_narrowed(const format<Small>& to, const std::vector<double>& numbers,
                          const std::vector<typename Small::bits_type>& expected) {
    unsigned wrong = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        wrong += Small(numbers[i]).bits() != expected[i];
        const double single = double_from(bits_of(numbers[i]));
        const std::uint64_t low_bits = bits_of(single) & ((std::uint64_t{1} << 29) - 1);
        const double size = std::fabs(single);
        if (low_bits == 0 && size >= 0x1p-126 && size <= 0x1.fffffep127) // a float too
            wrong += Small(static_cast<float>(single)).bits() != expected[i];
    }
    (void)to;
    return wrong;
}

template <class Small>
void check_narrowing(const format<Small>& to) {
    const std::vector<double> numbers = hard_numbers(to);
    std::vector<typename Small::bits_type> expected;
    for (const double x : numbers) expected.push_back(to.nearest(x));
    for (const float_mode& mode : all_float_modes()) {
        unsigned wrong = 0;
        {
            const with_float_mode guard(mode);
            if (mode.control == 0) continue; // the comparisons of this test would trap
            wrong = wrongly_narrowed(to, numbers, expected);
        }
        INFO(mode.name);
        CHECK(wrong == 0);
    }
}

} // namespace

TEST_CASE("small_float: all 65,536 patterns of binary16 and bfloat16 widen exactly and narrow back") {
    CHECK(wrong_patterns(f16) == 0);
    CHECK(wrong_patterns(bf16) == 0);
}

TEST_CASE("small_float: all 256 patterns of e4m3fn and e5m2 widen exactly and narrow back") {
    CHECK(wrong_patterns(e4m3fn) == 0);
    CHECK(wrong_patterns(e5m2) == 0);
}

#if defined(PLUMB_HAS_FLOAT16)
TEST_CASE("small_float: binary16 is the compiler's own _Float16") {
    unsigned wrong = 0;
    for (unsigned pattern = 0; pattern < 65536; ++pattern) {
        const auto bits = static_cast<std::uint16_t>(pattern);
        __extension__ _Float16 native;
        std::memcpy(&native, &bits, sizeof native);
        const auto expected = static_cast<float>(native);
        const auto widened = static_cast<float>(plumb::float16::from_bits(bits));
        wrong += bits_of(widened) != bits_of(expected);
    }
    CHECK(wrong == 0);
}
#endif

TEST_CASE("small_float: narrowing rounds to nearest, ties to even, in every floating-point mode") {
    check_narrowing(f16);
    check_narrowing(bf16);
    check_narrowing(e4m3fn);
    check_narrowing(e5m2);
}

TEST_CASE("small_float: widening is exact under every floating-point mode") {
    // The patterns whose float or double is subnormal or would be flushed, and a few more.
    for (const float_mode& mode : all_float_modes()) {
        std::uint32_t narrow[4];
        std::uint64_t wide[4];
        const std::uint16_t patterns[4] = {0x0001, 0x807f, 0x0080, 0x7f80};
        {
            const with_float_mode guard(mode);
            for (int i = 0; i < 4; ++i) {
                narrow[i] = bits_of(static_cast<float>(plumb::bfloat16::from_bits(patterns[i])));
                wide[i] = bits_of(static_cast<double>(plumb::bfloat16::from_bits(patterns[i])));
            }
        }
        INFO(mode.name);
        CHECK(narrow[0] == 0x00010000);
        CHECK(narrow[1] == 0x807f0000);
        CHECK(narrow[2] == 0x00800000);
        CHECK(narrow[3] == 0x7f800000);
        CHECK(wide[0] == 0x37a0000000000000); // 2^-133
        CHECK(wide[1] == 0xb80fc00000000000);
        CHECK(wide[2] == 0x3810000000000000); // 2^-126
        CHECK(wide[3] == 0x7ff0000000000000);
    }
}

TEST_CASE("small_float: what is too large becomes an infinity, or NaN in e4m3fn, which has none") {
    CHECK(plumb::float16(65519.99f).bits() == 0x7bff);
    CHECK(plumb::float16(65520.0f).bits() == 0x7c00); // the middle between 65504 and 65536: ties to even
    CHECK(plumb::float16(-1e300).bits() == 0xfc00);
    CHECK(plumb::bfloat16(3.4e38f).bits() == 0x7f80);
    CHECK(plumb::float8_e5m2(61440.0f).bits() == 0x7c);
    CHECK(plumb::float8_e4m3fn(464.0f).bits() == 0x7e); // the middle between 448 and 480, where NaN stands
    CHECK(plumb::float8_e4m3fn(464.01f).bits() == 0x7f);
    CHECK(plumb::float8_e4m3fn(-infinity).bits() == 0xff);
}

TEST_CASE("small_float: a NaN keeps its sign and the top of its payload, and is never an infinity") {
    CHECK(plumb::float16(float_from(0x7f800001)).bits() == 0x7e00); // a payload with nothing in the bits that stay
    CHECK(plumb::float16(float_from(0xffa5a000)).bits() == 0xff2d);
    CHECK(plumb::bfloat16(float_from(0xff800001)).bits() == 0xffc0);
    CHECK(plumb::bfloat16(double_from(0x7ff0000000000001)).bits() == 0x7fc0);
    CHECK(plumb::float8_e5m2(float_from(0xffc00000)).bits() == 0xfe);
    CHECK(plumb::float8_e4m3fn(float_from(0xffc00000)).bits() == 0xff);
}
