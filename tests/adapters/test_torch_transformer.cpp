#if defined(PLUMB_PROGRAM) && defined(PLUMB_TORCH_TRANSFORMER)
#include "catch.hpp"
#include "dump/files.hpp"
#include "program/program.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

const std::string reference = PLUMB_TEST_DATA "/dumps/attention/msprobe_tensor/bench";

/// Runs the training step of the example and compares its dump with the one that msprobe has recorded in Python.
rapidjson::Document compared(const std::string& words, std::vector<std::string> options = {}) {
    test::temporary_folder folder;
    const std::string dump = (folder.path() / "dump").string();
    REQUIRE(std::system((PLUMB_TORCH_TRANSFORMER " " + dump + " " + words + " > /dev/null 2>&1").c_str()) == 0);
    options.insert(options.begin(), {"compare", dump, reference, "--json"});
    const program::result result = program::run(options);
    rapidjson::Document answer;
    answer.Parse<rapidjson::kParseFullPrecisionFlag>(result.out.c_str());
    REQUIRE(answer.IsObject());
    return answer;
}

std::string first_diverging(const rapidjson::Document& answer) {
    const auto& first = answer["first_diverging"];
    return first.IsNull() ? "none" : first["operator"].GetString();
}

/// The operators that the comparison names as sources.
std::vector<std::string> sources_of(const rapidjson::Document& answer) {
    std::vector<std::string> names;
    for (const auto& source : answer["sources"].GetArray()) names.emplace_back(source["operator"].GetString());
    return names;
}

bool is_product(const std::string& name) {
    return program::contains(name, "linear") || program::contains(name, "matmul") || program::contains(name, "mm.");
}

} // namespace

TEST_CASE("torch_transformer: each tensor of the Python step is there, and is the same but for rounding") {
    const bool mapped = GENERATE(false, true);
    const auto answer = mapped ? compared("aten", {"--map", PLUMB_TORCH_NAMES}) : compared("");
    // Matrix products are as the installed BLAS rounds them: the recording machine's or another.
    for (const std::string& name : sources_of(answer)) CHECK(is_product(name));
    if (first_diverging(answer) == "none") CHECK(answer["summary"]["fail"].GetInt() == 0);
    CHECK(answer["summary"]["errors"].GetInt() == 0);
    int tensors = 0;
    for (const auto& row : answer["rows"].GetArray()) {
        if (row["reference_dtype"].IsNull() || std::string(row["reference_dtype"].GetString()) != "f32") continue;
        const std::string name = row["reference_name"].GetString();
        INFO(name);
        REQUIRE_FALSE(row["actual_name"].IsNull());
        REQUIRE(row["max_abs_err"].IsNumber());
        CHECK(row["max_abs_err"].GetDouble() < 1e-5); // 0 where libtorch's products use the same instructions
        ++tensors;
    }
    CHECK(tensors == 146); // and the tokens and classes, which are integers
}

TEST_CASE("torch_transformer: a wrong kernel is named as the source") {
    const bool mapped = GENERATE(false, true);
    const auto answer = mapped ? compared("fault aten", {"--map", PLUMB_TORCH_NAMES}) : compared("fault");
    std::vector<std::string> named = sources_of(answer);
    named.erase(std::remove_if(named.begin(), named.end(), is_product), named.end()); // as another BLAS rounds them
    REQUIRE(named.size() == 1);
    CHECK(named[0].substr(named[0].find('.')) == ".softmax.0.forward");
}
#endif
