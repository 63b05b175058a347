#include "catch.hpp"

#include <plumb/random/torch_normal.hpp>

#include <vector>

namespace torch = plumb::rng::torch;

namespace {

template <class T>
T at(const torch::generator_state& state, std::size_t offset) {
    return plumb::detail::load<T>(state.data() + offset);
}

} // namespace

// Expected: struct.unpack_from("<QiiQ", torch.get_rng_state().numpy()) in PyTorch 1.13.1.
TEST_CASE("torch generator: its state has PyTorch's layout") {
    torch::generator g(5);
    float x[1];
    const auto header = [&](std::int32_t left, std::uint64_t next) {
        const auto state = g.state();
        return at<std::uint64_t>(state, 0) == 5 && at<std::int32_t>(state, 8) == left && at<std::int32_t>(state, 12) == 1 &&
               at<std::uint64_t>(state, 16) == next;
    };
    CHECK(header(1, 0)); // seeded
    torch::rand(g, x);
    CHECK(header(624, 1));
    g.engine().discard(623);
    CHECK(header(1, 624)); // a whole block used up
    torch::rand(g, x);
    CHECK(header(624, 1));
    torch::randn(g, x);
    CHECK(header(620, 5));
    CHECK(at<double>(g.state(), 24 + 624 * 8 + 8) == -0.4723148858938783); // the normal kept back
    CHECK(at<std::int32_t>(g.state(), 24 + 624 * 8 + 24) == 1);
}

TEST_CASE("torch generator: a saved state goes on where it was, the kept normal included") {
    const auto draws = GENERATE(0, 1, 623, 624, 625);
    torch::generator g(7), restored;
    g.engine();
    if (draws != 0) g.engine().discard(static_cast<unsigned long long>(draws));
    double z[1], expected[5], actual[5];
    torch::randn(g, z);
    restored.set_state(g.state());
    CHECK(restored.state() == g.state());
    torch::randn(g, expected);
    torch::randn(restored, actual);
    CHECK(std::vector<double>(actual, actual + 5) == std::vector<double>(expected, expected + 5));
    CHECK(restored.initial_seed() == 7);
}

TEST_CASE("torch generator: only the low 32 bits of a seed reach the numbers") {
    torch::generator a(42), b(42 + (std::uint64_t{1} << 32));
    CHECK(a() == b());
    CHECK(a.state() != b.state()); // but the seed itself is kept
}

TEST_CASE("torch generator: refuses bytes that are no state") {
    torch::generator g(1);
    auto state = g.state();
    state[8] = 77;
    CHECK_THROWS_AS(g.set_state(state), std::invalid_argument);
    CHECK_THROWS_AS(g.set_state(torch::generator_state{}), std::invalid_argument);
}
