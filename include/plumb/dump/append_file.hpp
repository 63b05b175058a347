/// \file
/// A file that grows by whole lines: each call is one write.
#pragma once

#include <plumb/dump/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#define PLUMB_HAS_POSIX_WRITE 1
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace plumb {

/// Appends to a file that it created, or that the same run had created before. What was written when a process dies is there;
/// not flushed to the medium.
class append_file {
public:
    enum class opening : std::uint8_t {
        create, ///< throws io_error if the file exists: nobody's file is overwritten
        reopen, ///< goes on at the file's end
    };

    append_file(std::filesystem::path path, opening how) : path_(std::move(path)) {
#if PLUMB_HAS_POSIX_WRITE
        const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (how == opening::create ? O_EXCL : 0);
        file_ = ::open(path_.c_str(), flags, 0640);
        if (file_ < 0) fail("can't create");
#else
        file_ = std::fopen(path_.string().c_str(), how == opening::create ? "wbx" : "ab");
        if (!file_) fail("can't create");
#endif
    }
    append_file(const append_file&) = delete;
    append_file& operator=(const append_file&) = delete;
    ~append_file() {
#if PLUMB_HAS_POSIX_WRITE
        ::close(file_);
#else
        std::fclose(file_);
#endif
    }

    const std::filesystem::path& path() const noexcept { return path_; }

    /// Appends all of `text` in one write, or nothing: what a full disk took in part is cut off again. Throws io_error then.
    void append(const std::string& text) {
#if PLUMB_HAS_POSIX_WRITE
        struct ::stat before {};
        if (::fstat(file_, &before) != 0) fail("can't read its size");
        for (std::size_t done = 0; done < text.size();) {
            const auto wrote = ::write(file_, text.data() + done, text.size() - done);
            if (wrote >= 0) {
                done += static_cast<std::size_t>(wrote);
            } else if (errno != EINTR) {
                const int error = errno;
                if (done > 0 && ::ftruncate(file_, before.st_size) != 0) {
                } // then its last line is torn, which readers tolerate
                errno = error;
                fail("can't write");
            }
        }
#else
        if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0) fail("can't write");
#endif
    }

private:
    [[noreturn]] void fail(const char* operation) const {
        throw io_error(path_, std::string(operation) + ": " + std::generic_category().message(errno));
    }

    std::filesystem::path path_;
#if PLUMB_HAS_POSIX_WRITE
    int file_ = -1;
#else
    std::FILE* file_ = nullptr;
#endif
};

} // namespace plumb
