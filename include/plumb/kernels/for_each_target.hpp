/// \file
/// The kernels for a block of pairs, compiled once for each level of processor.
///
/// One text, pair.ipp, is read several times, each time in a namespace of its own that holds a vector layer: raw intrinsics
/// inside a region for which the compiler is given more instructions than the translation unit has, or xsimd with those it
/// has. The regions hold no header: code of the standard library or of xsimd in them would be taken for the rest of the
/// program too.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/detail/cpu.hpp>
#include <plumb/kernels/tensor_block.hpp>

#include <cstddef>
#include <cstdint>

/// Before a loop that goes through a few registers: at -O2, GCC would keep them in memory.
#if defined(__GNUC__) && !defined(__clang__)
#define PLUMB_UNROLL _Pragma("GCC unroll 8")
#else
#define PLUMB_UNROLL
#endif

#if PLUMB_HAS_DISPATCH
#include <immintrin.h>
#define PLUMB_DETAIL_PRAGMA(...) _Pragma(#__VA_ARGS__)
#if defined(__clang__)
#define PLUMB_DETAIL_BEGIN(features)                                                                                             \
    PLUMB_DETAIL_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define PLUMB_DETAIL_END PLUMB_DETAIL_PRAGMA(clang attribute pop)
#else
#define PLUMB_DETAIL_BEGIN(features) PLUMB_DETAIL_PRAGMA(GCC push_options) PLUMB_DETAIL_PRAGMA(GCC target(features))
#define PLUMB_DETAIL_END PLUMB_DETAIL_PRAGMA(GCC pop_options)
#endif
#endif
#if PLUMB_HAS_XSIMD
#include <xsimd/xsimd.hpp>
#endif

#if defined(__GNUC__) && !defined(__clang__) // GCC 12 warns of its own _mm512_undefined, wherever that ends up
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#if PLUMB_HAS_DISPATCH
namespace plumb::kernels {
inline namespace PLUMB_TARGET {

#define PLUMB_LAYER_HAS_WIDE_PRODUCTS
PLUMB_DETAIL_BEGIN("avx2,fma,f16c")
namespace avx2 {
#include <plumb/kernels/vector_avx2.ipp>

#include <plumb/kernels/pair.ipp>

#include <plumb/kernels/tensor_avx2.ipp>

#include <plumb/kernels/tensor.ipp>
} // namespace avx2
PLUMB_DETAIL_END

PLUMB_DETAIL_BEGIN("avx2,fma,f16c,avx512f,avx512dq,avx512bw,avx512vl")
namespace avx512 {
#include <plumb/kernels/vector_avx512.ipp>

#include <plumb/kernels/pair.ipp>

#include <plumb/kernels/tensor_avx512.ipp>

#include <plumb/kernels/tensor.ipp>
} // namespace avx512
PLUMB_DETAIL_END

PLUMB_DETAIL_BEGIN("avx2,fma,f16c,avx512f,avx512dq,avx512bw,avx512vl,avx512ifma")
namespace avx512ifma {
#define PLUMB_LAYER_HAS_IFMA
#include <plumb/kernels/vector_avx512.ipp>

#include <plumb/kernels/pair.ipp>

#include <plumb/kernels/tensor_avx512.ipp>

#include <plumb/kernels/tensor.ipp>
#undef PLUMB_LAYER_HAS_IFMA
} // namespace avx512ifma
PLUMB_DETAIL_END
#undef PLUMB_LAYER_HAS_WIDE_PRODUCTS

} // namespace PLUMB_TARGET
} // namespace plumb::kernels

#undef PLUMB_DETAIL_BEGIN
#undef PLUMB_DETAIL_END
#undef PLUMB_DETAIL_PRAGMA
#endif

#if PLUMB_HAS_XSIMD
namespace plumb::kernels {
inline namespace PLUMB_TARGET {
namespace portable {
#include <plumb/kernels/vector_xsimd.ipp>

#include <plumb/kernels/pair.ipp>

#include <plumb/kernels/tensor_xsimd.ipp>

#include <plumb/kernels/tensor.ipp>
} // namespace portable
} // namespace PLUMB_TARGET
} // namespace plumb::kernels
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

#if PLUMB_HAS_XSIMD
#define PLUMB_DETAIL_PORTABLE(kernels) &portable::kernels
#else
#define PLUMB_DETAIL_PORTABLE(kernels) nullptr
#endif

/// The kernels of a level, or null for the scalar one. `Parts` says what their surveys look for.
template <unsigned Parts>
inline const pair_kernels* pair_kernels_of(cpu_level level) noexcept {
#if PLUMB_HAS_DISPATCH
    if (level == cpu_level::avx512ifma) return &avx512ifma::kernels_for<Parts>;
    if (level == cpu_level::avx512) return &avx512::kernels_for<Parts>;
    if (level == cpu_level::avx2) return &avx2::kernels_for<Parts>;
#endif
    return level == cpu_level::portable ? PLUMB_DETAIL_PORTABLE(kernels_for<Parts>) : nullptr;
}

/// The same for single tensors.
inline const tensor_kernels* tensor_kernels_of(cpu_level level) noexcept {
#if PLUMB_HAS_DISPATCH
    if (level == cpu_level::avx512ifma) return &avx512ifma::kernels_for_tensors;
    if (level == cpu_level::avx512) return &avx512::kernels_for_tensors;
    if (level == cpu_level::avx2) return &avx2::kernels_for_tensors;
#endif
    return level == cpu_level::portable ? PLUMB_DETAIL_PORTABLE(kernels_for_tensors) : nullptr;
}

#undef PLUMB_DETAIL_PORTABLE

} // namespace PLUMB_TARGET
} // namespace plumb::kernels

#undef PLUMB_UNROLL
