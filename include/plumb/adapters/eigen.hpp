/// \file
/// Eigen's matrices, arrays, vectors and tensors, read in place, and its 16-bit element types.
///
/// With this file included they convert to tensor_view, so measure(), check() and the accumulators take them as they are;
/// as_view() says so by name. Covered are all that have memory of their own or look at some: Matrix, Array, Map, Ref, Block,
/// Transpose and Diagonal of these, with any strides, and of the unsupported module Tensor, TensorFixedSize and TensorMap. An
/// expression such as a + b has no memory: evaluate it first, with .eval().
///
/// Elements are read in row-major order of the rows and columns, whatever the storage order is, and positions in reports count
/// so. What Eigen knows at compile time to be a vector has one dimension, every other matrix two.
#pragma once

#include <plumb/types/element_traits.hpp>
#include <plumb/types/tensor_view.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace plumb {

template <>
struct element_traits<Eigen::half> : stored_as<dtype::f16> {};
template <>
struct element_traits<Eigen::bfloat16> : stored_as<dtype::bf16> {};

namespace detail {

template <class Derived>
std::true_type is_dense(const Eigen::DenseBase<Derived>*);
std::false_type is_dense(const void*);

/// True for matrices, arrays and vectors whose elements lie in memory.
template <class T, bool = decltype(is_dense(std::declval<const T*>()))::value>
inline constexpr bool is_eigen_dense_v = false;
template <class T>
inline constexpr bool is_eigen_dense_v<T, true> =
    (static_cast<unsigned>(T::Flags) & Eigen::DirectAccessBit) != 0 && is_element_v<typename T::Scalar>;

/// True for the classes of the unsupported Tensor module that have data(). They are known by their members, so that this file
/// does without that module's large headers.
template <class T, class = void>
inline constexpr bool is_eigen_tensor_v = false;
template <class T>
inline constexpr bool is_eigen_tensor_v<
    T, std::void_t<decltype(T::NumDimensions), decltype(T::Layout), decltype(std::declval<const T&>().dimensions()),
                   decltype(std::declval<const T&>().data())>> = is_element_v<typename T::Scalar>;

} // namespace detail

template <class T>
struct tensor_adapter<T, std::enable_if_t<detail::is_eigen_dense_v<T>>> {
    PLUMB_ALWAYS_INLINE static tensor_view view_of(const T& x) {
        using scalar = typename T::Scalar;
        const auto bytes = [](Eigen::Index steps) { return static_cast<std::int64_t>(steps) * std::int64_t{sizeof(scalar)}; };
        if constexpr (T::IsVectorAtCompileTime != 0)
            return {dtype_of<scalar>, x.data(), extents{x.size()}, extents{bytes(x.innerStride())}};
        else
            return {dtype_of<scalar>, x.data(), extents{x.rows(), x.cols()}, extents{bytes(x.rowStride()), bytes(x.colStride())}};
    }
};

template <class T>
struct tensor_adapter<T, std::enable_if_t<detail::is_eigen_tensor_v<T>>> {
    /// Throws std::invalid_argument for a TensorRef of an expression, which has no memory.
    PLUMB_ALWAYS_INLINE static tensor_view view_of(const T& x) {
        using scalar = typename T::Scalar;
        extents shape;
        for (std::uint16_t dim = 0; dim < T::NumDimensions; ++dim) // fits signed and unsigned: Eigen's index is either
            shape.push_back(static_cast<std::int64_t>(x.dimensions()[dim]));
        const tensor_view view(dtype_of<scalar>, x.data(), shape,
                               contiguous_strides(shape, sizeof(scalar), static_cast<int>(T::Layout) == Eigen::ColMajor));
        if (view.data() == nullptr && view.count() > 0)
            throw std::invalid_argument("plumb: this Eigen tensor has no memory of its own: evaluate the expression first");
        return view;
    }
};

} // namespace plumb
