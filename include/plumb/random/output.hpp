/// \file
/// The buffers that fills write, and how a number becomes an element of them.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/detail/value_barrier.hpp>
#include <plumb/types/element_traits.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace plumb::rng {

/// Pointer and count of a contiguous buffer that a fill writes and somebody else owns.
template <class T>
class output {
public:
    static_assert(!std::is_const_v<T>, "a fill writes its buffer: it cannot be const");
    static_assert(is_element_v<T>, "plumb does not know this element type: specialise plumb::element_traits for it");
    using value_type = T;

    PLUMB_ALWAYS_INLINE output(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

    PLUMB_ALWAYS_INLINE T* data() const noexcept { return data_; }
    PLUMB_ALWAYS_INLINE std::size_t size() const noexcept { return size_; }
    PLUMB_ALWAYS_INLINE T& operator[](std::size_t i) const noexcept { return data_[i]; }
    PLUMB_ALWAYS_INLINE T* begin() const noexcept { return data_; }
    PLUMB_ALWAYS_INLINE T* end() const noexcept { return data_ + size_; }
    /// The part of `size` elements from `first` on.
    PLUMB_ALWAYS_INLINE output part(std::size_t first, std::size_t size) const noexcept { return {data_ + first, size}; }

private:
    T* data_;
    std::size_t size_;
};

/// The output that a buffer is: an array, or anything with data() and size() (vector, span, Eigen::Matrix, …).
/// Eigen's column-major matrices are filled in storage order; use row-major ones, as PyTorch does, to match its weights.
template <class Buffer>
PLUMB_ALWAYS_INLINE auto output_of(Buffer&& buffer) noexcept -> output<std::remove_pointer_t<decltype(buffer.data())>> {
    return {buffer.data(), static_cast<std::size_t>(buffer.size())};
}

template <class T, std::size_t N>
PLUMB_ALWAYS_INLINE output<T> output_of(T (&array)[N]) noexcept {
    return {array, N};
}

/// The type of a buffer's elements.
template <class Buffer>
using element_of = typename decltype(output_of(std::declval<Buffer&>()))::value_type;

namespace detail {
using plumb::detail::bit_cast;
using plumb::detail::value_barrier;

inline namespace PLUMB_TARGET {

/// `value` rounded once to the floating-point type T. A float becomes a double exactly.
template <class T>
PLUMB_ALWAYS_INLINE T to_element(float value) noexcept {
    constexpr dtype type = dtype_of<T>;
    static_assert(type == dtype::f64 || type == dtype::f32 || type == dtype::f16 || type == dtype::bf16);
    if constexpr (type == dtype::f64)
        return bit_cast<T>(static_cast<double>(value));
    else if constexpr (type == dtype::f32)
        return bit_cast<T>(value);
    else if constexpr (type == dtype::f16)
        return bit_cast<T>(float16(value));
    else
        return bit_cast<T>(bfloat16(value));
}

/// `value` as PyTorch and NumPy narrow a double: to float first, from there to the 16-bit types.
template <class T>
PLUMB_ALWAYS_INLINE T to_element(double value) noexcept {
    if constexpr (dtype_of<T> == dtype::f64)
        return bit_cast<T>(value);
    else
        return to_element<T>(static_cast<float>(value));
}

/// The element as a float; exact but for doubles.
template <class T>
PLUMB_ALWAYS_INLINE float to_float(const T& element) noexcept {
    if constexpr (dtype_of<T> == dtype::f64)
        return static_cast<float>(bit_cast<double>(element));
    else if constexpr (dtype_of<T> == dtype::f32)
        return bit_cast<float>(element);
    else if constexpr (dtype_of<T> == dtype::f16)
        return static_cast<float>(bit_cast<float16>(element));
    else
        return static_cast<float>(bit_cast<bfloat16>(element));
}

} // namespace PLUMB_TARGET
} // namespace detail
} // namespace plumb::rng
