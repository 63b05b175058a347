/// \file
/// How each layout names operators, tensors, files and folders.
#pragma once

#include <plumb/dump/call_record.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/guard/operator_id.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace plumb {

/// The name of an operator call: "Torch_linear_0_forward" in ptdbg_ascend's layout, "Torch.linear.0.forward" in the others; of a
/// module "Module_Linear_0_forward" and "Module.fc.Linear.forward.0".
inline std::string operator_name_in(dump_layout layout, const operator_id& id) {
    const std::string call = std::to_string(id.call), pass(name_of(id.pass));
    const char dot = layout == dump_layout::ptdbg ? '_' : '.';
    std::string name = id.prefix.empty() ? id.api : id.prefix + dot + id.api;
    const bool module = layout != dump_layout::ptdbg && id.prefix == "Module";
    return ((name += dot) += module ? pass : call) += dot + (module ? call : pass);
}

/// The whole name of an argument: "Torch_linear_0_forward_input.0", "Torch.linear.0.forward.input.0". A single result is
/// "…_output" in ptdbg_ascend's layout. Keyword arguments of msprobe's have the word kwargs, parameters their names.
inline std::string entry_name_in(dump_layout layout, const std::string& op, const recorded_argument& argument) {
    const bool keyword = !argument.slot.empty() && (argument.slot[0] < '0' || argument.slot[0] > '9');
    std::string word;
    switch (argument.kind) {
    case tensor_kind::input: word = keyword && layout != dump_layout::ptdbg ? "kwargs" : "input"; break;
    case tensor_kind::output: word = "output"; break;
    case tensor_kind::parameter: word = "parameters"; break;
    case tensor_kind::parameters_grad: word = "parameters_grad"; break;
    case tensor_kind::debug: word = "debug"; break;
    }
    if (layout == dump_layout::ptdbg) return argument.single ? op + "_" + word : op + "_" + word + "." + argument.slot;
    return op + "." + word + "." + argument.slot;
}

/// True if `name` can be the stem of a file anywhere: letters, digits, dot, dash and underscore, not too long, not hidden.
inline bool is_safe_file_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= 200 && name[0] != '.' && name[0] != '-' &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                      c == '_';
           });
}

/// The folder of the data beside the index: "dump", "<mode>_dump" for ptdbg_ascend's other modes, "dump_tensor_data" for msprobe.
inline std::string data_folder_in(dump_layout layout, const std::string& mode) {
    if (layout == dump_layout::msprobe) return "dump_tensor_data";
    return layout == dump_layout::ptdbg && !mode.empty() ? mode + "_dump" : "dump";
}

} // namespace plumb
