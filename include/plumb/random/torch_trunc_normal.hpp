/// \file
/// torch.nn.init.trunc_normal_.
#pragma once

#include <plumb/random/torch_uniform.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace plumb::rng::torch {
namespace detail {
inline namespace PLUMB_TARGET {

/// c[0] + c[1] x + c[2] x^2 + …
template <class MultiplyAdd, std::size_t N>
PLUMB_ALWAYS_INLINE float polynomial(float x, const float (&c)[N]) noexcept {
    float y = c[N - 1];
    for (std::size_t i = N - 1; i-- > 0;) y = value_barrier(MultiplyAdd()(y, x, c[i]));
    return y;
}

/// Up to this size erfinv starts from one formula, beyond it from another.
inline constexpr float erfinv_middle = 0.7f;

/// Tensor.erfinv_ on a float in [-1, 1]: a rational start (G. Pavlis, 1996, after MATLAB 2), then two of Newton's steps.
template <class MultiplyAdd>
PLUMB_ALWAYS_INLINE float erfinv(float y) noexcept {
    constexpr float a[] = {0.886226899f, -1.645349621f, 0.914624893f, -0.140543331f};
    constexpr float b[] = {1.0f, -2.118377725f, 1.442710462f, -0.329097515f, 0.012229801f};
    constexpr float c[] = {-1.970840454f, -1.624906493f, 3.429567803f, 1.641345311f};
    constexpr float d[] = {1.0f, 3.543889200f, 1.637067800f};
    // The sign is a coin's toss, so it is moved without a branch.
    const std::uint32_t sign = bit_cast<std::uint32_t>(y) & 0x80000000u;
    const auto with_sign = [=](float x) { return bit_cast<float>(bit_cast<std::uint32_t>(x) ^ sign); };
    const float size = with_sign(y);
    if (size == 1.0f) return bit_cast<float>(sign | binary32::infinity);

    float x;
    if (size <= erfinv_middle) {
        const float z = value_barrier(y * y);
        x = value_barrier(value_barrier(y * polynomial<MultiplyAdd>(z, a)) / polynomial<MultiplyAdd>(z, b));
    } else {
        const float z = sqrt(-log(value_barrier(value_barrier(1.0f - size) / 2.0f)));
        x = value_barrier(with_sign(polynomial<MultiplyAdd>(z, c)) / polynomial<MultiplyAdd>(z, d));
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

/// What becomes of the uniforms.
struct trunc_normal_range {
    float scale, offset, least, most;
};

/// The middle of erfinv's range and its ends take different branches, here and in erff, that cannot be predicted in the order of
/// the draws. So some elements at a time are taken, those of the middle first.
template <class MultiplyAdd, class T>
PLUMB_ALWAYS_INLINE void trunc_normal_steps(output<T> out, const trunc_normal_range& range) noexcept {
    constexpr std::size_t at_a_time = 256;
    std::size_t order[at_a_time];
    for (std::size_t first = 0; first < out.size(); first += at_a_time) {
        const std::size_t left = out.size() - first, n = left < at_a_time ? left : at_a_time;
        std::size_t front = 0, back = n - 1;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t size = bit_cast<std::uint32_t>(to_real(out[first + i])) & 0x7fffffffu;
            const std::size_t middle = size <= bit_cast<std::uint32_t>(erfinv_middle) ? 1 : 0;
            order[front] = order[back] = first + i;
            front += middle;
            back -= 1 - middle;
        }
        for (std::size_t k = 0; k < n; ++k) {
            T& element = out[order[k]];
            const float z = erfinv<MultiplyAdd>(to_real(element));
            const float x = value_barrier(value_barrier(z * range.scale) + range.offset);
            element = to_element<T>(x < range.least ? range.least : x > range.most ? range.most : x);
        }
    }
}
template <class MultiplyAdd, class T>
inline void trunc_normal(output<T> out, const trunc_normal_range& range) noexcept {
    trunc_normal_steps<MultiplyAdd>(out, range);
}
#if defined(PLUMB_TARGET_AVX2_FMA)
template <class T>
PLUMB_TARGET_AVX2_FMA inline void trunc_normal_avx2_fma(output<T> out, const trunc_normal_range& range) noexcept {
    trunc_normal_steps<fma_instruction>(out, range);
}
#endif

template <class T>
inline auto trunc_normal_function(bool fused) noexcept -> decltype(&trunc_normal<rounded_once, T>) {
#if defined(PLUMB_TARGET_AVX2_FMA) && !defined(__FMA__)
    if (fused && runs_avx2_fma()) return trunc_normal_avx2_fma<T>;
#endif
    return fused ? trunc_normal<rounded_once, T> : trunc_normal<rounded_twice, T>;
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
    using T = element_of<Buffer>;
    static_assert(dtype_of<T> == dtype::f32, "trunc_normal is drawn into f32");
    const output<T> values = output_of(out);
    const double l = detail::normal_cdf(detail::value_barrier(detail::value_barrier(low - mean) / std));
    const double u = detail::normal_cdf(detail::value_barrier(detail::value_barrier(high - mean) / std));
    uniform(g, values, detail::value_barrier(2.0 * l) - 1.0, detail::value_barrier(2.0 * u) - 1.0);
    const auto scale = static_cast<float>(detail::value_barrier(std * detail::sqrt(2.0)));
    const auto fill = detail::trunc_normal_function<T>(g.profile().fused);
    fill(values, {scale, static_cast<float>(mean), static_cast<float>(low), static_cast<float>(high)});
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
