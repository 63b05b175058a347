/// \file
/// Brings the next block of elements before the vector kernels: filled up with zeros, and as f32 where that is wanted.
#pragma once

#include <plumb/kernels/pair_block.hpp>
#include <plumb/kernels/unpack_run.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plumb::kernels {

/// Room for one side of a block.
struct block_buffer {
    alignas(64) float wide[max_block_pairs];
    alignas(64) unsigned char padded[max_block_pairs * 4];
};

/// A block of pairs: f32 patterns for the kernels, and where in the whole it begins.
struct pair_block {
    const float* a = nullptr;
    const float* b = nullptr;
    std::size_t count = 0; ///< of pairs, without the zeros that fill up
    std::uint64_t position = 0;
    dtype a_type = dtype::f32, b_type = dtype::f32;
    const unsigned char* raw_a = nullptr; ///< the elements as they lie in memory, filled up
    const unsigned char* raw_b = nullptr;
};

inline namespace PLUMB_TARGET {

/// The number at a place of a block.
PLUMB_ALWAYS_INLINE unpacked number_at(const float* p, std::size_t i) noexcept {
    return unpack<binary32>(detail::load<std::uint32_t>(p + i));
}

/// True if the vector kernels read elements of this type.
constexpr bool has_vector_kernels(dtype type) noexcept { return type == dtype::f32 || type == dtype::f16 || type == dtype::bf16; }

/// n rounded up to whole steps.
constexpr std::size_t padded_count(std::size_t n) noexcept { return (n + step_pairs - 1) / step_pairs * step_pairs; }

/// n elements followed by zeros up to a whole step: in place if there are none to add, and the address fits the type.
inline const unsigned char* padded_run(const unsigned char* from, std::size_t n, std::size_t bytes,
                                       block_buffer& buffer) noexcept {
    if (n % step_pairs == 0) return from;
    std::memcpy(buffer.padded, from, n * bytes);
    std::memset(buffer.padded + n * bytes, 0, (padded_count(n) - n) * bytes);
    return buffer.padded;
}

/// The f32 patterns of a block are those of its numbers, so a range follows from the largest and the least.
inline block_range range_of(dtype type, std::int32_t largest, std::int32_t least) noexcept {
    const int fraction_bits = type == dtype::f16 ? 10 : type == dtype::bf16 ? 7 : 23;
    const int smallest = type == dtype::f16    ? binary16::min_exponent
                         : type == dtype::bf16 ? brain16::min_exponent
                                               : binary32::min_exponent;
    const int top = largest >> 23, low = least >> 23;
    block_range range;
    range.top = (top == 0 ? 1 : top) - binary32::bias + 1;
    range.unit = (low == 0 ? 1 : low) - binary32::bias - fraction_bits;
    if (range.unit < smallest) range.unit = smallest;
    range.floor = low == 0 ? binary32::min_exponent : low - binary32::bias;
    return range;
}

/// The ranges of both sides. A side of zeros alone takes the other's, which costs no kernel anything.
inline pair_ranges ranges_of(dtype a_type, dtype b_type, const block_survey& survey) noexcept {
    pair_ranges ranges;
    if (survey.least_a != no_magnitude) ranges.a = range_of(a_type, survey.largest_a, survey.least_a);
    if (survey.least_b != no_magnitude) ranges.b = range_of(b_type, survey.largest_b, survey.least_b);
    if (survey.least_a == no_magnitude) ranges.a = ranges.b;
    if (survey.least_b == no_magnitude) ranges.b = ranges.a;
    return ranges;
}

/// Adds what a kernel has summed up.
template <class Sum>
inline void add_term(Sum& sum, const exact_term& term) noexcept {
    const bool negative = term.steps < 0;
    auto size = static_cast<detail::uint128>(term.steps);
    if (negative) size = detail::uint128{0} - size;
    int exponent = term.exponent;
    if (exponent < Sum::min_exponent) { // a bin may reach below the unit of the sum, but then holds whole units
        size >>= Sum::min_exponent - exponent;
        exponent = Sum::min_exponent;
    }
    sum.add(negative, size, exponent);
}

template <class Sum>
inline void add_steps(Sum& sum, const exact_steps& part) noexcept {
    for (int i = 0; i < part.count; ++i)
        if (part.steps[i] != 0) add_term(sum, {part.steps[i], part.exponent[i]});
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
