/// \file
/// The guard against optimisations that change a number: contraction to FMA, reassociation, vector math libraries.
#pragma once

#include <plumb/detail/target.hpp>

namespace plumb::detail {
inline namespace PLUMB_TARGET {

/// Returns `x`, a float or double, after making the compiler forget where it came from.
///
/// A product that passes through here is rounded to its type before it meets a sum, at any optimisation level, with
/// -ffp-contract=fast and -ffast-math, with or without a hardware FMA. A loop whose values pass through here is not
/// vectorised. Costs nothing but that.
template <class T>
PLUMB_ALWAYS_INLINE T value_barrier(T x) noexcept {
#if defined(__GNUC__) && defined(__SSE2__)
    asm("" : "+x"(x));
#elif defined(__GNUC__) && defined(__aarch64__)
    asm("" : "+w"(x));
#else
    volatile T seen = x;
    x = seen;
#endif
    return x;
}

} // namespace PLUMB_TARGET
} // namespace plumb::detail
