/// \file
/// All metrics of two tensors in one call.
#pragma once

#include <plumb/metrics/pair_metrics.hpp>

#include <stdexcept>
#include <type_traits>

namespace plumb {
inline namespace PLUMB_TARGET {

/// The metrics of `Set` for two tensors of one shape: views, vectors, arrays, or what an adapter converts to tensor_view. The
/// element types may differ; each side is widened exactly. Throws std::invalid_argument if the shapes differ: nothing is
/// broadcast or flattened, and so does a tolerance that is not finite or negative. Bad numbers are no error.
template <metric Set = default_metrics>
inline pair_report measure(const tensor_view& actual, const tensor_view& reference, const tolerance& limits = {}) {
    if (!is_valid(limits)) throw std::invalid_argument("plumb: a tolerance is finite and not negative");
    const auto run = [&](auto accumulator) {
        accumulator.add(actual, reference);
        return accumulator.value();
    };
    const auto start = [&](auto range) {
        using accumulator = basic_pair_metrics<Set, decltype(range)>;
        if constexpr (contains(Set, metric::outside_tolerance))
            return run(accumulator(limits));
        else
            return run(accumulator());
    };
    const bool narrow = size_of(actual.type()) <= 4 && size_of(reference.type()) <= 4;
    return narrow ? start(kernels::narrow_range{}) : start(kernels::wide_range{});
}

/// Anything else: a compile-time error that says what is missing.
template <metric Set = default_metrics, class Actual, class Reference,
          class = std::enable_if_t<!(std::is_convertible_v<const Actual&, tensor_view> &&
                                     std::is_convertible_v<const Reference&, tensor_view>)>>
pair_report measure(const Actual& actual, const Reference& reference, const tolerance& limits = {}) {
    return measure<Set>(as_view(actual), as_view(reference), limits);
}

} // namespace PLUMB_TARGET
} // namespace plumb
