// The hand-made cases with exact answers: tests/data/cases.
#include "program.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

using program::contains;
using program::object_in;
using program::result;
using program::run;
using program::text_of;
using rapidjson::Value;

namespace {

const std::filesystem::path folder = program::data / "cases";

const rapidjson::Document& cases() {
    static const rapidjson::Document all = [] {
        rapidjson::Document document;
        document.Parse<rapidjson::kParseFullPrecisionFlag>(program::content_of(folder / "cases.json").c_str());
        return document;
    }();
    return all;
}

std::vector<const Value*> cases_of(const std::string& group) {
    std::vector<const Value*> found;
    for (const Value& each : cases()["cases"].GetArray())
        if (text_of(each["group"]) == group) found.push_back(&each);
    return found;
}

std::string path_in(const Value& text) { return (folder / text_of(text)).string(); }

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

void check_message(const Value& expect, const result& answer) {
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    const std::string message = lower(answer.err);
    const auto ideas = expect["must_mention"].GetArray();
    CHECK(std::any_of(ideas.begin(), ideas.end(), [&](const Value& idea) { return contains(message, lower(text_of(idea))); }));
    CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 1);
}

/// Expected numbers are {"dec": …, "hex": …}, the same double twice; "nan" and "inf" have no hex.
void check_number(const Value& expect, const Value& found) {
    if (!expect.HasMember("hex")) {
        CHECK(text_of(expect["dec"]) == text_of(found));
        return;
    }
    REQUIRE(found.IsNumber());
    CHECK(found.GetDouble() == std::strtod(expect["hex"].GetString(), nullptr));
}

void check_index(const Value& expect, const Value& found) {
    CHECK(expect.IsNull() == found.IsNull());
    if (!expect.IsNull()) CHECK(expect.GetUint64() == found.GetUint64());
}

void check_verdict(const Value& expect, const Value& found) {
    const std::string word = text_of(found);
    if (expect.IsNull())
        CHECK(word == "undefined");
    else
        CHECK(word == (text_of(expect) == "Yes" ? "pass" : "fail"));
}

void check_metrics(const Value& expect, const Value& found) {
    CHECK(found["count"].GetUint64() == expect["count"].GetUint64());
    CHECK(found["finite_pairs"].GetUint64() == expect["finite_pairs"].GetUint64());
    for (const char* side : {"actual", "reference"})
        for (const char* kind : {"nan", "pos_inf", "neg_inf"})
            CHECK(found["nonfinite"][side][kind].GetUint64() == expect["nonfinite"][side][kind].GetUint64());
    CHECK(found["nonfinite"]["matched"].GetUint64() == expect["nonfinite_matched"].GetUint64());
    CHECK(found["nonfinite"]["mismatched"].GetUint64() == expect["nonfinite_mismatched"].GetUint64());
    check_index(expect["first_nonfinite_mismatch_index"], found["nonfinite"]["first_mismatch_index"]);
    CHECK(found["differing"].GetUint64() == expect["differing_elements"].GetUint64());
    check_index(expect["first_differing_index"], found["first_differing_index"]);
    check_number(expect["cosine"], found["cosine"]);
    check_verdict(expect["verdict"], found["verdict"]);
    if (!expect.HasMember("max_abs")) return; // without a finite pair there is no more
    check_number(expect["max_abs"], found["max_abs_err"]);
    check_index(expect["max_abs_index"], found["max_abs_err_index"]);
    check_number(expect["max_rel"], found["max_rel_err"]);
    check_index(expect["max_rel_index"], found["max_rel_err_index"]);
    CHECK(found["zero_reference"].GetUint64() == expect["zero_reference_nonzero_actual"].GetUint64());
    const Value& extra = expect["extra"];
    check_number(extra["mean_abs"], found["mean_abs_err"]);
    check_number(extra["rmse"], found["rmse"]);
    if (extra.HasMember("relative_l2")) check_number(extra["relative_l2"], found["rel_l2_err"]);
}

const Value& row_of(const Value& rows, const Value& wanted) {
    for (const Value& row : rows.GetArray())
        if (row["operator"] == wanted["op"] && row["kind"] == wanted["kind"] && row["slot"] == wanted["slot"]) return row;
    throw std::runtime_error("no row of " + text_of(wanted["op"]));
}

} // namespace

TEST_CASE("plumb metrics: every number, index, count and verdict of the hand-made pairs is exact") {
    std::size_t count = 0;
    for (const Value* each : cases_of("values")) {
        ++count;
        const Value &one = *each, &expect = one["expect"];
        INFO(text_of(one["id"]) << ": " << text_of(one["about"]));
        const std::vector<std::string> arguments{"metrics",
                                                 path_in(one["actual"]["file"]),
                                                 path_in(one["reference"]["file"]),
                                                 "--actual-dtype",
                                                 text_of(one["actual"]["dtype"]),
                                                 "--reference-dtype",
                                                 text_of(one["reference"]["dtype"])};
        if (expect.HasMember("error")) {
            check_message(expect, run(arguments));
            continue;
        }
        auto with_json = arguments;
        with_json.push_back("--json");
        const result answer = run(with_json);
        check_metrics(expect, object_in(answer));
        CHECK(answer.status == (expect["verdict"].IsNull() ? 3 : text_of(expect["verdict"]) == "Yes" ? 0 : 1));
        CHECK(answer.err.empty());
    }
    CHECK(count == 28);
}

TEST_CASE("plumb metrics, plumb stats: a file that lies ends in one line that says how, and status 2") {
    std::size_t count = 0;
    for (const Value* each : cases_of("files")) {
        ++count;
        INFO(text_of((*each)["id"]) << ": " << text_of((*each)["about"]));
        const std::string file = path_in((*each)["input"]["file"]);
        const std::string good = (folder / "data" / "v01-f32-close_reference.npy").string();
        check_message((*each)["expect"], run({"metrics", file, good}));
        check_message((*each)["expect"], run({"metrics", good, file}));
        check_message((*each)["expect"], run({"stats", file}));
        CHECK(contains(run({"stats", file}).err, file));
    }
    CHECK(count == 8);
}

TEST_CASE("plumb compare: rows, first diverging operator, warnings and names of the hand-made folders are as expected") {
    std::size_t count = 0;
    for (const Value* each : cases_of("folders")) {
        ++count;
        const Value &one = *each, &expect = one["expect"];
        INFO(text_of(one["id"]) << ": " << text_of(one["about"]));
        const result answer = run({"compare", path_in(one["actual_dir"]), path_in(one["reference_dir"]), "--json"});
        const auto found = object_in(answer);

        bool any_fails = false;
        for (const Value& wanted : expect["rows"].GetArray()) {
            const Value& row = row_of(found["rows"], wanted);
            if (!wanted.HasMember("cosine")) continue;
            check_number(wanted["cosine"], row["cosine"]);
            check_number(wanted["max_abs"], row["max_abs_err"]);
            check_number(wanted["max_rel"], row["max_rel_err"]);
            check_verdict(wanted["verdict"], row["verdict"]);
            any_fails = any_fails || text_of(row["verdict"]) == "fail";
        }
        CHECK(answer.status == (any_fails ? 1 : 0));

        if (const Value& first = expect["first_bad"]; first.IsNull()) {
            CHECK(found["first_diverging"].IsNull());
        } else {
            CHECK(found["first_diverging"]["operator"] == first["op"]);
            CHECK(found["first_diverging"]["kind"] == first["kind"]);
            CHECK(found["first_diverging"]["slot"] == first["slot"]);
            if (first["its_inputs_are_good"].GetBool())
                CHECK(contains(text_of(found["first_diverging"]["why"]), "its only input is equal"));
        }
        if (expect.HasMember("unmatched_reference")) {
            std::vector<std::string> names;
            for (const Value& entry : expect["unmatched_reference"].GetArray())
                names.push_back(text_of(entry[0]) + '.' + text_of(entry[1]) + '.' + std::to_string(entry[2].GetUint64()));
            std::vector<std::string> unmatched;
            for (const Value& name : found["unmatched"]["reference"].GetArray()) unmatched.push_back(text_of(name));
            CHECK(unmatched == names);
            CHECK(found["summary"]["unmatched"].GetUint64() == names.size());
            REQUIRE(found["warnings"].Size() == 2);
            CHECK(contains(text_of(found["warnings"][0]), "the last line is incomplete"));
            CHECK(contains(text_of(found["warnings"][1]), "entries of the reference have no partner"));
            CHECK(contains(answer.err, "the last line is incomplete"));
        } else {
            CHECK(found["warnings"].Empty());
        }
    }
    CHECK(count == 4);
}
