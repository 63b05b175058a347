/// \file
/// The first bad number among an operator's arguments.
#pragma once

#include <plumb/guard/argument.hpp>
#include <plumb/guard/find_nonfinite.hpp>
#include <plumb/guard/overflow_event.hpp>
#include <plumb/types/small_float.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace plumb {
namespace detail {
inline namespace PLUMB_TARGET {

/// Element number `index`, in row-major order, of a floating-point tensor.
inline double element_at(const tensor_view& tensor, std::uint64_t index) noexcept {
    const auto* at = static_cast<const char*>(tensor.data());
    for (std::size_t i = tensor.shape().size(); i-- > 0;) {
        const auto length = static_cast<std::uint64_t>(tensor.shape()[i]);
        at += static_cast<std::int64_t>(index % length) * tensor.strides()[i];
        index /= length;
    }
    return with_format(tensor.type(), 0.0, [&](auto format) {
        using type = decltype(format);
        return bit_cast<double>(convert<binary64, type>(load<typename type::bits_type>(at)));
    });
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// The first NaN or infinity among the arguments, inside lists and bare numbers too; nothing if all are finite. Stops at the
/// first hit.
inline std::optional<overflow_place> first_overflow(const argument_vector& all, bool output, const std::string& place = {}) {
    std::size_t number = 0;
    for (const argument& each : all) {
        const std::string word = each.keyword().empty() ? std::to_string(number) : each.keyword();
        ++number;
        const auto here = [&] { return place.empty() ? word : place + "." + word; };
        if (const auto* view = each.tensor()) {
            if (const auto index = find_nonfinite(*view))
                return overflow_place{output, here(), *index, detail::element_at(*view, *index), view->type(), {}};
        } else if (const auto* items = each.items()) {
            if (auto found = first_overflow(*items, output, here())) return found;
        } else if (const auto* scalar = std::get_if<double>(&each.value())) {
            if (find_nonfinite(tensor_view(dtype::f64, scalar, extents{})))
                return overflow_place{output, here(), 0, *scalar, dtype::f64, {}};
        }
    }
    return std::nullopt;
}

/// The kinds of bad numbers among the arguments; looks at all of them.
inline bad_numbers kinds_of_overflow(const argument_vector& all) {
    bad_numbers found;
    const auto add = [&](const bad_numbers& more) {
        found.nan = found.nan || more.nan;
        found.pos_inf = found.pos_inf || more.pos_inf;
        found.neg_inf = found.neg_inf || more.neg_inf;
    };
    for (const argument& each : all) {
        if (const auto* view = each.tensor()) add(kinds_of_nonfinite(*view));
        if (const auto* items = each.items()) add(kinds_of_overflow(*items));
        if (const auto* scalar = std::get_if<double>(&each.value()))
            add(kinds_of_nonfinite(tensor_view(dtype::f64, scalar, extents{})));
    }
    return found;
}

/// Number of saturated elements among the arguments; `first` gets the place of the first, if it has none yet.
inline std::uint64_t count_saturated(const argument_vector& all, bool output, std::optional<overflow_place>& first) {
    std::uint64_t count = 0;
    for_each_tensor(all, [&](const tensor_view& view, const std::string& slot) {
        const saturation here = find_saturated(view);
        if (here.first && !first)
            first = overflow_place{output, slot, *here.first, detail::element_at(view, *here.first), view.type(), {}};
        count += here.count;
        return true;
    });
    return count;
}

} // namespace PLUMB_TARGET
} // namespace plumb
