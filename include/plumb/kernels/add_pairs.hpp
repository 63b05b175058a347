/// \file
/// The loop over pairs: the fastest there is for the element types on this processor.
#pragma once

#include <plumb/detail/cpu.hpp>
#include <plumb/kernels/for_each_target.hpp>
#include <plumb/kernels/pair_scalar.hpp>
#include <plumb/kernels/pair_vector.hpp>

#include <cstddef>
#include <type_traits>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// Adds n pairs of elements of any two types, side by side in memory, by the loops of a level: add_scalar, only faster.
template <metric Set, class Range>
inline void add_pairs_at(cpu_level level, pair_state<Set, Range>& s, dtype a_type, const void* actual, dtype b_type,
                         const void* reference, std::size_t n) noexcept {
    if constexpr (std::is_same_v<Range, narrow_range>) {
        const pair_kernels* const kernels = pair_kernels_of<survey_parts(Set)>(level);
        if (kernels != nullptr && has_vector_kernels(a_type) && has_vector_kernels(b_type))
            return add_vector(s, *kernels, a_type, actual, b_type, reference, n);
    }
    add_scalar(s, a_type, actual, b_type, reference, n);
}

/// The same at the level that is active.
template <metric Set, class Range>
inline void add_pairs(pair_state<Set, Range>& s, dtype a_type, const void* actual, dtype b_type, const void* reference,
                      std::size_t n) noexcept {
    add_pairs_at(active_cpu_level(), s, a_type, actual, b_type, reference, n);
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
