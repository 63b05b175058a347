/// \file
/// Reads JSON text value by value, with RapidJSON's event reader.
#pragma once

#include <plumb/dump/file_bytes.hpp>
#include <plumb/dump/json_value.hpp>

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

/// RapidJSON's handler. Collects values as tokens; hands a value over as soon as it is complete, so that no more than one is
/// held. Objects on the way (the root if `members` is set, and the root's member called `section`) are opened: their members are
/// handed over one by one.
template <class Deliver>
class json_handler {
public:
    json_handler(const file_bytes& file, std::uint64_t offset, rapidjson::InsituStringStream& stream, bool members,
                 std::string_view section, Deliver& deliver)
        : file_(file), offset_(offset), stream_(stream), members_(members), section_(section), deliver_(deliver) {}

    bool Null() { return scalar(json_kind::null, {}); }
    bool Bool(bool value) {
        return scalar(json_kind::boolean, [&](json_token& token) { token.integer = value; });
    }
    bool Int(int value) { return Int64(value); }
    bool Uint(unsigned value) { return Int64(value); }
    bool Int64(std::int64_t value) {
        return scalar(json_kind::integer, [&](json_token& token) { token.integer = value; });
    }
    bool Uint64(std::uint64_t value) {
        if (value <= INT64_MAX) return Int64(static_cast<std::int64_t>(value));
        return scalar(json_kind::natural, [&](json_token& token) { token.natural = value; });
    }
    bool Double(double value) {
        return scalar(json_kind::real, [&](json_token& token) { token.real = value; });
    }
    bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; } // comes only if asked for
    bool String(const char* text, rapidjson::SizeType size, bool) {
        return scalar(json_kind::string, [&](json_token& token) {
            token.text = text;
            token.text_size = size;
        });
    }
    bool Key(const char* text, rapidjson::SizeType size, bool copy) {
        const std::string_view key(text, size);
        if (open_.size() != opened_) return String(text, size, copy);
        if (!seen_[opened_ - 1].insert(key).second) fail_twice(key);
        (opened_ == 1 ? outer_key_ : inner_key_) = key;
        return true;
    }
    bool StartObject() {
        if (open_.size() == opened_ && opened_ < 2 && members_ &&
            (opened_ == 0 || (!section_.empty() && outer_key_ == section_))) {
            ++opened_;
            open_.push_back(0);
            return true;
        }
        return start(json_kind::object);
    }
    bool EndObject(rapidjson::SizeType) {
        if (open_.size() == opened_) {
            seen_[--opened_].clear();
            open_.pop_back();
            return true;
        }
        check_keys();
        return end();
    }
    bool StartArray() { return start(json_kind::array); }
    bool EndArray(rapidjson::SizeType) { return end(); }

private:
    [[noreturn]] void fail(const std::string& problem) const { file_.fail_at(offset_ + stream_.Tell(), problem); }
    [[noreturn]] void fail_twice(std::string_view key) const { fail("the key " + to_json(key) + " appears twice in one object"); }

    template <class Set>
    bool scalar(json_kind kind, const Set& set) {
        json_token token;
        token.kind = kind;
        if constexpr (!std::is_same_v<Set, none>) set(token);
        tokens_.push_back(token);
        return complete();
    }
    struct none {};
    bool scalar(json_kind kind, none) { return scalar<none>(kind, none{}); }

    bool start(json_kind kind) {
        json_token token;
        token.kind = kind;
        open_.push_back(tokens_.size());
        tokens_.push_back(token);
        return true;
    }
    bool end() {
        tokens_[open_.back()].next = tokens_.size() - open_.back();
        open_.pop_back();
        return complete();
    }
    bool complete() {
        if (open_.size() != opened_) return true;
        if (members_ && opened_ == 0) fail("expected a JSON object");
        deliver_(opened_ == 2 ? section_ : std::string_view(),
                 opened_ == 2   ? inner_key_
                 : opened_ == 1 ? outer_key_
                                : std::string_view(),
                 json_value(tokens_.data()));
        tokens_.clear();
        return true;
    }
    void check_keys() {
        keys_.clear();
        for (std::size_t i = open_.back() + 1; i < tokens_.size(); i += 1 + tokens_[i + 1].next)
            keys_.emplace_back(tokens_[i].text, tokens_[i].text_size);
        if (keys_.size() > 16) {
            std::sort(keys_.begin(), keys_.end());
            const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
            if (twice != keys_.end()) fail_twice(*twice);
            return;
        }
        for (std::size_t i = 0; i < keys_.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (keys_[i] == keys_[k]) fail_twice(keys_[i]);
    }

    const file_bytes& file_;
    const std::uint64_t offset_;
    rapidjson::InsituStringStream& stream_;
    const bool members_;
    const std::string_view section_;
    Deliver& deliver_;
    std::vector<json_token> tokens_;
    std::vector<std::size_t> open_; ///< where the open arrays and objects begin among the tokens
    std::size_t opened_ = 0;        ///< how many of them, the outermost, deliver their members one by one
    std::string_view outer_key_, inner_key_;
    std::unordered_set<std::string_view> seen_[2];
    std::vector<std::string_view> keys_;
};

/// Bytes that must follow a text: a zero that ends it, and three more, since RapidJSON takes a UTF-8 sequence that the text's end
/// cuts off for as long as its first byte tells.
inline constexpr std::size_t json_padding = 4;

/// Parses `size` bytes at `text`, in place; json_padding more must be writable. `offset` is where they lie in the file.
template <class Deliver>
void parse_json(const file_bytes& file, std::uint64_t offset, char* text, std::size_t size, bool members,
                std::string_view section, Deliver&& deliver) {
    if (size > 0xffffffff) file.fail("is larger than 4 GiB: too large for JSON text");
    text[size] = '\0'; // what ends the text for RapidJSON
    rapidjson::InsituStringStream stream(text);
    json_handler<std::remove_reference_t<Deliver>> handler(file, offset, stream, members, section, deliver);
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag |
                               rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag;
    rapidjson::Reader reader;
    const rapidjson::ParseResult result = reader.Parse<flags>(stream, handler);
    if (result.IsError()) {
        const char* problem = rapidjson::GetParseError_En(result.Code());
        if (result.Code() == rapidjson::kParseErrorStringInvalidEncoding) problem = "a string is not valid UTF-8";
        file.fail_at(offset + result.Offset(), result.Offset() >= size ? std::string("the JSON text is incomplete: ") + problem
                                                                       : std::string("invalid JSON: ") + problem);
    }
    if (stream.Tell() != size) file.fail_at(offset + stream.Tell(), "a NUL byte in JSON text");
}

/// A copy of the text that may be changed, padded, without a byte order mark. Returns where it begins in the file.
inline std::uint64_t json_copy(const file_bytes& file, std::vector<char>& copy) {
    const std::string_view text(file.data, static_cast<std::size_t>(file.size));
    if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff") file.fail_at(0, "is text in UTF-16, expected UTF-8");
    const std::size_t skip = text.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;
    copy.reserve(text.size() - skip + json_padding);
    copy.assign(text.begin() + static_cast<std::ptrdiff_t>(skip), text.end());
    copy.resize(copy.size() + json_padding, '\0');
    return skip;
}

} // namespace detail

/// Reads a JSON text that is one object, and calls deliver(section, key, value) for each of its members, in order; those of the
/// member called `section` (if that is an object) come one by one, with their section's name. Nothing else is kept, so memory is
/// the text and its largest such value. Keys and values are valid until read_json_members returns, but values only until deliver
/// does.
///
/// NaN and Infinity are accepted, as Python writes them; a byte order mark is skipped. Throws io_error, with the position, for
/// what is no JSON, invalid UTF-8, and a key that appears twice in one object.
template <class Deliver>
void read_json_members(const file_bytes& file, std::string_view section, Deliver&& deliver) {
    std::vector<char> text;
    const std::uint64_t offset = detail::json_copy(file, text);
    detail::parse_json(file, offset, text.data(), text.size() - detail::json_padding, true, section, deliver);
}

/// Reads one JSON value a line, and calls deliver(value, line number from 1) for each; blank lines are passed over. Lines end
/// with
/// "\n" or "\r\n". Otherwise as above; values are valid until deliver returns. A last line that has no end and is no whole JSON
/// value, as a writer that died leaves it, is not delivered: then the result is false.
template <class Deliver>
bool read_json_lines(const file_bytes& file, Deliver&& deliver) {
    std::vector<char> text;
    const std::uint64_t offset = detail::json_copy(file, text);
    const std::size_t size = text.size() - detail::json_padding;
    std::uint64_t number = 0;
    for (std::size_t begin = 0; begin < size;) {
        ++number;
        const auto end = static_cast<std::size_t>(
            std::find(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(size), '\n') -
            text.begin());
        const std::string_view line(text.data() + begin, end - begin);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
            bool delivering = false;
            const auto forward = [&](std::string_view, std::string_view, json_value value) {
                delivering = true;
                deliver(value, number);
            };
            try {
                detail::parse_json(file, offset + begin, text.data() + begin, end - begin, false, {}, forward);
            } catch (const io_error&) {
                if (end == size && !delivering) return false;
                throw;
            }
        }
        begin = end + 1;
    }
    return true;
}

} // namespace plumb
