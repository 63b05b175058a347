/// \file
/// Every number of a report from exact integers and fractions (GMP), each rounded once: what the metrics are tested against.
///
/// Nothing of plumb's arithmetic is used. Elements are taken apart by <cmath>; sums, differences and quotients are GMP
/// integers and so exact, whatever the range; one function rounds. Call it in the default floating-point mode.
#pragma once

#include <plumb/metrics/report.hpp>
#include <plumb/types/dtype.hpp>

#include <cstddef>

namespace oracle {

/// What plumb::measure<all_metrics> must report of n pairs.
plumb::pair_report pairs(plumb::dtype actual_type, const void* actual, plumb::dtype reference_type, const void* reference,
                         std::size_t n, const plumb::tolerance& limits);

/// What plumb::summarize must report of n elements.
plumb::tensor_report tensor(plumb::dtype type, const void* data, std::size_t n);

} // namespace oracle
