/// \file
/// Random numbers addressed by (seed, stream, index): the same for any number of threads and any order.
#pragma once

#include <plumb/random/box_muller.hpp>
#include <plumb/random/counter_functions.hpp>
#include <plumb/random/output.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace plumb::rng {

/// A stream of 2^66 words of Philox4x32-10. Word i is word i mod 4 of the block whose counter is i / 4 in its low half and the
/// stream's number in its high half, under the seed as key: cuRAND's layout, the stream being the subsequence.
///
/// Give each layer and step its own stream. Fills take the index of their first element, so that threads can fill parts of a
/// tensor: the parts together are the whole, bit for bit. A UniformRandomBitGenerator, too: then it goes through its words in
/// turn.
class counter_stream {
public:
    using result_type = std::uint32_t;

    PLUMB_ALWAYS_INLINE explicit counter_stream(std::uint64_t seed, std::uint64_t stream = 0) noexcept
        : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, stream_(stream) {}

    /// The four words 4 * index to 4 * index + 3.
    PLUMB_ALWAYS_INLINE words4 block(std::uint64_t index) const noexcept {
        return philox4x32({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                           static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                          key_);
    }
    PLUMB_ALWAYS_INLINE std::uint32_t operator[](std::uint64_t index) const noexcept { return block(index / 4)[index % 4]; }

    static constexpr result_type min() noexcept { return 0; }
    static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
    PLUMB_ALWAYS_INLINE result_type operator()() noexcept { return (*this)[next_++]; }

private:
    words2 key_;
    std::uint64_t stream_;
    std::uint64_t next_ = 0;
};

namespace detail {
inline namespace PLUMB_TARGET {

/// use(i, word) for the words first to first + n - 1, i = 0..n-1.
template <class Use>
PLUMB_ALWAYS_INLINE void for_each_word(const counter_stream& stream, std::uint64_t first, std::size_t n, Use use) noexcept {
    std::size_t i = 0;
    while (i < n) {
        const words4 words = stream.block((first + i) / 4);
        for (std::uint64_t k = (first + i) % 4; k < 4 && i < n; ++k) use(i++, words[k]);
    }
}

/// The top 24 bits as a multiple of 2^-24 in [0, 1).
PLUMB_ALWAYS_INLINE float unit_float(std::uint32_t word) noexcept {
    return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24f;
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// Fills with uniform numbers in [low, high): element i is fma(u, high - low, low) in float, u the top 24 bits of word first + i,
/// rounded to the element type. Types f64, f32, f16 and bf16.
template <class Buffer>
inline void uniform(const counter_stream& stream, Buffer&& out, float low = 0.0f, float high = 1.0f, std::uint64_t first = 0) {
    const auto values = output_of(out);
    const float range = detail::value_barrier(high - low);
    detail::for_each_word(stream, first, values.size(), [&](std::size_t i, std::uint32_t word) {
        values[i] = detail::to_element<element_of<Buffer>>(detail::multiply_add<true>(detail::unit_float(word), range, low));
    });
}

/// Fills with normal numbers, made in float by Box and Muller's transform of words 2k and 2k + 1 into elements 2k (cosine) and 2k
/// + 1.
template <class Buffer>
inline void normal(const counter_stream& stream, Buffer&& out, float mean = 0.0f, float std = 1.0f, std::uint64_t first = 0) {
    const auto values = output_of(out);
    const auto box_muller = detail::best_box_muller(true);
    for (std::size_t i = 0; i < values.size();) {
        // Sixteen words from the block on that the element is in: the even ones become radii, the odd ones angles.
        const std::uint64_t block = (first + i) / 4;
        float u[16];
        for (std::size_t k = 0; k < 4; ++k) {
            const words4 words = stream.block(block + k);
            for (std::size_t pair = 0; pair < 2; ++pair) {
                u[2 * k + pair] = detail::unit_float(words[2 * pair]);
                u[2 * k + pair + 8] = detail::unit_float(words[2 * pair + 1]);
            }
        }
        box_muller(u, mean, std);
        for (std::size_t k = (first + i) % 4; k < 16 && i < values.size(); ++k)
            values[i++] = detail::to_element<element_of<Buffer>>(u[k / 2 + 8 * (k % 2)]);
    }
}

/// Dropout: element i is kept if the unit of word first + i is below 1 - p, and multiplied by 1 / (1 - p); else it is multiplied
/// by 0. `out` may be `input`. Throws std::invalid_argument for p outside [0, 1] or if the sizes differ.
template <class Input, class Buffer>
inline void dropout(const counter_stream& stream, const Input& input_buffer, Buffer&& out, double p, std::uint64_t first = 0) {
    const auto input = input_of(input_buffer);
    const auto result = output_of(out);
    if (!detail::is_finite(p) || p < 0.0 || p > 1.0) throw std::invalid_argument("plumb: a probability must lie in [0, 1]");
    if (input.size() != result.size()) throw std::invalid_argument("plumb: dropout needs an output of the input's size");
    const float keep = static_cast<float>(1.0 - p);
    const float scale = keep > 0.0f ? detail::value_barrier(1.0f / keep) : 0.0f;
    detail::for_each_word(stream, first, input.size(), [&](std::size_t i, std::uint32_t word) {
        const float noise = detail::value_barrier(detail::unit_float(word) < keep ? scale : 0.0f);
        result[i] = detail::to_element<element_of<Buffer>>(detail::value_barrier(detail::to_real(input[i]) * noise));
    });
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng
