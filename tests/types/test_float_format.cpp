#include <plumb/types/float_format.hpp>

#include "catch.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

namespace {

template <class To, class From>
To bits_to(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

} // namespace

TEST_CASE("unpack: takes a number apart into sign, mantissa and exponent") {
    const plumb::unpacked x = plumb::unpack<plumb::binary32>(0xc0a00000); // -5
    CHECK(x.kind == plumb::number_kind::finite);
    CHECK(x.negative);
    CHECK(x.mantissa == std::uint64_t{5} << 21);
    CHECK(x.exponent == -21);
}

TEST_CASE("unpack: a subnormal number has the smallest exponent, a zero its sign") {
    const plumb::unpacked tiny = plumb::unpack<plumb::binary64>(3);
    CHECK(tiny.mantissa == 3);
    CHECK(tiny.exponent == -1074);
    const plumb::unpacked zero = plumb::unpack<plumb::binary16>(0x8000);
    CHECK(zero.mantissa == 0);
    CHECK(zero.negative);
    CHECK(zero.kind == plumb::number_kind::finite);
}

TEST_CASE("unpack: tells infinities from NaN by the bits") {
    CHECK(plumb::unpack<plumb::binary16>(0x7c00).kind == plumb::number_kind::infinite);
    CHECK(plumb::unpack<plumb::binary16>(0x7c01).kind == plumb::number_kind::nan);
    CHECK(plumb::unpack<plumb::brain16>(0xff80).kind == plumb::number_kind::infinite);
    CHECK(plumb::unpack<plumb::ocp_e4m3fn>(0x7e).kind == plumb::number_kind::finite); // 448
    CHECK(plumb::unpack<plumb::ocp_e4m3fn>(0xff).kind == plumb::number_kind::nan);
}

TEST_CASE("float_format: the constants are those of the standards") {
    CHECK(plumb::binary16::largest == 0x7bff);
    CHECK(plumb::brain16::largest == 0x7f7f);
    CHECK(plumb::binary64::min_exponent == -1074);
    CHECK(plumb::binary32::min_exponent == -149);
    CHECK(plumb::ocp_e4m3fn::largest == 0x7e);
    CHECK(plumb::ocp_e4m3fn::bias == 7);
    CHECK(plumb::ocp_e5m2::bias == 15);
    CHECK(plumb::binary32::quiet_nan == 0x7fc00000);
}

TEST_CASE("round_to: a whole 64-bit number becomes the nearest double, as the processor rounds it") {
    std::mt19937_64 random(2);
    unsigned wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        std::uint64_t x = random() >> (random() % 64);
        if (i % 3 == 0 && x >> 54 != 0) { // a tie, or one beside it
            int width = 64;
            while (x >> (width - 1) == 0) --width;
            const int drop = width - 53;
            x = (x >> drop << drop) + (std::uint64_t{1} << (drop - 1)) + random() % 3 - 1;
        }
        wrong += plumb::round_to<plumb::binary64>(false, x, 0) != bits_to<std::uint64_t>(static_cast<double>(x));
        wrong += plumb::round_to<plumb::binary32>(true, x, 0) != bits_to<std::uint32_t>(-static_cast<float>(x));
    }
    CHECK(wrong == 0);
}

TEST_CASE("round_to: a rest below the mantissa breaks ties") {
    const std::uint64_t tie = (std::uint64_t{1} << 54) + 1; // between 2^54 and the next double
    CHECK(plumb::round_to<plumb::binary64>(false, 2 * tie, 0, false) == bits_to<std::uint64_t>(0x1p55 + 0.0));
    CHECK(plumb::round_to<plumb::binary64>(false, (std::uint64_t{1} << 60) + 128, 0, false) == bits_to<std::uint64_t>(0x1p60));
    CHECK(plumb::round_to<plumb::binary64>(false, (std::uint64_t{1} << 60) + 128, 0, true) ==
          bits_to<std::uint64_t>(0x1p60 + 256.0));
}

TEST_CASE("round_to: between subnormal numbers and at both ends of the range") {
    using plumb::binary64;
    CHECK(plumb::round_to<binary64>(false, 3, -1075) == 2);                                 // 1.5 units: to even
    CHECK(plumb::round_to<binary64>(false, 5, -1075) == 2);                                 // 2.5 units: to even
    CHECK(plumb::round_to<binary64>(false, 1, -1075) == 0);                                 // half a unit: to even
    CHECK(plumb::round_to<binary64>(false, (std::uint64_t{1} << 62) + 1, -1075 - 62) == 1); // a little more than half
    CHECK(plumb::round_to<binary64>(true, 1, -1076) == std::uint64_t{1} << 63);             // -0
    CHECK(plumb::round_to<binary64>(false, ~std::uint64_t{0}, -1074 - 64) == 1);            // just below the smallest
    CHECK(plumb::round_to<binary64>(false, ~std::uint64_t{0}, -1074 - 65) == 0);            // just below half of it
    CHECK(plumb::round_to<binary64>(false, ~std::uint64_t{0}, -100000) == 0);
    CHECK(plumb::round_to<binary64>(false, (std::uint64_t{1} << 54) - 1, 1024 - 54) == binary64::infinity);
    CHECK(plumb::round_to<binary64>(false, (std::uint64_t{1} << 55) - 3, 1024 - 55) == binary64::largest);
    CHECK(plumb::round_to<binary64>(true, 1, 100000) == (binary64::infinity | binary64::sign_mask));
    CHECK(plumb::round_to<binary64>(false, (std::uint64_t{1} << 53) - 1, -1074 - 1) == std::uint64_t{1} << 52); // up to normal
}

TEST_CASE("convert: between the 8-bit and 16-bit formats is rounding the exact value") {
    unsigned wrong = 0;
    for (unsigned pattern = 0; pattern < 65536; ++pattern) {
        const auto bits = static_cast<std::uint16_t>(pattern);
        const std::uint32_t single = plumb::convert<plumb::binary32, plumb::binary16>(bits);
        const bool nan = (single & 0x7fffffff) > 0x7f800000;
        // Through binary32, which holds every binary16 number: the detour cannot round twice.
        const auto direct = plumb::convert<plumb::brain16, plumb::binary16>(bits);
        const auto detour = plumb::convert<plumb::brain16, plumb::binary32>(single);
        wrong += !nan && direct != detour;
        const auto direct8 = plumb::convert<plumb::ocp_e4m3fn, plumb::binary16>(bits);
        wrong += direct8 != plumb::convert<plumb::ocp_e4m3fn, plumb::binary32>(single);
    }
    CHECK(wrong == 0);
}
