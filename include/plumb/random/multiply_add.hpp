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

// x * y + z in three ways, as function objects.

/// Rounded after the product and after the sum.
struct rounded_twice {
    template <class T>
    PLUMB_ALWAYS_INLINE T operator()(T x, T y, T z) const noexcept {
        return plumb::detail::value_barrier(x * y) + z;
    }
};

/// Rounded once. May be vectorised.
struct rounded_once {
    template <class T>
    PLUMB_ALWAYS_INLINE T operator()(T x, T y, T z) const noexcept {
        return fused(x, y, z);
    }
};

#if defined(PLUMB_TARGET_AVX2_FMA)
/// Rounded once by the processor's instruction: only inside functions marked PLUMB_TARGET_AVX2_FMA.
struct fma_instruction {
    PLUMB_ALWAYS_INLINE float operator()(float x, float y, float z) const noexcept { return __builtin_fmaf(x, y, z); }
    PLUMB_ALWAYS_INLINE double operator()(double x, double y, double z) const noexcept { return __builtin_fma(x, y, z); }
};
#endif

/// x * y + z: rounded once if Fused, else twice.
template <bool Fused, class T>
PLUMB_ALWAYS_INLINE T multiply_add(T x, T y, T z) noexcept {
    return std::conditional_t<Fused, rounded_once, rounded_twice>()(x, y, z);
}

/// True if functions marked PLUMB_TARGET_AVX2_FMA are to run.
inline bool runs_avx2_fma() noexcept { return active_cpu_level() >= cpu_level::avx2; }

} // namespace PLUMB_TARGET
} // namespace plumb::rng::detail
