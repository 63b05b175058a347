/// \file
/// Whether a tensor holds a NaN or an infinity, and where first; how many of its elements are saturated.
#pragma once

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

template <class Format>
inline constexpr typename Format::bits_type first_nonfinite = Format::has_infinities
                                                                  ? Format::infinity
                                                                  : static_cast<typename Format::bits_type>(Format::largest + 1);

/// Position of the first non-finite pattern among n, or n. Goes through blocks without branches, which compilers turn into
/// vector code, and stops after the first block with a hit.
template <class Format>
inline std::size_t scan_nonfinite(const char* data, std::size_t n) noexcept {
    using bits_type = typename Format::bits_type;
    constexpr bits_type limit = first_nonfinite<Format>;
    constexpr std::size_t block = 4096 / sizeof(bits_type);
    const auto bad = [&](std::size_t i) {
        return static_cast<bits_type>(load<bits_type>(data + i * sizeof(bits_type)) & Format::magnitude_mask) >= limit;
    };
    std::size_t i = 0;
    for (; i + block <= n; i += block) {
        // The sum of a pattern below the sign and (2^(bits-1) - limit) reaches the sign bit exactly if the pattern is not finite.
        constexpr auto lift = static_cast<bits_type>(Format::sign_mask - limit);
        bits_type hits = 0;
        for (std::size_t k = 0; k < block; ++k) {
            const auto magnitude =
                static_cast<bits_type>(load<bits_type>(data + (i + k) * sizeof(bits_type)) & Format::magnitude_mask);
            hits = static_cast<bits_type>(hits | static_cast<bits_type>(magnitude + lift));
        }
        if ((hits & Format::sign_mask) != 0) break;
    }
    while (i < n && !bad(i)) ++i;
    return i;
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

/// Position of the first NaN or infinity, in row-major order; nothing if there is none, as in integers and empty tensors. Told
/// from the bits: -ffast-math changes nothing.
inline std::optional<std::uint64_t> find_nonfinite(const tensor_view& tensor) {
    std::optional<std::uint64_t> found;
    std::uint64_t done = 0;
    detail::with_format(tensor.type(), false, [&](auto format) {
        detail::for_each_run(tensor, [&](const char* data, std::size_t n) {
            const std::size_t at = detail::scan_nonfinite<decltype(format)>(data, n);
            if (at < n) found = done + at;
            done += n;
            return at == n;
        });
        return true;
    });
    return found;
}

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
