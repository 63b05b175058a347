/// \file
/// PyTorch's randn and normal_ on the CPU.
#pragma once

#include <plumb/random/box_muller.hpp>
#include <plumb/random/torch_uniform.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace plumb::rng::torch {

/// Whether the tensor that a buffer stands for lies in memory in row-major order without gaps. Normals depend on it.
enum class layout : std::uint8_t {
    contiguous,
    strided, ///< anything else, channels_last and transposed included
};

namespace detail {
inline namespace PLUMB_TARGET {

inline constexpr double two_pi_double = 2.0 * 3.14159265358979323846;
/// Tensors of this many elements or more are made in blocks of as many.
inline constexpr std::size_t normal_block = 16;

/// The next standard normal of the scalar path: the one kept back, or the first of a new pair.
inline double scalar_normal(generator& g) noexcept {
    if (g.kept_normal()) {
        const double z = *g.kept_normal();
        g.kept_normal().reset();
        return z;
    }
    const libm which = g.profile().libm;
    const double angle_draw = unit_double(g.engine()), radius_draw = unit_double(g.engine());
    const double radius = sqrt(-2.0 * log(1.0 - radius_draw, which));
    const auto [sine, cosine] = sincos(value_barrier(two_pi_double * angle_draw), which);
    g.kept_normal() = value_barrier(radius * sine);
    return value_barrier(radius * cosine);
}

template <bool Fused, class T>
inline void scalar_normals(generator& g, output<T> out, double mean, double std) noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = to_element<T>(multiply_add<Fused>(scalar_normal(g), std, mean));
}

/// Box-Muller on sixteen doubles.
template <bool Fused>
inline void box_muller_double(double* u, double mean, double std, libm which) noexcept {
    for (int j = 0; j < 8; ++j) {
        const double radius = sqrt(-2.0 * log(1.0 - u[j], which));
        const auto [sine, cosine] = sincos(value_barrier(two_pi_double * u[j + 8]), which);
        u[j] = multiply_add<Fused>(value_barrier(radius * cosine), std, mean);
        u[j + 8] = multiply_add<Fused>(value_barrier(radius * sine), std, mean);
    }
}

/// Box-Muller on sixteen elements with the C library's float functions. Each step is rounded to T where PyTorch's arithmetic on
/// a T rounds: float16 steps that stay in float are written so there.
template <bool Fused, class T>
inline void box_muller_libm(T* u, T mean_element, T std_element) noexcept {
    const auto as_t = [](float x) { return to_real(to_element<T>(value_barrier(x))); };
    const float mean = to_real(mean_element), std = to_real(std_element);
    for (int j = 0; j < 8; ++j) {
        const float u1 = as_t(1.0f - to_real(u[j]));
        const float angle = as_t(static_cast<float>(value_barrier(two_pi_double * static_cast<double>(to_real(u[j + 8])))));
        float pair[2];
        sincos(angle, pair[1], pair[0]);
        if constexpr (dtype_of<T> == dtype::bf16) {
            const float radius = as_t(sqrt(as_t(-2.0f * as_t(log(u1)))));
            for (float& x : pair) x = as_t(as_t(as_t(radius * as_t(x)) * std) + mean);
        } else {
            const float radius = as_t(sqrt(value_barrier(-2.0f * log(u1))));
            for (float& x : pair) x = multiply_add<Fused>(value_barrier(radius * x), std, mean);
        }
        u[j] = to_element<T>(value_barrier(pair[0]));
        u[j + 8] = to_element<T>(value_barrier(pair[1]));
    }
}

/// Turns sixteen uniforms into normals, as the profile says.
template <class T>
class block_transform {
public:
    block_transform(const profile& reference, double mean, double std) noexcept
        : reference_(reference), mean_(mean), std_(std), vector_(best_box_muller(reference.fused)) {}

    void operator()(T* block) const noexcept {
        if constexpr (dtype_of<T> == dtype::f64) {
            (reference_.fused ? box_muller_double<true> : box_muller_double<false>)(block, mean_, std_, reference_.libm);
        } else if (std::is_same_v<T, float> && reference_.normals == float_normals::cephes) {
            if constexpr (std::is_same_v<T, float>) vector_(block, static_cast<float>(mean_), static_cast<float>(std_));
        } else {
            const auto transform = reference_.fused ? box_muller_libm<true, T> : box_muller_libm<false, T>;
            transform(block, to_element<T>(mean_), to_element<T>(std_));
        }
    }

private:
    profile reference_;
    double mean_, std_;
    box_muller_function vector_;
};

template <class T>
inline void block_normals(generator& g, output<T> out, double mean, double std) noexcept {
    const block_transform<T> transform(g.profile(), mean, std);
    constexpr std::size_t in_cache = 128 * normal_block;
    const std::size_t whole = out.size() / normal_block * normal_block;
    for (std::size_t first = 0; first < whole; first += in_cache) {
        const output<T> part = out.part(first, whole - first < in_cache ? whole - first : in_cache);
        fill_unit(g.engine(), part);
        for (std::size_t i = 0; i < part.size(); i += normal_block) transform(part.data() + i);
    }
    if (whole == out.size()) return;
    // An incomplete block draws its uniforms, and then the last sixteen elements are drawn anew.
    g.engine().discard((out.size() - whole) * (dtype_of<T> == dtype::f64 ? 2 : 1));
    const output<T> last = out.part(out.size() - normal_block, normal_block);
    fill_unit(g.engine(), last);
    transform(last.data());
}

template <class T>
inline void normal(generator& g, output<T> out, double mean, double std, layout memory) {
    constexpr dtype type = dtype_of<T>;
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || type == dtype::f16 || type == dtype::bf16,
                  "normals are made in float, double and the 16-bit types");
    if (!is_finite(mean) || !is_finite(std) || std < 0.0)
        throw std::invalid_argument("plumb: normal needs a finite mean and a finite std >= 0");
    if (memory == layout::contiguous && out.size() >= normal_block)
        block_normals(g, out, mean, std);
    else if (g.profile().fused)
        scalar_normals<true>(g, out, mean, std);
    else
        scalar_normals<false>(g, out, mean, std);
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// Tensor.normal_(mean, std). Element types f64, f32, f16 and bf16. Throws std::invalid_argument unless both are finite, std >=
/// 0.
///
/// Sixteen contiguous elements or more are made block by block, fewer or strided ones one by one: other numbers, as in PyTorch. A
/// strided tensor comes in the order in which PyTorch fills it: of its memory if it is dense, else row-major.
template <class Buffer>
inline void normal(generator& g, Buffer&& out, double mean, double std, layout memory = layout::contiguous) {
    detail::normal(g, output_of(out), mean, std, memory);
}

/// torch.randn.
template <class Buffer>
inline void randn(generator& g, Buffer&& out, layout memory = layout::contiguous) {
    detail::normal(g, output_of(out), 0.0, 1.0, memory);
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
