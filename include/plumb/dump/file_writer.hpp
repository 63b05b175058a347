/// \file
/// Writes a file that appears whole or not at all.
#pragma once

#include <plumb/dump/error.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace plumb {

/// Writes into a temporary file beside `path`; commit() gives it its name, in one step, replacing an older file. Without
/// commit() nothing is left behind. Every member throws io_error when the disk does not do as asked. Not flushed to the
/// medium: a power failure may lose it.
class file_writer {
public:
    explicit file_writer(std::filesystem::path path) : path_(std::move(path)) {
        static std::atomic<unsigned> serial{0};
        const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        temporary_ = path_;
        temporary_ += ".tmp" + std::to_string(now) + "-" + std::to_string(serial++);
        file_ = std::fopen(temporary_.string().c_str(), "wbx"); // x: never into another writer's file
        if (!file_) fail("can't create");
    }
    file_writer(const file_writer&) = delete;
    file_writer& operator=(const file_writer&) = delete;
    ~file_writer() {
        if (file_) std::fclose(file_);
        std::error_code ignored;
        if (!committed_) std::filesystem::remove(temporary_, ignored);
    }

    void write(const void* data, std::size_t size) {
        if (size != 0 && std::fwrite(data, 1, size, file_) != size) fail("can't write");
    }
    void write(const std::string& text) { write(text.data(), text.size()); }

    void commit() {
        const int closed = std::fclose(file_);
        file_ = nullptr;
        if (closed != 0) fail("can't write");
        std::error_code error;
        std::filesystem::rename(temporary_, path_, error);
        if (error) throw io_error(path_, "can't rename the temporary file to it: " + error.message());
        committed_ = true;
    }

private:
    [[noreturn]] void fail(const char* operation) const {
        throw io_error(path_, std::string(operation) + ": " + std::generic_category().message(errno));
    }

    std::filesystem::path path_, temporary_;
    std::FILE* file_ = nullptr;
    bool committed_ = false;
};

} // namespace plumb
