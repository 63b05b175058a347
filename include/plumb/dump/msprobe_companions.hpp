/// \file
/// The files beside msprobe's dump.json: stack.json and construct.json.
#pragma once

#include <plumb/dump/file_bytes.hpp>
#include <plumb/dump/index_builder.hpp>
#include <plumb/dump/json_reader.hpp>
#include <plumb/dump/model.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::detail {

/// Reads stack.json, of either generation, into `rank`.
inline void read_msprobe_stacks(const std::filesystem::path& path, rank_dump& rank) {
    const auto frames_of = [](json_value list) {
        std::vector<stack_frame> frames;
        list.for_each([&](json_value line) { frames.push_back(parse_frame(line.text())); });
        return frames;
    };
    read_json_members(map_file(path), {}, [&](std::string_view, std::string_view key, json_value value) {
        std::vector<json_value> parts;
        value.for_each([&](json_value part) { parts.push_back(part); });
        if (parts.size() == 2 && parts[0].is_array() && parts[1].is_array()) { // new: a number, [operators, lines]
            const auto frames = frames_of(parts[1]);
            parts[0].for_each([&](json_value op) { rank.stacks[std::string(op.text())] = frames; });
        } else {
            rank.stacks[std::string(key)] = frames_of(value);
        }
    });
}

/// Reads construct.json into `rank`.
inline void read_msprobe_parents(const std::filesystem::path& path, rank_dump& rank) {
    read_json_members(map_file(path), {}, [&](std::string_view, std::string_view key, json_value value) {
        std::string parent(value.text());
        bool first = true;
        value.for_each([&](json_value part) { // with micro-steps: [parent, step]
            if (std::exchange(first, false)) parent = part.text();
        });
        if (!parent.empty()) rank.parents[std::string(key)] = std::move(parent);
    });
}

} // namespace plumb::detail
