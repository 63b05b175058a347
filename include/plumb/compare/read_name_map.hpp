/// \file
/// Reads the file that says which names of two dumps mean the same.
#pragma once

#include <plumb/compare/pairing.hpp>
#include <plumb/dump/error.hpp>
#include <plumb/dump/file_bytes.hpp>
#include <plumb/dump/json_reader.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace plumb {

/// Reads a JSON object of actual name to reference name. Throws io_error if it is anything else.
inline name_map read_name_map(const std::filesystem::path& path) {
    name_map names;
    const file_bytes file = map_file(path);
    read_json_members(file, {}, [&](std::string_view, std::string_view actual, json_value reference) {
        if (!reference.is_string())
            file.fail("expected the reference's name for " + to_json(actual) + ", found " + reference.to_text());
        names.emplace(actual, reference.text());
    });
    return names;
}

} // namespace plumb
