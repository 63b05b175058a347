// The extremes of f32, where there are no instructions for those of 32-bit integers.

struct extremes {
    f32v min, max, least;
};

PLUMB_ALWAYS_INLINE extremes extremes_of_none(f32v first) { return {first, first, fill_bits(0x7f800000)}; }
PLUMB_ALWAYS_INLINE extremes for_next_block(const extremes& e) { return {e.min, e.max, fill_bits(0x7f800000)}; }
PLUMB_ALWAYS_INLINE void take(extremes& e, f32v x) {
    e.min = smaller(e.min, x);
    e.max = larger(e.max, x);
    e.least = smaller(e.least, absolute(x));
}
PLUMB_ALWAYS_INLINE void take(extremes& e, const extremes& block) { e = block; }
PLUMB_ALWAYS_INLINE bool any_larger(const extremes& e, std::int32_t pattern) {
    const f32v limit = fill_bits(static_cast<std::uint32_t>(pattern));
    return any_above(e.max, limit, subtract(fill(0.0f), e.min), limit);
}
PLUMB_ALWAYS_INLINE bool any_smaller(const extremes& e, std::int32_t pattern) {
    return any_above(fill_bits(static_cast<std::uint32_t>(pattern)), e.least);
}
PLUMB_ALWAYS_INLINE void store_extremes(const extremes& e, tensor_sums& to) {
    const float max = greatest_lane(e.max), negated_min = greatest_lane(subtract(fill(0.0f), e.min));
    to.max_bits = detail::bit_cast<std::uint32_t>(max);
    to.min_bits = detail::bit_cast<std::uint32_t>(negated_min) ^ 0x80000000u;
}
