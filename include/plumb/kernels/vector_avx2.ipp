// The vector layer of AVX2 with FMA and F16C: what pair.ipp asks of a processor. See for_each_target.hpp.

using f32v = __m256;
using f64v = __m256d;
using i32v = __m256i;
using mask = __m256;

inline constexpr std::size_t lanes = 8; // of f32v; half as many of f64v
inline constexpr std::size_t chains = 1;

PLUMB_ALWAYS_INLINE f64v seal(f64v x) {
    asm("" : "+x"(x));
    return x;
}
PLUMB_ALWAYS_INLINE f32v seal(f32v x) {
    asm("" : "+x"(x));
    return x;
}

PLUMB_ALWAYS_INLINE f32v load(const float* p) { return _mm256_loadu_ps(p); }
PLUMB_ALWAYS_INLINE f32v load(const half_bits* p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)p)); }
PLUMB_ALWAYS_INLINE f32v load(const brain_bits* p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)p)), 16));
}
PLUMB_ALWAYS_INLINE f64v load_wide(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
PLUMB_ALWAYS_INLINE f64v load_doubles(const double* p) { return _mm256_loadu_pd(p); }
PLUMB_ALWAYS_INLINE void store(float* p, f32v x) { _mm256_storeu_ps(p, x); }
PLUMB_ALWAYS_INLINE void store(double* p, f64v x) { _mm256_storeu_pd(p, x); }

PLUMB_ALWAYS_INLINE f32v fill(float x) { return _mm256_set1_ps(x); }
PLUMB_ALWAYS_INLINE f64v fill_wide(double x) { return _mm256_set1_pd(x); }
PLUMB_ALWAYS_INLINE f32v fill_bits(std::uint32_t x) { return _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(x))); }
PLUMB_ALWAYS_INLINE f64v fill_wide_bits(std::uint64_t x) {
    return _mm256_castsi256_pd(_mm256_set1_epi64x(static_cast<long long>(x)));
}
PLUMB_ALWAYS_INLINE i32v fill_int(std::int32_t x) { return _mm256_set1_epi32(x); }

PLUMB_ALWAYS_INLINE f32v absolute(f32v x) { return _mm256_and_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff))); }
PLUMB_ALWAYS_INLINE f32v subtract(f32v x, f32v y) { return _mm256_sub_ps(x, y); }
PLUMB_ALWAYS_INLINE f32v multiply(f32v x, f32v y) { return _mm256_mul_ps(x, y); }
PLUMB_ALWAYS_INLINE f32v divide(f32v x, f32v y) { return _mm256_div_ps(x, y); }
PLUMB_ALWAYS_INLINE f32v larger(f32v x, f32v y) { return _mm256_max_ps(x, y); }
PLUMB_ALWAYS_INLINE f32v larger_size(f32v x, f32v y) { // x not negative; more units compare integers than numbers
    return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(x), _mm256_castps_si256(y)));
}
PLUMB_ALWAYS_INLINE f32v excess(f32v d, f32v t, f32v y) { return _mm256_fnmadd_ps(t, y, d); } // d - t * y
PLUMB_ALWAYS_INLINE f64v absolute(f64v x) {
    return _mm256_and_pd(x, _mm256_castsi256_pd(_mm256_set1_epi64x(0x7fffffffffffffff)));
}
PLUMB_ALWAYS_INLINE f64v add(f64v x, f64v y) { return _mm256_add_pd(x, y); }
PLUMB_ALWAYS_INLINE f64v subtract(f64v x, f64v y) { return _mm256_sub_pd(x, y); }
PLUMB_ALWAYS_INLINE f64v multiply(f64v x, f64v y) { return _mm256_mul_pd(x, y); }
PLUMB_ALWAYS_INLINE f64v divide(f64v x, f64v y) { return _mm256_div_pd(x, y); }
PLUMB_ALWAYS_INLINE f64v multiply_add(f64v x, f64v y, f64v z) { return _mm256_fmadd_pd(x, y, z); }

PLUMB_ALWAYS_INLINE bool any_above(f32v x, f32v y) { return _mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_GT_OQ)) != 0; }
PLUMB_ALWAYS_INLINE bool any_above(f32v x0, f32v y0, f32v x1, f32v y1) {
    return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x0, y0, _CMP_GT_OQ), _mm256_cmp_ps(x1, y1, _CMP_GT_OQ))) != 0;
}
PLUMB_ALWAYS_INLINE std::uint32_t bits_above(f64v x, f64v y) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_GT_OQ)));
}
PLUMB_ALWAYS_INLINE std::uint32_t bits_equal(f64v x, f64v y) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_EQ_OQ)));
}
PLUMB_ALWAYS_INLINE f64v keep_between(f64v x, f64v low, f64v high) { // x where low <= |x| < high, else 0
    const f64v size = absolute(x);
    return _mm256_and_pd(x, _mm256_and_pd(_mm256_cmp_pd(size, low, _CMP_GE_OQ), _mm256_cmp_pd(size, high, _CMP_LT_OQ)));
}

PLUMB_ALWAYS_INLINE i32v bits(f32v x) { return _mm256_castps_si256(x); }
PLUMB_ALWAYS_INLINE i32v add(i32v x, i32v y) { return _mm256_add_epi32(x, y); }
PLUMB_ALWAYS_INLINE i32v smaller(i32v x, i32v y) { return _mm256_min_epi32(x, y); }
PLUMB_ALWAYS_INLINE i32v larger(i32v x, i32v y) { return _mm256_max_epi32(x, y); }
PLUMB_ALWAYS_INLINE i32v coarsely_larger(i32v x, i32v y) { return larger(x, y); } // its upper half counts
PLUMB_ALWAYS_INLINE i32v coarsely_smaller(i32v x, i32v y) { return smaller(x, y); }
PLUMB_ALWAYS_INLINE i32v count_positive(i32v n, i32v x) {
    return _mm256_sub_epi32(n, _mm256_cmpgt_epi32(x, _mm256_setzero_si256()));
}
PLUMB_ALWAYS_INLINE std::int32_t least_lane(i32v x) {
    __m128i y = _mm_min_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    y = _mm_min_epi32(y, _mm_shuffle_epi32(y, 0x4e));
    return _mm_cvtsi128_si32(_mm_min_epi32(y, _mm_shuffle_epi32(y, 0xb1)));
}
PLUMB_ALWAYS_INLINE std::int32_t greatest_lane(i32v x) {
    __m128i y = _mm_max_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    y = _mm_max_epi32(y, _mm_shuffle_epi32(y, 0x4e));
    return _mm_cvtsi128_si32(_mm_max_epi32(y, _mm_shuffle_epi32(y, 0xb1)));
}
PLUMB_ALWAYS_INLINE std::uint32_t sum_lanes(i32v x) {
    __m128i y = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    y = _mm_add_epi32(y, _mm_shuffle_epi32(y, 0x4e));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_add_epi32(y, _mm_shuffle_epi32(y, 0xb1))));
}
PLUMB_ALWAYS_INLINE float greatest_lane(f32v x) {
    __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_max_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_max_ps(y, _mm_shuffle_ps(y, y, 1)));
}

PLUMB_ALWAYS_INLINE mask unequal(f32v x, f32v y) { return _mm256_cmp_ps(x, y, _CMP_NEQ_UQ); }
PLUMB_ALWAYS_INLINE mask equal(f32v x, f32v y) { return _mm256_cmp_ps(x, y, _CMP_EQ_OQ); }
PLUMB_ALWAYS_INLINE mask not_above(f32v x, f32v y) { return _mm256_cmp_ps(x, y, _CMP_LE_OQ); }
PLUMB_ALWAYS_INLINE mask both(mask x, mask y) { return _mm256_and_ps(x, y); }
PLUMB_ALWAYS_INLINE mask without(mask x, mask y) { return _mm256_andnot_ps(y, x); }
PLUMB_ALWAYS_INLINE bool any(mask m) { return _mm256_movemask_ps(m) != 0; }
PLUMB_ALWAYS_INLINE i32v count(i32v n, mask m) { return _mm256_sub_epi32(n, _mm256_castps_si256(m)); }

// The sum over the lanes of how many steps of its last place each has gone from `base`.
PLUMB_ALWAYS_INLINE std::int64_t steps_from(f64v x, double base) {
    const __m256i y = _mm256_sub_epi64(_mm256_castpd_si256(x), _mm256_castpd_si256(_mm256_set1_pd(base)));
    const __m128i z = _mm_add_epi64(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    return _mm_cvtsi128_si64(z) + _mm_extract_epi64(z, 1);
}

PLUMB_ALWAYS_INLINE f32v add(f32v x, f32v y) { return _mm256_add_ps(x, y); }
PLUMB_ALWAYS_INLINE std::uint32_t bits_of(mask m) { return static_cast<std::uint32_t>(_mm256_movemask_ps(m)); }
PLUMB_ALWAYS_INLINE f64v with_sign_flipped_by(f64v x, f64v sign) { // −x where `sign` is negative
    const i32v sign_bit = _mm256_and_si256(_mm256_castpd_si256(sign), _mm256_set1_epi64x(INT64_MIN));
    return _mm256_castsi256_pd(_mm256_xor_si256(_mm256_castpd_si256(x), sign_bit));
}
PLUMB_ALWAYS_INLINE i32v subtract(i32v x, i32v y) { return _mm256_sub_epi32(x, y); }
PLUMB_ALWAYS_INLINE i32v exclusive_or(i32v x, i32v y) { return _mm256_xor_si256(x, y); }
PLUMB_ALWAYS_INLINE i32v sign_of(i32v x) { return _mm256_srai_epi32(x, 31); }
PLUMB_ALWAYS_INLINE i32v upper_half(i32v x) { return _mm256_srli_epi32(x, 16); }
template <std::int32_t Mask>
PLUMB_ALWAYS_INLINE i32v without_sign(i32v x) {
    return _mm256_and_si256(x, _mm256_set1_epi32(Mask));
}
PLUMB_ALWAYS_INLINE i32v load_bits(const float* p) { return _mm256_loadu_si256((const __m256i*)p); }
PLUMB_ALWAYS_INLINE i32v load_bits(const half_bits* p) { return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)p)); }
PLUMB_ALWAYS_INLINE i32v bit_and(i32v x, i32v y) { return _mm256_and_si256(x, y); }
PLUMB_ALWAYS_INLINE i32v bit_or(i32v x, i32v y) { return _mm256_or_si256(x, y); }
PLUMB_ALWAYS_INLINE bool any_bit(i32v x) { return _mm256_testz_si256(x, x) == 0; }

// Integers: 32 bits a lane, or 64 in pairs of lanes.
PLUMB_ALWAYS_INLINE i32v to_integers(f32v x) { return _mm256_cvtps_epi32(x); }
PLUMB_ALWAYS_INLINE i32v multiply_even(i32v x, i32v y) { return _mm256_mul_epi32(x, y); } // the first of each pair
PLUMB_ALWAYS_INLINE i32v odd_to_even(i32v x) { return _mm256_srli_epi64(x, 32); }
PLUMB_ALWAYS_INLINE i32v add_wide(i32v x, i32v y) { return _mm256_add_epi64(x, y); }
PLUMB_ALWAYS_INLINE detail::int128 sum_wide_lanes(i32v x) {
    alignas(64) std::int64_t lane[lanes / 2];
    _mm256_store_si256((__m256i*)lane, x);
    detail::int128 sum = 0;
    for (const std::int64_t part : lane) sum += part;
    return sum;
}
