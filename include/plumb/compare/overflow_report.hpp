/// \file
/// What is asked about the overflows of a dump, and what was found.
#pragma once

#include <plumb/compare/overflow_probe.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/guard/constant_writers.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// What counts as overflow, and what does not.
struct overflow_options {
    bool saturation = false; ///< values at the type's largest finite magnitude count as overflow too, as in the seed tools
    std::vector<std::string> constant_writers = default_constant_writers(); ///< functions that are never a source
    unsigned jobs = 0; ///< threads that read tensors; 0 for as many as the machine has
    std::function<void(std::size_t done, std::size_t total)> progress;
};

/// What an operator with an overflow in its outputs has to do with it.
enum class overflow_role : std::uint8_t {
    none,      ///< its outputs are free of it
    source,    ///< its inputs are finite
    inherited, ///< its inputs bring it
    constant,  ///< it was written on purpose, here or before
};

/// Where an overflow begins: an output, or an "input" that no operator of the dump produced: then it came from outside.
struct overflow_source {
    int rank = 0;
    int step = 0;
    const dump_entry* entry = nullptr;
    std::optional<std::uint64_t> index; ///< of its first such element, row-major; nothing where only statistics were recorded
    std::string why;
};

/// A recorded tensor that holds NaN, infinities or saturated values. `role` is that of its operator.
struct overflow_row {
    int rank = 0;
    int step = 0;
    const dump_entry* entry = nullptr;
    overflow_probe found;
    overflow_role role = overflow_role::none;
};

/// What find_overflow() found. Keeps the dump alive, which it points into.
struct overflow_report {
    std::shared_ptr<const dump> recorded;
    std::optional<overflow_source> source; ///< the first in call order, of the earliest step, then the lowest rank
    std::vector<overflow_source> sources;  ///< all that are independent of each other
    std::vector<std::string> inherited;    ///< operators, each name once
    std::vector<overflow_row> rows;        ///< in call order
    std::vector<std::string> warnings;
    std::size_t judged = 0;   ///< tensors that could be judged
    std::size_t unjudged = 0; ///< tensors of which neither data nor max and min can be had
};

inline std::string_view name_of(overflow_role role) noexcept {
    constexpr std::string_view names[] = {"none", "source", "inherited", "constant"};
    return names[static_cast<std::size_t>(role)];
}

/// The program's exit status: 1 overflow was found; 2 nothing could be judged; 3 none was found, but not all could be judged; 0
/// none.
inline int exit_status(const overflow_report& report) noexcept {
    if (!report.sources.empty() || !report.inherited.empty()) return 1;
    if (report.judged == 0) return 2;
    return report.unjudged > 0 ? 3 : 0;
}

} // namespace plumb
