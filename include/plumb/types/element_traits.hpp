/// \file
/// How plumb learns what an element type is. Specialise one template and a framework's own type works everywhere.
#pragma once

#include <plumb/types/dtype.hpp>
#include <plumb/types/small_float.hpp>

#include <cstdint>
#include <type_traits>

namespace plumb {

/// Says that a type's bytes are those of an element of type `Type`, in the machine's byte order.
template <dtype Type>
struct stored_as {
    static constexpr dtype type = Type;
};

/// Describes the element type T. For a framework's own type, write
///
///     template <> struct plumb::element_traits<my::half> : plumb::stored_as<plumb::dtype::f16> {};
///
/// and buffers of it are read in place: nothing is copied, and none of its operators is called.
template <class T, class = void>
struct element_traits {};

// (In GNU dialects the 128-bit integers are integral too; plumb has no such element type.)
template <class T>
struct element_traits<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8>>
    : stored_as<sizeof(T) == 1   ? (std::is_signed_v<T> ? dtype::i8 : dtype::u8)
                : sizeof(T) == 2 ? (std::is_signed_v<T> ? dtype::i16 : dtype::u16)
                : sizeof(T) == 4 ? (std::is_signed_v<T> ? dtype::i32 : dtype::u32)
                                 : (std::is_signed_v<T> ? dtype::i64 : dtype::u64)> {};

template <>
struct element_traits<bool> : stored_as<dtype::boolean> {};
template <>
struct element_traits<float> : stored_as<dtype::f32> {};
template <>
struct element_traits<double> : stored_as<dtype::f64> {};
template <>
struct element_traits<float16> : stored_as<dtype::f16> {};
template <>
struct element_traits<bfloat16> : stored_as<dtype::bf16> {};
template <>
struct element_traits<float8_e4m3fn> : stored_as<dtype::f8_e4m3fn> {};
template <>
struct element_traits<float8_e5m2> : stored_as<dtype::f8_e5m2> {};

// GCC 12 for AArch64 has the macro, but the type in C alone.
#if defined(__FLT16_MANT_DIG__) &&                                                                                               \
    (defined(__clang__) ? (defined(__SSE2__) || defined(__aarch64__)) : (defined(__x86_64__) || __GNUC__ >= 13))
#define PLUMB_HAS_FLOAT16 1
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
template <>
struct element_traits<_Float16> : stored_as<dtype::f16> {};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif

/// True if plumb knows what a T is.
template <class T, class = void>
inline constexpr bool is_element_v = false;
template <class T>
inline constexpr bool is_element_v<T, std::void_t<decltype(element_traits<std::remove_cv_t<T>>::type)>> =
    std::is_trivially_copyable_v<T>;

/// The element type of T's buffers.
template <class T>
inline constexpr dtype dtype_of = element_traits<std::remove_cv_t<T>>::type;

} // namespace plumb
