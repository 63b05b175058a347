/// \file
/// Which vector code this process runs: asked of the processor once, overruled by the environment variable PLUMB_CPU.
#pragma once

#include <plumb/detail/target.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// Run-time dispatch needs x86-64 and the target pragmas of GCC or Clang. Define PLUMB_NO_DISPATCH to leave it out: then only
// what the compiler was told about (-mavx2, -march=native, …) is used.
#if !defined(PLUMB_NO_DISPATCH) && defined(__GNUC__) && defined(__x86_64__)
#define PLUMB_HAS_DISPATCH 1
#include <cpuid.h>
#else
#define PLUMB_HAS_DISPATCH 0
#endif

namespace plumb {

/// The kinds of loops there are, each faster than the one before and all with the same results, bit for bit.
enum class cpu_level : std::uint8_t {
    scalar,     ///< integers, one pair after the other
    portable,   ///< xsimd, with the instructions that the compiler was told about
    avx2,       ///< AVX2, FMA and F16C
    avx512,     ///< AVX-512 F, BW, DQ and VL
    avx512ifma, ///< and IFMA
};

/// Number of levels.
inline constexpr std::size_t cpu_level_count = 5;

inline namespace PLUMB_TARGET {

/// "scalar", "portable", "avx2", "avx512", "avx512ifma".
constexpr std::string_view name_of(cpu_level level) noexcept {
    constexpr std::string_view names[cpu_level_count] = {"scalar", "portable", "avx2", "avx512", "avx512ifma"};
    return names[static_cast<std::size_t>(level)];
}

/// The best level of this build on this processor.
inline cpu_level best_cpu_level() noexcept {
#if PLUMB_HAS_DISPATCH
    __builtin_cpu_init();
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & (1u << 29)) != 0; // Clang 14 knows no name for it
    if (f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
            !__builtin_cpu_supports("avx512vl"))
            return cpu_level::avx2;
        return __builtin_cpu_supports("avx512ifma") ? cpu_level::avx512ifma : cpu_level::avx512;
    }
#endif
    return PLUMB_HAS_XSIMD ? cpu_level::portable : cpu_level::scalar;
}

/// The level that `name` stands for, but no better than `best`. An unknown name is reported on stderr and means `best`.
inline cpu_level parse_cpu_level(std::string_view name, cpu_level best) noexcept {
    for (std::size_t i = 0; i < cpu_level_count; ++i) {
        const auto level = static_cast<cpu_level>(i);
        if (name != name_of(level)) continue;
        if (level > best) return best;
        return level == cpu_level::portable && !PLUMB_HAS_XSIMD ? cpu_level::scalar : level;
    }
    std::fprintf(stderr, "plumb: PLUMB_CPU is \"%.*s\"; expected scalar, portable, avx2, avx512 or avx512ifma\n",
                 static_cast<int>(name.size()), name.data());
    return best;
}

/// The level that runs: the best one, or what the environment variable PLUMB_CPU names. Decided at the first call.
inline cpu_level active_cpu_level() noexcept {
    static const cpu_level level = [] {
        const char* const wanted = std::getenv("PLUMB_CPU");
        return wanted == nullptr || *wanted == '\0' ? best_cpu_level() : parse_cpu_level(wanted, best_cpu_level());
    }();
    return level;
}

/// The name of the level that runs, for bug reports: "avx512ifma", "avx2", "portable", …
inline std::string_view cpu_target() noexcept { return name_of(active_cpu_level()); }

} // namespace PLUMB_TARGET
} // namespace plumb
