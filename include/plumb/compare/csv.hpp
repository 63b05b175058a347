/// \file
/// Comma-separated values: RFC 4180, UTF-8.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// `cell` as it stands in a CSV file: in quotes, with its own doubled, if it holds a comma, a quote or a line break. What a
/// spreadsheet might take for a formula ("=SUM(A1)") is left as it is, so that it reads back the same.
inline std::string csv_cell(std::string_view cell) {
    if (cell.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(cell);
    std::string quoted = "\"";
    for (const char c : cell) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

/// Writes one record, ended by CR and LF.
inline void write_csv_record(std::ostream& to, const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) line += ',';
        line += csv_cell(cells[i]);
    }
    line += "\r\n";
    to.write(line.data(), static_cast<std::streamsize>(line.size()));
}

} // namespace plumb
