/// \file
/// Which PyTorch the reference run used, as far as its CPU random numbers depend on it.
#pragma once

#include <plumb/random/libm.hpp>

#include <cstdint>

namespace plumb::rng::torch {

/// The releases between which PyTorch changed its CPU algorithms. 1.13 was run against; the others are written after the source.
enum class version : std::uint8_t {
    v1_13, ///< 1.13
    v2_0,  ///< 2.0 to 2.6: exponential_ takes log1p(-u) instead of log(1 - u): other last bits of float64
    /// 2.7 on: randint and random_(from, to) choose the width of a draw differently, and randperm of 214,748,364 or more elements
    /// shuffles differently.
    v2_7,
    /// 2.13 on (which release came first was not verified; 2.9 is of the older kind): uniforms and normals of float16 and
    /// bfloat16 are made in float32 and rounded once, uniform_ gives `from` where it would round to `to`, and normals of 16
    /// elements or more round the last step once whatever the build.
    v2_13,
};

/// How float32 normals of 16 elements or more are made.
enum class float_normals : std::uint8_t {
    cephes, ///< vector kernels with Cephes' logarithm, sine and cosine: any x86 processor with AVX2
    libm,   ///< the C library's logf, sinf, cosf: x86 without AVX2, ARM
};

/// Where bernoulli_(p), and so dropout, draws from.
enum class bernoulli_stream : std::uint8_t {
    mt19937, ///< the generator itself: builds without MKL, and any build on a processor that is not Intel's
    mkl,     ///< MKL's own generator, seeded by one draw: the official x86 wheels and conda builds on an Intel processor
};

/// The reference run's PyTorch. The default is `linux_x86`: built by GCC, on a processor with AVX2, version 1.13,
/// dropout without MKL. It is a setting because it cannot be guessed from here: say what the reference was.
struct profile {
    /// Whether x * scale + offset rounds once (FMA) in uniform_ and normal_, and inside Cephes' functions.
    bool fused = true;
    float_normals normals = float_normals::cephes;
    bernoulli_stream bernoulli = bernoulli_stream::mt19937;
    torch::version version = version::v1_13;
    /// Whose double-precision functions normals, exponentials and trunc_normal_ call.
    rng::libm libm = rng::libm::system;

    PLUMB_ALWAYS_INLINE constexpr profile with(bernoulli_stream stream) const noexcept {
        profile changed = *this;
        changed.bernoulli = stream;
        return changed;
    }
    PLUMB_ALWAYS_INLINE constexpr profile with(torch::version number) const noexcept {
        profile changed = *this;
        changed.version = number;
        return changed;
    }
    PLUMB_ALWAYS_INLINE constexpr profile with(rng::libm which) const noexcept {
        profile changed = *this;
        changed.libm = which;
        return changed;
    }
};

/// Linux builds on x86 with AVX2 or AVX-512.
inline constexpr profile linux_x86{};
/// The same builds without AVX2 (an older processor, or ATEN_CPU_CAPABILITY=default).
inline constexpr profile linux_x86_no_avx2{false, float_normals::libm};
/// Builds whose compiler does not contract to FMA: Windows, by its source; not verified.
inline constexpr profile unfused_x86{false, float_normals::cephes};

} // namespace plumb::rng::torch
