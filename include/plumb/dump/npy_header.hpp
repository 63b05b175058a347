/// \file
/// The header of an .npy file: a Python dict literal, which is parsed and never evaluated.
/// Format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/dump/file_bytes.hpp>
#include <plumb/types/dtype.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb {

/// What an .npy file says of its data.
struct npy_header {
    std::string descr; ///< as written: "<f4"
    char kind = 'V';   ///< NumPy's letter: 'b' 'i' 'u' 'f', or 'V' for bytes of unknown meaning
    std::uint64_t element_bytes = 0;
    bool big_endian = false;
    bool fortran_order = false;
    extents shape;
    std::uint64_t data_offset = 0;

    /// The element type, if plumb has one for it.
    std::optional<dtype> type() const noexcept {
        const bool one = element_bytes == 1, two = element_bytes == 2, four = element_bytes == 4, eight = element_bytes == 8;
        switch (kind) {
        case 'b': return one ? std::optional(dtype::boolean) : std::nullopt;
        case 'i':
            return one     ? std::optional(dtype::i8)
                   : two   ? std::optional(dtype::i16)
                   : four  ? std::optional(dtype::i32)
                   : eight ? std::optional(dtype::i64)
                           : std::nullopt;
        case 'u':
            return one     ? std::optional(dtype::u8)
                   : two   ? std::optional(dtype::u16)
                   : four  ? std::optional(dtype::u32)
                   : eight ? std::optional(dtype::u64)
                           : std::nullopt;
        case 'f':
            return two     ? std::optional(dtype::f16)
                   : four  ? std::optional(dtype::f32)
                   : eight ? std::optional(dtype::f64)
                           : std::nullopt;
        default: return std::nullopt;
        }
    }
};

namespace detail {

/// Reads the literal, one token after the other. Positions in errors count from the start of the file.
class npy_header_parser {
public:
    npy_header_parser(const file_bytes& file, std::uint64_t begin, std::uint64_t end) : file_(file), at_(begin), end_(end) {}

    npy_header parse() {
        npy_header header;
        bool descr = false, order = false, shape = false;
        expect('{', "a dict");
        while (!accept('}')) {
            const std::uint64_t start = at_;
            const std::string key = string("a key");
            expect(':', "a colon");
            bool* seen = key == "descr" ? &descr : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
            if (!seen) fail(start, "unknown key '" + key + "', expected descr, fortran_order and shape");
            if (*seen) fail(start, "the key '" + key + "' appears twice");
            *seen = true;
            if (seen == &descr) read_descr(header);
            if (seen == &order) header.fortran_order = boolean();
            if (seen == &shape) read_shape(header.shape);
            if (!accept(',')) {
                expect('}', "a comma or the dict's end");
                break;
            }
        }
        skip_spaces();
        if (at_ != end_) fail(at_, "text after the dict, expected spaces");
        for (const auto& [seen, key] : {std::pair(descr, "descr"), std::pair(order, "fortran_order"), std::pair(shape, "shape")})
            if (!seen) fail(end_, std::string("the key '") + key + "' is missing");
        return header;
    }

private:
    [[noreturn]] void fail(std::uint64_t at, const std::string& problem) const {
        file_.fail_at(at, "can't parse the .npy header: " + problem);
    }

    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    char peek() const { return at_ < end_ ? file_.data[at_] : '\0'; }
    void skip_spaces() {
        while (at_ < end_ && is_space(peek())) ++at_;
    }
    std::string found() const {
        if (at_ == end_) return "the header's end";
        const auto c = static_cast<unsigned char>(file_.data[at_]);
        return c >= 0x20 && c < 0x7f ? std::string("'") + static_cast<char>(c) + "'" : "byte " + std::to_string(c);
    }
    bool accept(char c) {
        skip_spaces();
        if (at_ == end_ || file_.data[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c, const std::string& what) {
        if (!accept(c)) fail(at_, "expected " + what + ", found " + found());
    }
    std::string string(const std::string& what) {
        skip_spaces();
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail(at_, "expected " + what + " in quotes, found " + found());
        const std::uint64_t begin = ++at_;
        while (at_ < end_ && file_.data[at_] != quote) {
            if (file_.data[at_] == '\\' || static_cast<unsigned char>(file_.data[at_]) < 0x20)
                fail(at_, "expected plain text in " + what + ", found " + found());
            ++at_;
        }
        if (at_ == end_) fail(at_, "expected a closing quote of " + what);
        return std::string(file_.data + begin, static_cast<std::size_t>(at_++ - begin));
    }
    bool boolean() {
        skip_spaces();
        const std::string_view rest(file_.data + at_, static_cast<std::size_t>(end_ - at_));
        for (const auto& [word, value] : {std::pair(std::string_view("True"), true), std::pair(std::string_view("False"), false)})
            if (rest.substr(0, word.size()) == word) {
                at_ += word.size();
                return value;
            }
        fail(at_, "fortran_order: expected True or False, found " + found());
    }
    void read_shape(extents& shape) {
        expect('(', "shape: a tuple");
        bool comma = true;
        while (!accept(')')) {
            if (!comma) fail(at_, "shape: expected a comma or the tuple's end, found " + found());
            skip_spaces();
            if (peek() == '-') fail(at_, "shape: a negative length");
            if (!is_digit(peek())) fail(at_, "shape: expected a whole number, found " + found());
            std::uint64_t length = 0;
            const std::uint64_t start = at_;
            for (; is_digit(peek()); ++at_) {
                const auto digit = static_cast<std::uint64_t>(peek() - '0');
                if (length > (0x7fffffffffffffffu - digit) / 10)
                    fail(start, "shape: a length is too large: it overflows 63 bits");
                length = length * 10 + digit;
            }
            if (peek() == 'L') ++at_; // a long of Python 2
            if (shape.size() == max_rank) fail(start, "shape: more than 32 dimensions");
            shape.push_back(static_cast<std::int64_t>(length));
            comma = accept(',');
        }
        if (shape.size() == 1 && !comma) fail(at_, "shape: expected a tuple such as (3,), found a number in brackets");
    }
    void read_descr(npy_header& header) {
        skip_spaces();
        const std::uint64_t start = at_;
        if (peek() == '[' || peek() == '(')
            file_.fail_at(start, "unsupported dtype: a structured one, expected a plain number type such as '<f4'");
        header.descr = string("descr");
        std::string_view text = header.descr;
        header.big_endian = big_endian_host;
        if (!text.empty() && (text[0] == '<' || text[0] == '>' || text[0] == '=' || text[0] == '|')) {
            if (text[0] == '<' || text[0] == '>') header.big_endian = text[0] == '>';
            text.remove_prefix(1);
        }
        const char kind = text.empty() ? '\0' : text[0];
        if (kind == '?' && text.size() == 1) {
            header.kind = 'b';
            header.element_bytes = 1;
            return;
        }
        const auto refuse = [&](const char* why) { file_.fail_at(start, "unsupported dtype '" + header.descr + "': " + why); };
        if (kind == 'O') refuse("Python objects, stored as a pickle, which is never run");
        if (kind == 'c') refuse("complex numbers");
        if (kind == 'S' || kind == 'U' || kind == 'a') refuse("text");
        if (kind == 'M' || kind == 'm') refuse("dates or times");
        std::uint64_t bytes = 0;
        for (const char c : text.substr(kind == '\0' ? 0 : 1)) {
            if (!is_digit(c) || bytes > 1000000) refuse("expected a letter and a number of bytes, such as '<f4'");
            bytes = bytes * 10 + static_cast<std::uint64_t>(c - '0');
        }
        header.kind = kind;
        header.element_bytes = bytes;
        if (kind != 'V' && !header.type()) refuse("expected b1, i1 to i8, u1 to u8, f2, f4 or f8");
        if (bytes == 0) refuse("elements of no bytes");
    }

    const file_bytes& file_;
    std::uint64_t at_, end_;
};

} // namespace detail

/// Reads the header of an .npy file, versions 1.0 to 3.0. Throws io_error for anything that isn't one.
inline npy_header read_npy_header(const file_bytes& file) {
    constexpr std::string_view magic("\x93NUMPY", 6);
    if (std::string_view(file.data, static_cast<std::size_t>(file.size < 6 ? file.size : 6)) != magic)
        file.fail_at(0, "expected the magic bytes \\x93NUMPY of an .npy file");
    if (file.size < 10) file.fail_at(file.size, "the .npy header is truncated: expected a version and a length");
    const auto byte = [&](std::uint64_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(file.data[i])); };
    const std::uint64_t major = byte(6), minor = byte(7);
    if (major < 1 || major > 3 || minor != 0)
        file.fail_at(6, "version " + std::to_string(major) + "." + std::to_string(minor) + ", expected 1.0, 2.0 or 3.0");

    const std::uint64_t begin = major == 1 ? 10 : 12;
    if (file.size < begin) file.fail_at(file.size, "the .npy header is truncated: expected its length");
    std::uint64_t length = 0;
    for (std::uint64_t i = begin; i-- > 8;) length = length << 8 | byte(i);
    if (length > file.size - begin)
        file.fail_at(8, "the .npy header is truncated: its length is given as " + std::to_string(length) +
                            " bytes, the file has " + std::to_string(file.size - begin) + " left");
    npy_header header = detail::npy_header_parser(file, begin, begin + length).parse();
    header.data_offset = begin + length;
    return header;
}

} // namespace plumb
