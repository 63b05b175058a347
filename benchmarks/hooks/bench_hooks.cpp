// What a hook costs: off, as a scan for overflows, as statistics alone, and as a dump.
//
// Where there is a ceiling, each iteration runs it and plumb one after the other: `of_reading` is the share of the speed at which
// the same bytes can be read, `of_writing` the time of a plain write of them into a file beside plumb's, which is 1 at best; both
// are medians of ratios taken within milliseconds, in wall-clock time.

#include <plumb/dump.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <tuple>
#include <vector>

namespace {

constexpr std::int64_t large = std::int64_t{64} << 20; // bytes
constexpr int times = 31;

std::filesystem::path scratch() {
    const auto folder = std::filesystem::temp_directory_path() / "plumb_bench_hooks";
    std::filesystem::create_directories(folder);
    return folder;
}

template <class F>
double seconds(F&& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> of) {
    std::nth_element(of.begin(), of.begin() + of.size() / 2, of.end());
    return of[of.size() / 2];
}

/// Reads the bytes and nothing else, its two halves at a time, which is faster than one after the other.
template <bool Ahead>
__attribute__((noinline)) void read_all(const void* data, std::size_t bytes) {
    using vector [[gnu::vector_size(32), gnu::aligned(1), gnu::may_alias]] = long long;
    const auto* a = static_cast<const char*>(data);
    const char* b = a + bytes / 2;
    vector x{}, y{};
    for (std::size_t i = 0; i < bytes / 2; i += 64) {
        if (Ahead) {
            __builtin_prefetch(a + i + 4096);
            __builtin_prefetch(b + i + 4096);
        }
        const auto* p = reinterpret_cast<const vector*>(a + i);
        const auto* q = reinterpret_cast<const vector*>(b + i);
        x |= p[0] | p[1];
        y |= q[0] | q[1];
    }
    x |= y;
    benchmark::DoNotOptimize(x[0] | x[1] | x[2] | x[3]);
}

void write_plainly(const std::filesystem::path& path, const void* data, std::size_t bytes) {
    std::FILE* file = std::fopen(path.string().c_str(), "wb");
    if (!file || std::fwrite(data, 1, bytes, file) != bytes || std::fclose(file) != 0) std::abort();
}

/// Times `work` beside reading `x`.
template <class T, class Work>
void beside_reading(benchmark::State& state, const std::vector<T>& x, Work&& work) {
    std::vector<double> ratios;
    work();
    for (auto _ : state) {
        const double read = std::min(seconds([&] { read_all<false>(x.data(), x.size() * sizeof(T)); }),
                                     seconds([&] { read_all<true>(x.data(), x.size() * sizeof(T)); }));
        const double here = seconds(work);
        state.SetIterationTime(here);
        ratios.push_back(read / here);
    }
    state.counters["of_reading"] = median(ratios);
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

template <class T>
void bm_scan(benchmark::State& state, T value) {
    const std::vector<T> x(static_cast<std::size_t>(large) / sizeof(T), value);
    beside_reading(state, x, [&] { benchmark::DoNotOptimize(plumb::find_nonfinite(x)); });
}
BENCHMARK_CAPTURE(bm_scan, f32, 1.5f)->Name("overflow_scan/f32")->Iterations(times)->UseManualTime();
BENCHMARK_CAPTURE(bm_scan, f16, plumb::float16(1.5f))->Name("overflow_scan/f16")->Iterations(times)->UseManualTime();
BENCHMARK_CAPTURE(bm_scan, bf16, plumb::bfloat16(1.5f))->Name("overflow_scan/bf16")->Iterations(times)->UseManualTime();

/// Tensors whose elements differ in sign and size, as those of a training do.
template <class T>
std::vector<T> varied() {
    std::vector<T> x(static_cast<std::size_t>(large) / sizeof(T));
    std::uint32_t state = 1;
    for (T& each : x) {
        state = state * 1664525u + 1013904223u;
        each = T(static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-30f);
    }
    return x;
}

static void bm_statistics(benchmark::State& state) {
    const auto x = varied<float>();
    beside_reading(state, x, [&] { benchmark::DoNotOptimize(plumb::summarize(x).norm); });
}
BENCHMARK(bm_statistics)->Name("summarize/f32")->Iterations(times)->UseManualTime();

template <class T>
void bm_summary(benchmark::State& state) {
    const auto x = varied<T>();
    plumb::dump_options options;
    options.recorder.content = plumb::dump_content::summary;
    const auto folder = scratch() / "summary";
    std::filesystem::remove_all(folder);
    plumb::dump_session session(folder, options);
    session.start();
    beside_reading(state, x, [&] { session.forward("Torch", "linear", std::tuple<>{}, x); });
    session.stop();
    std::filesystem::remove_all(folder);
}
BENCHMARK(bm_summary<float>)->Name("summary_only/f32")->Iterations(times)->UseManualTime();
BENCHMARK(bm_summary<plumb::float16>)->Name("summary_only/f16")->Iterations(times)->UseManualTime();
BENCHMARK(bm_summary<plumb::bfloat16>)->Name("summary_only/bf16")->Iterations(times)->UseManualTime();

static void bm_dump(benchmark::State& state, plumb::dump_layout layout, bool statistics, bool checksum) {
    const auto x = varied<float>();
    plumb::dump_options options;
    options.layout = layout;
    options.queue_bytes = 0; // written before forward() returns
    options.step_folders = false;
    options.recorder.statistics = statistics;
    options.recorder.checksums = checksum;
    const auto folder = scratch() / "dump", plain = scratch() / "plain";
    std::filesystem::remove_all(folder);
    plumb::dump_session session(folder, options);
    session.start();
    // A file's memory goes back to the system before the next one takes it: the first ones are slower.
    const auto write = [&] {
        const double time = seconds([&] { write_plainly(plain, x.data(), large); });
        std::filesystem::remove(plain);
        return time;
    };
    const auto dump = [&] {
        const double time = seconds([&] { session.forward("Torch", "linear", std::tuple<>{}, x); });
        for (const auto& each : std::filesystem::recursive_directory_iterator(folder))
            if (each.path().extension() == ".npy" || each.path().extension() == ".pt") std::filesystem::remove(each.path());
        return time;
    };
    for (int i = 0; i < 3; ++i) write(), dump();
    std::vector<double> ratios;
    for (auto _ : state) {
        const double there = write(), here = dump();
        state.SetIterationTime(here);
        ratios.push_back(here / there);
    }
    state.counters["of_writing"] = median(ratios);
    session.stop();
    std::filesystem::remove_all(folder);
}
BENCHMARK_CAPTURE(bm_dump, npy, plumb::dump_layout::ptdbg, false, false)
    ->Name("dump/64MiB/npy")
    ->Iterations(times)
    ->UseManualTime();
BENCHMARK_CAPTURE(bm_dump, npy_statistics, plumb::dump_layout::ptdbg, true, false)
    ->Name("dump/64MiB/npy_and_statistics")
    ->Iterations(times)
    ->UseManualTime();
BENCHMARK_CAPTURE(bm_dump, npy_checksum, plumb::dump_layout::ptdbg, false, true)
    ->Name("dump/64MiB/npy_and_checksum")
    ->Iterations(times)
    ->UseManualTime();
BENCHMARK_CAPTURE(bm_dump, pt, plumb::dump_layout::msprobe, false, false)
    ->Name("dump/64MiB/pt")
    ->Iterations(times)
    ->UseManualTime();
BENCHMARK_CAPTURE(bm_dump, pt_statistics, plumb::dump_layout::msprobe, true, false)
    ->Name("dump/64MiB/pt_and_statistics")
    ->Iterations(times)
    ->UseManualTime();
