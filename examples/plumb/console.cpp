#include "console.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <system_error>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

namespace console {
namespace {

bool has_colours() {
    static const bool answer = [] {
        const char* no_color = std::getenv("NO_COLOR");
        const char* term = std::getenv("TERM");
        return ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
               std::string_view(term) != "dumb";
    }();
    return answer;
}

/// One character of UTF-8 at the start of `text`: its code point and bytes; 0 bytes if there is none.
struct character {
    char32_t code = 0;
    std::size_t bytes = 0;
};

character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xc2 && lead <= 0xdf   ? 2u
                              : (lead & 0xf0) == 0xe0        ? 3u
                              : lead >= 0xf0 && lead <= 0xf4 ? 4u
                                                             : 0u;
    if (bytes == 0) return {};
    char32_t code = lead & (0x7fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    const bool overlong = code < (bytes == 3 ? 0x800u : bytes == 4 ? 0x10000u : 0x80u);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return overlong || surrogate || code > 0x10ffff ? character{} : character{code, bytes};
}

struct range {
    char32_t first, last;
};

template <std::size_t N>
bool is_in(char32_t code, const range (&ranges)[N]) {
    return std::any_of(std::begin(ranges), std::end(ranges), [&](range r) { return code >= r.first && code <= r.last; });
}

std::size_t columns_of(char32_t code) {
    // The blocks of Unicode's EastAsianWidth.txt that are W or F throughout, and those of combining marks and joiners.
    constexpr range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                              {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                              {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    constexpr range combining[] = {{0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    return is_in(code, combining) ? 0 : is_in(code, wide) ? 2 : 1;
}

/// Control characters, and the invisible ones that turn the direction of writing or break lines.
bool is_hidden(char32_t code) {
    constexpr range hidden[] = {{0, 0x1f}, {0x7f, 0x9f}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    return is_in(code, hidden);
}

/// Gathers what is streamed into blocks for print().
class print_buffer : public std::streambuf {
protected:
    int_type overflow(int_type next) override {
        if (!traits_type::eq_int_type(next, traits_type::eof())) text_ += traits_type::to_char_type(next);
        write_if(block);
        return traits_type::not_eof(next);
    }
    std::streamsize xsputn(const char* data, std::streamsize n) override {
        text_.append(data, static_cast<std::size_t>(n));
        write_if(block);
        return n;
    }
    int sync() override {
        write_if(1);
        return 0;
    }

private:
    static constexpr std::size_t block = 1 << 16;

    void write_if(std::size_t least) {
        if (text_.size() < least) return;
        std::string full;
        full.swap(text_);
        print(full);
    }

    std::string text_;
};

} // namespace

void print(std::string_view text) {
    static bool reader_is_gone = false;
    if (reader_is_gone) return;
    while (!text.empty()) {
        const ::ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EPIPE) {
            reader_is_gone = true;
            return;
        }
        if (written < 0) throw std::runtime_error("standard output: can't write: " + std::generic_category().message(errno));
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::ostream& out() {
    static print_buffer buffer;
    static std::ostream stream(&buffer);
    stream.exceptions(std::ios::badbit); // what print() throws goes through
    return stream;
}

std::string_view without_own_name(std::string_view message) {
    constexpr std::string_view own_name = "plumb: ";
    if (message.substr(0, own_name.size()) == own_name) message.remove_prefix(own_name.size());
    return message;
}

void tell(std::string_view message) { std::fprintf(stderr, "plumb: %s\n", shown(without_own_name(message)).c_str()); }
void warn(std::string_view message) { std::fprintf(stderr, "plumb: warning: %s\n", shown(message).c_str()); }

std::size_t width() {
    struct ::winsize size {};
    if (::isatty(STDOUT_FILENO) == 0) return 0;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
    return std::max<std::size_t>(size.ws_col, 60);
}

std::string in(look style, std::string_view text) {
    if (!has_colours() || style == look::plain || text.empty()) return std::string(text);
    constexpr std::string_view codes[] = {"", "2", "1", "32", "33", "1;31"};
    return "\x1b[" + std::string(codes[static_cast<std::size_t>(style)]) + "m" + std::string(text) + "\x1b[0m";
}

look look_of(plumb::outcome result) {
    switch (result) {
    case plumb::outcome::pass: return look::good;
    case plumb::outcome::warn: return look::doubtful;
    case plumb::outcome::undefined: return look::doubtful;
    case plumb::outcome::fail: return look::bad;
    }
    return look::plain;
}

std::string shown(std::string_view name) {
    constexpr char hex[] = "0123456789abcdef";
    std::string text;
    bool changed = false;
    while (!name.empty()) {
        const character next = first_character(name);
        if (next.bytes != 0 && !is_hidden(next.code)) {
            text += next.code == '\\' ? std::string_view("\\\\") : name.substr(0, next.bytes);
            name.remove_prefix(next.bytes);
            continue;
        }
        changed = true;
        const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
        for (const char c : name.substr(0, bytes)) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '\t')
                text += "\\t";
            else if (c == '\n')
                text += "\\n";
            else if (c == '\r')
                text += "\\r";
            else
                ((text += "\\x") += hex[byte >> 4]) += hex[byte & 15];
        }
        name.remove_prefix(bytes);
    }
    if (changed) return text;
    std::string plain; // backslashes are doubled only beside others that mean something
    for (std::size_t i = 0; i < text.size(); ++i) {
        plain += text[i];
        if (text[i] == '\\') ++i;
    }
    return plain;
}

std::size_t columns(std::string_view text) {
    std::size_t sum = 0;
    while (!text.empty()) {
        const character next = first_character(text);
        sum += next.bytes != 0 ? columns_of(next.code) : 1;
        text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
    }
    return sum;
}

std::string shortened(std::string_view text, std::size_t limit) {
    if (columns(text) <= limit) return std::string(text);
    if (limit == 0) return {};
    std::vector<std::string_view> characters;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t bytes = std::max<std::size_t>(first_character(rest).bytes, 1);
        characters.push_back(rest.substr(0, bytes));
        rest.remove_prefix(bytes);
    }
    const std::size_t room = limit - 1, at_end = room - room / 5; // most of it from the end
    std::string head, tail;
    std::size_t taken = 0;
    std::size_t first = 0, last = characters.size();
    while (taken + columns(characters[last - 1]) <= at_end) taken += columns(characters[--last]);
    for (std::size_t i = last; i < characters.size(); ++i) tail += characters[i];
    while (taken + columns(characters[first]) <= room) {
        taken += columns(characters[first]);
        head += characters[first++];
    }
    return head + "…" + tail;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t limit) {
    if (width() != 0) limit = std::min(limit, width());
    std::string lines;
    std::size_t used = 0;
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        if (used > 0 && used + 1 + columns(word) > limit) {
            lines += '\n';
            used = 0;
        }
        if (used == 0)
            lines.append(indent, ' ');
        else
            lines += ' ';
        (used += used == 0 ? indent : 1) += columns(word);
        lines += word;
    }
    return lines + '\n';
}

} // namespace console
