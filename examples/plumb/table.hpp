// A table for the terminal.
#pragma once

#include "console.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Columns are as wide as their widest cell; where the terminal is narrower, the first column that may shrink gives way.
class table {
public:
    enum class align { left, right };
    struct column {
        std::string title;
        align side = align::left;
        bool may_shrink = false;
    };
    struct cell {
        std::string text; ///< already fit to be shown
        console::look style = console::look::plain;
    };

    explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

    /// Adds a row; missing cells at its end are empty.
    void add(std::vector<cell> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.empty(); }
    /// The whole table, each line ending in a newline, indented by two.
    std::string text() const;

private:
    std::vector<std::size_t> widths() const;

    std::vector<column> columns_;
    std::vector<std::vector<cell>> rows_;
};
