/// \file
/// x * y + z with a stated rounding, whatever the compiler is told.
#pragma once

#include <plumb/detail/cpu.hpp>
#include <plumb/detail/value_barrier.hpp>

#include <cmath>

// Marks a function that may use AVX2 and FMA instructions although the translation unit may not; to be called only if
// runs_avx2_fma(). Defined where there is run-time dispatch.
#if PLUMB_HAS_DISPATCH
#define PLUMB_TARGET_AVX2_FMA __attribute__((target("avx2,fma")))
#endif

namespace plumb::rng::detail {
inline namespace PLUMB_TARGET {

/// x * y + z rounded once: the processor's instruction if the compiler may use it, else the C library's function.
PLUMB_ALWAYS_INLINE float fused(float x, float y, float z) noexcept {
#if defined(__clang__)
#pragma float_control(precise, on) // -ffast-math would make it a product and a sum where there is no instruction
    return __builtin_fmaf(x, y, z);
#else
    return std::fma(x, y, z);
#endif
}
PLUMB_ALWAYS_INLINE double fused(double x, double y, double z) noexcept {
#if defined(__clang__)
#pragma float_control(precise, on)
    return __builtin_fma(x, y, z);
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
