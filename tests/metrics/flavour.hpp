/// \file
/// The same few functions, compiled in several ways. All of them must give the same bits, and must be able to go on with each
/// other's accumulators.
#pragma once

#include <plumb/metrics.hpp>

#include <cstddef>
#include <cstdint>

using narrow_metrics = plumb::basic_pair_metrics<plumb::all_metrics>;
using wide_metrics = plumb::basic_pair_metrics<plumb::all_metrics, plumb::kernels::wide_range>;

struct flavour {
    const char* name;
    bool (*runs_here)(); ///< whether this processor has the instructions
    plumb::pair_report (*measure)(const plumb::tensor_view&, const plumb::tensor_view&, const plumb::tolerance&);
    plumb::pair_report (*measure_default)(const plumb::tensor_view&, const plumb::tensor_view&);
    plumb::tensor_report (*summarize)(const plumb::tensor_view&);
    void (*add_narrow)(narrow_metrics&, const float*, const float*, std::size_t);
    void (*add_wide)(wide_metrics&, const plumb::tensor_view&, const plumb::tensor_view&);
    wide_metrics (*shift_wide)(const wide_metrics&, std::uint64_t offset);
    void (*merge_narrow)(narrow_metrics&, const narrow_metrics&, std::uint64_t offset);
    void (*merge_wide)(wide_metrics&, const wide_metrics&, std::uint64_t offset);
    plumb::pair_report (*value_narrow)(const narrow_metrics&);
    plumb::pair_report (*value_wide)(const wide_metrics&);
};

extern const flavour strict, fast_math;
#if defined(__x86_64__)
extern const flavour avx2_fast_math, avx512_fast_math;
#endif
