/// \file
/// What the vector kernels for a block of one tensor take and give.
#pragma once

#include <plumb/kernels/pair_block.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {

/// What one look at a block of elements tells. Magnitudes are f32 patterns without sign; ordinals order the numbers.
struct tensor_survey {
    std::int32_t largest = 0, least = 0; ///< magnitudes; the least of those that are not zero, or no_magnitude
    std::int32_t min_ordinal = 0, max_ordinal = 0;
    std::uint32_t zeros = 0;
};

/// Two f16 or bf16, or one f32, as one word: `magnitude` masks the signs out, and adding `to_top` sets a bit of `top` for each
/// element that is NaN or infinite.
struct word_pattern {
    std::int32_t magnitude = 0, to_top = 0, top = 0;
};

/// The kernels of one level for single tensors.
struct tensor_kernels {
    using survey_kernel = void (*)(const void* from, std::size_t n, float* wide, tensor_survey& survey);

    survey_kernel survey_f32, survey_f16, survey_bf16;
    bool (*sum_products)(const float* actual, const float* reference, std::size_t n, block_range a, block_range b,
                         product_steps& sums);
    void (*sum_wide_product)(const float* x, const float* y, std::size_t n, int low, int high, exact_steps& sum);
    /// The first of the words from which on, up to 128 words further, there is a NaN or an infinity; `words` if there is
    /// none. `words` is a multiple of 128.
    std::size_t (*find_special)(const void* from, std::size_t words, const word_pattern& pattern);
};

} // namespace plumb::kernels
