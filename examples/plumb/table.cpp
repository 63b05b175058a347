#include "table.hpp"

#include <algorithm>

namespace {

constexpr std::size_t indent = 2, gap = 2;

} // namespace

std::vector<std::size_t> table::widths() const {
    std::vector<std::size_t> widths;
    for (const column& each : columns_) widths.push_back(console::columns(each.title));
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], console::columns(row[i].text));

    const std::size_t limit = console::width();
    std::size_t total = indent + gap * (widths.size() - 1);
    for (const std::size_t each : widths) total += each;
    for (std::size_t i = 0; i < widths.size() && limit != 0 && total > limit; ++i) {
        if (!columns_[i].may_shrink) continue;
        const std::size_t least = std::min<std::size_t>(widths[i], 16);
        const std::size_t narrower = std::max(least, widths[i] - std::min(widths[i], total - limit));
        total -= widths[i] - narrower;
        widths[i] = narrower;
    }
    return widths;
}

std::string table::text() const {
    const std::vector<std::size_t> widths = this->widths();
    std::string text;
    const auto add_line = [&](const auto& cell_of) {
        std::string line(indent, ' ');
        std::size_t pending = 0; // spaces that only what follows makes necessary
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const auto [content, style] = cell_of(i);
            const std::string shown = console::shortened(content, widths[i]);
            const std::size_t padding = widths[i] - std::min(widths[i], console::columns(shown));
            const bool right = columns_[i].side == align::right;
            pending += right ? padding : 0;
            if (!shown.empty()) {
                line.append(pending, ' ') += console::in(style, shown);
                pending = 0;
            }
            pending += (right ? 0 : padding) + gap;
        }
        text += line + '\n';
    };
    add_line([&](std::size_t i) { return cell{columns_[i].title, console::look::dim}; });
    for (const auto& row : rows_) add_line([&](std::size_t i) { return i < row.size() ? row[i] : cell{}; });
    return text;
}
