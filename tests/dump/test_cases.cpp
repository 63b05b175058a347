// The file cases of tests/data/cases: files that are read, and files that lie.
#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/read_dump.hpp>
#include <plumb/dump/read_tensor.hpp>

#include <rapidjson/document.h>

#include <set>

namespace {

rapidjson::Document cases() {
    rapidjson::Document document;
    document.Parse(test::bytes_of(test::data_folder / "cases/cases.json").c_str());
    return document;
}

plumb::tensor read(const rapidjson::Value& side) {
    plumb::read_options options;
    options.type = plumb::parse_dtype(side["dtype"].GetString());
    return plumb::read_tensor(test::data_folder / "cases" / side["file"].GetString(), options);
}

} // namespace

TEST_CASE("cases: every file that lies is an error that conveys what is wrong and names the file") {
    const rapidjson::Document document = cases();
    std::size_t seen = 0;
    for (const auto& each : document["cases"].GetArray()) {
        if (std::string(each["group"].GetString()) != "files") continue;
        const std::string file = each["input"]["file"].GetString();
        const std::string error = test::error_of([&] { plumb::read_tensor(test::data_folder / "cases" / file); });
        CAPTURE(file, error);
        CHECK(test::contains(error, file));
        bool conveyed = false;
        for (const auto& idea : each["expect"]["must_mention"].GetArray())
            conveyed = conveyed || test::contains(error, idea.GetString());
        CHECK(conveyed);
        ++seen;
    }
    CHECK(seen == 8);
}

TEST_CASE("cases: every other file is read, with the dtype and shape that the case tells") {
    const rapidjson::Document document = cases();
    std::size_t seen = 0;
    for (const auto& each : document["cases"].GetArray()) {
        if (std::string(each["group"].GetString()) != "values") continue;
        for (const char* side : {"actual", "reference"}) {
            CAPTURE(each["id"].GetString(), side);
            const plumb::tensor tensor = read(each[side]);
            CHECK(tensor.type() == plumb::parse_dtype(each[side]["dtype"].GetString()));
            plumb::extents shape;
            for (const auto& length : each[side]["shape"].GetArray()) shape.push_back(length.GetInt64());
            CHECK(tensor.shape() == shape);
            ++seen;
        }
    }
    CHECK(seen >= 48);
}

TEST_CASE("cases: Fortran order, big-endian, version 2 and odd layouts hold the values of their plain partners") {
    const test::fs::path folder = test::data_folder / "cases/data";
    for (const char* name : {"f02-big-endian", "f04-header-layout"}) {
        const auto actual = plumb::read_tensor(folder / (std::string(name) + "_actual.npy"));
        CHECK(test::packed(actual) == test::packed(plumb::read_tensor(folder / (std::string(name) + "_reference.npy"))));
    }
    // One element differs, at index 6 by 0.5: see the case.
    const auto a = test::values<float>(plumb::read_tensor(folder / "f01-fortran_actual.npy"));
    const auto b = test::values<float>(plumb::read_tensor(folder / "f01-fortran_reference.npy"));
    REQUIRE(a.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) CHECK(std::abs(a[i] - b[i]) == (i == 6 ? 0.5f : 0.0f));
}

TEST_CASE("cases: a torn index is read up to its last whole line, with a warning") {
    const plumb::dump actual = plumb::read_dump(test::data_folder / "cases/data/d03-torn-index/actual");
    REQUIRE(actual.ranks.size() == 1);
    CHECK(actual.ranks[0].entries.size() == 6);
    REQUIRE(actual.warnings.size() == 1);
    CHECK(test::contains(actual.warnings[0], "the last line is incomplete"));
    CHECK(plumb::read_dump(test::data_folder / "cases/data/d03-torn-index/reference").warnings.empty());
}

TEST_CASE("cases: odd names survive") {
    const plumb::dump actual = plumb::read_dump(test::data_folder / "cases/data/d04-odd-names/actual");
    std::vector<std::string> names;
    for (const plumb::dump_entry& entry : actual.ranks.at(0).entries) names.push_back(entry.op);
    CHECK(names ==
          std::vector<std::string>{"conv 1, \"main\"", "=SUM(A1)", "blk/0:attn", "层.归一化", "tab\there", "line\nbreak"});
}
