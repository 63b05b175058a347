/// \file
/// Reading zip archives (.npz, .pt) through libzip, without copying what is stored uncompressed.
#pragma once

#include <plumb/dump/file_bytes.hpp>

#include <zip.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace plumb::detail {

/// Lets libzip read from bytes in memory, and shows how far it read: that tells where a stored member's data lie, which
/// libzip's interface does not.
struct zip_bytes {
    const char* data;
    std::uint64_t size;
    std::uint64_t position = 0;

    static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
        return static_cast<zip_bytes*>(self)->answer(data, length, command);
    }

private:
    zip_int64_t answer(void* to, zip_uint64_t length, zip_source_cmd_t command) {
        switch (command) {
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                                  ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, -1);
        case ZIP_SOURCE_OPEN: position = 0; return 0;
        case ZIP_SOURCE_READ: {
            const std::uint64_t n = std::min<std::uint64_t>(length, size - position);
            if (n > 0) std::memcpy(to, data + position, static_cast<std::size_t>(n));
            position += n;
            return static_cast<zip_int64_t>(n);
        }
        case ZIP_SOURCE_SEEK: {
            zip_error_t error;
            zip_error_init(&error);
            const zip_int64_t target = zip_source_seek_compute_offset(position, size, to, length, &error);
            zip_error_fini(&error);
            if (target < 0) return -1;
            position = static_cast<std::uint64_t>(target);
            return 0;
        }
        case ZIP_SOURCE_TELL: return static_cast<zip_int64_t>(position);
        case ZIP_SOURCE_STAT: {
            auto* status = static_cast<zip_stat_t*>(to);
            zip_stat_init(status);
            status->valid |= ZIP_STAT_SIZE;
            status->size = size;
            return sizeof *status;
        }
        case ZIP_SOURCE_ERROR: {
            // Only seeking can fail.
            const int codes[2] = {ZIP_ER_SEEK, 0};
            std::memcpy(to, codes, sizeof codes);
            return sizeof codes;
        }
        case ZIP_SOURCE_CLOSE:
        case ZIP_SOURCE_FREE: return 0;
        default: return -1;
        }
    }
};

} // namespace plumb::detail

namespace plumb {

/// The members of a zip archive. Throws io_error if the archive is damaged, names a member twice, or a member's checksum or
/// size is wrong. Not for use by two threads at once.
class zip_archive {
public:
    explicit zip_archive(file_bytes file) : file_(std::move(file)), source_{file_.data, file_.size} {
        if (file_.size == 0) file_.fail("is empty, expected a zip archive");
        zip_error_t error;
        zip_error_init(&error);
        zip_source_t* source = zip_source_function_create(&detail::zip_bytes::call, &source_, &error);
        zip_t* opened = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
        if (!opened) {
            const std::string why = zip_error_strerror(&error);
            zip_error_fini(&error);
            if (source) zip_source_free(source);
            file_.fail("is no readable zip archive: " + why);
        }
        zip_error_fini(&error);
        archive_.reset(opened);

        const zip_int64_t count = zip_get_num_entries(opened, 0);
        std::unordered_set<std::string_view> seen;
        for (zip_int64_t i = 0; i < count; ++i) {
            const char* name = zip_get_name(opened, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
            if (!name) file_.fail("zip member " + std::to_string(i) + " has no readable name: " + zip_strerror(opened));
            if (!seen.insert(name).second) file_.fail("the zip archive names the member '" + std::string(name) + "' twice");
            names_.emplace_back(name);
        }
    }
    zip_archive(const zip_archive&) = delete;
    zip_archive& operator=(const zip_archive&) = delete;

    const file_bytes& file() const noexcept { return file_; }
    /// In the order of the archive.
    const std::vector<std::string>& names() const noexcept { return names_; }
    std::optional<std::size_t> find(std::string_view name) const noexcept {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end()) return std::nullopt;
        return static_cast<std::size_t>(found - names_.begin());
    }

    /// How a compressed member begins (at most 64 KiB), and the size that the archive tells. Throws io_error if these don't go
    /// together.
    using check_start = std::function<void(const file_bytes& start, std::uint64_t size)>;

    /// The bytes of a member, their checksum verified. A stored member's are those in the archive itself; a compressed one is
    /// unpacked to the heap, once `check`, if given, has found nothing wrong with its beginning.
    file_bytes read(std::size_t index, const check_start& check = {}) {
        file_bytes member{nullptr, 0, nullptr, file_.path, names_[index]};
        zip_stat_t status;
        zip_stat_init(&status);
        if (zip_stat_index(archive_.get(), index, 0, &status) != 0) member.fail(zip_strerror(archive_.get()));
        constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
        if ((status.valid & needed) != needed) member.fail("the archive does not tell its size");
        const bool stored = status.comp_method == ZIP_CM_STORE;
        // Deflate makes at most 1032 bytes out of one.
        if (status.comp_size > file_.size || (stored ? status.size != status.comp_size : status.size / 1040 > status.comp_size))
            member.fail("the archive gives impossible sizes: " + std::to_string(status.size) + " bytes, packed " +
                        std::to_string(status.comp_size) + ", in a file of " + std::to_string(file_.size));
        member.size = status.size;

        const std::unique_ptr<zip_file_t, closer> stream(zip_fopen_index(archive_.get(), index, 0));
        if (!stream) member.fail(std::string("can't unpack: ") + zip_strerror(archive_.get()));
        if (stored && find_in_place(member, stream.get())) return member;
        if (!stored && check) check_beginning(member, stream.get(), check);
        unpack(member, index);
        return member;
    }

private:
    struct closer {
        void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
        void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
    };

    /// Reads up to `size` bytes; fewer only at the end, where libzip verifies the checksum.
    static std::uint64_t read_some(const file_bytes& member, zip_file_t* stream, char* to, std::uint64_t size) {
        std::uint64_t done = 0;
        while (done < size) {
            const zip_int64_t got = zip_fread(stream, to + done, size - done);
            if (got < 0) member.fail_at(done, std::string("can't unpack: ") + zip_error_strerror(zip_file_get_error(stream)));
            if (got == 0) break;
            done += static_cast<std::uint64_t>(got);
        }
        return done;
    }

    /// Points `member` at its bytes in the archive. Every byte that libzip delivers is compared with what is there; false if one
    /// differs.
    bool find_in_place(file_bytes& member, zip_file_t* stream) {
        std::vector<char> chunk(static_cast<std::size_t>(std::min<std::uint64_t>(member.size, 1 << 16) + 1));
        std::uint64_t begin = 0, done = 0;
        for (bool first = true;; first = false) {
            const std::uint64_t got = read_some(member, stream, chunk.data(), chunk.size());
            if (first) begin = source_.position - std::min(got, source_.position); // stored bytes are read as they lie
            if (got > member.size - done) member.fail("holds more bytes than the archive tells");
            if (begin > file_.size || got > file_.size - begin - done) return false;
            if (got > 0 && std::memcmp(chunk.data(), file_.data + begin + done, static_cast<std::size_t>(got)) != 0) return false;
            done += got;
            if (got < chunk.size()) break;
        }
        if (done != member.size) member.fail_at(done, "ends, expected " + std::to_string(member.size) + " bytes");
        member.data = file_.data + begin;
        member.owner = file_.owner;
        return true;
    }

    static void check_beginning(const file_bytes& member, zip_file_t* stream, const check_start& check) {
        file_bytes start = member;
        const auto buffer = detail::heap_bytes(std::min<std::uint64_t>(member.size, 1 << 16));
        start.size = read_some(member, stream, buffer.get(), std::min<std::uint64_t>(member.size, 1 << 16));
        start.data = buffer.get();
        start.owner = buffer;
        check(start, member.size);
    }

    void unpack(file_bytes& member, std::size_t index) {
        const std::unique_ptr<zip_file_t, closer> stream(zip_fopen_index(archive_.get(), index, 0));
        if (!stream) member.fail(std::string("can't unpack: ") + zip_strerror(archive_.get()));
        const auto buffer = detail::heap_bytes(member.size + 1);
        const std::uint64_t got = read_some(member, stream.get(), buffer.get(), member.size + 1);
        if (got != member.size)
            member.fail_at(got, "holds " + std::string(got < member.size ? "fewer" : "more") + " bytes than the " +
                                    std::to_string(member.size) + " that the archive tells");
        member.data = buffer.get();
        member.owner = buffer;
    }

    file_bytes file_;
    detail::zip_bytes source_;
    std::unique_ptr<zip_t, closer> archive_;
    std::vector<std::string> names_;
};

} // namespace plumb
