/// \file
/// How far one rank's rows agree, and how much of that is known.
#pragma once

#include <plumb/compare/comparison.hpp>

#include <cstddef>
#include <string>

namespace plumb {

/// How many rows of one rank, of one step, agree by what.
struct rank_agreement {
    std::size_t rows = 0;
    std::size_t different = 0;
    std::size_t unreadable = 0; ///< not known to differ, because a file could not be read
    std::size_t unmatched = 0;
    std::size_t not_comparable = 0; ///< both sides have it, but nothing that can be compared
    std::size_t by_statistics = 0;  ///< agree, as far as max, min, mean and norm tell
    std::size_t by_checksum = 0;    ///< agree by their checksums

    /// Every row was compared, and none differs.
    bool complete() const noexcept {
        return rows > 0 && different == 0 && unreadable == 0 && unmatched == 0 && not_comparable == 0;
    }
    /// The same, element by element.
    bool identical() const noexcept { return complete() && by_statistics == 0 && by_checksum == 0; }
};

/// Counts the rows of one rank of a comparison.
inline rank_agreement count_agreement(const comparison& result, const rank_pair& rank) {
    rank_agreement found;
    for (std::size_t i = rank.first_row; i < rank.last_row; ++i) {
        const comparison_row& row = result.rows[i];
        ++found.rows;
        if (row.agrees == agreement::different)
            ++found.different;
        else if (!row.matched())
            ++found.unmatched;
        else if (!row.error.empty()) // statistics that agree are no word for what the file holds
            ++found.unreadable;
        else if (row.agrees == agreement::unknown)
            ++found.not_comparable;
        else if (row.basis == comparison_basis::statistics)
            ++found.by_statistics;
        else if (row.basis == comparison_basis::checksum)
            ++found.by_checksum;
    }
    return found;
}

/// Where no row differs: why that does not show that the runs are identical. "" if it does, by elements or checksums.
inline std::string doubt_of(const rank_agreement& found) {
    const auto tensors = [](std::size_t count, const std::string& what) {
        return std::to_string(count) + (count == 1 ? " tensor " : " tensors ") + what;
    };
    if (found.rows == 0) return "nothing was recorded";
    if (found.complete()) return found.by_statistics > 0 ? "statistics agree; elements were not compared" : "";
    std::string gaps;
    const auto add = [&](std::size_t count, const std::string& what) {
        if (count > 0) gaps += (gaps.empty() ? "" : ", ") + tensors(count, what);
    };
    add(found.unreadable, "could not be read");
    add(found.unmatched, found.unmatched == 1 ? "has no partner" : "have no partner");
    add(found.not_comparable, "could not be compared");
    const std::size_t compared = found.rows - found.unreadable - found.unmatched - found.not_comparable;
    return (compared == 0 ? "nothing was compared: " : "no difference found, but ") + gaps;
}

} // namespace plumb
