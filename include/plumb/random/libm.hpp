/// \file
/// The logarithms, sines and exponentials of the normal distributions: the system's, or the same on every platform.
#pragma once

#include <plumb/detail/value_barrier.hpp>
#include <plumb/random/portable_libm.hpp>

#include <cmath>
#include <cstdint>

namespace plumb::rng {

/// Whose log, sin, cos, exp and log1p the double-precision normal distributions call.
enum class libm : std::uint8_t {
    /// The C library's: bit for bit what the reference library gives on the same C library.
    system,
    /// plumb's own, correctly rounded: the same bits on every platform, and those of a glibc reference but for about 0.14 % of
    /// the float64 normals, which are at most 2 ulp apart (float32 ones: none in 40,000). Slower.
    portable,
};

namespace detail {
inline namespace PLUMB_TARGET {

using plumb::detail::value_barrier;

// The barriers around each call keep -ffast-math from vectorising it: a vector math library has other last bits.

PLUMB_ALWAYS_INLINE double log(double x, libm which) noexcept {
    return which == libm::system ? value_barrier(std::log(value_barrier(x))) : portable::log(x);
}
PLUMB_ALWAYS_INLINE double log1p(double x, libm which) noexcept {
    return which == libm::system ? value_barrier(std::log1p(value_barrier(x))) : portable::log1p(x);
}
PLUMB_ALWAYS_INLINE double exp(double x, libm which) noexcept {
    return which == libm::system ? value_barrier(std::exp(value_barrier(x))) : portable::exp(x);
}
PLUMB_ALWAYS_INLINE double sqrt(double x) noexcept { return value_barrier(std::sqrt(value_barrier(x))); }

PLUMB_ALWAYS_INLINE portable::sine_cosine sincos(double x, libm which) noexcept {
    if (which == libm::portable) return portable::sincos(x);
    x = value_barrier(x);
#if defined(__GLIBC__)
    double sine, cosine;
    ::sincos(x, &sine, &cosine); // the bits of sin and cos, in half the time
    return {value_barrier(sine), value_barrier(cosine)};
#else
    return {value_barrier(std::sin(x)), value_barrier(std::cos(x))};
#endif
}

PLUMB_ALWAYS_INLINE float log(float x) noexcept { return value_barrier(std::log(value_barrier(x))); }
PLUMB_ALWAYS_INLINE float exp(float x) noexcept { return value_barrier(std::exp(value_barrier(x))); }
PLUMB_ALWAYS_INLINE void sincos(float x, float& sine, float& cosine) noexcept {
    x = value_barrier(x);
#if defined(__GLIBC__)
    ::sincosf(x, &sine, &cosine);
#else
    sine = value_barrier(std::sin(x));
    cosine = value_barrier(std::cos(x));
#endif
}
PLUMB_ALWAYS_INLINE float erf(float x) noexcept { return value_barrier(std::erf(value_barrier(x))); }
/// Correctly rounded: a double holds enough bits. (Clang's -ffast-math makes an estimate of a float's square root.)
PLUMB_ALWAYS_INLINE float sqrt(float x) noexcept { return static_cast<float>(sqrt(static_cast<double>(x))); }

} // namespace PLUMB_TARGET
} // namespace detail
} // namespace plumb::rng
