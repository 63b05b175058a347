/// \file
/// PyTorch's rand and uniform_ on the CPU.
#pragma once

#include <plumb/random/multiply_add.hpp>
#include <plumb/random/output.hpp>
#include <plumb/random/torch_generator.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

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

/// Fills with uniforms in [0, 1) of the element type.
template <class T>
inline void fill_unit(mt19937& engine, output<T> out) noexcept {
    if constexpr (dtype_of<T> == dtype::f64)
        for_each_pair(engine, out.size(), [&](std::size_t i, std::uint32_t high, std::uint32_t low) {
            out[i] = bit_cast<T>(unit_double(high, low));
        });
    else
        for_each_word(engine, out.size(),
                      [&](std::size_t i, std::uint32_t word) { out[i] = to_element<T>(unit<uniform_bits<T>, float>(word)); });
}

/// Multiplies by `scale` and adds `offset` in Real, then rounds to T.
template <bool Fused, class T, class Real>
inline void scale(output<T> values, Real scale, Real offset) noexcept {
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = to_element<T>(multiply_add<Fused>(to_real(values[i]), scale, offset));
}

#if defined(PLUMB_TARGET_AVX2_FMA)
/// The same, rounded once.
template <class T>
PLUMB_TARGET_AVX2_FMA inline void scale_avx2_fma(output<T> values, float scale, float offset) noexcept {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = to_element<T>(__builtin_fmaf(to_real(values[i]), scale, offset));
}
template <class T>
PLUMB_TARGET_AVX2_FMA inline void scale_avx2_fma(output<T> values, double scale, double offset) noexcept {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = to_element<T>(__builtin_fma(to_real(values[i]), scale, offset));
}
#endif

/// The function that scales as `fused` says, in the fastest way that this processor has.
template <class T, class Real>
inline auto scale_function(bool fused) noexcept -> void (*)(output<T>, Real, Real) noexcept {
#if defined(PLUMB_TARGET_AVX2_FMA) && !defined(__FMA__)
    if (fused && runs_avx2_fma()) return scale_avx2_fma<T>;
#endif
    return fused ? scale<true, T, Real> : scale<false, T, Real>;
}

template <class T>
inline void uniform(generator& g, output<T> out, double from, double to) {
    if (!is_finite(from) || !is_finite(to) || from > to)
        throw std::invalid_argument("plumb: uniform needs finite bounds, from <= to");
    using real = std::conditional_t<dtype_of<T> == dtype::f64, double, float>;
    // The bounds and their difference are rounded to the element type first, as PyTorch does.
    const auto rounded = [](auto x) { return static_cast<real>(to_real(to_element<T>(x))); };
    const real low = rounded(from), range = rounded(value_barrier(rounded(to) - low));
    const bool is_unit = low == real(0) && range == real(1);
    const auto scale = scale_function<T, real>(g.profile().fused);

    constexpr std::size_t in_cache = 2048;
    for (std::size_t first = 0; first < out.size(); first += in_cache) {
        const std::size_t left = out.size() - first;
        const output<T> part = out.part(first, left < in_cache ? left : in_cache);
        fill_unit(g.engine(), part);
        if (!is_unit) scale(part, range, low);
    }
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
/// Can give `to` itself where rounding reaches it.
template <class Buffer>
inline void uniform(generator& g, Buffer&& out, double from, double to) {
    detail::uniform(g, output_of(out), from, to);
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
