/// \file
/// Integers below a bound from a stream of words: NumPy's two ways, masks with rejection and Lemire's products.
#pragma once

#include <plumb/random/numpy_bit_generators.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace plumb::rng::numpy::detail {
inline namespace PLUMB_TARGET {

/// How draws that exceed the bound are avoided: RandomState's way and shuffles', or Generator.integers'.
enum class rejection { masked, lemire };

/// The next unsigned word of type Word. Words below 32 bits are cut from one of 32, low piece first; the rest of it serves the
/// next calls on the same object.
template <class Word, class Bits>
class word_source {
public:
    explicit word_source(Bits& bits) noexcept : bits_(bits) {}

    PLUMB_ALWAYS_INLINE Word operator()() noexcept {
        if constexpr (sizeof(Word) == 8) return bits_.next64();
        if constexpr (sizeof(Word) == 4) return bits_.next32();
        if (pieces_ == 0) {
            buffer_ = bits_.next32();
            pieces_ = 4 / sizeof(Word);
        } else {
            buffer_ >>= 8 * sizeof(Word) % 32;
        }
        --pieces_;
        return static_cast<Word>(buffer_);
    }

private:
    Bits& bits_;
    std::uint32_t buffer_ = 0;
    std::size_t pieces_ = 0;
};

/// The smallest 2^k - 1 that is not below `most` > 0.
PLUMB_ALWAYS_INLINE std::uint64_t mask_of(std::uint64_t most) noexcept {
    return std::numeric_limits<std::uint64_t>::max() >> (64 - plumb::detail::bit_width(most));
}

/// A number in [0, most], 0 < most < the largest Word, by drawing under the smallest mask that covers `most`.
template <class Word, class Next>
PLUMB_ALWAYS_INLINE Word below_masked(Word most, Next&& next) noexcept {
    const auto mask = static_cast<Word>(mask_of(most));
    for (;;) {
        const auto word = static_cast<Word>(next() & mask);
        if (word <= most) return word;
    }
}

/// The same by the high half of a product (Lemire, 2019).
template <class Word, class Next>
PLUMB_ALWAYS_INLINE Word below_lemire(Word most, Next&& next) noexcept {
    using product = std::conditional_t<sizeof(Word) == 8, uint128, std::uint64_t>;
    constexpr int width = 8 * sizeof(Word);
    const auto count = static_cast<Word>(most + 1);
    product m = product{next()} * count;
    if (static_cast<Word>(m) < count) {
        const auto threshold = static_cast<Word>(static_cast<Word>(std::numeric_limits<Word>::max() - most) % count);
        while (static_cast<Word>(m) < threshold) m = product{next()} * count;
    }
    return static_cast<Word>(m >> width);
}

template <rejection How, class Word, class Next>
PLUMB_ALWAYS_INLINE Word below(Word most, Next&& next) noexcept {
    if (most == 0) return 0;
    if (most == std::numeric_limits<Word>::max()) return static_cast<Word>(next());
    if constexpr (How == rejection::masked)
        return below_masked(most, next);
    else
        return below_lemire(most, next);
}

/// use(bits), on a copy that can stay in registers while elements are written, if the bits are small.
template <class Bits, class Use>
PLUMB_ALWAYS_INLINE void on_local_copy(Bits& bits, Use use) {
    if constexpr (sizeof(Bits) > 256) {
        use(bits);
    } else {
        Bits local = bits;
        use(local);
        bits = local;
    }
}

/// A number in [0, most] from a 32-bit word if that suffices, else from a 64-bit one.
template <rejection How, class Bits>
PLUMB_ALWAYS_INLINE std::uint64_t below(Bits& bits, std::uint64_t most) noexcept {
    if (most <= 0xffffffffu) return below<How>(static_cast<std::uint32_t>(most), word_source<std::uint32_t, Bits>(bits));
    return below<How>(most, word_source<std::uint64_t, Bits>(bits));
}

/// Fills with integers in [low, high), as randint(dtype) and integers(dtype) do for the element type.
template <rejection How, class Bits, class T>
inline void fill_integers(Bits& bits, output<T> out, std::int64_t low, std::uint64_t most) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        // A bit of a word each, low one first.
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (most != 0) word = i % 32 == 0 ? bits.next32() : word >> 1;
            out[i] = most == 0 ? low != 0 : (word & 1u) != 0;
        }
    } else if constexpr (sizeof(T) == 8) {
        on_local_copy(bits, [&](Bits& local) {
            for (T& value : out) value = static_cast<T>(static_cast<std::uint64_t>(low) + below<How>(local, most));
        });
    } else {
        using word = std::make_unsigned_t<T>;
        word_source<word, Bits> next(bits);
        for (T& value : out) value = static_cast<T>(static_cast<word>(low) + below<How>(static_cast<word>(most), next));
    }
}

/// The largest number above `low` that is to be drawn. Throws std::invalid_argument unless low <= high.
template <class T>
inline std::uint64_t checked_inclusive_span(T low, T high) {
    static_assert(std::is_integral_v<T>, "integers are drawn into integer types");
    if (low > high) throw std::invalid_argument("plumb: integers need low <= high");
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

/// The same for [low, high). Throws std::invalid_argument unless low < high and all of it is in the type.
template <class T>
inline std::uint64_t checked_span(std::int64_t low, std::int64_t high) {
    static_assert(std::is_integral_v<T>, "integers are drawn into integer types");
    bool fits = low < high;
    if constexpr (sizeof(T) < 8)
        fits =
            fits && low >= std::int64_t{std::numeric_limits<T>::min()} && high - 1 <= std::int64_t{std::numeric_limits<T>::max()};
    else if constexpr (std::is_unsigned_v<T>)
        fits = fits && low >= 0;
    if (!fits) throw std::invalid_argument("plumb: integers need low < high, both within the element type");
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) - 1;
}

/// Fisher-Yates from the end, down to position `last`, with Lemire's products: choice's. swap(i, j) exchanges two elements.
template <class Bits, class Swap>
inline void shuffle_lemire(Bits& bits, std::size_t n, std::size_t last, Swap swap) {
    on_local_copy(bits, [&](Bits& local) {
        for (std::size_t i = n; i-- > last;) swap(i, static_cast<std::size_t>(below<rejection::lemire>(local, i)));
    });
}

/// Fisher-Yates from the end with masks: shuffle's and permutation's.
///
/// A rejection is a coin's toss to the branch predictor, and a wrong guess would throw away the exchanges under way in a buffer
/// that the cache does not hold. So positions are drawn some at a time, without a branch, and exchanged afterwards.
template <class Bits, class Swap>
inline void shuffle_masked(Bits& bits, std::size_t n, Swap swap) {
    constexpr std::size_t at_a_time = 256;
    on_local_copy(bits, [&](Bits& local) {
        std::array<std::uint32_t, at_a_time> drawn;
        while (n > 1) {
            const std::uint64_t top = n - 1;
            if (top > 0xffffffffu) {
                swap(--n, static_cast<std::size_t>(below<rejection::masked>(local, top)));
                continue;
            }
            const std::uint64_t mask = mask_of(top);
            const auto same_mask = static_cast<std::size_t>(top - (mask >> 1));
            const std::size_t count = same_mask < at_a_time ? same_mask : at_a_time;
            for (std::size_t k = 0; k < count;) {
                const auto word = static_cast<std::uint32_t>(local.next32() & mask);
                drawn[k] = word;
                k += word <= top - k ? 1 : 0;
            }
            for (std::size_t k = 0; k < count; ++k) swap(--n, std::size_t{drawn[k]});
        }
    });
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::numpy::detail
