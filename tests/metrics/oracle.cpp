#include "oracle.hpp"

#include "big_integer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace oracle {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

using integer = big_integer;

int sign_of(mpz_srcptr x) { return mpz_sgn(x); }

/// The double nearest to (x + rest) * 2^exponent, 0 <= rest < 1, ties to even; `rest` says whether there is one, in which case
/// x has 64 bits or more.
double round_once(const integer& x, long exponent, bool rest) {
    if (sign_of(x) == 0) return 0.0;
    const long width = static_cast<long>(mpz_sizeinbase(x, 2));
    const long lowest = std::max(exponent + width - 53, -1074L); // exponent of the result's last place
    const long drop = lowest - exponent;
    integer kept;
    if (drop <= 0) {
        mpz_mul_2exp(kept, x, static_cast<mp_bitcnt_t>(-drop));
    } else {
        const auto bits = static_cast<mp_bitcnt_t>(drop);
        mpz_fdiv_q_2exp(kept, x, bits);
        const bool half = mpz_tstbit(x, bits - 1) != 0;
        const bool above = half && (rest || mpz_scan1(x, 0) < bits - 1);
        if (above || (half && mpz_odd_p(static_cast<mpz_srcptr>(kept)) != 0)) mpz_add_ui(kept, kept, 1);
    }
    return std::ldexp(mpz_get_d(kept), static_cast<int>(lowest)); // at most 2^53: exact
}

/// The double nearest to p / q * 2^exponent.
double quotient(const integer& p, const integer& q, long exponent) {
    if (sign_of(p) == 0) return 0.0;
    const long surplus = static_cast<long>(mpz_sizeinbase(p, 2)) - static_cast<long>(mpz_sizeinbase(q, 2));
    const long shift = surplus < 70 ? 70 - surplus : 0;
    integer scaled, whole, rest;
    mpz_mul_2exp(scaled, p, static_cast<mp_bitcnt_t>(shift));
    mpz_tdiv_qr(whole, rest, scaled, q);
    return round_once(whole, exponent - shift, sign_of(rest) != 0);
}

/// The double nearest to sqrt(p / q * 2^exponent).
double root(const integer& p, const integer& q, long exponent) {
    if (sign_of(p) == 0) return 0.0;
    const long surplus = static_cast<long>(mpz_sizeinbase(p, 2)) - static_cast<long>(mpz_sizeinbase(q, 2));
    long shift = surplus < 140 ? 140 - surplus : 0;
    if ((exponent - shift) % 2 != 0) ++shift;
    integer scaled, whole, rest, square_rest, result;
    mpz_mul_2exp(scaled, p, static_cast<mp_bitcnt_t>(shift));
    mpz_tdiv_qr(whole, rest, scaled, q);
    mpz_sqrtrem(result, square_rest, whole); // floor(sqrt(floor(x))) is floor(sqrt(x))
    return round_once(result, (exponent - shift) / 2, sign_of(rest) != 0 || sign_of(square_rest) != 0);
}

/// The number that a bit pattern stands for: sign, exponent and fraction from the top down. Exact up to binary32.
double small_float_value(std::uint32_t bits, int exponent_bits, int fraction_bits, bool has_infinities) {
    const double sign = (bits >> (exponent_bits + fraction_bits) & 1) != 0 ? -1.0 : 1.0;
    const int field = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const double fraction = static_cast<double>(bits & ((1u << fraction_bits) - 1)) / std::ldexp(1.0, fraction_bits);
    const int top = (1 << exponent_bits) - 1, bias = (1 << (exponent_bits - 1)) - 1;
    if (field == top && has_infinities) return fraction == 0.0 ? sign * infinity : quiet_nan;
    if (field == top && fraction == 1.0 - std::ldexp(1.0, -fraction_bits)) return quiet_nan;
    return field == 0 ? sign * std::ldexp(fraction, 1 - bias) : sign * std::ldexp(1.0 + fraction, field - bias);
}

/// One element: a double, or an integer too wide for one, and its place among the numbers of its type.
struct element {
    double value = 0.0; ///< of a floating-point type
    integer mantissa;   ///< the number is mantissa * 2^exponent
    long exponent = 0;
    integer place; ///< number of steps from zero, signed
    bool finite = true, subnormal = false, saturated = false;
};

struct layout {
    int exponent_bits, fraction_bits;
    bool has_infinities;
};

layout layout_of(plumb::dtype type) {
    switch (type) {
    case plumb::dtype::f8_e4m3fn: return {4, 3, false};
    case plumb::dtype::f8_e5m2: return {5, 2, true};
    case plumb::dtype::f16: return {5, 10, true};
    case plumb::dtype::bf16: return {8, 7, true};
    case plumb::dtype::f32: return {8, 23, true};
    default: return {11, 52, true};
    }
}

template <class T>
T load(const unsigned char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

element read_element(plumb::dtype type, const unsigned char* at) {
    element x;
    const auto set_integer = [&](auto value) {
        mpz_import(x.mantissa, 1, -1, sizeof value, 0, 0, &value); // the magnitude, for what is not negative
        if (value < 0) mpz_set_si(x.mantissa, static_cast<long>(value));
        x.place = x.mantissa;
    };
    switch (type) {
    case plumb::dtype::boolean: mpz_set_ui(x.mantissa, *at != 0 ? 1 : 0); break;
    case plumb::dtype::i8: set_integer(load<std::int8_t>(at)); return x;
    case plumb::dtype::i16: set_integer(load<std::int16_t>(at)); return x;
    case plumb::dtype::i32: set_integer(load<std::int32_t>(at)); return x;
    case plumb::dtype::i64: set_integer(load<std::int64_t>(at)); return x;
    case plumb::dtype::u8: set_integer(load<std::uint8_t>(at)); return x;
    case plumb::dtype::u16: set_integer(load<std::uint16_t>(at)); return x;
    case plumb::dtype::u32: set_integer(load<std::uint32_t>(at)); return x;
    case plumb::dtype::u64: set_integer(load<std::uint64_t>(at)); return x;
    default: break;
    }
    if (type == plumb::dtype::boolean) {
        x.place = x.mantissa;
        return x;
    }

    const layout format = layout_of(type);
    std::uint64_t bits = 0;
    if (type == plumb::dtype::f64) {
        bits = load<std::uint64_t>(at);
        x.value = load<double>(at);
    } else {
        std::memcpy(&bits, at, plumb::size_of(type)); // little-endian
        x.value = small_float_value(static_cast<std::uint32_t>(bits), format.exponent_bits, format.fraction_bits,
                                    format.has_infinities);
    }
    x.finite = std::isfinite(x.value);
    if (!x.finite) return x;

    int exponent = 0;
    const double fraction = std::frexp(x.value, &exponent);
    mpz_set_d(x.mantissa, std::ldexp(fraction, 53));
    x.exponent = exponent - 53;
    const std::uint64_t sign = std::uint64_t{1} << (format.exponent_bits + format.fraction_bits);
    const std::uint64_t magnitude = bits & (sign - 1);
    mpz_set_ui(x.place, magnitude);
    if ((bits & sign) != 0) mpz_neg(x.place, x.place);
    x.subnormal = magnitude != 0 && magnitude >> format.fraction_bits == 0;
    const std::uint64_t top = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
    x.saturated = magnitude == (format.has_infinities ? top - 1 : sign - 2);
    return x;
}

std::vector<element> read_all(plumb::dtype type, const void* data, std::size_t n) {
    std::vector<element> all;
    all.reserve(n);
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < n; ++i) all.push_back(read_element(type, at + i * plumb::size_of(type)));
    return all;
}

void count_nonfinite(plumb::nonfinite_counts& counts, const element& x) {
    if (x.finite) return;
    if (std::isnan(x.value))
        ++counts.nan;
    else
        ++(x.value > 0 ? counts.pos_inf : counts.neg_inf);
}

/// x * 2^shift
integer shifted(const integer& x, long shift) {
    integer result;
    mpz_mul_2exp(result, x, static_cast<mp_bitcnt_t>(shift));
    return result;
}

void note_first(std::optional<std::uint64_t>& first, std::size_t i) {
    if (!first) first = i;
}

void offer(double& best, std::optional<std::uint64_t>& index, double value, std::size_t i) {
    if (index && !(value > best)) return;
    best = value;
    index = i;
}

} // namespace

plumb::pair_report pairs(plumb::dtype actual_type, const void* actual, plumb::dtype reference_type, const void* reference,
                         std::size_t n, const plumb::tolerance& limits) {
    const std::vector<element> as = read_all(actual_type, actual, n), bs = read_all(reference_type, reference, n);
    const bool same_type = actual_type == reference_type;
    plumb::pair_report r;
    r.count = n;
    r.outside_tolerance = 0;
    r.limits = limits;
    if (same_type || n == 0) {
        r.differing_bits = 0;
        r.max_ulp_err = r.mean_ulp_err = std::numeric_limits<double>::quiet_NaN(); // until there is a finite pair
    }

    long unit = 0; // exponent of a power of two that every element is a multiple of
    for (std::size_t i = 0; i < n; ++i)
        for (const element* x : {&as[i], &bs[i]})
            if (x->finite && sign_of(x->mantissa) != 0) unit = std::min(unit, x->exponent);

    int rtol_exponent = 0, atol_exponent = 0;
    integer rtol, atol; // limits.rtol = rtol * 2^rtol_exponent
    mpz_set_d(rtol, std::ldexp(std::frexp(limits.rtol, &rtol_exponent), 53));
    mpz_set_d(atol, std::ldexp(std::frexp(limits.atol, &atol_exponent), 53));
    rtol_exponent -= 53;
    atol_exponent -= 53;
    const long tolerance_unit = std::min({unit, static_cast<long>(atol_exponent), rtol_exponent + unit});

    integer ab, aa, bb, squares, magnitudes, steps, distance, limit, scaled;
    std::uint64_t within_1e3 = 0, within_5e3 = 0;
    double max_abs = 0, max_rel = 0, max_ulp = 0;
    std::optional<std::uint64_t> max_abs_index, max_rel_index, max_ulp_index;
    for (std::size_t i = 0; i < n; ++i) {
        const element &ea = as[i], &eb = bs[i];
        if (same_type) {
            const std::size_t bytes = plumb::size_of(actual_type);
            if (std::memcmp(static_cast<const char*>(actual) + i * bytes, static_cast<const char*>(reference) + i * bytes,
                            bytes) != 0) {
                ++*r.differing_bits;
                note_first(r.first_differing_bits_index, i);
            }
        }
        count_nonfinite(r.actual_nonfinite, ea);
        count_nonfinite(r.reference_nonfinite, eb);
        if (!ea.finite || !eb.finite) {
            const bool matched =
                !ea.finite && !eb.finite && ((std::isnan(ea.value) && std::isnan(eb.value)) || ea.value == eb.value);
            if (matched) {
                ++r.nonfinite_matched;
            } else {
                ++r.nonfinite_mismatched;
                note_first(r.first_mismatch_index, i);
                ++r.differing;
                note_first(r.first_differing_index, i);
            }
            continue;
        }
        ++r.finite_pairs;
        const integer a = sign_of(ea.mantissa) == 0 ? integer() : shifted(ea.mantissa, ea.exponent - unit);
        const integer b = sign_of(eb.mantissa) == 0 ? integer() : shifted(eb.mantissa, eb.exponent - unit);
        mpz_addmul(ab, a, b);
        mpz_addmul(aa, a, a);
        mpz_addmul(bb, b, b);
        integer d, b_size;
        mpz_sub(d, a, b);
        mpz_abs(d, d);
        mpz_abs(b_size, b);
        mpz_addmul(squares, d, d);
        mpz_add(magnitudes, magnitudes, d);

        offer(max_abs, max_abs_index, round_once(d, unit, false), i);
        const double rel = sign_of(d) == 0 ? 0.0 : sign_of(b) == 0 ? infinity : quotient(d, b_size, 0);
        offer(max_rel, max_rel_index, rel, i);
        if (sign_of(d) != 0) {
            ++r.differing;
            note_first(r.first_differing_index, i);
            if (sign_of(b) == 0) ++r.zero_reference;
        }
        mpz_mul_ui(scaled, d, 1000);
        within_1e3 += sign_of(d) == 0 || mpz_cmp(scaled, b_size) < 0;
        mpz_mul_ui(scaled, d, 200);
        within_5e3 += sign_of(d) == 0 || mpz_cmp(scaled, b_size) < 0;

        mpz_mul(limit, rtol, b_size);
        mpz_mul_2exp(limit, limit, static_cast<mp_bitcnt_t>(rtol_exponent + unit - tolerance_unit));
        mpz_mul_2exp(scaled, atol, static_cast<mp_bitcnt_t>(atol_exponent - tolerance_unit));
        mpz_add(limit, limit, scaled);
        mpz_mul_2exp(scaled, d, static_cast<mp_bitcnt_t>(unit - tolerance_unit));
        if (mpz_cmp(scaled, limit) > 0) {
            ++*r.outside_tolerance;
            note_first(r.first_outside_index, i);
        }
        if (same_type) {
            mpz_sub(distance, ea.place, eb.place);
            mpz_abs(distance, distance);
            mpz_add(steps, steps, distance);
            offer(max_ulp, max_ulp_index, round_once(distance, 0, false), i);
        }
    }
    if (r.finite_pairs == 0) return r;

    integer pairs;
    mpz_set_ui(pairs, r.finite_pairs);
    const bool zero_a = sign_of(aa) == 0, zero_b = sign_of(bb) == 0;
    r.cosine_defined = zero_a == zero_b;
    if (zero_a && zero_b) {
        r.cosine = 1.0;
    } else if (r.cosine_defined) {
        integer p, q;
        mpz_mul(p, ab, ab);
        mpz_mul(q, aa, bb);
        r.cosine = root(p, q, 0);
        if (sign_of(ab) < 0) r.cosine = -r.cosine;
    }
    r.max_abs_err = max_abs;
    r.max_abs_err_index = max_abs_index;
    r.max_rel_err = max_rel;
    r.max_rel_err_index = max_rel_index;
    r.euclidean = root(squares, 1, 2 * unit);
    r.rmse = root(squares, pairs, 2 * unit);
    r.rel_l2_err = zero_b ? (zero_a ? 0.0 : infinity) : root(squares, bb, 0);
    integer within;
    mpz_set_ui(within, within_1e3);
    r.ratio_1e3 = quotient(within, pairs, 0);
    mpz_set_ui(within, within_5e3);
    r.ratio_5e3 = quotient(within, pairs, 0);
    r.mean_abs_err = quotient(magnitudes, pairs, unit);
    if (same_type) {
        r.max_ulp_err = max_ulp;
        r.max_ulp_err_index = max_ulp_index;
        r.mean_ulp_err = quotient(steps, pairs, 0);
    }
    return r;
}

plumb::tensor_report tensor(plumb::dtype type, const void* data, std::size_t n) {
    const std::vector<element> all = read_all(type, data, n);
    plumb::tensor_report r;
    r.count = n;
    long unit = 0;
    for (const element& x : all)
        if (x.finite && sign_of(x.mantissa) != 0) unit = std::min(unit, x.exponent);
    integer sum, squares, least, greatest;
    for (std::size_t i = 0; i < n; ++i) {
        const element& x = all[i];
        count_nonfinite(r.nonfinite, x);
        if (!x.finite) {
            note_first(r.first_nonfinite_index, i);
            continue;
        }
        const integer a = sign_of(x.mantissa) == 0 ? integer() : shifted(x.mantissa, x.exponent - unit);
        if (r.finite == 0 || mpz_cmp(a, least) < 0) least = a;
        if (r.finite == 0 || mpz_cmp(a, greatest) > 0) greatest = a;
        ++r.finite;
        r.zeros += sign_of(a) == 0;
        r.subnormals += x.subnormal;
        r.saturated += x.saturated;
        mpz_add(sum, sum, a);
        mpz_addmul(squares, a, a);
    }
    if (r.finite == 0) return r;
    const auto signed_quotient = [unit](const integer& p, const integer& q) {
        integer size;
        mpz_abs(size, p);
        return sign_of(p) < 0 ? -quotient(size, q, unit) : quotient(size, q, unit);
    };
    integer finite;
    mpz_set_ui(finite, r.finite);
    r.min = signed_quotient(least, 1);
    r.max = signed_quotient(greatest, 1);
    r.mean = signed_quotient(sum, finite);
    r.norm = root(squares, 1, 2 * unit);
    return r;
}

} // namespace oracle
