// Compiled with -ffast-math: what the barrier must keep is what the compiler would take away.
#include <plumb/detail/value_barrier.hpp>

#include "catch.hpp"

#include <cstdint>

namespace {

/// The rounding error of a + b (Knuth's TwoSum). Without the barriers it is 0 by algebra.
template <class T>
T error_of_sum(T a, T b) {
    using plumb::detail::value_barrier;
    const T sum = value_barrier(a + b), b_part = value_barrier(sum - a), a_part = value_barrier(sum - b_part);
    const T b_error = value_barrier(b - b_part), a_error = value_barrier(a - a_part);
    return a_error + b_error;
}

} // namespace

TEST_CASE("value_barrier: the rounding error of a sum survives -ffast-math") {
    volatile double one = 1.0, small = 0x1p-60;
    CHECK(error_of_sum<double>(one, small) == 0x1p-60);
    volatile float single = 1.0f, tiny = 0x1p-30f;
    CHECK(error_of_sum<float>(single, tiny) == 0x1p-30f);
}

TEST_CASE("value_barrier: a product that passes through it is rounded before it meets a sum") {
    volatile double x = 1.0 + 0x1p-30;
    const double product = plumb::detail::value_barrier(x * x); // 1 + 2^-29 + 2^-60, of which the last term is lost
    CHECK(product - (1.0 + 0x1p-29) == 0.0);
}
