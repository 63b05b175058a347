#include "golden.hpp"

#include <plumb/random/numpy_generator.hpp>
#include <plumb/random/numpy_random_state.hpp>
#include <plumb/random/python_random.hpp>

#include <algorithm>
#include <limits>

namespace numpy = plumb::rng::numpy;
namespace python = plumb::rng::python;

TEST_CASE("numpy: refuses what NumPy refuses") {
    CHECK_THROWS_AS(numpy::random_state(std::uint64_t{1} << 32), std::invalid_argument);
    numpy::random_state s(1);
    numpy::generator g(1);
    std::vector<std::uint8_t> bytes(3);
    std::vector<std::int64_t> longs(3);
    std::vector<double> doubles(3);
    CHECK_THROWS_AS(numpy::randint(s, bytes, 0, 257), std::invalid_argument);
    CHECK_THROWS_AS(numpy::randint(s, bytes, -1, 5), std::invalid_argument);
    CHECK_THROWS_AS(numpy::integers(g, longs, 4, 4), std::invalid_argument);
    CHECK_THROWS_AS(numpy::choice(s, longs, 2, false), std::invalid_argument);
    CHECK_THROWS_AS(numpy::choice(g, longs, 2, false), std::invalid_argument);
    CHECK_THROWS_AS(numpy::choice(g, longs, 0), std::invalid_argument);
    CHECK_THROWS_AS(numpy::normal(s, doubles, 0.0, -1.0), std::invalid_argument);
    const double p[] = {0.5, 0.6};
    CHECK_THROWS_AS(numpy::choice(s, longs, plumb::view<double>(p)), std::invalid_argument);
}

TEST_CASE("numpy: the whole range of a 64-bit type is plain words") {
    numpy::random_state s(1);
    numpy::generator g(1);
    numpy::pcg64 bits(1);
    std::uint64_t x[1];
    numpy::integers_inclusive(g, x, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
    CHECK(x[0] == bits());
    std::int64_t y[1];
    plumb::rng::mt19937 words(1);
    numpy::randint_inclusive(s, y, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    const std::uint64_t high = words();
    CHECK(y[0] == static_cast<std::int64_t>((high << 32 | words()) + (std::uint64_t{1} << 63)));
}

TEST_CASE("numpy: a range of one number draws nothing") {
    numpy::random_state s(1);
    std::vector<std::int64_t> x(5);
    numpy::randint(s, x, 7, 8);
    CHECK(x == std::vector<std::int64_t>(5, 7));
    CHECK(s() == numpy::random_state(1)());
}

TEST_CASE("numpy, python: a buffer of another floating-point type gets the doubles, each rounded once") {
    const auto check = [](auto make, auto fill) {
        auto a = make(), b = make(), c = make();
        std::vector<double> doubles(5000);
        std::vector<float> floats(doubles.size());
        std::vector<plumb::float16> halves(doubles.size());
        fill(a, doubles), fill(b, floats), fill(c, halves);
        std::size_t different = 0;
        for (std::size_t i = 0; i < doubles.size(); ++i)
            different += static_cast<float>(doubles[i]) != floats[i] || plumb::float16(doubles[i]).bits() != halves[i].bits();
        CHECK(different == 0);
    };
    const auto state = [] { return numpy::random_state(5); };
    const auto generator = [] { return numpy::generator(5); };
    check(state, [](auto& s, auto& x) { numpy::random_sample(s, x); });
    check(state, [](auto& s, auto& x) { numpy::uniform(s, x, -0.1, 0.7); });
    check(state, [](auto& s, auto& x) { numpy::standard_normal(s, x); });
    check(state, [](auto& s, auto& x) { numpy::normal(s, x, 0.5, 0.2); });
    check(generator, [](auto& g, auto& x) { numpy::uniform(g, x, -0.1, 0.7); });
    check(generator, [](auto& g, auto& x) { numpy::normal(g, x, 0.5, 0.2); });
    check([] { return python::random(5); }, [](auto& r, auto& x) { python::random_sample(r, x); });
}

TEST_CASE("numpy: a generator is a uniform random bit generator") {
    numpy::generator g(3);
    std::vector<int> values{1, 2, 3, 4};
    std::shuffle(values.begin(), values.end(), g);
    std::sort(values.begin(), values.end());
    CHECK(values == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("numpy: portable normals are those of the system's library but for a last place now and then") {
    numpy::random_state system(1), portable(1, plumb::rng::libm::portable);
    std::vector<double> a(20000), b(20000);
    numpy::standard_normal(system, a);
    numpy::standard_normal(portable, b);
    std::size_t different = 0, far = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        different += a[i] != b[i];
        const std::uint64_t x = golden::pattern(a[i]), y = golden::pattern(b[i]);
        far += (x > y ? x - y : y - x) > 2;
    }
    CHECK(far == 0);
    CHECK(different < a.size() / 100); // 0.1 % with glibc 2.36
}

TEST_CASE("python: refuses what Python refuses") {
    python::random r(1);
    std::vector<std::int64_t> x(4);
    CHECK_THROWS_AS(python::randrange(r, 0), std::invalid_argument);
    CHECK_THROWS_AS(python::randint(r, 2, 1), std::invalid_argument);
    CHECK_THROWS_AS(python::getrandbits(r, 65), std::invalid_argument);
    CHECK_THROWS_AS(python::sample(r, x, 3), std::invalid_argument);
    CHECK_THROWS_AS(python::choices(r, x, 0), std::invalid_argument);
}

// Expected: random.Random(2**70 + 5).getrandbits(32) in Python 3.11.
TEST_CASE("python: integers of any size are seeds") {
    const std::uint32_t words[] = {5, 0, 64};
    python::random r{plumb::view<std::uint32_t>(words)};
    CHECK(r() == 2004888747u);
}
