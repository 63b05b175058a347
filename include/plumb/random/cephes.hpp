/// \file
/// The single-precision logarithm, sine and cosine of the Cephes library, as PyTorch's vector kernels evaluate them.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/random/multiply_add.hpp>

#include <cstdint>

/// S. L. Moshier's Cephes 2.2 (logf.c, sinf.c, 1992), in the order of operations of J. Pommier's vector version. The results are
/// not those of any other logf or sinf: the order and the rounding of each step are the specification.
///
/// Each coefficient table is in the order of Horner's scheme. `Fused` says whether a product and a sum round once.
namespace plumb::rng::detail::cephes {

inline constexpr float sqrt_half = 0.707106781186547524f;
inline constexpr float log_series[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                                       -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                                       2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
inline constexpr float ln2_low = -2.12194440e-4f, ln2_high = 0.693359375f;

inline constexpr float four_over_pi = 1.27323954473516f;
/// pi / 4 in three parts, negated.
inline constexpr float minus_quarter_pi[] = {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f};
inline constexpr float cosine_series[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
inline constexpr float sine_series[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};

inline namespace PLUMB_TARGET {

using plumb::detail::bit_cast;
using plumb::detail::value_barrier;

/// log(x), 0 < x <= 1 and normal.
template <bool Fused>
inline float log(float x) noexcept {
    const auto bits = bit_cast<std::uint32_t>(x);
    float e = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - 126);
    float m = bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u); // in [1/2, 1)
    if (m < sqrt_half) {
        e -= 1.0f;
        m = value_barrier(m - 1.0f) + m;
    } else {
        m -= 1.0f;
    }
    m = value_barrier(m);
    const float z = value_barrier(m * m);
    float y = log_series[0];
    for (int i = 1; i < 9; ++i) y = value_barrier(multiply_add<Fused>(y, m, log_series[i]));
    y = value_barrier(y * m);
    y = value_barrier(multiply_add<Fused>(y, z, value_barrier(e * ln2_low)));
    y = value_barrier(multiply_add<Fused>(-z, 0.5f, y));
    return value_barrier(multiply_add<Fused>(e, ln2_high, value_barrier(m + y)));
}

struct sine_cosine {
    float sine, cosine;
};

/// Sine and cosine of x, 0 <= x < 8192.
template <bool Fused>
inline sine_cosine sincos(float x) noexcept {
    const std::int32_t octant = (static_cast<std::int32_t>(value_barrier(x * four_over_pi)) + 1) & ~1;
    const float y = static_cast<float>(octant);
    for (const float part : minus_quarter_pi) x = value_barrier(multiply_add<Fused>(y, part, x));
    const float z = value_barrier(x * x);

    float c = value_barrier(multiply_add<Fused>(cosine_series[0], z, cosine_series[1]));
    c = value_barrier(multiply_add<Fused>(c, z, cosine_series[2]));
    c = value_barrier(c * z);
    c = value_barrier(multiply_add<Fused>(c, z, -(z * 0.5f)));
    c = value_barrier(c + 1.0f);

    float s = value_barrier(multiply_add<Fused>(sine_series[0], z, sine_series[1]));
    s = value_barrier(multiply_add<Fused>(s, z, sine_series[2]));
    s = value_barrier(s * z);
    s = value_barrier(multiply_add<Fused>(s, x, x));

    const bool swapped = (octant & 2) != 0;
    const float sine = swapped ? c : s, cosine = swapped ? s : c;
    return {(octant & 4) != 0 ? -sine : sine, ((octant - 2) & 4) == 0 ? -cosine : cosine};
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::detail::cephes
