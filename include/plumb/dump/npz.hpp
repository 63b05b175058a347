/// \file
/// NumPy's .npz files: zip archives of .npy files.
#pragma once

#include <plumb/dump/npy.hpp>
#include <plumb/dump/zip_archive.hpp>

#include <cstddef>
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
    /// The i-th array's .npy file.
    file_bytes bytes(std::size_t i) { return archive_.read(members_[i]); }

private:
    zip_archive archive_;
    std::vector<std::string> names_;
    std::vector<std::size_t> members_;
};

} // namespace plumb
