#include "catch.hpp"

#include <plumb/compare/operator_name.hpp>

#include <string>

using plumb::parse_operator_name;

TEST_CASE("parse_operator_name: takes the names of all layouts apart alike") {
    const auto name = GENERATE(values<std::string>({"Functional.linear.3.forward", "Functional_linear_3_forward"}));
    const auto parts = parse_operator_name(name);
    CHECK(parts.base == "Functional_linear");
    CHECK(parts.function == "linear");
    CHECK(parts.call == 3u);
    CHECK(parts.direction == "forward");
}

TEST_CASE("parse_operator_name: keeps the underscores of Python's operators") {
    const auto name = GENERATE(values<std::string>({"Tensor.__add__.0.backward", "Tensor___add___0_backward"}));
    const auto parts = parse_operator_name(name);
    CHECK(parts.base == "Tensor___add__");
    CHECK(parts.function == "__add__");
    CHECK(parts.call == 0u);
    CHECK(parts.direction == "backward");
}

TEST_CASE("parse_operator_name: knows the two places of a module's counter") {
    const auto name = GENERATE(values<std::string>({"Module.layer1.Conv2d.forward.12", "Module.layer1.Conv2d.12.forward"}));
    const auto parts = parse_operator_name(name);
    CHECK(parts.base == "Module_layer1_Conv2d");
    CHECK(parts.function == "conv2d");
    CHECK(parts.call == 12u);
    CHECK(parts.direction == "forward");
}

TEST_CASE("parse_operator_name: reads no counter out of a name without direction") {
    const auto parts = parse_operator_name("block.7");
    CHECK(parts.base == "block_7");
    CHECK_FALSE(parts.call.has_value());
    CHECK(parts.direction.empty());
}

TEST_CASE("draws_random_numbers: by the operator's name alone") {
    for (const char* name : {"Functional.dropout.0.forward", "Torch.rand.0.forward", "Torch_randperm_0_forward",
                             "Tensor.normal_.1.forward", "Tensor.bernoulli_.0.forward", "Torch.rand_like.0.forward",
                             "Module.drop.Dropout.forward.0", "Functional_feature_alpha_dropout_2_forward"}) {
        INFO(name);
        CHECK(plumb::draws_random_numbers(parse_operator_name(name)));
    }
    for (const char* name :
         {"Functional.normalize.0.forward", "Functional.layer_norm.0.forward", "Functional.linear.0.forward", "random.fc1"}) {
        INFO(name);
        CHECK_FALSE(plumb::draws_random_numbers(parse_operator_name(name)));
    }
}

TEST_CASE("works_in_place: one underscore at the end, or an augmented assignment") {
    CHECK(plumb::works_in_place(parse_operator_name("Tensor.add_.0.forward")));
    CHECK(plumb::works_in_place(parse_operator_name("Tensor___iadd___0_forward")));
    CHECK_FALSE(plumb::works_in_place(parse_operator_name("Tensor.__add__.0.forward")));
    CHECK_FALSE(plumb::works_in_place(parse_operator_name("Tensor.__invert__.0.forward")));
    CHECK_FALSE(plumb::works_in_place(parse_operator_name("Functional.relu.0.forward")));
}
