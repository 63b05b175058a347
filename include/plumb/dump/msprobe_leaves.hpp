/// \file
/// The nests of lists and objects in which msprobe keeps an operator's arguments.
#pragma once

#include <plumb/dump/json_value.hpp>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::detail {

inline bool is_nest(json_value value) { return value.is_array() || value.is_object(); }

/// An object that describes one argument: it has a "type".
inline bool is_msprobe_leaf(json_value value) {
    const auto type = value.find("type");
    return type && type->is_string();
}

/// Numbers or words alone, such as the ranks of a process group: one value.
inline bool is_plain_list(json_value list) {
    bool plain = false, nest = false;
    list.for_each([&](json_value part) {
        plain = plain || (!is_nest(part) && !part.is_null());
        nest = nest || is_nest(part) || part.is_null();
    });
    return plain && !nest;
}

/// Calls f(slot, value) for the leaves of a nest, in order, absent arguments (null) among them. The slot is the way to a leaf,
/// joined by dots; "" for a nest that is one leaf. Returns false if the nest is unreasonably deep. Without recursion.
template <class F>
bool for_each_msprobe_leaf(json_value nest, const F& f) {
    struct place {
        json_value value;
        std::string slot;
    };
    std::vector<place> todo{{nest, ""}}, inner;
    while (!todo.empty()) {
        const place now = std::move(todo.back());
        todo.pop_back();
        const std::string prefix = now.slot.empty() ? "" : now.slot + ".";
        if (prefix.size() > 512) return false;
        inner.clear();
        if (now.value.is_array() && !is_plain_list(now.value)) {
            std::size_t i = 0;
            now.value.for_each([&](json_value part) {
                const std::string number = std::to_string(i++);
                if (is_nest(part) || part.is_null()) inner.push_back({part, prefix + number});
            });
        } else if (now.value.is_object() && !is_msprobe_leaf(now.value)) {
            now.value.for_each_member([&](std::string_view key, json_value part) {
                inner.push_back({part, prefix + std::string(key)});
            });
        } else {
            f(now.slot, now.value);
        }
        todo.insert(todo.end(), std::make_move_iterator(inner.rbegin()), std::make_move_iterator(inner.rend()));
    }
    return true;
}

} // namespace plumb::detail
