// The kernels for blocks of one tensor, as pair.ipp is for pairs, and after it.

// ---- One look at everything --------------------------------------------------------------------------------------------

template <class T>
inline void survey_tensor(const void* from, std::size_t n, float* wide, tensor_survey& survey) {
    const T* const p = static_cast<const T*>(from);
    const f32v zero = fill(0.0f);
    const i32v one_below_zero = fill_int(INT32_MAX); // x + this orders all x > 0 below 0 itself
    i32v largest = fill_int(0), least = one_below_zero, zeros = largest;
    f32v min = load(p), max = min;
    for (std::size_t i = 0; i < n; i += step_pairs) {
        PLUMB_UNROLL
        for (std::size_t j = i; j < i + step_pairs; j += lanes) {
            const f32v x = load(p + j);
            if constexpr (sizeof(T) != sizeof(float)) store(wide + j, x);
            const i32v magnitude = bits(absolute(x));
            largest = larger(largest, magnitude);
            least = smaller(least, add(magnitude, one_below_zero));
            min = smaller(min, x);
            max = larger(max, x);
            zeros = count(zeros, equal(x, zero));
        }
    }
    survey.largest = greatest_lane(largest);
    survey.least = magnitude_above_zero(least);
    survey.min_bits = detail::bit_cast<std::uint32_t>(greatest_lane(subtract(zero, min))) ^ 0x80000000u;
    survey.max_bits = detail::bit_cast<std::uint32_t>(greatest_lane(max));
    survey.zeros = sum_lanes(zeros);
}

// ---- Sums of f32 -------------------------------------------------------------------------------------------------------

// Sums in 64-bit integers of what whole blocks have come to.
struct run_totals {
    i64v sum, high, low;
};

constexpr int log2_of_block() { // of the number of terms in each lane of each running sum, rounded up
    int log2 = 0;
    while ((lanes / 2 * tensor_chains) << log2 < block_pairs) ++log2;
    return log2;
}
inline constexpr int window_bits = 51 - log2_of_block(); // what ranges_fit asks

#if !defined(PLUMB_LAYER_HAS_IFMA)

struct element_sums {
    f64v sum;
    two_fold squares;
};
struct element_bins {
    int unit;
    bin_exponents squares;
};
PLUMB_ALWAYS_INLINE element_bins bins_of(const tensor_window& window) {
    return {window.unit, bins_for(2 * window.top, log2_of_block())};
}
PLUMB_ALWAYS_INLINE element_sums empty_sums(const element_bins& bins) {
    return {fill_wide(bin_base(bins.unit)), {fill_wide(bin_base(bins.squares.high)), fill_wide(bin_base(bins.squares.low))}};
}
PLUMB_ALWAYS_INLINE void add_element(element_sums& s, f64v x, f64v) {
    s.sum = seal(add_by_multiplier(x, s.sum)); // exact: no place below the unit. The adders have the rest to do
    fold(s.squares, x, x);
}
PLUMB_ALWAYS_INLINE i32v special_words(const element_sums& s) { return special_words(seal(s.sum)); }
PLUMB_ALWAYS_INLINE void take_block(run_totals& totals, const element_sums& s, const element_bins& bins, std::size_t) {
    const element_sums empty = empty_sums(bins);
    totals.sum = add64(totals.sum, subtract64(bits64(s.sum), bits64(empty.sum)));
    totals.high = add64(totals.high, subtract64(bits64(s.squares.high), bits64(empty.squares.high)));
    totals.low = add64(totals.low, subtract64(bits64(s.squares.low), bits64(empty.squares.low)));
}
PLUMB_ALWAYS_INLINE void append_totals(const run_totals& totals, const element_bins& bins, tensor_sums& to) {
    to.sum.append(total64(totals.sum), bins.unit);
    to.squares.append(total64(totals.high), bins.squares.high);
    to.squares.append(total64(totals.low), bins.squares.low);
}

#else

struct element_sums {
    i64v sum;
    near_and_low squares;
};
struct element_bins {
    int unit;
};
PLUMB_ALWAYS_INLINE element_bins bins_of(const tensor_window& window) { return {window.unit}; }
PLUMB_ALWAYS_INLINE element_sums empty_sums(const element_bins&) { return {fill64(0), {fill_wide(0.0), fill64(0)}}; }
PLUMB_ALWAYS_INLINE void add_element(element_sums& s, f64v x, f64v base) {
    const i64v low = bits64(seal(add(x, base)));
    s.sum = add64(s.sum, low);
    s.squares.near = multiply_add(x, x, s.squares.near);
    s.squares.low = _mm512_madd52lo_epu64(s.squares.low, low, low);
}
PLUMB_ALWAYS_INLINE i32v special_words(const element_sums& s) { return special_words(seal(s.squares.near)); }
PLUMB_ALWAYS_INLINE void take_block(run_totals& totals, const element_sums& s, const element_bins& bins, std::size_t terms) {
    const int unit = 2 * bins.unit;
    const i64v low = _mm512_srai_epi64(_mm512_slli_epi64(s.squares.low, 13), 13); // as append_sums has it
    const f64v rest = seal(_mm512_fnmadd_pd(_mm512_cvtepi64_pd(low), fill_wide(power_of_two(unit)), seal(s.squares.near)));
    const f64v k = seal(_mm512_mul_pd(rest, fill_wide(power_of_two(-unit - 51))));
    totals.high = add64(totals.high, _mm512_cvtpd_epi64(k));
    totals.low = add64(totals.low, low);
    const std::uint64_t base = detail::bit_cast<std::uint64_t>(bin_base(bins.unit));
    totals.sum = add64(totals.sum, subtract64(s.sum, fill64(terms * base)));
}
PLUMB_ALWAYS_INLINE void append_totals(const run_totals& totals, const element_bins& bins, tensor_sums& to) {
    to.sum.append(total64(totals.sum), bins.unit);
    to.squares.append(total64(totals.high), 2 * bins.unit + 51);
    to.squares.append(total64(totals.low), 2 * bins.unit);
}

#endif

// What is below the least normal number, or below the window: true if all that is not zero lies in the window.
inline bool count_small(const float* p, std::size_t n, const tensor_window& window, tensor_sums& sums) {
    const f32v zero = fill(0.0f), least_normal = fill_bits(static_cast<std::uint32_t>(window.normal));
    const i32v one_below_zero = fill_int(INT32_MAX);
    i32v least = one_below_zero, zeros = fill_int(0), normal = zeros;
    for (std::size_t j = 0; j < n; j += lanes) {
        const f32v size = absolute(load(p + j));
        least = smaller(least, add(bits(size), one_below_zero));
        zeros = count(zeros, equal(size, zero));
        normal = count(normal, not_above(least_normal, size));
    }
    const std::int32_t found = magnitude_above_zero(least);
    if (found != 0 && found < window.least) return false;
    sums.zeros += sum_lanes(zeros);
    sums.subnormals += static_cast<std::uint32_t>(n) - sum_lanes(normal) - sum_lanes(zeros);
    return true;
}

inline std::size_t run_floats(const void* from, std::size_t n, const tensor_window& window, tensor_sums& sums) {
    const float* const p = static_cast<const float*>(from);
    const element_bins bins = bins_of(window);
    const f64v base = fill_wide(bin_base(bins.unit));
    const std::int32_t look_below = window.least > window.normal ? window.least : window.normal;
    run_totals totals = {fill64(0), fill64(0), fill64(0)};
    extremes seen = extremes_of_none(load(p));
    std::size_t done = 0;
    while (done < n) {
        const std::size_t end = n - done < block_pairs ? n : done + block_pairs;
        extremes here = for_next_block(seen);
        element_sums s[tensor_chains];
        PLUMB_UNROLL
        for (std::size_t c = 0; c < tensor_chains; ++c) s[c] = empty_sums(bins);
        for (std::size_t i = done; i < end; i += step_pairs) {
            read_ahead_of(p + i);
            PLUMB_UNROLL
            for (std::size_t j = i; j < i + step_pairs; j += lanes) {
                take(here, load(p + j));
                constexpr std::size_t width = lanes / 2;
                const std::size_t c = (j - i) / width % tensor_chains;
                add_element(s[c], load_wide(p + j), base);
                add_element(s[c + 1], load_wide(p + j + width), base);
            }
        }
        i32v special = fill_int(0);
        PLUMB_UNROLL
        for (std::size_t c = 0; c < tensor_chains; ++c) special = bit_or(special, special_words(s[c]));
        if (any_bit(bit_and(special, fill_int(INT32_MIN))) || any_larger(here, window.largest)) break;
        if (any_smaller(here, look_below) && !count_small(p + done, end - done, window, sums)) break;
        PLUMB_UNROLL
        for (std::size_t c = 0; c < tensor_chains; ++c)
            take_block(totals, s[c], bins, (end - done) / (lanes / 2 * tensor_chains));
        take(seen, here);
        done = end;
    }
    append_totals(totals, bins, sums);
    store_extremes(seen, sums);
    return done;
}

// ---- Sums of halves ----------------------------------------------------------------------------------------------------

PLUMB_ALWAYS_INLINE std::int32_t greatest_lane16(i16v x) {
    alignas(64) std::int16_t lane[2 * lanes];
    store16(lane, x);
    std::int32_t result = lane[0];
    for (const std::int16_t each : lane) result = each > result ? each : result;
    return result;
}
PLUMB_ALWAYS_INLINE std::int32_t least_lane16(i16v x) { return -1 - greatest_lane16(xor16(x, fill16(-1))); }
PLUMB_ALWAYS_INLINE std::uint32_t sum_lanes16(i16v x) {
    alignas(64) std::int16_t lane[2 * lanes];
    store16(lane, x);
    std::uint32_t sum = 0;
    for (const std::int16_t each : lane) sum += static_cast<std::uint16_t>(each);
    return sum;
}

template <class T>
inline bool count_small(const T* p, std::size_t n, const tensor_window& window, tensor_sums& sums) {
    const i16v magnitude = fill16(0x7fff), one = fill16(1), normal = fill16(window.normal);
    i16v least = magnitude, zeros = fill16(0), below = zeros;
    for (std::size_t j = 0; j < n; j += 2 * lanes) {
        const i16v size = and16(load16(p + j), magnitude);
        least = smaller16(least, add16(size, magnitude)); // which orders all that is not zero below zero
        zeros = count_above16(zeros, one, size);
        below = count_above16(below, normal, size);
    }
    const std::int32_t found = least_lane16(least) + 0x8001;
    if (found < window.least) return false;
    const std::uint32_t none = sum_lanes16(zeros);
    sums.zeros += none;
    sums.subnormals += sum_lanes16(below) - none;
    return true;
}

// In units of the window, halves are integers: their squares fit 64 bits, and no arithmetic of doubles is needed.
template <class T>
inline std::size_t run_halves(const void* from, std::size_t n, const tensor_window& window, tensor_sums& sums) {
    const T* const p = static_cast<const T*>(from);
    const f32v scale = fill(static_cast<float>(power_of_two(-window.unit)));
    const i16v magnitude = fill16(0x7fff), sign = fill16(-0x8000), largest = fill16(window.largest);
    const i16v look_below = fill16(window.least > window.normal ? window.least : window.normal);
    i64v sum[2] = {fill64(0), fill64(0)}, low_squares = fill64(0), high_squares[2] = {fill64(0), fill64(0)};
    // As 16-bit integers, numbers that are not negative are above all others; with the sign inverted, negative ones are.
    i16v most = sign, most_negative = sign, least = magnitude;
    std::size_t done = 0;
    while (done < n) {
        const std::size_t end = n - done < block_pairs ? n : done + block_pairs;
        i16v most_here = most, most_negative_here = most_negative, least_here = magnitude;
        i64v sum_here[2] = {sum[0], sum[1]}, squares[2] = {fill64(0), fill64(0)};
        for (std::size_t i = done; i < end;) {
            i32v run = fill_int(0);
            const std::size_t run_end = end - i < 16 * lanes ? end : i + 16 * lanes; // 16 numbers of 27 bits fit 31
            for (; i < run_end; i += step_pairs) {
                read_ahead_of(p + i);
                PLUMB_UNROLL
                for (std::size_t j = i; j < i + step_pairs; j += 2 * lanes) {
                    const i16v raw = load16(p + j);
                    most_here = larger16(most_here, raw);
                    most_negative_here = larger16(most_negative_here, xor16(raw, sign));
                    least_here = smaller16(least_here, and16(raw, magnitude));
                    add_halves(p + j, scale, run, squares);
                }
            }
            add_lanes(sum_here, run);
        }
        if (any_above16(most_here, largest) || any_above16(most_negative_here, largest)) break;
        if (any_above16(look_below, least_here) && !count_small(p + done, end - done, window, sums)) break;
        for (std::size_t half = 0; half < 2; ++half) {
            sum[half] = sum_here[half];
            low_squares = add64(low_squares, lower_words(squares[half]));
            high_squares[half] = add64(high_squares[half], upper_words(squares[half]));
        }
        most = most_here;
        most_negative = most_negative_here;
        least = smaller16(least, least_here);
        done = end;
    }
    sums.sum.append(total64(add64(sum[0], sum[1])), window.unit);
    sums.squares.append(total64(add64(high_squares[0], high_squares[1])), 2 * window.unit + 32);
    sums.squares.append(total64(low_squares), 2 * window.unit);
    const std::int32_t max = greatest_lane16(most), min = greatest_lane16(most_negative);
    const auto nearest_zero = static_cast<std::uint32_t>(least_lane16(least));
    sums.max_bits = max >= 0 ? static_cast<std::uint32_t>(max) : 0x8000u | nearest_zero;
    sums.min_bits = min >= 0 ? 0x8000u | static_cast<std::uint32_t>(min) : nearest_zero;
    return done;
}

// ---- The search for NaN and infinities ---------------------------------------------------------------------------------

inline std::size_t find_special(const void* from, std::size_t words, const word_pattern& pattern) {
    const float* const p = static_cast<const float*>(from);
    const i32v magnitude = fill_int(pattern.magnitude), to_top = fill_int(pattern.to_top), top = fill_int(pattern.top);
    for (std::size_t i = 0; i < words; i += 128) {
        i32v seen[4] = {fill_int(0), fill_int(0), fill_int(0), fill_int(0)};
        PLUMB_UNROLL
        for (std::size_t j = 0; j < 128; j += 32) read_ahead_of(p + i + j);
        for (std::size_t j = 0; j < 128; j += 4 * lanes) {
            PLUMB_UNROLL
            for (std::size_t k = 0; k < 4; ++k)
                seen[k] = bit_or(seen[k], add(bit_and(load_bits(p + i + j + k * lanes), magnitude), to_top));
        }
        if (any_bit(bit_and(bit_or(bit_or(seen[0], seen[1]), bit_or(seen[2], seen[3])), top))) return i;
    }
    return words;
}

inline constexpr tensor_kernels kernels_for_tensors = {survey_tensor<float>,
                                                       survey_tensor<half_bits>,
                                                       survey_tensor<brain_bits>,
                                                       run_floats,
                                                       run_halves<half_bits>,
                                                       run_halves<brain_bits>,
                                                       sum_wide_product,
                                                       find_special,
                                                       window_bits};
