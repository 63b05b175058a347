/// \file
/// A fixed-point number wide enough to hold any sum of floating-point numbers, or of their products, without rounding.
#pragma once

#include <plumb/kernels/rounding.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb {

/// A sum in two's complement with the unit 2^MinExponent and Words * 64 bits. Adding is exact, so the order of additions and
/// merges never matters. Trivially copyable: it can be sent as bytes and merged elsewhere.
///
/// (The "small superaccumulator" of R. Neal, Fast exact summation using small and large superaccumulators, 2015, with full
/// carries.)
template <int MinExponent, std::size_t Words>
class superaccumulator {
public:
    static constexpr int min_exponent = MinExponent;
    using magnitude_type = kernels::natural<Words>;

    /// Adds (-1)^negative * mantissa * 2^exponent, which must be a multiple of the unit and leave the sum in range.
    PLUMB_ALWAYS_INLINE void add(bool negative, detail::uint128 mantissa, int exponent) noexcept;
    /// Adds another sum.
    PLUMB_ALWAYS_INLINE void merge(const superaccumulator& other) noexcept;
    /// Adds (-1)^negative * 2^power * other; power is below 64.
    PLUMB_ALWAYS_INLINE void merge_scaled(const superaccumulator& other, bool negative, int power) noexcept;

    PLUMB_ALWAYS_INLINE bool is_negative() const noexcept { return (words_[Words - 1] >> 63) != 0; }
    /// The absolute value, in units.
    PLUMB_ALWAYS_INLINE magnitude_type magnitude() const noexcept;
    /// The sum, rounded once to double: to nearest, ties to even; infinite beyond the greatest double.
    PLUMB_ALWAYS_INLINE double value() const noexcept;

    friend PLUMB_ALWAYS_INLINE bool operator==(const superaccumulator& a, const superaccumulator& b) noexcept {
        bool equal = true;
        for (std::size_t i = 0; i < Words; ++i) equal = equal && a.words_[i] == b.words_[i];
        return equal;
    }
    friend PLUMB_ALWAYS_INLINE bool operator!=(const superaccumulator& a, const superaccumulator& b) noexcept {
        return !(a == b);
    }

private:
    std::uint64_t words_[Words] = {};
};

// Ranges, with 64 bits for the number of terms: products of types of up to 32 bits span 2^-298 to 2^256, those of double
// 2^-2148 to 2^2048. Σ(a−b)² takes two bits more and the sign one.

/// Sums of products of f32 and narrower types: 80 bytes.
using product_sum = superaccumulator<-298, 10>;
/// Sums of f32 and narrower types: 48 bytes.
using linear_sum = superaccumulator<-149, 6>;
/// Sums of products of f64, 64-bit integers and all narrower types: 536 bytes.
using wide_product_sum = superaccumulator<-2148, 67>;
/// Sums of f64, 64-bit integers and all narrower types: 272 bytes.
using wide_linear_sum = superaccumulator<-1074, 34>;

namespace kernels {
inline namespace PLUMB_TARGET {

/// words += (-1)^negative * (parts << 64 * first), where parts has three words. To subtract p from w, ~(~w + p) is used: the
/// same additions with the words inverted before and after, hence no branch on the sign.
inline void add_words(std::uint64_t* words, std::size_t count, std::size_t first, bool negative,
                      const std::uint64_t (&parts)[3]) noexcept {
    const std::uint64_t flip = negative ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = 0;
    std::size_t i = first;
    for (const std::uint64_t part : parts) {
        const detail::uint128 sum = detail::uint128{words[i] ^ flip} + part + carry;
        words[i] = detail::low_half(sum) ^ flip;
        carry = detail::high_half(sum);
        if (++i == count) return;
    }
    for (; carry != 0 && i < count; ++i) {
        const std::uint64_t sum = (words[i] ^ flip) + 1;
        words[i] = sum ^ flip;
        carry = sum == 0;
    }
}

/// words += (-1)^negative * 2^power * other, over the same number of words.
inline void merge_words(std::uint64_t* words, const std::uint64_t* other, std::size_t count, bool negative, int power) noexcept {
    const std::uint64_t flip = negative ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = 0, below = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t part = power == 0 ? other[i] : (other[i] << power) | (below >> (64 - power));
        below = other[i];
        const detail::uint128 sum = detail::uint128{words[i] ^ flip} + part + carry;
        words[i] = detail::low_half(sum) ^ flip;
        carry = detail::high_half(sum);
    }
}

template <std::size_t Words>
inline natural<Words> magnitude_of(const std::uint64_t (&words)[Words]) noexcept {
    natural<Words> result;
    const std::uint64_t flip = (words[Words - 1] >> 63) != 0 ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = flip & 1;
    for (std::size_t i = 0; i < Words; ++i) {
        result.words[i] = (words[i] ^ flip) + carry;
        carry = carry != 0 && result.words[i] == 0;
    }
    return result;
}

/// The double nearest to (-1)^negative * n * 2^exponent.
template <std::size_t Words>
inline double rounded(bool negative, const natural<Words>& n, int exponent) noexcept {
    const leading_bits top = leading(n);
    return detail::bit_cast<double>(
        round_to<binary64>(negative && top.mantissa != 0, top.mantissa, top.exponent + exponent, top.inexact));
}

inline void add_shifted(std::uint64_t* words, std::size_t count, bool negative, detail::uint128 mantissa, int position) noexcept {
    const int shift = position % 64;
    const std::uint64_t low = detail::low_half(mantissa), high = detail::high_half(mantissa);
    const int back = 63 - shift; // x >> 1 >> back is x >> (64 - shift), and 0 where shift is 0
    const std::uint64_t parts[3] = {low << shift, (high << shift) | (low >> 1 >> back), high >> 1 >> back};
    add_words(words, count, static_cast<std::size_t>(position) / 64, negative, parts);
}

} // namespace PLUMB_TARGET
} // namespace kernels

template <int MinExponent, std::size_t Words>
void superaccumulator<MinExponent, Words>::add(bool negative, detail::uint128 mantissa, int exponent) noexcept {
    kernels::add_shifted(words_, Words, negative, mantissa, exponent - MinExponent);
}

template <int MinExponent, std::size_t Words>
void superaccumulator<MinExponent, Words>::merge(const superaccumulator& other) noexcept {
    kernels::merge_words(words_, other.words_, Words, false, 0);
}

template <int MinExponent, std::size_t Words>
void superaccumulator<MinExponent, Words>::merge_scaled(const superaccumulator& other, bool negative, int power) noexcept {
    kernels::merge_words(words_, other.words_, Words, negative, power);
}

template <int MinExponent, std::size_t Words>
auto superaccumulator<MinExponent, Words>::magnitude() const noexcept -> magnitude_type {
    return kernels::magnitude_of(words_);
}

template <int MinExponent, std::size_t Words>
double superaccumulator<MinExponent, Words>::value() const noexcept {
    return kernels::rounded(is_negative(), magnitude(), MinExponent);
}

} // namespace plumb
