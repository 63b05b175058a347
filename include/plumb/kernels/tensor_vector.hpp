/// \file
/// The statistics of f16, bf16 and f32 by vector kernels, with the results of the specification.
#pragma once

#include <plumb/detail/fp_guard.hpp>
#include <plumb/kernels/block_source.hpp>
#include <plumb/kernels/statistics_scalar.hpp>
#include <plumb/kernels/tensor_block.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plumb::kernels {
inline namespace PLUMB_TARGET {

/// A finite number of f16, bf16 or f32 from its pattern.
inline unpacked number_of(dtype type, std::uint32_t bits) noexcept {
    if (type == dtype::f16) return unpack<binary16>(static_cast<std::uint16_t>(bits));
    return type == dtype::bf16 ? unpack<brain16>(static_cast<std::uint16_t>(bits)) : unpack<binary32>(bits);
}

/// Takes a block's or a run's least and greatest number into account.
inline void offer_extremes(statistics_state<narrow_range>& s, const unpacked& min, const unpacked& max) noexcept {
    const std::uint64_t low = sort_key_of(min), high = sort_key_of(max);
    if (low < s.min_key) s.min_key = low;
    if (high > s.max_key) s.max_key = high;
}

/// A window for blocks like one that has just been seen; false if its numbers lie too far apart for one. `bits` is how far
/// apart they may lie.
inline bool window_after(dtype type, int bits, const block_range& range, tensor_window& window) noexcept {
    const auto for_format = [&](auto format, int lowest_unit) {
        using f = decltype(format);
        int top = range.top;
        if (top - bits > range.unit) return false;
        if (top + 1 - bits <= range.unit && top < f::bias + 1) ++top; // the next may hold larger ones
        if (top - bits < lowest_unit) top = lowest_unit + bits;
        window.top = top;
        window.unit = top - bits;
        window.largest = ((top + f::bias) << f::fraction_bits) - 1;
        if (window.largest >= static_cast<std::int32_t>(f::largest))
            window.largest = f::largest - 1; // saturated ones are counted
        window.normal = 1 << f::fraction_bits;
        window.least = window.unit == f::min_exponent ? 1 : (window.unit + f::fraction_bits + f::bias) << f::fraction_bits;
        return true;
    };
    if (type == dtype::f32) return for_format(binary32{}, binary32::min_exponent);
    // The kernel for halves multiplies by 2^-unit, which has to be an f32.
    return type == dtype::f16 ? for_format(binary16{}, binary16::min_exponent) : for_format(brain16{}, -126);
}

/// Counts the NaN and infinities among a block's n elements and writes a copy, filled up, with the first finite number in
/// their place. Returns how many are finite.
inline std::size_t take_nonfinite(statistics_state<narrow_range>& s, const float* x, std::size_t n, float* to) noexcept {
    const auto is_finite = [&](std::size_t i) { return number_at(x, i).kind == number_kind::finite; };
    std::size_t first = 0, finite = 0;
    while (first < n && !is_finite(first)) ++first;
    if (first == n) first = 0;
    const auto stand_in = detail::load<std::uint32_t>(x + first);
    for (std::size_t i = 0; i < padded_count(n); ++i) {
        const bool keep = is_finite(i);
        if (i < n && !keep) add_element(s, dtype::f32, number_at(x, i), s.count + i);
        finite += i < n && keep;
        to[i] = detail::bit_cast<float>(keep ? detail::load<std::uint32_t>(x + i) : stand_in);
    }
    return finite;
}

/// Adds a block of any numbers, at most block_pairs, and makes a window for those that follow; false if there is none.
///
/// Blocks are filled up to whole steps, and what is not finite is replaced, by the first finite number: it changes neither
/// extreme nor range, and what it adds to the counts and sums is taken off again.
inline bool add_block(statistics_state<narrow_range>& s, const tensor_kernels& kernels, dtype type, const unsigned char* raw,
                      std::size_t n, block_buffer& room, tensor_window& next) noexcept {
    const std::size_t bytes = size_of(type), padded = padded_count(n);
    if (padded != n) {
        std::memcpy(room.padded, raw, n * bytes);
        for (std::size_t i = n; i < padded; ++i) std::memcpy(room.padded + i * bytes, raw, bytes);
        raw = room.padded;
    }
    tensor_survey survey;
    (type == dtype::f32   ? kernels.survey_f32
     : type == dtype::f16 ? kernels.survey_f16
                          : kernels.survey_bf16)(raw, padded, room.wide, survey);
    const float* x = type == dtype::f32 ? reinterpret_cast<const float*>(raw) : room.wide;
    std::size_t finite = n;
    if (survey.largest >= static_cast<std::int32_t>(binary32::infinity)) {
        finite = take_nonfinite(s, x, n, room.wide);
        x = room.wide;
        if (finite != 0) kernels.survey_f32(x, padded, nullptr, survey);
    }
    s.count += n;
    s.finite += finite;
    if (finite == 0) return false;

    const std::size_t stand_ins = padded - finite;
    const unpacked stand_in = number_at(x, 0);
    s.zeros += survey.zeros - (stand_in.mantissa == 0 ? stand_ins : 0);
    offer_extremes(s, number_of(dtype::f32, survey.min_bits), number_of(dtype::f32, survey.max_bits));
    if (survey.largest == 0) return false;

    const std::int32_t saturated = type == dtype::f16 ? 0x477fe000 : type == dtype::bf16 ? 0x7f7f0000 : 0x7f7fffff;
    const std::int32_t normal = type == dtype::f16 ? 113 << 23 : 1 << 23;
    if (survey.largest == saturated || survey.least < normal) { // rare enough to be counted in a pass of its own
        const auto count = [&](std::size_t i, std::uint64_t times) {
            const auto size = static_cast<std::int32_t>(detail::load<std::uint32_t>(x + i) & binary32::magnitude_mask);
            s.saturated += size == saturated ? times : 0;
            s.subnormals += size != 0 && size < normal ? times : 0;
        };
        for (std::size_t i = 0; i < padded; ++i) count(i, 1);
        count(0, std::uint64_t{0} - stand_ins);
    }

    const block_range range = range_of(type, survey.largest, survey.least);
    tensor_sums sums;
    if (range.top - range.unit <= kernels.window_bits) {
        tensor_window all;
        all.top = range.top;
        all.unit = range.unit;
        all.largest = binary32::infinity;
        kernels.run_f32(x, padded, all, sums);
    } else {
        alignas(64) float ones[block_pairs];
        for (std::size_t i = 0; i < padded; ++i) ones[i] = 1.0f;
        kernels.sum_wide_product(x, ones, padded, range.floor, range.top + 1, sums.sum);
        kernels.sum_wide_product(x, x, padded, 2 * range.floor, 2 * range.top, sums.squares);
    }
    add_steps(s.sum, sums.sum);
    add_steps(s.squares, sums.squares);
    if (stand_ins != 0 && stand_in.mantissa != 0) {
        const detail::uint128 times = stand_ins;
        s.sum.add(!stand_in.negative, times * stand_in.mantissa, stand_in.exponent);
        s.squares.add(true, times * stand_in.mantissa * stand_in.mantissa, 2 * stand_in.exponent);
    }
    return finite == n && window_after(type, type == dtype::f32 ? kernels.window_bits : half_window_bits, range, next);
}

/// Adds what a run over `taken` elements has come to.
inline void add_run(statistics_state<narrow_range>& s, dtype type, std::size_t taken, const tensor_sums& sums) noexcept {
    if (taken == 0) return;
    s.count += taken;
    s.finite += taken;
    s.zeros += sums.zeros;
    s.subnormals += sums.subnormals;
    offer_extremes(s, number_of(type, sums.min_bits), number_of(type, sums.max_bits));
    add_steps(s.sum, sums.sum);
    add_steps(s.squares, sums.squares);
}

/// Adds n elements of f16, bf16 or f32, side by side in memory: in runs, as long as the numbers stay where they were, and
/// else by the block.
inline void add_tensor_vector(statistics_state<narrow_range>& s, const tensor_kernels& kernels, dtype type, const void* data,
                              std::size_t n) noexcept {
    const detail::fp_guard guard;
    const auto* from = static_cast<const unsigned char*>(data);
    const auto run = type == dtype::f32 ? kernels.run_f32 : type == dtype::f16 ? kernels.run_f16 : kernels.run_bf16;
    block_buffer room;
    tensor_window window;
    bool has_window = false;
    for (std::size_t done = 0; done < n;) {
        const unsigned char* const next = from + done * size_of(type);
        std::size_t count = n - done < run_elements ? n - done : run_elements;
        if (has_window && count >= step_pairs) {
            count = count / step_pairs * step_pairs;
            tensor_sums sums;
            const std::size_t taken = run(next, count, window, sums);
            add_run(s, type, taken, sums);
            has_window = taken == count;
            done += taken;
        } else {
            if (count > block_pairs) count = block_pairs;
            has_window = add_block(s, kernels, type, next, count, room, window);
            done += count;
        }
    }
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
