/// \file
/// A comparison as a CSV table, in plumb's own style or that of the seed tools.
#pragma once

#include <plumb/compare/comparison.hpp>
#include <plumb/compare/csv.hpp>
#include <plumb/compare/msprobe_table.hpp>
#include <plumb/compare/plumb_table.hpp>
#include <plumb/compare/ptdbg_table.hpp>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

namespace plumb {

/// Whose columns and words a table has.
enum class table_style : std::uint8_t { plumb, ptdbg, msprobe };

/// What the seed tools would compare these two by: data, checksums or statistics.
inline table_mode mode_of(const comparison& result, const rank_pair& rank) {
    bool data = false, checksums = false;
    for (std::size_t i = rank.first_row; i < rank.last_row; ++i) {
        const comparison_row& row = result.rows[i];
        const bool files = row.matched() && !row.actual->file.empty() && !row.reference->file.empty();
        data = data || files || (row.basis == comparison_basis::data && !row.reference_shape->empty());
        checksums = checksums || row.basis == comparison_basis::checksum;
    }
    return data ? table_mode::tensor : checksums ? table_mode::checksum : table_mode::statistics;
}

/// The rows of one rank in the order of the actual dump; those of the reference alone come last, in its order.
inline std::vector<const comparison_row*> rows_in_actual_order(const comparison& result, const rank_pair& rank) {
    std::vector<const comparison_row*> rows;
    for (std::size_t i = rank.first_row; i < rank.last_row; ++i) rows.push_back(&result.rows[i]);
    std::stable_sort(rows.begin(), rows.end(), [](const comparison_row* a, const comparison_row* b) {
        if (a->actual == nullptr || b->actual == nullptr) return a->actual != nullptr;
        return a->actual < b->actual; // they lie in one vector
    });
    return rows;
}

namespace detail {

template <class Table>
void write_rows(std::ostream& to, Table&& table, const std::vector<const comparison_row*>& rows) {
    for (const comparison_row* row : rows) write_csv_record(to, table.cells(*row));
}

} // namespace detail

/// Writes the table of one rank, with its header.
inline void write_table(std::ostream& to, const comparison& result, const rank_pair& rank, table_style style) {
    const auto write = [&](auto&& table) {
        write_csv_record(to, table.header());
        detail::write_rows(to, table, rows_in_actual_order(result, rank));
    };
    switch (style) {
    case table_style::plumb: return write(plumb_table());
    case table_style::ptdbg: return write(ptdbg_table(rank, mode_of(result, rank)));
    case table_style::msprobe: return write(msprobe_table(rank, mode_of(result, rank)));
    }
}

/// Writes plumb's table of all ranks, which it tells apart in columns of their own. The seed tools' tables cannot: one file a
/// rank.
inline void write_table(std::ostream& to, const comparison& result) {
    plumb_table table;
    write_csv_record(to, table.header());
    for (const rank_pair& rank : result.ranks) detail::write_rows(to, table, rows_in_actual_order(result, rank));
}

} // namespace plumb
