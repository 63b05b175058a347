// The extremes of f32, by integers: adders of floats have enough to do. Among patterns taken for signed integers, those that
// are not negative are above all others; taken for unsigned ones, those of negative numbers are, the largest size on top.

struct extremes {
    i32v most, most_negative, least; // `least` is twice the least size
};

PLUMB_ALWAYS_INLINE extremes extremes_of_none(f32v) { return {fill_int(INT32_MIN), fill_int(0), fill_int(-1)}; }
PLUMB_ALWAYS_INLINE extremes for_next_block(const extremes& e) { return {e.most, e.most_negative, fill_int(-1)}; }
PLUMB_ALWAYS_INLINE void take(extremes& e, f32v x) {
    const i32v raw = bits(x);
    e.most = larger(e.most, raw);
    e.most_negative = larger_unsigned(e.most_negative, raw);
    e.least = smaller_unsigned(e.least, add(raw, raw));
}
PLUMB_ALWAYS_INLINE void take(extremes& e, const extremes& block) {
    e = {block.most, block.most_negative, smaller_unsigned(e.least, block.least)};
}
PLUMB_ALWAYS_INLINE bool any_larger(const extremes& e, std::int32_t pattern) {
    const i32v sign = fill_int(INT32_MIN), limit = fill_int(pattern);
    return any_above(larger(e.most, exclusive_or(e.most_negative, sign)), limit);
}
PLUMB_ALWAYS_INLINE bool any_smaller(const extremes& e, std::int32_t pattern) {
    return any_above(fill_int(pattern), half_of(e.least));
}
PLUMB_ALWAYS_INLINE void store_extremes(const extremes& e, tensor_sums& to) {
    const std::int32_t most = greatest_lane(e.most), least = least_lane(half_of(e.least));
    const std::int32_t most_negative = greatest_lane(exclusive_or(e.most_negative, fill_int(INT32_MIN)));
    to.max_bits = most >= 0 ? static_cast<std::uint32_t>(most) : 0x80000000u | static_cast<std::uint32_t>(least);
    to.min_bits = static_cast<std::uint32_t>(most_negative >= 0 ? INT32_MIN | most_negative : least);
}
