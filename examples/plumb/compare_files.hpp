// The CSV tables that compare leaves behind.
#pragma once

#include <plumb/compare/write_table.hpp>

#include <filesystem>
#include <vector>

/// Writes the tables of a comparison into `folder`, which is made if need be, and returns their paths. plumb's style makes one
/// file, compare_result_<YYYYmmddHHMMSS>.csv; the seed tools' styles one for each rank, compare_result_rank0-rank0_<…>.csv
/// (ptdbg) or compare_result_rank0_<…>.csv (msprobe) where there are several. An older file is never replaced: a number is put
/// behind the time instead. Throws plumb::io_error.
std::vector<std::filesystem::path> write_tables(const plumb::comparison& result, plumb::table_style style,
                                                const std::filesystem::path& folder);
