// The data files of the seed tools' own tests, read where they are: the folder that PLUMB_SEED_FIXTURES names, or
// ../shared/fixtures/seed beside the source tree. Without it there is nothing to test.
#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/load.hpp>
#include <plumb/dump/read_dump.hpp>
#include <plumb/dump/read_tensor.hpp>

#include <map>

namespace {

test::fs::path fixtures() {
    if (const char* named = std::getenv("PLUMB_SEED_FIXTURES")) return named;
    return test::data_folder / "../../../shared/fixtures/seed";
}
bool absent() {
    if (test::fs::is_directory(fixtures())) return false;
    WARN("skipped: no seed fixtures at " << fixtures().string());
    return true;
}

} // namespace

TEST_CASE("seed fixtures: every file is read, or named as what it is") {
    if (absent()) return;
    std::size_t read = 0, named = 0;
    for (const auto& each : test::fs::recursive_directory_iterator(fixtures())) {
        if (!each.is_regular_file()) continue;
        const std::string name = each.path().filename().string();
        CAPTURE(each.path().string());
        const std::string error = test::error_of([&] { plumb::read_dump(each.path()); });
        const auto extension = each.path().extension();
        const bool data = extension == ".pkl" || extension == ".npy" || name == "dump.json" || name == "forward.json" ||
                          name.compare(0, 8, "api_info") == 0;
        if (data) CHECK(error == "");
        const char* expected = extension == ".csv"                ? "a table, the results of a comparison, not a dump"
                               : extension == ".yaml"             ? "a mapping or configuration (YAML), not a dump"
                               : name == "advisor.txt"            ? "advice from a comparison, not a dump"
                               : name == "config.json"            ? "a configuration of msprobe, not a dump"
                               : name == "test_no_dump_data.json" ? "holds no dump data"
                               : name == "stack.json"             ? "the stacks of a dump"
                               : name == "construct.json"         ? "the module tree of a dump"
                                                                  : "";
        CHECK(test::contains(error, expected));
        ++(error.empty() ? read : named);
    }
    CHECK(read >= 12);
    CHECK(named >= 20);
}

TEST_CASE("seed fixtures: the old .pkl with three statistics") {
    if (absent()) return;
    const plumb::dump dump = plumb::read_dump(fixtures() / "att_ptdbg/npu_test.pkl");
    const auto& entries = dump.ranks.at(0).entries;
    REQUIRE(entries.size() == 8);
    CHECK(entries[0].op == "Functional_linear_0_forward");
    CHECK(std::get<double>(entries[0].stats->mean) == -0.2003595232963562);
    CHECK(std::holds_alternative<std::monostate>(entries[0].stats->norm));
}

TEST_CASE("seed fixtures: a large model in two frameworks, with stacks of the old layout and module trees") {
    if (absent()) return;
    for (const auto& [side, count] : {std::pair("pytorch_data", 71), std::pair("mindspore_data", 44)}) {
        const plumb::dump dump = plumb::read_dump(fixtures() / "msprobe/mindspore_ut/compare/dump_file" / side);
        const plumb::rank_dump& rank = dump.ranks.at(0);
        CHECK(rank.entries.size() == static_cast<std::size_t>(count));
        CHECK(rank.task == "statistics");
        CHECK(rank.stacks.size() >= 10);
        CHECK(rank.parents.size() == 10);
        for (const auto& [op, frames] : rank.stacks)
            for (const plumb::stack_frame& frame : frames) CHECK(frame.file != "");
        for (const plumb::dump_entry& entry : rank.entries)
            if (entry.shape) CHECK(entry.type.has_value()); // also MindSpore's "Float32", "BFloat16", "Bool"
    }
}

TEST_CASE("seed fixtures: an index finds its data beside it") {
    if (absent()) return;
    const auto folder = fixtures() / "msprobe/mindspore_ut/api_accuracy_checker/files";
    const plumb::dump dump = plumb::read_dump(folder / "api_info_tensor.json");
    const plumb::dump_entry& entry = dump.ranks.at(0).entries.at(0);
    CHECK(test::values<float>(plumb::load(entry)) == std::vector<float>{1, 2, 3, 1, 2, 3});
}

TEST_CASE("seed fixtures: a run of two ranks") {
    if (absent()) return;
    const plumb::dump dump = plumb::read_dump(fixtures() / "msprobe/visualization_ut/input_format_correct");
    REQUIRE(dump.ranks.size() == 2);
    CHECK(dump.ranks[1].rank == 1);
}
