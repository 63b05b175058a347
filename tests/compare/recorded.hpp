/// \file
/// The recorded dumps under tests/data, and the tables that tell what comparing them must give.
#pragma once

#include <plumb/compare.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace recorded {

inline const std::filesystem::path data = PLUMB_TEST_DATA;

inline plumb::comparison compare(const std::string& actual, const std::string& reference,
                                 const plumb::compare_options& options = {}) {
    return plumb::compare(plumb::read_dump(data / actual), plumb::read_dump(data / reference), options);
}

/// A CSV text as records of cells, by RFC 4180.
inline std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
    std::vector<std::vector<std::string>> records(1);
    std::string cell;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"')
                cell += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' || c == '\n') {
            records.back().push_back(std::move(cell));
            cell.clear();
            if (c == '\n') records.emplace_back();
        } else if (c != '\r') {
            cell += c;
        }
    }
    if (records.back().empty() && cell.empty()) records.pop_back();
    return records;
}

inline std::vector<std::vector<std::string>> read_csv(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return parse_csv({std::istreambuf_iterator<char>(file), {}});
}

inline std::vector<std::vector<std::string>> table(const plumb::comparison& result, std::size_t rank, plumb::table_style style) {
    std::ostringstream text;
    plumb::write_table(text, result, result.ranks.at(rank), style);
    return parse_csv(text.str());
}

} // namespace recorded
