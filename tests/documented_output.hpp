/// \file
/// What the program's output is documented to be, and how it is read back.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace test {

/// The members of a JSON object that reports metrics, in their order.
inline const std::vector<std::string> metric_members{
    "count",
    "finite_pairs",
    "cosine",
    "max_abs_err",
    "max_abs_err_index",
    "max_rel_err",
    "max_rel_err_index",
    "euclidean",
    "rmse",
    "rel_l2_err",
    "ratio_1e3",
    "ratio_5e3",
    "mean_abs_err",
    "max_ulp_err",
    "max_ulp_err_index",
    "mean_ulp_err",
    "differing",
    "first_differing_index",
    "zero_reference",
    "nonfinite",
};

/// The members of a row of a comparison, in their order.
inline std::vector<std::string> row_members() {
    std::vector<std::string> members{"rank",        "operator",       "call",         "direction",       "kind", "slot",
                                     "actual_name", "reference_name", "actual_dtype", "reference_dtype", "shape"};
    members.insert(members.end(), metric_members.begin(), metric_members.end());
    members.insert(members.end(), {"stats", "checksum", "verdict", "reason", "error"});
    return members;
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

} // namespace test
