#include "catch.hpp"
#include "made_dump.hpp"

#include <plumb/compare/parse.hpp>

#include <limits>
#include <string>
#include <vector>

using made::recorder;
using made::tensor_of;
using lines = std::vector<std::string>;

TEST_CASE("has_name_prefix: a prefix ends where a field does") {
    CHECK(plumb::has_name_prefix("Functional_linear_1_forward_output", "Functional_linear_1"));
    CHECK(!plumb::has_name_prefix("Functional_linear_10_forward_output", "Functional_linear_1"));
    CHECK(plumb::has_name_prefix("Functional.linear.1.forward.output.0", "Functional.linear.1"));
    CHECK(!plumb::has_name_prefix("Functional.linear.10.forward.output.0", "Functional.linear.1"));
    CHECK(plumb::has_name_prefix("Functional_linear_10_forward_output", "Functional_linear_")); // the field is whole already
    CHECK(plumb::has_name_prefix("Functional_linear_1", "Functional_linear_1"));
    CHECK(!plumb::has_name_prefix("Functional_linear", "Functional_linear_1"));
    CHECK(plumb::has_name_prefix("anything", ""));
}

TEST_CASE("parse_lines: statistics that were not recorded are those of the data, NaN and infinities included") {
    const float infinity = std::numeric_limits<float>::infinity();
    recorder record;
    record.call("Torch.exp.0.forward", {tensor_of({1, 2, 6})}, {tensor_of({1, infinity, 6})});
    CHECK(plumb::parse_lines(record.rank(), "Torch.exp.0") ==
          lines{"", "Statistic Info:",
                "  [Torch.exp.0.forward.input.0][dtype: torch.float32][shape: [3]][max: 6.0][min: 1.0][mean: 3.0]",
                "  [Torch.exp.0.forward.output.0][dtype: torch.float32][shape: [3]][max: inf][min: 1.0][mean: inf]"});
    CHECK(plumb::parse_lines(record.rank(), "Torch.exp.00").empty());
}

TEST_CASE("parse_lines: prints recorded numbers, words and booleans as Python does, and the stack after its operator") {
    recorder record;
    record.call("Torch_add_1_forward", {}, {tensor_of({1, 2})}).call("Torch_add_10_forward", {}, {tensor_of({1, 2})});
    plumb::rank_dump& rank = record.rank();
    rank.layout = plumb::dump_layout::ptdbg;
    rank.entries[0].name = "Torch_add_1_forward_output";
    rank.entries[0].stats = plumb::recorded_statistics{62.0, 1e-05, {}, std::string("Nan")};
    rank.entries[1].name = "Torch_add_10_forward_output";
    rank.entries[1].stats = plumb::recorded_statistics{true, false, {}, {}};
    rank.stacks["Torch_add_1_forward"] = {{"inner.py", "2", "f", "x + y"}, {"outer.py", "10", "<module>", "f()"}};
    rank.stacks["Torch_only_stack_0_forward"] = {{"a.py", "1", "g", "z"}};
    CHECK(plumb::parse_lines(rank, "Torch_add_1") ==
          lines{"", "Statistic Info:",
                "  [Torch_add_1_forward_output][dtype: torch.float32][shape: [2]][max: 62.0][min: 1e-05][mean: []]", "",
                "Trace back(Torch_add_1_forward_stack_info):", "  File \"outer.py\", line 10, in <module>", "    f()",
                "  File \"inner.py\", line 2, in f", "    x + y"});
    CHECK(plumb::parse_lines(rank, "Torch_add_10_forward").back() ==
          "  [Torch_add_10_forward_output][dtype: torch.float32][shape: [2]][max: True][min: False][mean: []]");
    CHECK(plumb::parse_lines(rank, "Torch_only_stack") ==
          lines{"", "Trace back(Torch_only_stack_0_forward_stack_info):", "  File \"a.py\", line 1, in g", "    z"});
}
