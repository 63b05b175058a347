// What the hooks on libtorch cost one training step of an MLP: not attached, attached and off, watching for overflows, and
// recording statistics. Compare the rows of one run with each other.

#include <plumb/adapters/torch_hooks.hpp>

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <filesystem>
#include <optional>

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

enum class hooked { no, off, guarded, statistics };

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
    std::optional<plumb::torch_hooks> hooks;
    if (how != hooked::no) hooks.emplace(session);
    if (how == hooked::guarded) session.watch(&guard);
    if (how == hooked::statistics) session.start();
    for (auto _ : state) model.step();
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(bm_step, none, hooked::no)->Name("torch_step/not_attached");
BENCHMARK_CAPTURE(bm_step, off, hooked::off)->Name("torch_step/attached_and_off");
BENCHMARK_CAPTURE(bm_step, guard, hooked::guarded)->Name("torch_step/overflow_guard");
BENCHMARK_CAPTURE(bm_step, statistics, hooked::statistics)->Name("torch_step/statistics");
