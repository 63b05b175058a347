/// \file
/// Which operator call something belongs to: what was called, in which pass, and the how-manieth call it was.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

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
    std::uint64_t call = 0; ///< counted from 0 for each (prefix, api, pass)

    /// "Torch.linear.0.forward".
    std::string name() const {
        const std::string text = prefix.empty() ? api : prefix + "." + api;
        return text + "." + std::to_string(call) + "." + std::string(name_of(pass));
    }
};

/// Numbers the calls of each operator from 0, forward and backward apart. For use by several threads.
class call_counters {
public:
    operator_id next(std::string_view prefix, std::string_view api, direction pass) {
        operator_id id{std::string(prefix), std::string(api), pass, 0};
        const std::lock_guard<std::mutex> lock(mutex_);
        id.call = counts_[key_of(id)]++;
        return id;
    }
    /// The call numbered `call`, which the caller chose; next() goes on behind the largest number so far.
    operator_id numbered(std::string_view prefix, std::string_view api, direction pass, std::uint64_t call) {
        operator_id id{std::string(prefix), std::string(api), pass, call};
        const std::lock_guard<std::mutex> lock(mutex_);
        std::uint64_t& count = counts_[key_of(id)];
        if (count <= call) count = call + 1;
        return id;
    }
    /// All counts from 0 again, as at the start of a step.
    void reset() {
        const std::lock_guard<std::mutex> lock(mutex_);
        counts_.clear();
    }

private:
    static std::string key_of(const operator_id& id) {
        std::string key = id.prefix;
        ((key += '\0') += id.api) += id.pass == direction::forward ? '>' : '<';
        return key;
    }

    std::mutex mutex_;
    std::map<std::string, std::uint64_t> counts_;
};

} // namespace plumb
