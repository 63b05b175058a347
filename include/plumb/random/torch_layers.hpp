/// \file
/// The parameters that PyTorch's layers have right after construction.
///
/// A layer draws when it is constructed, so call these in the order of the model's constructors. Norm layers draw nothing.
/// Parameters are row-major, as PyTorch stores them. All throw std::invalid_argument if a buffer is not as large as its shape
/// says.
#pragma once

#include <plumb/random/torch_init.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace plumb::rng::torch {

/// Stands for the bias of a layer made with bias=False.
struct no_bias {};

namespace detail {
inline namespace PLUMB_TARGET {

template <class Bias>
inline constexpr bool has_bias = !std::is_same_v<std::decay_t<Bias>, no_bias>;

template <class Buffer>
inline void zero(Buffer&& buffer) {
    for (auto& element : output_of(buffer)) element = to_element<element_of<Buffer>>(0.0f);
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// nn.Conv1d, Conv2d, Conv3d: weight [out, in / groups, kernel…] and bias [out]; nn.ConvTranspose1d, …: weight [in, out / groups,
/// kernel…] and bias [out]. Bias may be no_bias{}; its size is not checked.
template <class Weight, class Bias>
inline void conv(generator& g, Weight&& weight, Bias&& bias, const extents& shape) {
    // With this slope the bound is 1 / sqrt(fan_in), but for the last bit of a double now and then: PyTorch computes it this way.
    kaiming_uniform(g, weight, shape, detail::sqrt(5.0));
    if constexpr (detail::has_bias<Bias>) {
        const double fan_in = fans_of(shape).in;
        if (fan_in == 0.0) return;
        const double bound = detail::value_barrier(1.0 / detail::sqrt(fan_in));
        uniform(g, bias, -bound, bound);
    }
}

/// nn.Linear(in, out): weight [out, in], bias [out] or no_bias{}.
template <class Weight, class Bias>
inline void linear(generator& g, Weight&& weight, Bias&& bias, std::int64_t in, std::int64_t out) {
    if constexpr (detail::has_bias<Bias>) detail::weight_of(output_of(bias), {out});
    conv(g, weight, bias, {out, in});
}

/// nn.Embedding(count, width): weight [count, width]. The row `padding`, if there is one, is zero.
template <class Weight>
inline void embedding(generator& g, Weight&& weight, std::int64_t count, std::int64_t width,
                      std::optional<std::int64_t> padding = std::nullopt) {
    const auto values = detail::weight_of(output_of(weight), {count, width});
    if (padding && (*padding < -count || *padding >= count))
        throw std::invalid_argument("plumb: an embedding's padding row must be one of its rows");
    randn(g, values);
    if (!padding) return;
    const std::int64_t row = *padding < 0 ? *padding + count : *padding;
    detail::zero(values.part(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)));
}

/// nn.RNN, nn.LSTM, nn.GRU: all parameters in the order in which PyTorch registers them, that is for each layer weight_ih,
/// weight_hh, bias_ih, bias_hh, and the same of the reverse direction. May be called with some of them at a time.
template <class... Parameters>
inline void recurrent(generator& g, std::int64_t hidden, Parameters&&... parameters) {
    if (hidden <= 0) throw std::invalid_argument("plumb: a recurrent layer needs a hidden size above 0");
    const double bound = detail::value_barrier(1.0 / detail::sqrt(static_cast<double>(hidden)));
    (uniform(g, parameters, -bound, bound), ...);
}

/// nn.MultiheadAttention(width, heads) with keys and values of the same width: in_proj weight [3 * width, width] and bias
/// [3 * width], out_proj weight [width, width] and bias [width]. Both biases may be no_bias{}; else they end up zero.
template <class InWeight, class InBias, class OutWeight, class OutBias>
inline void multihead_attention(generator& g, InWeight&& in_weight, InBias&& in_bias, OutWeight&& out_weight, OutBias&& out_bias,
                                std::int64_t width) {
    linear(g, out_weight, out_bias, width, width);
    xavier_uniform(g, in_weight, {3 * width, width});
    if constexpr (detail::has_bias<InBias>) detail::zero(detail::weight_of(output_of(in_bias), {3 * width}));
    if constexpr (detail::has_bias<OutBias>) detail::zero(out_bias);
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
