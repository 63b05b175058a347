/// \file
/// How Python prints what the seed tools put into their tables.
#pragma once

#include <plumb/compare/number_text.hpp>
#include <plumb/compare/row.hpp>
#include <plumb/compare/statistics_rules.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/types/element_traits.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// What repr() gives for a str: in single quotes, or in double ones if the text holds single and no double quotes.
inline std::string python_repr(std::string_view text) {
    const bool has_single = text.find('\'') != std::string_view::npos, has_double = text.find('"') != std::string_view::npos;
    const char quote = has_single && !has_double ? '"' : '\'';
    constexpr char hex[] = "0123456789abcdef";
    std::string out(1, quote);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\r')
            out += "\\r";
        else if (c == '\t')
            out += "\\t";
        else if (byte < 0x20 || byte == 0x7f)
            ((out += "\\x") += hex[byte >> 4]) += hex[byte & 15];
        else
            out += c;
    }
    return out + quote;
}

/// What repr() gives for a list of strings.
inline std::string python_repr(const std::vector<std::string>& list) {
    std::string out = "[";
    for (std::size_t i = 0; i < list.size(); ++i) out += (i > 0 ? ", " : "") + python_repr(std::string_view(list[i]));
    return out + ']';
}

/// What a row is to the seed tools' tables: these statistics, and what kind of row.
struct seed_row {
    std::array<recorded_number, 4> actual, reference; ///< max, min, mean, norm
    bool dtypes_differ = false;
    bool shapes_differ = false;
    bool nonfinite_differ = false; ///< "The position of inf or nan in NPU and bench Tensor do not match."

    explicit seed_row(const comparison_row& row)
        : actual(statistics(row.actual, row.actual_stats)), reference(statistics(row.reference, row.reference_stats)) {
        if (!row.matched()) return;
        dtypes_differ = row.actual->type_name != row.reference->type_name;
        shapes_differ = row.actual_shape && row.reference_shape && *row.actual_shape != *row.reference_shape;
        nonfinite_differ = row.report && row.report->nonfinite_mismatched > 0;
    }

private:
    /// A scalar in the index has its value four times, as the tools write it.
    static std::array<recorded_number, 4> statistics(const dump_entry* entry, const std::optional<recorded_statistics>& stats) {
        if (stats) return {stats->max, stats->min, stats->mean, stats->norm};
        if (entry == nullptr || !entry->value || entry->value->view().data() == nullptr) return {};
        recorded_number value;
        const void* data = entry->value->view().data();
        switch (entry->value->type()) {
        case dtype::boolean: value = detail::load<std::uint8_t>(data) != 0; break;
        case dtype::i64: value = static_cast<double>(detail::load<std::int64_t>(data)); break;
        case dtype::f64: value = detail::load<double>(data); break;
        default: break;
        }
        return {value, value, value, value};
    }
};

/// The tools' word for a verdict: pass and warn "Yes", fail "No", undefined as given.
inline std::string accuracy_word(const verdict& judged, std::string_view undefined) {
    switch (judged.result()) {
    case outcome::pass:
    case outcome::warn: return "Yes";
    case outcome::fail: return "No";
    case outcome::undefined: break;
    }
    return std::string(undefined);
}

/// What two sides of a dump can be compared by, as the tools choose it once for a table.
enum class table_mode : std::uint8_t { tensor, statistics, checksum };

} // namespace plumb
