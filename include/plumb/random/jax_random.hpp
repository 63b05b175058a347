/// \file
/// jax.random: keys, and bits and uniforms drawn with them.
#pragma once

#include <plumb/random/counter_functions.hpp>
#include <plumb/random/output.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace plumb::rng::jax {

/// JAX's setting jax_threefry_partitionable.
enum class threefry : std::uint8_t {
    partitionable, ///< the default since JAX 0.5
    original,
};

inline namespace PLUMB_TARGET {

/// jax.random.key(seed), PRNGKey(seed).
inline words2 key(std::uint64_t seed) noexcept {
    return {static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)};
}

/// jax.random.fold_in(key, data).
inline words2 fold_in(words2 key, std::uint32_t data) noexcept { return threefry2x32({0, data}, key); }

} // namespace PLUMB_TARGET

namespace detail {
inline namespace PLUMB_TARGET {

using namespace plumb::rng::detail;

/// use(i, word) for n words of the original mode: the counts 0 to n - 1, padded by a 0 to an even number, are cut in two halves
/// that make up the blocks, and so are the words that come out.
template <class Use>
inline void for_each_word(words2 key, std::size_t n, Use use) noexcept {
    const std::size_t half = (n + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) {
        const std::size_t j = half + i;
        const words2 words = threefry2x32({static_cast<std::uint32_t>(i), j < n ? static_cast<std::uint32_t>(j) : 0}, key);
        use(i, words[0]);
        if (j < n) use(j, words[1]);
    }
}

inline words2 block(words2 key, std::uint64_t index) noexcept {
    return threefry2x32({static_cast<std::uint32_t>(index >> 32), static_cast<std::uint32_t>(index)}, key);
}

template <class Use>
inline void for_each_bits(words2 key, std::size_t n, threefry mode, Use use) noexcept {
    if (mode == threefry::original) return for_each_word(key, n, use);
    for (std::size_t i = 0; i < n; ++i) {
        const words2 words = block(key, i);
        use(i, words[0] ^ words[1]);
    }
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// jax.random.split(key, n): fills n keys, any contiguous container of words2.
template <class Keys>
inline void split(words2 key, Keys&& keys, threefry mode = threefry::partitionable) {
    const auto n = static_cast<std::size_t>(keys.size());
    if (mode == threefry::partitionable)
        for (std::size_t i = 0; i < n; ++i) keys[i] = detail::block(key, i);
    else
        detail::for_each_word(key, 2 * n, [&](std::size_t i, std::uint32_t word) { keys[i / 2][i % 2] = word; });
}

/// jax.random.bits(key, shape, uint32).
template <class Buffer>
inline void bits(words2 key, Buffer&& out, threefry mode = threefry::partitionable) {
    const output<std::uint32_t> words = output_of(out);
    detail::for_each_bits(key, words.size(), mode, [&](std::size_t i, std::uint32_t word) { words[i] = word; });
}

/// jax.random.uniform(key, shape, float32): in [0, 1), multiples of 2^-23.
template <class Buffer>
inline void uniform(words2 key, Buffer&& out, threefry mode = threefry::partitionable) {
    const output<float> values = output_of(out);
    detail::for_each_bits(key, values.size(), mode, [&](std::size_t i, std::uint32_t word) {
        values[i] = static_cast<float>(static_cast<std::int32_t>(word >> 9)) * 0x1p-23f;
    });
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::jax
