/// \file
/// The specification of one tensor's statistics, in integers alone.
#pragma once

#include <plumb/kernels/pair_state.hpp>
#include <plumb/kernels/unpack_run.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::kernels {

/// What a pass over one tensor remembers. Trivially copyable.
template <class Range>
struct statistics_state {
    std::uint64_t count = 0, finite = 0, zeros = 0, subnormals = 0, saturated = 0;
    std::uint64_t first_nonfinite = no_position;
    nonfinite_part nonfinite;
    std::uint64_t min_key = ~std::uint64_t{0}, max_key = 0; ///< sort keys of the elements, rounded to double
    typename Range::linear sum;
    typename Range::product squares;
};

inline namespace PLUMB_TARGET {

/// An integer that orders doubles: their bits, with those of negative numbers inverted and positive ones lifted above them.
PLUMB_ALWAYS_INLINE std::uint64_t sort_key(std::uint64_t bits) noexcept {
    return (bits & binary64::sign_mask) != 0 ? ~bits : bits | binary64::sign_mask;
}
PLUMB_ALWAYS_INLINE std::uint64_t bits_from_sort_key(std::uint64_t key) noexcept {
    return (key & binary64::sign_mask) != 0 ? key & binary64::magnitude_mask : ~key;
}

/// The sort key of a finite number, rounded to double. Zero has one key, whatever its sign.
inline std::uint64_t sort_key_of(const unpacked& x) noexcept {
    return sort_key(round_to<binary64>(x.negative && x.mantissa != 0, x.mantissa, x.exponent));
}

/// True if the finite number x is subnormal in its own format, or is its largest finite magnitude; false for integers.
inline bool is_subnormal(dtype type, const unpacked& x) noexcept {
    return with_layout(type, [&](auto layout) {
        using format = typename decltype(layout)::format;
        if constexpr (std::is_void_v<format>)
            return false;
        else
            return x.mantissa != 0 && x.mantissa <= format::fraction_mask;
    });
}
inline bool is_saturated(dtype type, const unpacked& x) noexcept {
    return with_layout(type, [&](auto layout) {
        using format = typename decltype(layout)::format;
        if constexpr (std::is_void_v<format>)
            return false;
        else
            return ordinal(type, x) == format::largest;
    });
}

template <class Range>
inline void add_element(statistics_state<Range>& s, dtype type, const unpacked& x, std::uint64_t position) noexcept {
    if (x.kind != number_kind::finite) {
        if (x.kind == number_kind::nan)
            ++s.nonfinite.nan;
        else
            ++(x.negative ? s.nonfinite.neg_inf : s.nonfinite.pos_inf);
        if (position < s.first_nonfinite) s.first_nonfinite = position;
        return;
    }
    ++s.finite;
    const std::uint64_t key = sort_key_of(x);
    if (key < s.min_key) s.min_key = key;
    if (key > s.max_key) s.max_key = key;
    if (x.mantissa == 0) {
        ++s.zeros;
        return;
    }
    s.subnormals += is_subnormal(type, x);
    s.saturated += is_saturated(type, x);
    s.sum.add(x.negative, x.mantissa, x.exponent);
    s.squares.add(false, detail::uint128{x.mantissa} * x.mantissa, 2 * x.exponent);
}

template <class Range>
inline void add_scalar(statistics_state<Range>& s, dtype type, const void* data, std::size_t n) noexcept {
    constexpr std::size_t run = 256;
    unpacked x[run];
    const auto* from = static_cast<const unsigned char*>(data);
    for (std::size_t done = 0; done < n; done += run) {
        const std::size_t count = n - done < run ? n - done : run;
        unpack_run(type, from + done * size_of(type), count, x);
        for (std::size_t i = 0; i < count; ++i) add_element(s, type, x[i], s.count + i);
        s.count += count;
    }
}

template <class Range>
inline void merge_state(statistics_state<Range>& s, const statistics_state<Range>& other) noexcept {
    s.count += other.count;
    s.finite += other.finite;
    s.zeros += other.zeros;
    s.subnormals += other.subnormals;
    s.saturated += other.saturated;
    if (other.first_nonfinite < s.first_nonfinite) s.first_nonfinite = other.first_nonfinite;
    merge_part(s.nonfinite, other.nonfinite);
    if (other.min_key < s.min_key) s.min_key = other.min_key;
    if (other.max_key > s.max_key) s.max_key = other.max_key;
    s.sum.merge(other.sum);
    s.squares.merge(other.squares);
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
