/// \file
/// What was recorded of one operator call, on its way to the disk.
#pragma once

#include <plumb/dump/model.hpp>
#include <plumb/dump/tensor.hpp>
#include <plumb/guard/argument.hpp>
#include <plumb/guard/operator_id.hpp>
#include <plumb/metrics/report.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumb {

/// One recorded argument: a tensor, or a scalar.
struct recorded_argument {
    tensor_kind kind = tensor_kind::input;
    std::string slot;    ///< "0", "3.0", or beginning with a keyword
    bool single = false; ///< the operator's only result, and not in a list

    std::optional<dtype> type;           ///< of a tensor
    extents shape;                       ///< of a tensor
    std::optional<tensor_view> view;     ///< its elements, if they are at hand
    std::optional<tensor> data;          ///< what keeps them alive; empty if the caller does
    std::optional<extents> sampled_from; ///< the shape of the whole, if the elements are a sample
    bool described = false;              ///< statistics and checksum are filled in
    std::optional<tensor_report> stats;
    std::string checksum; ///< "" if none
    std::optional<bool> requires_grad;

    argument::value_type scalar; ///< a number, bool or text, if it is no tensor
};

/// The caller's stack: addresses, innermost first, or what the framework told of it.
struct captured_stack {
    std::vector<const void*> addresses;
    std::vector<stack_frame> frames;
};

/// One operator call.
struct call_record {
    operator_id id;
    int step = 0;
    unsigned depth = 0;         ///< how many recorded operators it ran in
    std::string parent;         ///< the innermost of them, "" if none
    std::uint64_t thread = 0;   ///< a small number for the thread that ran it
    std::string mode;           ///< the dump_mode's name, "" for all
    std::uint64_t overflow = 0; ///< the how-manieth overflow it is, 0 if it is none
    std::vector<recorded_argument> entries;
    captured_stack stack;

    /// Bytes of the elements that it holds.
    std::uint64_t bytes() const noexcept {
        std::uint64_t sum = 0;
        for (const recorded_argument& each : entries)
            if (each.view) sum += each.view->bytes();
        return sum;
    }
};

} // namespace plumb
