/// \file
/// What the vector kernels for blocks of one tensor take and give.
#pragma once

#include <plumb/kernels/pair_block.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {

/// What one look at a block of elements tells. Magnitudes are f32 patterns without sign.
struct tensor_survey {
    std::int32_t largest = 0, least = 0;      ///< magnitudes; the least of those that are not zero, or 0
    std::uint32_t min_bits = 0, max_bits = 0; ///< f32 patterns, if all is finite
    std::uint32_t zeros = 0;
};

/// Which numbers a run of blocks may hold: multiples of 2^unit, below 2^top in size. The patterns, without sign, are those of
/// the element type.
struct tensor_window {
    int top = 0, unit = 0;
    std::int32_t largest = 0; ///< the largest pattern that is taken
    std::int32_t least = 0;   ///< the least one besides zero
    std::int32_t normal = 0;  ///< if a block has numbers below this, its zeros and subnormal numbers are counted
};

/// What a run of blocks comes to. The patterns of the least and the greatest number are those of the element type.
struct tensor_sums {
    exact_steps sum, squares;
    std::uint32_t min_bits = 0, max_bits = 0;
    std::uint32_t zeros = 0, subnormals = 0;
};

/// Two f16 or bf16, or one f32, as one word: `magnitude` masks the signs out, and adding `to_top` sets a bit of `top` for each
/// element that is NaN or infinite.
struct word_pattern {
    std::int32_t magnitude = 0, to_top = 0, top = 0;
};

/// The most that goes to a run: its sums stay within the integers that they are kept in.
inline constexpr std::size_t run_elements = 64 * block_pairs;
/// Halves of a window are integers of so many bits, so that the squares of 512 of them have a sum in 64 bits.
inline constexpr int half_window_bits = 27;

/// The kernels of one level for single tensors.
struct tensor_kernels {
    using survey_kernel = void (*)(const void* from, std::size_t n, float* wide, tensor_survey& survey);
    using run_kernel = std::size_t (*)(const void* from, std::size_t n, const tensor_window& window, tensor_sums& sums);

    survey_kernel survey_f32, survey_f16, survey_bf16;
    /// Sums up n <= run_elements elements in one pass, block after block, up to the first block with a number outside the
    /// window; returns how many elements it has taken.
    run_kernel run_f32, run_f16, run_bf16;
    void (*sum_wide_product)(const float* x, const float* y, std::size_t n, int low, int high, exact_steps& sum);
    /// The first of the words from which on, up to 128 words further, there is a NaN or an infinity; `words` if there is
    /// none. `words` is a multiple of 128.
    std::size_t (*find_special)(const void* from, std::size_t words, const word_pattern& pattern);
    int window_bits; ///< top - unit of run_f32's windows is at most this
};

} // namespace plumb::kernels
