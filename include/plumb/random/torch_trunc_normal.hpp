/// \file
/// torch.nn.init.trunc_normal_.
#pragma once

#include <plumb/random/torch_uniform.hpp>

#include <cmath>
#include <stdexcept>

namespace plumb::rng::torch {
namespace detail {
inline namespace PLUMB_TARGET {

/// c[0] + c[1] x + c[2] x^2 + …, each step rounded once if Fused.
template <bool Fused, std::size_t N>
PLUMB_ALWAYS_INLINE float polynomial(float x, const float (&c)[N]) noexcept {
    float y = c[N - 1];
    for (std::size_t i = N - 1; i-- > 0;) y = value_barrier(multiply_add<Fused>(y, x, c[i]));
    return y;
}

/// Tensor.erfinv_ on a float in [-1, 1]: a rational start (G. Pavlis, 1996, after MATLAB 2), then two of Newton's steps.
template <bool Fused>
inline float erfinv(float y) noexcept {
    constexpr float a[] = {0.886226899f, -1.645349621f, 0.914624893f, -0.140543331f};
    constexpr float b[] = {1.0f, -2.118377725f, 1.442710462f, -0.329097515f, 0.012229801f};
    constexpr float c[] = {-1.970840454f, -1.624906493f, 3.429567803f, 1.641345311f};
    constexpr float d[] = {1.0f, 3.543889200f, 1.637067800f};
    // -ffast-math does not want to see an infinity
    const float infinity = plumb::detail::bit_cast<float>(binary32::infinity);
    const float size = y < 0 ? -y : y;
    if (size == 1.0f) return y < 0 ? -infinity : infinity;

    float x;
    if (size <= 0.7f) {
        const float z = value_barrier(y * y);
        x = value_barrier(value_barrier(y * polynomial<Fused>(z, a)) / polynomial<Fused>(z, b));
    } else {
        const float z = sqrt(-log(value_barrier(value_barrier(1.0f - size) / 2.0f)));
        const float numerator = polynomial<Fused>(z, c);
        x = value_barrier((y < 0 ? -numerator : numerator) / polynomial<Fused>(z, d));
    }
    const float two_over_sqrt_pi = value_barrier(2.0f / 1.7724538509055159f);
    for (int step = 0; step < 2; ++step) {
        const float slope = value_barrier(two_over_sqrt_pi * exp(value_barrier(-x * x)));
        x = value_barrier(x - value_barrier(value_barrier(erf(x) - y) / slope));
    }
    return x;
}

/// The standard normal distribution function, in the steps that nn.init takes in Python.
inline double normal_cdf(double x) noexcept {
    return value_barrier((1.0 + value_barrier(std::erf(value_barrier(x / sqrt(2.0))))) / 2.0);
}

template <bool Fused>
inline void trunc_normal(generator& g, output<float> out, double mean, double std, double low, double high) {
    const double l = normal_cdf(value_barrier(value_barrier(low - mean) / std));
    const double u = normal_cdf(value_barrier(value_barrier(high - mean) / std));
    uniform(g, out, value_barrier(2.0 * l) - 1.0, value_barrier(2.0 * u) - 1.0);
    const float scale = static_cast<float>(value_barrier(std * sqrt(2.0))), offset = static_cast<float>(mean);
    const float least = static_cast<float>(low), most = static_cast<float>(high);
    for (float& x : out) {
        x = value_barrier(value_barrier(erfinv<Fused>(x) * scale) + offset);
        x = x < least ? least : x > most ? most : x;
    }
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// nn.init.trunc_normal_(mean, std, low, high) on float32, of builds without MKL. Bit for bit where the C library's erff, expf
/// and logf are the reference's; elsewhere about 5 % of the values are a few ulp apart. Throws std::invalid_argument unless all
/// four are finite, std > 0 and low <= high.
template <class Buffer>
inline void trunc_normal(generator& g, Buffer&& out, double mean = 0.0, double std = 1.0, double low = -2.0, double high = 2.0) {
    for (const double x : {mean, std, low, high})
        if (!detail::is_finite(x)) throw std::invalid_argument("plumb: trunc_normal needs finite parameters");
    if (std <= 0.0 || low > high) throw std::invalid_argument("plumb: trunc_normal needs std > 0 and low <= high");
    const output<float> values = output_of(out);
    if (g.profile().fused)
        detail::trunc_normal<true>(g, values, mean, std, low, high);
    else
        detail::trunc_normal<false>(g, values, mean, std, low, high);
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
