// Prints one digest of some thousand results. Every build of it, on every processor and in every floating-point mode, must
// print the same one: see tests/cmake/digests.cmake.

#include <plumb/kernels/add_pairs.hpp>
#include <plumb/metrics/pair_metrics.hpp>
#include <plumb/metrics/tensor_statistics.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace {

/// Integers alone, so that no flag changes the data: a congruential generator and numbers put together from bits.
struct generator {
    std::uint64_t state;
    std::uint32_t next() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state >> 32);
    }
};

/// A number's bits in f32: magnitudes of every kind, dozens of binades or few.
std::uint32_t number(generator& random, int kind) {
    const std::uint32_t bits = random.next(), sign = bits & 0x80000000u, fraction = bits & 0x7fffffu;
    switch (kind) {
    case 0: return sign | ((120 + random.next() % 8) << 23) | fraction;                      // about 1
    case 1: return sign | ((100 + random.next() % 55) << 23) | fraction;                     // a wide range
    case 2: return random.next() % 3 == 0 ? 0 : sign | (127u << 23) | (fraction & 0x600000); // few values, and zeros
    case 3: return sign | (random.next() % 3 << 23) | fraction;                              // subnormal and nearly so
    case 4: return random.next() % 200 == 0 ? sign | 0x7f800000u | (fraction & 1) : sign | (125u << 23) | fraction;
    default: return bits; // anything
    }
}

std::uint16_t narrowed(std::uint32_t bits, plumb::dtype type) {
    using namespace plumb;
    return type == dtype::f16 ? convert<binary16, binary32>(bits) : convert<brain16, binary32>(bits);
}

struct digest {
    std::uint64_t value = 14695981039346656037u; // FNV-1a
    void add(const void* bytes, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) value = (value ^ static_cast<const unsigned char*>(bytes)[i]) * 1099511628211u;
    }
    void add(std::uint64_t x) { add(&x, sizeof x); }
    void add(const double& x) { add(&x, sizeof x); }
    void add(const std::optional<std::uint64_t>& x) { add(x.value_or(~std::uint64_t{0})); }
};

constexpr plumb::metric set = plumb::default_metrics | plumb::metric::ratios | plumb::metric::mean_abs_err;

/// The statistics of one tensor, also of many blocks, so that those after the first are summed in one pass.
void add_statistics(digest& sum, plumb::cpu_level level) {
    using namespace plumb;
    constexpr std::size_t n = 5000;
    std::vector<std::uint32_t> x32(n);
    std::vector<std::uint16_t> x16(n);
    for (int kind = 0; kind < 6; ++kind)
        for (const dtype type : {dtype::f32, dtype::f16, dtype::bf16}) {
            generator random{static_cast<std::uint64_t>(kind) + 77};
            for (std::size_t i = 0; i < n; ++i) {
                x32[i] = number(random, kind);
                x16[i] = narrowed(x32[i], type);
            }
            kernels::statistics_state<kernels::narrow_range> state;
            kernels::add_tensor_at(level, state, type, type == dtype::f32 ? static_cast<const void*>(x32.data()) : x16.data(), n);
            const tensor_report r = kernels::make_report(state);
            for (const double* x : {&r.min, &r.max, &r.mean, &r.norm}) sum.add(*x);
            for (const std::uint64_t x : {r.finite, r.zeros, r.subnormals, r.saturated, r.nonfinite.nan}) sum.add(x);
        }
}

std::uint64_t run(plumb::cpu_level level) {
    using namespace plumb;
    constexpr dtype types[] = {dtype::f32, dtype::f16, dtype::bf16};
    constexpr std::size_t lengths[] = {1, 37, 256, 1024, 1500};
    digest sum;
    add_statistics(sum, level);
    std::vector<std::uint32_t> a32(1500), b32(1500);
    std::vector<std::uint16_t> a16(1500), b16(1500);
    for (std::uint64_t seed = 0; seed < 4; ++seed)
        for (int kind = 0; kind < 6; ++kind)
            for (const std::size_t n : lengths) {
                generator random{seed * 1000003 + static_cast<std::uint64_t>(kind) * 101 + n};
                for (std::size_t i = 0; i < n; ++i) {
                    a32[i] = number(random, kind);
                    b32[i] = random.next() % 4 == 0 ? number(random, kind) : a32[i] ^ (random.next() % 4096);
                }
                for (const dtype a_type : types)
                    for (const dtype b_type : types) {
                        for (std::size_t i = 0; i < n; ++i) {
                            a16[i] = narrowed(a32[i], a_type);
                            b16[i] = narrowed(b32[i], b_type);
                        }
                        const void* const a = a_type == dtype::f32 ? static_cast<const void*>(a32.data()) : a16.data();
                        const void* const b = b_type == dtype::f32 ? static_cast<const void*>(b32.data()) : b16.data();
                        kernels::pair_state<set, kernels::narrow_range> state;
                        kernels::add_pairs_at(level, state, a_type, a, b_type, b, n);
                        const pair_report r = kernels::make_report(state);
                        for (const double* x : {&r.cosine, &r.max_abs_err, &r.max_rel_err, &r.euclidean, &r.rmse, &r.rel_l2_err,
                                                &r.ratio_1e3, &r.ratio_5e3, &r.mean_abs_err})
                            if (r.finite_pairs != 0 && (x != &r.cosine || r.cosine_defined)) sum.add(*x);
                        for (const auto& x :
                             {r.max_abs_err_index, r.max_rel_err_index, r.first_differing_index, r.first_mismatch_index})
                            sum.add(x);
                        for (const std::uint64_t x : {r.finite_pairs, r.differing, r.zero_reference, r.nonfinite_mismatched})
                            sum.add(x);
                    }
            }
    return sum.value;
}

} // namespace

/// digest [MODE]: runs with the x86 MXCSR or the AArch64 FPCR set to MODE, a number in hexadecimal.
int main(int argc, char** argv) {
    const plumb::cpu_level best = plumb::best_cpu_level();
    if (argc > 1) plumb::detail::write_fp_control(std::strtoull(argv[1], nullptr, 16));
    std::uint64_t digests[plumb::cpu_level_count];
    int levels = 0;
    for (int i = 0; i <= static_cast<int>(best); ++i) digests[levels++] = run(static_cast<plumb::cpu_level>(i));
#if defined(__SSE2__)
    _mm_setcsr(0x1f80);
#endif
    int status = 0;
    for (int i = 1; i < levels; ++i) status |= digests[i] != digests[0];
    std::printf("%016llx %s\n", static_cast<unsigned long long>(digests[0]),
                status == 0 ? "on every level" : "NOT on every level");
    return status;
}
