// What the hooks on libtorch cost a training step of an MLP: attached and off, watching for overflows, recording statistics.
//
// Each iteration runs steps without hooks and steps with them one after the other; `of_plain_step` is the median of the ratios of
// their times, 1 at best.

#include <plumb/adapters/torch_hooks.hpp>

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <vector>

namespace {

/// Two layers of 256 on a batch of 64: forward, backward, gradient descent.
struct mlp {
    at::Tensor x = at::randn({64, 256}), target = at::randn({64, 256});
    at::Tensor w1 = (at::randn({256, 256}) * 0.05).requires_grad_(), b1 = at::zeros({256}).requires_grad_();
    at::Tensor w2 = (at::randn({256, 256}) * 0.05).requires_grad_(), b2 = at::zeros({256}).requires_grad_();

    void step() {
        const at::Tensor y = at::linear(at::relu(at::linear(x, w1, b1)), w2, b2);
        at::mse_loss(y, target).backward();
        const at::NoGradGuard no_grad;
        for (at::Tensor* each : {&w1, &b1, &w2, &b2}) {
            each->sub_(each->grad(), 0.01);
            each->mutable_grad().reset();
        }
    }
};

enum class hooked { off, guarded, statistics };

double seconds_of(mlp& model, int steps) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) model.step();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

static void bm_step(benchmark::State& state, hooked how) {
    at::set_num_threads(1);
    at::manual_seed(1);
    mlp model;
    const auto folder = std::filesystem::temp_directory_path() / "plumb_bench_torch";
    std::filesystem::remove_all(folder);
    plumb::dump_options options;
    options.recorder.content = plumb::dump_content::summary;
    options.layout = plumb::dump_layout::plumb;
    plumb::dump_session session(folder, options);
    plumb::overflow_guard guard(-1);
    if (how == hooked::guarded) session.watch(&guard);
    if (how == hooked::statistics) session.start();
    constexpr int steps = 10;
    seconds_of(model, steps);
    std::vector<double> ratios;
    for (auto _ : state) {
        const double plain = seconds_of(model, steps);
        const plumb::torch_hooks hooks(session);
        const double time = seconds_of(model, steps);
        state.SetIterationTime(time / steps);
        ratios.push_back(time / plain);
    }
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
    state.counters["of_plain_step"] = ratios[ratios.size() / 2];
    session.stop();
    std::filesystem::remove_all(folder);
}
BENCHMARK_CAPTURE(bm_step, off, hooked::off)->Name("torch_step/attached_and_off")->Iterations(501)->UseManualTime();
BENCHMARK_CAPTURE(bm_step, guard, hooked::guarded)->Name("torch_step/overflow_guard")->Iterations(101)->UseManualTime();
BENCHMARK_CAPTURE(bm_step, statistics, hooked::statistics)->Name("torch_step/statistics")->Iterations(101)->UseManualTime();
