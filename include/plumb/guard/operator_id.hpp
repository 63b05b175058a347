/// \file
/// Which operator call something belongs to: what was called, in which pass, and the how-manieth call it was.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// The pass that an operator runs in.
enum class direction : std::uint8_t { forward, backward };

/// "forward" or "backward".
constexpr std::string_view name_of(direction pass) noexcept {
    return pass == direction::forward ? std::string_view("forward") : std::string_view("backward");
}

/// An operator call, in the seed tools' terms: Torch.linear.0.forward is api "linear" of the family "Torch", first call.
struct operator_id {
    std::string prefix; ///< the family: "Torch", "Tensor", "Functional", "Aten", "Module", …; may be ""
    std::string api;    ///< what was called: "linear", "__add__", "layer2.mul"
    direction pass = direction::forward;
    std::uint64_t call = 0; ///< counted from 0 for each (prefix, api); a backward call's is that of its forward call

    /// "Torch.linear.0.forward".
    std::string name() const {
        const std::string text = prefix.empty() ? api : prefix + "." + api;
        return text + "." + std::to_string(call) + "." + std::string(name_of(pass));
    }
};

/// Numbers the calls of each operator from 0. A backward call has the number of its forward call, as in the seed tools' names:
/// that of the latest forward call of the operator that has had none yet, since backward goes through the calls in reverse.
/// Backward calls without a forward one are counted on from there. For use by several threads.
class call_counters {
public:
    operator_id next(std::string_view prefix, std::string_view api, direction pass) {
        operator_id id{std::string(prefix), std::string(api), pass, 0};
        const std::lock_guard<std::mutex> lock(mutex_);
        counts& known = counts_[id.prefix + '\0' + id.api];
        if (pass == direction::backward && !known.pending.empty()) {
            id.call = known.pending.back();
            known.pending.pop_back();
        } else {
            id.call = known.next++;
            if (pass == direction::forward) known.pending.push_back(id.call);
        }
        return id;
    }
    /// The call numbered `call`, which the caller chose; next() goes on behind the largest number so far.
    operator_id numbered(std::string_view prefix, std::string_view api, direction pass, std::uint64_t call) {
        operator_id id{std::string(prefix), std::string(api), pass, call};
        const std::lock_guard<std::mutex> lock(mutex_);
        counts& known = counts_[id.prefix + '\0' + id.api];
        if (known.next <= call) known.next = call + 1;
        auto& pending = known.pending;
        if (pass == direction::backward) pending.erase(std::remove(pending.begin(), pending.end(), call), pending.end());
        return id;
    }
    /// All counts from 0 again, as at the start of a step.
    void reset() {
        const std::lock_guard<std::mutex> lock(mutex_);
        counts_.clear();
    }

private:
    struct counts {
        std::uint64_t next = 0;
        std::vector<std::uint64_t> pending; ///< forward calls that had no backward call yet
    };
    std::mutex mutex_;
    std::map<std::string, counts> counts_;
};

} // namespace plumb
