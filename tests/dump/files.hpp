/// \file
/// What the tests of files share: a folder that goes away, bytes to and from disk, messages of errors.
#pragma once

#include <plumb/dump/load.hpp>
#include <plumb/dump/read_dump.hpp>
#include <plumb/dump/read_tensor.hpp>
#include <plumb/dump/write_pt.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace test {

namespace fs = std::filesystem;

/// A new, empty folder, removed with all that is in it.
class temporary_folder {
public:
    temporary_folder() {
        static std::atomic<int> serial{0};
#if __has_include(<unistd.h>)
        const long process = static_cast<long>(::getpid());
#else
        const long process = 0;
#endif
        path_ = fs::temp_directory_path() / ("plumb-test-" + std::to_string(process) + "-" + std::to_string(serial++));
        fs::create_directories(path_);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    fs::path operator/(const char* name) const { return path_ / name; }
    fs::path operator/(const std::string& name) const { return path_ / name; }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

inline std::string bytes_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_bytes(const fs::path& path, std::string_view bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Bytes in memory, as if mapped from a file called "memory".
inline plumb::file_bytes in_memory(const std::string& bytes) {
    const auto copy = std::make_shared<std::string>(bytes);
    return {copy->data(), copy->size(), copy, "memory", ""};
}

/// The elements in row-major order, packed.
inline std::string packed(const plumb::tensor_view& view) {
    std::string bytes;
    plumb::detail::for_each_packed(view, [&](const char* data, std::size_t size) { bytes.append(data, size); });
    return bytes;
}

template <class T>
std::vector<T> values(const plumb::tensor_view& view) {
    const std::string bytes = packed(view);
    std::vector<T> numbers(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
}

/// what() of the io_error that f throws; "" if it throws none.
template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const plumb::io_error& error) {
        return error.what();
    }
    return "";
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline const fs::path data_folder = PLUMB_TEST_DATA;

/// A .npy file with this header text (padded as needed) and data.
inline std::string npy(const std::string& header, const std::string& data, int version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return bytes + header + data;
}

template <class T>
std::string raw(const std::vector<T>& numbers) {
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

} // namespace test
