// How long does each fill take, for a million values? against_references.py sets the same beside them from PyTorch and NumPy.
#include <plumb/random.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace {

namespace torch = plumb::rng::torch;
namespace numpy = plumb::rng::numpy;
namespace python = plumb::rng::python;

constexpr std::size_t n = 1 << 20;

template <class T, class Generator, class Fill>
void run(benchmark::State& state, Generator generator, Fill fill) {
    std::vector<T> values(n);
    for (auto _ : state) {
        fill(generator, values);
        benchmark::DoNotOptimize(values.data());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(n * sizeof(T)));
}

template <class T, class Generator, class Fill>
void add(const char* name, Generator generator, Fill fill) {
    benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { run<T>(state, generator, fill); });
}

template <class Generator>
void add_generator(const std::string& name, Generator g) {
    add<double>((name + "/random/f64").c_str(), g, [](auto& r, auto& x) { numpy::random(r, x); });
    add<float>((name + "/random/f32").c_str(), g, [](auto& r, auto& x) { numpy::random(r, x); });
    add<double>((name + "/standard_normal/f64").c_str(), g, [](auto& r, auto& x) { numpy::standard_normal(r, x); });
    add<std::int64_t>((name + "/integers/i64").c_str(), g, [](auto& r, auto& x) { numpy::integers(r, x, 0, 1000); });
    add<std::int64_t>((name + "/permutation/i64").c_str(), g, [](auto& r, auto& x) { numpy::permutation(r, x); });
}

const int registered = [] {
    const torch::generator t(1234);
    add<float>("torch/rand/f32", t, [](auto& g, auto& x) { torch::rand(g, x); });
    add<double>("torch/rand/f64", t, [](auto& g, auto& x) { torch::rand(g, x); });
    add<plumb::float16>("torch/rand/f16", t, [](auto& g, auto& x) { torch::rand(g, x); });
    add<plumb::bfloat16>("torch/rand/bf16", t, [](auto& g, auto& x) { torch::rand(g, x); });
    add<float>("torch/uniform/f32", t, [](auto& g, auto& x) { torch::uniform(g, x, -0.1, 0.7); });
    add<double>("torch/uniform/f64", t, [](auto& g, auto& x) { torch::uniform(g, x, -0.1, 0.7); });
    add<float>("torch/randn/f32", t, [](auto& g, auto& x) { torch::randn(g, x); });
    add<double>("torch/randn/f64", t, [](auto& g, auto& x) { torch::randn(g, x); });
    add<plumb::float16>("torch/randn/f16", t, [](auto& g, auto& x) { torch::randn(g, x); });
    add<plumb::bfloat16>("torch/randn/bf16", t, [](auto& g, auto& x) { torch::randn(g, x); });
    add<float>("torch/randn/f32/strided", t, [](auto& g, auto& x) { torch::randn(g, x, torch::layout::strided); });
    add<double>("torch/randn/f64/portable_libm", torch::generator(1234, torch::linux_x86.with(plumb::rng::libm::portable)),
                [](auto& g, auto& x) { torch::randn(g, x); });
    add<float>("torch/exponential/f32", t, [](auto& g, auto& x) { torch::exponential(g, x); });
    add<std::int64_t>("torch/randint/i64", t, [](auto& g, auto& x) { torch::randint(g, x, 0, 1000); });
    add<std::int64_t>("torch/random/i64", t, [](auto& g, auto& x) { torch::random(g, x); });
    add<std::int64_t>("torch/randperm/i64", t, [](auto& g, auto& x) { torch::randperm(g, x); });
    add<float>("torch/bernoulli/f32", t, [](auto& g, auto& x) { torch::bernoulli(g, x, 0.5); });
    add<float>("torch/dropout/f32", t,
               [input = std::vector<float>(n, 1.0f)](auto& g, auto& x) { torch::dropout(g, input, x, 0.5); });
    add<float>("torch/trunc_normal/f32", t, [](auto& g, auto& x) { torch::trunc_normal(g, x); });

    const numpy::random_state s(1234);
    add<double>("RandomState/random_sample/f64", s, [](auto& r, auto& x) { numpy::random_sample(r, x); });
    add<double>("RandomState/uniform/f64", s, [](auto& r, auto& x) { numpy::uniform(r, x, -0.1, 0.7); });
    add<double>("RandomState/standard_normal/f64", s, [](auto& r, auto& x) { numpy::standard_normal(r, x); });
    add<std::int64_t>("RandomState/randint/i64", s, [](auto& r, auto& x) { numpy::randint(r, x, 0, 1000); });
    add<std::uint8_t>("RandomState/randint/u8", s, [](auto& r, auto& x) { numpy::randint(r, x, 0, 100); });
    add<std::int64_t>("RandomState/permutation/i64", s, [](auto& r, auto& x) { numpy::permutation(r, x); });
    add_generator("PCG64", numpy::generator(1234));
    add_generator("Philox", numpy::basic_generator<numpy::philox>(1234));

    const python::random p(1234);
    add<double>("random/random/f64", p, [](auto& r, auto& x) { python::random_sample(r, x); });

    const plumb::rng::counter_stream c(1234);
    add<float>("counter/uniform/f32", c, [](auto& r, auto& x) { plumb::rng::uniform(r, x); });
    add<float>("counter/normal/f32", c, [](auto& r, auto& x) { plumb::rng::normal(r, x); });
    add<float>("ceiling/write/f32", c, [](auto&, auto& x) { std::fill(x.begin(), x.end(), 1.0f); });
    return 0;
}();

} // namespace
