// The vector layer of xsimd, for the instructions that the compiler was told about: what pair.ipp asks of a processor. See
// for_each_target.hpp.

using f32v = xsimd::batch<float>;
using f64v = xsimd::batch<double>;
using i32v = xsimd::batch<std::int32_t>;
using mask = xsimd::batch_bool<float>;

inline constexpr std::size_t lanes = f32v::size; // half as many of f64v
inline constexpr std::size_t chains = 1;
static_assert(2 * f64v::size == lanes && step_pairs % lanes == 0);

// xsimd's own bitwise_cast takes its arguments differently from version to version.
template <class To, class From>
PLUMB_ALWAYS_INLINE To same_bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(static_cast<void*>(&to), &from, sizeof to);
    return to;
}

template <class Batch>
PLUMB_ALWAYS_INLINE Batch seal(Batch x) {
#if defined(__SSE2__) || defined(__aarch64__)
    typename Batch::register_type r = x;
#if defined(__AVX512F__)
    asm("" : "+v"(r));
#elif defined(__SSE2__)
    asm("" : "+x"(r));
#else
    asm("" : "+w"(r));
#endif
    return Batch(r);
#else
    asm("" : "+m"(x));
    return x;
#endif
}

PLUMB_ALWAYS_INLINE f32v load(const float* p) { return f32v::load_unaligned(p); }
PLUMB_ALWAYS_INLINE f64v load_doubles(const double* p) { return f64v::load_unaligned(p); }
PLUMB_ALWAYS_INLINE void store(float* p, f32v x) { x.store_unaligned(p); }
PLUMB_ALWAYS_INLINE void store(double* p, f64v x) { x.store_unaligned(p); }
template <class Half>
PLUMB_ALWAYS_INLINE i32v load_bits(const Half* p) { // with the sign bit spread over the upper half
#if defined(__SSE2__) && !defined(__AVX__)
    const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return i32v(_mm_srai_epi32(_mm_unpacklo_epi16(x, x), 16));
#elif defined(__aarch64__)
    return i32v(vmovl_s16(vld1_s16(reinterpret_cast<const std::int16_t*>(p))));
#else
    alignas(64) std::int32_t x[lanes];
    for (std::size_t i = 0; i < lanes; ++i) x[i] = static_cast<std::int16_t>(p[i].bits);
    return i32v::load_aligned(x);
#endif
}
PLUMB_ALWAYS_INLINE i32v load_bits(const float* p) { return same_bits<i32v>(load(p)); }
PLUMB_ALWAYS_INLINE f32v load(const brain_bits* p) { return same_bits<f32v>(load_bits(p) << 16); }
PLUMB_ALWAYS_INLINE f32v load(const half_bits* p) {
    // The exponent field is moved to its place and its bias put right by a multiplication, which is exact; that of NaN and
    // infinity is then filled up.
    const i32v x = load_bits(p), size = x & i32v(0x7fff);
    const f32v scaled = same_bits<f32v>(size << 13) * f32v(0x1p112f);
    const i32v special = (size + i32v(0x7fffffff - 0x7bff)) >> 31; // all ones from 0x7c00 on
    return same_bits<f32v>(same_bits<i32v>(scaled) | (special & i32v(0x7f800000)) | (x & i32v(INT32_MIN)));
}
PLUMB_ALWAYS_INLINE f64v load_wide(const float* p) {
#if defined(__AVX512F__)
    return f64v(_mm512_cvtps_pd(_mm256_loadu_ps(p)));
#elif defined(__AVX__)
    return f64v(_mm256_cvtps_pd(_mm_loadu_ps(p)));
#elif defined(__SSE2__)
    return f64v(_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))));
#elif defined(__aarch64__)
    return f64v(vcvt_f64_f32(vld1_f32(p)));
#else
    alignas(64) double x[lanes / 2];
    for (std::size_t i = 0; i < lanes / 2; ++i) x[i] = double{p[i]};
    return f64v::load_aligned(x);
#endif
}

PLUMB_ALWAYS_INLINE f32v fill(float x) { return f32v(x); }
PLUMB_ALWAYS_INLINE f64v fill_wide(double x) { return f64v(x); }
PLUMB_ALWAYS_INLINE f32v fill_bits(std::uint32_t x) { return same_bits<f32v>(i32v(static_cast<std::int32_t>(x))); }
PLUMB_ALWAYS_INLINE f64v fill_wide_bits(std::uint64_t x) {
    return same_bits<f64v>(xsimd::batch<std::int64_t>(static_cast<std::int64_t>(x)));
}
PLUMB_ALWAYS_INLINE i32v fill_int(std::int32_t x) { return i32v(x); }

PLUMB_ALWAYS_INLINE i32v bits(f32v x) { return same_bits<i32v>(x); }
PLUMB_ALWAYS_INLINE f32v absolute(f32v x) { return same_bits<f32v>(bits(x) & i32v(INT32_MAX)); }
PLUMB_ALWAYS_INLINE f64v absolute(f64v x) {
    using i64v = xsimd::batch<std::int64_t>;
    return same_bits<f64v>(same_bits<i64v>(x) & i64v(INT64_MAX));
}
template <class Batch>
PLUMB_ALWAYS_INLINE Batch add(Batch x, Batch y) {
    return x + y;
}
template <class Batch>
PLUMB_ALWAYS_INLINE Batch subtract(Batch x, Batch y) {
    return x - y;
}
template <class Batch>
PLUMB_ALWAYS_INLINE Batch multiply(Batch x, Batch y) {
    return x * y;
}
template <class Batch>
PLUMB_ALWAYS_INLINE Batch divide(Batch x, Batch y) {
    return x / y;
}
PLUMB_ALWAYS_INLINE f32v excess(f32v d, f32v t, f32v y) { return d - t * y; }
PLUMB_ALWAYS_INLINE f64v multiply_add(f64v x, f64v y, f64v z) { return x * y + z; }
PLUMB_ALWAYS_INLINE f32v larger(f32v x, f32v y) { return xsimd::max(x, y); }
PLUMB_ALWAYS_INLINE f32v larger_size(f32v x, f32v y) { return xsimd::max(x, y); } // x not negative
PLUMB_ALWAYS_INLINE i32v larger(i32v x, i32v y) { return xsimd::max(x, y); }
PLUMB_ALWAYS_INLINE i32v smaller(i32v x, i32v y) { return xsimd::min(x, y); }
#if defined(__SSE2__) && !defined(__SSE4_1__) // coarsely: right in the upper half of each lane alone
PLUMB_ALWAYS_INLINE i32v coarsely_larger(i32v x, i32v y) { return i32v(_mm_max_epi16(x, y)); }
PLUMB_ALWAYS_INLINE i32v coarsely_smaller(i32v x, i32v y) { return i32v(_mm_min_epi16(x, y)); }
PLUMB_ALWAYS_INLINE i32v count_positive(i32v n, i32v x) { return i32v(_mm_sub_epi32(n, _mm_cmpgt_epi32(x, i32v(0)))); }
#else
PLUMB_ALWAYS_INLINE i32v coarsely_larger(i32v x, i32v y) { return larger(x, y); }
PLUMB_ALWAYS_INLINE i32v coarsely_smaller(i32v x, i32v y) { return smaller(x, y); }
PLUMB_ALWAYS_INLINE i32v count_positive(i32v n, i32v x) { return n + smaller(x, i32v(1)); } // x is not negative
#endif

PLUMB_ALWAYS_INLINE bool any_above(f32v x, f32v y) { return xsimd::any(x > y); }
PLUMB_ALWAYS_INLINE bool any_above(f32v x0, f32v y0, f32v x1, f32v y1) { return xsimd::any((x0 > y0) | (x1 > y1)); }
PLUMB_ALWAYS_INLINE std::uint32_t bits_of_lanes(f64v x) { // one bit for each lane that is not zero
    alignas(64) double lane[lanes / 2];
    x.store_aligned(lane);
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < lanes / 2; ++i) result |= static_cast<std::uint32_t>(lane[i] != 0.0) << i;
    return result;
}
PLUMB_ALWAYS_INLINE std::uint32_t bits_above(f64v x, f64v y) { return bits_of_lanes(xsimd::select(x > y, f64v(1.0), f64v(0.0))); }
PLUMB_ALWAYS_INLINE std::uint32_t bits_equal(f64v x, f64v y) {
    return bits_of_lanes(xsimd::select(x == y, f64v(1.0), f64v(0.0)));
}
PLUMB_ALWAYS_INLINE f64v keep_between(f64v x, f64v low, f64v high) { // x where low <= |x| < high, else 0
    const f64v size = absolute(x);
    return xsimd::select((size >= low) & (size < high), x, f64v(0.0));
}

template <class Lane, class Batch>
PLUMB_ALWAYS_INLINE Lane greatest_of(Batch x) {
    alignas(64) Lane lane[Batch::size];
    x.store_aligned(lane);
    Lane result = lane[0];
    for (std::size_t i = 1; i < Batch::size; ++i) result = lane[i] > result ? lane[i] : result;
    return result;
}
PLUMB_ALWAYS_INLINE float greatest_lane(f32v x) { return greatest_of<float>(x); }
PLUMB_ALWAYS_INLINE std::int32_t greatest_lane(i32v x) { return greatest_of<std::int32_t>(x); }
PLUMB_ALWAYS_INLINE std::int32_t least_lane(i32v x) { return ~greatest_of<std::int32_t>(~x); }
PLUMB_ALWAYS_INLINE std::uint32_t sum_lanes(i32v x) {
    alignas(64) std::int32_t lane[lanes];
    x.store_aligned(lane);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < lanes; ++i) sum += static_cast<std::uint32_t>(lane[i]);
    return sum;
}

PLUMB_ALWAYS_INLINE mask unequal(f32v x, f32v y) { return x != y; }
PLUMB_ALWAYS_INLINE mask equal(f32v x, f32v y) { return x == y; }
PLUMB_ALWAYS_INLINE mask not_above(f32v x, f32v y) { return x <= y; }
PLUMB_ALWAYS_INLINE mask both(mask x, mask y) { return x & y; }
PLUMB_ALWAYS_INLINE mask without(mask x, mask y) { return x & ~y; }
PLUMB_ALWAYS_INLINE bool any(mask m) { return xsimd::any(m); }
PLUMB_ALWAYS_INLINE i32v ones_where(mask m) { // 1 where m is set
    return bits(xsimd::select(m, same_bits<f32v>(i32v(1)), same_bits<f32v>(i32v(0))));
}
PLUMB_ALWAYS_INLINE i32v count(i32v n, mask m) { return n + ones_where(m); }
PLUMB_ALWAYS_INLINE std::uint32_t bits_of(mask m) {
    alignas(64) std::int32_t lane[lanes];
    ones_where(m).store_aligned(lane);
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < lanes; ++i) result |= static_cast<std::uint32_t>(lane[i]) << i;
    return result;
}

// The sum over the lanes of how many steps of its last place each has gone from `base`.
PLUMB_ALWAYS_INLINE std::int64_t steps_from(f64v x, double base) {
    alignas(64) double lane[lanes / 2];
    x.store_aligned(lane);
    std::int64_t steps = 0;
    for (std::size_t i = 0; i < lanes / 2; ++i)
        steps += detail::bit_cast<std::int64_t>(lane[i]) - detail::bit_cast<std::int64_t>(base);
    return steps;
}

PLUMB_ALWAYS_INLINE f64v with_sign_flipped_by(f64v x, f64v sign) { // −x where `sign` is negative
    using i64v = xsimd::batch<std::int64_t>;
    return same_bits<f64v>(same_bits<i64v>(x) ^ (same_bits<i64v>(sign) & i64v(INT64_MIN)));
}
PLUMB_ALWAYS_INLINE i32v exclusive_or(i32v x, i32v y) { return x ^ y; }
PLUMB_ALWAYS_INLINE i32v sign_of(i32v x) { return x >> 31; }
PLUMB_ALWAYS_INLINE i32v upper_half(i32v x) { return (x >> 16) & i32v(0xffff); }
template <std::int32_t Mask>
PLUMB_ALWAYS_INLINE i32v without_sign(i32v x) {
    return x & i32v(Mask);
}
PLUMB_ALWAYS_INLINE i32v bit_and(i32v x, i32v y) { return x & y; }
PLUMB_ALWAYS_INLINE i32v bit_or(i32v x, i32v y) { return x | y; }
PLUMB_ALWAYS_INLINE bool any_bit(i32v x) { return xsimd::any(x != i32v(0)); }
