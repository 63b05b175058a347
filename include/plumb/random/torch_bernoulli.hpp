/// \file
/// PyTorch's bernoulli_ and dropout on the CPU.
#pragma once

#include <plumb/random/torch_integers.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace plumb::rng::torch {
namespace detail {
inline namespace PLUMB_TARGET {

/// MKL's multiplicative generator mcg31m1, x' = 1132489760 x mod (2^31 - 1) (L'Ecuyer, 1999).
class mcg31m1 {
public:
    explicit mcg31m1(std::uint32_t seed) noexcept : x_(seed % modulus) {
        if (x_ == 0) x_ = 1;
    }
    /// The next number in (0, 1).
    double operator()() noexcept {
        const double u = static_cast<double>(static_cast<std::int32_t>(x_)) / modulus;
        x_ = static_cast<std::uint32_t>(std::uint64_t{x_} * 1132489760u % modulus);
        return u;
    }

private:
    static constexpr std::uint32_t modulus = 0x7fffffff;
    std::uint32_t x_;
};

/// use(i, drawn) for n draws in turn, each true with probability p: Tensor.bernoulli_(p).
template <class Use>
PLUMB_ALWAYS_INLINE void for_each_bernoulli(generator& g, std::size_t n, double p, Use use) {
    if (n == 0) return;
    if (g.profile().bernoulli == bernoulli_stream::mkl) {
        mcg31m1 engine(g.engine()());
        for (std::size_t i = 0; i < n; ++i) use(i, engine() < p);
    } else {
        for_each_pair(g.engine(), n,
                      [&](std::size_t i, std::uint32_t high, std::uint32_t low) { use(i, unit_double(high, low) < p); });
    }
}

inline void require_probability(double p) {
    if (!(is_finite(p) && p >= 0.0 && p <= 1.0)) throw std::invalid_argument("plumb: a probability must lie in [0, 1]");
}

/// 1 / (1 - p) in the precision of T: what the kept elements of a dropout are multiplied by.
template <class T>
inline auto dropout_scale(double p) noexcept {
    const auto keep = value_barrier(to_real(to_element<T>(value_barrier(1.0 - p))));
    return to_real(to_element<T>(value_barrier(decltype(keep)(1) / keep)));
}

/// use(i, noise) for n elements in turn; noise is 0 or dropout_scale.
template <class T, class Use>
PLUMB_ALWAYS_INLINE void for_each_dropout(generator& g, std::size_t n, double p, Use use) {
    require_probability(p);
    using real = decltype(dropout_scale<T>(p));
    if (p == 0.0 || p == 1.0) {
        for (std::size_t i = 0; i < n; ++i) use(i, p == 0.0 ? real(1) : real(0));
        return;
    }
    const real kept = dropout_scale<T>(p);
    for_each_bernoulli(g, n, 1.0 - p, [&](std::size_t i, bool keep) { use(i, keep ? kept : real(0)); });
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// Tensor.bernoulli_(p): ones with probability p, else zeros, of any element type. Throws std::invalid_argument for p outside [0,
/// 1].
template <class Buffer>
inline void bernoulli(generator& g, Buffer&& out, double p) {
    using T = element_of<Buffer>;
    detail::require_probability(p);
    const output<T> ones = output_of(out);
    detail::for_each_bernoulli(g, ones.size(), p, [&](std::size_t i, bool one) { ones[i] = detail::integer_element<T>(one); });
}

/// torch.bernoulli(probabilities): a one or a zero for each, drawn with its own probability. Those are f32 or f64; never draws
/// from MKL.
/// Throws std::invalid_argument if the sizes differ.
template <class Probabilities, class Buffer, class T = input_element_of<Probabilities>>
inline void bernoulli(generator& g, const Probabilities& probabilities_buffer, Buffer&& out) {
    static_assert(dtype_of<T> == dtype::f32 || dtype_of<T> == dtype::f64);
    const view<T> probabilities = input_of(probabilities_buffer);
    using Out = element_of<Buffer>;
    const output<Out> ones = output_of(out);
    if (ones.size() != probabilities.size())
        throw std::invalid_argument("plumb: bernoulli needs one probability for each element");
    if constexpr (dtype_of<T> == dtype::f64)
        detail::for_each_pair(g.engine(), ones.size(), [&](std::size_t i, std::uint32_t high, std::uint32_t low) {
            ones[i] = detail::integer_element<Out>(detail::unit_double(high, low) < detail::to_real(probabilities[i]));
        });
    else
        detail::for_each_word(g.engine(), ones.size(), [&](std::size_t i, std::uint32_t word) {
            ones[i] = detail::integer_element<Out>(detail::unit<24, float>(word) < detail::to_real(probabilities[i]));
        });
}

/// The noise that F.dropout multiplies by: 0 with probability p, else 1 / (1 - p) rounded to the element type. Draws nothing if p
/// is 0 or 1. For dropout2d and the like the buffer has one element for each channel of each sample. Throws std::invalid_argument
/// for p outside [0, 1].
template <class Buffer>
inline void dropout_noise(generator& g, Buffer&& out, double p) {
    using T = element_of<Buffer>;
    const output<T> noise = output_of(out);
    detail::for_each_dropout<T>(g, noise.size(), p, [&](std::size_t i, auto x) { noise[i] = detail::to_element<T>(x); });
}

/// F.dropout(input, p, training=True): input times noise, so that a dropped NaN stays NaN. `out` may be `input`. Elements are in
/// the input's logical row-major order. Throws std::invalid_argument for p outside [0, 1] or if the sizes differ.
///
/// Give dropout_probability(p) for p to let alignment mode switch it off.
template <class Input, class Buffer>
inline void dropout(generator& g, const Input& input_buffer, Buffer&& out, double p) {
    using T = input_element_of<Input>;
    const view<T> input = input_of(input_buffer);
    const output<T> result = output_of(out);
    if (result.size() != input.size()) throw std::invalid_argument("plumb: dropout needs an output of the input's size");
    detail::for_each_dropout<T>(g, input.size(), p, [&](std::size_t i, auto noise) {
        noise = detail::value_barrier(noise);
        result[i] = detail::to_element<element_of<Buffer>>(detail::value_barrier(detail::to_real(input[i]) * noise));
    });
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
