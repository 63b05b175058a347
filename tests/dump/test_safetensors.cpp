#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/safetensors.hpp>

using plumb::dtype;
using plumb::extents;
using test::contains;

namespace {

std::string build(const std::string& header, const std::string& data) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return bytes + header + data;
}
std::string problem(const std::string& header, const std::string& data) {
    return test::error_of([&] { plumb::safetensors_file file(test::in_memory(build(header, data))); });
}

} // namespace

TEST_CASE("safetensors_file: tensors of the header, in its order, metadata passed over") {
    const plumb::safetensors_file file(test::in_memory(build(
        R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"e":{"dtype":"F8_E4M3","shape":[0],"data_offsets":[12,12]}}   )",
        test::raw<float>({1.0f, 2.0f}) + std::string("\x80\x3f\x00\x40", 4))));
    CHECK(file.names() == std::vector<std::string>{"b", "a", "e"});
    CHECK(file.read(0).type() == dtype::bf16);
    CHECK(test::values<std::uint16_t>(file.read(0)) == std::vector<std::uint16_t>{0x3f80, 0x4000});
    CHECK(test::values<float>(file.read(1)) == std::vector<float>{1.0f, 2.0f});
    CHECK(file.read(1).shape() == extents{1, 2});
    CHECK(file.read(2).type() == dtype::f8_e4m3fn);
}

TEST_CASE("safetensors_file: each lie is an error that says what was expected") {
    const std::tuple<const char*, const char*, const char*> lies[] = {
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
         "12345678", "overlap"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
         "123456789abc", "after a gap"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "12345678", "after a gap"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "12345678", "4 more bytes"},
        {R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", "12345678", "truncated or lies"},
        {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "12345678", "expected the size of shape [3] of f32"},
        {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", "", "overflows"},
        {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "12345678", "not negative"},
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "12345678", "expected a begin and an end"},
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}})", "12345678", "expected a begin and an end"},
        {R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", "12345678", "unsupported dtype \"F31\""},
        {R"({"a":{"shape":[2],"data_offsets":[0,8]}})", "12345678", "expected an object with dtype"},
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[0],"data_offsets":[8,8]}})",
         "12345678", "appears twice"},
        {R"([1])", "", "expected a JSON object"},
        {R"({"a":)", "", "incomplete"},
    };
    for (const auto& [header, data, why] : lies) {
        const std::string error = problem(header, data);
        CAPTURE(header, error);
        CHECK(contains(error, why));
        CHECK(contains(error, "memory: "));
    }
    CHECK(contains(test::error_of([] { plumb::safetensors_file file(test::in_memory("\xff\xff\xff\xff\xff\xff\xff\x7f{}")); }),
                   "header's length"));
    CHECK(contains(test::error_of([] { plumb::safetensors_file file(test::in_memory("123")); }), "truncated"));
}
