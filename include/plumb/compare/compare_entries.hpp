/// \file
/// Compares one recorded tensor with its partner by the best that both sides recorded.
#pragma once

#include <plumb/compare/row.hpp>
#include <plumb/compare/statistics_rules.hpp>
#include <plumb/detail/bits.hpp>
#include <plumb/dump/load.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/metrics.hpp>
#include <plumb/types/strided_reader.hpp>
#include <plumb/verdict.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace plumb {

namespace detail {

/// The unit roundoff of the coarser of bf16 and f16 that holds all finite elements of an f32 or f64 tensor; 0 if neither does. A
/// device that computes in 16 bits and hands back 32 is so recognised. Stops early on ordinary data.
inline double sixteen_bit_grid(const tensor_view& tensor) {
    if (tensor.count() < 2 || (tensor.type() != dtype::f32 && tensor.type() != dtype::f64)) return 0;
    bool on_f16 = true, on_bf16 = true, any = false;
    const auto look_at = [&](auto format, auto bits) {
        using wide = decltype(format);
        const unpacked number = unpack<wide>(bits);
        if (number.kind != number_kind::finite || number.mantissa == 0) return;
        any = true;
        std::uint64_t mantissa = number.mantissa;
        int exponent = number.exponent;
        while ((mantissa & 1) == 0) mantissa >>= 1, ++exponent;
        on_f16 = on_f16 && dropped_bits<binary16>(mantissa, exponent) <= 0 && bit_width(mantissa) + exponent <= 16;
        on_bf16 = on_bf16 && dropped_bits<brain16>(mantissa, exponent) <= 0;
    };
    constexpr std::size_t block = 512;
    alignas(8) char elements[block * 8];
    strided_reader from(tensor);
    while (const std::size_t n = from.read(elements, block)) {
        for (std::size_t i = 0; i < n; ++i)
            if (tensor.type() == dtype::f32)
                look_at(binary32{}, load<std::uint32_t>(elements + 4 * i));
            else
                look_at(binary64{}, load<std::uint64_t>(elements + 8 * i));
        if (!on_f16 && !on_bf16) return 0;
    }
    return !any ? 0 : on_bf16 ? unit_roundoff(dtype::bf16) : unit_roundoff(dtype::f16);
}

inline bool has_data(const dump_entry& entry) { return entry.value || !entry.file.empty(); }

/// An argument that was not given (None): the index has a place for it, and nothing in it.
inline bool is_absent(const dump_entry& entry) {
    return !has_data(entry) && !entry.shape && !entry.stats && entry.checksum.empty() &&
           (entry.text.empty() || entry.text == "null");
}

/// Sets the verdict of a shape mismatch; false if there is none. Nor is there one where a file was refused: it may be for the
/// index telling another shape than the file has, and then neither is to be believed.
inline bool shapes_differ(comparison_row& row) {
    if (!row.error.empty()) return false;
    if (!row.actual_shape || !row.reference_shape || *row.actual_shape == *row.reference_shape) return false;
    row.agrees = agreement::different;
    row.judged = {outcome::fail,
                  "shape " + to_string(*row.actual_shape) + " against reference " + to_string(*row.reference_shape)};
    return true;
}

inline void compare_data(comparison_row& row, const tensor& actual, const tensor& reference, const rule& judge) {
    row.basis = comparison_basis::data;
    row.actual_type = actual.type();
    row.reference_type = reference.type();
    row.actual_shape = actual.shape();
    row.reference_shape = reference.shape();
    if (shapes_differ(row)) return;
    const subject about{actual.type(), reference.type(), row.entry().op};
    row.report = (judge.needs() | full_metrics) == full_metrics
                     ? measure<full_metrics>(actual.view(), reference.view())
                     : measure<all_metrics>(actual.view(), reference.view(), judge.limits(about).value_or(tolerance{}));
    row.judged = classify(*row.report, judge, about);
    row.agrees = row.report->differing == 0 && row.report->nonfinite_mismatched == 0 ? agreement::same : agreement::different;
    if (row.agrees == agreement::different) {
        row.actual_grid = sixteen_bit_grid(actual.view());
        row.reference_grid = sixteen_bit_grid(reference.view());
    }
}

/// Checksums of one kind say whether the bytes are equal, which for elements of different types means nothing.
inline bool checksums_compare(const comparison_row& row) {
    const std::string &a = row.actual->checksum, &b = row.reference->checksum;
    return !a.empty() && a.size() == b.size() &&
           (!row.actual_type || !row.reference_type || row.actual_type == row.reference_type);
}

/// From what the indexes hold alone.
inline void compare_index(comparison_row& row) {
    if (shapes_differ(row)) return;
    const dump_entry &a = *row.actual, &b = *row.reference;
    if (!a.text.empty() && !b.text.empty()) {
        row.basis = comparison_basis::text;
        row.agrees = a.text == b.text ? agreement::same : agreement::different;
        row.judged = a.text == b.text ? verdict(outcome::pass, "")
                                      : verdict(outcome::fail, "value " + a.text + " against reference " + b.text);
    } else if (is_absent(a) && is_absent(b)) {
        row.basis = comparison_basis::text;
        row.agrees = agreement::same;
        row.judged = {outcome::pass, "absent on both sides"};
    } else if (is_absent(a) || is_absent(b)) {
        row.basis = comparison_basis::text;
        row.agrees = agreement::different;
        row.judged = {outcome::fail, is_absent(a) ? "absent, but not in the reference" : "absent in the reference alone"};
    } else if (checksums_compare(row)) {
        row.basis = comparison_basis::checksum;
        row.agrees = a.checksum == b.checksum ? agreement::same : agreement::different;
        row.judged = a.checksum == b.checksum
                         ? verdict(outcome::pass, "checksum only")
                         : verdict(outcome::warn, "checksum " + a.checksum + " against reference " + b.checksum);
    } else if (row.actual_stats && row.reference_stats) {
        row.basis = comparison_basis::statistics;
        const bool mixed = row.actual_type != row.reference_type;
        row.agrees = agreement_of(*row.actual_stats, *row.reference_stats, mixed ? unit_roundoff(row) : 0);
        row.judged = classify_statistics(*row.actual_stats, *row.reference_stats);
    } else {
        row.judged = {outcome::undefined, "the two sides recorded nothing that can be compared"};
    }
}

} // namespace detail

/// Compares recorded tensors with their partners. Keeps the files of the last pair open: one comparer for each thread.
class entry_comparer {
public:
    /// `judge` outlives this. `with_statistics` computes the statistics of data whose index has none.
    explicit entry_comparer(const rule& judge, bool with_statistics = false) : judge_(judge), with_statistics_(with_statistics) {}

    /// Compares the data if both sides have them, else checksums, else statistics. A file that can't be read makes a row with
    /// `error`, verdict undefined; what the indexes say then still tells whether the two sides agree.
    comparison_row operator()(const entry_pair& pair) {
        comparison_row row;
        row.actual = pair.actual;
        row.reference = pair.reference;
        const auto take_index = [](const dump_entry* entry, auto& type, auto& shape, auto& stats) {
            if (entry == nullptr) return;
            type = entry->type;
            shape = entry->shape;
            stats = entry->stats;
        };
        take_index(pair.actual, row.actual_type, row.actual_shape, row.actual_stats);
        take_index(pair.reference, row.reference_type, row.reference_shape, row.reference_stats);

        std::optional<tensor> actual, reference;
        if (wants_data(pair.actual, pair.reference)) actual = load(load_actual_, *pair.actual, row.error);
        if (wants_data(pair.reference, pair.actual)) reference = load(load_reference_, *pair.reference, row.error);
        const bool both = actual && reference;
        const auto take_data = [&](const std::optional<tensor>& data, auto& type, auto& shape, auto& stats) {
            if (!data) return;
            type = data->type();
            shape = data->shape();
            if (!stats && (with_statistics_ || !both)) stats = seed_statistics(summarize(data->view()));
        };
        take_data(actual, row.actual_type, row.actual_shape, row.actual_stats);
        take_data(reference, row.reference_type, row.reference_shape, row.reference_stats);

        if (!row.matched())
            row.judged = {outcome::undefined,
                          pair.actual != nullptr ? "the reference has no such entry" : "the actual dump has no such entry"};
        else if (both)
            detail::compare_data(row, *actual, *reference, judge_);
        else
            detail::compare_index(row);
        if (!row.error.empty()) row.judged = {outcome::undefined, row.error};
        return row;
    }

private:
    /// Data are loaded for a partner that has them too, or for statistics that are wanted and not recorded.
    bool wants_data(const dump_entry* mine, const dump_entry* other) const {
        if (mine == nullptr || !detail::has_data(*mine)) return false;
        const bool both = other != nullptr && detail::has_data(*other);
        return both || (!mine->stats && (with_statistics_ || (other != nullptr && other->stats)));
    }

    static std::optional<tensor> load(entry_loader& loader, const dump_entry& entry, std::string& error) {
        try {
            return loader(entry);
        } catch (const std::exception& problem) {
            error += (error.empty() ? "" : "; ") + std::string(problem.what());
            return std::nullopt;
        }
    }

    const rule& judge_;
    bool with_statistics_;
    entry_loader load_actual_, load_reference_;
};

} // namespace plumb
