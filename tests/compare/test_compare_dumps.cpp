#include "catch.hpp"
#include "made_dump.hpp"
#include "recorded.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

using made::recorder;
using made::scalar_of;
using made::tensor_of;
using plumb::agreement;
using plumb::comparison_basis;
using plumb::outcome;

namespace {

/// The only row of two entries that `change` turns the same tensor's record into.
template <class Change>
plumb::comparison_row row_of(const Change& change) {
    recorder actual, reference;
    actual.call("F.a.0.forward", {}, {tensor_of({1, 2})});
    reference.call("F.a.0.forward", {}, {tensor_of({1, 2})});
    change(actual.rank().entries[0], reference.rank().entries[0]);
    const plumb::rule judge = plumb::rules::ptdbg();
    return plumb::entry_comparer(judge)({&actual.rank().entries[0], &reference.rank().entries[0]});
}

void index_only(plumb::dump_entry& entry) { entry.value = std::nullopt; }

} // namespace

TEST_CASE("entry_comparer: data are preferred to checksums, and those to statistics") {
    const auto with_all = [](plumb::dump_entry& a, plumb::dump_entry& b) {
        a.checksum = "00000000";
        b.checksum = "11111111";
        a.stats = plumb::recorded_statistics{1.0, 1.0, 1.0, 1.0};
        b.stats = plumb::recorded_statistics{9.0, 9.0, 9.0, 9.0};
    };
    CHECK(row_of([&](auto& a, auto& b) { with_all(a, b); }).judged.result() == outcome::pass);
    CHECK(row_of([&](auto& a, auto& b) { with_all(a, b); }).basis == comparison_basis::data);
    const auto checksum = row_of([&](auto& a, auto& b) { with_all(a, b), index_only(a), index_only(b); });
    CHECK(checksum.basis == comparison_basis::checksum);
    CHECK(checksum.judged.result() == outcome::warn);
    const auto statistics = row_of([&](auto& a, auto& b) { with_all(a, b), index_only(a), index_only(b), b.checksum.clear(); });
    CHECK(statistics.basis == comparison_basis::statistics);
    CHECK(statistics.judged.result() == outcome::warn);
    const auto nothing = row_of([&](auto& a, auto& b) { index_only(a), index_only(b); });
    CHECK(nothing.basis == comparison_basis::nothing);
    CHECK(nothing.judged.result() == outcome::undefined);
}

TEST_CASE("entry_comparer: checksums of different types say nothing") {
    const auto row = row_of([](auto& a, auto& b) {
        index_only(a), index_only(b);
        a.checksum = "00000000", b.checksum = "11111111";
        a.type = plumb::dtype::f16;
    });
    CHECK(row.judged.result() == outcome::undefined);
}

TEST_CASE("entry_comparer: data meet statistics by their own statistics") {
    const auto row = row_of([](auto&, auto& b) {
        index_only(b);
        b.stats = plumb::recorded_statistics{2.0, 1.0, 1.5, 2.2360679774997898};
    });
    CHECK(row.basis == comparison_basis::statistics);
    CHECK(row.agrees == agreement::same);
}

TEST_CASE("entry_comparer: a shape mismatch fails and says both shapes, with data and without") {
    const auto data = row_of([](auto& a, auto&) { a.value = tensor_of({1, 2}, {2, 1}), a.shape = plumb::extents{2, 1}; });
    CHECK(data.judged.reason() == "fail: shape [2, 1] against reference [2]");
    const auto index = row_of([](auto& a, auto& b) { index_only(a), index_only(b), a.shape = plumb::extents{2, 1}; });
    CHECK(index.judged.reason() == "fail: shape [2, 1] against reference [2]");
    CHECK(index.agrees == agreement::different);
}

TEST_CASE("entry_comparer: texts and absent arguments are compared as such") {
    const auto text = [](const std::string& a_text, const std::string& b_text) {
        return row_of([&](auto& a, auto& b) {
            for (auto* each : {&a, &b}) index_only(*each), each->shape.reset(), each->type.reset();
            a.text = a_text, b.text = b_text;
        });
    };
    CHECK(text("\"sum\"", "\"sum\"").judged.result() == outcome::pass);
    CHECK(text("\"sum\"", "\"mean\"").judged.result() == outcome::fail);
    CHECK(text("", "").judged.result() == outcome::pass);
    CHECK(text("", "\"mean\"").judged.result() == outcome::fail);
}

TEST_CASE("entry_comparer: scalars in the index are compared as tensors without dimensions") {
    const auto row = row_of([](auto& a, auto& b) {
        for (auto* each : {&a, &b}) each->shape.reset();
        a.value = scalar_of(0.5), b.value = scalar_of(0.25);
    });
    CHECK(row.report->max_abs_err == 0.25);
    CHECK(row.agrees == agreement::different);
}

TEST_CASE("compare: a file that is missing is a row with an error, and all others are compared") {
    recorder actual, reference;
    for (recorder* each : {&actual, &reference}) each->call("F.a.0.forward", {tensor_of({1, 2})}, {tensor_of({3, 4})});
    actual.rank().entries[0].value = std::nullopt;
    actual.rank().entries[0].file = "no/such/file.npy";
    const auto result = plumb::compare(actual, reference);
    REQUIRE(result.rows.size() == 2);
    CHECK(result.rows[0].error.find("file.npy") != std::string::npos);
    CHECK(result.rows[0].judged.result() == outcome::undefined);
    CHECK(result.rows[1].judged.passed());
    CHECK(result.summary.errors == 1);
    CHECK(plumb::exit_status(result) == 3);
}

TEST_CASE("exit_status: 0 passed, 1 failed, 2 nothing to compare, 3 not all could be judged") {
    const auto made = [](float value, const std::string& op = "F.a.0.forward") {
        recorder record;
        record.call(op, {}, {tensor_of({value, 1})});
        return record;
    };
    CHECK(plumb::exit_status(plumb::compare(made(1), made(1))) == 0);
    CHECK(plumb::exit_status(plumb::compare(made(9), made(1))) == 1);
    CHECK(plumb::exit_status(plumb::compare(made(1), made(1, "F.b.0.forward"))) == 2);
    CHECK(plumb::exit_status(plumb::compare(plumb::dump{}, plumb::dump{})) == 2);
    CHECK(plumb::exit_status(plumb::compare(made(1).call("F.b.0.forward", {}, {tensor_of({1})}), made(1))) == 3);
    CHECK(plumb::exit_status(plumb::compare(made(9).call("F.b.0.forward", {}, {tensor_of({1})}), made(1))) == 1);
}

TEST_CASE("compare: uses the rule and the names it is given, and tells how far it is") {
    recorder actual, reference;
    actual.call("N.linear.0.forward", {}, {tensor_of({1, 2.0625f})});
    reference.call("F.linear.0.forward", {}, {tensor_of({1, 2})});
    plumb::compare_options options;
    options.names = {{"N.linear", "F.linear"}};
    options.judge = plumb::rules::allclose(0.01, 0.01);
    options.jobs = 3;
    std::vector<std::size_t> seen;
    options.progress = [&](std::size_t done, std::size_t total) {
        seen.push_back(done);
        CHECK(total == 1);
    };
    const auto result = plumb::compare(actual, reference, options);
    CHECK(result.summary.fail == 1);
    CHECK(seen == std::vector<std::size_t>{1});
    options.judge = plumb::rules::allclose(0.1, 0.01);
    options.progress = nullptr;
    CHECK(plumb::compare(actual, reference, options).summary.pass == 1);
}

TEST_CASE("compare: an exception in the rule or the progress ends it, whatever the thread") {
    recorder record = made::train(made::nothing);
    plumb::compare_options options;
    options.jobs = 4;
    options.progress = [](std::size_t, std::size_t) { throw std::runtime_error("stop"); };
    CHECK_THROWS_AS(plumb::compare(record, record, options), std::runtime_error);
}

TEST_CASE("compare: ranks without a number in common are paired in order, with a warning") {
    recorder actual(31337), reference(0);
    actual.call("F.a.0.forward", {}, {tensor_of({1})});
    reference.call("F.a.0.forward", {}, {tensor_of({1})});
    const auto result = plumb::compare(actual, reference);
    CHECK(result.summary.pass == 1);
    REQUIRE(result.warnings.size() == 1);
    CHECK(result.warnings[0] == "rank 31337 is compared with the reference's rank 0");
}

TEST_CASE("compare: a rank on one side alone is warned of, and its entries are rows") {
    recorder zero(0), one(1);
    zero.call("F.a.0.forward", {}, {tensor_of({1})});
    one.call("F.a.0.forward", {}, {tensor_of({1})});
    const auto result = plumb::compare(recorder::dump_of({zero.rank(), one.rank()}), recorder::dump_of({zero.rank()}));
    CHECK(result.summary.rows == 2);
    CHECK(result.summary.unmatched == 1);
    CHECK(result.per_rank.count(1) == 0);
    CHECK(result.warnings.front() == "rank 1 of step 0 is in the actual dump alone");
}

TEST_CASE("compare: warnings of the readers say which side they are about") {
    plumb::dump actual, reference;
    actual.warnings = {"torn"};
    reference.warnings = {"odd"};
    CHECK(plumb::compare(actual, reference).warnings == std::vector<std::string>{"actual: torn", "reference: odd"});
}

TEST_CASE("read_name_map: reads an object of names, and says what is wrong with anything else") {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const auto write = [&](const std::string& text) {
        const std::filesystem::path path = folder / "plumb-test-name-map.json";
        std::ofstream(path, std::ios::binary) << text;
        return path;
    };
    CHECK(plumb::read_name_map(write("{\"a\": \"b\", \"c.0.forward\": \"d.1.forward\"}")) ==
          plumb::name_map{{"a", "b"}, {"c.0.forward", "d.1.forward"}});
    CHECK_THROWS_AS(plumb::read_name_map(write("{\"a\": 1}")), plumb::io_error);
    CHECK_THROWS_AS(plumb::read_name_map(write("[1]")), plumb::io_error);
    CHECK_THROWS_AS(plumb::read_name_map(write("{")), plumb::io_error);
    CHECK_THROWS_AS(plumb::read_name_map(folder / "plumb-test-no-such-map.json"), plumb::io_error);
    std::filesystem::remove(folder / "plumb-test-name-map.json");
}
