#include "catch.hpp"
#include "documented_output.hpp"
#include "made_dump.hpp"
#include "recorded.hpp"

#include <plumb/dump/json_reader.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

using made::recorder;
using made::tensor_of;

namespace {

std::string json_of(const plumb::comparison& result) {
    std::ostringstream text;
    plumb::write_json(text, result);
    return text.str();
}

std::vector<std::string> keys_of(const std::string& json, const std::string& inside) {
    std::vector<std::string> keys;
    plumb::file_bytes file;
    file.path = "test.json";
    file.data = json.data();
    file.size = json.size();
    plumb::read_json_members(file, {}, [&](std::string_view, std::string_view key, plumb::json_value value) {
        if (inside.empty()) keys.emplace_back(key);
        if (key != inside) return;
        bool first = true;
        const auto take = [&](std::string_view name, plumb::json_value) { keys.emplace_back(name); };
        if (value.is_object()) value.for_each_member(take);
        value.for_each([&](plumb::json_value element) {
            if (first) element.for_each_member(take);
            first = false;
        });
    });
    return keys;
}

using names = std::vector<std::string>;

plumb::comparison with_a_fault() {
    recorder actual, reference;
    actual.call("F.a.0.forward", {tensor_of({1, 2})}, {tensor_of({3, std::numeric_limits<float>::infinity()})});
    reference.call("F.a.0.forward", {tensor_of({1, 2})}, {tensor_of({3, 4})});
    reference.call("F.b.0.forward", {tensor_of({1, 2})}, {});
    return plumb::compare(actual, reference);
}

} // namespace

TEST_CASE("write_json: has the documented keys, in order") {
    const std::string json = json_of(with_a_fault());
    CHECK(keys_of(json, "") == names{"rows", "unmatched", "first_diverging", "per_rank", "sources", "warnings", "summary"});
    CHECK(keys_of(json, "rows") == test::row_members());
    CHECK(keys_of(json, "first_diverging") == names{"rank", "operator", "kind", "slot", "why"});
    CHECK(keys_of(json, "sources") == names{"rank", "operator", "why"});
    CHECK(keys_of(json, "unmatched") == names{"actual", "reference"});
    CHECK(keys_of(json, "summary") == names{"rows", "pass", "warn", "fail", "undefined", "unmatched", "errors"});
    CHECK(keys_of(json, "per_rank") == names{"0"});
}

TEST_CASE("write_json: writes slots, absent names and what does not apply as documented") {
    recorder actual, reference;
    reference.call("F.a.0.forward", {}, {tensor_of({1}), tensor_of({2})});
    reference.rank().entries[0].slot = "3.0";
    const std::string json = json_of(plumb::compare(actual, reference));
    CHECK(json.find("\"slot\": \"3.0\", \"actual_name\": null, \"reference_name\": \"F.a.0.forward.output.0\"") !=
          std::string::npos);
    CHECK(json.find("\"slot\": 1, ") != std::string::npos);
    CHECK(json.find("\"cosine\": null") != std::string::npos);
    CHECK(json.find("\"verdict\": \"undefined\"") != std::string::npos);
    CHECK(json.find("\"first_diverging\": null") != std::string::npos);
    CHECK(json.find("\"stats\": {\"actual\": null, \"reference\": null}") != std::string::npos);
}

TEST_CASE("write_json: non-finite numbers are words, and 17 digits bring a double back") {
    recorder actual, reference;
    actual.call("F.a.0.forward", {}, {tensor_of({0.1f, 1})});
    reference.call("F.a.0.forward", {}, {tensor_of({0, 1})});
    const std::string json = json_of(plumb::compare(actual, reference));
    CHECK(json.find("\"max_rel_err\": \"inf\"") != std::string::npos);
    CHECK(json.find("\"max_abs_err\": 0.10000000149011612") != std::string::npos);
}

TEST_CASE("write_json: every recorded pair gives valid JSON") {
    for (const char* pair :
         {"dumps/attention/msprobe_md5", "dumps/attention/msprobe_statistics", "dumps/overflow/ptdbg", "dumps/ranks"})
        CHECK(keys_of(json_of(recorded::compare(std::string(pair) + "/npu", std::string(pair) + "/bench")), "").size() == 7);
}

TEST_CASE("write_json: of several steps, divergences and sources say theirs, and each step has its own answer") {
    std::vector<plumb::rank_dump> actual, reference;
    for (const int step : {0, 1})
        for (const bool is_actual : {false, true}) {
            recorder record;
            record.call("head", {tensor_of({1})}, {tensor_of({is_actual ? 3.0f : 2.0f})});
            record.rank().step = step;
            (is_actual ? actual : reference).push_back(record.rank());
        }
    const std::string json = json_of(plumb::compare(recorder::dump_of(actual), recorder::dump_of(reference)));
    CHECK(keys_of(json, "") ==
          names{"rows", "unmatched", "first_diverging", "per_rank", "per_step", "sources", "warnings", "summary"});
    CHECK(keys_of(json, "first_diverging") == names{"rank", "step", "operator", "call", "kind", "slot", "why"});
    CHECK(keys_of(json, "sources") == names{"rank", "step", "operator", "call", "why"});
    CHECK(keys_of(json, "per_step") == names{"0", "1"});
}

TEST_CASE("write_json: call and direction stand beside an operator whose name has none") {
    recorder actual, reference;
    for (recorder* each : {&actual, &reference}) {
        each->call("head", {tensor_of({1})}, {tensor_of({each == &actual ? 3.0f : 2.0f})});
        for (plumb::dump_entry& entry : each->rank().entries) entry.direction = "backward", entry.call = 4;
    }
    CHECK(json_of(plumb::compare(actual, reference))
              .find("\"first_diverging\": {\"rank\": 0, \"operator\": \"head\", \"call\": 4, \"direction\": \"backward\", ") !=
          std::string::npos);
}
