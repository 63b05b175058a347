/// \file
/// The 128-bit integers of GCC and Clang.
#pragma once

#include <plumb/detail/bits.hpp>

#include <cstdint>

namespace plumb::detail {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

inline namespace PLUMB_TARGET {

PLUMB_ALWAYS_INLINE std::uint64_t high_half(uint128 x) noexcept { return static_cast<std::uint64_t>(x >> 64); }
PLUMB_ALWAYS_INLINE std::uint64_t low_half(uint128 x) noexcept { return static_cast<std::uint64_t>(x); }

/// Number of bits needed to write `x`; 0 for 0.
PLUMB_ALWAYS_INLINE int bit_width(uint128 x) noexcept {
    const std::uint64_t high = high_half(x);
    return high != 0 ? 64 + bit_width(high) : bit_width(low_half(x));
}

/// n / d, for d that is not zero.
PLUMB_ALWAYS_INLINE uint128 divide(uint128 n, std::uint64_t d) noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
    // Two steps of long division; the compiler knows but one instruction for a remainder and calls a function for this.
    const std::uint64_t high = high_half(n) / d;
    std::uint64_t low, rest = high_half(n) % d;
    asm("divq %2" : "=a"(low), "+d"(rest) : "rm"(d), "a"(low_half(n)) : "cc");
    return (uint128{high} << 64) | low;
#else
    return n / d;
#endif
}

} // namespace PLUMB_TARGET
} // namespace plumb::detail
