// How near is measure() to the speed at which the same bytes can be read, and to peers that compute the cosine alone?
//
// Each iteration runs plumb, the plain read of both buffers and the peers one after the other, so that a counter is the median
// of ratios taken within milliseconds, on whatever machine and beside whatever else runs there. Times are of the thread's
// processor time. `of_reading` is 1 at the speed of memory; `x_SimSIMD` is how many times faster than it plumb is; `err_…` is
// how far the peer's cosine is from the exact one. Every row has every counter, NaN where it does not apply.

#include <plumb/metrics.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#if defined(__has_include)
#if __has_include(<simsimd/simsimd.h>) && defined(__x86_64__)
#define SIMSIMD_NATIVE_F16 0
#define SIMSIMD_NATIVE_BF16 0
#define SIMSIMD_DYNAMIC_DISPATCH 0
#define SIMSIMD_TARGET_HASWELL 1
#define SIMSIMD_TARGET_SKYLAKE 1
#define SIMSIMD_TARGET_ICE 0
#define SIMSIMD_TARGET_GENOA 1
#define SIMSIMD_TARGET_SAPPHIRE 0
#define SIMSIMD_TARGET_TURIN 0
#define SIMSIMD_TARGET_SIERRA 0
#include <simsimd/simsimd.h>
#define BENCH_SIMSIMD 1
#endif
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define BENCH_EIGEN 1
#endif
#endif
#if defined(BENCH_OPENBLAS)
#include <cblas.h>
#endif

namespace {

using plumb::cpu_level;
using plumb::dtype;

double thread_seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class F>
double seconds(std::size_t times, F&& f) {
    const double start = thread_seconds();
    for (std::size_t i = 0; i < times; ++i) f();
    return (thread_seconds() - start) / static_cast<double>(times);
}

/// Reads both buffers and nothing else: the ceiling. With and without reading ahead; the faster one counts.
template <bool Ahead>
__attribute__((noinline)) void read_both(const char* a, const char* b, std::size_t bytes) {
    using vector [[gnu::vector_size(16), gnu::may_alias]] = long long;
    vector seen[4] = {};
    for (std::size_t i = 0; i < bytes; i += 64) {
        if (Ahead) {
            __builtin_prefetch(a + i + 4096);
            __builtin_prefetch(b + i + 4096);
        }
        const auto* p = reinterpret_cast<const vector*>(a + i);
        const auto* q = reinterpret_cast<const vector*>(b + i);
        seen[0] |= p[0] | q[0];
        seen[1] |= p[1] | q[1];
        seen[2] |= p[2] | q[2];
        seen[3] |= p[3] | q[3];
    }
    const vector all = seen[0] | seen[1] | seen[2] | seen[3];
    benchmark::DoNotOptimize(all[0] | all[1]);
}

enum data { normal, outliers, two_scales, any_bits };
constexpr const char* data_names[] = {"normal", "outliers", "two_scales", "any_bits"};

/// Two buffers of one type. The random part is repeated, so that filling a large one does not take minutes.
struct buffers {
    dtype type;
    std::size_t n, bytes;
    std::unique_ptr<char, decltype(&std::free)> a, b;

    buffers(dtype t, std::size_t size, data kind)
        : type(t), n(size / plumb::size_of(t)), bytes(size), a(allocate(size), std::free), b(allocate(size), std::free) {
        std::mt19937 random(1);
        std::normal_distribution<float> gauss;
        const std::size_t period = std::min<std::size_t>(n, 1 << 18);
        for (std::size_t i = 0; i < period; ++i) {
            float x = gauss(random), y = x + 0.01f * gauss(random);
            if (kind == outliers && random() % 1000 == 0) x *= 1e4f;
            if (kind == two_scales && random() % 2 == 0) x *= 1e-8f, y = x * 1.001f;
            if (kind == any_bits) {
                x = plumb::detail::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0xbfffffffu);
                y = plumb::detail::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0xbfffffffu);
            }
            set(a.get(), i, x);
            set(b.get(), i, y);
        }
        for (std::size_t i = period; i < n; i += period) {
            const std::size_t part = std::min(period, n - i) * plumb::size_of(t);
            std::copy_n(a.get(), part, a.get() + i * plumb::size_of(t));
            std::copy_n(b.get(), part, b.get() + i * plumb::size_of(t));
        }
    }

private:
    static char* allocate(std::size_t size) { return static_cast<char*>(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096)); }
    void set(char* to, std::size_t i, float x) const {
        const auto bits = plumb::detail::bit_cast<std::uint32_t>(x);
        const std::uint16_t half = type == dtype::f16 ? plumb::convert<plumb::binary16, plumb::binary32>(bits)
                                                      : plumb::convert<plumb::brain16, plumb::binary32>(bits);
        if (type == dtype::f32)
            std::copy_n(reinterpret_cast<const char*>(&bits), 4, to + 4 * i);
        else
            std::copy_n(reinterpret_cast<const char*>(&half), 2, to + 2 * i);
    }
};

/// Cosines that others compute, by name.
std::map<std::string, std::function<double(const buffers&)>> peers_of(dtype type) {
    std::map<std::string, std::function<double(const buffers&)>> peers;
#if defined(BENCH_SIMSIMD)
    const auto simsimd = [](auto function, auto element) {
        using T = decltype(element);
        return [function](const buffers& x) {
            simsimd_distance_t distance;
            function(reinterpret_cast<const T*>(x.a.get()), reinterpret_cast<const T*>(x.b.get()), x.n, &distance);
            return 1.0 - distance;
        };
    };
    const bool wide = plumb::best_cpu_level() >= cpu_level::avx512;
    if (type == dtype::f32 && wide) peers["SimSIMD"] = simsimd(simsimd_cos_f32_skylake, simsimd_f32_t{});
    if (type == dtype::f16) peers["SimSIMD"] = simsimd(simsimd_cos_f16_haswell, simsimd_f16_t{});
    if (type == dtype::bf16 && wide) peers["SimSIMD"] = simsimd(simsimd_cos_bf16_genoa, simsimd_bf16_t{});
#endif
#if defined(BENCH_OPENBLAS)
    if (type == dtype::f32)
        peers["OpenBLAS"] = [](const buffers& x) {
            openblas_set_num_threads(1);
            const auto* a = reinterpret_cast<const float*>(x.a.get());
            const auto* b = reinterpret_cast<const float*>(x.b.get());
            const auto n = static_cast<blasint>(x.n);
            const double ab = static_cast<double>(cblas_sdot(n, a, 1, b, 1));
            return ab / (static_cast<double>(cblas_snrm2(n, a, 1)) * static_cast<double>(cblas_snrm2(n, b, 1)));
        };
#endif
#if defined(BENCH_EIGEN)
    const auto eigen = [](auto element) {
        using vector = Eigen::Matrix<decltype(element), Eigen::Dynamic, 1>;
        return [](const buffers& x) {
            using map = Eigen::Map<const vector>;
            const map a(reinterpret_cast<const decltype(element)*>(x.a.get()), static_cast<Eigen::Index>(x.n));
            const map b(reinterpret_cast<const decltype(element)*>(x.b.get()), static_cast<Eigen::Index>(x.n));
            return static_cast<double>(a.dot(b)) / (static_cast<double>(a.norm()) * static_cast<double>(b.norm()));
        };
    };
    if (type == dtype::f32) peers["Eigen"] = eigen(float{});
#endif
    if (type == dtype::f32)
        peers["loop"] = [](const buffers& x) {
            const auto* a = reinterpret_cast<const float*>(x.a.get());
            const auto* b = reinterpret_cast<const float*>(x.b.get());
            double ab = 0, aa = 0, bb = 0;
            for (std::size_t i = 0; i < x.n; ++i) {
                ab += double{a[i]} * b[i];
                aa += double{a[i]} * a[i];
                bb += double{b[i]} * b[i];
            }
            return ab / std::sqrt(aa * bb);
        };
    return peers;
}

/// Gives a row every counter there is: some formats of output want that.
void set_counters(benchmark::State& state, std::map<std::string, double> values) {
    for (const char* name : {"of_reading", "ns_per_pair", "speed_up"}) values.try_emplace(name, std::nan(""));
    for (const char* peer : {"SimSIMD", "OpenBLAS", "Eigen", "loop"})
        for (const char* what : {"x_", "err_"}) values.try_emplace(std::string(what) + peer, std::nan(""));
    for (const auto& [name, value] : values) state.counters[name] = value;
}

double median(std::vector<double> x) {
    std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
    return x[x.size() / 2];
}

template <plumb::metric Set>
plumb::pair_report measure_at(cpu_level level, const buffers& x) {
    plumb::kernels::pair_state<Set, plumb::kernels::narrow_range> state;
    plumb::kernels::add_pairs_at(level, state, x.type, x.a.get(), x.type, x.b.get(), x.n);
    return plumb::kernels::make_report(state);
}

template <plumb::metric Set>
void bm_pairs(benchmark::State& state, dtype type, cpu_level level, std::size_t bytes, data kind, bool with_peers) {
    const buffers x(type, bytes, kind);
    const std::size_t times = std::max<std::size_t>(1, (std::size_t{1} << 21) / bytes);
    std::vector<double> of_reading, nanoseconds;
    std::map<std::string, std::vector<double>> ratios;
    const auto peers = with_peers ? peers_of(type) : decltype(peers_of(type)){};
    for (auto _ : state) {
        const double mine = seconds(times, [&] { benchmark::DoNotOptimize(measure_at<Set>(level, x)); });
        const double reading = std::min(seconds(times, [&] { read_both<false>(x.a.get(), x.b.get(), bytes); }),
                                        seconds(times, [&] { read_both<true>(x.a.get(), x.b.get(), bytes); }));
        of_reading.push_back(reading / mine);
        nanoseconds.push_back(1e9 * mine / static_cast<double>(x.n));
        for (const auto& [name, run] : peers)
            ratios[name].push_back(seconds(times, [&, &run = run] { benchmark::DoNotOptimize(run(x)); }) / mine);
        state.SetIterationTime(mine);
    }
    std::map<std::string, double> counters = {{"of_reading", median(of_reading)}, {"ns_per_pair", median(nanoseconds)}};
    const double exact = measure_at<plumb::default_metrics>(plumb::best_cpu_level(), x).cosine;
    for (const auto& [name, run] : peers) {
        counters["x_" + name] = median(ratios[name]);
        counters["err_" + name] = std::abs(run(x) - exact);
    }
    set_counters(state, counters);
}

void bm_statistics(benchmark::State& state, dtype type, cpu_level level, std::size_t bytes, bool scan) {
    const buffers x(type, bytes, normal);
    const std::size_t times = std::max<std::size_t>(1, (std::size_t{1} << 21) / bytes);
    std::vector<double> of_reading;
    for (auto _ : state) {
        const double mine = seconds(times, [&] {
            if (scan) {
                benchmark::DoNotOptimize(plumb::kernels::find_nonfinite_at(level, type, x.a.get(), x.n));
            } else {
                plumb::kernels::statistics_state<plumb::kernels::narrow_range> sums;
                plumb::kernels::add_tensor_at(level, sums, type, x.a.get(), x.n);
                benchmark::DoNotOptimize(sums);
            }
        });
        const std::size_t half = bytes / 2; // reads two halves of the one buffer
        const double reading = std::min(seconds(times, [&] { read_both<false>(x.a.get(), x.a.get() + half, half); }),
                                        seconds(times, [&] { read_both<true>(x.a.get(), x.a.get() + half, half); }));
        of_reading.push_back(reading / mine);
        state.SetIterationTime(mine);
    }
    set_counters(state, {{"of_reading", median(of_reading)}});
}

void bm_threads(benchmark::State& state, dtype type, std::size_t bytes) {
    const buffers x(type, bytes, normal);
    const plumb::tensor_view a(type, x.a.get(), {static_cast<std::int64_t>(x.n)});
    const plumb::tensor_view b(type, x.b.get(), {static_cast<std::int64_t>(x.n)});
    const auto wall = [](auto&& f) {
        const auto start = std::chrono::steady_clock::now();
        f();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::vector<double> speed_up;
    for (auto _ : state) {
        const double one = wall([&] { benchmark::DoNotOptimize(plumb::measure(a, b)); });
        const double two = wall([&] { benchmark::DoNotOptimize(plumb::measure(a, b, plumb::threads(2))); });
        speed_up.push_back(one / two);
        state.SetIterationTime(two);
    }
    set_counters(state, {{"speed_up", median(speed_up)}});
}

constexpr std::size_t dram = std::size_t{1} << 26, l2 = std::size_t{1} << 18, tiny = std::size_t{1} << 10;

const bool registered = [] {
    const auto add = [](const std::string& name, auto&& f) {
        const bool large = name.find("dram") != std::string::npos;
        benchmark::RegisterBenchmark(name.c_str(), f)->UseManualTime()->Iterations(large ? 9 : 25)->Unit(benchmark::kMicrosecond);
    };
    const std::pair<const char*, std::size_t> sizes[] = {{"dram", dram}, {"l2", l2}, {"tiny", tiny}};
    for (const dtype type : {dtype::f32, dtype::f16, dtype::bf16}) {
        const std::string type_name(plumb::name_of(type));
        for (int i = 1; i <= static_cast<int>(plumb::best_cpu_level()); ++i) {
            const auto level = static_cast<cpu_level>(i);
            const std::string level_name(plumb::name_of(level));
            for (const auto& [size_name, size] : sizes) {
                const bool best = level == plumb::best_cpu_level();
                const std::string tail = "/" + type_name + "/" + level_name + "/" + size_name;
                add("pairs" + tail, [=, size = size](benchmark::State& s) {
                    bm_pairs<plumb::default_metrics>(s, type, level, size, normal, best);
                });
                if (size != tiny) {
                    add("full" + tail, [=, size = size](benchmark::State& s) {
                        bm_pairs<plumb::full_metrics>(s, type, level, size, normal, false);
                    });
                    add("statistics" + tail,
                        [=, size = size](benchmark::State& s) { bm_statistics(s, type, level, size, false); });
                    add("scan" + tail, [=, size = size](benchmark::State& s) { bm_statistics(s, type, level, size, true); });
                }
            }
            for (const data kind : {outliers, two_scales, any_bits})
                add("pairs/" + type_name + "/" + level_name + "/l2/" + data_names[kind],
                    [=](benchmark::State& s) { bm_pairs<plumb::default_metrics>(s, type, level, l2, kind, false); });
        }
        add("threads/" + type_name + "/dram", [=](benchmark::State& s) { bm_threads(s, type, dram); });
    }
    return true;
}();

} // namespace
