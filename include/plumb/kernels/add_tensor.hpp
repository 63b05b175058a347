/// \file
/// The loops over one tensor: its statistics, and where its first NaN or infinity is. The fastest there is for the element
/// type on this processor.
#pragma once

#include <plumb/detail/cpu.hpp>
#include <plumb/detail/fp_guard.hpp>
#include <plumb/kernels/block_source.hpp>
#include <plumb/kernels/for_each_target.hpp>
#include <plumb/kernels/statistics_scalar.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// The sort key of the number with an ordinal among f32.
inline std::uint64_t sort_key_of_ordinal(std::int32_t ordinal) noexcept {
    const auto size = static_cast<std::uint32_t>(ordinal < 0 ? -ordinal : ordinal);
    const unpacked x = unpack<binary32>(size);
    return sort_key(round_to<binary64>(ordinal < 0, x.mantissa, x.exponent));
}

/// Adds a block of whole steps, unless it holds a NaN or an infinity. Then it returns false.
inline bool add_finite_block(statistics_state<narrow_range>& s, const tensor_kernels& kernels, dtype type, const void* raw,
                             std::size_t n, block_buffer& room, const float* ones) noexcept {
    tensor_survey survey;
    const auto look = type == dtype::f32 ? kernels.survey_f32 : type == dtype::f16 ? kernels.survey_f16 : kernels.survey_bf16;
    look(raw, n, room.wide, survey);
    if (survey.largest >= static_cast<std::int32_t>(binary32::infinity)) return false;

    const block_range range = range_of(type, survey.largest, survey.least);
    const float* const x = type == dtype::f32 ? static_cast<const float*>(raw) : room.wide;
    const std::int32_t saturated = type == dtype::f16 ? 0x477fe000 : type == dtype::bf16 ? 0x7f7f0000 : 0x7f7fffff;
    const std::int32_t normal = type == dtype::f16 ? 113 << 23 : 1 << 23;
    const bool some = survey.least != no_magnitude;
    s.count += n;
    s.finite += n;
    s.zeros += survey.zeros;
    if (survey.largest == saturated || (some && survey.least < normal)) // rare enough to be counted in a pass of its own
        for (std::size_t i = 0; i < n; ++i) {
            const auto size = static_cast<std::int32_t>(detail::load<std::uint32_t>(x + i) & binary32::magnitude_mask);
            s.saturated += size == saturated;
            s.subnormals += size != 0 && size < normal;
        }
    const std::uint64_t low = sort_key_of_ordinal(survey.min_ordinal), high = sort_key_of_ordinal(survey.max_ordinal);
    if (low < s.min_key) s.min_key = low;
    if (high > s.max_key) s.max_key = high;
    if (!some) return true;

    product_steps steps;
    if (!kernels.sum_products(x, ones, n, range, {1, 0, 0}, steps)) {
        kernels.sum_wide_product(x, ones, n, range.floor, range.top + 1, steps.ab);
        kernels.sum_wide_product(x, x, n, 2 * range.floor, 2 * range.top, steps.aa);
    }
    add_steps(s.sum, steps.ab);
    add_steps(s.squares, steps.aa);
    return true;
}

/// Adds n elements, side by side in memory, by the loops of a level: add_scalar, only faster.
template <class Range>
inline void add_tensor_at(cpu_level level, statistics_state<Range>& s, dtype type, const void* data, std::size_t n) noexcept {
    if constexpr (std::is_same_v<Range, narrow_range>) {
        const tensor_kernels* const kernels = tensor_kernels_of(level);
        if (kernels != nullptr && has_vector_kernels(type)) {
            const detail::fp_guard guard;
            const auto* from = static_cast<const unsigned char*>(data);
            block_buffer room, ones;
            for (std::size_t i = 0; i < block_pairs && i < n; ++i) ones.wide[i] = 1.0f;
            for (std::size_t done = 0; done < n;) {
                std::size_t count = n - done < block_pairs ? n - done : block_pairs;
                if (count > step_pairs) count = count / step_pairs * step_pairs;
                const unsigned char* const block = from + done * size_of(type);
                if (count % step_pairs != 0 || !add_finite_block(s, *kernels, type, block, count, room, ones.wide))
                    add_scalar(s, type, block, count);
                done += count;
            }
            return;
        }
    }
    add_scalar(s, type, data, n);
}

/// The same at the level that is active.
template <class Range>
inline void add_tensor(statistics_state<Range>& s, dtype type, const void* data, std::size_t n) noexcept {
    add_tensor_at(active_cpu_level(), s, type, data, n);
}

/// The place of the first NaN or infinity among n elements, or n.
inline std::size_t find_nonfinite_at(cpu_level level, dtype type, const void* data, std::size_t n) noexcept {
    const auto* from = static_cast<const unsigned char*>(data);
    const std::size_t bytes = size_of(type);
    if (!is_floating(type)) return n;
    std::size_t i = 0;
    const tensor_kernels* const kernels = tensor_kernels_of(level);
    if (kernels != nullptr && has_vector_kernels(type)) {
        const word_pattern pattern = type == dtype::f32   ? word_pattern{INT32_MAX, 0x00800000, INT32_MIN}
                                     : type == dtype::f16 ? word_pattern{0x7fff7fff, 0x04000400, -0x7fff8000}
                                                          : word_pattern{0x7fff7fff, 0x00800080, -0x7fff8000};
        const std::size_t words = n * bytes / 512 * 128;
        i = kernels->find_special(from, words, pattern) * 4 / bytes;
    }
    for (; i < n; ++i) {
        unpacked x;
        unpack_run(type, from + i * bytes, 1, &x);
        if (x.kind != number_kind::finite) break;
    }
    return i;
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
