#include "catch.hpp"

#include <plumb/dump/entry_name.hpp>

#include <tuple>

using plumb::tensor_kind;

namespace {

std::string described(const std::optional<plumb::entry_name>& parts) {
    if (!parts) return "none";
    const char* const kinds[] = {"input", "output", "parameter", "parameters_grad", "debug"};
    return parts->op + "|" + (parts->call ? std::to_string(*parts->call) : "-") + "|" + parts->direction + "|" +
           kinds[static_cast<std::size_t>(parts->kind)] + "|" + parts->slot;
}

} // namespace

TEST_CASE("parse_ptdbg_name: operator, call, direction, kind and slot") {
    const std::pair<const char*, const char*> names[] = {
        {"Functional_linear_0_forward_input.0", "Functional_linear_0_forward|0|forward|input|0"},
        {"Tensor___add___1_forward_output", "Tensor___add___1_forward|1|forward|output|0"},
        {"Functional_layer_norm_12_forward_input.1.0", "Functional_layer_norm_12_forward|12|forward|input|1.0"},
        {"Torch_matmul_3_backward_output.1", "Torch_matmul_3_backward|3|backward|output|1"},
        {"Distributed__reduce_scatter_base_0_forward_input.0", "Distributed__reduce_scatter_base_0_forward|0|forward|input|0"},
        {"my_forward_input_layer_2_forward_output", "my_forward_input_layer_2_forward|2|forward|output|0"},
        {"encoder_forward_output", "encoder_forward|-|forward|output|0"},
    };
    for (const auto& [name, parts] : names) CHECK(described(plumb::parse_ptdbg_name(name)) == parts);
}

TEST_CASE("parse_ptdbg_name: other names are none") {
    for (const char* name :
         {"", "layer2.mul", "Functional_linear_0_forward", "Functional_linear_0_forward_stack_info", "_forward_input",
          "x_0_forward_input.", "x_0_forward_input.a", "x_0_forward_inputs", "Functional.linear.0.forward.input.0"})
        CHECK(described(plumb::parse_ptdbg_name(name)) == "none");
}

TEST_CASE("parse_msprobe_name: APIs, modules old and new, parameters, debug") {
    const std::pair<const char*, const char*> names[] = {
        {"Functional.linear.0.forward.input.0", "Functional.linear.0.forward|0|forward|input|0"},
        {"Tensor.__add__.15.backward.output.1", "Tensor.__add__.15.backward|15|backward|output|1"},
        {"Torch.cat.8.forward.input.0.1", "Torch.cat.8.forward|8|forward|input|0.1"},
        {"Torch.mean.0.forward.kwargs.dim", "Torch.mean.0.forward|0|forward|input|dim"},
        {"Module.layer1.Linear.forward.2.input.0", "Module.layer1.Linear.forward.2|2|forward|input|0"},
        {"Module.layer1.0.Linear.forward.2.parameters.weight", "Module.layer1.0.Linear.forward.2|2|forward|parameter|weight"},
        {"Module.conv1.Conv2d.3.forward.output.0", "Module.conv1.Conv2d.3.forward|3|forward|output|0"},
        {"Module.conv1.Conv2d.parameters_grad.4.weight", "Module.conv1.Conv2d.parameters_grad.4|4||parameters_grad|weight"},
        {"Module.conv1.Conv2d.parameters_grad.weight", "Module.conv1.Conv2d.parameters_grad|-||parameters_grad|weight"},
        {"loss.7.debug", "loss.7.debug|7||debug|0"},
        {"loss.7.debug.a.1", "loss.7.debug|7||debug|a.1"},
        {"Functional.linear.0.forward", "Functional.linear.0.forward|0|forward|output|0"},
        {"Module.forward.Block.forward.0.output.0", "Module.forward.Block.forward.0|0|forward|output|0"},
    };
    for (const auto& [name, parts] : names) CHECK(described(plumb::parse_msprobe_name(name)) == parts);
}

TEST_CASE("parse_msprobe_name: other names are none") {
    for (const char* name : {"", "layer2.mul", "forward", "Functional_linear_0_forward_output", "x.forward.gradient.0"})
        CHECK(described(plumb::parse_msprobe_name(name)) == "none");
}

TEST_CASE("parse_entry_name: any other stem is the operator, and its kind output") {
    CHECK(described(plumb::parse_entry_name("layer2.mul")) == "layer2.mul|-||output|0");
    CHECK(described(plumb::parse_entry_name("Tensor___add___1_forward_output")) == "Tensor___add___1_forward|1|forward|output|0");
    CHECK(described(plumb::parse_entry_name("Functional.linear.0.forward.input.0")) ==
          "Functional.linear.0.forward|0|forward|input|0");
}
