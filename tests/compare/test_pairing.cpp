#include "catch.hpp"
#include "made_dump.hpp"

#include <plumb/compare/pairing.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using made::recorder;
using made::tensor_of;

namespace {

/// The pairs as "actual=reference", with "-" for a missing partner.
std::vector<std::string> paired(recorder actual, recorder reference, const plumb::name_map& map = {}) {
    std::vector<std::string> all;
    for (const auto& pair : plumb::pair_entries(actual.rank(), reference.rank(), map))
        all.push_back((pair.actual != nullptr ? pair.actual->name : "-") + "=" +
                      (pair.reference != nullptr ? pair.reference->name : "-"));
    return all;
}

recorder outputs_of(const std::vector<std::string>& ops) {
    recorder record;
    for (const std::string& op : ops) record.call(op, {}, {tensor_of({1})});
    return record;
}

using lines = std::vector<std::string>;

} // namespace

TEST_CASE("pair_entries: by name and call, in the reference's order, whatever the order of the actual dump") {
    CHECK(paired(outputs_of({"F.b.0.forward", "F.a.1.forward", "F.a.0.forward"}),
                 outputs_of({"F.a.0.forward", "F.a.1.forward", "F.b.0.forward"})) ==
          lines{"F.a.0.forward.output.0=F.a.0.forward.output.0", "F.a.1.forward.output.0=F.a.1.forward.output.0",
                "F.b.0.forward.output.0=F.b.0.forward.output.0"});
}

TEST_CASE("pair_entries: keeps what has no partner on either side") {
    CHECK(paired(outputs_of({"F.new.0.forward", "F.a.0.forward"}), outputs_of({"F.a.0.forward", "F.old.0.forward"})) ==
          lines{"F.a.0.forward.output.0=F.a.0.forward.output.0", "-=F.old.0.forward.output.0", "F.new.0.forward.output.0=-"});
    CHECK(paired(outputs_of({}), outputs_of({"F.a.0.forward"})) == lines{"-=F.a.0.forward.output.0"});
    CHECK(paired(outputs_of({}), outputs_of({})).empty());
}

TEST_CASE("pair_entries: finds the same operator in another layout's spelling") {
    recorder reference = outputs_of({"Tensor___add___0_forward", "Functional_linear_1_backward"});
    reference.rank().entries[0].slot.clear(); // an output without an index
    CHECK(paired(outputs_of({"Tensor.__add__.0.forward", "Functional.linear.1.backward"}), reference) ==
          lines{"Tensor.__add__.0.forward.output.0=Tensor___add___0_forward.output.0",
                "Functional.linear.1.backward.output.0=Functional_linear_1_backward.output.0"});
}

TEST_CASE("pair_entries: a name that both spell alike goes before one that merely looks alike") {
    CHECK(paired(outputs_of({"a.b", "a_b"}), outputs_of({"a_b", "a.b"})) ==
          lines{"a_b.output.0=a_b.output.0", "a.b.output.0=a.b.output.0"});
}

TEST_CASE("pair_entries: renames by operator, by function and by whole tensor") {
    const recorder actual = outputs_of({"N.linear.0.forward", "N.linear.1.forward", "N.norm.0.forward", "N.odd.0.forward"});
    const recorder reference =
        outputs_of({"F.linear.0.forward", "F.linear.1.forward", "F.layer_norm.4.forward", "F.even.0.forward"});
    CHECK(paired(actual, reference,
                 {{"N.linear", "F.linear"},
                  {"N.norm.0.forward", "F.layer_norm.4.forward"},
                  {"N.odd.0.forward.output.0", "F.even.0.forward.output.0"}}) ==
          lines{"N.linear.0.forward.output.0=F.linear.0.forward.output.0",
                "N.linear.1.forward.output.0=F.linear.1.forward.output.0",
                "N.norm.0.forward.output.0=F.layer_norm.4.forward.output.0",
                "N.odd.0.forward.output.0=F.even.0.forward.output.0"});
}

TEST_CASE("pair_entries: a map that names nothing changes nothing") {
    CHECK(paired(outputs_of({"F.a.0.forward"}), outputs_of({"F.a.0.forward"}),
                 {{"x", "y"}, {"F.b.0.forward", "F.a.0.forward"}}) == lines{"F.a.0.forward.output.0=F.a.0.forward.output.0"});
}

TEST_CASE("pair_entries: calls that were counted from elsewhere are paired in order") {
    CHECK(paired(outputs_of({"F.a.7.forward", "F.a.8.forward"}), outputs_of({"F.a.0.forward", "F.a.1.forward"})) ==
          lines{"F.a.7.forward.output.0=F.a.0.forward.output.0", "F.a.8.forward.output.0=F.a.1.forward.output.0"});
}

TEST_CASE("pair_entries: of more calls on one side, those with equal counters pair") {
    CHECK(
        paired(outputs_of({"F.a.0.forward", "F.a.2.forward"}), outputs_of({"F.a.0.forward", "F.a.1.forward", "F.a.2.forward"})) ==
        lines{"F.a.0.forward.output.0=F.a.0.forward.output.0", "-=F.a.1.forward.output.0",
              "F.a.2.forward.output.0=F.a.2.forward.output.0"});
}

TEST_CASE("pair_entries: forward and backward, inputs and outputs never mix") {
    recorder actual, reference;
    actual.call("F.a.0.forward", {tensor_of({1})}, {}).call("F.a.0.backward", {}, {tensor_of({1})});
    reference.call("F.a.0.forward", {}, {tensor_of({1})}).call("F.a.0.backward", {tensor_of({1})}, {});
    for (const std::string& line : paired(actual, reference)) CHECK((line.front() == '-' || line.back() == '-'));
}

TEST_CASE("pair_entries: a tensor recorded twice under one name pairs first with first") {
    const auto pairs = paired(outputs_of({"F.a.0.forward", "F.a.0.forward"}), outputs_of({"F.a.0.forward"}));
    CHECK(pairs == lines{"F.a.0.forward.output.0=F.a.0.forward.output.0", "F.a.0.forward.output.0=-"});
}

TEST_CASE("pair_entries: takes no quadratic time") {
    std::vector<std::string> forwards, backwards;
    for (int i = 0; i < 40000; ++i) forwards.push_back("F.op" + std::to_string(i % 7) + '.' + std::to_string(i) + ".forward");
    backwards.assign(forwards.rbegin(), forwards.rend());
    recorder actual = outputs_of(forwards), reference = outputs_of(backwards);
    const auto pairs = plumb::pair_entries(actual.rank(), reference.rank());
    CHECK(pairs.size() == 40000);
    CHECK(pairs.front().actual->op == pairs.front().reference->op);
}

TEST_CASE("pair_entries: a call that the map names is paired with what it says or not at all, and re-pairs no other") {
    const recorder ops = outputs_of({"F.linear.0.forward", "F.linear.1.forward", "F.linear.2.forward"});
    CHECK(paired(ops, ops, {{"F.linear.0.forward", "F.linear.1.forward"}}) ==
          lines{"-=F.linear.0.forward.output.0", "F.linear.0.forward.output.0=F.linear.1.forward.output.0",
                "F.linear.2.forward.output.0=F.linear.2.forward.output.0", "F.linear.1.forward.output.0=-"});
    CHECK(paired(ops, ops, {{"F.linear.0.forward", "F.linear.7.forward"}}) ==
          lines{"-=F.linear.0.forward.output.0", "F.linear.1.forward.output.0=F.linear.1.forward.output.0",
                "F.linear.2.forward.output.0=F.linear.2.forward.output.0", "F.linear.0.forward.output.0=-"});
}

TEST_CASE("pair_entries: a tensor that the map gives a name that is not there stays alone") {
    CHECK(paired(outputs_of({"F.a.0.forward"}), outputs_of({"F.a.0.forward"}),
                 {{"F.a.0.forward.output.0", "F.b.0.forward.output.0"}}) ==
          lines{"-=F.a.0.forward.output.0", "F.a.0.forward.output.0=-"});
}

TEST_CASE("pair_entries: two names with one and the same reference are an error that tells all three") {
    const recorder ops = outputs_of({"F.linear.0.forward", "F.linear.1.forward"});
    const std::string end = GENERATE("", ".output.0");
    const auto name = [&](int call) { return "F.linear." + std::to_string(call) + ".forward" + end; };
    std::string error;
    try {
        paired(ops, ops, {{name(1), name(1)}, {name(0), name(1)}});
    } catch (const std::invalid_argument& problem) {
        error = problem.what();
    }
    CHECK(error == "plumb: the map of names gives both " + name(0) + " and " + name(1) + " the reference's " + name(1));
}

TEST_CASE("compare: names of the map that match nothing are warned of, each by name") {
    plumb::compare_options options;
    options.names = {{"F.linaer", "F.linear"}, {"F.a.0.forward", "F.b.0.forward"}, {"F.c", "F.d"}};
    const auto result = plumb::compare(outputs_of({"F.a.0.forward", "F.c.0.forward"}), outputs_of({"F.d.0.forward"}), options);
    REQUIRE(result.warnings.size() >= 2);
    CHECK(result.warnings[0] == "the map of names: the reference has no F.b.0.forward for F.a.0.forward");
    CHECK(result.warnings[1] == "the map of names: the actual dump has no F.linaer");
    CHECK(result.rows.at(0).matched()); // F.c with F.d
}
