/// \file
/// The floating-point environment that vector kernels are written for, whatever the caller's is.
#pragma once

#include <plumb/detail/target.hpp>

#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace plumb::detail {
inline namespace PLUMB_TARGET {

#if defined(__SSE2__) || defined(_M_X64)
PLUMB_ALWAYS_INLINE std::uint64_t read_fp_control() noexcept { return _mm_getcsr(); }
PLUMB_ALWAYS_INLINE void write_fp_control(std::uint64_t word) noexcept { _mm_setcsr(static_cast<unsigned>(word)); }
inline constexpr std::uint64_t fp_status_bits = 0x3f;       ///< the sticky exception flags live in the same register
inline constexpr std::uint64_t default_fp_control = 0x1f80; ///< to nearest, exceptions masked, no FTZ, no DAZ
#elif defined(__aarch64__)
PLUMB_ALWAYS_INLINE std::uint64_t read_fp_control() noexcept {
    std::uint64_t word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
PLUMB_ALWAYS_INLINE void write_fp_control(std::uint64_t word) noexcept { asm volatile("msr fpcr, %0" : : "r"(word)); }
PLUMB_ALWAYS_INLINE std::uint64_t read_fp_status() noexcept {
    std::uint64_t word;
    asm volatile("mrs %0, fpsr" : "=r"(word));
    return word;
}
PLUMB_ALWAYS_INLINE void write_fp_status(std::uint64_t word) noexcept { asm volatile("msr fpsr, %0" : : "r"(word)); }
inline constexpr std::uint64_t default_fp_control = 0;
#endif

} // namespace PLUMB_TARGET

/// While it lives, arithmetic of this thread rounds to nearest, keeps subnormal numbers and traps nothing. Its end puts back
/// what was there, sticky exception flags included: whoever called never learns that there was arithmetic.
class fp_guard {
public:
#if defined(__SSE2__) || defined(_M_X64)
    PLUMB_ALWAYS_INLINE fp_guard() noexcept : before_(read_fp_control()) {
        if ((before_ & ~fp_status_bits) != default_fp_control) write_fp_control(default_fp_control);
    }
    PLUMB_ALWAYS_INLINE ~fp_guard() {
        if (read_fp_control() != before_) write_fp_control(before_);
    }
#elif defined(__aarch64__)
    PLUMB_ALWAYS_INLINE fp_guard() noexcept : before_(read_fp_control()), status_(read_fp_status()) {
        if (before_ != default_fp_control) write_fp_control(default_fp_control);
    }
    PLUMB_ALWAYS_INLINE ~fp_guard() {
        if (before_ != default_fp_control) write_fp_control(before_);
        write_fp_status(status_);
    }
#else
    PLUMB_ALWAYS_INLINE fp_guard() noexcept {}
#endif
    fp_guard(const fp_guard&) = delete;
    fp_guard& operator=(const fp_guard&) = delete;

private:
#if defined(__SSE2__) || defined(_M_X64)
    std::uint64_t before_;
#elif defined(__aarch64__)
    std::uint64_t before_, status_;
#endif
};

} // namespace plumb::detail
