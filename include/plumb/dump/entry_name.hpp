/// \file
/// The names that the seed tools give to recorded tensors, taken apart.
#pragma once

#include <plumb/dump/model.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// The parts of an entry's name.
struct entry_name {
    std::string op;                    ///< up to and including the direction
    std::optional<std::uint64_t> call; ///< the call's number, where the name has one
    std::string direction;             ///< "forward", "backward" or ""
    tensor_kind kind = tensor_kind::output;
    std::string slot = "0";
};

namespace detail {

inline std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number) : std::nullopt;
}

inline std::vector<std::string_view> split(std::string_view text, char by) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(by, begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return parts;
        begin = end + 1;
    }
}

} // namespace detail

/// ptdbg_ascend's names, {prefix}_{api}_{call}_{forward|backward}_{input|output}[.i[.j…]]: "Tensor___add___1_forward_output". A
/// tensor without an index is number 0 of its kind. Nothing for any other name.
inline std::optional<entry_name> parse_ptdbg_name(std::string_view name) {
    for (const std::string_view direction : {"forward", "backward"})
        for (const auto& [word, kind] : {std::pair(std::string_view("input"), tensor_kind::input),
                                         std::pair(std::string_view("output"), tensor_kind::output)}) {
            const std::string middle = "_" + std::string(direction) + "_" + std::string(word);
            const std::size_t found = name.rfind(middle);
            if (found == std::string_view::npos || found == 0) continue;
            const std::string_view rest = name.substr(found + middle.size());
            if (!rest.empty()) {
                bool digits = rest[0] == '.' && rest.size() > 1;
                for (const std::string_view part : detail::split(rest.substr(1), '.'))
                    digits = digits && detail::parse_number(part);
                if (!digits) continue;
            }
            entry_name parts;
            parts.op = std::string(name.substr(0, found)) + "_" + std::string(direction);
            parts.call = detail::parse_number(name.substr(0, found).substr(name.substr(0, found).rfind('_') + 1));
            parts.direction = direction;
            parts.kind = kind;
            if (!rest.empty()) parts.slot = rest.substr(1);
            return parts;
        }
    return std::nullopt;
}

/// msprobe's names: {api}.{call}.{direction}.{kind}.{slot}, Module.{path}.{class}.{direction}.{call}.{kind}.{slot} (older: the
/// call before the direction), Module.….parameters_grad[.{call}].{parameter}, {name}.{call}.debug[.{slot}]. The kinds are input,
/// kwargs, output and parameters. Without kind and slot, the name of an operator: kind and slot then mean nothing, except for
/// parameters_grad and debug. Nothing for any other name.
inline std::optional<entry_name> parse_msprobe_name(std::string_view name) {
    const std::vector<std::string_view> words = detail::split(name, '.');
    const auto kind_of = [](std::string_view word) -> std::optional<tensor_kind> {
        if (word == "input" || word == "kwargs") return tensor_kind::input;
        if (word == "output") return tensor_kind::output;
        if (word == "parameters") return tensor_kind::parameter;
        return std::nullopt;
    };
    for (std::size_t i = words.size(); i-- > 1;) {
        const bool directed = words[i] == "forward" || words[i] == "backward";
        if (!directed && words[i] != "parameters_grad" && words[i] != "debug") continue;
        entry_name parts;
        std::size_t last = i; // of the words that make the operator
        if (i + 1 < words.size() && words[i] != "debug") parts.call = detail::parse_number(words[i + 1]);
        if (parts.call)
            ++last;
        else
            parts.call = detail::parse_number(words[i - 1]);
        std::size_t next = last + 1;
        if (directed) {
            parts.direction = words[i];
            if (next < words.size()) {
                const auto kind = kind_of(words[next]);
                if (!kind) continue;
                parts.kind = *kind;
                ++next;
            }
        } else {
            parts.kind = words[i] == "debug" ? tensor_kind::debug : tensor_kind::parameters_grad;
        }
        const auto end_of = [&](std::size_t word) {
            return static_cast<std::size_t>(words[word].data() + words[word].size() - name.data());
        };
        parts.op = name.substr(0, end_of(last));
        if (next < words.size()) parts.slot = name.substr(static_cast<std::size_t>(words[next].data() - name.data()));
        return parts;
    }
    return std::nullopt;
}

/// An entry's parts from the stem of its file, in either tool's style. Any other stem is the operator itself, its kind output.
inline entry_name parse_entry_name(std::string_view stem) {
    if (auto parts = parse_ptdbg_name(stem)) return *parts;
    if (auto parts = parse_msprobe_name(stem)) return *parts;
    entry_name parts;
    parts.op = stem;
    return parts;
}

} // namespace plumb
