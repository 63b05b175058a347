/// \file
/// log, log1p, exp, sin and cos rounded correctly from double-double arithmetic: the same bits on every platform.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/detail/value_barrier.hpp>
#include <plumb/random/multiply_add.hpp>

#include <cstddef>
#include <cstdint>

namespace plumb::rng::detail::portable {
inline namespace PLUMB_TARGET {

using plumb::detail::bit_cast;
using plumb::detail::value_barrier;

/// A number as the unevaluated sum of two doubles, high = high + low rounded: about 106 bits.
struct double_double {
    double high, low;
};

/// 1 / n!
inline constexpr double_double inverse_factorials[] = {
    {0x1.0000000000000p+0, 0x0p+0},
    {0x1.0000000000000p+0, 0x0p+0},
    {0x1.0000000000000p-1, 0x0p+0},
    {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
    {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
    {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
    {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92},
    {0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97},
    {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},
    {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
    {0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107},
    {0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112},
    {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},
    {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
    {0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124},
    {0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130},
    {0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135},
    {0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
    {0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd16540p-143},
    {0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149},
    {0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},
    {0x1.259f98b4358adp-103, 0x1.eaf8c39dd9bc5p-157},
};
/// 1 / (2n + 1)
inline constexpr double_double inverse_odds[] = {
    {0x1.0000000000000p+0, 0x0p+0},
    {0x1.5555555555555p-2, 0x1.5555555555555p-56},
    {0x1.999999999999ap-3, -0x1.999999999999ap-57},
    {0x1.2492492492492p-3, 0x1.2492492492492p-57},
    {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
    {0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59},
    {0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58},
    {0x1.1111111111111p-4, 0x1.1111111111111p-60},
    {0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1ep-61},
    {0x1.af286bca1af28p-5, 0x1.af286bca1af28p-59},
    {0x1.8618618618618p-5, 0x1.8618618618618p-59},
    {0x1.642c8590b2164p-5, 0x1.642c8590b2164p-60},
    {0x1.47ae147ae147bp-5, -0x1.eb851eb851eb8p-61},
    {0x1.2f684bda12f68p-5, 0x1.2f684bda12f68p-59},
    {0x1.1a7b9611a7b96p-5, 0x1.1a7b9611a7b96p-61},
    {0x1.0842108421084p-5, 0x1.0842108421084p-60},
    {0x1.f07c1f07c1f08p-6, -0x1.f07c1f07c1f08p-61},
    {0x1.d41d41d41d41dp-6, 0x1.0750750750750p-60},
    {0x1.bacf914c1bad0p-6, -0x1.bacf914c1bad0p-60},
    {0x1.a41a41a41a41ap-6, 0x1.0690690690690p-60},
    {0x1.8f9c18f9c18fap-6, -0x1.f3831f3831f38p-61},
    {0x1.7d05f417d05f4p-6, 0x1.7d05f417d05f4p-62},
};
/// A constant in pieces: integers up to 2^20 times the first two, of 33 bits each, are exact.
struct pieces {
    double first, second;
    double_double rest;
};
inline constexpr pieces half_pi = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, {0x1.3198a2e037073p-69, 0x1.129024e088a68p-123}};
inline constexpr pieces ln2 = {0x1.62e42fef00000p-1, 0x1.473de6af00000p-34, {0x1.3c7673007e5edp-69, 0x1.7a079a193394cp-123}};

/// a + b exactly, if |a| >= |b| or a is 0 (Dekker).
PLUMB_ALWAYS_INLINE double_double ordered_sum(double a, double b) noexcept {
    const double s = value_barrier(a + b);
    return {s, value_barrier(b - value_barrier(s - a))};
}

/// a + b exactly (Knuth).
PLUMB_ALWAYS_INLINE double_double sum(double a, double b) noexcept {
    const double s = value_barrier(a + b);
    const double part = value_barrier(s - a);
    const double rest = value_barrier(a - value_barrier(s - part));
    return {s, value_barrier(rest + value_barrier(b - part))};
}

PLUMB_ALWAYS_INLINE double_double add(double_double a, double_double b) noexcept {
    const double_double high = sum(a.high, b.high), low = sum(a.low, b.low);
    const double_double s = ordered_sum(high.high, value_barrier(high.low + low.high));
    return ordered_sum(s.high, value_barrier(s.low + low.low));
}

PLUMB_ALWAYS_INLINE double_double multiply(double_double a, double_double b) noexcept {
    const double p = value_barrier(a.high * b.high);
    const double error = value_barrier(fused(a.high, b.high, -p));
    const double cross = value_barrier(value_barrier(a.high * b.low) + value_barrier(a.low * b.high));
    return ordered_sum(p, value_barrier(error + cross));
}

PLUMB_ALWAYS_INLINE double_double negate(double_double a) noexcept { return {-a.high, -a.low}; }

/// a / b, by two steps of long division.
PLUMB_ALWAYS_INLINE double_double divide(double_double a, double_double b) noexcept {
    const double first = value_barrier(a.high / b.high);
    double_double rest = add(a, negate(multiply(b, {first, 0.0})));
    const double second = value_barrier(rest.high / b.high);
    rest = add(rest, negate(multiply(b, {second, 0.0})));
    const double third = value_barrier(rest.high / b.high);
    const double_double q = ordered_sum(first, second);
    return add(q, {third, 0.0});
}

/// k * c for an integer |k| < 2^20.
PLUMB_ALWAYS_INLINE double_double multiple(double k, const pieces& c) noexcept {
    const double_double head = ordered_sum(value_barrier(k * c.first), value_barrier(k * c.second));
    return add(head, multiply(c.rest, {k, 0.0}));
}

/// x - k * c for an integer |k| < 2^20, accurate however much cancels.
PLUMB_ALWAYS_INLINE double_double reduce(double x, double k, const pieces& c) noexcept {
    const double_double head = sum(x, -value_barrier(k * c.first));
    const double_double middle = add(head, {-value_barrier(k * c.second), 0.0});
    return add(middle, negate(multiply(c.rest, {k, 0.0})));
}

/// The nearest integer to a small x, without a libm call.
PLUMB_ALWAYS_INLINE double nearest(double x) noexcept {
    return static_cast<double>(static_cast<std::int64_t>(x + (x < 0 ? -0.5 : 0.5)));
}

/// The logarithm of a normal x > 0 given as a double_double.
inline double log(double_double x) noexcept {
    // x = 2^e * m with m in [sqrt(1/2), sqrt(2)); then log m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.1716.
    const auto bits = bit_cast<std::uint64_t>(x.high);
    constexpr std::uint64_t sqrt2_fraction = 0x6a09e667f3bcd;
    const int up = (bits & 0xfffffffffffff) > sqrt2_fraction ? 1 : 0;
    const int e = static_cast<int>(bits >> 52) - 1023 + up;
    const double scale = bit_cast<double>(static_cast<std::uint64_t>(1023 - e) << 52);
    const double_double m = {value_barrier(x.high * scale), value_barrier(x.low * scale)};

    const double_double s = divide(add(m, {-1.0, 0.0}), add(m, {1.0, 0.0}));
    const double_double z = multiply(s, s);
    constexpr std::size_t terms = sizeof inverse_odds / sizeof *inverse_odds;
    double_double series = inverse_odds[terms - 1];
    for (std::size_t n = terms - 1; n-- > 0;) series = add(multiply(series, z), inverse_odds[n]);
    const double_double log_m = multiply({2.0 * s.high, 2.0 * s.low}, series);
    return add(multiple(e, ln2), log_m).high;
}

/// log(x), x > 0 and normal.
inline double log(double x) noexcept { return log(double_double{x, 0.0}); }

/// log(1 + x), x > -1.
inline double log1p(double x) noexcept { return log(sum(1.0, x)); }

/// e^x, -700 < x < 700.
inline double exp(double x) noexcept {
    const double k = nearest(x * 1.4426950408889634);
    const double_double r = reduce(x, k, ln2); // |r| <= 0.35
    double_double series = inverse_factorials[25];
    for (std::size_t n = 25; n-- > 0;) series = add(multiply(series, r), inverse_factorials[n]);
    return value_barrier(series.high * bit_cast<double>(static_cast<std::uint64_t>(1023 + static_cast<int>(k)) << 52));
}

struct sine_cosine {
    double sine, cosine;
};

/// The sine and cosine of x, |x| < 2^20.
inline sine_cosine sincos(double x) noexcept {
    const double k = nearest(x * 0.6366197723675814);
    const double_double r = reduce(x, k, half_pi); // |r| <= pi / 4
    const double_double z = negate(multiply(r, r));
    double_double odd = inverse_factorials[29], even = inverse_factorials[28];
    for (std::size_t n = 28; n > 0; n -= 2) {
        odd = add(multiply(odd, z), inverse_factorials[n - 1]);
        even = add(multiply(even, z), inverse_factorials[n - 2]);
    }
    const double sine = multiply(r, odd).high, cosine = even.high;
    switch (static_cast<std::int64_t>(k) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
    }
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::detail::portable
