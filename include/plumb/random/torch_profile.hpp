/// \file
/// Which PyTorch the reference run used, as far as its CPU random numbers depend on it.
#pragma once

#include <plumb/random/libm.hpp>

#include <cstdint>

namespace plumb::rng::torch {

/// PyTorch's own change of algorithm: randint and random_(from, to) choose the width of a draw differently from 2.7 on, and
/// randperm of 214,748,364 or more elements shuffles differently.
enum class version : std::uint8_t {
    v1_13, ///< 1.13 to 2.6
    v2_7,  ///< 2.7 and later; from the source, not run
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

/// The reference run's PyTorch. The default is `linux_x86`: built by GCC, on a processor with AVX2, version 1.13 to 2.6,
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
