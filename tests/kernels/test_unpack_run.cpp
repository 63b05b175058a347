#include <plumb/kernels/unpack_run.hpp>

#include "catch.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

using plumb::dtype;
using plumb::unpacked;
using namespace plumb::kernels;

namespace {

template <class T>
unpacked one(dtype type, T value) {
    unsigned char bytes[sizeof(T) + 1]; // at an odd address
    std::memcpy(bytes + 1, &value, sizeof value);
    unpacked x;
    unpack_run(type, bytes + 1, 1, &x);
    return x;
}

bool is(const unpacked& x, bool negative, std::uint64_t mantissa, int exponent) {
    return x.kind == plumb::number_kind::finite && x.negative == negative && x.mantissa == mantissa && x.exponent == exponent;
}

/// The number of patterns of a 16-bit format (or narrower) whose place is not one above that of the pattern before.
template <class Bits>
int wrong_places(dtype type, unsigned largest) {
    int wrong = 0;
    for (unsigned pattern = 0; pattern <= largest; ++pattern)
        wrong += ordinal(type, one(type, static_cast<Bits>(pattern))) != pattern;
    return wrong;
}

} // namespace

TEST_CASE("unpack_run: integers of every width, also the most negative ones") {
    CHECK(is(one(dtype::i8, std::int8_t{-128}), true, 128, 0));
    CHECK(is(one(dtype::i16, std::int16_t{-32768}), true, 32768, 0));
    CHECK(is(one(dtype::i32, std::numeric_limits<std::int32_t>::min()), true, std::uint64_t{1} << 31, 0));
    CHECK(is(one(dtype::i64, std::numeric_limits<std::int64_t>::min()), true, std::uint64_t{1} << 63, 0));
    CHECK(is(one(dtype::i64, std::int64_t{-1}), true, 1, 0));
    CHECK(is(one(dtype::u8, std::uint8_t{255}), false, 255, 0));
    CHECK(is(one(dtype::u16, std::uint16_t{65535}), false, 65535, 0));
    CHECK(is(one(dtype::u32, ~std::uint32_t{0}), false, 0xffffffff, 0));
    CHECK(is(one(dtype::u64, ~std::uint64_t{0}), false, ~std::uint64_t{0}, 0));
    CHECK(is(one(dtype::i32, std::int32_t{0}), false, 0, 0));
}

TEST_CASE("unpack_run: in a bool tensor any byte but 0 is 1") {
    CHECK(is(one(dtype::boolean, std::uint8_t{0}), false, 0, 0));
    CHECK(is(one(dtype::boolean, std::uint8_t{1}), false, 1, 0));
    CHECK(is(one(dtype::boolean, std::uint8_t{255}), false, 1, 0));
}

TEST_CASE("unpack_run: floats of every format") {
    CHECK(is(one(dtype::f64, -0x1.8p-1073), true, 3, -1074));
    CHECK(is(one(dtype::f32, 1.0f), false, 1 << 23, -23));
    CHECK(is(one(dtype::f16, std::uint16_t{0xbc01}), true, 1025, -10));
    CHECK(is(one(dtype::bf16, std::uint16_t{0x0001}), false, 1, -133));
    CHECK(is(one(dtype::f8_e4m3fn, std::uint8_t{0x7e}), false, 14, 5)); // 448
    CHECK(is(one(dtype::f8_e5m2, std::uint8_t{0x7b}), false, 7, 13));   // 57344
    CHECK(one(dtype::f32, std::numeric_limits<float>::infinity()).kind == plumb::number_kind::infinite);
    CHECK(one(dtype::f8_e4m3fn, std::uint8_t{0xff}).kind == plumb::number_kind::nan);
}

TEST_CASE("unpack_run: takes whole runs, in order") {
    const float numbers[5] = {1, -2, 3, -4, 5};
    unpacked x[5];
    unpack_run(dtype::f32, numbers, 5, x);
    for (int i = 0; i < 5; ++i) {
        CHECK(x[i].mantissa >> (-x[i].exponent) == static_cast<std::uint64_t>(i + 1));
        CHECK(x[i].negative == (i % 2 == 1));
    }
}

TEST_CASE("ordinal: counts the representable numbers from zero, through subnormals and binades") {
    CHECK(wrong_places<std::uint16_t>(dtype::f16, 0x7bff) == 0);
    CHECK(wrong_places<std::uint16_t>(dtype::bf16, 0x7f7f) == 0);
    CHECK(wrong_places<std::uint8_t>(dtype::f8_e4m3fn, 0x7e) == 0);
    CHECK(wrong_places<std::uint8_t>(dtype::f8_e5m2, 0x7b) == 0);
    CHECK(ordinal(dtype::f32, one(dtype::f32, std::numeric_limits<float>::max())) == 0x7f7fffff);
    CHECK(ordinal(dtype::f64, one(dtype::f64, std::numeric_limits<double>::max())) == 0x7fefffffffffffff);
    CHECK(ordinal(dtype::f64, one(dtype::f64, std::numeric_limits<double>::min())) == std::uint64_t{1} << 52);
    CHECK(ordinal(dtype::i64, one(dtype::i64, std::int64_t{-7})) == 7);
}
