/// \file
/// A read-only look at a contiguous buffer.
#pragma once

#include <plumb/types/element_traits.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace plumb {

namespace detail {

template <template <class> class Expression, class T, class = void>
inline constexpr bool is_valid_v = false;
template <template <class> class Expression, class T>
inline constexpr bool is_valid_v<Expression, T, std::void_t<Expression<T>>> = true;

template <class T>
using inner_stride_of = decltype(std::declval<const T&>().innerStride()); // Eigen's matrices
template <class T>
using dimensions_of = decltype(std::declval<const T&>().dimensions()); // Eigen's tensors
template <class T>
using strides_of = decltype(std::declval<const T&>().strides()); // xtensor, torch, …

/// True for classes that may keep their elements apart or in another order than row-major, as they have dimensions or strides
/// of their own, even if they have data() and size(): matrices, tensors, strided maps. They need an adapter.
template <class T>
inline constexpr bool has_strides_v = is_valid_v<inner_stride_of, T> || is_valid_v<dimensions_of, T> || is_valid_v<strides_of, T>;

} // namespace detail

/// Pointer and count of a contiguous buffer that somebody else owns. Anything with data() and size() converts to it, if it
/// has no strides.
template <class T>
class view {
public:
    static_assert(is_element_v<T>, "plumb does not know this element type: specialise plumb::element_traits for it");
    using value_type = T;

    PLUMB_ALWAYS_INLINE constexpr view() noexcept = default;
    PLUMB_ALWAYS_INLINE constexpr view(const T* data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <class Buffer,
              class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<const Buffer&>().data()), const T*>>,
              class = std::enable_if_t<std::is_integral_v<decltype(std::declval<const Buffer&>().size())>>,
              class = std::enable_if_t<!detail::has_strides_v<Buffer>>>
    PLUMB_ALWAYS_INLINE constexpr view(const Buffer& buffer) noexcept
        : data_(buffer.data()), size_(static_cast<std::size_t>(buffer.size())) {}

    template <std::size_t N>
    PLUMB_ALWAYS_INLINE constexpr view(const T (&array)[N]) noexcept : data_(array), size_(N) {}

    PLUMB_ALWAYS_INLINE constexpr const T* data() const noexcept { return data_; }
    PLUMB_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return size_; }
    PLUMB_ALWAYS_INLINE constexpr bool empty() const noexcept { return size_ == 0; }
    PLUMB_ALWAYS_INLINE constexpr const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    PLUMB_ALWAYS_INLINE constexpr const T* begin() const noexcept { return data_; }
    PLUMB_ALWAYS_INLINE constexpr const T* end() const noexcept { return data_ + size_; }
    /// The part of `size` elements from `first` on.
    PLUMB_ALWAYS_INLINE constexpr view subview(std::size_t first, std::size_t size) const noexcept {
        return {data_ + first, size};
    }

private:
    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace plumb
