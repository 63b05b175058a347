/// \file
/// plumb's own 16-bit and 8-bit floating-point types: storage, exact widening and correct narrowing; no arithmetic.
#pragma once

#include <plumb/types/float_format.hpp>

namespace plumb {

/// A number kept in `Format`'s pattern. It widens to float and double exactly (a NaN stays a NaN, with sign and payload) and
/// is made from them by rounding to nearest, ties to even; what is too large becomes an infinity, or NaN where there is
/// none. All of it is done with integers, so FTZ, DAZ, the rounding mode and -ffast-math change nothing.
template <class Format>
class small_float {
public:
    using format = Format;
    using bits_type = typename Format::bits_type;

    small_float() = default;
    PLUMB_ALWAYS_INLINE explicit small_float(float value) noexcept
        : bits_(convert<Format, binary32>(detail::bit_cast<std::uint32_t>(value))) {}
    PLUMB_ALWAYS_INLINE explicit small_float(double value) noexcept
        : bits_(convert<Format, binary64>(detail::bit_cast<std::uint64_t>(value))) {}

    PLUMB_ALWAYS_INLINE explicit operator float() const noexcept {
        return detail::bit_cast<float>(convert<binary32, Format>(bits_));
    }
    PLUMB_ALWAYS_INLINE explicit operator double() const noexcept {
        return detail::bit_cast<double>(convert<binary64, Format>(bits_));
    }

    PLUMB_ALWAYS_INLINE static small_float from_bits(bits_type bits) noexcept {
        small_float number;
        number.bits_ = bits;
        return number;
    }
    PLUMB_ALWAYS_INLINE bits_type bits() const noexcept { return bits_; }

private:
    bits_type bits_ = 0;
};

using float16 = small_float<binary16>;         ///< IEEE 754 binary16
using bfloat16 = small_float<brain16>;         ///< the upper half of a binary32
using float8_e4m3fn = small_float<ocp_e4m3fn>; ///< OCP 8-bit float without infinities
using float8_e5m2 = small_float<ocp_e5m2>;     ///< OCP 8-bit float

} // namespace plumb
