#include "catch.hpp"

#include <plumb/random/mt19937.hpp>
#include <plumb/random/portable_libm.hpp>

#include <cmath>

#ifdef PLUMB_TEST_WITH_MPFR
#include <mpfr.h>
#endif

namespace portable = plumb::rng::detail::portable;

namespace {

/// Arguments as the normal distributions make them.
template <class Use>
void for_each_argument(int n, Use use) {
    plumb::rng::mt19937 engine(1);
    for (int i = 0; i < n; ++i) {
        const auto high = static_cast<double>(engine() >> 11), low = static_cast<double>(engine());
        use((high * 4294967296.0 + low) * 0x1p-53);
    }
}

} // namespace

#ifdef PLUMB_TEST_WITH_MPFR

TEST_CASE("portable_libm: log, log1p, exp, sin and cos are rounded correctly") {
    mpfr_t x, y;
    mpfr_inits2(53, x, y, static_cast<mpfr_ptr>(nullptr));
    std::size_t different = 0;
    const auto compare = [&](auto function, double argument, double actual) {
        mpfr_set_d(x, argument, MPFR_RNDN);
        function(y, x, MPFR_RNDN);
        different += mpfr_get_d(y, MPFR_RNDN) != actual;
    };
    const auto check = [&](double u) {
        compare(mpfr_log, 1.0 - u, portable::log(1.0 - u));
        compare(mpfr_log1p, -u, portable::log1p(-u));
        compare(mpfr_exp, -8.0 * u, portable::exp(-8.0 * u));
        const double angle = 6.283185307179586 * u;
        const auto [sine, cosine] = portable::sincos(angle);
        compare(mpfr_sin, angle, sine);
        compare(mpfr_cos, angle, cosine);
    };
    for_each_argument(20000, check);
    for (const double u : {0.0, 0x1p-53, 0.125, 0.25, 0.5, 0.75, 1.0 - 0x1p-53}) check(u); // near multiples of pi / 2, too
    mpfr_clears(x, y, static_cast<mpfr_ptr>(nullptr));
    CHECK(different == 0);
}

#endif

TEST_CASE("portable_libm: exact where the result is") {
    CHECK(portable::log(1.0) == 0.0);
    CHECK(portable::log1p(0.0) == 0.0);
    CHECK(portable::exp(0.0) == 1.0);
    CHECK(portable::sincos(0.0).sine == 0.0);
    CHECK(portable::sincos(0.0).cosine == 1.0);
}

// glibc 2.36 differs in 0.08 % of logarithms, 0.13 % of sines and 0.15 % of cosines, always by one unit.
TEST_CASE("portable_libm: the system's functions are within a last place or two, and mostly the same") {
    std::size_t different = 0, far = 0;
    const auto compare = [&](double system, double own) {
        different += system != own;
        far += std::fabs(system - own) > 2 * 0x1p-52 * std::fabs(own);
    };
    for_each_argument(20000, [&](double u) {
        compare(std::log(1.0 - u), portable::log(1.0 - u));
        const auto [sine, cosine] = portable::sincos(6.283185307179586 * u);
        compare(std::sin(6.283185307179586 * u), sine);
        compare(std::cos(6.283185307179586 * u), cosine);
    });
    CHECK(far == 0);
    CHECK(different < 60000 / 20);
}
