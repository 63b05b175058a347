/// \file
/// What the overflow guard found out about one operator call, and the exception that stops a run.
#pragma once

#include <plumb/detail/bits.hpp>
#include <plumb/guard/find_nonfinite.hpp>
#include <plumb/types/dtype.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumb {

/// An element that is NaN or infinite (or saturated, where that counts), and where it is.
struct overflow_place {
    bool output = true;      ///< among the operator's outputs, or its inputs
    std::string slot;        ///< "0", "3.0", or a keyword
    std::uint64_t index = 0; ///< in the row-major order of the tensor
    double value = 0;        ///< the element
    dtype type = dtype::f32;
    bad_numbers kinds = {}; ///< among all the inputs or outputs, as long as the guard knows no source

    /// "output.0[43] = inf (f16)".
    std::string text() const;
};

/// Where the bad number of an operator's output comes from.
enum class overflow_cause : std::uint8_t {
    in_operator, ///< its inputs are finite: this operator is the source
    inherited,   ///< an input is bad, made so by a source that the guard has seen before
    bad_input,   ///< an input is bad, and the guard has seen no operator make it so: look at the data, or earlier
};

/// One overflow: an operator call with a bad output.
struct overflow_event {
    std::uint64_t number = 0; ///< counted from 1
    std::string op;           ///< "Torch.linear.1.forward"
    overflow_cause cause = overflow_cause::in_operator;
    overflow_place where;                ///< the first bad element of its outputs
    std::optional<overflow_place> input; ///< the first bad element of its inputs
    std::string source; ///< the operator that made the bad number: itself, an earlier one, or "" if none was seen

    /// One line that a person can act on: "overflow in Torch.linear.1.forward: output.0[43] = inf (f16), all inputs finite".
    std::string message() const {
        std::string text = "overflow in " + op + ": " + where.text();
        switch (cause) {
        case overflow_cause::in_operator: return text + ", all inputs finite: it is the source";
        case overflow_cause::inherited: return text + ", inherited from " + source + " (" + input->text() + ")";
        case overflow_cause::bad_input: return text + ", the input was bad already: " + input->text() + ": look earlier";
        }
        return text;
    }
};

/// Thrown when a run has overflowed as often as was allowed. what() begins as ptdbg_ascend's message does, so that scripts that
/// wait for it find it: "[overflow 3 times]: dump file is saved in '<file>'.", and names the first source.
class overflow_limit : public std::runtime_error {
public:
    overflow_limit(const std::string& message, overflow_event last) : std::runtime_error(message), last_(std::move(last)) {}

    /// The overflow that was one too many.
    const overflow_event& last() const noexcept { return last_; }

private:
    overflow_event last_;
};

inline std::string overflow_place::text() const {
    std::string text = (output ? "output." : "input.") + slot + "[" + std::to_string(index) + "] = ";
    const auto bits = detail::bit_cast<std::uint64_t>(value); // -ffast-math knows no NaN
    if ((bits >> 52 & 0x7ff) != 0x7ff)
        text += std::to_string(value);
    else
        text += bits << 12 != 0 ? "nan" : bits >> 63 != 0 ? "-inf" : "inf";
    return text + " (" + std::string(name_of(type)) + ")";
}

} // namespace plumb
