/// \file
/// A JSON value as a flat run of tokens: no tree, no allocation of its own.
#pragma once

#include <plumb/dump/json_text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

enum class json_kind : std::uint8_t { null, boolean, integer, natural, real, string, array, object };

namespace detail {

/// One value, or the head of an array or object whose parts follow: for an object, key and value in turn.
struct json_token {
    union {
        std::int64_t integer; ///< also of a bool
        std::uint64_t natural;
        double real;
        const char* text;
    };
    std::uint32_t text_size; ///< bytes of a string
    json_kind kind;
    std::uint64_t next; ///< number of tokens that the value takes, itself included
    json_token() : integer(0), text_size(0), kind(json_kind::null), next(1) {}
};

} // namespace detail

/// A look at a value. Valid only while whoever read the JSON says so.
class json_value {
public:
    explicit json_value(const detail::json_token* at) noexcept : at_(at) {}

    json_kind kind() const noexcept { return at_->kind; }
    bool is_string() const noexcept { return kind() == json_kind::string; }
    bool is_array() const noexcept { return kind() == json_kind::array; }
    bool is_object() const noexcept { return kind() == json_kind::object; }
    bool is_null() const noexcept { return kind() == json_kind::null; }

    /// The bytes of a string, "" for anything else.
    std::string_view text() const noexcept {
        return is_string() ? std::string_view(at_->text, at_->text_size) : std::string_view();
    }
    std::optional<bool> boolean() const noexcept {
        return kind() == json_kind::boolean ? std::optional(at_->integer != 0) : std::nullopt;
    }
    /// A whole number that fits; nothing for anything else.
    std::optional<std::int64_t> integer() const noexcept {
        return kind() == json_kind::integer ? std::optional(at_->integer) : std::nullopt;
    }
    /// A whole number of 2^63 and above.
    std::optional<std::uint64_t> natural() const noexcept {
        return kind() == json_kind::natural ? std::optional(at_->natural) : std::nullopt;
    }
    /// Any number, NaN and infinities included, rounded to double.
    std::optional<double> number() const noexcept {
        switch (kind()) {
        case json_kind::integer: return static_cast<double>(at_->integer);
        case json_kind::natural: return static_cast<double>(at_->natural);
        case json_kind::real: return at_->real;
        default: return std::nullopt;
        }
    }

    /// Calls f(value) for each element of an array, nothing for anything else.
    template <class F>
    void for_each(F&& f) const {
        if (is_array())
            for (const auto *part = at_ + 1, *end = at_ + at_->next; part != end; part += part->next) f(json_value(part));
    }
    /// Calls f(key, value) for each member of an object, in order, nothing for anything else.
    template <class F>
    void for_each_member(F&& f) const {
        if (is_object())
            for (const auto *part = at_ + 1, *end = at_ + at_->next; part != end; part += 1 + part[1].next)
                f(json_value(part).text(), json_value(part + 1));
    }
    /// The member of that name.
    std::optional<json_value> find(std::string_view key) const {
        if (is_object())
            for (const auto *part = at_ + 1, *end = at_ + at_->next; part != end; part += 1 + part[1].next)
                if (json_value(part).text() == key) return json_value(part + 1);
        return std::nullopt;
    }

    /// JSON text without spaces. Non-finite numbers come out as strings.
    std::string to_text() const {
        std::string text;
        struct level {
            const detail::json_token* end;
            bool object;
            std::uint64_t parts;
        };
        std::vector<level> open;
        for (const auto *part = at_, *end = at_ + at_->next; part != end;) {
            if (!open.empty()) {
                level& in = open.back();
                if (in.parts > 0) text += in.object && in.parts % 2 == 1 ? ':' : ',';
                ++in.parts;
            }
            append_scalar(text, *part);
            if (is_container(*part)) open.push_back({part + part->next, part->kind == json_kind::object, 0});
            for (++part; !open.empty() && open.back().end == part; open.pop_back()) text += open.back().object ? '}' : ']';
        }
        return text;
    }

private:
    static bool is_container(const detail::json_token& token) {
        return token.kind == json_kind::array || token.kind == json_kind::object;
    }
    static void append_scalar(std::string& text, const detail::json_token& token) {
        switch (token.kind) {
        case json_kind::null: text += "null"; break;
        case json_kind::boolean: append_json(text, token.integer != 0); break;
        case json_kind::integer: append_json(text, token.integer); break;
        case json_kind::natural: append_json(text, token.natural); break;
        case json_kind::real: append_json(text, token.real); break;
        case json_kind::string: append_json(text, std::string_view(token.text, token.text_size)); break;
        case json_kind::array: text += '['; break;
        case json_kind::object: text += '{'; break;
        }
    }

    const detail::json_token* at_;
};

} // namespace plumb
