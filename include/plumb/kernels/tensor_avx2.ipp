// What tensor.ipp asks of AVX2 besides vector_avx2.ipp: integers of 64 and of 16 bits. See for_each_target.hpp.

using i64v = __m256i;
using i16v = __m256i;

inline constexpr std::size_t tensor_chains = 2; // independent running sums that hide the latency of an addition

PLUMB_ALWAYS_INLINE i64v fill64(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
PLUMB_ALWAYS_INLINE i64v bits64(f64v x) { return _mm256_castpd_si256(x); }
PLUMB_ALWAYS_INLINE i64v add64(i64v x, i64v y) { return _mm256_add_epi64(x, y); }
PLUMB_ALWAYS_INLINE i64v subtract64(i64v x, i64v y) { return _mm256_sub_epi64(x, y); }
PLUMB_ALWAYS_INLINE i64v lower_words(i64v x) { return _mm256_and_si256(x, _mm256_set1_epi64x(0xffffffff)); }
PLUMB_ALWAYS_INLINE i64v upper_words(i64v x) { return _mm256_srli_epi64(x, 32); }
PLUMB_ALWAYS_INLINE std::int64_t total64(i64v x) {
    const __m128i y = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return _mm_cvtsi128_si64(y) + _mm_extract_epi64(y, 1);
}
PLUMB_ALWAYS_INLINE i32v special_words(f64v x) { // negative somewhere if and only if x is NaN or infinite somewhere
    return _mm256_add_epi32(_mm256_and_si256(bits64(x), fill64(0x7fffffff00000000)), fill64(0x0010000000000000));
}

PLUMB_ALWAYS_INLINE i32v larger_unsigned(i32v x, i32v y) { return _mm256_max_epu32(x, y); }
PLUMB_ALWAYS_INLINE i32v smaller_unsigned(i32v x, i32v y) { return _mm256_min_epu32(x, y); }
PLUMB_ALWAYS_INLINE i32v half_of(i32v x) { return _mm256_srli_epi32(x, 1); }
PLUMB_ALWAYS_INLINE bool any_above(i32v x, i32v y) { return _mm256_movemask_epi8(_mm256_cmpgt_epi32(x, y)) != 0; }
#include <plumb/kernels/extremes_integer.ipp>

PLUMB_ALWAYS_INLINE f64v add_by_multiplier(f64v x, f64v y) { return _mm256_fmadd_pd(x, _mm256_set1_pd(1.0), y); }
PLUMB_ALWAYS_INLINE f32v smaller(f32v x, f32v y) { return _mm256_min_ps(x, y); }
PLUMB_ALWAYS_INLINE i32v whole(f32v x) { return _mm256_cvtps_epi32(x); }
// Adds the lanes of x, or their squares, to two vectors of sums.
PLUMB_ALWAYS_INLINE void add_lanes(i64v (&sum)[2], i32v x) {
    const i32v one = _mm256_set1_epi32(1);
    sum[0] = add64(sum[0], _mm256_mul_epi32(x, one));
    sum[1] = add64(sum[1], _mm256_mul_epi32(_mm256_srli_epi64(x, 32), one));
}
PLUMB_ALWAYS_INLINE void add_squares(i64v (&sum)[2], i32v x) {
    const i32v odd = _mm256_srli_epi64(x, 32);
    sum[0] = add64(sum[0], _mm256_mul_epi32(x, x));
    sum[1] = add64(sum[1], _mm256_mul_epi32(odd, odd));
}

// The next 2 * lanes elements, in any order.
PLUMB_ALWAYS_INLINE void load_two(const half_bits* p, f32v (&x)[2]) {
    x[0] = load(p);
    x[1] = load(p + lanes);
}
PLUMB_ALWAYS_INLINE void load_two(const brain_bits* p, f32v (&x)[2]) {
    const i32v both = _mm256_loadu_si256((const __m256i*)p);
    x[0] = _mm256_castsi256_ps(_mm256_slli_epi32(both, 16));
    x[1] = _mm256_castsi256_ps(_mm256_and_si256(both, _mm256_set1_epi32(-0x10000)));
}
// Adds the next 2 * lanes elements times scale, which are integers, to a sum, and their squares to two.
template <class T>
PLUMB_ALWAYS_INLINE void add_halves(const T* p, f32v scale, i32v& sum, i64v (&squares)[2]) {
    f32v x[2];
    load_two(p, x);
    const i32v first = whole(multiply(x[0], scale)), second = whole(multiply(x[1], scale));
    sum = add(sum, add(first, second));
    add_squares(squares, first);
    add_squares(squares, second);
}

PLUMB_ALWAYS_INLINE i16v load16(const void* p) { return _mm256_loadu_si256((const __m256i*)p); }
PLUMB_ALWAYS_INLINE i16v fill16(std::int32_t x) { return _mm256_set1_epi16(static_cast<short>(x)); }
PLUMB_ALWAYS_INLINE i16v and16(i16v x, i16v y) { return _mm256_and_si256(x, y); }
PLUMB_ALWAYS_INLINE i16v xor16(i16v x, i16v y) { return _mm256_xor_si256(x, y); }
PLUMB_ALWAYS_INLINE i16v add16(i16v x, i16v y) { return _mm256_add_epi16(x, y); }
PLUMB_ALWAYS_INLINE i16v larger16(i16v x, i16v y) { return _mm256_max_epi16(x, y); }
PLUMB_ALWAYS_INLINE i16v smaller16(i16v x, i16v y) { return _mm256_min_epi16(x, y); }
PLUMB_ALWAYS_INLINE bool any_above16(i16v x, i16v y) { return _mm256_movemask_epi8(_mm256_cmpgt_epi16(x, y)) != 0; }
PLUMB_ALWAYS_INLINE i16v count_above16(i16v n, i16v x, i16v y) { return _mm256_sub_epi16(n, _mm256_cmpgt_epi16(x, y)); }
PLUMB_ALWAYS_INLINE void store16(std::int16_t* p, i16v x) { _mm256_storeu_si256((__m256i*)p, x); }
