/// \file
/// What the vector kernels for a block of pairs take and give: plain data, the same for every processor.
#pragma once

#include <plumb/detail/uint128.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {

/// Numbers are worked on in blocks that stay in the first-level cache from one kernel to the next; pairs in blocks of this
/// many, or of up to max_block_pairs where there are many lanes.
inline constexpr std::size_t block_pairs = 1024;
inline constexpr std::size_t max_block_pairs = 2048;
/// A kernel's `n` is a multiple of this, whatever its vectors hold; callers fill up with zeros.
inline constexpr std::size_t step_pairs = 32;

/// An f16 and a bf16, as they lie in memory.
struct half_bits {
    std::uint16_t bits;
};
struct brain_bits {
    std::uint16_t bits;
};

/// The numbers of a block: multiples of 2^unit, below 2^top in size and, if not zero, at least 2^floor.
struct block_range {
    int top = 0, unit = 0, floor = 0;
};

struct pair_ranges {
    block_range a, b;
};

/// What the maxima so far are, and in f32 what a pair must exceed to be looked at: no pair that exceeds a maximum is below.
/// All as bit patterns: with -ffast-math Clang takes it that no double it is handed is infinite.
struct pair_limits {
    std::uint64_t max_abs = 0, max_rel = 0; ///< doubles, not negative
    std::uint32_t abs = 0;                  ///< look if |a − b| > abs
    std::uint32_t rel = 0;                  ///< look if |a − b| − rel * |b| > rel_floor
    std::uint32_t rel_floor = 0;            ///< 0, or infinite once max_rel is
};

/// An exact sum: steps * 2^exponent.
struct exact_term {
    detail::int128 steps = 0;
    int exponent = 0;
};

/// Σab, Σa² and Σb² of a block.
struct product_terms {
    exact_term ab, aa, bb;
};

/// An exact sum as a few integers: the sum of steps[i] * 2^exponent[i].
struct exact_steps {
    static constexpr int capacity = 16;
    int count = 0;
    std::int64_t steps[capacity];
    int exponent[capacity];

    PLUMB_ALWAYS_INLINE void append(std::int64_t n, int power) noexcept {
        steps[count] = n;
        exponent[count++] = power;
    }
};

/// What one look at a block tells. Magnitudes are f32 patterns without sign, of which only the upper halves are to be read.
struct block_survey {
    std::int32_t largest_a = 0, largest_b = 0;
    std::int32_t least_a = 0, least_b = 0; ///< of the numbers that are not zero; no_magnitude if all are
    std::uint32_t differing = 0;
    bool zero_b = false; ///< some b may be zero
    bool above = false;  ///< some pair exceeds the limits in f32
    product_terms products;
};
inline constexpr std::int32_t no_magnitude = 0;

/// |a − b| is certainly within the limit if it is at most near_abs + near_rel * |b| in f32, certainly not if it is above
/// far_abs + far_rel * |b|.
struct tolerance_band {
    float near_abs = 0.0f, near_rel = 0.0f, far_abs = 0.0f, far_rel = 0.0f;
};

/// How many pairs are certainly within a limit, and the places of those where f32 does not tell.
struct band_count {
    std::uint32_t within = 0;
    std::uint32_t undecided = 0;
    std::uint16_t places[max_block_pairs];
};

/// Distances in representable values.
struct ulp_survey {
    std::uint32_t largest = 0;
    std::uint64_t sum = 0;
};

/// Parts of a survey that only some sets of metrics need.
enum survey_part : unsigned { survey_abs = 1, survey_rel = 2, survey_differing = 4, survey_products = 8 };

/// The kernels that look at a block once. Those of halves also write what they read to wide_a and wide_b as f32. The sums of
/// products are right if the numbers turn out to lie within the expected ranges.
struct survey_kernels {
    using kernel = void (*)(const void* actual, const void* reference, std::size_t n, const pair_limits& limits,
                            const pair_ranges& expected, float* wide_a, float* wide_b, block_survey& survey);
    kernel f32, f16, bf16;
};

/// The kernels of one level. All of them give the same results. `actual` and `reference` are f32, but for the surveys of
/// halves and the ULP kernels.
struct pair_kernels {
    using ulp_kernel = void (*)(const void* actual, const void* reference, std::size_t n, ulp_survey& survey);

    std::size_t block_pairs; ///< in a block of this level
    int product_bits;        ///< a survey sums products if its ranges have this many bits from top to unit;
    int half_product_bits;   ///< so for halves, whose units are 2^-126 at least
    survey_kernels survey, survey_and_sum;
    /// Writes halves as f32.
    void (*widen_f16)(const void* from, std::size_t n, float* to);
    void (*widen_bf16)(const void* from, std::size_t n, float* to);
    /// Σab, Σa², Σb², if the ranges are narrow enough for it; else false.
    bool (*sum_products)(const float* actual, const float* reference, std::size_t n, block_range a, block_range b,
                         product_terms& sums);
    /// Σxy for any range. Products that are not zero have at least 2^low, and all are below 2^high in size.
    void (*sum_wide_product)(const float* x, const float* y, std::size_t n, int low, int high, exact_steps& sum);
    /// Raises limits towards the largest errors among the pairs, never to them.
    void (*raise_limits)(const float* actual, const float* reference, std::size_t n, pair_limits& limits);
    /// The first place from `from` on that exceeds a maximum, or may do so; n if there is none.
    std::size_t (*find_above)(const float* actual, const float* reference, std::size_t from, std::size_t n,
                              const pair_limits& limits, bool tiny);
    /// How many pairs have b = 0 and a ≠ 0.
    std::uint32_t (*count_zero_reference)(const float* actual, const float* reference, std::size_t n);
    /// Σ|a−b|, if the ranges are narrow enough for it; else false.
    bool (*sum_errors)(const float* actual, const float* reference, std::size_t n, block_range a, block_range b, exact_term& sum);
    void (*count_within)(const float* actual, const float* reference, std::size_t n, const tolerance_band& band,
                         band_count& counts);
    ulp_kernel ulp_f32, ulp_half;
};

} // namespace plumb::kernels
