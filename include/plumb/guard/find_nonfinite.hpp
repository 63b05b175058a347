/// \file
/// Which kinds of NaN and infinities a tensor holds, and how many of its elements are saturated.
#pragma once

#include <plumb/metrics/find_nonfinite.hpp>
#include <plumb/types/float_format.hpp>
#include <plumb/types/strided_reader.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace plumb {

/// Which kinds of bad numbers there are.
struct bad_numbers {
    bool nan = false, pos_inf = false, neg_inf = false;
};

/// How many elements of a tensor are saturated, and where the first one is.
struct saturation {
    std::uint64_t count = 0;
    std::optional<std::uint64_t> first;
};

namespace detail {
inline namespace PLUMB_TARGET {

/// Calls f(format) with the binary format of a floating-point type, and returns what it returns; `otherwise` for other types.
template <class F, class Result>
inline Result with_format(dtype type, Result otherwise, const F& f) noexcept {
    switch (type) {
    case dtype::f8_e4m3fn: return f(ocp_e4m3fn{});
    case dtype::f8_e5m2: return f(ocp_e5m2{});
    case dtype::f16: return f(binary16{});
    case dtype::bf16: return f(brain16{});
    case dtype::f32: return f(binary32{});
    case dtype::f64: return f(binary64{});
    default: return otherwise;
    }
}

/// Counts the patterns of the largest finite magnitude; `first` gets the position of the first, if it has none yet.
template <class Format>
inline std::size_t scan_saturated(const char* data, std::size_t n, std::uint64_t offset,
                                  std::optional<std::uint64_t>& first) noexcept {
    using bits_type = typename Format::bits_type;
    const auto saturated = [&](std::size_t i) {
        return static_cast<bits_type>(load<bits_type>(data + i * sizeof(bits_type)) & Format::magnitude_mask) == Format::largest;
    };
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += saturated(i);
    for (std::size_t i = 0; count != 0 && !first; ++i)
        if (saturated(i)) first = offset + i;
    return count;
}

/// Calls scan(data, count) on the elements, brought side by side piece by piece where they are not; it returns false to stop.
template <class Scan>
inline void for_each_run(const tensor_view& tensor, const Scan& scan) {
    if (tensor.is_contiguous()) {
        scan(static_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.count()));
        return;
    }
    constexpr std::size_t block = 2048;
    alignas(64) char elements[block * 8];
    strided_reader from(tensor);
    while (const std::size_t n = from.read(elements, block))
        if (!scan(elements, n)) return;
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// The kinds of bad numbers in a tensor; looks at all of it.
inline bad_numbers kinds_of_nonfinite(const tensor_view& tensor) {
    bad_numbers found;
    detail::with_format(tensor.type(), false, [&](auto format) {
        using type = decltype(format);
        detail::for_each_run(tensor, [&](const char* data, std::size_t n) {
            for (std::size_t i = 0; i < n; ++i) {
                const unpacked x =
                    unpack<type>(detail::load<typename type::bits_type>(data + i * sizeof(typename type::bits_type)));
                found.nan = found.nan || x.kind == number_kind::nan;
                found.pos_inf = found.pos_inf || (x.kind == number_kind::infinite && !x.negative);
                found.neg_inf = found.neg_inf || (x.kind == number_kind::infinite && x.negative);
            }
            return true;
        });
        return true;
    });
    return found;
}

/// The elements at the largest finite magnitude of their floating-point type; none for integers.
inline saturation find_saturated(const tensor_view& tensor) {
    saturation found;
    std::uint64_t done = 0;
    detail::with_format(tensor.type(), false, [&](auto format) {
        detail::for_each_run(tensor, [&](const char* data, std::size_t n) {
            found.count += detail::scan_saturated<decltype(format)>(data, n, done, found.first);
            done += n;
            return true;
        });
        return true;
    });
    return found;
}

} // namespace PLUMB_TARGET
} // namespace plumb
