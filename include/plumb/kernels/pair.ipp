// The kernels for a block of pairs, written once over a vector layer. Included once per processor level, inside a namespace
// that holds the layer: see for_each_target.hpp. No header may be included here, and a lambda would not get the region's
// target. Nothing here decides a result: sums are exact, and what may be a maximum is decided by pair_error.hpp.

// Bytes by which the kernels read ahead of themselves into the cache.
inline constexpr std::size_t read_ahead = 4096;

PLUMB_ALWAYS_INLINE double power_of_two(int exponent) {
    return detail::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Where a running sum starts whose last place is to be 2^exponent: it can move by 2^51 places either way.
PLUMB_ALWAYS_INLINE double bin_base(int exponent) { return 1.5 * power_of_two(exponent + 52); }

// The fewer lanes, the more terms in each and the fewer bits left for them.
inline constexpr std::size_t level_block_pairs = lanes < 8 ? block_pairs : max_block_pairs;

// log2, rounded up, of n; and of the number of terms in each lane of each running sum in doubles.
PLUMB_ALWAYS_INLINE constexpr int log2_of(std::size_t n) {
    int log2 = 0;
    while (std::size_t{1} << log2 < n) ++log2;
    return log2;
}
PLUMB_ALWAYS_INLINE constexpr int log2_terms(std::size_t n) { return log2_of(n / (lanes / 2 * chains)); }

template <class T>
PLUMB_ALWAYS_INLINE void read_ahead_of(const T* p) {
    for (std::size_t byte = 0; byte < step_pairs * sizeof(T); byte += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(p) + read_ahead + byte);
}

// ---- Exact sums --------------------------------------------------------------------------------------------------------

// sum + x * y, cut off below the last place of `high`; what is cut off goes to `low`. The product is exact, so it is the same
// number whether the processor fuses or not. (T. Ogita, S. M. Rump, S. Oishi, Accurate sum and dot product, 2005; the fixed
// bins are those of Rump's extraction of vectors and of ReproBLAS.)
struct two_fold {
    f64v high, low;
};
PLUMB_ALWAYS_INLINE void fold(two_fold& sum, f64v x, f64v y) {
    const f64v next = seal(multiply_add(x, y, sum.high));
    const f64v cut = seal(subtract(sum.high, next));
    sum.low = seal(add(sum.low, seal(multiply_add(x, y, cut))));
    sum.high = next;
}
PLUMB_ALWAYS_INLINE void fold(two_fold& sum, f64v x) {
    const f64v next = seal(add(sum.high, x));
    const f64v cut = seal(subtract(next, sum.high));
    sum.low = seal(add(sum.low, seal(subtract(x, cut))));
    sum.high = next;
}

// Bins for sums of terms below 2^top with n terms in each lane: the lane's sum stays below 2^(top + log2 n), and what n
// additions cut off stays below n halves of the last place.
struct bin_exponents {
    int high, low;
};
PLUMB_ALWAYS_INLINE bin_exponents bins_for(int top, int log2_n) {
    const int high = top + log2_n - 51;
    return {high, high + log2_n - 51};
}

PLUMB_ALWAYS_INLINE exact_term total(const two_fold (&sum)[chains], const bin_exponents& bins) {
    std::int64_t high = 0, low = 0;
    PLUMB_UNROLL
    for (std::size_t c = 0; c < chains; ++c) {
        high += steps_from(sum[c].high, bin_base(bins.high));
        low += steps_from(sum[c].low, bin_base(bins.low));
    }
    return {detail::int128{high} * (detail::int128{1} << (bins.high - bins.low)) + low, bins.low};
}

// How many bits there may be between the top and the unit of numbers whose products are to be summed: the last place of the
// low bin must not exceed the unit of the products.
PLUMB_ALWAYS_INLINE constexpr int product_bits(int log2_n) { return 51 - log2_n; }

inline bool ranges_fit(block_range a, block_range b, int log2_n) {
    return a.top - a.unit <= product_bits(log2_n) && b.top - b.unit <= product_bits(log2_n);
}

// Sums of the products of numbers within two ranges that fit.
#if !defined(PLUMB_LAYER_HAS_IFMA)

struct product_sums {
    bin_exponents bins_ab, bins_aa, bins_bb;
    two_fold ab[chains], aa[chains], bb[chains];

    PLUMB_ALWAYS_INLINE product_sums(block_range a, block_range b, int log2_n)
        : bins_ab(bins_for(a.top + b.top, log2_n)), bins_aa(bins_for(2 * a.top, log2_n)), bins_bb(bins_for(2 * b.top, log2_n)) {
        PLUMB_UNROLL
        for (std::size_t c = 0; c < chains; ++c) {
            ab[c] = {fill_wide(bin_base(bins_ab.high)), fill_wide(bin_base(bins_ab.low))};
            aa[c] = {fill_wide(bin_base(bins_aa.high)), fill_wide(bin_base(bins_aa.low))};
            bb[c] = {fill_wide(bin_base(bins_bb.high)), fill_wide(bin_base(bins_bb.low))};
        }
    }
    PLUMB_ALWAYS_INLINE void add_pair(std::size_t c, f64v x, f64v y) {
        fold(ab[c], x, y);
        fold(aa[c], x, x);
        fold(bb[c], y, y);
    }
    PLUMB_ALWAYS_INLINE product_terms totals() const { return {total(ab, bins_ab), total(aa, bins_aa), total(bb, bins_bb)}; }
};

#else

// With IFMA: a plain double sum, which is near, and the low 52 bits of the same sum in integers, which are exact. In units of
// the products, sum = 2^51 k + low with |low| <= 2^50, and the double sum is near enough to tell k. The low bits of x + 1.5 *
// 2^52 units are 2^51 + x, so bit 51 of a product of two such numbers is spoilt, and 51 bits remain.
//
// Each addition to a double sum below 2^(top + log2 n) errs by half its last place at most, n of them by less than
// 2^(top + 2 log2 n - 53): with ranges that fit, by less than 2^49 units.
struct near_and_low {
    f64v near;
    i32v low;
};
PLUMB_ALWAYS_INLINE exact_term total(const near_and_low (&sum)[chains], int unit) {
    i32v high = fill_int(0), low = high;
    PLUMB_UNROLL
    for (std::size_t c = 0; c < chains; ++c) {
        const i32v signed_low = _mm512_srai_epi64(_mm512_slli_epi64(sum[c].low, 13), 13);
        const f64v rest =
            seal(_mm512_fnmadd_pd(_mm512_cvtepi64_pd(signed_low), fill_wide(power_of_two(unit)), seal(sum[c].near)));
        high = _mm512_add_epi64(high, _mm512_cvtpd_epi64(seal(_mm512_mul_pd(rest, fill_wide(power_of_two(-unit - 51))))));
        low = _mm512_add_epi64(low, signed_low);
    }
    return {detail::int128{_mm512_reduce_add_epi64(high)} * (detail::int128{1} << 51) + _mm512_reduce_add_epi64(low), unit};
}

struct product_sums {
    int unit_a, unit_b;
    f64v base_a, base_b;
    near_and_low ab[chains], aa[chains], bb[chains];

    PLUMB_ALWAYS_INLINE product_sums(block_range a, block_range b, int)
        : unit_a(a.unit), unit_b(b.unit), base_a(fill_wide(bin_base(a.unit))), base_b(fill_wide(bin_base(b.unit))) {
        PLUMB_UNROLL
        for (std::size_t c = 0; c < chains; ++c) ab[c] = aa[c] = bb[c] = {fill_wide(0.0), fill_int(0)};
    }
    PLUMB_ALWAYS_INLINE void add_pair(std::size_t c, f64v x, f64v y) {
        const i32v low_x = _mm512_castpd_si512(seal(add(x, base_a))), low_y = _mm512_castpd_si512(seal(add(y, base_b)));
        ab[c].near = multiply_add(x, y, ab[c].near);
        aa[c].near = multiply_add(x, x, aa[c].near);
        bb[c].near = multiply_add(y, y, bb[c].near);
        ab[c].low = _mm512_madd52lo_epu64(ab[c].low, low_x, low_y);
        aa[c].low = _mm512_madd52lo_epu64(aa[c].low, low_x, low_x);
        bb[c].low = _mm512_madd52lo_epu64(bb[c].low, low_y, low_y);
    }
    PLUMB_ALWAYS_INLINE product_terms totals() const {
        return {total(ab, unit_a + unit_b), total(aa, 2 * unit_a), total(bb, 2 * unit_b)};
    }
};

#endif

inline bool sum_products(const float* a, const float* b, std::size_t n, block_range range_a, block_range range_b,
                         product_terms& terms) {
    const int log2_n = log2_terms(n);
    if (!ranges_fit(range_a, range_b, log2_n)) return false;
    product_sums sums(range_a, range_b, log2_n);
    constexpr std::size_t width = lanes / 2;
    for (std::size_t i = 0; i < n; i += width * chains) {
        PLUMB_UNROLL
        for (std::size_t c = 0; c < chains; ++c) sums.add_pair(c, load_wide(a + i + c * width), load_wide(b + i + c * width));
    }
    terms = sums.totals();
    return true;
}

// The sums that come with a survey: of f32 by way of doubles, of halves as integers where the processor multiplies those.
struct sums_of_doubles : product_sums {
    static constexpr int bits = product_bits(log2_terms(level_block_pairs));

    PLUMB_ALWAYS_INLINE explicit sums_of_doubles(const pair_ranges& ranges)
        : product_sums(ranges.a, ranges.b, log2_terms(level_block_pairs)) {}
    PLUMB_ALWAYS_INLINE void add(f32v, f32v, const float* a, const float* b) {
        add_pair(0, load_wide(a), load_wide(b));
        add_pair(chains - 1, load_wide(a + lanes / 2), load_wide(b + lanes / 2));
    }
};

template <class T>
struct survey_sums {
    using type = sums_of_doubles;
};

#if defined(PLUMB_LAYER_HAS_WIDE_PRODUCTS)

struct sums_of_integers {
    int unit_a, unit_b;
    f32v scale_a, scale_b;
    i32v ab[2], aa[2], bb[2];

    static constexpr int bits = (63 - log2_of(level_block_pairs / lanes)) / 2;

    PLUMB_ALWAYS_INLINE explicit sums_of_integers(const pair_ranges& ranges) : unit_a(ranges.a.unit), unit_b(ranges.b.unit) {
        scale_a = fill_bits(static_cast<std::uint32_t>(127 - unit_a) << 23);
        scale_b = fill_bits(static_cast<std::uint32_t>(127 - unit_b) << 23);
        for (int half = 0; half < 2; ++half) ab[half] = aa[half] = bb[half] = fill_int(0);
    }
    PLUMB_ALWAYS_INLINE void add_products(int half, i32v x, i32v y) {
        ab[half] = add_wide(ab[half], multiply_even(x, y));
        aa[half] = add_wide(aa[half], multiply_even(x, x));
        bb[half] = add_wide(bb[half], multiply_even(y, y));
    }
    PLUMB_ALWAYS_INLINE void add(f32v x, f32v y, const float*, const float*) {
        const i32v in_units_x = to_integers(multiply(x, scale_a)), in_units_y = to_integers(multiply(y, scale_b));
        add_products(0, in_units_x, in_units_y);
        add_products(1, odd_to_even(in_units_x), odd_to_even(in_units_y));
    }
    PLUMB_ALWAYS_INLINE product_terms totals() const {
        return {{sum_wide_lanes(ab[0]) + sum_wide_lanes(ab[1]), unit_a + unit_b},
                {sum_wide_lanes(aa[0]) + sum_wide_lanes(aa[1]), 2 * unit_a},
                {sum_wide_lanes(bb[0]) + sum_wide_lanes(bb[1]), 2 * unit_b}};
    }
};
template <>
struct survey_sums<half_bits> {
    using type = sums_of_integers;
};
template <>
struct survey_sums<brain_bits> {
    using type = sums_of_integers;
};

#endif

// ---- One look at everything --------------------------------------------------------------------------------------------

// The least of the magnitudes above zero that went into `least` by addition of INT32_MAX; 0 if there was none.
PLUMB_ALWAYS_INLINE std::int32_t magnitude_above_zero(i32v least) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(least_lane(least)) - INT32_MAX);
}

template <unsigned Parts, class T>
inline void survey_pairs(const void* actual, const void* reference, std::size_t n, const pair_limits& limits,
                         const pair_ranges& expected, float* wide_a, float* wide_b, block_survey& survey) {
    const T* const a = static_cast<const T*>(actual);
    const T* const b = static_cast<const T*>(reference);
    typename survey_sums<T>::type sums(expected);
    const f32v rel = fill_bits(limits.rel);
    const i32v one_below_zero = fill_int(INT32_MAX); // x + this orders all x > 0 below 0 itself
    f32v largest_error = fill(0.0f), largest_excess = largest_error;
    i32v largest_a = fill_int(0), largest_b = largest_a, least_a = one_below_zero, least_b = one_below_zero;
    i32v differing = largest_a, nearest_b = one_below_zero;
    for (std::size_t i = 0; i < n; i += step_pairs) {
        read_ahead_of(a + i);
        read_ahead_of(b + i);
        PLUMB_UNROLL
        for (std::size_t j = i; j < i + step_pairs; j += lanes) {
            const f32v x = load(a + j), y = load(b + j), size_y = absolute(y);
            if constexpr (sizeof(T) != sizeof(float)) {
                store(wide_a + j, x);
                store(wide_b + j, y);
            }
            const i32v ma = bits(absolute(x)), mb = bits(size_y);
            largest_a = coarsely_larger(largest_a, ma);
            largest_b = coarsely_larger(largest_b, mb);
            least_a = coarsely_smaller(least_a, add(ma, one_below_zero));
            least_b = coarsely_smaller(least_b, add(mb, one_below_zero));
            const f32v error = absolute(subtract(x, y));
            if constexpr ((Parts & survey_abs) != 0) largest_error = larger_size(largest_error, error);
            if constexpr ((Parts & survey_rel) != 0) largest_excess = larger_size(largest_excess, excess(error, rel, size_y));
            if constexpr ((Parts & survey_differing) != 0) {
                differing = count_positive(differing, bits(error));
                nearest_b = coarsely_smaller(nearest_b, mb);
            }
            if constexpr ((Parts & survey_products) != 0) {
                if constexpr (sizeof(T) == sizeof(float))
                    sums.add(x, y, a + j, b + j);
                else
                    sums.add(x, y, wide_a + j, wide_b + j);
            }
        }
    }
    if constexpr ((Parts & survey_products) != 0) survey.products = sums.totals();
    survey.largest_a = greatest_lane(largest_a);
    survey.largest_b = greatest_lane(largest_b);
    // Where only the upper halves are right, a lower half of ones may be another number's, and must not carry into them.
    const std::int32_t near_a = magnitude_above_zero(least_a), near_b = magnitude_above_zero(least_b);
    survey.least_a = near_a - (near_a != 0 && (near_a & 0xffff) == 0);
    survey.least_b = near_b - (near_b != 0 && (near_b & 0xffff) == 0);
    if constexpr ((Parts & survey_differing) != 0) {
        survey.differing = sum_lanes(differing);
        survey.zero_b = least_lane(nearest_b) < 1 << 16;
    }
    if constexpr ((Parts & (survey_abs | survey_rel)) != 0)
        survey.above = any_above(largest_error, fill_bits(limits.abs), largest_excess, fill_bits(limits.rel_floor));
}

template <class T>
inline void widen_run(const void* from, std::size_t n, float* to) {
    const T* const p = static_cast<const T*>(from);
    for (std::size_t i = 0; i < n; i += step_pairs) {
        read_ahead_of(p + i);
        PLUMB_UNROLL
        for (std::size_t j = i; j < i + step_pairs; j += lanes) store(to + j, load(p + j));
    }
}

// Cuts terms into bins, each `gap` places below the one before it, and leaves in `rest` what is below the last of them. The
// terms are products, or the rests of a pass before.
template <int Folds, bool First, bool Last>
PLUMB_ALWAYS_INLINE void fold_terms(const float* x, const float* y, double* rest, std::size_t n, int exponent, int gap,
                                    exact_steps& sum) {
    constexpr int cuts = Last ? Folds - 1 : Folds;
    f64v s[chains][Folds];
    PLUMB_UNROLL
    for (std::size_t c = 0; c < chains; ++c) PLUMB_UNROLL
    for (int f = 0; f < Folds; ++f) s[c][f] = fill_wide(bin_base(exponent - f * gap));
    constexpr std::size_t width = lanes / 2;
    for (std::size_t i = 0; i < n; i += width * chains) {
        PLUMB_UNROLL
        for (std::size_t c = 0; c < chains; ++c) {
            const std::size_t j = i + c * width;
            f64v term = First ? seal(multiply(load_wide(x + j), load_wide(y + j))) : load_doubles(rest + j);
            PLUMB_UNROLL
            for (int f = 0; f < cuts; ++f) {
                const f64v next = seal(add(s[c][f], term));
                term = seal(subtract(term, seal(subtract(next, s[c][f]))));
                s[c][f] = next;
            }
            if constexpr (Last)
                s[c][Folds - 1] = seal(add(s[c][Folds - 1], term));
            else
                store(rest + j, term);
        }
    }
    PLUMB_UNROLL
    for (int f = 0; f < Folds; ++f) {
        std::int64_t steps = 0;
        PLUMB_UNROLL
        for (std::size_t c = 0; c < chains; ++c) steps += steps_from(s[c][f], bin_base(exponent - f * gap));
        sum.append(steps, exponent - f * gap);
    }
}

// Products of numbers with 24 bits have 48, so those of at least 2^low are multiples of 2^(low - 47): the last place of the
// last bin must not be above that.
inline void sum_wide_product(const float* x, const float* y, std::size_t n, int low, int high, exact_steps& sum) {
    const int log2_n = log2_terms(n), gap = 51 - log2_n;
    int exponent = high - gap;
    if (exponent - 2 * gap <= low - 47) return fold_terms<3, true, true>(x, y, nullptr, n, exponent, gap, sum);
    alignas(64) double rest[max_block_pairs];
    fold_terms<4, true, false>(x, y, rest, n, exponent, gap, sum);
    while (exponent - 3 * gap > low - 47) {
        exponent -= 4 * gap;
        fold_terms<4, false, false>(nullptr, nullptr, rest, n, exponent, gap, sum);
    }
}

// Σ|a−b|. Where no difference needs more than the 53 bits of a double it is one term, else ±a and ∓b are two.
inline bool sum_errors(const float* a, const float* b, std::size_t n, block_range range_a, block_range range_b, exact_term& sum) {
    const int log2_n = log2_terms(n);
    const int top = (range_a.top > range_b.top ? range_a.top : range_b.top) + 1;
    const int unit = range_a.unit < range_b.unit ? range_a.unit : range_b.unit;
    constexpr std::size_t width = lanes / 2;
    if (top + log2_n - unit <= 51) {
        f64v s[chains];
        PLUMB_UNROLL
        for (std::size_t c = 0; c < chains; ++c) s[c] = fill_wide(bin_base(unit));
        for (std::size_t i = 0; i < n; i += width * chains) PLUMB_UNROLL
        for (std::size_t c = 0; c < chains; ++c) {
            const f64v error = absolute(subtract(load_wide(a + i + c * width), load_wide(b + i + c * width)));
            s[c] = seal(add(s[c], seal(error)));
        }
        std::int64_t steps = 0;
        PLUMB_UNROLL
        for (std::size_t c = 0; c < chains; ++c) steps += steps_from(s[c], bin_base(unit));
        sum = {steps, unit};
        return true;
    }
    const bin_exponents bins = bins_for(top, log2_n + 1);
    if (bins.low > unit) return false;
    two_fold s[chains];
    PLUMB_UNROLL
    for (std::size_t c = 0; c < chains; ++c) s[c] = {fill_wide(bin_base(bins.high)), fill_wide(bin_base(bins.low))};
    for (std::size_t i = 0; i < n; i += width * chains) PLUMB_UNROLL
    for (std::size_t c = 0; c < chains; ++c) {
        const f64v x = load_wide(a + i + c * width), y = load_wide(b + i + c * width);
        const f64v sign_source = seal(subtract(x, y));
        fold(s[c], with_sign_flipped_by(x, sign_source));
        fold(s[c], with_sign_flipped_by(seal(subtract(fill_wide(0.0), y)), sign_source));
    }
    sum = total(s, bins);
    return true;
}

// ---- Maxima ------------------------------------------------------------------------------------------------------------

inline void raise_limits(const float* a, const float* b, std::size_t n, pair_limits& limits) {
    const f32v least_normal = fill(0x1p-126f);
    f32v largest_error = fill(0.0f), largest_quotient = largest_error;
    for (std::size_t j = 0; j < n; j += lanes) {
        const f32v y = load(b + j), error = absolute(subtract(load(a + j), y));
        largest_error = larger_size(largest_error, error);
        largest_quotient = larger(largest_quotient, divide(error, larger(absolute(y), least_normal)));
    }
    // Rounded values may be above the true ones by 2^-22 of themselves, and anything where they over- or underflow.
    const float error = greatest_lane(seal(largest_error)), quotient = greatest_lane(seal(largest_quotient));
    const std::uint64_t near_error = detail::bit_cast<std::uint64_t>(double{error} * 0x0.fffffp0);
    const std::uint64_t near_quotient = detail::bit_cast<std::uint64_t>(double{quotient} * 0x0.fffffp0);
    if (error > 0x1p-90f && error < 0x1p126f && near_error > limits.max_abs) limits.max_abs = near_error;
    if (quotient > 0x1p-90f && quotient < 0x1p126f && near_quotient > limits.max_rel) limits.max_rel = near_quotient;
}

// The lanes of width doubles from place j on whose error or quotient exceeds a maximum. Both numbers are rounded correctly,
// as they are in the report, wherever the difference fits a double; elsewhere a lane is named if it comes near.
PLUMB_ALWAYS_INLINE std::uint32_t lanes_above(const float* a, const float* b, std::size_t j, const pair_limits& limits) {
    const f64v x = load_wide(a + j), y = load_wide(b + j);
    const f64v difference = seal(subtract(x, y)), error = absolute(difference);
    const f64v quotient = seal(divide(error, seal(absolute(y)))); // 0/0 is a NaN, which is above nothing
    const std::uint32_t exact = bits_equal(seal(subtract(x, difference)), y) & bits_equal(seal(add(difference, y)), x);
    const f64v max_rel = fill_wide_bits(limits.max_rel);
    const std::uint32_t near = bits_above(quotient, seal(multiply(seal(max_rel), fill_wide(1.0 - 0x1p-50))));
    return bits_above(error, fill_wide_bits(limits.max_abs)) | bits_above(quotient, max_rel) | (near & ~exact);
}

inline std::size_t find_above(const float* a, const float* b, std::size_t from, std::size_t n, const pair_limits& limits,
                              bool tiny) {
    const f32v abs = fill_bits(limits.abs), rel = fill_bits(limits.rel), rel_floor = fill_bits(limits.rel_floor);
    constexpr std::size_t width = lanes / 2;
    for (std::size_t j = from / lanes * lanes; j < n; j += lanes) {
        const f32v y = load(b + j), error = absolute(subtract(load(a + j), y));
        if (!tiny && !any_above(error, abs, excess(error, rel, absolute(y)), rel_floor)) continue;
        std::uint32_t above = lanes_above(a, b, j, limits) | lanes_above(a, b, j + width, limits) << width;
        if (from > j) above &= ~std::uint32_t{0} << (from - j);
        if (above != 0) return j + static_cast<std::size_t>(__builtin_ctz(above));
    }
    return n;
}

inline std::uint32_t count_zero_reference(const float* a, const float* b, std::size_t n) {
    const f32v zero = fill(0.0f);
    i32v found = fill_int(0);
    for (std::size_t j = 0; j < n; j += lanes) {
        const f32v y = load(b + j);
        found = count(found, both(unequal(load(a + j), y), equal(y, zero)));
    }
    return sum_lanes(found);
}

// ---- Shares and ULPs ---------------------------------------------------------------------------------------------------

inline void count_within(const float* a, const float* b, std::size_t n, const tolerance_band& band, band_count& counts) {
    const f32v near_rel = fill(band.near_rel), far_rel = fill(band.far_rel);
    const f32v near_abs = fill(band.near_abs), far_abs = fill(band.far_abs);
    i32v within = fill_int(0);
    for (std::size_t j = 0; j < n; j += lanes) {
        const f32v y = load(b + j), error = absolute(subtract(load(a + j), y)), size = absolute(y);
        const mask near = not_above(error, add(near_abs, multiply(near_rel, size)));
        const mask far = not_above(error, add(far_abs, multiply(far_rel, size)));
        within = count(within, near);
        const mask open = without(far, near);
        if (!any(open)) continue;
        for (std::uint32_t left = bits_of(open); left != 0; left &= left - 1)
            counts.places[counts.undecided++] = static_cast<std::uint16_t>(j + static_cast<std::size_t>(__builtin_ctz(left)));
    }
    counts.within = sum_lanes(within);
}

// Sign and magnitude become an integer whose steps are the representable values.
PLUMB_ALWAYS_INLINE i32v load_ordinal(const float* p) {
    const i32v x = load_bits(p), sign = sign_of(x);
    return subtract(exclusive_or(without_sign<0x7fffffff>(x), sign), sign);
}
PLUMB_ALWAYS_INLINE i32v load_ordinal(const half_bits* p) {
    const i32v x = load_bits(p), sign = sign_of(x);
    return subtract(exclusive_or(without_sign<0x7fff>(x), sign), sign);
}

template <class T>
inline void survey_ulps(const void* actual, const void* reference, std::size_t n, ulp_survey& survey) {
    const T* const a = static_cast<const T*>(actual);
    const T* const b = static_cast<const T*>(reference);
    i32v largest = fill_int(INT32_MIN), low = fill_int(0), high = low;
    for (std::size_t j = 0; j < n; j += lanes) {
        const i32v x = load_ordinal(a + j), y = load_ordinal(b + j);
        const i32v distance = subtract(larger(x, y), smaller(x, y)); // below 2^32
        largest = larger(largest, add(distance, fill_int(INT32_MIN)));
        low = add(low, without_sign<0xffff>(distance));
        high = add(high, upper_half(distance));
    }
    survey.largest = static_cast<std::uint32_t>(greatest_lane(largest)) ^ 0x80000000u;
    survey.sum = sum_lanes(low) + (static_cast<std::uint64_t>(sum_lanes(high)) << 16);
}

// ---- All of them -------------------------------------------------------------------------------------------------------

template <unsigned Parts>
inline constexpr survey_kernels surveys_for = {survey_pairs<Parts, float>, survey_pairs<Parts, half_bits>,
                                               survey_pairs<Parts, brain_bits>};

template <unsigned Parts>
inline constexpr pair_kernels kernels_for = {level_block_pairs,
                                             survey_sums<float>::type::bits,
                                             survey_sums<half_bits>::type::bits,
                                             surveys_for<Parts & ~unsigned{survey_products}>,
                                             surveys_for<Parts>,
                                             widen_run<half_bits>,
                                             widen_run<brain_bits>,
                                             sum_products,
                                             sum_wide_product,
                                             raise_limits,
                                             find_above,
                                             count_zero_reference,
                                             sum_errors,
                                             count_within,
                                             survey_ulps<float>,
                                             survey_ulps<half_bits>};
