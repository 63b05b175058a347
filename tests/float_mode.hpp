/// \file
/// The floating-point modes that a program may be in when it calls plumb.
#pragma once

#include <cfenv>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/// A state of the floating-point control and status register (MXCSR, where there is one), and of errno.
struct float_mode {
    const char* name;
    int rounding;                   ///< of <cfenv>
    std::uint32_t control = 0x1f80; ///< the rest of MXCSR
};

/// To nearest, upwards, downwards, towards zero; subnormals flushed and taken for zero; every sticky flag set; every exception
/// a signal.
inline std::vector<float_mode> all_float_modes() {
    return {
        {"default", FE_TONEAREST}, {"up", FE_UPWARD}, {"down", FE_DOWNWARD}, {"towards zero", FE_TOWARDZERO},
#if defined(__SSE2__)
            {"FTZ and DAZ", FE_TONEAREST, 0x9fc0}, {"FTZ, DAZ and up", FE_UPWARD, 0x9fc0}, {"flags set", FE_TONEAREST, 0x1fbf}, {
            "all trapping", FE_TONEAREST, 0
        }
#endif
    };
}

/// Enters a mode, and leaves it with the old one.
class with_float_mode {
public:
    explicit with_float_mode(const float_mode& mode) {
        std::fegetenv(&before_);
        std::fesetround(mode.rounding);
#if defined(__SSE2__)
        _mm_setcsr((_mm_getcsr() & 0x6000) | mode.control);
#endif
    }
    ~with_float_mode() { std::fesetenv(&before_); }
    with_float_mode(const with_float_mode&) = delete;
    with_float_mode& operator=(const with_float_mode&) = delete;

private:
    std::fenv_t before_;
};

/// All bits that a call must leave as they were.
inline std::uint64_t float_state() {
    const auto rounding = static_cast<std::uint64_t>(std::fegetround());
#if defined(__SSE2__)
    return rounding << 32 | _mm_getcsr();
#else
    return rounding << 32 | static_cast<std::uint64_t>(std::fetestexcept(FE_ALL_EXCEPT));
#endif
}
