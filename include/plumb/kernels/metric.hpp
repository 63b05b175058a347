/// \file
/// The set of metrics that a pass computes, chosen at compile time.
#pragma once

#include <plumb/detail/bits.hpp>

#include <cstdint>

namespace plumb {

/// A metric, or a set of them: join with `|`. Counts of pairs and of non-finite values are part of every set.
enum class metric : std::uint32_t {
    none = 0,
    cosine = 1 << 0,
    max_abs_err = 1 << 1,
    max_rel_err = 1 << 2,
    euclidean = 1 << 3, ///< and rmse and rel_l2_err
    differing = 1 << 4, ///< and first_differing_index and zero_reference
    ratios = 1 << 5,    ///< ratio_1e3 and ratio_5e3
    mean_abs_err = 1 << 6,
    ulp = 1 << 7,               ///< max_ulp_err, its index, and mean_ulp_err
    outside_tolerance = 1 << 8, ///< and first_outside_index, for the tolerance given
    bits = 1 << 9,              ///< differing_bits and first_differing_bits_index
};

inline namespace PLUMB_TARGET {

constexpr metric operator|(metric a, metric b) noexcept {
    return static_cast<metric>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

/// What of `set` is not in `other`.
constexpr metric without(metric set, metric other) noexcept {
    return static_cast<metric>(static_cast<std::uint32_t>(set) & ~static_cast<std::uint32_t>(other));
}

/// True if `set` holds any of `wanted`.
constexpr bool contains(metric set, metric wanted) noexcept {
    return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(wanted)) != 0;
}

} // namespace PLUMB_TARGET

/// What measure() computes unless told otherwise.
inline constexpr metric default_metrics =
    metric::cosine | metric::max_abs_err | metric::max_rel_err | metric::euclidean | metric::differing;

/// Everything that needs no parameter.
inline constexpr metric full_metrics = default_metrics | metric::ratios | metric::mean_abs_err | metric::ulp;

/// Everything.
inline constexpr metric all_metrics = full_metrics | metric::outside_tolerance | metric::bits;

/// How far two numbers may be apart: |a - b| <= atol + rtol * |b|. Both are finite and not negative.
struct tolerance {
    double rtol = 0.0;
    double atol = 0.0;

    friend constexpr bool operator==(const tolerance& a, const tolerance& b) noexcept {
        return a.rtol == b.rtol && a.atol == b.atol;
    }
};

inline namespace PLUMB_TARGET {

/// True if both parts are finite and not negative. (Decided on the bits: -ffast-math lets a compiler take it that there is no
/// NaN.)
inline bool is_valid(const tolerance& limits) noexcept {
    constexpr std::uint64_t infinity = std::uint64_t{0x7ff} << 52, minus_zero = std::uint64_t{1} << 63;
    const auto fits = [](const double& limit) {
        const auto bits = detail::bit_cast<std::uint64_t>(limit);
        return bits < infinity || bits == minus_zero;
    };
    return fits(limits.rtol) && fits(limits.atol);
}

} // namespace PLUMB_TARGET

} // namespace plumb
