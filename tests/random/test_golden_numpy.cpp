#include "golden.hpp"

#include <plumb/random/numpy_generator.hpp>
#include <plumb/random/numpy_random_state.hpp>

#include <limits>
#include <memory>

using golden::filled;
using golden::record;
namespace numpy = plumb::rng::numpy;

namespace {

using longs = std::vector<std::int64_t>;
using doubles = std::vector<double>;

template <class Integers>
bool check_integers(const record& r, Integers integers) {
    const auto typed = [&](auto t) {
        golden::check(r, filled<decltype(t)>(r.n, [&](auto& x) { integers(x, r.arg(0), r.arg(1)); }));
    };
    if (r.dtype == "i64")
        typed(std::int64_t{});
    else if (r.dtype == "u8")
        typed(std::uint8_t{});
    else if (r.dtype == "u16")
        typed(std::uint16_t{});
    else
        return false;
    return true;
}

bool check_random_state(const record& r) {
    numpy::random_state state(r.seed);
    const auto uniforms = [&](std::size_t n) { return filled<double>(n, [&](auto& x) { numpy::random_sample(state, x); }); };
    const auto normals = [&](std::size_t n) { return filled<double>(n, [&](auto& x) { numpy::standard_normal(state, x); }); };
    if (r.is("mt19937 32-bit words"))
        golden::check(r, filled<std::uint32_t>(r.n, [&](auto& x) {
                          numpy::randint_inclusive(state, x, 0u, std::numeric_limits<std::uint32_t>::max());
                      }));
    else if (r.is("random_sample"))
        golden::check(r, uniforms(r.n));
    else if (r.is("standard_normal"))
        golden::check(r, normals(r.n));
    else if (r.is("uniform"))
        golden::check(r, filled<double>(r.n, [&](auto& x) { numpy::uniform(state, x, r.args[0], r.args[1]); }));
    else if (r.is("normal"))
        golden::check(r, filled<double>(r.n, [&](auto& x) { numpy::normal(state, x, r.args[0], r.args[1]); }));
    else if (r.is("randint(bool)")) {
        const auto values = std::make_unique<bool[]>(r.n);
        numpy::randint(state, plumb::rng::output<bool>(values.get(), r.n), 0, 2);
        golden::check(r, std::vector<std::uint8_t>(values.get(), values.get() + r.n));
    } else if (r.fn.rfind("randint(", 0) == 0)
        return check_integers(r, [&](auto& x, std::int64_t low, std::int64_t high) { numpy::randint(state, x, low, high); });
    else if (r.is("permutation"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { numpy::permutation(state, x); }));
    else if (r.is("choice(n,k) replace"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { numpy::choice(state, x, r.arg(0)); }));
    else if (r.is("choice(n,k,replace=False)"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { numpy::choice(state, x, r.arg(0), false); }));
    else if (r.is("sequence: randn(3), random_sample(2), randn(2)")) {
        doubles all = normals(3);
        for (const double x : uniforms(2)) all.push_back(x);
        for (const double x : normals(2)) all.push_back(x);
        golden::check(r, all);
    } else if (r.is("seed = array [seed, 7, 9]: random_sample")) {
        const std::uint32_t key[] = {static_cast<std::uint32_t>(r.seed), 7, 9};
        state = numpy::random_state(plumb::view<std::uint32_t>(key));
        golden::check(r, uniforms(r.n));
    } else
        return false;
    return true;
}

bool check_seed_sequence(const record& r) {
    numpy::seed_sequence seed(r.seed);
    const auto words_of = [&](const numpy::seed_sequence& s) {
        return filled<std::uint32_t>(r.n, [&](auto& x) { s.generate(x); });
    };
    if (r.is("SeedSequence(seed).generate_state(10, uint32)"))
        golden::check(r, words_of(seed));
    else if (r.is("SeedSequence(seed).spawn(3)[2].generate_state(4)")) {
        seed.spawn();
        seed.spawn();
        golden::check(r, words_of(seed.spawn()));
    } else
        return false;
    return true;
}

template <class Bits>
bool check_generator(const record& r) {
    numpy::basic_generator<Bits> g(r.seed);
    if (r.is("random_raw"))
        golden::check(r, filled<std::uint64_t>(r.n, [&](auto& x) {
                          for (auto& word : x) word = g();
                      }));
    else if (r.is("random"))
        golden::check(r, filled<double>(r.n, [&](auto& x) { numpy::random(g, x); }));
    else if (r.is("random f32"))
        golden::check(r, filled<float>(r.n, [&](auto& x) { numpy::random(g, x); }));
    else if (r.is("standard_normal"))
        golden::check(r, filled<double>(r.n, [&](auto& x) { numpy::standard_normal(g, x); }));
    else if (r.fn.rfind("integers(", 0) == 0)
        return check_integers(r, [&](auto& x, std::int64_t low, std::int64_t high) { numpy::integers(g, x, low, high); });
    else if (r.is("permutation"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { numpy::permutation(g, x); }));
    else if (r.is("choice(n,k,replace=False)"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { numpy::choice(g, x, r.arg(0), false); }));
    else if (r.is("choice(n,k,replace=False,shuffle=False)"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { numpy::choice(g, x, r.arg(0), false, false); }));
    else if (r.is("sequence: random f32 x1, permutation(5) as f64, random x2")) {
        float first[1];
        double last[2];
        longs order(5);
        numpy::random(g, first);
        numpy::permutation(g, order);
        numpy::random(g, last);
        doubles all{static_cast<double>(first[0])};
        for (const auto i : order) all.push_back(static_cast<double>(i));
        all.insert(all.end(), last, last + 2);
        golden::check(r, all);
    } else
        return false;
    return true;
}

template <class Check>
void check_all(const char* lib, std::size_t at_least, Check check) {
    const auto records = golden::of(lib);
    REQUIRE(records.size() >= at_least);
    for (const record& r : records)
        if (!check(r)) FAIL("no such function: " << r.fn);
}

} // namespace

TEST_CASE("numpy: every recorded number of RandomState comes out, bit for bit") {
    check_all("numpy.RandomState", 200, check_random_state);
}

TEST_CASE("numpy: every recorded word of SeedSequence comes out") { check_all("numpy.SeedSequence", 10, check_seed_sequence); }

TEST_CASE("numpy: MT19937 seeded by a SeedSequence begins at its last word") {
    check_all("numpy.MT19937", 6, [](const record& r) {
        numpy::mt19937_bits bits{numpy::seed_sequence(r.seed)};
        golden::check(r, filled<std::uint64_t>(r.n, [&](auto& x) {
                          for (auto& word : x) word = bits();
                      }));
        return true;
    });
}

TEST_CASE("numpy: every recorded number of Generator(PCG64) comes out, bit for bit") {
    check_all("numpy.PCG64", 150, check_generator<numpy::pcg64>);
}

TEST_CASE("numpy: every recorded number of Generator(Philox) comes out, bit for bit") {
    check_all("numpy.Philox", 150, check_generator<numpy::philox>);
}
