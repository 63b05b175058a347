/// \file
/// Elements of any type, taken apart into integers.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/types/dtype.hpp>
#include <plumb/types/float_format.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace plumb::kernels {

/// What an element type looks like to the bit: `unpack` of one storage word, and how its numbers are counted. The number
/// with mantissa m and exponent e is the ((e - min_exponent) << fraction_bits) + m-th of its format above zero.
template <class Storage, class Format>
struct element_layout {
    using storage = Storage;
    using format = Format;
};

inline namespace PLUMB_TARGET {

/// Calls f(element_layout<storage, format>) for the type's layout; the format of integer types is void.
template <class F>
PLUMB_ALWAYS_INLINE auto with_layout(dtype type, F&& f) {
    switch (type) {
    case dtype::boolean:
    case dtype::u8: return f(element_layout<std::uint8_t, void>{});
    case dtype::i8: return f(element_layout<std::int8_t, void>{});
    case dtype::i16: return f(element_layout<std::int16_t, void>{});
    case dtype::i32: return f(element_layout<std::int32_t, void>{});
    case dtype::i64: return f(element_layout<std::int64_t, void>{});
    case dtype::u16: return f(element_layout<std::uint16_t, void>{});
    case dtype::u32: return f(element_layout<std::uint32_t, void>{});
    case dtype::u64: return f(element_layout<std::uint64_t, void>{});
    case dtype::f8_e4m3fn: return f(element_layout<std::uint8_t, ocp_e4m3fn>{});
    case dtype::f8_e5m2: return f(element_layout<std::uint8_t, ocp_e5m2>{});
    case dtype::f16: return f(element_layout<std::uint16_t, binary16>{});
    case dtype::bf16: return f(element_layout<std::uint16_t, brain16>{});
    case dtype::f32: return f(element_layout<std::uint32_t, binary32>{});
    case dtype::f64: break;
    }
    return f(element_layout<std::uint64_t, binary64>{});
}

template <class Storage, class Format>
PLUMB_ALWAYS_INLINE unpacked unpack_element(const void* from) noexcept {
    const auto word = detail::load<Storage>(from);
    if constexpr (std::is_void_v<Format>) {
        unpacked number;
        number.negative = word < 0;
        const auto wide = static_cast<std::uint64_t>(word); // sign-extended, so that negation cannot overflow
        number.mantissa = number.negative ? std::uint64_t{0} - wide : wide;
        return number;
    } else {
        return unpack<Format>(word);
    }
}

/// Takes n elements apart. In a bool tensor any byte but 0 is 1.
inline void unpack_run(dtype type, const void* from, std::size_t n, unpacked* to) noexcept {
    with_layout(type, [&](auto layout) {
        using element = decltype(layout);
        const auto* bytes = static_cast<const unsigned char*>(from);
        for (std::size_t i = 0; i < n; ++i)
            to[i] = unpack_element<typename element::storage, typename element::format>(bytes +
                                                                                        i * sizeof(typename element::storage));
    });
    if (type == dtype::boolean)
        for (std::size_t i = 0; i < n; ++i) to[i].mantissa = to[i].mantissa != 0;
}

/// How many numbers of the type `type` lie between zero and the finite number x.
inline std::uint64_t ordinal(dtype type, const unpacked& x) noexcept {
    return with_layout(type, [&](auto layout) -> std::uint64_t {
        using format = typename decltype(layout)::format;
        if constexpr (std::is_void_v<format>)
            return x.mantissa;
        else
            return (static_cast<std::uint64_t>(x.exponent - format::min_exponent) << format::fraction_bits) + x.mantissa;
    });
}

} // namespace PLUMB_TARGET
} // namespace plumb::kernels
