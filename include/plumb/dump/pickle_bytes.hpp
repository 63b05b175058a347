/// \file
/// A pickle as a row of bytes: numbers, lines, and the names of what is refused.
#pragma once

#include <plumb/dump/file_bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace plumb::detail {

/// Reads a pickle from its beginning to its end.
class pickle_bytes {
public:
    explicit pickle_bytes(const file_bytes& file) : file_(file) {}

    std::uint64_t position() const noexcept { return at_; }
    /// The next `size` bytes. Throws io_error if there are fewer.
    const char* take(std::uint64_t size) {
        if (size > file_.size - at_)
            file_.fail_at(at_, "the pickle is truncated: expected " + std::to_string(size) + " more bytes, " +
                                   std::to_string(file_.size - at_) + " are there");
        const char* data = file_.data + at_;
        at_ += size;
        return data;
    }
    /// A whole number, the least significant byte first.
    std::uint64_t little(std::size_t size) {
        const char* data = take(size);
        std::uint64_t number = 0;
        for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(data[i]);
        return number;
    }
    /// The text up to the next end of line, which is passed over.
    std::string line() {
        std::string text;
        for (char c = *take(1); c != '\n'; c = *take(1)) text += c;
        return text;
    }

private:
    const file_bytes& file_;
    std::uint64_t at_ = 0;
};

/// The name of an opcode that no pickle of tensors needs.
inline std::string pickle_opcode_name(unsigned char code) {
    struct named {
        unsigned char code;
        const char* name;
    };
    static constexpr named names[] = {{'0', "POP"},
                                      {'1', "POP_MARK"},
                                      {'2', "DUP"},
                                      {'F', "FLOAT"},
                                      {'I', "INT"},
                                      {'L', "LONG"},
                                      {'P', "PERSID"},
                                      {'S', "STRING"},
                                      {'T', "BINSTRING"},
                                      {'U', "SHORT_BINSTRING"},
                                      {'V', "UNICODE"},
                                      {'d', "DICT"},
                                      {'g', "GET"},
                                      {'i', "INST"},
                                      {'l', "LIST"},
                                      {'o', "OBJ"},
                                      {'p', "PUT"},
                                      {'B', "BINBYTES"},
                                      {'C', "SHORT_BINBYTES"},
                                      {0x81, "NEWOBJ"},
                                      {0x82, "EXT1"},
                                      {0x83, "EXT2"},
                                      {0x84, "EXT4"},
                                      {0x8b, "LONG4"},
                                      {0x8e, "BINBYTES8"},
                                      {0x8f, "EMPTY_SET"},
                                      {0x90, "ADDITEMS"},
                                      {0x91, "FROZENSET"},
                                      {0x92, "NEWOBJ_EX"},
                                      {0x96, "BYTEARRAY8"},
                                      {0x97, "NEXT_BUFFER"},
                                      {0x98, "READONLY_BUFFER"}};
    for (const named& each : names)
        if (each.code == code) return each.name;
    return "number " + std::to_string(code) + ", which pickle does not have";
}

} // namespace plumb::detail
