/// \file
/// The random numbers of PyTorch on CUDA, as far as a CPU can compute them. From the source; not compared with a device.
#pragma once

#include <plumb/random/counter_stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace plumb::rng::torch_cuda {

/// The most blocks of 256 threads that a call uses: multiprocessors times (threads of one / 256). Calls that need no more do not
/// depend on it.
inline constexpr std::uint64_t default_capacity = 1056; // an H100

/// torch.Generator("cuda"): a seed, and how far the calls so far have moved in every thread's stream.
class generator {
public:
    PLUMB_ALWAYS_INLINE explicit generator(std::uint64_t seed, std::uint64_t capacity = default_capacity) noexcept
        : seed_(seed), capacity_(capacity) {}
    PLUMB_ALWAYS_INLINE std::uint64_t seed() const noexcept { return seed_; }
    PLUMB_ALWAYS_INLINE std::uint64_t offset() const noexcept { return offset_; }
    PLUMB_ALWAYS_INLINE void set_offset(std::uint64_t offset) noexcept { offset_ = offset; }

    /// Number of threads of a call over n elements, each of which makes `per_thread` of them at a time.
    PLUMB_ALWAYS_INLINE std::uint64_t threads(std::uint64_t n, std::uint64_t per_thread = 1) const noexcept {
        const std::uint64_t wanted = (n / per_thread + 255) / 256;
        return 256 * std::min(wanted, capacity_);
    }
    /// Returns the block at which this call starts and moves the offset past it.
    PLUMB_ALWAYS_INLINE std::uint64_t advance(std::uint64_t n, std::uint64_t threads) noexcept {
        const std::uint64_t start = offset_ / 4;
        offset_ += ((n - 1) / (4 * threads) + 1) * 4;
        return start;
    }

private:
    std::uint64_t seed_, capacity_;
    std::uint64_t offset_ = 0;
};

inline namespace PLUMB_TARGET {

/// cuRAND's uniform in (0, 1].
PLUMB_ALWAYS_INLINE float curand_uniform(std::uint32_t word) noexcept {
    return detail::value_barrier(static_cast<float>(word) * 0x1p-32f) + 0x1p-33f;
}

} // namespace PLUMB_TARGET

namespace detail {
inline namespace PLUMB_TARGET {

using namespace plumb::rng::detail;

/// use(i, word) for the elements of an elementwise call: each thread makes four of them from a block, T elements apart.
template <class Use>
inline void for_each_element(generator& g, std::size_t n, Use use) noexcept {
    if (n == 0) return;
    const std::uint64_t threads = g.threads(n), start = g.advance(n, threads);
    for (std::uint64_t round = 0; round * 4 * threads < n; ++round)
        for (std::uint64_t thread = 0; thread < threads; ++thread) {
            const words4 words = counter_stream(g.seed(), thread).block(start + round);
            for (std::uint64_t k = 0; k < 4; ++k) {
                const std::uint64_t i = (round * 4 + k) * threads + thread;
                if (i < n) use(static_cast<std::size_t>(i), words[k]);
            }
        }
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// Tensor.uniform_(low, high) on float32.
template <class Buffer>
inline void uniform(generator& g, Buffer&& out, float low = 0.0f, float high = 1.0f) {
    const output<float> values = output_of(out);
    const float range = detail::value_barrier(high - low);
    detail::for_each_element(g, values.size(), [&](std::size_t i, std::uint32_t word) {
        const float u = curand_uniform(word);
        values[i] = detail::multiply_add<true>(u == 1.0f ? 0.0f : u, range, low);
    });
}

/// torch.randint(low, high) with high - low < 2^32.
template <class Buffer>
inline void randint(generator& g, Buffer&& out, std::int64_t low, std::int64_t high) {
    const auto values = output_of(out);
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (low >= high || range > 0xffffffffu) throw std::invalid_argument("plumb: randint needs low < high < low + 2^32");
    detail::for_each_element(g, values.size(), [&](std::size_t i, std::uint32_t word) {
        values[i] = static_cast<element_of<Buffer>>(static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + word % range));
    });
}

/// F.dropout(input, p, training=True) on float32. If the number of elements is a multiple of 4, as an aligned tensor's kernel
/// does it. Throws std::invalid_argument for p outside (0, 1) or if the sizes differ.
template <class Input, class Buffer>
inline void dropout(generator& g, const Input& input_buffer, Buffer&& out, double p) {
    const view<float> input = input_of(input_buffer);
    const output<float> result = output_of(out);
    if (!detail::is_finite(p) || p <= 0.0 || p >= 1.0) throw std::invalid_argument("plumb: dropout on CUDA needs p in (0, 1)");
    if (input.size() != result.size()) throw std::invalid_argument("plumb: dropout needs an output of the input's size");
    const auto keep = static_cast<float>(1.0 - p);
    const float scale = detail::value_barrier(1.0f / keep);
    const auto apply = [&](std::size_t i, std::uint32_t word) {
        const float kept = detail::value_barrier(curand_uniform(word) < keep ? 1.0f : 0.0f);
        result[i] = detail::value_barrier(detail::value_barrier(input[i] * kept) * scale);
    };
    const std::size_t n = input.size();
    if (n % 4 != 0) return detail::for_each_element(g, n, apply);
    if (n == 0) return;
    const std::uint64_t threads = g.threads(n, 4), start = g.advance(n, threads);
    for (std::uint64_t e = 0; e < n; e += 4) {
        const words4 words = counter_stream(g.seed(), e % (4 * threads) / 4).block(start + e / (4 * threads));
        for (std::uint64_t k = 0; k < 4; ++k) apply(static_cast<std::size_t>(e + k), words[k]);
    }
}

// normal_ and randperm have no counterpart: the one uses the GPU's own sine and cosine, the other sorts by GPU-dependent keys.

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch_cuda
