/// \file
/// How a dump session works: where it writes, what it keeps, and what it does when something goes wrong.
#pragma once

#include <plumb/dump/model.hpp>
#include <plumb/dump/recorder.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace plumb {

/// What follows from a full disk, a folder that can't be written to, or any other failed write. Either way nothing more is
/// recorded, and what was written stays readable.
enum class on_dump_error : std::uint8_t {
    raise, ///< the next call of the session throws io_error
    stop,  ///< training goes on; dump_session::status() says why dumping stopped
};

/// The settings of a dump_session. A plain value.
struct dump_options {
    std::optional<int> rank; ///< of the folder rank<R>; without one 0 (msprobe's layout: the folder is plain "rank")
    /// Which tool's layout is made beside index.jsonl: ptdbg, msprobe, or plumb for none (not folder).
    dump_layout layout = dump_layout::ptdbg;
    tensor_recorder recorder; ///< what is kept of each tensor
    /// Whether each step has its folder step<N>, and its calls are counted from 0. Without folders calls are counted on, so that
    /// no name comes twice. Default: yes in msprobe's layout, in the others if steps are selected.
    std::optional<bool> step_folders;
    std::uint64_t queue_bytes = std::uint64_t{256} << 20; ///< what may wait to be written; 0: written by the caller, not copied
    std::uint64_t byte_budget = 0;                        ///< dumping stops before the data exceed it; 0: no limit
    /// Only on failure: so many of the last calls are kept in memory, and written when an overflow is found, a call is left by an
    /// exception, or write_recent() is called. 0: every call is written at once.
    std::size_t keep_last = 0;
    std::size_t keep_following = 0; ///< so many calls after a failure are written too
    std::size_t stack_depth = 64;   ///< frames of a stack at most
    on_dump_error on_error = on_dump_error::raise;
    std::string framework = "pytorch"; ///< dump.json's word
};

/// How far a session has come.
struct dump_status {
    std::uint64_t calls = 0;     ///< recorded; with keep_last, written
    std::uint64_t bytes = 0;     ///< of their data
    std::string stopped_because; ///< "" unless a budget was used up or, with on_dump_error::stop, a write failed
};

} // namespace plumb
