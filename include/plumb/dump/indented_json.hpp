/// \file
/// JSON text as Python lays it out.
#pragma once

#include <plumb/dump/json_text.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace plumb::detail {

/// JSON text laid out as Python's json.dump(indent=1) does.
class indented_json {
public:
    void key(std::string_view name) {
        next();
        append_json(text_, name);
        text_ += ": ";
        after_key_ = true;
    }
    void value(std::string_view json) {
        next();
        text_ += json;
    }
    void open(char bracket) {
        next();
        text_ += bracket;
        ++depth_;
        empty_ = true;
    }
    void close(char bracket) {
        --depth_;
        if (!empty_) new_line();
        text_ += bracket;
        empty_ = false;
    }
    /// Hands over what is there, so that a large text need not be held.
    std::string take() { return std::exchange(text_, std::string()); }

private:
    void next() {
        if (!after_key_ && depth_ > 0) {
            if (!empty_) text_ += ',';
            new_line();
        }
        after_key_ = empty_ = false;
    }
    void new_line() { text_.append("\n").append(depth_, ' '); }

    std::string text_;
    std::size_t depth_ = 0;
    bool empty_ = false, after_key_ = false;
};

} // namespace plumb::detail
