#include "documented_output.hpp"
#include "program.hpp"

#include <algorithm>
#include <string>
#include <vector>

using program::contains;
using program::keys_of;
using program::object_in;
using program::run;
using program::text_of;
using rapidjson::Value;
using words = std::vector<std::string>;

namespace {

std::string dump(const std::string& name) { return (program::data / "dumps" / name).string(); }
std::string made(const std::string& name) { return (program::data / "cases/data" / name).string(); }

words names_in(const Value& list) {
    words names;
    for (const Value& each : list.GetArray()) names.push_back(text_of(each["operator"]));
    return names;
}

} // namespace

TEST_CASE("plumb compare: names the first diverging operator and all sources of every recorded pair") {
    const words linears{"Functional.linear.0.forward", "Functional.linear.1.forward", "Functional.linear.2.forward"};
    const words softmax{"Functional.softmax.0.forward"};
    for (const std::string tool : {"msprobe_tensor", "msprobe_statistics", "msprobe_md5", "ptdbg"}) {
        INFO(tool);
        const std::string bench = dump("attention/" + tool + "/bench");
        for (const bool bug : {false, true}) {
            words expected = bug ? softmax : linears;
            if (tool == "ptdbg")
                for (std::string& name : expected) std::replace(name.begin(), name.end(), '.', '_');
            const auto answer = run({"compare", dump("attention/" + tool + (bug ? "/npu_bug" : "/npu")), bench, "--json"});
            const auto found = object_in(answer);
            CHECK(text_of(found["first_diverging"]["operator"]) == expected.front());
            CHECK(names_in(found["sources"]) == expected);
            CHECK(answer.err.empty());
        }
    }
}

TEST_CASE("plumb compare: pairs ranks by number, and reports an identical one as such") {
    const auto answer = run({"compare", dump("ranks/mixed"), dump("ranks/bench"), "--json"});
    const auto found = object_in(answer);
    CHECK(found["per_rank"]["0"].IsNull());
    CHECK(text_of(found["per_rank"]["1"]["operator"]) == "Functional_softmax_0_forward");
    CHECK(found["first_diverging"]["rank"].GetInt() == 1);
    CHECK(answer.status == 0); // softmax passes the rule: a first diverging operator changes no status

    const auto text = run({"compare", dump("ranks/mixed"), dump("ranks/bench")});
    CHECK(contains(text.out, "rank 0  none: identical\n"));
    CHECK(contains(text.out, "rank 1  Functional_softmax_0_forward  output 0\n"));
    CHECK(contains(run({"compare", dump("ranks/npu"), dump("ranks/bench")}).out,
                   "ranks 0-1  Functional_linear_0_forward  output 0\n"));
}

TEST_CASE("plumb compare --json: has the documented members in the documented order") {
    const auto found = object_in(run({"compare", made("d01-first-bad/actual"), made("d01-first-bad/reference"), "--json"}));
    CHECK(keys_of(found) == words{"rows", "unmatched", "first_diverging", "per_rank", "sources", "warnings", "summary"});
    CHECK(keys_of(found["rows"][0]) == test::row_members());
    CHECK(keys_of(found["first_diverging"]) == words{"rank", "operator", "call", "kind", "slot", "why"});
    CHECK(keys_of(found["sources"][0]) == words{"rank", "operator", "call", "why"});
    CHECK(keys_of(found["summary"]) == words{"rows", "pass", "warn", "fail", "undefined", "unmatched", "errors"});
    CHECK(found["rows"].Size() == 10);
}

TEST_CASE("plumb compare: prints summary, first diverging operator with its evidence, and the worst rows first") {
    const auto answer = run({"compare", made("d01-first-bad/actual"), made("d01-first-bad/reference"), "--rows", "3"});
    CHECK(answer.status == 1);
    CHECK(contains(answer.out, "10 tensors: 6 pass, 0 warn, 4 fail, 0 undefined\n"));
    CHECK(contains(answer.out, "\nfirst diverging operator\n  layer2.mul  output 0\n    its only input is equal"));
    const std::size_t table = answer.out.find("\nworst rows, all f32\n");
    REQUIRE(table != std::string::npos);
    CHECK(std::count(answer.out.begin() + static_cast<std::ptrdiff_t>(table), answer.out.end(), '\n') == 6); // titles and 3 rows
    CHECK(answer.out.find("fail     layer2.mul.output.0") > table);
    CHECK(answer.out.find('\x1b') == std::string::npos); // no colours where there is no terminal
}

TEST_CASE("plumb compare -o: writes a table that reads back the same names, and never replaces one") {
    const program::temporary_folder folder;
    const std::string inside = (folder / "new/tables").string();
    for (int i = 0; i < 3; ++i)
        CHECK(run({"compare", made("d04-odd-names/actual"), made("d04-odd-names/reference"), "-o", inside}).status == 0);
    std::vector<std::filesystem::path> files;
    for (const auto& each : std::filesystem::directory_iterator(inside)) files.push_back(each.path());
    REQUIRE(files.size() == 3);
    CHECK(files[0].filename().string().find("compare_result_2") == 0);

    const std::string text = program::content_of(files[0]);
    const auto records = test::parse_csv(text);
    REQUIRE(records.size() == 7);
    const auto column = std::find(records[0].begin(), records[0].end(), "operator") - records[0].begin();
    words names;
    for (std::size_t i = 1; i < records.size(); ++i) names.push_back(records[i][static_cast<std::size_t>(column)]);
    CHECK(names == words{"conv 1, \"main\"", "=SUM(A1)", "blk/0:attn", "层.归一化", "tab\there", "line\nbreak"});
}

TEST_CASE("plumb compare -o: the seed tools' styles write one file a rank, named as they name it") {
    const program::temporary_folder folder;
    const auto names_after = [&](const std::string& style) {
        const std::string into = (folder / style).string();
        CHECK(run({"compare", dump("ranks/npu"), dump("ranks/bench"), "-o", into, "--style", style}).status == 0);
        words names;
        for (const auto& each : std::filesystem::directory_iterator(into)) names.push_back(each.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    };
    const words ptdbg = names_after("ptdbg"), msprobe = names_after("msprobe");
    REQUIRE(ptdbg.size() == 2);
    CHECK(ptdbg[0].find("compare_result_rank0-rank0_") == 0);
    CHECK(ptdbg[1].find("compare_result_rank1-rank1_") == 0);
    REQUIRE(msprobe.size() == 2);
    CHECK(msprobe[1].find("compare_result_rank1_") == 0);
    const std::string text = program::content_of(folder / "ptdbg" / ptdbg[0]);
    CHECK(text.find(
              "NPU Name,Bench Name,NPU Tensor Dtype,Bench Tensor Dtype,NPU Tensor Shape,Bench Tensor Shape,Cosine,MaxAbsErr,") ==
          0);
}

TEST_CASE("plumb compare --rule, --map: judge by another rule, and pair names that differ") {
    const auto pair = words{"compare", made("d01-first-bad/actual"), made("d01-first-bad/reference"), "--json"};
    auto strict = pair;
    strict.insert(strict.end(), {"--rule", "bitwise"});
    CHECK(object_in(run(strict))["summary"]["fail"].GetInt() == 5); // row 10 passes ptdbg's rule, but differs
    auto lax = pair;
    lax.insert(lax.end(), {"--rule", "ptdbg(min_cosine=0,close_cosine=0,max_abs_err=100)"});
    CHECK(run(lax).status == 0);

    const program::temporary_folder folder;
    std::filesystem::copy(made("d01-first-bad/actual"), folder / "renamed");
    std::string index = program::content_of(folder / "renamed/index.jsonl");
    for (std::size_t at = 0; (at = index.find("layer", at)) != std::string::npos; at += 5) index.replace(at, 5, "block");
    std::ofstream(folder / "renamed/index.jsonl") << index;
    std::ofstream(folder / "map.json")
        << R"({"block0.mul": "layer0.mul", "block1.mul": "layer1.mul", "block2.mul": "layer2.mul", "block3.mul": "layer3.mul"})";
    const auto found = object_in(run({"compare", (folder / "renamed").string(), made("d01-first-bad/reference"), "--json",
                                      "--map", (folder / "map.json").string()}));
    CHECK(found["summary"]["unmatched"].GetInt() == 4); // layer4 and block4, input and output of each
    CHECK(text_of(found["first_diverging"]["operator"]) == "layer2.mul");
}

TEST_CASE("plumb compare: status 3 for what can't be judged, 2 where nothing can be compared") {
    const program::temporary_folder folder;
    std::filesystem::copy(made("d02-all-equal/actual"), folder / "actual");
    std::filesystem::remove(folder / "actual/0003.npy");
    const auto missing = run({"compare", (folder / "actual").string(), made("d02-all-equal/reference")});
    CHECK(missing.status == 3);
    CHECK(contains(missing.out, "1 undefined (1 unreadable)"));
    CHECK(contains(missing.out, "0003.npy: can't open"));

    CHECK(run({"compare", made("d04-odd-names/actual"), made("d01-first-bad/reference")}).status == 2);
    CHECK(contains(run({"compare", made("d04-odd-names/actual"), made("d01-first-bad/reference")}).err,
                   "nothing could be compared"));
    const auto nowhere = run({"compare", "no-such-folder", made("d01-first-bad/reference"), "--json"});
    CHECK(nowhere.status == 2);
    CHECK(keys_of(object_in(nowhere)) == words{"error"});
    CHECK(contains(nowhere.err, "no-such-folder"));
    CHECK(run({"compare", made("d01-first-bad/actual"), made("d01-first-bad/reference"), "-o", "/dev/null/folder"}).status == 2);
}

TEST_CASE("plumb compare: never calls identical what could not be read, and says why nothing was compared") {
    const program::temporary_folder folder;
    std::filesystem::copy(made("d02-all-equal/actual"), folder / "actual");
    for (const auto& file : folder.files_in("actual"))
        if (file.extension() == ".npy" && file.filename() != "0003.npy") std::filesystem::remove(file);
    const words pair{"compare", (folder / "actual").string(), made("d02-all-equal/reference")};
    const auto some = run(pair);
    CHECK(contains(some.out, "first diverging operator\n  none: no difference found, but 9 tensors could not be read\n"));
    auto as_json = pair;
    as_json.emplace_back("--json");
    CHECK(text_of(object_in(run(as_json))["warnings"][0]) == "rank 0: no difference found, but 9 tensors could not be read");

    std::filesystem::remove(folder / "actual/0003.npy");
    const auto none = run(pair);
    CHECK(none.status == 2);
    CHECK(contains(none.out, "  none: nothing was compared: 10 tensors could not be read\n"));
    CHECK(contains(none.err, "nothing could be compared: none of the 10 tensors that both have could be read (the first: "));
    CHECK(contains(none.err, "0000.npy: can't open"));
}

TEST_CASE("plumb compare: dumps whose statistics or checksums alone agree are not called identical") {
    const std::string statistics = dump("attention/msprobe_statistics/bench"), checksums = dump("attention/msprobe_md5/bench");
    CHECK(contains(run({"compare", statistics, statistics}).out, "  none: statistics agree; elements were not compared\n"));
    CHECK(contains(run({"compare", checksums, checksums}).out, "  none: checksums agree\n"));
    const std::string data = dump("attention/msprobe_tensor/bench");
    CHECK(contains(run({"compare", data, data}).out, "  none: identical\n"));
}

TEST_CASE("plumb compare: a later step keeps its certain source, beside the first that diverges") {
    const program::temporary_folder folder;
    const auto copy = [&](const std::string& name, const std::string& run_0, const std::string& run_1) {
        for (const auto& [step, from] : {std::pair("step0", run_0), std::pair("step1", run_1)}) {
            std::filesystem::create_directories(folder / name);
            std::filesystem::copy(dump("attention/msprobe_statistics/" + from + "/step0"), folder / name / step,
                                  std::filesystem::copy_options::recursive);
        }
        return (folder / name).string();
    };
    const std::string actual = copy("actual", "npu", "npu_bug"), reference = copy("reference", "bench", "bench");
    const auto text = run({"compare", actual, reference}).out;
    CHECK(contains(text, "step 0 rank 0  Functional.linear.0.forward  output 0\n"));
    CHECK(contains(text, "step 1 rank 0  Functional.softmax.0.forward  output 0\n"));
    const auto found = object_in(run({"compare", actual, reference, "--json"}));
    CHECK(found["first_diverging"]["step"].GetInt() == 0);
    CHECK(names_in(found["sources"]) == words{"Functional.linear.0.forward", "Functional.linear.1.forward",
                                              "Functional.linear.2.forward", "Functional.softmax.0.forward"});
    CHECK(found["sources"][3]["step"].GetInt() == 1);
    CHECK(text_of(found["per_step"]["1"]["0"]["operator"]) == "Functional.softmax.0.forward");
}

TEST_CASE("plumb compare --map: two names for one reference end it, a misspelt one is told") {
    const program::temporary_folder folder;
    const auto with_map = [&](const std::string& map) {
        std::ofstream(folder / "map.json") << map;
        const std::string bench = dump("attention/msprobe_statistics/bench");
        return run({"compare", bench, bench, "--map", (folder / "map.json").string()});
    };
    const auto clash = with_map(R"({"Functional.linear.1.forward": "Functional.linear.1.forward",
                                    "Functional.linear.0.forward": "Functional.linear.1.forward"})");
    CHECK(clash.status == 2);
    CHECK(contains(clash.err, "gives both Functional.linear.0.forward and Functional.linear.1.forward the reference's "
                              "Functional.linear.1.forward"));
    CHECK(contains(with_map(R"({"Functional.linaer": "Functional.linear"})").err,
                   "warning: the map of names: the actual dump has no Functional.linaer\n"));
}

TEST_CASE("plumb compare --jobs, --rows: anything but a whole number is refused") {
    for (const char* option : {"--jobs", "--rows"})
        for (const char* value : {"-1", "", "1.5", "two", "99999999999"}) {
            const auto answer = run({"compare", made("d02-all-equal/actual"), made("d02-all-equal/reference"), option, value});
            INFO(option << " '" << value << "': " << answer.err);
            CHECK(answer.status == 2);
            CHECK(contains(answer.err, option));
        }
}

TEST_CASE("plumb compare: results do not depend on the number of threads") {
    for (const std::string pair : {"attention/msprobe_tensor", "ranks"}) {
        const words arguments{"compare", dump(pair + "/npu"), dump(pair + "/bench"), "--json", "--jobs"};
        std::string first;
        for (const char* jobs : {"1", "2", "7"}) {
            auto with_jobs = arguments;
            with_jobs.emplace_back(jobs);
            const std::string out = run(with_jobs).out;
            if (first.empty()) first = out;
            CHECK(out == first);
        }
        CHECK(first.size() > 10000);
    }
}
