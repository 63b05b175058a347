/// \file
/// NumPy's .npz files: zip archives of .npy files.
#pragma once

#include <plumb/dump/npy.hpp>
#include <plumb/dump/zip_archive.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// The arrays of an .npz archive, stored or compressed. Names are those that numpy.load shows, without ".npy". Every other
/// member is passed over.
class npz_file {
public:
    explicit npz_file(file_bytes file) : archive_(std::move(file)) {
        constexpr std::string_view suffix = ".npy";
        for (std::size_t i = 0; i < archive_.names().size(); ++i) {
            const std::string_view name = archive_.names()[i];
            if (name.size() < suffix.size() || name.substr(name.size() - suffix.size()) != suffix) continue;
            names_.emplace_back(name.substr(0, name.size() - suffix.size()));
            members_.push_back(i);
        }
    }

    const std::vector<std::string>& names() const noexcept { return names_; }
    /// Reads the i-th array; `as` is that of read_npy.
    tensor read(std::size_t i, std::optional<dtype> as = {}) { return read_npy(bytes(i), as); }
    /// The i-th array's .npy file. A compressed one is unpacked only if its header asks for as many bytes as the archive tells,
    /// so that no more memory is taken than the array needs.
    file_bytes bytes(std::size_t i) {
        return archive_.read(members_[i], [](const file_bytes& start, std::uint64_t size) { check(start, size); });
    }

private:
    /// `start` is the beginning of a member of `size` bytes: all of its header, if that is none of a gigantic one.
    static void check(const file_bytes& start, std::uint64_t size) {
        const npy_header header = read_npy_header(start);
        const std::uint64_t data = detail::npy_data_bytes(start, header), there = size - header.data_offset;
        if (data != there)
            start.fail_at(header.data_offset,
                          (data > there ? "the file is truncated: shape " : "expected the file's end: shape ") +
                              to_string(header.shape) + " of '" + header.descr + "' needs " + std::to_string(data) +
                              " bytes, the archive tells of " + std::to_string(there));
    }

    zip_archive archive_;
    std::vector<std::string> names_;
    std::vector<std::size_t> members_;
};

} // namespace plumb
