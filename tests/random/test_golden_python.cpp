#include "golden.hpp"

#include <plumb/random/python_random.hpp>

#include <numeric>

using golden::filled;
using golden::record;
namespace python = plumb::rng::python;

namespace {

template <class T, class Draw>
std::vector<T> draws(std::size_t n, Draw draw) {
    return filled<T>(n, [&](auto& x) {
        for (auto& value : x) value = draw();
    });
}

bool check(const record& r) {
    python::random random(r.seed);
    if (r.is("random()"))
        golden::check(r, filled<double>(r.n, [&](auto& x) { python::random_sample(random, x); }));
    else if (r.is("seed(str): random()")) {
        random = python::random(std::string_view(r.seed_text));
        golden::check(r, draws<double>(r.n, [&] { return python::next_double(random); }));
    } else if (r.is("gauss(0,1)"))
        golden::check(r, draws<double>(r.n, [&] { return python::gauss(random); }));
    else if (r.is("normalvariate(0,1)"))
        golden::check(r, draws<double>(r.n, [&] { return python::normalvariate(random); }));
    else if (r.is("shuffle(range(n))")) {
        std::vector<std::int64_t> order(r.n);
        std::iota(order.begin(), order.end(), std::int64_t{0});
        python::shuffle(random, order);
        golden::check(r, order);
    } else if (r.is("getrandbits"))
        golden::check(r, draws<std::uint64_t>(r.n, [&] { return python::getrandbits(random, static_cast<int>(r.arg(0))); }));
    else if (r.is("randrange"))
        golden::check(r,
                      draws<std::uint64_t>(r.n, [&] { return python::randrange(random, static_cast<std::uint64_t>(r.arg(0))); }));
    else if (r.is("sample(range(n),k)"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { python::sample(random, x, r.arg(0)); }));
    else if (r.is("uniform"))
        golden::check(r, draws<double>(r.n, [&] { return python::uniform(random, r.args[0], r.args[1]); }));
    else if (r.is("choices(range(10),k=9)"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { python::choices(random, x, 10); }));
    else
        return false;
    return true;
}

} // namespace

TEST_CASE("python: every recorded number of random.Random comes out, bit for bit") {
    const auto records = golden::of("python");
    REQUIRE(records.size() > 100);
    for (const record& r : records)
        if (!check(r)) FAIL("no such function: " << r.fn);
}
