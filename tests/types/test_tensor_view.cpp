#include <plumb/types/strided_reader.hpp>
#include <plumb/types/tensor_view.hpp>

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using plumb::dtype;
using plumb::extents;
using plumb::strided_reader;
using plumb::tensor_view;

namespace {

/// All elements of an int32 tensor, read `step` at a time.
std::vector<std::int32_t> read_all(const tensor_view& tensor, std::size_t step = 1000) {
    std::vector<std::int32_t> all;
    strided_reader reader(tensor);
    for (;;) {
        std::vector<std::int32_t> some(step);
        const std::size_t n = reader.read(some.data(), step);
        all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n));
        if (n < step) return all;
    }
}

/// The same by the definition: the element at (i, j, …) lies at data + i * strides[0] + j * strides[1] + ….
std::vector<std::int32_t> by_definition(const tensor_view& tensor) {
    std::vector<std::int32_t> all;
    std::vector<std::int64_t> at(tensor.shape().size(), 0);
    for (std::uint64_t i = 0; i < tensor.count(); ++i) {
        std::int64_t offset = 0;
        for (std::size_t dim = 0; dim < at.size(); ++dim) offset += at[dim] * tensor.strides()[dim];
        std::int32_t value;
        std::memcpy(&value, static_cast<const char*>(tensor.data()) + offset, sizeof value);
        all.push_back(value);
        for (std::size_t dim = at.size(); dim-- > 0;) {
            if (++at[dim] < tensor.shape()[dim]) break;
            at[dim] = 0;
        }
    }
    return all;
}

std::vector<std::int32_t> counted(std::size_t n) {
    std::vector<std::int32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

using vec = std::vector<std::int32_t>;

/// A class with a buffer and strides of its own: no plain buffer.
struct strided_map {
    const float* data() const { return nullptr; }
    std::size_t size() const { return 0; }
    std::ptrdiff_t innerStride() const { return 2; }
};

struct two_by_two {
    float numbers[4];
};

} // namespace

template <>
struct plumb::tensor_adapter<two_by_two> {
    static tensor_view view_of(const two_by_two& x) { return {dtype::f32, x.numbers, {2, 2}}; }
};

TEST_CASE("tensor_view: containers, arrays and views become tensors of one dimension") {
    const std::vector<double> numbers{1, 2, 3};
    const tensor_view of_vector = numbers;
    CHECK(of_vector.type() == dtype::f64);
    CHECK(of_vector.data() == numbers.data());
    CHECK(of_vector.shape() == extents{3});
    CHECK(of_vector.strides() == extents{8});
    CHECK(of_vector.bytes() == 24);
    const std::array<std::uint8_t, 2> bytes{1, 2};
    CHECK(tensor_view(bytes).type() == dtype::u8);
    const std::int16_t array[5] = {};
    CHECK(tensor_view(array).shape() == extents{5});
    CHECK(tensor_view(plumb::view<std::int16_t>(array, 4)).count() == 4);
    CHECK(plumb::as_view(numbers).data() == numbers.data());
}

TEST_CASE("tensor_view: a class with strides of its own is no plain buffer, and becomes a tensor by an adapter alone") {
    CHECK_FALSE(std::is_convertible_v<strided_map, tensor_view>);
    CHECK_FALSE(std::is_convertible_v<strided_map, plumb::view<float>>);
    CHECK_FALSE(std::is_convertible_v<std::vector<std::string>, tensor_view>);
    CHECK_FALSE(std::is_convertible_v<int, tensor_view>);
    CHECK_FALSE(std::is_convertible_v<const float*, tensor_view>);
    const two_by_two matrix{{1, 2, 3, 4}};
    CHECK(plumb::as_view(matrix).shape() == extents{2, 2});
}

TEST_CASE("tensor_view: an empty one is what a default-constructed one is") {
    const tensor_view nothing;
    CHECK(nothing.count() == 0);
    CHECK(nothing.shape() == extents{0});
    CHECK(nothing.is_contiguous());
    CHECK(read_all(nothing).empty());
}

TEST_CASE("tensor_view: of no dimensions is a scalar") {
    const std::int32_t seven = 7;
    const tensor_view scalar(dtype::i32, &seven, extents{});
    CHECK(scalar.count() == 1);
    CHECK(scalar.is_contiguous());
    CHECK(read_all(scalar) == vec{7});
    CHECK(plumb::to_string(scalar.shape()) == "[]");
}

TEST_CASE("tensor_view: what is no shape is refused") {
    const float x = 0;
    CHECK_THROWS_AS(tensor_view(dtype::f32, &x, extents{-1}), std::invalid_argument);
    CHECK_THROWS_AS(tensor_view(dtype::f32, &x, extents{0, -1}), std::invalid_argument);
    CHECK_THROWS_AS(tensor_view(dtype::f32, &x, extents{2, 3}, extents{4}), std::invalid_argument);
    constexpr std::int64_t big = std::int64_t{1} << 32;
    CHECK_THROWS_AS(tensor_view(dtype::i8, &x, extents{big, big}), std::invalid_argument);
    CHECK_THROWS_AS(tensor_view(dtype::f64, &x, extents{big, big / 16}), std::invalid_argument); // 2^63 bytes
    CHECK(tensor_view(dtype::f64, &x, extents{big, big / 32}, extents{0, 0}).bytes() == std::uint64_t{1} << 62);
}

TEST_CASE("tensor_view: with a length of 0 it is empty, whatever the other lengths") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const extents& shape : {extents{0, most, most}, extents{most, 0, most}, extents{most, most, 0}}) {
        const tensor_view nothing(dtype::i32, nullptr, shape);
        CHECK(nothing.count() == 0);
        CHECK(nothing.bytes() == 0);
        CHECK(nothing.is_contiguous());
        CHECK(read_all(nothing).empty());
    }
}

TEST_CASE("extents: hold 32 dimensions and refuse a 33rd") {
    extents shape;
    for (int i = 0; i < 32; ++i) shape.push_back(1);
    CHECK(shape.size() == plumb::max_rank);
    CHECK_THROWS_AS(shape.push_back(1), std::invalid_argument);
    const std::int32_t x = 5;
    CHECK(read_all(tensor_view(dtype::i32, &x, shape)) == vec{5});
    CHECK(plumb::to_string(extents{2, 3}) == "[2, 3]");
    CHECK(extents{2, 3} != extents{2});
    CHECK(extents{2, 3} != extents{2, 4});
}

TEST_CASE("contiguous_strides: C order steps fastest in the last dimension, Fortran order in the first") {
    CHECK(plumb::contiguous_strides(extents{2, 3, 4}, 2) == extents{24, 8, 2});
    CHECK(plumb::contiguous_strides(extents{2, 3, 4}, 2, true) == extents{2, 4, 12});
}

TEST_CASE("tensor_view: is contiguous if the elements lie side by side in C order") {
    const vec numbers = counted(24);
    const auto is = [&](const extents& shape, const extents& strides) {
        return tensor_view(dtype::i32, numbers.data(), shape, strides).is_contiguous();
    };
    CHECK(is({2, 3}, {12, 4}));
    CHECK_FALSE(is({2, 3}, {4, 8}));
    CHECK_FALSE(is({2, 3}, {16, 4}));
    CHECK_FALSE(is({2, 3}, {12, -4}));
    CHECK_FALSE(is({2, 3}, {0, 4}));
    CHECK(is({1, 3, 1}, {999, 4, -8})); // lengths of 1 are never stepped over
}

TEST_CASE("strided_reader: reads in row-major order, whatever the strides") {
    const vec numbers = counted(12); // 3 x 4
    const auto of = [&](std::size_t first, const extents& shape, const extents& strides) {
        return tensor_view(dtype::i32, numbers.data() + first, shape, strides);
    };
    CHECK(read_all(of(0, {3, 4}, {16, 4})) == numbers);
    CHECK(read_all(of(0, {4, 3}, {4, 16})) == vec{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}); // transposed
    CHECK(read_all(of(1, {3, 2}, {16, 8})) == vec{1, 3, 5, 7, 9, 11});                    // every second column
    CHECK(read_all(of(11, {3, 4}, {-16, -4})) == vec{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    CHECK(read_all(of(8, {3, 2}, {-16, 4})) == vec{8, 9, 4, 5, 0, 1});
    CHECK(read_all(of(2, {2, 3}, {0, 4})) == vec{2, 3, 4, 2, 3, 4}); // broadcast
    CHECK(read_all(of(2, {2, 3}, {4, 0})) == vec{2, 2, 2, 3, 3, 3});
    CHECK(read_all(of(2, {2, 2}, {0, 0})) == vec{2, 2, 2, 2});
}

TEST_CASE("strided_reader: any tensor, read in pieces of any size, gives what the definition gives") {
    std::mt19937 random(1);
    const vec numbers = counted(4096);
    for (int i = 0; i < 300; ++i) {
        extents shape, strides;
        const std::size_t rank = random() % 5;
        std::int64_t low = 0, high = 0;
        for (std::size_t dim = 0; dim < rank; ++dim) {
            const std::int64_t length = 1 + random() % 5, stride = static_cast<std::int64_t>(random() % 61) - 30;
            shape.push_back(length);
            strides.push_back(4 * stride);
            (stride < 0 ? low : high) += stride * (length - 1);
        }
        const tensor_view tensor(dtype::i32, numbers.data() - low, shape, strides);
        const std::size_t step = 1 + random() % 9;
        INFO(plumb::to_string(shape) << " with strides " << plumb::to_string(strides) << ", " << step << " at a time");
        CHECK(read_all(tensor, step) == by_definition(tensor));
        CHECK(read_all(tensor) == by_definition(tensor));
    }
}

TEST_CASE("strided_reader: elements of every size, at odd addresses") {
    const std::string bytes = "?abcdefghijklmnopqrstuvwx"; // 24 bytes from an odd address on
    const auto every_second = [&](dtype type) {
        const auto size = static_cast<std::int64_t>(plumb::size_of(type));
        const tensor_view tensor(type, bytes.data() + 1, extents{24 / (2 * size)}, extents{2 * size});
        std::string read(24, ' ');
        const std::size_t n = strided_reader(tensor).read(read.data(), 100);
        return read.substr(0, n * static_cast<std::size_t>(size));
    };
    CHECK(every_second(dtype::u8) == "acegikmoqsuw");
    CHECK(every_second(dtype::bf16) == "abefijmnqruv");
    CHECK(every_second(dtype::f32) == "abcdijklqrst");
    CHECK(every_second(dtype::i64) == "abcdefgh");
}

TEST_CASE("view: of vectors, arrays and parts of them") {
    const std::vector<float> numbers{1, 2, 3, 4};
    const plumb::view<float> all = numbers;
    CHECK(all.size() == 4);
    CHECK(all[3] == 4);
    CHECK(all.subview(1, 2).data() == numbers.data() + 1);
    CHECK(std::accumulate(all.begin(), all.end(), 0.0f) == 10);
    CHECK(plumb::view<float>().empty());
    const float array[] = {1, 2};
    CHECK(plumb::view<float>(array).size() == 2);
}
