#include <plumb/dump/selector.hpp>

#include "catch.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// The names of what a selector takes of linear, relu and add, forward twice and backward once each, in that order.
std::vector<std::string> taken(plumb::operator_selector rules) {
    rules.check();
    plumb::operator_selection selection(rules);
    plumb::call_counters counters;
    std::vector<std::string> names;
    const auto offer = [&](const char* prefix, const char* api, plumb::direction pass) {
        const auto id = counters.next(prefix, api, pass);
        if (selection.take(id)) names.push_back(id.name());
    };
    for (int i = 0; i < 2; ++i) {
        offer("Functional", "linear", plumb::direction::forward);
        offer("Torch", "relu", plumb::direction::forward);
        offer("Tensor", "__add__", plumb::direction::forward);
        offer("Module", "fc.Linear", plumb::direction::forward);
    }
    offer("Tensor", "__add__", plumb::direction::backward);
    offer("Functional", "linear", plumb::direction::backward);
    return names;
}

plumb::operator_selector with(plumb::dump_mode mode, std::vector<std::string> scope = {},
                              std::vector<std::string> api_list = {}) {
    plumb::operator_selector rules;
    rules.mode = mode;
    rules.scope = std::move(scope);
    rules.api_list = std::move(api_list);
    return rules;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("selector: all takes all") { CHECK(taken(with(plumb::dump_mode::all)).size() == 10); }

TEST_CASE("selector: list takes operators by the beginnings of their names, in either spelling") {
    CHECK(taken(with(plumb::dump_mode::list, {"Torch_relu", "Tensor.__add__.1.forward"})) ==
          names{"Torch.relu.0.forward", "Torch.relu.1.forward", "Tensor.__add__.1.forward"});
}

TEST_CASE("selector: a number at the end of an entry is a whole one") {
    plumb::operator_selection selection(with(plumb::dump_mode::list, {"Torch_add_1"}));
    CHECK(selection.take({"Torch", "add", plumb::direction::forward, 1}));
    CHECK(!selection.take({"Torch", "add", plumb::direction::forward, 10}));
}

TEST_CASE("selector: range takes all from the first to the last named, once, both included") {
    CHECK(taken(with(plumb::dump_mode::range, {"Torch_relu_0", "Functional_linear_1"})) ==
          names{"Torch.relu.0.forward", "Tensor.__add__.0.forward", "Module.fc.Linear.0.forward", "Functional.linear.1.forward"});
    CHECK(taken(with(plumb::dump_mode::range, {"Torch_relu", "Torch_relu"})) == names{"Torch.relu.0.forward"});
}

TEST_CASE("selector: stack takes all, a beginning, or a range") {
    CHECK(taken(with(plumb::dump_mode::stack)).size() == 10);
    CHECK(taken(with(plumb::dump_mode::stack, {"Torch_relu"})).size() == 2);
    CHECK(taken(with(plumb::dump_mode::stack, {"Torch_relu_0", "Tensor"})).size() == 2);
}

TEST_CASE("selector: api_list takes parts of names in upper or lower case") {
    CHECK(taken(with(plumb::dump_mode::api_list, {}, {"RELU", "functional_linear_1"})) ==
          names{"Torch.relu.0.forward", "Functional.linear.1.forward", "Torch.relu.1.forward", "Functional.linear.1.backward"});
}

TEST_CASE("selector: module takes modules alone") {
    CHECK(taken(with(plumb::dump_mode::module)) == names{"Module.fc.Linear.0.forward", "Module.fc.Linear.1.forward"});
}

TEST_CASE("selector: passes, first calls and a total can be chosen") {
    auto rules = with(plumb::dump_mode::all);
    rules.forward = false;
    CHECK(taken(rules) == names{"Tensor.__add__.1.backward", "Functional.linear.1.backward"});
    rules = with(plumb::dump_mode::all);
    rules.first_calls = 1;
    rules.backward = false;
    CHECK(taken(rules).size() == 4);
    rules.first_total = 2;
    CHECK(taken(rules) == names{"Functional.linear.0.forward", "Torch.relu.0.forward"});
}

TEST_CASE("selector: steps and ranks are lists, every n-th step counts from 0") {
    plumb::operator_selector rules;
    CHECK(rules.wants_step(7));
    rules.every_n_steps = 3;
    CHECK(rules.wants_step(0));
    CHECK(!rules.wants_step(4));
    CHECK(rules.wants_step(6));
    rules.steps = {4, 6};
    CHECK(!rules.wants_step(0));
    CHECK(!rules.wants_step(4));
    CHECK(rules.wants_step(6));
    rules.ranks = {1};
    CHECK(rules.wants_rank(1));
    CHECK(!rules.wants_rank(0));
}

TEST_CASE("selector: what makes no sense is refused") {
    for (const auto& rules :
         {with(plumb::dump_mode::list), with(plumb::dump_mode::range, {"a"}), with(plumb::dump_mode::stack, {"a", "b", "c"}),
          with(plumb::dump_mode::api_list), with(plumb::dump_mode::list, {""})})
        CHECK_THROWS_AS(rules.check(), std::invalid_argument);
    auto rules = with(plumb::dump_mode::all);
    rules.every_n_steps = 0;
    CHECK_THROWS_AS(rules.check(), std::invalid_argument);
    rules.every_n_steps = 1;
    rules.forward = rules.backward = false;
    CHECK_THROWS_AS(rules.check(), std::invalid_argument);
}

TEST_CASE("selector: modes have names, and names modes") {
    for (const char* name : {"all", "api_stack", "list", "range", "stack", "api_list", "module"})
        CHECK(plumb::name_of(*plumb::parse_dump_mode(name)) == name);
    CHECK(!plumb::parse_dump_mode("acl"));
}
