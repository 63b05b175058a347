// What tensor.ipp asks of xsimd besides vector_xsimd.ipp: integers of 64 and of 16 bits. See for_each_target.hpp.

using i64v = xsimd::batch<std::uint64_t>;
using i16v = xsimd::batch<std::int16_t>;

inline constexpr std::size_t tensor_chains = 2; // independent running sums that hide the latency of an addition
static_assert(2 * i64v::size == lanes && i16v::size == 2 * lanes);

PLUMB_ALWAYS_INLINE i64v fill64(std::uint64_t x) { return i64v(x); }
PLUMB_ALWAYS_INLINE i64v bits64(f64v x) { return same_bits<i64v>(x); }
PLUMB_ALWAYS_INLINE i64v add64(i64v x, i64v y) { return x + y; }
PLUMB_ALWAYS_INLINE i64v subtract64(i64v x, i64v y) { return x - y; }
PLUMB_ALWAYS_INLINE i64v lower_words(i64v x) { return x & i64v(0xffffffff); }
PLUMB_ALWAYS_INLINE i64v upper_words(i64v x) { return x >> 32; }
PLUMB_ALWAYS_INLINE std::int64_t total64(i64v x) {
    alignas(64) std::uint64_t lane[i64v::size];
    x.store_aligned(lane);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < i64v::size; ++i) sum += lane[i];
    return static_cast<std::int64_t>(sum);
}
PLUMB_ALWAYS_INLINE i32v special_words(f64v x) { // negative somewhere if and only if x is NaN or infinite somewhere
    return same_bits<i32v>(bits64(x) & i64v(0x7fffffff00000000)) + same_bits<i32v>(i64v(0x0010000000000000));
}

PLUMB_ALWAYS_INLINE f32v smaller(f32v x, f32v y) { return xsimd::min(x, y); }
#include <plumb/kernels/extremes_float.ipp>

PLUMB_ALWAYS_INLINE f64v add_by_multiplier(f64v x, f64v y) { return x + y; }
PLUMB_ALWAYS_INLINE i32v whole(f32v x) { return xsimd::to_int(x); }

// Adds the lanes of x, or, if they are not negative, their squares, to two vectors of sums.
template <bool Squared>
PLUMB_ALWAYS_INLINE void add_one_by_one(i64v (&sum)[2], i32v x) {
    alignas(64) std::int32_t from[lanes];
    alignas(64) std::uint64_t to[lanes];
    x.store_aligned(from);
    for (std::size_t i = 0; i < lanes; ++i) to[i] = static_cast<std::uint64_t>(std::int64_t{from[i]} * (Squared ? from[i] : 1));
    sum[0] += i64v::load_aligned(to);
    sum[1] += i64v::load_aligned(to + lanes / 2);
}
PLUMB_ALWAYS_INLINE void add_lanes(i64v (&sum)[2], i32v x) {
#if defined(__SSE2__) && !defined(__AVX__)
    const __m128i sign = _mm_srai_epi32(x, 31);
    sum[0] += i64v(_mm_unpacklo_epi32(x, sign));
    sum[1] += i64v(_mm_unpackhi_epi32(x, sign));
#elif defined(__aarch64__)
    sum[0] += i64v(vreinterpretq_u64_s64(vmovl_s32(vget_low_s32(x))));
    sum[1] += i64v(vreinterpretq_u64_s64(vmovl_high_s32(x)));
#else
    add_one_by_one<false>(sum, x);
#endif
}
PLUMB_ALWAYS_INLINE void add_squares(i64v (&sum)[2], i32v x) {
#if defined(__AVX512F__)
    sum[0] += i64v(_mm512_mul_epi32(x, x));
    sum[1] += i64v(_mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(x, 32)));
#elif defined(__AVX2__)
    sum[0] += i64v(_mm256_mul_epi32(x, x));
    sum[1] += i64v(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(x, 32)));
#elif defined(__SSE2__) && !defined(__AVX__)
    sum[0] += i64v(_mm_mul_epu32(x, x));
    sum[1] += i64v(_mm_mul_epu32(_mm_srli_epi64(x, 32), _mm_srli_epi64(x, 32)));
#elif defined(__aarch64__)
    sum[0] += i64v(vreinterpretq_u64_s64(vmull_s32(vget_low_s32(x), vget_low_s32(x))));
    sum[1] += i64v(vreinterpretq_u64_s64(vmull_high_s32(x, x)));
#else
    add_one_by_one<true>(sum, x);
#endif
}

// Adds integers, given as their sizes in the form of f32 and as words with their signs, to a sum, and their squares to two.
PLUMB_ALWAYS_INLINE void add_signed(f32v size, i32v with_sign, i32v& sum, i64v (&squares)[2]) {
    const i32v x = whole(size), sign = with_sign >> 31;
    sum += (x ^ sign) - sign;
    add_squares(squares, x);
}
// Adds the next 2 * lanes elements times scale, which are integers, to a sum, and their squares to two. What comes of NaN and
// infinities is some number.
PLUMB_ALWAYS_INLINE void add_halves(const half_bits* p, f32v scale, i32v& sum, i64v (&squares)[2]) {
    for (std::size_t i = 0; i < 2 * lanes; i += lanes) {
        const i32v x = load_bits(p + i);
        const f32v size = seal(same_bits<f32v>((x & i32v(0x7fff)) << 13) * f32v(0x1p112f)); // the product of both factors may
        add_signed(size * scale, x, sum, squares);                                          // overflow
    }
}
PLUMB_ALWAYS_INLINE void add_halves(const brain_bits* p, f32v scale, i32v& sum, i64v (&squares)[2]) {
    i32v both;
    __builtin_memcpy(static_cast<void*>(&both), p, sizeof both);
    const i32v low = both << 16;
    add_signed(same_bits<f32v>(low & i32v(INT32_MAX)) * scale, low, sum, squares);
    add_signed(same_bits<f32v>(both & i32v(0x7fff0000)) * scale, both, sum, squares);
}

PLUMB_ALWAYS_INLINE i16v load16(const void* p) {
    i16v x;
    __builtin_memcpy(static_cast<void*>(&x), p, sizeof x);
    return x;
}
PLUMB_ALWAYS_INLINE i16v fill16(std::int32_t x) { return i16v(static_cast<std::int16_t>(x)); }
PLUMB_ALWAYS_INLINE i16v and16(i16v x, i16v y) { return x & y; }
PLUMB_ALWAYS_INLINE i16v xor16(i16v x, i16v y) { return x ^ y; }
PLUMB_ALWAYS_INLINE i16v add16(i16v x, i16v y) { return x + y; }
#if defined(__SSE2__) && !defined(__AVX__) // xsimd compares and selects
PLUMB_ALWAYS_INLINE i16v larger16(i16v x, i16v y) { return i16v(_mm_max_epi16(x, y)); }
PLUMB_ALWAYS_INLINE i16v smaller16(i16v x, i16v y) { return i16v(_mm_min_epi16(x, y)); }
#else
PLUMB_ALWAYS_INLINE i16v larger16(i16v x, i16v y) { return xsimd::max(x, y); }
PLUMB_ALWAYS_INLINE i16v smaller16(i16v x, i16v y) { return xsimd::min(x, y); }
#endif
PLUMB_ALWAYS_INLINE bool any_above16(i16v x, i16v y) { return xsimd::any(x > y); }
PLUMB_ALWAYS_INLINE i16v count_above16(i16v n, i16v x, i16v y) { return n + xsimd::select(x > y, i16v(1), i16v(0)); }
PLUMB_ALWAYS_INLINE void store16(std::int16_t* p, i16v x) { x.store_unaligned(p); }
