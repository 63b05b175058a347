/// \file
/// torch.nn.init: the fills that layers start from.
#pragma once

#include <plumb/random/torch_normal.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace plumb::rng::torch {

/// Which of a weight's two fans a Kaiming fill keeps the variance of.
enum class fan_mode : std::uint8_t { fan_in, fan_out };

/// What follows the layer.
enum class nonlinearity : std::uint8_t { linear, sigmoid, tanh, relu, leaky_relu, selu };

/// The number of inputs and outputs of one unit of a weight.
struct fans {
    double in, out;
};

inline namespace PLUMB_TARGET {

/// The fans of a weight of this shape, [out, in, kernel…]. Throws std::invalid_argument below two dimensions, as PyTorch does.
inline fans fans_of(const extents& shape) {
    if (shape.size() < 2)
        throw std::invalid_argument("plumb: a weight of shape " + to_string(shape) + " has no fans: it needs two dimensions");
    double field = 1.0;
    for (std::size_t i = 2; i < shape.size(); ++i) field *= static_cast<double>(shape[i]);
    return {static_cast<double>(shape[1]) * field, static_cast<double>(shape[0]) * field};
}

/// nn.init.calculate_gain. `slope` is that of a leaky ReLU's negative side and ignored otherwise.
inline double calculate_gain(nonlinearity follows, double slope = 0.01) noexcept {
    using detail::value_barrier;
    switch (follows) {
    case nonlinearity::tanh: return 5.0 / 3.0;
    case nonlinearity::relu: return detail::sqrt(2.0);
    case nonlinearity::leaky_relu: return detail::sqrt(value_barrier(2.0 / (1.0 + value_barrier(slope * slope))));
    case nonlinearity::selu: return 3.0 / 4.0;
    case nonlinearity::linear:
    case nonlinearity::sigmoid: break;
    }
    return 1.0;
}

} // namespace PLUMB_TARGET

namespace detail {
inline namespace PLUMB_TARGET {

/// Throws std::invalid_argument unless the buffer has as many elements as the shape.
template <class T>
inline output<T> weight_of(output<T> weight, const extents& shape) {
    if (weight.size() != element_count(shape))
        throw std::invalid_argument("plumb: a weight of shape " + to_string(shape) + " needs " +
                                    std::to_string(element_count(shape)) + " elements, the buffer has " +
                                    std::to_string(weight.size()));
    return weight;
}

/// gain / sqrt(fan)
inline double kaiming_std(const extents& shape, double slope, fan_mode mode, nonlinearity follows) {
    const fans f = fans_of(shape);
    const double fan = mode == fan_mode::fan_in ? f.in : f.out;
    return value_barrier(calculate_gain(follows, slope) / sqrt(fan));
}

/// gain * sqrt(2 / (fan_in + fan_out))
inline double xavier_std(const extents& shape, double gain) {
    const fans f = fans_of(shape);
    return value_barrier(gain * sqrt(value_barrier(2.0 / (f.in + f.out))));
}

/// The half width of the uniform distribution with this standard deviation.
inline double uniform_bound(double std) noexcept { return value_barrier(sqrt(3.0) * std); }

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// nn.init.kaiming_uniform_ (He et al., 2015), with its defaults. Throws std::invalid_argument if the shape has fewer than two
/// dimensions or not as many elements as the buffer, and leaves an empty weight alone; so do the others.
template <class Buffer>
inline void kaiming_uniform(generator& g, Buffer&& weight, const extents& shape, double slope = 0.0,
                            fan_mode mode = fan_mode::fan_in, nonlinearity follows = nonlinearity::leaky_relu) {
    const auto values = detail::weight_of(output_of(weight), shape);
    if (values.size() == 0) return;
    const double bound = detail::uniform_bound(detail::kaiming_std(shape, slope, mode, follows));
    uniform(g, values, -bound, bound);
}

/// nn.init.kaiming_normal_.
template <class Buffer>
inline void kaiming_normal(generator& g, Buffer&& weight, const extents& shape, double slope = 0.0,
                           fan_mode mode = fan_mode::fan_in, nonlinearity follows = nonlinearity::leaky_relu) {
    const auto values = detail::weight_of(output_of(weight), shape);
    if (values.size() != 0) normal(g, values, 0.0, detail::kaiming_std(shape, slope, mode, follows));
}

/// nn.init.xavier_uniform_ (Glorot and Bengio, 2010).
template <class Buffer>
inline void xavier_uniform(generator& g, Buffer&& weight, const extents& shape, double gain = 1.0) {
    const auto values = detail::weight_of(output_of(weight), shape);
    if (values.size() == 0) return;
    const double bound = detail::uniform_bound(detail::xavier_std(shape, gain));
    uniform(g, values, -bound, bound);
}

/// nn.init.xavier_normal_.
template <class Buffer>
inline void xavier_normal(generator& g, Buffer&& weight, const extents& shape, double gain = 1.0) {
    const auto values = detail::weight_of(output_of(weight), shape);
    if (values.size() != 0) normal(g, values, 0.0, detail::xavier_std(shape, gain));
}

// nn.init.orthogonal_ has no counterpart: it runs a QR decomposition of LAPACK, whose bits depend on the library.

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
