/// \file
/// Sums, dot products and norms that depend on the data alone: blocks for a framework's own reductions.
#pragma once

#include <plumb/metrics/pair_metrics.hpp>
#include <plumb/metrics/tensor_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace plumb {

namespace kernels {
inline namespace PLUMB_TARGET {

/// The bits of Σx, or of sqrt(Σx²), of what a pass has seen, with NaN and infinities as IEEE arithmetic would have them.
template <class Range>
inline std::uint64_t sum_bits(const statistics_state<Range>& s) noexcept {
    const nonfinite_part& n = s.nonfinite;
    if (n.nan != 0 || (n.pos_inf != 0 && n.neg_inf != 0)) return binary64::quiet_nan;
    if (n.pos_inf != 0 || n.neg_inf != 0) return binary64::infinity | (n.neg_inf != 0 ? binary64::sign_mask : 0);
    return detail::bit_cast<std::uint64_t>(s.sum.value());
}
template <class Range>
inline std::uint64_t norm_bits(const statistics_state<Range>& s) noexcept {
    const nonfinite_part& n = s.nonfinite;
    if (n.nan != 0) return binary64::quiet_nan;
    if (n.pos_inf != 0 || n.neg_inf != 0) return binary64::infinity;
    return rounded_sqrt_quotient_bits(s.squares.magnitude(), make_natural(1), Range::product::min_exponent);
}

} // namespace PLUMB_TARGET
} // namespace kernels

/// Streams elements and keeps their exact sum and the exact sum of their squares, for a loss or a gradient's norm that does
/// not depend on threads, order or machine.
///
/// A trivially copyable value: keep one per thread or rank, send it as bytes, merge. Each number is rounded once, to the
/// nearest double. A NaN among the elements makes both NaN; infinities make the norm infinite, and the sum too, or NaN if
/// there are some of both signs. Without elements both are 0. `Range` as in basic_pair_metrics.
template <class Range>
class basic_exact_sum {
public:
    /// Adds data[0..n).
    template <class T>
    PLUMB_ALWAYS_INLINE void add(const T* data, std::size_t n) noexcept {
        static_assert(is_element_v<T>, "plumb does not know this element type: specialise plumb::element_traits");
        static_assert(sizeof(T) <= Range::max_element_bytes, "elements of 64 bits need exact_sum_of_any");
        kernels::add_tensor(state_, dtype_of<T>, data, n);
    }
    /// Adds the elements of a tensor. Throws std::invalid_argument if its type has too many bits.
    PLUMB_ALWAYS_INLINE void add(const tensor_view& tensor) {
        if (size_of(tensor.type()) > Range::max_element_bytes)
            throw std::invalid_argument("plumb: elements of 64 bits need exact_sum_of_any");
        kernels::add_tensor(state_, tensor);
    }
    /// Adds what `other` has seen.
    PLUMB_ALWAYS_INLINE void merge(const basic_exact_sum& other) noexcept { kernels::merge_state(state_, other.state_); }

    /// The sum, rounded once.
    PLUMB_ALWAYS_INLINE double value() const noexcept { return detail::bit_cast<double>(kernels::sum_bits(state_)); }
    /// The square root of the sum of squares, rounded once.
    PLUMB_ALWAYS_INLINE double norm() const noexcept { return detail::bit_cast<double>(kernels::norm_bits(state_)); }
    /// Elements so far.
    PLUMB_ALWAYS_INLINE std::uint64_t count() const noexcept { return state_.count; }

private:
    kernels::statistics_state<Range> state_;
};

using exact_sum_of_narrow = basic_exact_sum<kernels::narrow_range>; ///< for element types of up to 32 bits
using exact_sum_of_any = basic_exact_sum<kernels::wide_range>;      ///< for all types, about 5 times larger

inline namespace PLUMB_TARGET {

/// The sum of a tensor's elements, rounded once; see basic_exact_sum for NaN, infinities and empty tensors.
inline double exact_sum(const tensor_view& tensor) {
    const auto run = [&](auto sum) {
        sum.add(tensor);
        return sum.value();
    };
    return size_of(tensor.type()) <= 4 ? run(exact_sum_of_narrow()) : run(exact_sum_of_any());
}

/// The Euclidean norm of a tensor's elements, rounded once; see basic_exact_sum for NaN, infinities and empty tensors.
inline double exact_norm(const tensor_view& tensor) {
    const auto run = [&](auto sum) {
        sum.add(tensor);
        return sum.norm();
    };
    return size_of(tensor.type()) <= 4 ? run(exact_sum_of_narrow()) : run(exact_sum_of_any());
}

/// The sum of the products of two tensors of one shape, rounded once; NaN if any element is NaN or infinite, 0 if there are
/// none. The element types may differ. Throws std::invalid_argument if the shapes differ.
inline double exact_dot(const tensor_view& a, const tensor_view& b) {
    if (a.shape() != b.shape())
        throw std::invalid_argument("plumb: shapes differ: " + to_string(a.shape()) + " and " + to_string(b.shape()));
    const auto run = [&](auto range) {
        kernels::pair_state<metric::cosine, decltype(range)> state;
        kernels::add_tensors(state, a, b);
        const bool finite = state.counts.finite == state.counts.count;
        return finite ? state.products.ab.value() : detail::bit_cast<double>(binary64::quiet_nan);
    };
    return size_of(a.type()) <= 4 && size_of(b.type()) <= 4 ? run(kernels::narrow_range{}) : run(kernels::wide_range{});
}

} // namespace PLUMB_TARGET
} // namespace plumb
