/// \file
/// The buffers that fills write, and how a number becomes an element of them.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/detail/value_barrier.hpp>
#include <plumb/types/element_traits.hpp>
#include <plumb/types/view.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
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

namespace detail {

template <class Buffer, class = void>
inline constexpr bool has_strides_v = false;
template <class Buffer>
inline constexpr bool has_strides_v<Buffer, std::void_t<decltype(std::declval<const Buffer&>().outerStride()),
                                                        decltype(std::declval<const Buffer&>().innerStride())>> = true;

/// Throws std::invalid_argument for a part of a matrix of Eigen's with gaps between its elements.
template <class Buffer>
PLUMB_ALWAYS_INLINE void require_dense(const Buffer& buffer) {
    if constexpr (has_strides_v<Buffer>)
        if (buffer.size() > 1 &&
            (buffer.innerStride() != 1 || (buffer.outerSize() > 1 && buffer.outerStride() != buffer.innerSize())))
            throw std::invalid_argument("plumb: the elements of this buffer are not side by side: fill a copy of it");
}

} // namespace detail

/// The output that a buffer is: an array, or anything with data() and size() (vector, span, Eigen::Matrix, …).
/// Eigen's column-major matrices are filled in storage order; use row-major ones, as PyTorch does, to match its weights.
/// Throws std::invalid_argument for an Eigen::Block, Map or Ref whose elements are not side by side; so do all fills.
template <class Buffer>
PLUMB_ALWAYS_INLINE auto output_of(Buffer&& buffer) -> output<std::remove_pointer_t<decltype(buffer.data())>> {
    detail::require_dense(buffer);
    return {buffer.data(), static_cast<std::size_t>(buffer.size())};
}

template <class T, std::size_t N>
PLUMB_ALWAYS_INLINE output<T> output_of(T (&array)[N]) noexcept {
    return {array, N};
}

/// The same for a buffer that a fill reads.
template <class Buffer>
PLUMB_ALWAYS_INLINE auto input_of(const Buffer& buffer)
    -> view<std::remove_cv_t<std::remove_pointer_t<decltype(buffer.data())>>> {
    detail::require_dense(buffer);
    return {buffer.data(), static_cast<std::size_t>(buffer.size())};
}

template <class T, std::size_t N>
PLUMB_ALWAYS_INLINE view<std::remove_cv_t<T>> input_of(T (&array)[N]) noexcept {
    return {array, N};
}

/// The type of a buffer's elements.
template <class Buffer>
using element_of = typename decltype(output_of(std::declval<Buffer&>()))::value_type;
template <class Buffer>
using input_element_of = typename decltype(input_of(std::declval<const Buffer&>()))::value_type;

namespace detail {
using plumb::detail::bit_cast;
using plumb::detail::value_barrier;

inline namespace PLUMB_TARGET {

// The conversions of types/ handle every pattern with integers alone. Fills convert millions of finite numbers, in the same
// rounding mode as their own arithmetic, so they may be quicker.

/// The pattern of the bfloat16 nearest to a float that is not NaN, ties to even: a carry runs into the exponent.
PLUMB_ALWAYS_INLINE std::uint16_t nearest_bfloat16(float x) noexcept {
    const auto bits = bit_cast<std::uint32_t>(x);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// The pattern of the float16 nearest to a float that is not NaN, ties to even.
PLUMB_ALWAYS_INLINE std::uint16_t nearest_float16(float x) noexcept {
    const auto bits = bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = bits & 0x80000000u, magnitude = bits ^ sign;
    const std::uint32_t normal = (magnitude - 0x38000000u + 0x0fffu + ((magnitude >> 13) & 1u)) >> 13;
    // Below 2^-14: the sum with 1/2 has float16's last place of subnormals as its own.
    const std::uint32_t subnormal = bit_cast<std::uint32_t>(bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    const std::uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    return static_cast<std::uint16_t>((sign >> 16) | (magnitude >= 0x47800000u ? 0x7c00u : finite));
}

PLUMB_ALWAYS_INLINE float widen_bfloat16(std::uint16_t bits) noexcept {
    return bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Of a finite number.
PLUMB_ALWAYS_INLINE float widen_float16(std::uint16_t bits) noexcept {
    const std::uint32_t magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) * 0x10000u;
    const float subnormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f;
    const std::uint32_t widened = magnitude < 0x0400u ? bit_cast<std::uint32_t>(subnormal) : (magnitude << 13) + 0x38000000u;
    return bit_cast<float>(sign | widened);
}

/// A number, not NaN, rounded once to the floating-point type T. A float becomes a double exactly.
template <class T>
PLUMB_ALWAYS_INLINE T to_element(float value) noexcept {
    constexpr dtype type = dtype_of<T>;
    static_assert(type == dtype::f64 || type == dtype::f32 || type == dtype::f16 || type == dtype::bf16);
    if constexpr (type == dtype::f64)
        return bit_cast<T>(static_cast<double>(value));
    else if constexpr (type == dtype::f32)
        return bit_cast<T>(value);
    else if constexpr (type == dtype::f16)
        return bit_cast<T>(nearest_float16(value));
    else
        return bit_cast<T>(nearest_bfloat16(value));
}

/// `value` as PyTorch and NumPy narrow a double: to float first, from there to the 16-bit types.
template <class T>
PLUMB_ALWAYS_INLINE T to_element(double value) noexcept {
    if constexpr (dtype_of<T> == dtype::f64)
        return bit_cast<T>(value);
    else
        return to_element<T>(static_cast<float>(value));
}

/// `value` rounded once to T: NumPy's astype.
template <class T>
PLUMB_ALWAYS_INLINE T rounded_element(double value) noexcept {
    constexpr dtype type = dtype_of<T>;
    static_assert(is_floating(type) && size_of(type) > 1, "doubles are drawn into f64, f32, f16 and bf16");
    if constexpr (type == dtype::f16)
        return bit_cast<T>(float16(value));
    else if constexpr (type == dtype::bf16)
        return bit_cast<T>(bfloat16(value));
    else
        return to_element<T>(value);
}

/// The element, a finite number, exactly: as a double if it is one, else as a float.
template <class T>
PLUMB_ALWAYS_INLINE auto to_real(const T& element) noexcept {
    if constexpr (dtype_of<T> == dtype::f64)
        return bit_cast<double>(element);
    else if constexpr (dtype_of<T> == dtype::f32)
        return bit_cast<float>(element);
    else if constexpr (dtype_of<T> == dtype::f16)
        return widen_float16(bit_cast<std::uint16_t>(element));
    else
        return widen_bfloat16(bit_cast<std::uint16_t>(element));
}

/// False for NaN and the infinities, with -ffast-math too.
inline bool is_finite(double x) noexcept { return unpack<binary64>(bit_cast<std::uint64_t>(x)).kind == number_kind::finite; }

} // namespace PLUMB_TARGET
} // namespace detail
} // namespace plumb::rng
