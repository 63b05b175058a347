/// \file
/// The loops over one tensor: its statistics, and where its first NaN or infinity is. The fastest there is for the element
/// type on this processor.
#pragma once

#include <plumb/detail/cpu.hpp>
#include <plumb/kernels/for_each_target.hpp>
#include <plumb/kernels/tensor_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// Adds n elements, side by side in memory, by the loops of a level: add_scalar, only faster.
template <class Range>
inline void add_tensor_at(cpu_level level, statistics_state<Range>& s, dtype type, const void* data, std::size_t n) noexcept {
    if constexpr (std::is_same_v<Range, narrow_range>) {
        const tensor_kernels* const kernels = tensor_kernels_of(level);
        if (kernels != nullptr && has_vector_kernels(type)) return add_tensor_vector(s, *kernels, type, data, n);
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
