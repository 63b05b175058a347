// What a hook costs: off, as a scan for overflows, as statistics alone, and as a dump. Each beside its ceiling.

#include <plumb/dump.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <vector>

namespace {

constexpr std::int64_t large = std::int64_t{64} << 20; // bytes

std::filesystem::path scratch() {
    const auto folder = std::filesystem::temp_directory_path() / "plumb_bench_hooks";
    std::filesystem::create_directories(folder);
    return folder;
}

/// Sums words as fast as memory gives them: the ceiling of every pass over a tensor.
std::uint64_t read_all(const void* data, std::size_t bytes) {
    const auto* words = static_cast<const std::uint64_t*>(data);
    std::uint64_t sum[8] = {};
    for (std::size_t i = 0; i + 8 <= bytes / 8; i += 8)
        for (std::size_t k = 0; k < 8; ++k) sum[k] += words[i + k];
    for (std::size_t k = 1; k < 8; ++k) sum[0] += sum[k];
    return sum[0];
}

} // namespace

static void bm_nothing(benchmark::State& state) {
    const std::vector<float> x(16, 1.0f);
    for (auto _ : state) benchmark::DoNotOptimize(x.data());
}
BENCHMARK(bm_nothing)->Name("hook/none");

static void bm_dump_off(benchmark::State& state) {
    const std::vector<float> x(16, 1.0f), w(16, 1.0f), y(16, 1.0f);
    plumb::dump_session session(scratch() / "off");
    for (auto _ : state) {
        benchmark::DoNotOptimize(x.data());
        session.forward("Torch", "linear", std::tie(x, w), y);
    }
}
BENCHMARK(bm_dump_off)->Name("hook/dump_off");

static void bm_dump_off_in_two_parts(benchmark::State& state) {
    const std::vector<float> x(16, 1.0f), w(16, 1.0f);
    plumb::dump_session session(scratch() / "off");
    for (auto _ : state) {
        auto call = session.begin("Torch", "linear", plumb::direction::forward, std::tie(x, w));
        benchmark::DoNotOptimize(x.data());
        if (call) call.finish(std::tie(x));
    }
}
BENCHMARK(bm_dump_off_in_two_parts)->Name("hook/dump_off_in_two_parts");

static void bm_guard_off(benchmark::State& state) {
    const std::vector<float> x(16, 1.0f), y(16, 1.0f);
    plumb::overflow_guard guard(1);
    guard.enable(false);
    for (auto _ : state) {
        benchmark::DoNotOptimize(x.data());
        guard.forward("Torch", "linear", x, y);
    }
}
BENCHMARK(bm_guard_off)->Name("hook/guard_off");

static void bm_stack(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(plumb::capture_stack().size());
}
BENCHMARK(bm_stack)->Name("stack/capture");

static void bm_read(benchmark::State& state) {
    const std::vector<float> x(large / 4, 1.0f);
    for (auto _ : state) benchmark::DoNotOptimize(read_all(x.data(), large));
    state.SetBytesProcessed(state.iterations() * large);
}
BENCHMARK(bm_read)->Name("read/64MiB");

template <class T>
void bm_scan(benchmark::State& state, T value) {
    const std::vector<T> x(static_cast<std::size_t>(large) / sizeof(T), value);
    for (auto _ : state) benchmark::DoNotOptimize(plumb::find_nonfinite(x));
    state.SetBytesProcessed(state.iterations() * large);
}
BENCHMARK_CAPTURE(bm_scan, f32, 1.5f)->Name("overflow_scan/f32");
BENCHMARK_CAPTURE(bm_scan, f16, plumb::float16(1.5f))->Name("overflow_scan/f16");
BENCHMARK_CAPTURE(bm_scan, bf16, plumb::bfloat16(1.5f))->Name("overflow_scan/bf16");

template <class T>
void bm_summary(benchmark::State& state, T value) {
    const std::vector<T> x(static_cast<std::size_t>(large) / sizeof(T), value);
    plumb::dump_options options;
    options.recorder.content = plumb::dump_content::summary;
    std::filesystem::remove_all(scratch() / "summary");
    plumb::dump_session session(scratch() / "summary", options);
    session.start();
    for (auto _ : state) session.forward("Torch", "linear", std::tuple<>{}, x);
    session.stop();
    state.SetBytesProcessed(state.iterations() * large);
}
BENCHMARK_CAPTURE(bm_summary, f32, 1.5f)->Name("summary/f32");
BENCHMARK_CAPTURE(bm_summary, f16, plumb::float16(1.5f))->Name("summary/f16");

static void bm_write(benchmark::State& state) {
    const std::vector<float> x(large / 4, 1.0f);
    const auto path = (scratch() / "plain").string();
    for (auto _ : state) {
        std::FILE* file = std::fopen(path.c_str(), "wb");
        if (!file || std::fwrite(x.data(), 1, large, file) != large || std::fclose(file) != 0) state.SkipWithError("can't write");
        state.PauseTiming();
        std::filesystem::remove(path);
        state.ResumeTiming();
    }
    state.SetBytesProcessed(state.iterations() * large);
}
BENCHMARK(bm_write)->Name("write/64MiB")->UseRealTime();

static void bm_dump(benchmark::State& state, plumb::dump_layout layout, bool statistics) {
    const std::vector<float> x(large / 4, 1.0f);
    plumb::dump_options options;
    options.layout = layout;
    options.queue_bytes = 0; // written before forward() returns
    options.step_folders = false;
    options.recorder.statistics = statistics;
    const auto folder = scratch() / "dump";
    std::filesystem::remove_all(folder);
    plumb::dump_session session(folder, options);
    session.start();
    for (auto _ : state) {
        session.forward("Torch", "linear", std::tuple<>{}, x);
        state.PauseTiming();
        for (const auto& each : std::filesystem::recursive_directory_iterator(folder))
            if (each.path().extension() == ".npy" || each.path().extension() == ".pt") std::filesystem::remove(each.path());
        state.ResumeTiming();
    }
    session.stop();
    std::filesystem::remove_all(folder);
    state.SetBytesProcessed(state.iterations() * large);
}
BENCHMARK_CAPTURE(bm_dump, npy, plumb::dump_layout::ptdbg, false)->Name("dump/64MiB/npy")->UseRealTime();
BENCHMARK_CAPTURE(bm_dump, npy_with_statistics, plumb::dump_layout::ptdbg, true)
    ->Name("dump/64MiB/npy_and_statistics")
    ->UseRealTime();
BENCHMARK_CAPTURE(bm_dump, pt, plumb::dump_layout::msprobe, false)->Name("dump/64MiB/pt")->UseRealTime();
