#include <plumb/detail/bits.hpp>
#include <plumb/detail/uint128.hpp>

#include "catch.hpp"

#include <cstdint>
#include <random>

using namespace plumb::detail;

TEST_CASE("bit_width: counts the bits of 64-bit and 128-bit numbers") {
    CHECK(bit_width(std::uint64_t{0}) == 0);
    for (int i = 0; i < 64; ++i) {
        CHECK(bit_width(std::uint64_t{1} << i) == i + 1);
        CHECK(bit_width((std::uint64_t{1} << i) - 1) == i);
    }
    CHECK(bit_width(uint128{0}) == 0);
    for (int i = 0; i < 128; ++i) {
        CHECK(bit_width(uint128{1} << i) == i + 1);
        CHECK(bit_width((uint128{1} << i) - 1) == i);
    }
}

TEST_CASE("bit_cast, load: give the bytes back as they are, from any address") {
    CHECK(bit_cast<std::uint32_t>(1.0f) == 0x3f800000);
    CHECK(bit_cast<std::uint64_t>(-0.0) == std::uint64_t{1} << 63);
    unsigned char bytes[9] = {};
    bytes[1] = 0x80;
    bytes[2] = 0x3f; // little-endian
    CHECK(load<std::uint16_t>(bytes + 1) == 0x3f80);
}

TEST_CASE("divide: is division, for dividends and divisors of all sizes") {
    std::mt19937_64 random(51);
    int wrong = 0;
    const std::uint64_t divisors[] = {1, 2, 3, std::uint64_t{1} << 63, ~std::uint64_t{0}, 10, 0x123456789};
    for (int i = 0; i < 20000; ++i) {
        const uint128 n = (uint128{random()} << 64 | random()) >> (random() % 128);
        const std::uint64_t d = i % 4 == 0 ? divisors[random() % 7] : (random() >> (random() % 64)) | 1;
        wrong += divide(n, d) != n / d;
    }
    for (const std::uint64_t d : divisors) wrong += divide(~uint128{0}, d) != ~uint128{0} / d;
    CHECK(wrong == 0);
}
