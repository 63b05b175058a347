/// \file
/// The Mersenne Twister behind PyTorch's CPU generator, NumPy's RandomState and Python's random.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/types/view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace plumb::rng {

/// The state of MT19937.
using mt19937_words = std::array<std::uint32_t, 624>;

namespace detail {
inline namespace PLUMB_TARGET {

// Four words side by side; the compiler makes of them what the target has, at every level of optimisation.
#if defined(__GNUC__)
using word_lanes [[gnu::vector_size(16)]] = std::uint32_t;
#else
using word_lanes = std::uint32_t;
#endif
inline constexpr std::size_t word_lane_count = sizeof(word_lanes) / sizeof(std::uint32_t);

template <class Words>
PLUMB_ALWAYS_INLINE Words mt_next(Words far, Words upper, Words lower) noexcept {
    const Words joined = (upper & 0x80000000u) | (lower & 0x7fffffffu);
    return far ^ (joined >> 1) ^ ((Words{} - (lower & 1u)) & 0x9908b0dfu);
}

template <class Words>
PLUMB_ALWAYS_INLINE Words mt_temper(Words y) noexcept {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

/// Advances `Count` words, each from itself, its successor and the word `Far` further on.
template <std::ptrdiff_t Far, std::size_t Count>
PLUMB_ALWAYS_INLINE void mt_twist(std::uint32_t* words) noexcept {
    using plumb::detail::load;
    constexpr std::size_t in_lanes = Count / word_lane_count * word_lane_count;
    for (std::size_t i = 0; i < in_lanes; i += word_lane_count) {
        const std::uint32_t* at = words + i;
        const word_lanes next = mt_next(load<word_lanes>(at + Far), load<word_lanes>(at), load<word_lanes>(at + 1));
        std::memcpy(words + i, &next, sizeof next);
    }
    for (std::uint32_t* at = words + in_lanes; at != words + Count; ++at) *at = mt_next(at[Far], at[0], at[1]);
}

inline void mt_twist(mt19937_words& words) noexcept {
    mt_twist<397, 227>(words.data());
    mt_twist<-227, 396>(words.data() + 227);
    words[623] = mt_next(words[396], words[623], words[0]);
}

inline void mt_temper(const mt19937_words& words, mt19937_words& tempered) noexcept {
    static_assert(std::tuple_size_v<mt19937_words> % word_lane_count == 0);
    for (std::size_t i = 0; i < words.size(); i += word_lane_count) {
        const word_lanes out = mt_temper(plumb::detail::load<word_lanes>(words.data() + i));
        std::memcpy(tempered.data() + i, &out, sizeof out);
    }
}

inline void mt_seed(mt19937_words& words, std::uint32_t seed) noexcept {
    words[0] = seed;
    for (std::uint32_t i = 1; i < words.size(); ++i) words[i] = 1812433253u * (words[i - 1] ^ (words[i - 1] >> 30)) + i;
}

inline void mt_seed(mt19937_words& words, view<std::uint32_t> key) {
    if (key.empty()) throw std::invalid_argument("plumb: an mt19937 key needs at least one word");
    mt_seed(words, 19650218u);
    const std::size_t n = words.size();
    std::size_t i = 1;
    const auto step = [&](std::uint32_t factor) { words[i] ^= (words[i - 1] ^ (words[i - 1] >> 30)) * factor; };
    const auto wrap = [&] {
        if (++i < n) return;
        words[0] = words[n - 1];
        i = 1;
    };
    for (std::size_t k = 0; k < (n > key.size() ? n : key.size()); ++k) {
        const std::size_t j = k % key.size();
        step(1664525u);
        words[i] += key[j] + static_cast<std::uint32_t>(j);
        wrap();
    }
    for (std::size_t k = 1; k < n; ++k) {
        step(1566083941u);
        words[i] -= static_cast<std::uint32_t>(i);
        wrap();
    }
    words[0] = 0x80000000u;
}

} // namespace PLUMB_TARGET
} // namespace detail

/// MT19937 (Matsumoto and Nishimura, 1998): the numbers of std::mt19937, with the seedings, the bulk access and the access to
/// the state that the reference libraries' streams need. A UniformRandomBitGenerator.
///
/// A whole block of 624 words is tempered at a time, so that a draw is a load.
class mt19937 {
public:
    using result_type = std::uint32_t;

    /// Seeds as `init_genrand`: PyTorch's manual_seed, NumPy's RandomState(int).
    PLUMB_ALWAYS_INLINE explicit mt19937(std::uint32_t value = 5489) noexcept { seed(value); }
    /// Seeds as `init_by_array`: Python's random.seed, NumPy's RandomState(array). Throws std::invalid_argument for an empty key.
    PLUMB_ALWAYS_INLINE explicit mt19937(view<std::uint32_t> key) { seed(key); }
    /// A saved state: the words, and how many of them are used up. Throws std::invalid_argument beyond 624.
    PLUMB_ALWAYS_INLINE mt19937(const mt19937_words& words, std::size_t position) : words_(words), position_(position) {
        if (position > words.size()) throw std::invalid_argument("plumb: the position in an mt19937 state exceeds 624");
        detail::mt_temper(words_, tempered_);
    }

    PLUMB_ALWAYS_INLINE void seed(std::uint32_t value) noexcept {
        detail::mt_seed(words_, value);
        position_ = words_.size();
    }
    PLUMB_ALWAYS_INLINE void seed(view<std::uint32_t> key) {
        detail::mt_seed(words_, key);
        position_ = words_.size();
    }

    static constexpr result_type min() noexcept { return 0; }
    static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }

    PLUMB_ALWAYS_INLINE result_type operator()() noexcept {
        if (position_ == words_.size()) refill();
        return tempered_[position_++];
    }

    /// The next words, at least one and at most `most` (which must not be 0); they are used up. Valid until the next call.
    PLUMB_ALWAYS_INLINE view<std::uint32_t> take(std::uint64_t most) noexcept {
        if (position_ == words_.size()) refill();
        const std::size_t left = words_.size() - position_;
        const std::size_t n = most < left ? static_cast<std::size_t>(most) : left;
        position_ += n;
        return {tempered_.data() + position_ - n, n};
    }

    /// Passes over n words.
    PLUMB_ALWAYS_INLINE void discard(unsigned long long n) noexcept {
        while (n > 0) n -= take(n).size();
    }

    /// The words before tempering, and how many of them are used up: what NumPy's get_state and Python's getstate give.
    PLUMB_ALWAYS_INLINE const mt19937_words& words() const noexcept { return words_; }
    PLUMB_ALWAYS_INLINE std::size_t position() const noexcept { return position_; }

    friend PLUMB_ALWAYS_INLINE bool operator==(const mt19937& a, const mt19937& b) noexcept {
        return a.position_ == b.position_ && a.words_ == b.words_;
    }
    friend PLUMB_ALWAYS_INLINE bool operator!=(const mt19937& a, const mt19937& b) noexcept { return !(a == b); }

private:
    PLUMB_ALWAYS_INLINE void refill() noexcept {
        detail::mt_twist(words_);
        detail::mt_temper(words_, tempered_);
        position_ = 0;
    }

    mt19937_words words_;
    mt19937_words tempered_;
    std::size_t position_;
};

namespace detail {
inline namespace PLUMB_TARGET {

/// Two words as one number, the first one high: NumPy's and PyTorch's 64-bit draw.
PLUMB_ALWAYS_INLINE std::uint64_t join(std::uint32_t high, std::uint32_t low) noexcept {
    return (std::uint64_t{high} << 32) | low;
}

PLUMB_ALWAYS_INLINE std::uint64_t next64(mt19937& engine) noexcept {
    const std::uint32_t high = engine();
    return join(high, engine());
}

/// use(i, word) for n words in turn, i = 0..n-1.
template <class Use>
PLUMB_ALWAYS_INLINE void for_each_word(mt19937& engine, std::size_t n, Use use) {
    for (std::size_t i = 0; i < n;) {
        const view<std::uint32_t> words = engine.take(n - i);
        for (std::size_t k = 0; k < words.size(); ++k) use(i + k, words[k]);
        i += words.size();
    }
}

/// use(i, high, low) for n pairs of words in turn, i = 0..n-1.
template <class Use>
PLUMB_ALWAYS_INLINE void for_each_pair(mt19937& engine, std::size_t n, Use use) {
    for (std::size_t i = 0; i < n;) {
        const view<std::uint32_t> words = engine.take(2 * std::uint64_t{n - i});
        const std::size_t pairs = words.size() / 2;
        for (std::size_t k = 0; k < pairs; ++k) use(i + k, words[2 * k], words[2 * k + 1]);
        i += pairs;
        if (words.size() % 2 != 0) { // a pair that straddles two blocks
            const std::uint32_t high = words[words.size() - 1];
            use(i++, high, engine());
        }
    }
}

} // namespace PLUMB_TARGET
} // namespace detail
} // namespace plumb::rng
