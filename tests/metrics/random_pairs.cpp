#include "random_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace {

struct float_layout {
    int exponent_bits, fraction_bits;
    bool has_infinities;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    std::uint64_t sign() const { return std::uint64_t{1} << (exponent_bits + fraction_bits); }
    std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
    std::uint64_t largest() const { return has_infinities ? infinity() - 1 : sign() - 2; }
};

float_layout layout_of(plumb::dtype type) {
    switch (type) {
    case plumb::dtype::f8_e4m3fn: return {4, 3, false};
    case plumb::dtype::f8_e5m2: return {5, 2, true};
    case plumb::dtype::f16: return {5, 10, true};
    case plumb::dtype::bf16: return {8, 7, true};
    case plumb::dtype::f32: return {8, 23, true};
    default: return {11, 52, true};
    }
}

double uniform(random_engine& random) { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); }
double normal(random_engine& random) { return std::normal_distribution<double>()(random); }
std::uint64_t below(random_engine& random, std::uint64_t limit) { return random() % limit; }

/// Writes elements of one type.
class writer {
public:
    writer(random_engine& random, buffer& to) : random_(random), to_(to) {}

    void bits(std::uint64_t pattern) {
        unsigned char bytes[8];
        std::memcpy(bytes, &pattern, sizeof bytes);
        to_.bytes.insert(to_.bytes.end(), bytes, bytes + plumb::size_of(to_.type)); // little-endian
    }

    /// The number nearest to v, but no infinity.
    void number(double v) {
        if (plumb::is_floating(to_.type)) return bits(pattern_of(v));
        const int width = 8 * static_cast<int>(plumb::size_of(to_.type));
        const bool has_sign = to_.type >= plumb::dtype::i8 && to_.type <= plumb::dtype::i64;
        const double top = std::ldexp(1.0, has_sign ? width - 1 : width);
        const double whole = std::nearbyint(v);
        if (to_.type == plumb::dtype::boolean) return bits(whole != 0 ? 1 : 0);
        if (whole >= top) return bits(~std::uint64_t{0} >> (64 - width + (has_sign ? 1 : 0)));
        if (whole < 0) return bits(has_sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(std::max(whole, -top))) : 0);
        bits(static_cast<std::uint64_t>(whole));
    }

    /// Any finite number, all exponents alike.
    void any_finite() {
        const std::uint64_t pattern = random_();
        if (!plumb::is_floating(to_.type))
            return bits(to_.type == plumb::dtype::boolean ? pattern & 1 : pattern >> below(random_, 60));
        const float_layout format = layout_of(to_.type);
        const std::uint64_t magnitude = pattern & (format.sign() - 1);
        bits((magnitude <= format.largest() ? magnitude : 0) | (pattern & format.sign()));
    }

    void subnormal() {
        if (!plumb::is_floating(to_.type)) return bits(random_() & 1);
        const float_layout format = layout_of(to_.type);
        const std::uint64_t fraction = (random_() & ((std::uint64_t{1} << format.fraction_bits) - 1)) >> below(random_, 4);
        bits(fraction | (random_() & format.sign()));
    }

    void nonfinite() {
        if (!plumb::is_floating(to_.type)) return any_finite();
        const float_layout format = layout_of(to_.type);
        const std::uint64_t sign = random_() & format.sign();
        if (!format.has_infinities) return bits(sign | (format.sign() - 1));
        const bool infinite = (random_() & 1) != 0;
        const std::uint64_t payload = (random_() & ((std::uint64_t{1} << format.fraction_bits) - 1)) | 1;
        bits(sign | format.infinity() | (infinite ? 0 : payload));
    }

    void extreme() {
        if (!plumb::is_floating(to_.type))
            return bits(below(random_, 3) == 0 ? random_() & 1 : ~std::uint64_t{0} >> (random_() & 1));
        const float_layout format = layout_of(to_.type);
        const std::uint64_t one = static_cast<std::uint64_t>(format.bias()) << format.fraction_bits;
        const std::uint64_t magnitudes[] = {format.largest(),
                                            format.largest(),
                                            format.largest() - 1,
                                            1,
                                            0,
                                            one,
                                            one + 1,
                                            std::uint64_t{1} << format.fraction_bits};
        bits(magnitudes[below(random_, 8)] | (random_() & format.sign()));
    }

    /// A number a few representable values from the last one that `other`, a buffer of the same type, holds.
    void beside(const buffer& other) {
        std::uint64_t pattern = 0;
        std::memcpy(&pattern, other.at(other.size() - 1), plumb::size_of(to_.type));
        const std::uint64_t moved = pattern + below(random_, 5) - 2;
        if (!plumb::is_floating(to_.type)) return bits(to_.type == plumb::dtype::boolean ? pattern : moved);
        const float_layout format = layout_of(to_.type);
        bits((moved & (format.sign() - 1)) <= format.largest() ? moved : pattern);
    }

private:
    std::uint64_t pattern_of(double v) const {
        const float_layout format = layout_of(to_.type);
        const std::uint64_t sign = std::signbit(v) ? format.sign() : 0;
        if (v == 0) return sign;
        int exponent = 0;
        std::frexp(v, &exponent);
        exponent = std::max(exponent - 1, 1 - format.bias());
        if (exponent > format.bias() + 1) return sign | format.largest();
        const auto steps = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(std::fabs(v), format.fraction_bits - exponent)));
        const std::uint64_t pattern = (static_cast<std::uint64_t>(exponent + format.bias() - 1) << format.fraction_bits) + steps;
        return sign | std::min(pattern, format.largest());
    }

    random_engine& random_;
    buffer& to_;
};

} // namespace

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::size_t random_length(random_engine& random) {
    const std::uint64_t which = below(random, 20);
    if (which < 4) return below(random, 6);
    if (which < 10) return (std::size_t{1} << (3 + below(random, 4))) - 1 + below(random, 3);
    if (which < 16) return below(random, 200);
    if (which < 18) return 255 + below(random, 3);
    if (which < 19) return 500 + below(random, 600);
    return 2047 + below(random, 2954);
}

buffer_pair random_pair(random_engine& random, pair_kind kind, plumb::dtype actual, plumb::dtype reference, std::size_t n) {
    buffer_pair pair{{actual, {}}, {reference, {}}, {}};
    writer a(random, pair.actual), b(random, pair.reference);
    const bool floating = plumb::is_floating(actual) && plumb::is_floating(reference);
    const double whole = floating ? 1.0 : 40.0; // integers need some size to differ
    const double scale = whole * std::ldexp(1.0, floating ? static_cast<int>(below(random, 12)) - 6 : 0);
    const double noise = below(random, 4) == 0 ? 0.0 : std::ldexp(1.0, -static_cast<int>(below(random, 26)));
    const bool actual_zero = below(random, 3) == 0, reference_zero = below(random, 3) == 0;
    double kept_a = 0, kept_b = 0, run_scale = 1;

    for (std::size_t i = 0; i < n; ++i) {
        switch (kind) {
        case pair_kind::normal: {
            const double v = scale * normal(random);
            a.number(v + noise * scale * normal(random));
            b.number(v);
            break;
        }
        case pair_kind::log_uniform:
            a.any_finite();
            b.any_finite();
            break;
        case pair_kind::cancelling:
            if (i + 1 == n) { // the one term that stays
                a.number(scale * std::ldexp(uniform(random), -static_cast<int>(below(random, 20))));
                b.number(scale * std::ldexp(uniform(random), -static_cast<int>(below(random, 20))));
            } else if (i % 2 == 0) {
                kept_a = std::ldexp(scale * uniform(random), floating ? static_cast<int>(below(random, 24)) - 12 : 0);
                kept_b = std::ldexp(scale * uniform(random), floating ? static_cast<int>(below(random, 24)) - 12 : 0);
                a.number(kept_a);
                b.number(kept_b);
            } else {
                a.number(kept_a);
                b.number(-kept_b);
            }
            break;
        case pair_kind::subnormal:
            a.subnormal();
            b.subnormal();
            break;
        case pair_kind::ties:
            a.number(std::floor(4 * uniform(random)) * scale);
            b.number(std::floor(4 * uniform(random)) * scale);
            break;
        case pair_kind::nonfinite:
            if (below(random, 10) == 0)
                a.nonfinite();
            else
                a.any_finite();
            if (below(random, 10) == 0)
                b.nonfinite();
            else
                b.any_finite();
            break;
        case pair_kind::zeros:
            a.number((actual_zero || below(random, 4) != 0) ? std::copysign(0.0, uniform(random)) : scale * normal(random));
            b.number((reference_zero || below(random, 4) != 0) ? std::copysign(0.0, uniform(random)) : scale * normal(random));
            break;
        case pair_kind::neighbours:
            b.any_finite();
            if (actual == reference) {
                a.beside(pair.reference);
            } else { // as close as the types allow, at a scale that both have
                const double v = whole * std::ldexp(uniform(random), static_cast<int>(below(random, 8)) - 4);
                pair.reference.bytes.resize(pair.reference.bytes.size() - plumb::size_of(reference));
                b.number(v);
                a.number(v);
            }
            break;
        case pair_kind::extremes:
            a.extreme();
            b.extreme();
            break;
        case pair_kind::jumps: {
            if (i % 64 == 0) run_scale = std::ldexp(whole, floating ? static_cast<int>(below(random, 28)) - 14 : 0);
            const double v = run_scale * normal(random);
            a.number(v * (1 + noise * normal(random)));
            b.number(v);
            break;
        }
        default: {
            const double k = 1.0 + static_cast<double>(below(random, 8)), parts = below(random, 2) == 0 ? 1000.0 : 200.0;
            const double step = below(random, 3) == 0 ? k * std::ldexp(1.0, -24) : 0.0;
            a.number((parts + (below(random, 2) == 0 ? 1 : -1)) * k + step);
            b.number(parts * k);
        }
        }
    }

    // Tolerances that are often met exactly: that of one pair's own error, and powers of two.
    const auto double_at = [](const buffer& x, std::size_t i) {
        double v = 0;
        float f = 0;
        if (x.type == plumb::dtype::f64) std::memcpy(&v, x.at(i), sizeof v);
        if (x.type == plumb::dtype::f32) std::memcpy(&f, x.at(i), sizeof f);
        return x.type == plumb::dtype::f32 ? double{f} : v;
    };
    switch (below(random, 5)) {
    case 0: break;
    case 1: pair.limits = {1e-3, 1e-5}; break;
    case 2:
        pair.limits = {std::ldexp(1.0, -static_cast<int>(below(random, 12))),
                       std::ldexp(1.0, -static_cast<int>(below(random, 12)))};
        break;
    case 3: {
        const std::uint64_t exponents[2] = {below(random, 2047), below(random, 2047)};
        const std::uint64_t patterns[2] = {exponents[0] << 52 | random() >> 12, exponents[1] << 52 | random() >> 12};
        std::memcpy(&pair.limits.rtol, &patterns[0], 8);
        std::memcpy(&pair.limits.atol, &patterns[1], 8);
        break;
    }
    default:
        if (n > 0) {
            const std::size_t i = below(random, n);
            const double error = std::fabs(double_at(pair.actual, i) - double_at(pair.reference, i));
            if (std::isfinite(error)) pair.limits.atol = error;
        }
    }
    return pair;
}
