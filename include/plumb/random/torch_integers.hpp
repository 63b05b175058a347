/// \file
/// PyTorch's randint, random_ and randperm on the CPU.
#pragma once

#include <plumb/random/torch_uniform.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace plumb::rng::torch {
namespace detail {
inline namespace PLUMB_TARGET {

/// An integer as an element: cast to an integer type, rounded to a floating-point one, true unless 0.
template <class T>
PLUMB_ALWAYS_INLINE T integer_element(std::int64_t value) noexcept {
    constexpr dtype type = dtype_of<T>;
    if constexpr (type == dtype::f64)
        return bit_cast<T>(static_cast<double>(value));
    else if constexpr (is_floating(type))
        return to_element<T>(static_cast<float>(value));
    else if constexpr (type == dtype::boolean)
        return bit_cast<T>(value != 0);
    else
        return static_cast<T>(value);
}

/// out[i] = base + draw mod range, with 64-bit draws if `wide`.
template <class T>
inline void fill_modulo(mt19937& engine, output<T> out, bool wide, std::uint64_t range, std::uint64_t base) noexcept {
    const auto element = [=](std::uint64_t draw) { return integer_element<T>(static_cast<std::int64_t>(draw + base)); };
    if (wide) {
        for_each_pair(engine, out.size(),
                      [&](std::size_t i, std::uint32_t high, std::uint32_t low) { out[i] = element(join(high, low) % range); });
    } else if (range > 0xffffffffu) {
        for_each_word(engine, out.size(), [&](std::size_t i, std::uint32_t word) { out[i] = element(word); });
    } else {
        const auto narrow = static_cast<std::uint32_t>(range); // a 32-bit division is the faster one
        for_each_word(engine, out.size(), [&](std::size_t i, std::uint32_t word) { out[i] = element(word % narrow); });
    }
}

template <class T>
inline void randint(generator& g, output<T> out, std::int64_t low, std::int64_t high) {
    if (low >= high) throw std::invalid_argument("plumb: randint needs low < high");
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    constexpr dtype type = dtype_of<T>;
    constexpr bool has_wide_draws = type == dtype::i64 || type == dtype::f64 || type == dtype::f32 || type == dtype::bf16;
    const bool wide = g.profile().version < version::v2_7 ? has_wide_draws && range >> 32 != 0 : range >> 28 != 0;
    fill_modulo(g.engine(), out, wide, range, static_cast<std::uint64_t>(low));
}

/// How many different numbers random_() without bounds has: all non-negative ones that the type represents without a gap.
template <class T>
constexpr std::uint64_t random_range() noexcept {
    constexpr dtype type = dtype_of<T>;
    static_assert(type != dtype::u16 && type != dtype::u32 && type != dtype::u64, "PyTorch's random_ has no such type");
    if constexpr (is_floating(type)) return (std::uint64_t{1} << uniform_bits<T>)+1;
    if constexpr (type == dtype::boolean) return 2;
    return std::uint64_t{1} << (8 * sizeof(T) - (type == dtype::u8 ? 0 : 1));
}

template <class T>
inline void randperm(generator& g, output<T> out) noexcept {
    constexpr std::size_t first_wide = 214748364; // (2^32 - 1) / 20
    const auto index = [](std::size_t i) { return integer_element<T>(static_cast<std::int64_t>(i)); };
    const std::size_t n = out.size();
    mt19937& engine = g.engine();
    if (g.profile().version >= version::v2_7 && n >= first_wide) {
        for_each_pair(engine, n, [&](std::size_t i, std::uint32_t high, std::uint32_t low) {
            const std::uint64_t j = join(high, low) % (i + 1);
            out[i] = index(i);
            out[i] = out[j];
            out[j] = index(i);
        });
        return;
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = index(i);
    if (n < 2) return;
    for_each_word(engine, n - 1, [&](std::size_t i, std::uint32_t word) {
        const std::uint64_t left = n - i;
        const std::size_t j = i + (left <= 0xffffffffu ? word % static_cast<std::uint32_t>(left) : word);
        const T swapped = out[i];
        out[i] = out[j];
        out[j] = swapped;
    });
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// torch.randint(low, high) and Tensor.random_(low, high): integers in [low, high). Any element type; what a type cannot hold
/// wraps or rounds. Throws std::invalid_argument unless low < high.
template <class Buffer>
inline void randint(generator& g, Buffer&& out, std::int64_t low, std::int64_t high) {
    detail::randint(g, output_of(out), low, high);
}

/// Tensor.random_(): integers from 0 to the largest of an integer type, to 2^precision of a floating-point one.
template <class Buffer>
inline void random(generator& g, Buffer&& out) {
    using T = element_of<Buffer>;
    constexpr bool wide = dtype_of<T> == dtype::i64 || dtype_of<T> == dtype::f64;
    detail::fill_modulo<T>(g.engine(), output_of(out), wide, detail::random_range<T>(), 0);
}

/// torch.randperm(n) with n the size of the buffer: a random order of 0 to n - 1. Any element type that can hold n - 1.
template <class Buffer>
inline void randperm(generator& g, Buffer&& out) {
    detail::randperm(g, output_of(out));
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
