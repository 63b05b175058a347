/// \file
/// PyTorch's rand and uniform_ on the CPU.
#pragma once

#include <plumb/random/multiply_add.hpp>
#include <plumb/random/output.hpp>
#include <plumb/random/torch_generator.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
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

/// values[i] = values[i] * scale + offset, rounded to the accumulation type by `Fused`, then to T.
template <bool Fused, class T, class Real>
PLUMB_ALWAYS_INLINE void scale_loop(output<T> values, Real scale, Real offset) noexcept {
    for (T& value : values) {
        if constexpr (dtype_of<T> == dtype::f64)
            value = bit_cast<T>(multiply_add<Fused>(bit_cast<double>(value), scale, offset));
        else
            value = to_element<T>(multiply_add<Fused>(to_float(value), scale, offset));
    }
}

template <bool Fused, class T, class Real>
inline void scale(output<T> values, Real scale, Real offset) noexcept {
    scale_loop<Fused>(values, scale, offset);
}

#if defined(PLUMB_TARGET_AVX2_FMA)
template <class T, class Real>
PLUMB_TARGET_AVX2_FMA inline void scale_avx2_fma(output<T> values, Real scale, Real offset) noexcept {
    scale_loop<true>(values, scale, offset);
}
#endif

} // namespace PLUMB_TARGET
} // namespace detail
