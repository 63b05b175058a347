/// \file
/// All that comparing two dumps found out.
#pragma once

#include <plumb/compare/row.hpp>
#include <plumb/dump/model.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plumb {

/// Where two runs begin to differ: the operator, the tensor of it that shows it, and the evidence in one sentence. An "input" or
/// "parameter" means that the difference came from outside: no operator of the dump produced that tensor.
struct divergence {
    int rank = 0;
    int step = 0;
    std::string op;
    std::string direction;  ///< of the call, if known
    std::uint64_t call = 0; ///< which call of that operator
    std::string title;      ///< op, with direction and call where the rank has others of that name
    tensor_kind kind = tensor_kind::output;
    std::string slot;
    std::string why;
};

/// An operator that adds a difference of its own, whatever its inputs bring.
struct divergence_source {
    int rank = 0;
    int step = 0;
    std::string op;
    std::string direction;  ///< of the call, if known
    std::uint64_t call = 0; ///< which call of that operator
    std::string title;      ///< op, with direction and call where the rank has others of that name
    std::string why;
};

/// What one process recorded on both sides; a side without it is null. rows[first_row, last_row) are its rows.
struct rank_pair {
    int rank = 0;
    int step = 0;
    const rank_dump* actual = nullptr;
    const rank_dump* reference = nullptr;
    std::size_t first_row = 0;
    std::size_t last_row = 0;
    std::optional<divergence> first{}; ///< where this step of this rank begins to differ, if that can be named
};

/// How many rows had which end. Unmatched rows and rows with an error are among the undefined ones.
struct comparison_summary {
    std::size_t rows = 0, pass = 0, warn = 0, fail = 0, undefined = 0, unmatched = 0, errors = 0;
};

/// The result of compare(). Keeps the two dumps alive, which its rows point into.
struct comparison {
    std::shared_ptr<const dump> actual, reference;
    std::vector<rank_pair> ranks;              ///< by step, then rank
    std::vector<comparison_row> rows;          ///< rank by rank: in the reference's order, then those of the actual side alone
    std::optional<divergence> first_diverging; ///< of the earliest step, then the lowest rank
    std::map<int, std::optional<divergence>> per_rank; ///< of each rank that both sides have, of its earliest step that has one
    std::vector<divergence_source> sources;            ///< all that are independent of each other, in call order, step by step
    std::vector<std::string> warnings;
    comparison_summary summary;
};

/// The program's exit status: 0 all passed or warned; 1 something failed; 2 nothing could be compared; 3 nothing failed but
/// something could not be judged (undefined, unmatched, unreadable).
inline int exit_status(const comparison& result) noexcept {
    const auto compared = [](const comparison_row& row) { return row.matched() && row.error.empty(); };
    if (std::none_of(result.rows.begin(), result.rows.end(), compared)) return 2;
    if (result.summary.fail > 0) return 1;
    return result.summary.undefined > 0 ? 3 : 0;
}

/// True if more than one step was compared.
inline bool has_several_steps(const comparison& result) noexcept {
    return !result.ranks.empty() && result.ranks.front().step != result.ranks.back().step;
}

} // namespace plumb
