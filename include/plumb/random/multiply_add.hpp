/// \file
/// x * y + z with a stated rounding, whatever the compiler is told.
#pragma once

#include <plumb/detail/cpu.hpp>
#include <plumb/detail/value_barrier.hpp>

#include <cmath>
#include <type_traits>

// Marks a function that may use AVX2 and FMA instructions although the translation unit may not; to be called only if
// runs_avx2_fma(). Defined where there is run-time dispatch.
#if PLUMB_HAS_DISPATCH
#define PLUMB_TARGET_AVX2_FMA __attribute__((target("avx2,fma")))
#endif

namespace plumb::rng::detail {
inline namespace PLUMB_TARGET {

/// x * y + z rounded once: the processor's instruction if the compiler may use it, else the C library's function.
template <class T>
PLUMB_ALWAYS_INLINE T fused(T x, T y, T z) noexcept {
#if defined(__clang__) && defined(__SSE2__) && !defined(__FMA__)
    // -ffast-math would make it a product and a sum; so the compiler must not know which function is called.
    T (*function)(T, T, T);
    if constexpr (std::is_same_v<T, float>)
        function = ::fmaf;
    else
        function = ::fma;
    asm("" : "+r"(function));
    return function(x, y, z);
#else
    return std::fma(x, y, z);
#endif
}

/// x * y + z: rounded once if Fused, else after the product and after the sum. The fused form may be vectorised.
template <bool Fused, class T>
PLUMB_ALWAYS_INLINE T multiply_add(T x, T y, T z) noexcept {
    using plumb::detail::value_barrier;
    if constexpr (Fused)
        return fused(x, y, z);
    else
        return value_barrier(x * y) + z;
}

/// True if functions marked PLUMB_TARGET_AVX2_FMA are to run.
inline bool runs_avx2_fma() noexcept { return active_cpu_level() >= cpu_level::avx2; }

} // namespace PLUMB_TARGET
} // namespace plumb::rng::detail
