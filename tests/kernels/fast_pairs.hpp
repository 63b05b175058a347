/// \file
/// Pairs that are hard on vector kernels, and the comparison of two states part by part.
#pragma once

#include <plumb/kernels/add_pairs.hpp>
#include <plumb/types/small_float.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace fast_pairs {

/// What the numbers of a pair of tensors look like.
enum class shape {
    normal,          ///< N(0,1), and 1 % beside it
    spread_5,        ///< exponents spread by a few binades
    spread_12,       ///< by dozens
    relu,            ///< half zeros, few differences
    quantised,       ///< few values, hence ties of differences and of quotients
    equal,           ///< no difference at all
    scaled,          ///< N(0,1) times one power of two out of 200
    nonfinite,       ///< NaN and infinities here and there
    outliers,        ///< one in 500 is 1e4 times larger
    two_scales,      ///< half of them 1e-8 of the others
    subnormal,       ///< near the smallest numbers
    zeros_on_a_side, ///< x/0, 0/x and 0/0
    any_bits,        ///< every bit pattern, half of them equal
    all_zero,
    scale_jump, ///< 1000 times larger from the middle on
    cancelling, ///< products that cancel
    wide_ratio, ///< one side far larger, so that differences do not fit a double
};
constexpr int shape_count = 17;

inline const char* name_of(shape s) {
    constexpr const char* names[shape_count] = {"normal",     "spread_5",        "spread_12", "relu",     "quantised",
                                                "equal",      "scaled",          "nonfinite", "outliers", "two_scales",
                                                "subnormal",  "zeros_on_a_side", "any_bits",  "all_zero", "scale_jump",
                                                "cancelling", "wide_ratio"};
    return names[static_cast<int>(s)];
}

struct buffer {
    plumb::dtype type;
    std::vector<unsigned char> bytes;

    buffer(plumb::dtype t, std::size_t n) : type(t), bytes(n * plumb::size_of(t) + 8) {}
    const void* at(std::size_t i) const { return bytes.data() + i * plumb::size_of(type); }
    void set_bits(std::size_t i, std::uint32_t bits) {
        std::memcpy(bytes.data() + i * plumb::size_of(type), &bits, plumb::size_of(type));
    }
    void set(std::size_t i, double x) {
        using namespace plumb;
        const auto wide = detail::bit_cast<std::uint64_t>(x);
        if (type == dtype::f32) set_bits(i, convert<binary32, binary64>(wide));
        if (type == dtype::f16) set_bits(i, convert<binary16, binary64>(wide));
        if (type == dtype::bf16) set_bits(i, convert<brain16, binary64>(wide));
    }
};

/// Fills n pairs.
inline void fill(buffer& a, buffer& b, std::size_t n, shape kind, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const double scale = std::exp2(static_cast<int>(random() % 200) - 100);
    constexpr double infinity = std::numeric_limits<double>::infinity(), quiet_nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < n; ++i) {
        double x = normal(random), y = x + 0.01 * normal(random);
        switch (kind) {
        case shape::normal: break;
        case shape::spread_5:
            x *= std::exp2(5 * normal(random));
            y = x * (1 + 0.01 * normal(random));
            break;
        case shape::spread_12:
            x *= std::exp2(12 * normal(random));
            y = x * (1 + 0.001 * normal(random));
            break;
        case shape::relu:
            x = x < 0 ? 0 : x;
            if (random() % 9 != 0) y = x;
            break;
        case shape::quantised:
            x = std::round(x * 4) / 4;
            y = std::round(normal(random) * 4) / 4;
            break;
        case shape::equal: y = x; break;
        case shape::scaled:
            x *= scale;
            y = x * (1 + 0.1 * normal(random));
            break;
        case shape::nonfinite:
            if (random() % 500 == 0) y = quiet_nan;
            if (random() % 700 == 0) x = infinity;
            if (random() % 900 == 0) x = y = -infinity;
            break;
        case shape::outliers:
            if (random() % 500 == 0) x *= 1e4;
            break;
        case shape::two_scales:
            if (random() % 2 != 0) x *= 1e-8;
            y = x * 1.001;
            break;
        case shape::subnormal:
            x *= 1e-41 * static_cast<double>(random() % 100);
            y = x + 1e-44 * static_cast<double>(random() % 5);
            break;
        case shape::zeros_on_a_side:
            y = random() % 3 == 0 ? 0 : x;
            x = i % 2 != 0 ? x : 0;
            break;
        case shape::any_bits: {
            const auto bits = static_cast<std::uint32_t>(random());
            a.set_bits(i, bits);
            b.set_bits(i, i % 2 != 0 ? bits : static_cast<std::uint32_t>(random()));
            continue;
        }
        case shape::all_zero: x = y = random() % 2 != 0 ? 0.0 : -0.0; break;
        case shape::scale_jump:
            x *= i < n / 2 ? 1 : 1000;
            y = x * (1 + 0.001 * normal(random));
            break;
        case shape::cancelling:
            y = (i % 2 != 0 ? 1 : -1) * (1 + 1e-6 * normal(random));
            x = 1e3;
            break;
        case shape::wide_ratio:
            y = x * std::exp2(-40.0 - static_cast<double>(random() % 60));
            if (random() % 2 != 0) std::swap(x, y);
            break;
        }
        a.set(i, x);
        b.set(i, y);
    }
}

/// The names of the parts in which two states differ; empty if they do not.
template <plumb::metric Set>
std::string difference_of(const plumb::kernels::pair_state<Set, plumb::kernels::narrow_range>& x,
                          const plumb::kernels::pair_state<Set, plumb::kernels::narrow_range>& y) {
    using namespace plumb;
    std::string names;
    const auto expect = [&](bool equal, const char* name) {
        if (!equal) names += std::string(names.empty() ? "" : ", ") + name;
    };
    const auto same_maximum = [](const kernels::maximum_part& p, const kernels::maximum_part& q) {
        return p.bits == q.bits && p.index == q.index;
    };
    const auto same_event = [](const kernels::event_part& p, const kernels::event_part& q) {
        return p.count == q.count && p.first == q.first;
    };
    expect(std::memcmp(&x.counts, &y.counts, sizeof x.counts) == 0, "counts");
    if constexpr (contains(Set, metric::cosine | metric::euclidean)) {
        expect(x.products.ab == y.products.ab, "ab");
        expect(x.products.aa == y.products.aa, "aa");
        expect(x.products.bb == y.products.bb, "bb");
    }
    if constexpr (contains(Set, metric::max_abs_err)) expect(same_maximum(x.max_abs, y.max_abs), "max_abs");
    if constexpr (contains(Set, metric::max_rel_err)) expect(same_maximum(x.max_rel, y.max_rel), "max_rel");
    if constexpr (contains(Set, metric::differing)) {
        expect(same_event(x.differing.differing, y.differing.differing), "differing");
        expect(x.differing.zero_reference == y.differing.zero_reference, "zero_reference");
    }
    if constexpr (contains(Set, metric::ratios))
        expect(x.ratios.within_1e3 == y.ratios.within_1e3 && x.ratios.within_5e3 == y.ratios.within_5e3, "ratios");
    if constexpr (contains(Set, metric::mean_abs_err)) expect(x.abs_sum == y.abs_sum, "abs_sum");
    if constexpr (contains(Set, metric::ulp)) {
        expect(same_maximum(x.ulp.largest, y.ulp.largest), "ulp");
        expect(x.ulp.sum_low == y.ulp.sum_low && x.ulp.sum_high == y.ulp.sum_high, "ulp sum");
        expect(x.ulp.mixed_formats == y.ulp.mixed_formats, "mixed_formats");
    }
    if constexpr (contains(Set, metric::outside_tolerance)) expect(same_event(x.outside.outside, y.outside.outside), "outside");
    if constexpr (contains(Set, metric::bits)) expect(same_event(x.bits.differing, y.bits.differing), "bits");
    return names;
}

/// The levels that this processor has.
inline std::vector<plumb::cpu_level> levels() {
    std::vector<plumb::cpu_level> result;
    for (int i = 1; i <= static_cast<int>(plumb::best_cpu_level()); ++i)
        if (plumb::kernels::pair_kernels_of<0>(static_cast<plumb::cpu_level>(i)) != nullptr)
            result.push_back(static_cast<plumb::cpu_level>(i));
    return result;
}

constexpr plumb::dtype types[] = {plumb::dtype::f16, plumb::dtype::bf16, plumb::dtype::f32};

} // namespace fast_pairs
