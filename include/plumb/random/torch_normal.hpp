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
template <class MultiplyAdd>
PLUMB_ALWAYS_INLINE void box_muller_libm(double* u, double mean, double std, libm which) noexcept {
    for (int j = 0; j < 8; ++j) {
        const double radius = sqrt(-2.0 * log(1.0 - u[j], which));
        const auto [sine, cosine] = sincos(value_barrier(two_pi_double * u[j + 8]), which);
        u[j] = MultiplyAdd()(value_barrier(radius * cosine), std, mean);
        u[j + 8] = MultiplyAdd()(value_barrier(radius * sine), std, mean);
    }
}

/// Box-Muller on sixteen numbers of type T, held as floats, with the C library's float functions. Each step is rounded to T where
/// PyTorch's arithmetic on a T rounds: float16 steps that stay in float are written so there.
template <class MultiplyAdd, class T>
PLUMB_ALWAYS_INLINE void box_muller_libm(float* u, float mean, float std) noexcept {
    const auto as_t = [](float x) { return to_real(to_element<T>(value_barrier(x))); };
    for (int j = 0; j < 8; ++j) {
        const float u1 = as_t(1.0f - u[j]);
        const float angle = as_t(static_cast<float>(value_barrier(two_pi_double * static_cast<double>(u[j + 8]))));
        float pair[2];
        sincos(angle, pair[1], pair[0]);
        if constexpr (dtype_of<T> == dtype::bf16) {
            const float radius = as_t(sqrt(as_t(-2.0f * as_t(log(u1)))));
            for (float& x : pair) x = as_t(as_t(as_t(radius * as_t(x)) * std) + mean);
        } else {
            const float radius = as_t(sqrt(value_barrier(-2.0f * log(u1))));
            for (float& x : pair) x = as_t(MultiplyAdd()(value_barrier(radius * x), std, mean));
        }
        u[j] = pair[0];
        u[j + 8] = pair[1];
    }
}

/// Box-Muller on sixteen uniforms of type T, mean and standard deviation rounded to T.
template <class MultiplyAdd, class T>
PLUMB_ALWAYS_INLINE void block_steps(real_of<T>* u, double mean, double std, libm which) noexcept {
    if constexpr (dtype_of<T> == dtype::f64)
        box_muller_libm<MultiplyAdd>(u, mean, std, which);
    else
        box_muller_libm<MultiplyAdd, T>(u, to_real(to_element<T>(mean)), to_real(to_element<T>(std)));
}
template <class MultiplyAdd, class T>
inline void block(real_of<T>* u, double mean, double std, libm which) noexcept {
    block_steps<MultiplyAdd, T>(u, mean, std, which);
}
#if defined(PLUMB_TARGET_AVX2_FMA)
template <class T>
PLUMB_TARGET_AVX2_FMA inline void block_avx2_fma(real_of<T>* u, double mean, double std, libm which) noexcept {
    block_steps<fma_instruction, T>(u, mean, std, which);
}
#endif

template <class T>
inline auto block_function(bool fused) noexcept -> decltype(&block<rounded_once, T>) {
#if defined(PLUMB_TARGET_AVX2_FMA) && !defined(__FMA__)
    if (fused && runs_avx2_fma()) return block_avx2_fma<T>;
#endif
    return fused ? block<rounded_once, T> : block<rounded_twice, T>;
}

/// Turns sixteen uniforms of type T into normals, as the profile says.
template <class T>
class block_transform {
public:
    block_transform(const profile& reference, double mean, double std) noexcept
        : mean_(mean), std_(std), libm_(reference.libm),
          block_(block_function<T>(reference.fused || reference.version >= version::v2_13)) {
        if (dtype_of<T> == dtype::f32 && reference.normals == float_normals::cephes) vector_ = best_box_muller(reference.fused);
    }

    void operator()(real_of<T>* u) const noexcept {
        if constexpr (dtype_of<T> == dtype::f32)
            if (vector_ != nullptr) return vector_(u, static_cast<float>(mean_), static_cast<float>(std_));
        block_(u, mean_, std_, libm_);
    }

private:
    double mean_, std_;
    libm libm_;
    decltype(&block<rounded_once, T>) block_;
    box_muller_function vector_ = nullptr;
};

/// Normals made with the precision of Drawn and rounded to T.
template <class Drawn, class T>
inline void block_normals(generator& g, output<T> out, double mean, double std) noexcept {
    const block_transform<Drawn> transform(g.profile(), mean, std);
    constexpr std::size_t in_cache = 128 * normal_block;
    real_of<T> u[in_cache];
    const auto fill = [&](output<T> part) {
        fill_unit<Drawn>(g.engine(), output<real_of<T>>(u, part.size()));
        for (std::size_t i = 0; i < part.size(); i += normal_block) transform(u + i);
        for (std::size_t i = 0; i < part.size(); ++i) part[i] = to_element<T>(u[i]);
    };
    const std::size_t whole = out.size() / normal_block * normal_block;
    for (std::size_t first = 0; first < whole; first += in_cache)
        fill(out.part(first, whole - first < in_cache ? whole - first : in_cache));
    if (whole == out.size()) return;
    // An incomplete block draws its uniforms if all are drawn first, and then the last sixteen elements are drawn anew.
    if (std::is_same_v<Drawn, T>) g.engine().discard((out.size() - whole) * (dtype_of<T> == dtype::f64 ? 2 : 1));
    fill(out.part(out.size() - normal_block, normal_block));
}

template <class T>
inline void normal(generator& g, output<T> out, double mean, double std, layout memory) {
    constexpr dtype type = dtype_of<T>;
    static_assert(type == dtype::f64 || type == dtype::f32 || type == dtype::f16 || type == dtype::bf16,
                  "normals are drawn into f64, f32, f16 and bf16");
    if (!is_finite(mean) || !is_finite(std) || std < 0.0)
        throw std::invalid_argument("plumb: normal needs a finite mean and a finite std >= 0");
    if (memory == layout::contiguous && out.size() >= normal_block) {
        if constexpr (sizeof(T) == 2)
            if (g.profile().version >= version::v2_13) return block_normals<float>(g, out, mean, std);
        block_normals<T>(g, out, mean, std);
    } else if (g.profile().fused)
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
