#include "catch.hpp"
#include "made_dump.hpp"

#include <plumb/compare/overflow.hpp>

#include <limits>
#include <string>
#include <vector>

using made::recorder;
using made::scalar_of;
using made::tensor_of;

namespace {

using names = std::vector<std::string>;

constexpr float infinity = std::numeric_limits<float>::infinity(), quiet_nan = std::numeric_limits<float>::quiet_NaN();
const plumb::tensor good = tensor_of({1, -2, 3}), infinite = tensor_of({1, infinity, 3}), masked = tensor_of({1, -infinity, 3}),
                    broken = tensor_of({1, 2, quiet_nan}), largest = tensor_of({1, -std::numeric_limits<float>::max(), 3});

names sources_of(const plumb::overflow_report& report) {
    names all;
    for (const auto& source : report.sources)
        all.push_back(std::string(plumb::name_of(source.entry->kind)) + ' ' + source.entry->slot + " of " + source.entry->op);
    return all;
}

/// A Python scalar among the arguments: the index holds it, no data were recorded.
recorder& add_argument(recorder& record, double value) {
    plumb::dump_entry entry = record.rank().entries.back(); // an output: the argument goes before it
    entry.kind = plumb::tensor_kind::input;
    entry.slot = "9";
    entry.name = entry.op + ".input.9";
    entry.value = scalar_of(value);
    entry.type = plumb::dtype::f64;
    entry.type_name = "<class 'float'>";
    entry.shape = std::nullopt;
    record.rank().entries.insert(record.rank().entries.end() - 1, entry);
    return record;
}

/// Takes the data away and leaves max, min, mean and norm.
plumb::dump statistics_of(const recorder& record, double norm_of_all) {
    plumb::dump d = record;
    for (plumb::dump_entry& entry : d.ranks[0].entries) {
        entry.stats = plumb::seed_statistics(plumb::summarize(entry.value->view()));
        entry.stats->norm = norm_of_all;
        entry.value = std::nullopt;
    }
    return d;
}

} // namespace

TEST_CASE("find_overflow: a dump of finite tensors has none") {
    const auto report = plumb::find_overflow(recorder().call("Torch.add.0.forward", {good, good}, {good}));
    CHECK(!report.source);
    CHECK(report.rows.empty());
    CHECK(report.judged == 3);
    CHECK(plumb::exit_status(report) == 0);
}

TEST_CASE("find_overflow: the source has finite inputs and a bad output, those after it inherit") {
    const auto report = plumb::find_overflow(recorder()
                                                 .call("Torch.add.0.forward", {good, good}, {good})
                                                 .call("Torch.mul.0.forward", {good, good}, {good, infinite})
                                                 .call("Torch.sub.0.forward", {infinite}, {broken})
                                                 .call("Torch.relu.0.forward", {broken}, {broken})
                                                 .call("Torch.relu.1.forward", {good}, {good}));
    REQUIRE(report.source);
    CHECK(report.source->entry->op == "Torch.mul.0.forward");
    CHECK(report.source->entry->slot == "1");
    CHECK(report.source->index == 1u);
    CHECK(report.source->why == "its 2 inputs are finite, and output 1 holds 1 +inf of 3, first at 1");
    CHECK(report.inherited == names{"Torch.sub.0.forward", "Torch.relu.0.forward"});
    CHECK(plumb::exit_status(report) == 1);
}

TEST_CASE("find_overflow: operators that overflow on their own are sources beside the first") {
    const auto report = plumb::find_overflow(
        recorder().call("Torch.mul.0.forward", {good}, {infinite}).call("Torch.exp.0.forward", {good}, {infinite}));
    CHECK(sources_of(report) == names{"output 0 of Torch.mul.0.forward", "output 0 of Torch.exp.0.forward"});
}

TEST_CASE("find_overflow: a bad input that nothing in the dump produced came from outside") {
    const auto report = plumb::find_overflow(recorder()
                                                 .call("Torch.add.0.forward", {good, good}, {good})
                                                 .call("Torch.mul.0.forward", {good, broken}, {broken})
                                                 .call("Torch.relu.0.forward", {broken}, {broken}));
    CHECK(sources_of(report) == names{"input 1 of Torch.mul.0.forward"});
    CHECK(report.source->index == 2u);
    CHECK(report.source->why.find("it comes from outside") == 0);
    CHECK(report.inherited == names{"Torch.mul.0.forward", "Torch.relu.0.forward"});
}

TEST_CASE("find_overflow: what a constant writer writes is no overflow, nor is what carries it on") {
    for (const std::string writer : {"Tensor.fill_", "Torch.full", "Torch.full_like", "Tensor.masked_fill_", "Torch.empty"}) {
        INFO(writer);
        const auto report = plumb::find_overflow(recorder()
                                                     .call(writer + ".0.forward", {good}, {masked})
                                                     .call("Tensor.__add__.0.forward", {good, masked}, {masked})
                                                     .call("Functional.softmax.0.forward", {masked}, {good}));
        CHECK(report.sources.empty());
        CHECK(report.inherited.empty());
        REQUIRE(report.rows.size() == 4);
        CHECK(report.rows[0].role == plumb::overflow_role::constant);
        CHECK(plumb::exit_status(report) == 0);
    }
}

TEST_CASE("find_overflow: making NaN of infinities that were written on purpose is a source") {
    const auto report = plumb::find_overflow(recorder()
                                                 .call("Tensor.masked_fill.0.forward", {good}, {masked})
                                                 .call("Functional.softmax.0.forward", {masked}, {broken}));
    CHECK(sources_of(report) == names{"output 0 of Functional.softmax.0.forward"});
}

TEST_CASE("find_overflow: the list of constant writers can be changed") {
    const recorder record = recorder().call("Torch.full.0.forward", {good}, {masked}).call("My.mask.0.forward", {good}, {masked});
    plumb::overflow_options options;
    options.constant_writers = {"mask"};
    CHECK(sources_of(plumb::find_overflow(record, options)) == names{"output 0 of Torch.full.0.forward"});
}

TEST_CASE("find_overflow: an infinity that is an argument in the code is a constant, unless NaN comes of it") {
    recorder where;
    add_argument(where.call("Torch.where.0.forward", {good}, {masked}), -static_cast<double>(infinity));
    CHECK(plumb::find_overflow(where).sources.empty());
    recorder nan;
    add_argument(nan.call("Torch.mul.0.forward", {good}, {broken}), static_cast<double>(infinity));
    CHECK(plumb::find_overflow(nan).sources.size() == 1);
}

TEST_CASE("find_overflow: statistics are judged by max and min, not by a norm that overflowed") {
    const recorder record =
        recorder().call("Torch.mul.0.forward", {good}, {good}).call("Torch.exp.0.forward", {good}, {infinite});
    const auto report = plumb::find_overflow(statistics_of(record, infinity));
    CHECK(sources_of(report) == names{"output 0 of Torch.exp.0.forward"});
    CHECK(!report.source->index);
    CHECK(!report.rows[0].found.from_data);
}

TEST_CASE("find_overflow: saturated values are counted apart, and are overflow where asked") {
    const recorder record = recorder().call("Torch.clamp.0.forward", {good}, {largest});
    const auto plain = plumb::find_overflow(record);
    CHECK(plain.sources.empty());
    REQUIRE(plain.rows.size() == 1);
    CHECK(plain.rows[0].found.statistics->saturated == 1);
    plumb::overflow_options options;
    options.saturation = true;
    CHECK(plumb::find_overflow(record, options).source->index == 1u);
    CHECK(plumb::find_overflow(statistics_of(record, 1), options).source.has_value());
}

TEST_CASE("find_overflow: of nested module calls the innermost is the source") {
    recorder record;
    record.call("Module.net.Net.forward.0", {good}, {infinite})
        .call("Module.net.fc.Linear.forward.0", {good}, {infinite})
        .call("Functional.linear.0.forward", {good}, {infinite})
        .inside("Functional.linear.0.forward", "Module.net.fc.Linear.forward.0")
        .inside("Module.net.fc.Linear.forward.0", "Module.net.Net.forward.0");
    const auto report = plumb::find_overflow(record);
    CHECK(sources_of(report) == names{"output 0 of Functional.linear.0.forward"});
    CHECK(report.inherited == names{"Module.net.Net.forward.0", "Module.net.fc.Linear.forward.0"});
}

TEST_CASE("find_overflow: a module in which a constant is written is no source either") {
    recorder record;
    record.call("Module.net.Mask.forward.0", {good}, {masked})
        .call("Tensor.masked_fill.0.forward", {good}, {masked})
        .inside("Tensor.masked_fill.0.forward", "Module.net.Mask.forward.0");
    CHECK(plumb::find_overflow(record).sources.empty());
}

TEST_CASE("find_overflow: an exchange with other ranks inherits from the rank that is the source") {
    recorder zero(0), one(1);
    zero.call("Distributed.all_reduce.0.forward", {good}, {infinite});
    one.call("Torch.exp.0.forward", {good}, {infinite}).call("Distributed.all_reduce.0.forward", {infinite}, {infinite});
    const auto spread = plumb::find_overflow(recorder::dump_of({zero.rank(), one.rank()}));
    CHECK(sources_of(spread) == names{"output 0 of Torch.exp.0.forward"});
    CHECK(spread.source->rank == 1);

    recorder other(1); // both finite: the sum itself overflows
    other.call("Distributed.all_reduce.0.forward", {good}, {infinite});
    const auto sum = plumb::find_overflow(recorder::dump_of({zero.rank(), other.rank()}));
    CHECK(sum.source->rank == 0);
    CHECK(sum.sources.size() == 2);
}

TEST_CASE("find_overflow: tensors that can't be judged are told, and are never a silent pass") {
    recorder record;
    record.call("Torch.mul.0.forward", {good}, {good});
    plumb::dump d = record;
    d.ranks[0].entries[1].value = std::nullopt;
    d.ranks[0].entries[1].file = "no-such-file.npy";
    const auto report = plumb::find_overflow(d);
    CHECK(report.unjudged == 1);
    CHECK(report.warnings.size() == 1);
    CHECK(plumb::exit_status(report) == 3);
    CHECK(plumb::exit_status(plumb::find_overflow(plumb::dump())) == 2);
}

TEST_CASE("find_overflow: results do not depend on the number of threads") {
    recorder record;
    for (int i = 0; i < 50; ++i)
        record.call("Torch.mul." + std::to_string(i) + ".forward", {good}, {i % 7 == 3 ? infinite : good});
    plumb::overflow_options options;
    options.jobs = 1;
    const names expected = sources_of(plumb::find_overflow(record, options));
    CHECK(expected.size() == 7);
    options.jobs = 5;
    CHECK(sources_of(plumb::find_overflow(record, options)) == expected);
}
