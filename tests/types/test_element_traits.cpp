#include <plumb/types/element_traits.hpp>
#include <plumb/types/tensor_view.hpp>

#include "catch.hpp"

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using plumb::dtype;
using plumb::dtype_of;
using plumb::is_element_v;

namespace {

/// A framework's own half type.
struct own_half {
    std::uint16_t bits;
};

/// Another, whose operators must never be called.
class own_bfloat {
public:
    own_bfloat() = default;
    explicit own_bfloat(float) = delete;
    operator float() const = delete;

private:
    [[maybe_unused]] std::uint16_t bits_ = 0;
};

struct unknown {
    std::uint16_t bits;
};

enum class letters : std::uint8_t { a };

} // namespace

template <>
struct plumb::element_traits<own_half> : plumb::stored_as<plumb::dtype::f16> {};
template <>
struct plumb::element_traits<own_bfloat> : plumb::stored_as<plumb::dtype::bf16> {};

TEST_CASE("element_traits: know the arithmetic types by size and sign") {
    CHECK(dtype_of<bool> == dtype::boolean);
    CHECK(dtype_of<signed char> == dtype::i8);
    CHECK(dtype_of<unsigned char> == dtype::u8);
    CHECK(dtype_of<std::int16_t> == dtype::i16);
    CHECK(dtype_of<std::uint16_t> == dtype::u16);
    CHECK(dtype_of<std::int32_t> == dtype::i32);
    CHECK(dtype_of<std::uint32_t> == dtype::u32);
    CHECK(dtype_of<long long> == dtype::i64);
    CHECK(dtype_of<long> == (sizeof(long) == 8 ? dtype::i64 : dtype::i32));
    CHECK(dtype_of<unsigned long long> == dtype::u64);
    CHECK(dtype_of<float> == dtype::f32);
    CHECK(dtype_of<const double> == dtype::f64);
    CHECK(dtype_of<plumb::float16> == dtype::f16);
    CHECK(dtype_of<plumb::bfloat16> == dtype::bf16);
    CHECK(dtype_of<plumb::float8_e4m3fn> == dtype::f8_e4m3fn);
    CHECK(dtype_of<plumb::float8_e5m2> == dtype::f8_e5m2);
#if defined(PLUMB_HAS_FLOAT16)
    __extension__ using native = _Float16;
    CHECK(dtype_of<native> == dtype::f16);
#endif
}

TEST_CASE("element_traits: a type of one's own is known once it is described") {
    CHECK(dtype_of<own_half> == dtype::f16);
    CHECK(dtype_of<own_bfloat> == dtype::bf16);
    const std::vector<own_half> halves{{0x3c00}, {0x4000}};
    const plumb::tensor_view tensor = halves;
    CHECK(tensor.type() == dtype::f16);
    CHECK(tensor.data() == halves.data());
    CHECK(plumb::view<own_bfloat>(std::vector<own_bfloat>(3)).size() == 3);
}

TEST_CASE("element_traits: all other types are unknown") {
    CHECK_FALSE(is_element_v<unknown>);
    CHECK_FALSE(is_element_v<letters>);
    CHECK_FALSE(is_element_v<long double>);
    CHECK_FALSE(is_element_v<std::complex<float>>);
    CHECK_FALSE(is_element_v<std::string>);
    CHECK_FALSE(is_element_v<float*>);
#if defined(__SIZEOF_INT128__)
    __extension__ using wide = __int128;
    CHECK_FALSE(is_element_v<wide>);
#endif
}

TEST_CASE("dtype: size, kind and names of each") {
    struct row {
        dtype type;
        std::size_t size;
        bool floating;
        const char *name, *torch_name;
    };
    const row rows[] = {{dtype::boolean, 1, false, "bool", "bool"},
                        {dtype::i8, 1, false, "i8", "int8"},
                        {dtype::i16, 2, false, "i16", "int16"},
                        {dtype::i32, 4, false, "i32", "int32"},
                        {dtype::i64, 8, false, "i64", "int64"},
                        {dtype::u8, 1, false, "u8", "uint8"},
                        {dtype::u16, 2, false, "u16", "uint16"},
                        {dtype::u32, 4, false, "u32", "uint32"},
                        {dtype::u64, 8, false, "u64", "uint64"},
                        {dtype::f8_e4m3fn, 1, true, "f8_e4m3fn", "float8_e4m3fn"},
                        {dtype::f8_e5m2, 1, true, "f8_e5m2", "float8_e5m2"},
                        {dtype::f16, 2, true, "f16", "float16"},
                        {dtype::bf16, 2, true, "bf16", "bfloat16"},
                        {dtype::f32, 4, true, "f32", "float32"},
                        {dtype::f64, 8, true, "f64", "float64"}};
    CHECK(std::size(rows) == plumb::dtype_count);
    for (const row& each : rows) {
        INFO(each.name);
        CHECK(plumb::size_of(each.type) == each.size);
        CHECK(plumb::is_floating(each.type) == each.floating);
        CHECK(plumb::name_of(each.type) == each.name);
        CHECK(plumb::torch_name_of(each.type) == each.torch_name);
        CHECK(plumb::parse_dtype(each.name) == each.type);
        CHECK(plumb::parse_dtype(each.torch_name) == each.type);
        CHECK(plumb::parse_dtype(std::string("torch.") + each.torch_name) == each.type);
    }
}

TEST_CASE("parse_dtype: the names of other tools") {
    CHECK(plumb::parse_dtype("torch.half") == dtype::f16);
    CHECK(plumb::parse_dtype("np.float16") == dtype::f16);
    CHECK(plumb::parse_dtype("numpy.int64") == dtype::i64);
    CHECK(plumb::parse_dtype("mindspore.bfloat16") == dtype::bf16);
    CHECK(plumb::parse_dtype("ms.float32") == dtype::f32);
    CHECK(plumb::parse_dtype("F8_E4M3") == dtype::f8_e4m3fn);
    CHECK(plumb::parse_dtype("BOOL") == dtype::boolean);
    CHECK(plumb::parse_dtype("Float32") == dtype::f32);
    CHECK(plumb::parse_dtype("double") == dtype::f64);
    CHECK(plumb::parse_dtype("long") == dtype::i64);
}

TEST_CASE("parse_dtype: anything else is no name") {
    for (const char* name : {"", "torch.", "f", "f320", "torch.torch.float32", " f32", "FLOAT32", "complex64", "object"})
        CHECK_FALSE(plumb::parse_dtype(name).has_value());
}
