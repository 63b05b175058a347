// No fill asks for memory: it writes into the caller's buffer, and that is all.
#include <plumb/random.hpp>

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace {
thread_local std::size_t allocations = 0;

void* counted(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
} // namespace

// The whole program's; the other tests only pay for the counting.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

namespace torch = plumb::rng::torch;
namespace numpy = plumb::rng::numpy;
namespace python = plumb::rng::python;

/// How often `fill` asks for memory, for a buffer of 10,007 elements.
template <class T, class Fill>
std::size_t allocations_of(Fill fill) {
    std::vector<T> values(10007);
    const std::size_t before = allocations;
    fill(values);
    return allocations - before;
}

} // namespace

TEST_CASE("fills: the count of allocations sees one") {
    CHECK(allocations_of<float>([](auto&) { std::vector<int> other(3); }) == 1);
}

TEST_CASE("fills: PyTorch's ask for no memory") {
    torch::generator g(1234);
    const std::vector<float> input(10007, 1.0f);
    CHECK(allocations_of<float>([&](auto& x) { torch::rand(g, x); }) == 0);
    CHECK(allocations_of<plumb::bfloat16>([&](auto& x) { torch::rand(g, x); }) == 0);
    CHECK(allocations_of<double>([&](auto& x) { torch::uniform(g, x, -0.1, 0.7); }) == 0);
    CHECK(allocations_of<float>([&](auto& x) { torch::randn(g, x); }) == 0);
    CHECK(allocations_of<double>([&](auto& x) { torch::randn(g, x); }) == 0);
    CHECK(allocations_of<plumb::float16>([&](auto& x) { torch::randn(g, x); }) == 0);
    CHECK(allocations_of<float>([&](auto& x) { torch::randn(g, x, torch::layout::strided); }) == 0);
    CHECK(allocations_of<float>([&](auto& x) { torch::exponential(g, x); }) == 0);
    CHECK(allocations_of<std::int64_t>([&](auto& x) { torch::randint(g, x, 0, 1000); }) == 0);
    CHECK(allocations_of<std::int64_t>([&](auto& x) { torch::random(g, x); }) == 0);
    CHECK(allocations_of<std::int64_t>([&](auto& x) { torch::randperm(g, x); }) == 0);
    CHECK(allocations_of<float>([&](auto& x) { torch::bernoulli(g, x, 0.5); }) == 0);
    CHECK(allocations_of<float>([&](auto& x) { torch::dropout(g, input, x, 0.5); }) == 0);
    CHECK(allocations_of<float>([&](auto& x) { torch::trunc_normal(g, x); }) == 0);
}

TEST_CASE("fills: NumPy's and Python's ask for no memory") {
    numpy::random_state s(1234);
    numpy::generator g(1234);
    python::random p(1234);
    CHECK(allocations_of<double>([&](auto& x) { numpy::random_sample(s, x); }) == 0);
    CHECK(allocations_of<double>([&](auto& x) { numpy::standard_normal(s, x); }) == 0);
    CHECK(allocations_of<std::uint8_t>([&](auto& x) { numpy::randint(s, x, 0, 100); }) == 0);
    CHECK(allocations_of<std::int64_t>([&](auto& x) { numpy::permutation(s, x); }) == 0);
    CHECK(allocations_of<float>([&](auto& x) { numpy::random(g, x); }) == 0);
    CHECK(allocations_of<double>([&](auto& x) { numpy::standard_normal(g, x); }) == 0);
    CHECK(allocations_of<std::int64_t>([&](auto& x) { numpy::integers(g, x, 0, 1000); }) == 0);
    CHECK(allocations_of<std::int64_t>([&](auto& x) { numpy::permutation(g, x); }) == 0);
    CHECK(allocations_of<double>([&](auto& x) { python::random_sample(p, x); }) == 0);
}

TEST_CASE("fills: counter streams ask for no memory") {
    const plumb::rng::counter_stream c(1234);
    CHECK(allocations_of<float>([&](auto& x) { plumb::rng::uniform(c, x); }) == 0);
    CHECK(allocations_of<float>([&](auto& x) { plumb::rng::normal(c, x); }) == 0);
}
