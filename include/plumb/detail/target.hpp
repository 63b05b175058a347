/// \file
/// What the compiler was told: the name of this translation unit's target, and attributes.
#pragma once

/// Members of public types are one-liners marked with this, so that no copy of them is left for the linker to choose from.
#if defined(__GNUC__)
#define PLUMB_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define PLUMB_ALWAYS_INLINE inline
#endif

// xsimd's own headers refuse AVX-512 flags that no processor matches: -mavx512dq without -mavx512cd.
#if !defined(PLUMB_NO_XSIMD) && defined(__has_include) && !(defined(__AVX512F__) && !defined(__AVX512CD__))
#if __has_include(<xsimd/xsimd.hpp>)
#define PLUMB_HAS_XSIMD 1
#endif
#endif
#if !defined(PLUMB_HAS_XSIMD)
#define PLUMB_HAS_XSIMD 0
#endif

// The linker keeps one copy of an inline function, whichever translation unit it came from. A program whose units are compiled
// with different -m flags could so end up running AVX-512 code on a processor without it, or -ffast-math code where the unit
// that calls it asked for strict arithmetic. Functions with code in them therefore live in an inline namespace named after the
// flags; data types do not, so that units can pass them to each other.
#define PLUMB_DETAIL_JOIN_(a, b, c, d) target_##a##_##b##_##c##_##d
#define PLUMB_DETAIL_JOIN(a, b, c, d) PLUMB_DETAIL_JOIN_(a, b, c, d)

#if defined(__AVX512F__)
#define PLUMB_DETAIL_LEVEL v4
#elif defined(__AVX2__) || defined(__FMA__) || defined(__BMI2__) || defined(__BMI__) || defined(__LZCNT__) ||                    \
    defined(__MOVBE__) || defined(__F16C__)
#define PLUMB_DETAIL_LEVEL v3
#elif defined(__AVX__)
#define PLUMB_DETAIL_LEVEL avx
#elif defined(__SSE4_2__) || defined(__SSE4_1__) || defined(__SSSE3__) || defined(__SSE3__) || defined(__POPCNT__)
#define PLUMB_DETAIL_LEVEL v2
#else
#define PLUMB_DETAIL_LEVEL base
#endif

#if defined(__AVX512FP16__)
#define PLUMB_DETAIL_EXTRA fp16
#elif defined(__AVX512VBMI2__) || defined(__AVX512VNNI__) || defined(__GFNI__)
#define PLUMB_DETAIL_EXTRA vbmi2
#elif defined(__AVX512IFMA__)
#define PLUMB_DETAIL_EXTRA ifma
#else
#define PLUMB_DETAIL_EXTRA plain
#endif

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#define PLUMB_DETAIL_MATH fast
#else
#define PLUMB_DETAIL_MATH strict
#endif

#if defined(PLUMB_NO_DISPATCH) && PLUMB_HAS_XSIMD
#define PLUMB_DETAIL_CHOICE fixed
#elif defined(PLUMB_NO_DISPATCH)
#define PLUMB_DETAIL_CHOICE scalar
#elif PLUMB_HAS_XSIMD
#define PLUMB_DETAIL_CHOICE dispatched
#else
#define PLUMB_DETAIL_CHOICE dispatched_or_scalar
#endif

/// Opens as `inline namespace PLUMB_TARGET { … }` around functions with code in them.
#define PLUMB_TARGET PLUMB_DETAIL_JOIN(PLUMB_DETAIL_LEVEL, PLUMB_DETAIL_EXTRA, PLUMB_DETAIL_MATH, PLUMB_DETAIL_CHOICE)
