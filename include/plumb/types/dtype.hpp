/// \file
/// The element types a tensor can have, their sizes and their names.
#pragma once

#include <plumb/detail/target.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace plumb {

/// The type of a tensor's elements.
enum class dtype : std::uint8_t {
    boolean,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f8_e4m3fn, ///< OCP 8-bit float, no infinities
    f8_e5m2,   ///< OCP 8-bit float
    f16,       ///< IEEE 754 binary16
    bf16,      ///< the upper half of a binary32
    f32,
    f64,
};

/// Number of element types.
inline constexpr std::size_t dtype_count = 15;

inline namespace PLUMB_TARGET {

/// Bytes of one element.
constexpr std::size_t size_of(dtype type) noexcept {
    switch (type) {
    case dtype::boolean:
    case dtype::i8:
    case dtype::u8:
    case dtype::f8_e4m3fn:
    case dtype::f8_e5m2: return 1;
    case dtype::i16:
    case dtype::u16:
    case dtype::f16:
    case dtype::bf16: return 2;
    case dtype::i32:
    case dtype::u32:
    case dtype::f32: return 4;
    case dtype::i64:
    case dtype::u64:
    case dtype::f64: return 8;
    }
    return 0;
}

/// True for the floating-point types, which have NaN and, but for f8_e4m3fn, infinities.
constexpr bool is_floating(dtype type) noexcept { return type >= dtype::f8_e4m3fn; }

/// plumb's own name of a type: "f32", "bf16", "i64", "bool", …
constexpr std::string_view name_of(dtype type) noexcept {
    constexpr std::string_view names[dtype_count] = {"bool", "i8",        "i16",     "i32", "i64",  "u8",  "u16", "u32",
                                                     "u64",  "f8_e4m3fn", "f8_e5m2", "f16", "bf16", "f32", "f64"};
    return names[static_cast<std::size_t>(type)];
}

/// PyTorch's name of a type, without its prefix "torch.": "float32", "bfloat16", "int64", "bool", …
constexpr std::string_view torch_name_of(dtype type) noexcept {
    constexpr std::string_view names[dtype_count] = {"bool",        "int8",    "int16",    "int32",   "int64",
                                                     "uint8",       "uint16",  "uint32",   "uint64",  "float8_e4m3fn",
                                                     "float8_e5m2", "float16", "bfloat16", "float32", "float64"};
    return names[static_cast<std::size_t>(type)];
}

/// The type that a name stands for: plumb's names, PyTorch's and NumPy's, with or without the prefixes "torch.", "np.",
/// "numpy.", "mindspore." and "ms.", safetensors' capitals ("F32", "BF16", "F8_E4M3"), and the C-like ones ("half",
/// "float", "double", "char", "short", "int", "long"). Nothing for any other name.
inline std::optional<dtype> parse_dtype(std::string_view name) noexcept {
    for (const std::string_view prefix : {"torch.", "numpy.", "np.", "mindspore.", "ms."})
        if (name.substr(0, prefix.size()) == prefix) {
            name.remove_prefix(prefix.size());
            break;
        }
    for (std::size_t i = 0; i < dtype_count; ++i)
        if (name == name_of(static_cast<dtype>(i)) || name == torch_name_of(static_cast<dtype>(i))) return static_cast<dtype>(i);

    struct alias {
        std::string_view name;
        dtype type;
    };
    constexpr alias aliases[] = {
        {"BOOL", dtype::boolean},     {"bool_", dtype::boolean},   {"Bool", dtype::boolean}, {"I8", dtype::i8},
        {"char", dtype::i8},          {"Int8", dtype::i8},         {"I16", dtype::i16},      {"short", dtype::i16},
        {"Int16", dtype::i16},        {"I32", dtype::i32},         {"int", dtype::i32},      {"Int32", dtype::i32},
        {"I64", dtype::i64},          {"long", dtype::i64},        {"Int64", dtype::i64},    {"U8", dtype::u8},
        {"UInt8", dtype::u8},         {"U16", dtype::u16},         {"UInt16", dtype::u16},   {"U32", dtype::u32},
        {"UInt32", dtype::u32},       {"U64", dtype::u64},         {"UInt64", dtype::u64},   {"F8_E4M3", dtype::f8_e4m3fn},
        {"e4m3fn", dtype::f8_e4m3fn}, {"F8_E5M2", dtype::f8_e5m2}, {"e5m2", dtype::f8_e5m2}, {"F16", dtype::f16},
        {"half", dtype::f16},         {"Float16", dtype::f16},     {"BF16", dtype::bf16},    {"BFloat16", dtype::bf16},
        {"F32", dtype::f32},          {"float", dtype::f32},       {"Float32", dtype::f32},  {"F64", dtype::f64},
        {"double", dtype::f64},       {"Float64", dtype::f64}};
    for (const alias& each : aliases)
        if (name == each.name) return each.type;
    return std::nullopt;
}

} // namespace PLUMB_TARGET
} // namespace plumb
