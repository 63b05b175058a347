#include "catch.hpp"
#include "recorded.hpp"

#include <plumb/dump/json_reader.hpp>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

using recorded::compare;
using names = std::vector<std::string>;

namespace {

names source_names(const plumb::comparison& result) {
    names all;
    for (const auto& source : result.sources) all.push_back(source.op);
    return all;
}

/// A number of exact.json, which writes infinity as text.
std::optional<double> number(const std::optional<plumb::json_value>& value) {
    if (!value || value->is_null()) return std::nullopt;
    if (value->text() == "inf") return std::numeric_limits<double>::infinity();
    return value->number();
}

std::optional<double> count(std::uint64_t n) { return static_cast<double>(n); }
std::optional<double> count(const std::optional<std::uint64_t>& n) {
    return n ? std::optional<double>(static_cast<double>(*n)) : std::nullopt;
}

/// Compares every number of an exact.json with the rows of one rank, for equality.
void check_exact(const plumb::comparison& result, const std::string& expected, std::size_t expected_rows, int rank = 0) {
    std::map<std::string, const plumb::comparison_row*> rows;
    for (const plumb::comparison_row& row : result.rows)
        if (row.rank == rank && row.actual != nullptr) rows[row.actual->name] = &row;
    const plumb::file_bytes file = plumb::map_file(recorded::data / "dumps/expected" / expected);
    std::size_t checked = 0;
    plumb::read_json_members(file, "rows", [&](std::string_view section, std::string_view name, plumb::json_value exact) {
        if (section != "rows") return;
        INFO(std::string(name));
        ++checked;
        REQUIRE(rows.count(std::string(name)) == 1);
        const plumb::comparison_row& row = *rows[std::string(name)];
        REQUIRE(row.report);
        const plumb::pair_report& r = *row.report;
        const auto find = [&](const char* key) { return number(exact.find(key)); };
        CHECK(count(r.count) == find("numel"));
        CHECK(count(r.finite_pairs) == find("both_finite"));
        CHECK(count(r.nonfinite_mismatched) == find("nonfinite_mismatches"));
        CHECK(count(r.actual_nonfinite.nan) == find("nan_npu"));
        CHECK(count(r.reference_nonfinite.nan) == find("nan_bench"));
        CHECK(count(r.actual_nonfinite.pos_inf + r.actual_nonfinite.neg_inf) == find("inf_npu"));
        CHECK(count(r.reference_nonfinite.pos_inf + r.reference_nonfinite.neg_inf) == find("inf_bench"));
        if (r.finite_pairs > 0) {
            CHECK((r.cosine_defined ? std::optional(r.cosine) : std::nullopt) == find("cosine"));
            CHECK(r.max_abs_err == find("max_abs_err"));
            CHECK(count(r.max_abs_err_index) == find("max_abs_err_index"));
            CHECK(r.max_rel_err == find("max_rel_err"));
            CHECK(count(r.max_rel_err_index) == find("max_rel_err_index"));
            CHECK(r.euclidean == find("euclidean_distance"));
            CHECK(r.rel_l2_err == find("rel_l2_err"));
            CHECK(r.ratio_1e3 == find("ratio_below_1_1000"));
            CHECK(r.ratio_5e3 == find("ratio_below_5_1000"));
        }
        const bool bitwise_equal = exact.find("bitwise_equal")->boolean().value();
        if (bitwise_equal) CHECK(row.agrees == plumb::agreement::same);
        CHECK(plumb::accuracy_word(row.judged, "undefined") == std::string(exact.find("verdict")->text()));
    });
    CHECK(checked == expected_rows);
}

} // namespace

TEST_CASE("recorded dumps: every number of every row is the exact one") {
    check_exact(compare("dumps/attention/msprobe_tensor/npu", "dumps/attention/msprobe_tensor/bench"), "attention/npu/exact.json",
                148);
    check_exact(compare("dumps/attention/msprobe_tensor/npu_bug", "dumps/attention/msprobe_tensor/bench"),
                "attention/npu_bug/exact.json", 148);
    check_exact(compare("dumps/overflow/msprobe_tensor/npu", "dumps/overflow/msprobe_tensor/bench"), "overflow/exact.json", 22);
    for (const std::string run : {"npu", "mixed"})
        for (const int rank : {0, 1})
            check_exact(compare("dumps/ranks/" + run, "dumps/ranks/bench"),
                        "ranks/" + run + "/exact_rank" + std::to_string(rank) + ".json", 25, rank);
}

TEST_CASE("recorded dumps: 16-bit products begin to differ at the three projections, in data, statistics and checksums alike") {
    const std::string tool = GENERATE("msprobe_tensor", "msprobe_statistics", "msprobe_md5");
    const auto result = compare("dumps/attention/" + tool + "/npu", "dumps/attention/" + tool + "/bench");
    REQUIRE(result.first_diverging);
    CHECK(result.first_diverging->op == "Functional.linear.0.forward");
    CHECK(source_names(result) ==
          names{"Functional.linear.0.forward", "Functional.linear.1.forward", "Functional.linear.2.forward"});
}

TEST_CASE("recorded dumps: the wrong softmax is the only source, in data, statistics and checksums alike") {
    const std::string tool = GENERATE("msprobe_tensor", "msprobe_statistics", "msprobe_md5");
    const auto result = compare("dumps/attention/" + tool + "/npu_bug", "dumps/attention/" + tool + "/bench");
    REQUIRE(result.first_diverging);
    CHECK(result.first_diverging->op == "Functional.softmax.0.forward");
    CHECK(source_names(result) == names{"Functional.softmax.0.forward"});
}

TEST_CASE("recorded dumps: ptdbg_ascend's gives the same operators") {
    const auto npu = compare("dumps/attention/ptdbg/npu", "dumps/attention/ptdbg/bench");
    CHECK(source_names(npu) ==
          names{"Functional_linear_0_forward", "Functional_linear_1_forward", "Functional_linear_2_forward"});
    const auto bug = compare("dumps/attention/ptdbg/npu_bug", "dumps/attention/ptdbg/bench");
    CHECK(source_names(bug) == names{"Functional_softmax_0_forward"});
    CHECK(plumb::exit_status(bug) == 0); // the accuracy rule sees no fault: that is what the divergence is for
}

TEST_CASE("recorded dumps: one tool's dump is compared with the other's") {
    const auto result = compare("dumps/attention/ptdbg/npu_bug", "dumps/attention/msprobe_tensor/bench");
    CHECK(source_names(result) == names{"Functional.softmax.0.forward"});
    std::size_t compared = 0;
    for (const auto& row : result.rows) compared += row.matched();
    CHECK(compared == 95); // all that ptdbg_ascend recorded
    CHECK(result.summary.unmatched == result.summary.rows - 95);
    CHECK(plumb::exit_status(result) == 3);

    const auto other_way = compare("dumps/attention/msprobe_tensor/npu", "dumps/attention/ptdbg/bench");
    CHECK(source_names(other_way) ==
          names{"Functional_linear_0_forward", "Functional_linear_1_forward", "Functional_linear_2_forward"});
}

TEST_CASE("recorded dumps: ranks are told apart, and an identical one is reported as such") {
    const auto npu = compare("dumps/ranks/npu", "dumps/ranks/bench");
    CHECK(npu.per_rank.at(0)->op == "Functional_linear_0_forward");
    CHECK(npu.per_rank.at(1)->op == "Functional_linear_0_forward");
    CHECK(npu.first_diverging->rank == 0);

    const auto mixed = compare("dumps/ranks/mixed", "dumps/ranks/bench");
    CHECK_FALSE(mixed.per_rank.at(0));
    CHECK(mixed.per_rank.at(1)->op == "Functional_softmax_0_forward");
    CHECK(mixed.first_diverging->rank == 1);
    CHECK(mixed.sources.size() == 1);
    for (const auto& row : mixed.rows)
        if (row.rank == 0) CHECK(row.agrees == plumb::agreement::same);
}

TEST_CASE("recorded dumps: the overflow stands out beside the first, harmless rounding") {
    const std::string tool = GENERATE("msprobe_tensor", "msprobe_statistics");
    const auto result = compare("dumps/overflow/" + tool + "/npu", "dumps/overflow/" + tool + "/bench");
    CHECK(result.first_diverging->op == "Functional.linear.0.forward");
    CHECK(source_names(result) == names{"Functional.linear.0.forward", "Functional.linear.1.forward"});
    CHECK(plumb::exit_status(result) == 1);
}

TEST_CASE("recorded dumps: a norm that overflowed in its own type is a warning, not a failure") {
    const auto result = compare("dumps/overflow/msprobe_statistics/npu", "dumps/overflow/msprobe_statistics/bench");
    for (const auto& row : result.rows)
        if (row.actual->name == "Tensor.__mul__.0.forward.output.0") CHECK(row.judged.result() == plumb::outcome::warn);
}

TEST_CASE("recorded dumps: nothing depends on the number of threads") {
    const auto text = [](unsigned jobs) {
        plumb::compare_options options;
        options.jobs = jobs;
        std::ostringstream json;
        plumb::write_json(json, compare("dumps/attention/msprobe_tensor/npu", "dumps/attention/msprobe_tensor/bench", options));
        return json.str();
    };
    const std::string one = text(1);
    CHECK(text(2) == one);
    CHECK(text(7) == one);
}

TEST_CASE("folder cases: rows, verdicts and the first bad operator are the expected ones") {
    const auto first_bad = compare("cases/data/d01-first-bad/actual", "cases/data/d01-first-bad/reference");
    CHECK(first_bad.first_diverging->op == "layer2.mul");
    CHECK(first_bad.first_diverging->kind == plumb::tensor_kind::output);
    CHECK(first_bad.first_diverging->slot == "0");
    CHECK(source_names(first_bad) == names{"layer2.mul"});
    CHECK(plumb::exit_status(first_bad) == 1);

    const auto equal = compare("cases/data/d02-all-equal/actual", "cases/data/d02-all-equal/reference");
    CHECK_FALSE(equal.first_diverging);
    CHECK(equal.summary.pass == 10);
    CHECK(plumb::exit_status(equal) == 0);

    const auto torn = compare("cases/data/d03-torn-index/actual", "cases/data/d03-torn-index/reference");
    CHECK(torn.first_diverging->op == "layer1.mul");
    names unmatched;
    for (const auto& row : torn.rows)
        if (row.actual == nullptr) unmatched.push_back(row.reference->name);
    CHECK(unmatched == names{"layer3.mul.input.0", "layer3.mul.output.0", "layer4.mul.input.0", "layer4.mul.output.0"});
    REQUIRE(torn.warnings.size() == 2);
    CHECK(torn.warnings[0].find("incomplete") != std::string::npos);
    CHECK(torn.warnings[1] == "4 entries of the reference have no partner");
}

TEST_CASE("folder cases: every number is the expected one") {
    const plumb::file_bytes file = plumb::map_file(recorded::data / "cases/cases.json");
    std::size_t checked = 0;
    plumb::read_json_members(file, {}, [&](std::string_view, std::string_view key, plumb::json_value all) {
        if (key != "cases") return;
        all.for_each([&](plumb::json_value each) {
            if (!each.find("group") || each.find("group")->text() != "folders") return;
            const auto result = compare("cases/" + std::string(each.find("actual_dir")->text()),
                                        "cases/" + std::string(each.find("reference_dir")->text()));
            std::size_t i = 0;
            each.find("expect")->find("rows")->for_each([&](plumb::json_value expected) {
                REQUIRE(i < result.rows.size());
                const plumb::comparison_row& row = result.rows[i++];
                const auto exact = [&](const char* name) {
                    return std::stod(std::string(expected.find(name)->find("hex")->text()));
                };
                INFO(row.entry().name);
                CHECK(row.entry().op == std::string(expected.find("op")->text()));
                CHECK(plumb::name_of(row.entry().kind) == expected.find("kind")->text());
                CHECK(row.report->cosine == exact("cosine"));
                CHECK(row.report->max_abs_err == exact("max_abs"));
                CHECK(row.report->max_rel_err == exact("max_rel"));
                CHECK(plumb::accuracy_word(row.judged, "") == std::string(expected.find("verdict")->text()));
                ++checked;
            });
        });
    });
    CHECK(checked == 10 + 10 + 6 + 6);
}
