/// \file
/// NumPy's bit generators: MT19937, PCG64 and Philox.
///
/// Each is a UniformRandomBitGenerator of its native words and has next32(), next64() and next_double() as NumPy's have.
#pragma once

#include <plumb/detail/uint128.hpp>
#include <plumb/random/mt19937.hpp>
#include <plumb/random/seed_sequence.hpp>

#include <array>
#include <cstdint>
#include <limits>

namespace plumb::rng::numpy {
namespace detail {
inline namespace PLUMB_TARGET {

using plumb::detail::high_half;
using plumb::detail::low_half;
using plumb::detail::uint128;

/// The top 53 bits as a multiple of 2^-53 in [0, 1).
PLUMB_ALWAYS_INLINE double unit_double(std::uint64_t word) noexcept {
    return static_cast<double>(static_cast<std::int64_t>(word >> 11)) * 0x1p-53;
}

/// Halves of 64-bit words, the low one first. Whole words drawn in between do not disturb the half kept back.
class half_words {
public:
    template <class Engine>
    PLUMB_ALWAYS_INLINE std::uint32_t next(Engine& engine) noexcept {
        if (kept_) {
            kept_ = false;
            return high_;
        }
        const std::uint64_t word = engine.next64();
        high_ = static_cast<std::uint32_t>(word >> 32);
        kept_ = true;
        return static_cast<std::uint32_t>(word);
    }

private:
    std::uint32_t high_ = 0;
    bool kept_ = false;
};

inline mt19937 seeded_mt19937(const seed_sequence& seed) noexcept {
    mt19937_words words;
    seed.generate(words);
    words[0] = 0x80000000u;
    return mt19937(words, 623);
}

} // namespace PLUMB_TARGET
} // namespace detail

/// numpy.random.MT19937, and the engine of RandomState.
class mt19937_bits {
public:
    using result_type = std::uint32_t;

    PLUMB_ALWAYS_INLINE explicit mt19937_bits(const seed_sequence& seed) noexcept : engine_(detail::seeded_mt19937(seed)) {}
    PLUMB_ALWAYS_INLINE explicit mt19937_bits(const mt19937& engine) noexcept : engine_(engine) {}

    static constexpr result_type min() noexcept { return 0; }
    static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
    PLUMB_ALWAYS_INLINE result_type operator()() noexcept { return engine_(); }

    PLUMB_ALWAYS_INLINE std::uint32_t next32() noexcept { return engine_(); }
    PLUMB_ALWAYS_INLINE std::uint64_t next64() noexcept { return detail::next64(engine_); }
    PLUMB_ALWAYS_INLINE double next_double() noexcept {
        const std::uint32_t high = engine_(), low = engine_();
        return as_double(high, low);
    }
    /// 27 bits of one word and 26 of another as a multiple of 2^-53 in [0, 1).
    PLUMB_ALWAYS_INLINE static double as_double(std::uint32_t high, std::uint32_t low) noexcept {
        return static_cast<double>((std::int64_t{high >> 5} << 26) | (low >> 6)) * 0x1p-53;
    }
    PLUMB_ALWAYS_INLINE mt19937& engine() noexcept { return engine_; }

private:
    mt19937 engine_;
};

/// numpy.random.PCG64 (O'Neill, 2014: pcg64_xsl_rr), the engine of numpy.random.default_rng.
class pcg64 {
public:
    using result_type = std::uint64_t;

    PLUMB_ALWAYS_INLINE explicit pcg64(const seed_sequence& seed) noexcept {
        std::array<std::uint64_t, 4> words;
        seed.generate(words);
        increment_ = ((detail::uint128{words[2]} << 64 | words[3]) << 1) | 1;
        step();
        state_ += detail::uint128{words[0]} << 64 | words[1];
        step();
    }
    PLUMB_ALWAYS_INLINE explicit pcg64(std::uint64_t seed = 0) noexcept : pcg64(seed_sequence(seed)) {}

    static constexpr result_type min() noexcept { return 0; }
    static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
    PLUMB_ALWAYS_INLINE result_type operator()() noexcept { return next64(); }

    PLUMB_ALWAYS_INLINE std::uint64_t next64() noexcept {
        step();
        const std::uint64_t folded = detail::high_half(state_) ^ detail::low_half(state_);
        const auto turn = static_cast<unsigned>(detail::high_half(state_) >> 58);
        return (folded >> turn) | (folded << ((64 - turn) & 63));
    }
    PLUMB_ALWAYS_INLINE std::uint32_t next32() noexcept { return halves_.next(*this); }
    PLUMB_ALWAYS_INLINE double next_double() noexcept { return detail::unit_double(next64()); }

private:
    PLUMB_ALWAYS_INLINE void step() noexcept {
        constexpr detail::uint128 factor = detail::uint128{2549297995355413924u} << 64 | 4865540595714422341u;
        state_ = state_ * factor + increment_;
    }

    detail::uint128 state_ = 0;
    detail::uint128 increment_;
    detail::half_words halves_;
};

/// numpy.random.Philox: Philox4x64-10 (Salmon et al., 2011).
class philox {
public:
    using result_type = std::uint64_t;

    PLUMB_ALWAYS_INLINE explicit philox(const seed_sequence& seed) noexcept { seed.generate(key_); }
    PLUMB_ALWAYS_INLINE explicit philox(std::uint64_t seed = 0) noexcept : philox(seed_sequence(seed)) {}

    static constexpr result_type min() noexcept { return 0; }
    static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
    PLUMB_ALWAYS_INLINE result_type operator()() noexcept { return next64(); }

    PLUMB_ALWAYS_INLINE std::uint64_t next64() noexcept {
        if (used_ == block_.size()) refill();
        return block_[used_++];
    }
    PLUMB_ALWAYS_INLINE std::uint32_t next32() noexcept { return halves_.next(*this); }
    PLUMB_ALWAYS_INLINE double next_double() noexcept { return detail::unit_double(next64()); }

private:
    /// The counter is incremented before each block, so that the first block has counter 1.
    PLUMB_ALWAYS_INLINE void refill() noexcept {
        for (std::uint64_t& word : counter_)
            if (++word != 0) break;
        block_ = counter_;
        std::array<std::uint64_t, 2> key = key_;
        for (int round = 0; round < 10; ++round) {
            const detail::uint128 a = detail::uint128{0xd2e7470ee14c6c93u} * block_[0];
            const detail::uint128 b = detail::uint128{0xca5a826395121157u} * block_[2];
            block_ = {detail::high_half(b) ^ block_[1] ^ key[0], detail::low_half(b), detail::high_half(a) ^ block_[3] ^ key[1],
                      detail::low_half(a)};
            key[0] += 0x9e3779b97f4a7c15u;
            key[1] += 0xbb67ae8584caa73bu;
        }
        used_ = 0;
    }

    std::array<std::uint64_t, 4> counter_{};
    std::array<std::uint64_t, 2> key_{};
    std::array<std::uint64_t, 4> block_{};
    std::size_t used_ = 4;
    detail::half_words halves_;
};

} // namespace plumb::rng::numpy
