/// \file
/// One tensor from one file of any format.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/dump/tensor_file.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// What a file does not say of itself.
struct read_options {
    std::optional<dtype> type;    ///< of a raw file; of plain bytes in any other: see tensor_file::read
    std::optional<extents> shape; ///< of a raw file, whose elements are packed in C order, in the machine's byte order
    std::string member;           ///< which tensor of an archive
};

/// Reads a tensor, mapped where possible. A file that is none of the known formats is raw if `options` has both type and shape;
/// of any other, a given shape must be the shape it has. Throws io_error if the file is missing or does not hold what is asked
/// for.
inline tensor read_tensor(const std::filesystem::path& path, const read_options& options = {}) {
    file_bytes file = map_file(path);
    const std::string_view start(file.data, static_cast<std::size_t>(std::min<std::uint64_t>(file.size, 6)));
    const bool known = has_tensor_extension(path) || start == "\x93NUMPY" || start.substr(0, 4) == "PK\x03\x04";
    if (known || !options.type || !options.shape) {
        tensor_file tensors(std::move(file));
        const tensor read = tensors.read(tensors.find(options.member), options.type);
        if (options.shape && *options.shape != read.shape())
            throw io_error(path, "has shape " + to_string(read.shape()) + ", expected " + to_string(*options.shape));
        return read;
    }
    const std::size_t size = size_of(*options.type);
    const std::uint64_t count = element_count(*options.shape);
    if (count > file.size / size || count * size != file.size)
        file.fail("has " + std::to_string(file.size) + " bytes, expected the size of shape " + to_string(*options.shape) +
                  " of " + std::string(name_of(*options.type)));
    auto [data, owner] = detail::usable_elements(file.data, file.size, size, false, file.owner);
    return {tensor_view(*options.type, data, *options.shape), std::move(owner)};
}

/// The names of the tensors in a file: {""} for one that is a single tensor.
inline std::vector<std::string> list_tensors(const std::filesystem::path& path) { return tensor_file(path).names(); }

} // namespace plumb
