/// \file
/// Philox4x32-10 and Threefry2x32-20: random words as a function of a counter and a key, without state
/// (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011).
#pragma once

#include <plumb/detail/target.hpp>

#include <array>
#include <cstdint>

namespace plumb::rng {

/// Counters and keys of two words, counters of four.
using words2 = std::array<std::uint32_t, 2>;
using words4 = std::array<std::uint32_t, 4>;

inline namespace PLUMB_TARGET {

/// Philox4x32-10 of a counter under a key, lowest words first. What cuRAND, PyTorch CUDA and TensorFlow use.
PLUMB_ALWAYS_INLINE words4 philox4x32(words4 counter, words2 key) noexcept {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xd2511f53u} * counter[0], b = std::uint64_t{0xcd9e8d57u} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return counter;
}

/// Threefry2x32-20 of a counter under a key. What JAX uses.
PLUMB_ALWAYS_INLINE words2 threefry2x32(words2 counter, words2 key) noexcept {
    constexpr int turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const std::uint32_t schedule[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bdau};
    std::uint32_t x = counter[0] + schedule[0], y = counter[1] + schedule[1];
    for (std::uint32_t group = 0; group < 5; ++group) {
        for (const int turn : turns[group % 2]) {
            x += y;
            y = (y << turn | y >> (32 - turn)) ^ x;
        }
        x += schedule[(group + 1) % 3];
        y += schedule[(group + 2) % 3] + group + 1;
    }
    return {x, y};
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng
