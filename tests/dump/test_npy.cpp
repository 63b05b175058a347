#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/npy.hpp>
#include <plumb/types/small_float.hpp>

#include <cmath>

using plumb::dtype;
using plumb::extents;
using test::contains;
using test::error_of;

namespace {

plumb::tensor parse(const std::string& bytes, std::optional<dtype> as = {}) {
    return plumb::read_npy(test::in_memory(bytes), as);
}
std::string problem(const std::string& bytes, std::optional<dtype> as = {}) {
    return error_of([&] { parse(bytes, as); });
}
std::string header(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}
const std::string two_floats = test::raw<float>({1.5f, -2.0f});

} // namespace

TEST_CASE("read_npy: each of NumPy's plain number types has its dtype") {
    const std::pair<const char*, dtype> pairs[] = {
        {"|b1", dtype::boolean}, {"?", dtype::boolean}, {"|i1", dtype::i8}, {"<i2", dtype::i16}, {"<i4", dtype::i32},
        {"=i8", dtype::i64},     {"|u1", dtype::u8},    {"u2", dtype::u16}, {"<u4", dtype::u32}, {"<u8", dtype::u64},
        {"<f2", dtype::f16},     {"<f4", dtype::f32},   {"<f8", dtype::f64}};
    for (const auto& [descr, type] : pairs) {
        const plumb::tensor read = parse(test::npy(header(descr, "(3,)"), std::string(3 * plumb::size_of(type), '\0')));
        CHECK(read.type() == type);
        CHECK(read.shape() == extents{3});
    }
}

TEST_CASE("read_npy: versions 1, 2 and 3 are read, others are named") {
    for (const int version : {1, 2, 3})
        CHECK(test::values<float>(parse(test::npy(header("<f4", "(2,)"), two_floats, version))) ==
              std::vector<float>{1.5f, -2.0f});
    CHECK(contains(problem(test::npy(header("<f4", "(2,)"), two_floats, 4)),
                   "memory: at byte 6: version 4.0, expected 1.0, 2.0 or 3.0"));
    CHECK(contains(problem(test::npy(header("<f4", "(2,)"), two_floats, 0)), "version 0.0"));
}

TEST_CASE("read_npy: keys in any order, either quotes, any spaces, no trailing comma, no padding") {
    for (const char* text : {"{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":False}",
                             "{ 'fortran_order' :\tFalse , 'shape' : ( 2 , ) ,\n'descr': '<f4' , }   \n",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,)}"}) {
        const plumb::tensor read = parse(test::npy(text, two_floats));
        CHECK(test::values<float>(read) == std::vector<float>{1.5f, -2.0f});
        CHECK(reinterpret_cast<std::uintptr_t>(read.view().data()) % 4 == 0); // copied where the header leaves the data askew
    }
}

TEST_CASE("read_npy: Fortran order comes through strides") {
    const plumb::tensor read = parse(
        test::npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3)}", test::raw<std::int32_t>({0, 10, 1, 11, 2, 12})));
    CHECK(read.view().strides() == extents{4, 8});
    CHECK(test::values<std::int32_t>(read) == std::vector<std::int32_t>{0, 1, 2, 10, 11, 12});
}

TEST_CASE("read_npy: big-endian data are swapped, single bytes are not") {
    CHECK(test::values<std::uint32_t>(parse(test::npy(header(">u4", "(2,)"), std::string("\0\0\1\2\xff\0\0\0", 8)))) ==
          std::vector<std::uint32_t>{0x102, 0xff000000});
    CHECK(test::values<std::uint16_t>(parse(test::npy(header(">u2", "(1,)"), "\x12\x34"))) == std::vector<std::uint16_t>{0x1234});
    CHECK(test::values<std::uint8_t>(parse(test::npy(header(">u1", "(2,)"), "\x12\x34"))) ==
          std::vector<std::uint8_t>{0x12, 0x34});
}

TEST_CASE("read_npy: scalars and empty tensors") {
    CHECK(parse(test::npy(header("<f8", "()"), test::raw<double>({2.5}))).shape() == extents{});
    CHECK(parse(test::npy(header("<f8", "(0,)"), "")).view().count() == 0);
    CHECK(parse(test::npy(header("<f8", "(3, 0, 5)"), "")).shape() == extents{3, 0, 5});
}

TEST_CASE("read_npy: bf16 and f8 are read from bits on request, and only from bits") {
    for (const char* descr : {"<u2", "<i2", "<V2", "|V2"})
        CHECK(parse(test::npy(header(descr, "(1,)"), "\x80\x3f"), dtype::bf16).type() == dtype::bf16);
    for (const char* descr : {"|u1", "|V1", "<V1"})
        CHECK(parse(test::npy(header(descr, "(1,)"), "\x38"), dtype::f8_e4m3fn).type() == dtype::f8_e4m3fn);
    CHECK(parse(test::npy(header("<f4", "(2,)"), two_floats), dtype::f32).type() == dtype::f32);
    CHECK(
        contains(problem(test::npy(header("<f2", "(1,)"), "ab"), dtype::bf16), "holds dtype '<f2', which can't be read as bf16"));
    CHECK(contains(problem(test::npy(header("<u4", "(1,)"), "abcd"), dtype::bf16), "can't be read as bf16"));
    CHECK(contains(problem(test::npy(header("<V2", "(1,)"), "ab")), "plain bytes; say which type"));
}

TEST_CASE("read_npy: what is no number is refused by name") {
    const std::pair<const char*, const char*> refused[] = {{"|O", "Python objects"},
                                                           {"<c8", "complex"},
                                                           {"<U3", "text"},
                                                           {"|S3", "text"},
                                                           {"<M8[ns]", "dates"},
                                                           {"<f16", "expected"},
                                                           {"<f3", "expected"},
                                                           {"<i16", "expected"},
                                                           {"", "expected"},
                                                           {"<", "expected"},
                                                           {"<x4", "expected"},
                                                           {"<f4x", "expected"},
                                                           {"<f99999999999999999999", "expected"},
                                                           {"|V0", "no bytes"}};
    for (const auto& [descr, why] : refused) {
        const std::string error = problem(test::npy(header(descr, "(1,)"), "abcdefgh"));
        CAPTURE(descr, error);
        CHECK(contains(error, why));
        CHECK(contains(error, "unsupported dtype '" + std::string(descr) + "'"));
    }
    CHECK(contains(problem(test::npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd")), "structured"));
}

TEST_CASE("read_npy: each flaw of a header is an error with its place") {
    const std::pair<const char*, const char*> flaws[] = {
        {"", "expected a dict, found the header's end"},
        {"[]", "at byte 10: can't parse the .npy header: expected a dict, found '['"},
        {"{'descr': '<f4', 'fortran_order': False}", "the key 'shape' is missing"},
        {"{'descr': '<f4', 'shape': (2,)}", "the key 'fortran_order' is missing"},
        {"{'fortran_order': False, 'shape': (2,)}", "the key 'descr' is missing"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "the key 'descr' appears twice"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "unknown key 'x'"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "expected True or False, found '0'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "expected a tuple such as (3,)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", "expected shape: a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.5,)}", "expected a comma or the tuple's end, found '.'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2**9,)}", "expected a comma or the tuple's end, found '*'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "expected a whole number, found ','"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "a negative length"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", "too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
         "more than 32 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "text after the dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "expected a comma or the dict's end"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", "expected a comma or the dict's end"},
        {"{'descr: <f4", "expected a closing quote"},
        {"{'descr\\x41': 1}", "expected plain text"},
        {"{descr: 1}", "expected a key in quotes, found 'd'"},
    };
    for (const auto& [text, why] : flaws) {
        const std::string error = problem(test::npy(text, two_floats));
        CAPTURE(text, error);
        CHECK(contains(error, why));
        CHECK(contains(error, "memory: at byte "));
    }
}

TEST_CASE("read_npy: a file cut anywhere is an error, and a longer one too") {
    const std::string whole = test::npy(header("<f4", "(2,)"), two_floats);
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK(problem(whole.substr(0, size)) != "");
    CHECK(contains(problem(whole + "x"), "expected the file's end"));
    CHECK(problem(whole) == "");
}

TEST_CASE("read_npy: a shape that promises too much costs no memory") {
    CHECK(contains(problem(test::npy(header("<f8", "(1000000000000000,)"), "abcdefgh")), "truncated"));
    CHECK(contains(problem(test::npy(header("<f8", "(9223372036854775807,)"), "abcdefgh")), "truncated"));
    CHECK(contains(problem(test::npy(header("<f8", "(4294967296, 4294967296)"), "")), "overflows"));
    CHECK(parse(test::npy(header("<f8", "(4294967296, 4294967296, 0)"), "")).view().count() == 0);
}

TEST_CASE("write_npy: the bytes are those of numpy.save") {
    const test::temporary_folder folder;
    const float numbers[] = {1.0f, 2.0f};
    plumb::write_npy(folder / "x.npy", plumb::tensor_view(dtype::f32, numbers, {2}));
    const std::string bytes = test::bytes_of(folder / "x.npy");
    const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    CHECK(bytes == std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dict + std::string(117 - dict.size(), ' ') + "\n" +
                       test::raw<float>({1.0f, 2.0f}));
}

TEST_CASE("write_npy: what is written is read, for every type, shape and order") {
    const test::temporary_folder folder;
    std::vector<char> memory(4096);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i * 37 >> 3);
    const auto type = static_cast<dtype>(GENERATE(range(0, int{plumb::dtype_count})));
    const auto size = static_cast<std::int64_t>(plumb::size_of(type));
    const plumb::tensor_view looks[] = {
        {type, memory.data(), {}},
        {type, memory.data(), {0, 4}},
        {type, memory.data(), {5}},
        {type, memory.data(), {2, 3, 4}},
        {type, memory.data(), {3, 4}, {size, 3 * size}},                   // Fortran order
        {type, memory.data() + 40 * size, {4, 5}, {-10 * size, 2 * size}}, // backwards, every other
        {type, memory.data(), {3, 2, 2}, {0, size, 2 * size}},             // broadcast
        {type, memory.data(), {1, 1, 7}, {999 * size, 0, size}},           // lengths of 1 have any stride
    };
    for (const plumb::tensor_view& look : looks) {
        plumb::write_npy(folder / "x.npy", look);
        const plumb::tensor read = plumb::read_npy(folder / "x.npy", type);
        CHECK(read.type() == type);
        CHECK(read.shape() == look.shape());
        CHECK(test::packed(read) == test::packed(look));
    }
}

TEST_CASE("write_npy: bf16 and f8 widened to f32 keep every value") {
    const test::temporary_folder folder;
    std::vector<plumb::bfloat16> numbers;
    for (unsigned bits = 0; bits < 65536; ++bits) numbers.push_back(plumb::bfloat16::from_bits(static_cast<std::uint16_t>(bits)));
    plumb::write_npy(folder / "x.npy", plumb::view<plumb::bfloat16>(numbers), plumb::npy_narrow_floats::as_f32);
    const auto wide = test::values<std::uint32_t>(plumb::read_npy(folder / "x.npy"));
    REQUIRE(wide.size() == 65536);
    std::size_t same = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const std::uint32_t quiet = (bits & 0x7fff) > 0x7f80 ? 0x400000 : 0; // a conversion makes NaNs quiet
        same += wide[bits] == (bits << 16 | quiet);                          // bf16 is the upper half of a binary32
    }
    CHECK(same == 65536);

    const std::uint8_t patterns[] = {0x38, 0xc0, 0x00, 0x7e}; // 1, -2, 0, 448
    plumb::write_npy(folder / "y.npy", plumb::tensor_view(dtype::f8_e4m3fn, patterns, {4}), plumb::npy_narrow_floats::as_f32);
    CHECK(test::values<float>(plumb::read_npy(folder / "y.npy")) == std::vector<float>{1.0f, -2.0f, 0.0f, 448.0f});
}

TEST_CASE("read_npy: a sparse file of more than 4 GiB is mapped, not read") {
#if PLUMB_HAS_MMAP
    const test::temporary_folder folder;
    const std::string preamble = plumb::detail::npy_preamble(dtype::f32, {1342177280});
    test::write_bytes(folder / "large.npy", preamble);
    test::fs::resize_file(folder / "large.npy", preamble.size() + (std::uint64_t{5} << 30));
    const plumb::tensor read = plumb::read_npy(folder / "large.npy");
    CHECK(read.view().count() == 1342177280);
    CHECK(static_cast<const float*>(read.view().data())[1342177279] == 0.0f);
#endif
}
