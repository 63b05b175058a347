/// \file
/// min, max, mean, L2 norm and counts of one tensor.
#pragma once

#include <plumb/detail/fp_guard.hpp>
#include <plumb/kernels/add_tensor.hpp>
#include <plumb/metrics/pair_metrics.hpp>
#include <plumb/metrics/report.hpp>
#include <plumb/types/strided_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace plumb {

namespace kernels {
inline namespace PLUMB_TARGET {

template <class Range>
inline tensor_report make_report(const statistics_state<Range>& s) noexcept {
    tensor_report r;
    r.count = s.count;
    r.finite = s.finite;
    r.zeros = s.zeros;
    r.subnormals = s.subnormals;
    r.saturated = s.saturated;
    r.nonfinite = {s.nonfinite.nan, s.nonfinite.pos_inf, s.nonfinite.neg_inf};
    r.first_nonfinite_index = position_or_none(s.first_nonfinite);
    if (s.finite == 0) return r;
    const detail::fp_guard guard; // the square root starts from the processor's
    set_double(r.min, bits_from_sort_key(s.min_key));
    set_double(r.max, bits_from_sort_key(s.max_key));
    const std::uint64_t mean = rounded_quotient_bits(s.sum.magnitude(), make_natural(s.finite), Range::linear::min_exponent);
    set_double(r.mean, s.sum.is_negative() ? mean | binary64::sign_mask : mean);
    set_double(r.norm, rounded_sqrt_quotient_bits(s.squares.magnitude(), make_natural(1), Range::product::min_exponent));
    return r;
}

template <class Range>
inline void add_tensor(statistics_state<Range>& s, const tensor_view& tensor) {
    if (tensor.is_contiguous()) return add_tensor(s, tensor.type(), tensor.data(), static_cast<std::size_t>(tensor.count()));
    constexpr std::size_t block = 2048;
    alignas(64) char elements[block * 8];
    strided_reader from(tensor);
    while (const std::size_t n = from.read(elements, block)) add_tensor(s, tensor.type(), elements, n);
}

} // namespace PLUMB_TARGET
} // namespace kernels

/// Streams elements and keeps what tensor_report needs: exact sums, so that any cutting, merging and threading gives the same
/// bits. NaN and infinities are counted and otherwise passed over. Trivially copyable. `Range` as in basic_pair_metrics.
template <class Range>
class basic_tensor_statistics {
public:
    /// Adds data[0..n). Positions continue from the last call.
    template <class T>
    PLUMB_ALWAYS_INLINE void add(const T* data, std::size_t n) noexcept {
        static_assert(is_element_v<T>, "plumb does not know this element type: specialise plumb::element_traits");
        static_assert(sizeof(T) <= Range::max_element_bytes, "elements of 64 bits need wide_tensor_statistics");
        kernels::add_tensor(state_, dtype_of<T>, data, n);
    }

    /// Adds a tensor, in row-major order. Throws std::invalid_argument if its type has too many bits.
    PLUMB_ALWAYS_INLINE void add(const tensor_view& tensor) {
        if (size_of(tensor.type()) > Range::max_element_bytes)
            throw std::invalid_argument("plumb: elements of 64 bits need wide_tensor_statistics");
        kernels::add_tensor(state_, tensor);
    }

    /// Adds what `other` has seen, right after what this has seen.
    PLUMB_ALWAYS_INLINE void merge(const basic_tensor_statistics& other) noexcept { merge(other, state_.count); }

    /// Adds what `other` has seen; its first element is number `offset` of the whole.
    PLUMB_ALWAYS_INLINE void merge(const basic_tensor_statistics& other, std::uint64_t offset) noexcept {
        auto part = other.state_;
        part.first_nonfinite = kernels::moved(part.first_nonfinite, offset);
        kernels::merge_state(state_, part);
    }

    PLUMB_ALWAYS_INLINE tensor_report value() const noexcept { return kernels::make_report(state_); }
    PLUMB_ALWAYS_INLINE std::uint64_t count() const noexcept { return state_.count; }

private:
    kernels::statistics_state<Range> state_;
};

using tensor_statistics = basic_tensor_statistics<kernels::narrow_range>;    ///< for element types of up to 32 bits
using wide_tensor_statistics = basic_tensor_statistics<kernels::wide_range>; ///< for all types

inline namespace PLUMB_TARGET {

/// The statistics of one tensor.
inline tensor_report summarize(const tensor_view& tensor) {
    const auto run = [&](auto statistics) {
        statistics.add(tensor);
        return statistics.value();
    };
    return size_of(tensor.type()) <= 4 ? run(tensor_statistics()) : run(wide_tensor_statistics());
}

} // namespace PLUMB_TARGET
} // namespace plumb
