/// \file
/// A step's tensors as a short text that another run, or another machine, can be held against.
#pragma once

#include <plumb/random/xxh64.hpp>
#include <plumb/types/tensor_view.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// A tensor's name, type, shape, and the XXH64 of its elements' bytes in row-major order: of its raw little-endian file.
struct tensor_fingerprint {
    std::string name;
    dtype type;
    extents shape;
    std::uint64_t hash;
};

/// The fingerprints of the tensors of a step, in the order in which they were added. Two of them agree exactly if all bits do
/// (but for one chance in 2^64), NaN payloads and the signs of zeros included.
using fingerprint = std::vector<tensor_fingerprint>;

namespace detail {
inline namespace PLUMB_TARGET {

/// use(bytes, count) for the runs of bytes that a tensor's elements lie in, in row-major order.
template <class Use>
inline void for_each_run(const tensor_view& tensor, std::size_t dim, const unsigned char* at, Use& use) {
    const std::size_t element = size_of(tensor.type());
    if (dim == tensor.shape().size()) return use(at, element);
    const std::int64_t stride = tensor.strides()[dim];
    const bool dense = dim + 1 == tensor.shape().size() && stride == static_cast<std::int64_t>(element);
    if (dense) return use(at, static_cast<std::size_t>(tensor.shape()[dim]) * element);
    for (std::int64_t i = 0; i < tensor.shape()[dim]; ++i) for_each_run(tensor, dim + 1, at + i * stride, use);
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// The XXH64 of the elements' bytes in row-major order, whatever the strides.
inline std::uint64_t hash_of(const tensor_view& tensor) {
    xxh64 hash;
    const auto* const data = static_cast<const unsigned char*>(tensor.data());
    if (tensor.is_contiguous()) {
        hash.add(data, static_cast<std::size_t>(tensor.bytes()));
    } else {
        auto add = [&](const unsigned char* at, std::size_t n) { hash.add(at, n); };
        detail::for_each_run(tensor, 0, data, add);
    }
    return hash.value();
}

/// Adds a tensor under a name. Throws std::invalid_argument for a name with a line break, which the text could not hold.
inline void add(fingerprint& step, std::string name, const tensor_view& tensor) {
    if (name.find('\n') != std::string::npos) throw std::invalid_argument("plumb: a tensor's name must be a single line");
    step.push_back({std::move(name), tensor.type(), tensor.shape(), hash_of(tensor)});
}

/// One line a tensor: the hash in hexadecimal, the type, the shape, the name.
inline std::string to_string(const fingerprint& step) {
    std::string text;
    for (const tensor_fingerprint& tensor : step) {
        for (int digit = 60; digit >= 0; digit -= 4) text += "0123456789abcdef"[tensor.hash >> digit & 15];
        text.append(" ").append(name_of(tensor.type)).append(" ").append(to_string(tensor.shape)).append(" ");
        text.append(tensor.name).append("\n");
    }
    return text;
}

/// Reads such a text. Throws std::invalid_argument with the number of the line that is not one.
inline fingerprint parse_fingerprint(std::string_view text) {
    fingerprint step;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
        const auto fail = [&] {
            throw std::invalid_argument("plumb: line " + std::to_string(number) +
                                        " is no fingerprint; expected \"<16 hex digits> <dtype> [<shape>] <name>\"");
        };
        tensor_fingerprint tensor{};
        const auto [hash_end, error] = std::from_chars(line.data(), line.data() + line.size(), tensor.hash, 16);
        const std::size_t shape_begin = line.find(" ["), shape_end = line.find("] ");
        if (error != std::errc{} || hash_end != line.data() + 16 || shape_begin <= 16 || shape_begin == line.npos ||
            shape_end == line.npos || shape_end < shape_begin)
            fail();
        const std::optional<dtype> type = parse_dtype(line.substr(17, shape_begin - 17));
        if (!type) fail();
        tensor.type = *type;
        std::string_view lengths = line.substr(shape_begin + 2, shape_end - shape_begin - 2);
        while (!lengths.empty()) {
            std::int64_t length = 0;
            const auto [end, wrong] = std::from_chars(lengths.data(), lengths.data() + lengths.size(), length);
            if (wrong != std::errc{} || length < 0) fail();
            tensor.shape.push_back(length);
            lengths.remove_prefix(static_cast<std::size_t>(end - lengths.data()));
            if (lengths.substr(0, 2) == ", ")
                lengths.remove_prefix(2);
            else if (!lengths.empty())
                fail();
        }
        tensor.name = line.substr(shape_end + 2);
        step.push_back(std::move(tensor));
    }
    return step;
}

/// Where two runs of a step first differ, in words; nothing if they agree. Tensors are compared by position.
inline std::optional<std::string> first_difference(const fingerprint& actual, const fingerprint& reference) {
    for (std::size_t i = 0; i < actual.size() && i < reference.size(); ++i) {
        const tensor_fingerprint &a = actual[i], &r = reference[i];
        const auto described = [](const tensor_fingerprint& t) {
            return "\"" + t.name + "\" (" + std::string(name_of(t.type)) + " " + to_string(t.shape) + ")";
        };
        const std::string where = "tensor " + std::to_string(i) + ", " + described(a) + ": ";
        if (a.name != r.name || a.type != r.type || a.shape != r.shape)
            return where + "the reference has " + described(r) + " here";
        if (a.hash != r.hash) return where + "its bits differ";
    }
    if (actual.size() == reference.size()) return std::nullopt;
    return std::to_string(actual.size()) + " tensors, the reference has " + std::to_string(reference.size());
}

} // namespace PLUMB_TARGET
} // namespace plumb
