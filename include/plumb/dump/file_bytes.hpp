/// \file
/// The bytes of a file, mapped where that pays, or of a member of an archive.
#pragma once

#include <plumb/dump/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#define PLUMB_HAS_MMAP 1
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace plumb {

/// Read-only bytes, what keeps them in memory, and where they come from, so that whoever finds a lie in them can say where.
struct file_bytes {
    const char* data = nullptr;
    std::uint64_t size = 0;
    std::shared_ptr<const void> owner;
    std::filesystem::path path;
    std::string member; ///< name inside the archive `path`, or ""

    /// Throws io_error: "path: member 'm': problem".
    [[noreturn]] void fail(const std::string& problem) const {
        throw io_error(path, member.empty() ? problem : "member '" + member + "': " + problem);
    }
    /// Throws io_error: "path: member 'm': at byte 12: problem". The byte counts from the start of these bytes.
    [[noreturn]] void fail_at(std::uint64_t offset, const std::string& problem) const {
        fail("at byte " + std::to_string(offset) + ": " + problem);
    }
};

namespace detail {

[[noreturn]] inline void fail_system(const std::filesystem::path& path, const char* operation, int error) {
    throw io_error(path, std::string(operation) + ": " + std::generic_category().message(error));
}

/// Room for `size` bytes, not initialised, aligned for any element.
inline std::shared_ptr<char> heap_bytes(std::uint64_t size) {
    return std::shared_ptr<char>(new char[static_cast<std::size_t>(size)], std::default_delete<char[]>());
}

#if PLUMB_HAS_MMAP
/// Files up to this size are read: that is quicker than a mapping, and later changes to the file can't hurt.
inline constexpr std::uint64_t read_limit = 1 << 16;

struct descriptor {
    int number;
    explicit descriptor(int opened) noexcept : number(opened) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { ::close(number); }
};

inline void read_whole(file_bytes& file, int number) {
    const auto buffer = heap_bytes(file.size);
    for (std::uint64_t done = 0; done < file.size;) {
        const auto got = ::read(number, buffer.get() + done, static_cast<std::size_t>(file.size - done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_system(file.path, "can't read", errno);
        if (got == 0)
            file.fail_at(done, "the file ends, expected " + std::to_string(file.size) + " bytes: it shrank while being read");
        done += static_cast<std::uint64_t>(got);
    }
    file.data = buffer.get();
    file.owner = buffer;
}
#endif

} // namespace detail

/// Opens a regular file for reading. Larger files are mapped, so memory does not grow with them; they must not be cut short
/// by someone else while in use. Throws io_error if the file is missing, unreadable, a directory or a device.
inline file_bytes map_file(const std::filesystem::path& path) {
    file_bytes file;
    file.path = path;
#if PLUMB_HAS_MMAP
    const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (opened < 0) detail::fail_system(path, "can't open", errno);
    const detail::descriptor handle(opened);
    struct ::stat status {};
    if (::fstat(opened, &status) != 0) detail::fail_system(path, "can't read its size", errno);
    if (!S_ISREG(status.st_mode))
        throw io_error(path, S_ISDIR(status.st_mode) ? "is a folder, expected a file" : "is no regular file");

    file.size = static_cast<std::uint64_t>(status.st_size);
    if (file.size <= detail::read_limit) {
        detail::read_whole(file, opened);
        return file;
    }
    const auto length = static_cast<std::size_t>(file.size);
    void* address = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, opened, 0);
    if (address == MAP_FAILED) detail::fail_system(path, "can't map it into memory", errno);
    file.owner =
        std::shared_ptr<const void>(address, [length](const void* start) { ::munmap(const_cast<void*>(start), length); });
    file.data = static_cast<const char*>(address);
#else
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) throw io_error(path, "can't open: no regular file");
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw io_error(path, "can't open");
    auto content = std::make_shared<std::vector<char>>();
    constexpr std::size_t step = 1 << 20;
    for (std::size_t got = step; got == step;) {
        const std::size_t done = content->size();
        content->resize(done + step);
        stream.read(content->data() + done, step);
        got = static_cast<std::size_t>(stream.gcount());
        content->resize(done + got);
    }
    if (stream.bad()) throw io_error(path, "can't read");
    file.size = content->size();
    file.data = content->data();
    file.owner = std::shared_ptr<const void>(content, content->data());
#endif
    return file;
}

} // namespace plumb
