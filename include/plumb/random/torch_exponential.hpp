/// \file
/// PyTorch's exponential_ on the CPU.
#pragma once

#include <plumb/random/torch_uniform.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace plumb::rng::torch {
inline namespace PLUMB_TARGET {

/// Tensor.exponential_(lambda) of builds without MKL: computed in double whatever the element type, which is f64, f32, f16 or
/// bf16. Throws std::invalid_argument unless lambda is finite and positive.
template <class Buffer>
inline void exponential(generator& g, Buffer&& out, double lambda = 1.0) {
    using T = element_of<Buffer>;
    if (!detail::is_finite(lambda) || lambda <= 0.0) throw std::invalid_argument("plumb: exponential needs a finite lambda > 0");
    const output<T> values = output_of(out);
    const double scale = detail::value_barrier(-1.0 / lambda);
    const libm which = g.profile().libm;
    const bool by_log1p = g.profile().version >= version::v2_0;
    detail::for_each_pair(g.engine(), values.size(), [&](std::size_t i, std::uint32_t high, std::uint32_t low) {
        const double u = detail::unit_double(high, low);
        values[i] = detail::to_element<T>(scale * (by_log1p ? detail::log1p(-u, which) : detail::log(1.0 - u, which)));
    });
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
