/// \file
/// PyTorch's rand and uniform_ on the CPU.
#pragma once

#include <plumb/random/multiply_add.hpp>
#include <plumb/random/output.hpp>
#include <plumb/random/torch_generator.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace plumb::rng::torch {
namespace detail {
inline namespace PLUMB_TARGET {

using namespace plumb::rng::detail;

/// Bits of a uniform of each type: its precision.
template <class T>
inline constexpr int uniform_bits = dtype_of<T> == dtype::f64   ? 53
                                    : dtype_of<T> == dtype::f32 ? 24
                                    : dtype_of<T> == dtype::f16 ? 11
                                                                : 8;

/// The word or pair of words as a multiple of 2^-Bits in [0, 1); exact in Real, float or double.
template <int Bits, class Real, class Word>
PLUMB_ALWAYS_INLINE Real unit(Word word) noexcept {
    constexpr Real scale = Real(1) / static_cast<Real>(Word{1} << Bits);
    // By way of a signed number, whose conversion is one instruction.
    using integer = std::conditional_t<(Bits < 32), std::int32_t, std::int64_t>;
    return static_cast<Real>(static_cast<integer>(word & ((Word{1} << Bits) - 1))) * scale;
}

PLUMB_ALWAYS_INLINE double unit_double(std::uint32_t high, std::uint32_t low) noexcept {
    return unit<53, double>(join(high, low));
}

/// One draw of a double in [0, 1), whatever the type of the result: the scalar distributions' source.
PLUMB_ALWAYS_INLINE double unit_double(mt19937& engine) noexcept { return unit<53, double>(next64(engine)); }

/// What the uniforms of a T are computed in.
template <class T>
using real_of = std::conditional_t<dtype_of<T> == dtype::f64, double, float>;

/// Fills with uniforms in [0, 1) of type T's precision.
template <class T>
inline void fill_unit(mt19937& engine, output<real_of<T>> out) noexcept {
    if constexpr (dtype_of<T> == dtype::f64)
        for_each_pair(engine, out.size(),
                      [&](std::size_t i, std::uint32_t high, std::uint32_t low) { out[i] = unit_double(high, low); });
    else
        for_each_word(engine, out.size(),
                      [&](std::size_t i, std::uint32_t word) { out[i] = unit<uniform_bits<T>, float>(word); });
}

/// out[i] = u[i] * scale + offset, rounded to T.
template <class MultiplyAdd, class T>
PLUMB_ALWAYS_INLINE void scale_steps(const real_of<T>* __restrict u, output<T> out, real_of<T> scale,
                                     real_of<T> offset) noexcept {
    T* __restrict const values = out.data();
    for (std::size_t i = 0; i < out.size(); ++i) values[i] = to_element<T>(MultiplyAdd()(u[i], scale, offset));
}
template <class MultiplyAdd, class T>
inline void scale(const real_of<T>* u, output<T> out, real_of<T> scale, real_of<T> offset) noexcept {
    scale_steps<MultiplyAdd, T>(u, out, scale, offset);
}
#if defined(PLUMB_TARGET_AVX2_FMA)
template <class T>
PLUMB_TARGET_AVX2_FMA inline void scale_avx2_fma(const real_of<T>* u, output<T> out, real_of<T> scale,
                                                 real_of<T> offset) noexcept {
    scale_steps<fma_instruction, T>(u, out, scale, offset);
}
#endif

/// The function that scales as `fused` says, in the fastest way that this processor has.
template <class T>
inline auto scale_function(bool fused) noexcept -> decltype(&scale<rounded_once, T>) {
#if defined(PLUMB_TARGET_AVX2_FMA) && !defined(__FMA__)
    if (fused && runs_avx2_fma()) return scale_avx2_fma<T>;
#endif
    return fused ? scale<rounded_once, T> : scale<rounded_twice, T>;
}

/// Uniforms in [from, to), drawn with the precision of Drawn and rounded to T.
template <class Drawn, class T>
inline void fill_uniform(generator& g, output<T> out, double from, double to) noexcept {
    using real = real_of<T>;
    const auto rounded = [](auto x) { return static_cast<real>(to_real(to_element<Drawn>(x))); };
    const real low = rounded(from), range = rounded(value_barrier(rounded(to) - low));
    const bool is_unit = low == real(0) && range == real(1);
    const bool excludes_to = g.profile().version >= version::v2_13;
    const auto scale = scale_function<T>(g.profile().fused);

    constexpr std::size_t in_cache = 2048;
    real u[in_cache];
    for (std::size_t first = 0; first < out.size(); first += in_cache) {
        const std::size_t left = out.size() - first;
        const output<T> part = out.part(first, left < in_cache ? left : in_cache);
        if constexpr (std::is_same_v<T, real> && std::is_same_v<T, Drawn>) {
            if (is_unit) {
                fill_unit<T>(g.engine(), part);
                continue;
            }
        }
        fill_unit<Drawn>(g.engine(), output<real>(u, part.size()));
        scale(u, part, range, low);
        if (!excludes_to) continue;
        const T first_value = to_element<T>(from);
        const auto excluded = to_real(to_element<T>(to));
        for (T& value : part)
            if (to_real(value) == excluded) value = first_value;
    }
}

template <class T>
inline void uniform(generator& g, output<T> out, double from, double to) {
    if (!is_finite(from) || !is_finite(to) || from > to)
        throw std::invalid_argument("plumb: uniform needs finite bounds, from <= to");
    // Up to 2.12 everything is of the element type: the draws, the bounds, their difference.
    if constexpr (sizeof(T) == 2)
        if (g.profile().version >= version::v2_13) return fill_uniform<float>(g, out, from, to);
    fill_uniform<T>(g, out, from, to);
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// torch.rand: fills with uniform numbers in [0, 1). Element types f64, f32, f16 and bf16.
///
/// `out` is the tensor in the order of its memory if it is dense (whatever its strides), else in row-major order.
/// An empty buffer draws nothing. The same holds for all fills.
template <class Buffer>
inline void rand(generator& g, Buffer&& out) {
    detail::uniform(g, output_of(out), 0.0, 1.0);
}

/// Tensor.uniform_(from, to). Throws std::invalid_argument unless from <= to, both finite.
/// Can give `to` itself where rounding reaches it, before version 2.13.
template <class Buffer>
inline void uniform(generator& g, Buffer&& out, double from, double to) {
    detail::uniform(g, output_of(out), from, to);
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
