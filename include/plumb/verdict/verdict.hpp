/// \file
/// Pass, warn, fail or undefined, and why.
#pragma once

#include <plumb/detail/target.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace plumb {

/// What was decided. `undefined` means that the question has no answer (nothing to compare, a cosine with one zero vector):
/// it is never a pass. Later enumerators are worse.
enum class outcome : std::uint8_t { pass, warn, undefined, fail };

/// An outcome and a one-line reason that names number, limit and position: "fail: cosine 0.9712 < 0.99 and max_abs_err 0.0132 >
/// 0.001 at 1187".
class verdict {
public:
    /// Nothing was decided: undefined.
    verdict() = default;
    verdict(outcome result, std::string why) : why_(std::move(why)), result_(result) {}

    PLUMB_ALWAYS_INLINE outcome result() const noexcept { return result_; }
    /// True for pass alone.
    PLUMB_ALWAYS_INLINE bool passed() const noexcept { return result_ == outcome::pass; }
    /// The reason without the outcome; empty if there is nothing to say.
    PLUMB_ALWAYS_INLINE const std::string& why() const noexcept { return why_; }
    /// "pass", or "fail: …", the line to log.
    std::string reason() const;

private:
    std::string why_ = "nothing was compared";
    outcome result_ = outcome::undefined;
};

inline namespace PLUMB_TARGET {

/// "pass", "warn", "undefined" or "fail".
constexpr std::string_view name_of(outcome result) noexcept {
    constexpr std::string_view names[] = {"pass", "warn", "undefined", "fail"};
    return names[static_cast<std::size_t>(result)];
}

/// The worse of two outcomes: fail, then undefined, then warn.
constexpr outcome worse(outcome a, outcome b) noexcept { return a < b ? b : a; }

} // namespace PLUMB_TARGET

inline std::string verdict::reason() const {
    return why_.empty() ? std::string(name_of(result_)) : std::string(name_of(result_)) + ": " + why_;
}

} // namespace plumb
