/// \file
/// Natural numbers of a fixed number of 64-bit words: what exact rounding needs of them, and no more.
#pragma once

#include <plumb/detail/uint128.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {

/// A natural number below 2^(64 * Words), least significant word first.
template <std::size_t Words>
struct natural {
    std::uint64_t words[Words] = {};
};

/// The leading 64 bits of a number: it lies in [mantissa, mantissa + 1) * 2^exponent, and equals mantissa * 2^exponent unless
/// `inexact`. The mantissa's top bit is set, except that zero has mantissa 0.
struct leading_bits {
    std::uint64_t mantissa = 0;
    int exponent = 0;
    bool inexact = false;
};

inline namespace PLUMB_TARGET {

PLUMB_ALWAYS_INLINE natural<1> make_natural(std::uint64_t value) noexcept { return {{value}}; }

template <std::size_t Words>
inline leading_bits leading(const natural<Words>& n) noexcept {
    std::size_t top = Words;
    while (top > 0 && n.words[top - 1] == 0) --top;
    if (top == 0) return {};

    leading_bits result;
    const int shift = 64 - detail::bit_width(n.words[top - 1]);
    const std::uint64_t next = top > 1 ? n.words[top - 2] : 0;
    result.mantissa = n.words[top - 1] << shift;
    if (shift != 0) result.mantissa |= next >> (64 - shift);
    result.exponent = static_cast<int>(top - 1) * 64 - shift;
    result.inexact = (next << shift) != 0;
    for (std::size_t i = 0; i + 2 < top && !result.inexact; ++i) result.inexact = n.words[i] != 0;
    return result;
}

/// -1, 0 or 1 as a is less than, equal to or greater than b.
template <std::size_t Words>
inline int compare(const natural<Words>& a, const natural<Words>& b) noexcept {
    for (std::size_t i = Words; i-- > 0;)
        if (a.words[i] != b.words[i]) return a.words[i] < b.words[i] ? -1 : 1;
    return 0;
}

template <std::size_t A, std::size_t B>
inline natural<A + B> multiply(const natural<A>& a, const natural<B>& b) noexcept {
    natural<A + B> product;
    for (std::size_t i = 0; i < A; ++i) {
        if (a.words[i] == 0) continue;
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < B; ++j) {
            const detail::uint128 sum = detail::uint128{a.words[i]} * b.words[j] + product.words[i + j] + carry;
            product.words[i + j] = detail::low_half(sum);
            carry = detail::high_half(sum);
        }
        product.words[i + B] = carry;
    }
    return product;
}

/// n * 2^count in `To` words, which must hold it.
template <std::size_t To, std::size_t From>
inline natural<To> shift_left(const natural<From>& n, int count) noexcept {
    natural<To> shifted;
    const auto whole = static_cast<std::size_t>(count) / 64;
    const int bits = count % 64;
    for (std::size_t i = 0; i < From; ++i) {
        if (n.words[i] == 0) continue;
        if (i + whole < To) shifted.words[i + whole] |= n.words[i] << bits;
        if (bits != 0 && i + whole + 1 < To) shifted.words[i + whole + 1] |= n.words[i] >> (64 - bits);
    }
    return shifted;
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
