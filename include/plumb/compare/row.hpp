/// \file
/// One line of a comparison: a recorded tensor against its partner.
#pragma once

#include <plumb/compare/pairing.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/metrics/report.hpp>
#include <plumb/verdict/verdict.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb {

/// What two entries were compared by, the best that both sides have.
enum class comparison_basis : std::uint8_t {
    nothing,    ///< no partner, unreadable, or nothing that both recorded
    data,       ///< all elements
    text,       ///< a value that is no number
    checksum,   ///< checksums of the bytes
    statistics, ///< max, min, mean and norm
};

/// Do both sides hold the same? As far as the basis can tell.
enum class agreement : std::uint8_t { unknown, same, different };

/// A recorded tensor or scalar, compared. Entries without a partner are rows too. Points into the dumps.
struct comparison_row {
    int rank = 0;
    int step = 0;
    const dump_entry* actual = nullptr;
    const dump_entry* reference = nullptr;

    comparison_basis basis = comparison_basis::nothing;
    agreement agrees = agreement::unknown;
    std::optional<dtype> actual_type, reference_type;
    std::optional<extents> actual_shape, reference_shape;
    std::optional<pair_report> report;                                ///< basis data
    std::optional<recorded_statistics> actual_stats, reference_stats; ///< as recorded, or computed where asked for
    double actual_grid = 0;    ///< unit roundoff of the coarsest 16-bit type that holds all of the actual elements; 0: none does
    double reference_grid = 0; ///< looked for in f32 and f64 tensors that differ
    verdict judged;
    std::string error; ///< why a file could not be read

    /// The reference's entry, or the actual one where there is none: what the row is called after.
    const dump_entry& entry() const noexcept { return reference != nullptr ? *reference : *actual; }
    bool matched() const noexcept { return actual != nullptr && reference != nullptr; }
};

inline std::string_view name_of(tensor_kind kind) noexcept {
    constexpr std::string_view names[] = {"input", "output", "parameter", "parameters_grad", "debug"};
    return names[static_cast<std::size_t>(kind)];
}

inline std::string_view name_of(comparison_basis basis) noexcept {
    constexpr std::string_view names[] = {"nothing", "data", "text", "checksum", "statistics"};
    return names[static_cast<std::size_t>(basis)];
}

/// Half the distance from 1 to the next number: the largest relative error of one rounding to this type. 0 for integers.
constexpr double unit_roundoff(dtype type) noexcept {
    switch (type) {
    case dtype::f8_e4m3fn: return 0x1p-4;
    case dtype::f8_e5m2: return 0x1p-3;
    case dtype::f16: return 0x1p-11;
    case dtype::bf16: return 0x1p-8;
    case dtype::f32: return 0x1p-24;
    case dtype::f64: return 0x1p-53;
    default: return 0;
    }
}

/// The unit roundoff of the coarser side of a row, counting f32 data that lie on a 16-bit grid as that type.
inline double unit_roundoff(const comparison_row& row) noexcept {
    double u = 0;
    for (const auto& type : {row.actual_type, row.reference_type})
        if (type && unit_roundoff(*type) > u) u = unit_roundoff(*type);
    if (row.actual_grid > u) u = row.actual_grid;
    return row.reference_grid > u ? row.reference_grid : u;
}

} // namespace plumb
