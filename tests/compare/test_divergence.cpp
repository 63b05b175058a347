#include "catch.hpp"
#include "made_dump.hpp"
#include "recorded.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

using made::recorder;
using made::scalar_of;
using made::tensor_of;
using made::train;
using made::values;

namespace {

std::vector<std::string> source_names(const plumb::comparison& result) {
    std::vector<std::string> names;
    for (const auto& source : result.sources) names.push_back(source.op);
    return names;
}

std::string first_op(const plumb::comparison& result) { return result.first_diverging ? result.first_diverging->op : "none"; }

bool warns(const plumb::comparison& result, const std::string& words) {
    return std::any_of(result.warnings.begin(), result.warnings.end(),
                       [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

using names = std::vector<std::string>;

/// Multiplies the outputs of one operator's call.
made::effect scaled(const std::string& op, float factor) {
    return [=](const std::string& name, values& tensor) {
        if (name != op) return;
        for (float& each : tensor) each *= factor;
    };
}

made::effect both(const made::effect& first, const made::effect& second) {
    return [=](const std::string& name, values& tensor) {
        first(name, tensor);
        second(name, tensor);
    };
}

/// Adds normal noise of this relative size to everything.
made::effect noise(float size) {
    auto engine = std::make_shared<std::mt19937>(7);
    return [=](const std::string&, values& tensor) {
        std::normal_distribution<float> normal(0, size);
        for (float& each : tensor) each *= 1 + normal(*engine);
    };
}

} // namespace

TEST_CASE("divergence: equal dumps have none, and that is no warning") {
    const auto result = plumb::compare(train(made::nothing), train(made::nothing));
    CHECK_FALSE(result.first_diverging);
    CHECK(result.per_rank.at(0) == std::nullopt);
    CHECK(result.sources.empty());
    CHECK(result.warnings.empty());
}

TEST_CASE("divergence: a faulty forward operator is the only source, though forward, loss and gradients all differ after it") {
    const std::string op =
        GENERATE(Catch::Generators::values<std::string>({"Functional.linear.0.forward", "Functional.gelu.3.forward",
                                                         "Functional.linear.6.forward", "Functional.mse_loss.0.forward"}));
    const auto result = plumb::compare(train(scaled(op, 1.01f)), train(made::nothing));
    CHECK(first_op(result) == op);
    CHECK(result.first_diverging->kind == plumb::tensor_kind::output);
    CHECK(result.first_diverging->slot == "0");
    CHECK(source_names(result) == names{op});
}

TEST_CASE("divergence: a faulty backward operator is named, its forward call being equal") {
    const std::string op = GENERATE(Catch::Generators::values<std::string>(
        {"Functional.mse_loss.0.backward", "Functional.gelu.2.backward", "Functional.linear.4.backward"}));
    const auto result = plumb::compare(train(scaled(op, 1.01f)), train(made::nothing));
    CHECK(first_op(result) == op);
    CHECK(source_names(result) == names{op});
}

TEST_CASE("divergence: a backward call with an equal gradient inherits what its forward call remembers") {
    // The loss's backward call is given 1 on both sides, and hands out another gradient because its forward input differs.
    const auto result = plumb::compare(train(scaled("Functional.linear.2.forward", 1.01f)), train(made::nothing));
    CHECK(source_names(result) == names{"Functional.linear.2.forward"});
}

TEST_CASE("divergence: a weight that differs came from outside, and is no operator's fault") {
    const auto change = [](const std::string& name, values& tensor) {
        if (name == "w3") tensor[5] += 0.5f;
    };
    const auto result = plumb::compare(train(change), train(made::nothing));
    CHECK(first_op(result) == "Functional.linear.3.forward");
    CHECK(result.first_diverging->kind == plumb::tensor_kind::input);
    CHECK(result.first_diverging->slot == "1");
    CHECK(result.first_diverging->why.find("outside") != std::string::npos);
    CHECK(result.sources.empty());
}

TEST_CASE("divergence: the model's own input came from outside, however small the difference") {
    const float by = GENERATE(0.5f, 1e-3f, 1e-6f);
    const auto change = [=](const std::string& name, values& tensor) {
        if (name == "x") tensor[17] += by;
    };
    const auto result = plumb::compare(train(change), train(made::nothing));
    CHECK(first_op(result) == "Functional.linear.0.forward");
    CHECK(result.first_diverging->kind == plumb::tensor_kind::input);
    CHECK(result.first_diverging->slot == "0");
    CHECK(result.sources.empty());
}

TEST_CASE(
    "divergence: with equal inputs and 16-bit products, the first rounding is named, and a real fault later as a source too") {
    const auto round_outputs = [](const std::string& name, values& tensor) {
        if (name.find('.') != std::string::npos) made::round_to_f16(name, tensor);
    };
    const auto result =
        plumb::compare(train(both(scaled("Functional.gelu.3.forward", 1.05f), round_outputs)), train(made::nothing));
    CHECK(first_op(result) == "Functional.linear.0.forward");
    CHECK(source_names(result) == names{"Functional.linear.0.forward", "Functional.gelu.3.forward"});
}

TEST_CASE("divergence: where all is rounded to 16 bits, inputs too, the operator that adds more than rounding is named") {
    const std::string op =
        GENERATE(Catch::Generators::values<std::string>({"Functional.gelu.3.forward", "Functional.linear.5.forward",
                                                         "Functional.gelu.1.backward", "Functional.linear.2.backward"}));
    const auto result = plumb::compare(train(both(scaled(op, 1.05f), made::round_to_f16)), train(made::nothing));
    CHECK(first_op(result) == op);
    CHECK(source_names(result) == names{op});
    CHECK(result.first_diverging->why.find("times what they and rounding explain") != std::string::npos);
}

TEST_CASE("divergence: tensors of ones and zeros, which no rounding changes, don't hide that all is rounded") {
    const auto plain_biases = [](const std::string& name, values& tensor) {
        if (name[0] == 'b') std::fill(tensor.begin(), tensor.end(), name == "b0" ? 1.0f : 0.0f);
    };
    const auto result = plumb::compare(
        train(both(both(scaled("Functional.gelu.3.forward", 1.05f), plain_biases), made::round_to_f16)), train(plain_biases));
    CHECK(first_op(result) == "Functional.gelu.3.forward");
    CHECK(source_names(result) == names{"Functional.gelu.3.forward"});
}

TEST_CASE("divergence: rounding everywhere and nothing else has no single source, and says where it grows most") {
    const auto result = plumb::compare(train(made::round_to_f16), train(made::nothing));
    CHECK_FALSE(result.first_diverging);
    CHECK(result.sources.empty());
    CHECK(warns(result, "no single source: differences grow evenly"));
    CHECK(warns(result, "the largest steps: Functional."));
}

TEST_CASE("divergence: evenly growing noise of no type's rounding has no single source") {
    const auto result = plumb::compare(train(noise(3e-4f), 12), train(made::nothing, 12));
    CHECK_FALSE(result.first_diverging);
    CHECK(warns(result, "no single source: differences grow evenly"));
}

TEST_CASE("divergence: a fault amid such noise is named") {
    const auto result =
        plumb::compare(train(both(scaled("Functional.gelu.4.forward", 1.1f), noise(3e-4f)), 12), train(made::nothing, 12));
    CHECK(first_op(result) == "Functional.gelu.4.forward");
    CHECK(source_names(result) == names{"Functional.gelu.4.forward"});
}

TEST_CASE("divergence: a NaN out of finite inputs always stands out") {
    const auto poison = [](const std::string& name, values& tensor) {
        if (name == "Functional.gelu.2.forward") tensor[3] = std::numeric_limits<float>::quiet_NaN();
    };
    const auto result = plumb::compare(train(both(poison, made::round_to_f16)), train(made::nothing));
    CHECK(first_op(result) == "Functional.gelu.2.forward");
    CHECK(source_names(result) == names{"Functional.gelu.2.forward"});
    CHECK(result.first_diverging->why.find("non-finite") != std::string::npos);
}

TEST_CASE("divergence: a gradient that is zero but for noise is not named") {
    recorder reference, actual;
    // The bias's gradient sums 64 numbers that cancel. Its relative error is 1000; the numbers differ by 1e-4.
    values g(64), g2(64);
    for (std::size_t i = 0; i < 64; ++i) {
        g[i] = i % 2 == 0 ? 1.0f : -1.0f;
        g2[i] = g[i] * (1 + 1e-4f * static_cast<float>((i * 7) % 5));
    }
    float sum = 0;
    for (const float each : g2) sum += each;
    for (recorder* each : {&reference, &actual}) {
        const bool is_actual = each == &actual;
        const values x = is_actual ? g2 : g;
        each->call("Functional.linear.0.forward", {tensor_of({1.0f})}, {tensor_of(x)});
        each->call("Functional.linear.0.backward", {tensor_of(x)}, {tensor_of({is_actual ? sum : 1e-7f}), tensor_of(x)});
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(source_names(result) == names{"Functional.linear.0.forward"});
}

TEST_CASE("divergence: an operator that draws random numbers is a source, and is called so") {
    const std::string name = GENERATE(Catch::Generators::values<std::string>(
        {"Functional.dropout.0.forward", "Torch.rand_like.0.forward", "Tensor.bernoulli_.0.forward"}));
    recorder reference, actual;
    reference.call(name, {tensor_of({1, 2, 3, 4})}, {tensor_of({2, 0, 6, 0})});
    actual.call(name, {tensor_of({1, 2, 3, 4})}, {tensor_of({0, 4, 6, 0})});
    const auto result = plumb::compare(actual, reference);
    CHECK(first_op(result) == name);
    CHECK(source_names(result) == names{name});
    CHECK(result.sources[0].why.find("draws random numbers") != std::string::npos);
}

TEST_CASE("divergence: dropout left on is told from its arguments") {
    recorder reference, actual;
    reference.call("Functional.dropout.0.forward", {tensor_of({1, 2, 3, 4}), scalar_of(0)}, {tensor_of({1, 2, 3, 4})});
    actual.call("Functional.dropout.0.forward", {tensor_of({1, 2, 3, 4}), scalar_of(0.5)}, {tensor_of({2, 0, 6, 0})});
    const auto result = plumb::compare(actual, reference);
    CHECK(first_op(result) == "Functional.dropout.0.forward");
    CHECK(result.first_diverging->slot == "1");
    CHECK(result.first_diverging->why.find("different arguments") != std::string::npos);
    CHECK(source_names(result) == names{"Functional.dropout.0.forward"});
}

TEST_CASE("divergence: without recorded inputs an operator is suspected, never certain") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const float wrong = each == &actual ? 1.0f : 0.0f;
        each->call("layer0", {}, {tensor_of({1, 2})})
            .call("layer1", {}, {tensor_of({3, 4 + wrong})})
            .call("layer2", {}, {tensor_of({5, 6 + wrong})});
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(first_op(result) == "layer1");
    CHECK(source_names(result) == names{"layer1"});
    CHECK(result.first_diverging->why.find("suspected") != std::string::npos);
}

TEST_CASE("divergence: an in-place operator whose input was recorded after the call is suspected") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const float wrong = each == &actual ? 0.5f : 0.0f;
        each->call("Functional.linear.0.forward", {tensor_of({1, 1})}, {tensor_of({2, 3})});
        each->call("Tensor.add_.0.forward", {tensor_of({3, 4 + wrong}), tensor_of({1, 1})}, {tensor_of({3, 4 + wrong})});
        each->call("Functional.gelu.0.forward", {tensor_of({3, 4 + wrong})}, {tensor_of({3, 4 + wrong})});
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(first_op(result) == "Tensor.add_.0.forward");
    CHECK(result.first_diverging->kind == plumb::tensor_kind::output);
    CHECK(result.first_diverging->why.find("overwrites its input") != std::string::npos);
}

TEST_CASE("divergence: a tensor that changes between its producer and its user is named, with the producer") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const float wrong = each == &actual ? 0.5f : 0.0f;
        each->call("Functional.linear.0.forward", {tensor_of({1, 1})}, {tensor_of({2, 3, 4, 5})});
        each->call("Functional.gelu.0.forward", {tensor_of({2, 3, 4, 5 + wrong}, {2, 2})},
                   {tensor_of({2, 3, 4, 5 + wrong}, {2, 2})});
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(first_op(result) == "Functional.gelu.0.forward");
    CHECK(result.first_diverging->kind == plumb::tensor_kind::input);
    CHECK(result.first_diverging->why.find("in the reference Functional.linear.0.forward produced it") != std::string::npos);
    CHECK(result.sources.empty());
}

TEST_CASE("divergence: behind an operator that the other side calls differently, the first difference points at it") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const float wrong = each == &actual ? 0.5f : 0.0f;
        each->call(each == &actual ? "NPU.fast_gelu.0.forward" : "Functional.gelu.0.forward", {tensor_of({1, 2})},
                   {tensor_of({3, 4 + wrong})});
        each->call("Functional.linear.0.forward", {tensor_of({3, 4 + wrong}), tensor_of({1})}, {tensor_of({5, 6 + wrong})});
    }
    const auto unknown = plumb::compare(actual, reference);
    CHECK(first_op(unknown) == "Functional.linear.0.forward");
    CHECK(unknown.first_diverging->kind == plumb::tensor_kind::input);
    CHECK(unknown.first_diverging->why.find("Functional.gelu.0.forward produced it, whose own outputs could not be compared") !=
          std::string::npos);
    CHECK(unknown.sources.empty());

    plumb::compare_options options;
    options.names = {{"NPU.fast_gelu", "Functional.gelu"}};
    CHECK(source_names(plumb::compare(actual, reference, options)) == names{"Functional.gelu.0.forward"});
}

TEST_CASE("divergence: memory that nobody has written yet is no divergence") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const float junk = each == &actual ? 7.0f : -3.0f;
        each->call("Torch.empty.0.forward", {scalar_of(2)}, {tensor_of({junk, junk})});
        each->call("Tensor.fill_.0.forward", {tensor_of({junk, junk}), scalar_of(1)}, {tensor_of({1, 1})});
    }
    const auto result = plumb::compare(actual, reference);
    CHECK_FALSE(result.first_diverging);
    CHECK(result.sources.empty());
}

TEST_CASE("divergence: of a module and the operator inside it the operator is named") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const float wrong = each == &actual ? 0.5f : 0.0f;
        each->call("Module.block.Block.forward.0", {tensor_of({1, 2})}, {tensor_of({4, 5 + wrong})});
        each->call("Module.block.fc.Linear.forward.0", {tensor_of({1, 2})}, {tensor_of({2, 3 + wrong})});
        each->call("Functional.linear.0.forward", {tensor_of({1, 2})}, {tensor_of({2, 3 + wrong})});
        each->call("Functional.gelu.0.forward", {tensor_of({2, 3 + wrong})}, {tensor_of({4, 5 + wrong})});
        each->inside("Functional.linear.0.forward", "Module.block.fc.Linear.forward.0");
        each->inside("Functional.gelu.0.forward", "Module.block.Block.forward.0");
        each->inside("Module.block.fc.Linear.forward.0", "Module.block.Block.forward.0");
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(first_op(result) == "Functional.linear.0.forward");
    CHECK(source_names(result) == names{"Functional.linear.0.forward"});
}

TEST_CASE("divergence: a circle in the recorded hierarchy does no harm") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        each->call("Module.a.A.forward.0", {tensor_of({1})}, {tensor_of({each == &actual ? 2.0f : 1.0f})});
        each->inside("Module.a.A.forward.0", "Module.b.B.forward.0").inside("Module.b.B.forward.0", "Module.a.A.forward.0");
    }
    CHECK(first_op(plumb::compare(actual, reference)) == "Module.a.A.forward.0");
}

TEST_CASE("divergence: a fault on one rank is that rank's, though others receive it") {
    std::vector<plumb::rank_dump> actual, reference;
    for (const int rank : {0, 1})
        for (const bool is_actual : {false, true}) {
            recorder record(rank);
            const float wrong = is_actual && rank == 1 ? 0.5f : 0.0f, shared = is_actual ? 0.5f : 0.0f;
            record.call("Functional.linear.0.forward", {tensor_of({1, 2})}, {tensor_of({3, 4 + wrong})});
            record.call("Distributed.all_reduce.0.forward", {tensor_of({3, 4 + wrong})}, {tensor_of({6, 8 + shared})});
            record.call("Functional.gelu.0.forward", {tensor_of({6, 8 + shared})}, {tensor_of({6, 8 + shared})});
            (is_actual ? actual : reference).push_back(record.rank());
        }
    const auto result = plumb::compare(recorder::dump_of(actual), recorder::dump_of(reference));
    REQUIRE(result.first_diverging);
    CHECK(result.first_diverging->rank == 1);
    CHECK(result.first_diverging->op == "Functional.linear.0.forward");
    CHECK_FALSE(result.per_rank.at(0));
    REQUIRE(result.sources.size() == 1);
    CHECK(result.sources[0].rank == 1);
    CHECK(warns(result, "rank 0: has no divergence of its own: Distributed.all_reduce.0.forward"));
}

TEST_CASE("divergence: a collective with equal inputs on all ranks is a source itself") {
    std::vector<plumb::rank_dump> actual, reference;
    for (const int rank : {0, 1})
        for (const bool is_actual : {false, true}) {
            recorder record(rank);
            record.call("Distributed.all_reduce.0.forward", {tensor_of({3, 4})}, {tensor_of({6, is_actual ? 9.0f : 8.0f})});
            (is_actual ? actual : reference).push_back(record.rank());
        }
    const auto result = plumb::compare(recorder::dump_of(actual), recorder::dump_of(reference));
    CHECK(result.per_rank.at(0)->op == "Distributed.all_reduce.0.forward");
    CHECK(result.per_rank.at(1)->op == "Distributed.all_reduce.0.forward");
}

TEST_CASE("divergence: the first step in which a rank differs is the one that counts") {
    std::vector<plumb::rank_dump> actual, reference;
    for (const int step : {0, 1, 2})
        for (const bool is_actual : {false, true}) {
            recorder record;
            const float wrong = is_actual && step > 0 ? 1.0f : 0.0f;
            record.call("Functional.linear.0.forward", {tensor_of({step > 1 ? wrong : 0.0f})}, {tensor_of({1 + wrong})});
            record.rank().step = step;
            (is_actual ? actual : reference).push_back(record.rank());
        }
    const auto result = plumb::compare(recorder::dump_of(actual), recorder::dump_of(reference));
    CHECK(result.first_diverging->step == 1);
    CHECK(source_names(result) == names{"Functional.linear.0.forward"});
}

TEST_CASE("divergence: checksums alone tell the first difference") {
    const auto record = [](const std::string& linear, const std::string& gelu) {
        recorder r;
        r.call("Functional.linear.0.forward", {tensor_of({1})}, {tensor_of({1})})
            .call("Functional.gelu.0.forward", {tensor_of({1})}, {tensor_of({1})});
        const std::string sums[] = {"00000001", linear, linear, gelu};
        for (std::size_t i = 0; i < 4; ++i) {
            r.rank().entries[i].value = std::nullopt;
            r.rank().entries[i].checksum = sums[i];
        }
        return r;
    };
    const auto inherited = plumb::compare(record("aaaaaaaa", "bbbbbbbb"), record("cccccccc", "dddddddd"));
    CHECK(first_op(inherited) == "Functional.linear.0.forward");
    CHECK(source_names(inherited) == names{"Functional.linear.0.forward"});
    const auto later = plumb::compare(record("aaaaaaaa", "bbbbbbbb"), record("aaaaaaaa", "dddddddd"));
    CHECK(source_names(later) == names{"Functional.gelu.0.forward"});
}

TEST_CASE("divergence: every step is judged by itself, and keeps its certain sources") {
    std::vector<plumb::rank_dump> actual, reference;
    for (const int step : {3, 4, 5})
        for (const bool is_actual : {false, true}) {
            recorder record;
            const float linear = is_actual && step == 3 ? 0.5f : 0.0f, softmax = is_actual && step == 5 ? 0.5f : 0.0f;
            record.call("Functional.linear.0.forward", {tensor_of({1, 2})}, {tensor_of({3, 4 + linear})});
            record.call("Functional.softmax.0.forward", {tensor_of({5, 6})}, {tensor_of({7, 8 + softmax})});
            record.rank().step = step;
            (is_actual ? actual : reference).push_back(record.rank());
        }
    const auto result = plumb::compare(recorder::dump_of(actual), recorder::dump_of(reference));
    CHECK(source_names(result) == names{"Functional.linear.0.forward", "Functional.softmax.0.forward"});
    CHECK(result.sources.at(0).step == 3);
    CHECK(result.sources.at(1).step == 5);
    CHECK(result.per_rank.at(0)->step == 3);
    REQUIRE(result.ranks.size() == 3);
    CHECK(result.ranks[0].first->op == "Functional.linear.0.forward");
    CHECK_FALSE(result.ranks[1].first);
    CHECK(result.ranks[2].first->op == "Functional.softmax.0.forward");
}

TEST_CASE("divergence: in a dump of a few calls, one that is grossly wrong is named behind one that is off by a rounding") {
    const std::size_t layers = GENERATE(1u, 2u, 3u);
    const auto last_bit = [](const std::string& name, values& tensor) {
        if (name == "Functional.linear.0.forward") tensor[70] = std::nextafter(tensor[70], 99.0f);
    };
    const auto forward_only = [](recorder record, std::size_t calls) {
        std::set<std::string> seen;
        auto& entries = record.rank().entries;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            seen.insert(entries[i].op);
            if (seen.size() > calls) entries.resize(i);
        }
        return record;
    };
    const std::string op = "Functional.linear." + std::to_string(layers) + ".forward";
    const auto result = plumb::compare(forward_only(train(both(last_bit, scaled(op, -1)), layers), 2 * layers + 1),
                                       forward_only(train(made::nothing, layers), 2 * layers + 1));
    CHECK(source_names(result) == names{"Functional.linear.0.forward", op});
}

TEST_CASE("divergence: a gradient that is all zero is named though the forward call it remembers is off by a rounding") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const bool is_actual = each == &actual;
        const values y{1, is_actual ? std::nextafter(2.0f, 3.0f) : 2.0f, 3, 4};
        each->call("Functional.linear.0.forward", {tensor_of({1, 2, 3, 4}), tensor_of({1, 1})}, {tensor_of(y)});
        each->call("Functional.linear.0.backward", {tensor_of({1, 1, 1, 1})},
                   {is_actual ? tensor_of({0, 0}) : tensor_of({3, 5})});
    }
    CHECK(source_names(plumb::compare(actual, reference)) ==
          names{"Functional.linear.0.forward", "Functional.linear.0.backward"});
}

TEST_CASE("divergence: rounding that is handed on by a few calls names none of them") {
    const auto result = plumb::compare(train(made::round_to_f16, 1), train(made::nothing, 1));
    CHECK(result.sources.empty());
}

TEST_CASE("divergence: a gap among the recorded inputs leaves a suspicion, first or not, and no certainty") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const float wrong = each == &actual ? 0.5f : 0.0f;
        each->call("Functional.linear.0.forward", {tensor_of({1, 2})}, {tensor_of({3, 4 + wrong})});
        each->call("Functional.embedding.0.forward", {tensor_of({0, 1}), tensor_of({5, 6})}, {tensor_of({5, 6 + wrong})});
        auto& entries = each->rank().entries;
        entries.erase(entries.end() - 3); // embedding's input 0, as a filter of integer tensors does
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(source_names(result) == names{"Functional.linear.0.forward", "Functional.embedding.0.forward"});
    CHECK(result.sources.at(0).why.find("suspected") == std::string::npos);
    CHECK(result.sources.at(1).why.find("suspected") == 0);
    CHECK(result.sources.at(1).why.find("input 0 is not in the dump") != std::string::npos);
}

TEST_CASE("divergence: keywords and the parts of a list leave no gap among the inputs") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        each->call("Torch.cat.0.forward", {tensor_of({1}), tensor_of({2}), tensor_of({3})},
                   {tensor_of({each == &actual ? 7.0f : 1.0f})});
        const char* slots[] = {"0.0", "0.1", "dim"};
        for (std::size_t i = 0; i < 3; ++i) each->rank().entries[i].slot = slots[i];
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(result.sources.at(0).why.find("suspected") == std::string::npos);
}

TEST_CASE("divergence: the evidence of a file that can't be read is what the index tells, and says so") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        each->call("F.a.0.forward", {tensor_of({1, 2})}, {tensor_of({3, 4})});
        plumb::dump_entry& output = each->rank().entries[1];
        output.value = std::nullopt;
        output.file = "no/such/file.npy";
        output.stats = plumb::recorded_statistics{each == &actual ? 9.0 : 4.0, 3.0, 3.5, 5.0};
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(source_names(result) == names{"F.a.0.forward"});
    CHECK(result.sources.at(0).why.find("output 0 differs: max 9 against 4 by the index") != std::string::npos);
    CHECK(result.sources.at(0).why.find("can't open") == std::string::npos);
}

TEST_CASE("divergence: an index that tells another shape than the file has is no divergence, but an unreadable row") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        each->call("F.a.0.forward", {tensor_of({1, 2})}, {tensor_of({3, 4})});
        plumb::dump_entry& output = each->rank().entries[1];
        output.value = std::nullopt;
        output.file = recorded::data / "cases/data/d02-all-equal/actual/0001.npy"; // [32]
        output.shape = each == &actual ? plumb::extents{4, 8} : plumb::extents{32};
    }
    const auto result = plumb::compare(actual, reference);
    CHECK_FALSE(result.first_diverging);
    CHECK(result.sources.empty());
    CHECK(result.summary.errors == 1);
    CHECK(warns(result, "rank 0: no difference found, but 1 tensor could not be read"));
}

TEST_CASE("divergence: where nothing could be read, nothing is called identical") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) each->call("F.a.0.forward", {}, {tensor_of({3, 4}), tensor_of({5})});
    for (plumb::dump_entry& entry : actual.rank().entries) entry.value = std::nullopt, entry.file = "no/such/file.npy";
    const auto result = plumb::compare(actual, reference);
    CHECK(warns(result, "rank 0: nothing was compared: 2 tensors could not be read"));
    const auto agreed = count_agreement(result, result.ranks.at(0));
    CHECK_FALSE(agreed.complete());
    CHECK_FALSE(agreed.identical());
}

TEST_CASE("divergence: where statistics agree, that is what is said") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        each->call("F.a.0.forward", {}, {tensor_of({3, 4})});
        each->rank().entries[0].value = std::nullopt;
        each->rank().entries[0].stats = plumb::recorded_statistics{4.0, 3.0, 3.5, 5.0};
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(warns(result, "rank 0: statistics agree; elements were not compared"));
    CHECK(count_agreement(result, result.ranks.at(0)).complete());
    CHECK_FALSE(count_agreement(result, result.ranks.at(0)).identical());
}

TEST_CASE("divergence: of an operator recorded several times under one name, the call is told") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        const float wrong = each == &actual ? 0.5f : 0.0f;
        each->call("block.mul", {tensor_of({1, 2})}, {tensor_of({2, 4})});
        each->call("block.mul", {tensor_of({2, 4})}, {tensor_of({4, 8 + wrong})});
        each->call("head", {tensor_of({1, 2})}, {tensor_of({2, 4 + wrong})});
        auto& entries = each->rank().entries;
        entries[2].call = entries[3].call = 1;
    }
    const auto result = plumb::compare(actual, reference);
    CHECK(source_names(result) == names{"block.mul", "head"});
    CHECK(result.first_diverging->call == 1);
    CHECK(result.first_diverging->title == "block.mul (call 1)");
    CHECK(result.sources.at(1).title == "head"); // alone of its name
}

TEST_CASE("divergence: of a forward and a backward call under one name, the direction is told") {
    recorder reference, actual;
    for (recorder* each : {&reference, &actual}) {
        each->call("head", {tensor_of({1, 2})}, {tensor_of({2, 4})});
        each->call("head", {tensor_of({1, 1})}, {tensor_of({2, each == &actual ? 3.0f : 2.0f})});
        auto& entries = each->rank().entries;
        for (std::size_t i = 0; i < 4; ++i) entries[i].direction = i < 2 ? "forward" : "backward";
    }
    CHECK(plumb::compare(actual, reference).first_diverging->title == "head backward");
}
