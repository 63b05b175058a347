/// \file
/// The one exception for a world that failed: files that are missing, short, or lie.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace plumb {

/// Thrown when a file can't be read or written, or does not hold what it says. what() names the file, the place in it where
/// that is known, and what was expected: "a/b.npy: at byte 6: version 4.0, expected 1.0, 2.0 or 3.0".
class io_error : public std::runtime_error {
public:
    io_error(const std::filesystem::path& path, const std::string& problem)
        : std::runtime_error(path.string() + ": " + problem), path_(path) {}

    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace plumb
