#include <plumb/dump/seed_tool_verbs.hpp>

#include "catch.hpp"
#include "files.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using floats = std::vector<float>;
const floats x{1, 2}, y{3, 4};

} // namespace

TEST_CASE("the seed tool's verbs: path, hook, switch on, train, switch off, as in its manual") {
    test::temporary_folder folder;
    plumb::set_dump_path(folder.path());
    plumb::register_hook(plumb::acc_cmp_dump);
    CHECK(plumb::dropout_probability(0.5) == 0.0);
    CHECK(!plumb::hooks_enabled());
    plumb::hook_forward("Torch", "before", x, y);
    plumb::set_dump_switch("ON", "api_stack");
    plumb::hook_forward("Torch", "linear", std::tie(x, y), y);
    plumb::hook_backward("Torch", "linear", y, std::tie(x));
    plumb::set_dump_switch("OFF");
    plumb::hook_forward("Torch", "after", x, y);

    const auto rank = folder / "ptdbg_dump_v4.0/rank0";
    CHECK(test::fs::exists(rank / "api_stack_dump/Torch_linear_0_forward_input.1.npy"));
    CHECK(test::fs::exists(rank / "api_stack_dump/Torch_linear_0_backward_output.0.npy"));
    const auto read = plumb::read_dump(rank / "api_stack_dump.pkl").ranks.at(0);
    CHECK(read.entries.size() == 5);
    CHECK(read.stacks.count("Torch_linear_0_forward") == 1);
}

TEST_CASE("the seed tool's verbs: modes, filter, halves and summaries") {
    test::temporary_folder folder;
    plumb::set_dump_path(folder.path(), "mine");
    plumb::register_hook(plumb::acc_cmp_dump, 1, 2);
    plumb::set_dump_switch("ON", "list", {"Torch_relu"}, {}, "ON", {"backward"}, true);
    for (const char* api : {"linear", "relu"}) {
        plumb::hook_forward("Torch", api, std::forward_as_tuple(x, 3), y);
        plumb::hook_backward("Torch", api, std::forward_as_tuple(y, 3), std::tie(x));
    }
    plumb::set_dump_switch("OFF");
    const auto read = plumb::read_dump(folder / "mine_v4.0/rank2/list_dump.pkl").ranks.at(0);
    REQUIRE(read.entries.size() == 2);
    CHECK(read.entries[0].name == "Torch_relu_0_backward_input.0");
    CHECK(read.entries[1].name == "Torch_relu_0_backward_output.0");
    CHECK(!test::fs::exists(folder / "mine_v4.0/rank2/list_dump"));
}

TEST_CASE("the seed tool's verbs: overflow_check dumps the operator and stops at the n-th with the tool's words") {
    test::temporary_folder folder;
    plumb::set_dump_path(folder.path());
    plumb::register_hook(plumb::overflow_check, 2);
    const floats largest{std::numeric_limits<float>::max()};
    plumb::hook_forward("Torch", "fine", x, y);
    plumb::hook_forward("Torch", "mul", x, largest); // saturation counts, as in the tool
    plumb::set_overflow_check_switch("OFF");
    plumb::hook_forward("Torch", "mul", x, largest);
    plumb::set_overflow_check_switch("ON");
    std::string message;
    try {
        plumb::hook_forward("Torch", "exp", largest, floats{std::numeric_limits<float>::infinity()});
    } catch (const plumb::overflow_limit& limit) {
        message = limit.what();
    }
    const auto file = (folder / "ptdbg_dump_v4.0/rank0/api_stack_dump.pkl").string();
    CHECK(message.find("[overflow 2 times]: dump file is saved in '" + file + "'.") == 0);
    CHECK(plumb::read_dump(file).ranks.at(0).entries.size() == 6);
    plumb::register_hook(plumb::acc_cmp_dump);
    CHECK_THROWS_AS(plumb::set_overflow_check_switch("ON"), std::logic_error);
}

TEST_CASE("the seed tool's verbs: wrong words are refused") {
    test::temporary_folder folder;
    CHECK_THROWS_AS(plumb::set_dump_path(""), std::invalid_argument);
    plumb::set_dump_path(folder.path());
    plumb::register_hook(plumb::acc_cmp_dump);
    CHECK_THROWS_AS(plumb::set_dump_switch("on"), std::invalid_argument);
    CHECK_THROWS_AS(plumb::set_dump_switch("ON", "acl"), std::invalid_argument);
    CHECK_THROWS_AS(plumb::set_dump_switch("ON", "range", {"one"}), std::invalid_argument);
    CHECK_THROWS_AS(plumb::set_dump_switch("ON", "all", {}, {}, "OFF", {"sideways"}), std::invalid_argument);
    CHECK_THROWS_AS(plumb::set_dump_switch("ON", "all", {}, {}, "maybe"), std::invalid_argument);
    CHECK_THROWS_AS(plumb::register_hook(plumb::overflow_check, 0), std::invalid_argument);
    CHECK(!plumb::hooks_enabled());
}
