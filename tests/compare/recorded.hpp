/// \file
/// The recorded dumps under tests/data, and the tables that tell what comparing them must give.
#pragma once

#include "documented_output.hpp"

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

inline std::vector<std::vector<std::string>> read_csv(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return test::parse_csv({std::istreambuf_iterator<char>(file), {}});
}

inline std::vector<std::vector<std::string>> table(const plumb::comparison& result, std::size_t rank, plumb::table_style style) {
    std::ostringstream text;
    plumb::write_table(text, result, result.ranks.at(rank), style);
    return test::parse_csv(text.str());
}

} // namespace recorded
