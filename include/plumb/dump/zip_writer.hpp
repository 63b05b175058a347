/// \file
/// Writes zip archives whose members are stored as they are, laid out as torch lays its own.
#pragma once

#include <plumb/dump/beside.hpp>
#include <plumb/dump/checksum.hpp>
#include <plumb/dump/file_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace plumb::detail {

/// The lowest `bytes` bytes of a number, the least significant first.
inline std::string little_endian(std::uint64_t number, std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
    return text;
}

/// A zip archive in the making (PKWARE's APPNOTE 6.3.10), Zip64 where a size or a place needs it. Members are stored, their data
/// at multiples of 64 bytes and their checksums behind them, and dated 1980-01-01: the same members give the same bytes. Nothing
/// appears before commit(). Throws io_error.
class zip_writer {
public:
    /// Sizes and places from `zip64_from` on stand in Zip64's fields; by default those that need it.
    explicit zip_writer(const std::filesystem::path& path, std::uint64_t zip64_from = marker)
        : file_(path), zip64_from_(zip64_from) {}

    /// Adds a member of that name, in UTF-8. The checksum of large ones is taken while they are written.
    void add(std::string_view name, const void* data, std::uint64_t size) {
        auto sum = beside(size, [data, size] { return crc32(data, static_cast<std::size_t>(size)); });
        const std::uint64_t start = at_;
        const bool large = size >= zip64_from_;
        const std::string version = little_endian(large || start >= zip64_from_ ? 45 : 20, 2);
        // Flags (the checksum and sizes follow the data; the name is UTF-8), method, time, date.
        const std::string how = little_endian(0x808, 2) + little_endian(0, 2) + little_endian(0, 2) + little_endian(0x21, 2);
        const std::string name_length = little_endian(name.size(), 2);

        std::string extra = large ? extra_field(zip64, std::string(16, '\0')) : "";
        const std::uint64_t head = start + 30 + name.size() + extra.size() + 4;
        extra += extra_field(padding, std::string(static_cast<std::size_t>((64 - head % 64) % 64), 'Z'));
        put("PK\3\4" + version + how + std::string(12, '\0') + name_length + little_endian(extra.size(), 2));
        put(std::string(name) + extra);
        file_.write(data, static_cast<std::size_t>(size));
        at_ += size;
        const std::string crc = little_endian(sum.get(), 4), full_size = little_endian(size, large ? 8 : 4);
        put("PK\7\10" + crc + full_size + full_size);

        const std::string places = little_endian(size, 8) + little_endian(size, 8) + little_endian(start, 8);
        extra = large || start >= zip64_from_ ? extra_field(zip64, places) : "";
        const auto short_form = [&](std::uint64_t number) { return little_endian(extra.empty() ? number : marker, 4); };
        directory_ += "PK\1\2" + version + version + how + crc + short_form(size) + short_form(size) + name_length;
        directory_ += little_endian(extra.size(), 2) + std::string(10, '\0') + short_form(start); // no comment, disk, attributes
        directory_ += std::string(name) + extra;
        ++members_;
    }

    /// Ends the archive and gives the file its name.
    void commit() {
        const std::uint64_t start = at_, size = directory_.size();
        put(directory_);
        const bool wide = start >= zip64_from_ || size >= zip64_from_ || members_ >= 0xffff;
        if (wide) {
            const std::uint64_t end = at_;
            put("PK\6\6" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) + std::string(8, '\0'));
            put(little_endian(members_, 8) + little_endian(members_, 8) + little_endian(size, 8) + little_endian(start, 8));
            put("PK\6\7" + little_endian(0, 4) + little_endian(end, 8) + little_endian(1, 4));
        }
        const std::string count = little_endian(wide ? 0xffff : members_, 2);
        const auto short_form = [&](std::uint64_t number) { return little_endian(wide ? marker : number, 4); };
        put("PK\5\6" + little_endian(0, 4) + count + count + short_form(size) + short_form(start) + little_endian(0, 2));
        file_.commit();
    }

private:
    static constexpr std::uint64_t marker = 0xffffffff;              ///< a number that stands elsewhere
    static constexpr std::uint64_t zip64 = 0x0001, padding = 0x4246; ///< identifiers of extra fields; the latter reads "FB"

    static std::string extra_field(std::uint64_t identifier, const std::string& content) {
        return little_endian(identifier, 2) + little_endian(content.size(), 2) + content;
    }
    void put(const std::string& text) {
        file_.write(text);
        at_ += text.size();
    }

    file_writer file_;
    const std::uint64_t zip64_from_;
    std::uint64_t at_ = 0;
    std::string directory_;
    std::uint64_t members_ = 0;
};

} // namespace plumb::detail
