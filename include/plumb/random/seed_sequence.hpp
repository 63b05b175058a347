/// \file
/// NumPy's SeedSequence.
#pragma once

#include <plumb/random/output.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace plumb::rng::numpy {
namespace detail {
inline namespace PLUMB_TARGET {

using namespace plumb::rng::detail;

/// One hash of the sequence: its constant changes with every use.
PLUMB_ALWAYS_INLINE std::uint32_t seed_hash(std::uint32_t value, std::uint32_t& constant, std::uint32_t factor) noexcept {
    value ^= constant;
    constant *= factor;
    value *= constant;
    return value ^ (value >> 16);
}

PLUMB_ALWAYS_INLINE std::uint32_t seed_mix(std::uint32_t x, std::uint32_t y) noexcept {
    const std::uint32_t mixed = 0xca01f9ddu * x - 0x4973f715u * y;
    return mixed ^ (mixed >> 16);
}

/// The four words that everything is derived from, and the state of the hash that fills them.
struct seed_pool {
    std::array<std::uint32_t, 4> words;
    std::uint32_t constant = 0x43b0d7e5u;

    std::uint32_t hash(std::uint32_t value) noexcept { return seed_hash(value, constant, 0x931e8875u); }

    void add(std::uint32_t word) noexcept {
        for (std::uint32_t& destination : words) destination = seed_mix(destination, hash(word));
    }
    explicit seed_pool(view<std::uint32_t> entropy) noexcept {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = hash(i < entropy.size() ? entropy[i] : 0);
        for (std::size_t source = 0; source < words.size(); ++source)
            for (std::size_t i = 0; i < words.size(); ++i)
                if (i != source) words[i] = seed_mix(words[i], hash(words[source]));
        for (std::size_t i = words.size(); i < entropy.size(); ++i) add(entropy[i]);
    }
};

template <class Word>
inline void generate_state(const seed_pool& pool, output<Word> out) noexcept {
    std::uint32_t constant = 0x8b51f9ddu;
    std::size_t i = 0;
    const auto next = [&] { return seed_hash(pool.words[i++ % pool.words.size()], constant, 0x58f38dedu); };
    for (Word& word : out) {
        word = next();
        if constexpr (sizeof(Word) == 8) word |= std::uint64_t{next()} << 32;
    }
}

} // namespace PLUMB_TARGET
} // namespace detail

/// numpy.random.SeedSequence: turns a seed of any size into any number of well mixed words, and into the seeds of independent
/// children.
class seed_sequence {
public:
    PLUMB_ALWAYS_INLINE explicit seed_sequence(std::uint64_t seed = 0) noexcept
        : seed_sequence(std::array<std::uint32_t, 2>{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}) {}
    /// An integer of any size as its 32-bit words, the lowest first, or a sequence of them.
    PLUMB_ALWAYS_INLINE explicit seed_sequence(view<std::uint32_t> entropy) noexcept : pool_(entropy) {}

    /// generate_state: fills with words of 32 or 64 bits. Does not change the sequence.
    template <class Buffer>
    PLUMB_ALWAYS_INLINE void generate(Buffer&& out) const {
        using word = element_of<Buffer>;
        static_assert(std::is_same_v<word, std::uint32_t> || std::is_same_v<word, std::uint64_t>);
        detail::generate_state<word>(pool_, output_of(out));
    }

    /// The next child: spawn(n) is n calls of this.
    PLUMB_ALWAYS_INLINE seed_sequence spawn() noexcept {
        // A child's entropy is the parent's, padded to the pool's four words, and its number.
        seed_sequence child = *this;
        child.pool_.add(children_++);
        child.children_ = 0;
        return child;
    }

private:
    detail::seed_pool pool_;
    std::uint32_t children_ = 0;
};

} // namespace plumb::rng::numpy
