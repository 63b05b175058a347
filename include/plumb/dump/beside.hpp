/// \file
/// Work on a tensor's elements while they are being written.
#pragma once

#include <cstdint>
#include <future>
#include <utility>

namespace plumb::detail {

/// Starts `work` on a thread of its own if `bytes` are worth one; else it runs when its result is asked for. The future waits for
/// the work before it goes.
template <class Work>
[[nodiscard]] auto beside(std::uint64_t bytes, Work work) {
    constexpr std::uint64_t worth_a_thread = 4 << 20;
    // Both policies: where no thread is to be had, the work runs late instead.
    const auto policy = bytes >= worth_a_thread ? std::launch::async | std::launch::deferred : std::launch::deferred;
    return std::async(policy, std::move(work));
}

} // namespace plumb::detail
