/// \file
/// The Box-Muller transform of sixteen float32 uniforms, as PyTorch's vector kernels do it.
#pragma once

#include <plumb/random/cephes.hpp>
#include <plumb/random/libm.hpp>
#include <plumb/random/multiply_add.hpp>

#if defined(PLUMB_TARGET_AVX2_FMA)
#include <immintrin.h>
#endif

namespace plumb::rng::detail {

/// Replaces the uniforms u[0..16) in [0, 1) by normals: u[j] and u[j + 8] give the cosine's and the sine's.
using box_muller_function = void (*)(float* u, float mean, float std) noexcept;

inline constexpr float two_pi = 6.283185307179586f;

inline namespace PLUMB_TARGET {

/// The specification. The last step always rounds once, whatever `Fused` says of Cephes' functions.
template <bool Fused>
inline void box_muller(float* u, float mean, float std) noexcept {
    for (int j = 0; j < 8; ++j) {
        const float radius = sqrt(value_barrier(-2.0f * cephes::log<Fused>(value_barrier(1.0f - u[j]))));
        const cephes::sine_cosine angle = cephes::sincos<Fused>(value_barrier(two_pi * u[j + 8]));
        u[j] = value_barrier(multiply_add<true>(value_barrier(radius * angle.cosine), std, mean));
        u[j + 8] = value_barrier(multiply_add<true>(value_barrier(radius * angle.sine), std, mean));
    }
}

#if defined(PLUMB_TARGET_AVX2_FMA)

/// Eight lanes of the same steps. An intrinsic is an ordinary product or sum to the compiler, so each one is fenced.
template <bool Fused>
struct avx2_box_muller {
    using lanes = __m256;

    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes all(float x) noexcept { return _mm256_set1_ps(x); }
    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes fence(lanes x) noexcept {
        asm("" : "+x"(x));
        return x;
    }
    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes add(lanes a, lanes b) noexcept { return fence(_mm256_add_ps(a, b)); }
    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes mul(lanes a, lanes b) noexcept { return fence(_mm256_mul_ps(a, b)); }
    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes fma(lanes a, lanes b, lanes c) noexcept {
        return fence(_mm256_fmadd_ps(a, b, c));
    }
    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes multiply_add(lanes a, lanes b, lanes c) noexcept {
        return Fused ? fma(a, b, c) : add(mul(a, b), c);
    }
    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes negate(lanes a) noexcept {
        return fence(_mm256_xor_ps(a, all(-0.0f)));
    }
    /// Not the intrinsic: -ffast-math turns it into an estimate.
    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes sqrt(lanes a) noexcept {
        lanes root;
        asm("vsqrtps {%1, %0|%0, %1}" : "=x"(root) : "x"(a));
        return root;
    }

    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE lanes log(lanes x) noexcept {
        using namespace cephes;
        const __m256i bits = _mm256_castps_si256(x);
        lanes e = _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(126)));
        lanes m = _mm256_castsi256_ps(
            _mm256_or_si256(_mm256_and_si256(bits, _mm256_set1_epi32(0x007fffff)), _mm256_set1_epi32(0x3f000000)));
        const lanes below = _mm256_cmp_ps(m, all(sqrt_half), _CMP_LT_OQ);
        e = add(e, _mm256_and_ps(below, all(-1.0f)));
        m = add(add(m, all(-1.0f)), _mm256_and_ps(below, m));
        const lanes z = mul(m, m);
        lanes y = all(log_series[0]);
        for (int i = 1; i < 9; ++i) y = multiply_add(y, m, all(log_series[i]));
        y = mul(y, m);
        y = multiply_add(y, z, mul(e, all(ln2_low)));
        y = multiply_add(negate(z), all(0.5f), y);
        return multiply_add(e, all(ln2_high), add(m, y));
    }

    PLUMB_TARGET_AVX2_FMA static PLUMB_ALWAYS_INLINE void sincos(lanes x, lanes& sine, lanes& cosine) noexcept {
        using namespace cephes;
        const __m256i one = _mm256_set1_epi32(1), two = _mm256_set1_epi32(2);
        const __m256i octant = _mm256_andnot_si256(one, _mm256_add_epi32(_mm256_cvttps_epi32(mul(x, all(four_over_pi))), one));
        const lanes y = _mm256_cvtepi32_ps(octant);
        for (const float part : minus_quarter_pi) x = multiply_add(y, all(part), x);
        const lanes z = mul(x, x);

        lanes c = multiply_add(all(cosine_series[0]), z, all(cosine_series[1]));
        c = multiply_add(c, z, all(cosine_series[2]));
        c = mul(c, z);
        c = multiply_add(c, z, negate(mul(z, all(0.5f))));
        c = add(c, all(1.0f));

        lanes s = multiply_add(all(sine_series[0]), z, all(sine_series[1]));
        s = multiply_add(s, z, all(sine_series[2]));
        s = mul(s, z);
        s = multiply_add(s, x, x);

        // Bit 1 of the octant chooses between the two, bit 2 is the sine's sign; both are moved to the sign's place.
        const lanes swapped = _mm256_castsi256_ps(_mm256_slli_epi32(octant, 30));
        const __m256i sign = _mm256_set1_epi32(static_cast<int>(0x80000000u));
        const lanes sine_sign = _mm256_castsi256_ps(_mm256_and_si256(_mm256_slli_epi32(octant, 29), sign));
        const lanes cosine_sign =
            _mm256_castsi256_ps(_mm256_andnot_si256(_mm256_slli_epi32(_mm256_sub_epi32(octant, two), 29), sign));
        sine = _mm256_xor_ps(_mm256_blendv_ps(s, c, swapped), sine_sign);
        cosine = _mm256_xor_ps(_mm256_blendv_ps(c, s, swapped), cosine_sign);
    }

    PLUMB_TARGET_AVX2_FMA static void transform(float* u, float mean, float std) noexcept {
        const lanes radius = sqrt(mul(all(-2.0f), log(add(all(1.0f), negate(_mm256_loadu_ps(u))))));
        lanes sine, cosine;
        sincos(mul(all(two_pi), _mm256_loadu_ps(u + 8)), sine, cosine);
        _mm256_storeu_ps(u, fma(mul(radius, cosine), all(std), all(mean)));
        _mm256_storeu_ps(u + 8, fma(mul(radius, sine), all(std), all(mean)));
    }
};

#endif

/// The fastest function with these bits on this processor.
inline box_muller_function best_box_muller(bool fused) noexcept {
#if defined(PLUMB_TARGET_AVX2_FMA)
    if (runs_avx2_fma()) return fused ? avx2_box_muller<true>::transform : avx2_box_muller<false>::transform;
#endif
    return fused ? box_muller<true> : box_muller<false>;
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::detail
