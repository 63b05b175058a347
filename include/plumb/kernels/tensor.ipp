// The kernels for a block of one tensor, as pair.ipp is for pairs, and after it.

PLUMB_ALWAYS_INLINE i32v ordinal_of(i32v x) { // −0 and 0 are both 0
    const i32v sign = sign_of(x);
    return subtract(exclusive_or(without_sign<INT32_MAX>(x), sign), sign);
}

template <class T>
inline void survey_tensor(const void* from, std::size_t n, float* wide, tensor_survey& survey) {
    const T* const p = static_cast<const T*>(from);
    const f32v zero = fill(0.0f);
    const i32v one_below_zero = fill_int(INT32_MAX);
    i32v largest = fill_int(0), least = one_below_zero, min = one_below_zero, max = fill_int(INT32_MIN), zeros = largest;
    for (std::size_t i = 0; i < n; i += step_pairs) {
        read_ahead_of(p + i);
        PLUMB_UNROLL
        for (std::size_t j = i; j < i + step_pairs; j += lanes) {
            const f32v x = load(p + j);
            if constexpr (sizeof(T) != sizeof(float)) store(wide + j, x);
            const i32v magnitude = bits(absolute(x)), ordinal = ordinal_of(bits(x));
            largest = larger(largest, magnitude);
            least = smaller(least, add(magnitude, one_below_zero));
            min = smaller(min, ordinal);
            max = larger(max, ordinal);
            zeros = count(zeros, equal(x, zero));
        }
    }
    survey.largest = greatest_lane(largest);
    survey.least = least_lane(least) - INT32_MAX;
    survey.min_ordinal = least_lane(min);
    survey.max_ordinal = greatest_lane(max);
    survey.zeros = sum_lanes(zeros);
}

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

inline constexpr tensor_kernels kernels_for_tensors = {survey_tensor<float>, survey_tensor<half_bits>, survey_tensor<brain_bits>,
                                                       sum_products,         sum_wide_product,         find_special};
