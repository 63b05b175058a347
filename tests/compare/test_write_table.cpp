#include "catch.hpp"
#include "made_dump.hpp"
#include "recorded.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using made::recorder;
using made::tensor_of;
using plumb::table_style;

namespace {

using record = std::vector<std::string>;

std::optional<double> number(const std::string& cell) {
    double value = 0;
    const bool percent = !cell.empty() && cell.back() == '%';
    const char* end = cell.data() + cell.size() - (percent ? 1 : 0);
    const auto read = std::from_chars(cell.data(), end, value);
    return read.ec == std::errc{} && read.ptr == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool near(const std::string& a, const std::string& b, double relative, double absolute) {
    const auto x = number(a), y = number(b);
    return x && y && std::fabs(*x - *y) <= absolute + relative * std::fabs(*y);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A cell of the tool's own table and what stands beside it, for the rules below.
struct difference {
    const std::string& column;
    const std::string& expected;
    const std::string& actual;
    const std::map<std::string, std::string>& row; ///< of the tool
    const plumb::comparison_row& compared;         ///< by plumb

    bool is_number_of_a_pair() const {
        static const std::set<std::string> columns{
            "Cosine", "EucDist", "MaxAbsErr", "MaxRelativeErr", "One Thousandth Err Ratio", "Five Thousandths Err Ratio"};
        return columns.count(column) != 0;
    }
    bool zero_in_reference() const {
        const auto& min = row.at("Bench min");
        const auto& max = row.at("Bench max");
        return number(min) && number(max) && *number(min) <= 0 && *number(max) >= 0;
    }
    /// A scalar, or a tensor without dimensions: the tools say "unsupported", plumb compares them.
    bool without_dimensions() const { return row.at("NPU Tensor Shape").empty() || row.at("NPU Tensor Shape") == "[]"; }
};

/// The differences from the tools' tables that are meant. Each says in what, and why.
bool is_meant(const difference& d) {
    if (d.without_dimensions()) {
        if (d.is_number_of_a_pair() || d.column == "Accuracy Reached or Not" || d.column == "Err_message") return true;
        // msprobe sums the text of a plain argument, which no dump records.
        if (d.column == "NPU MD5" || d.column == "BENCH MD5") return d.actual == "N/A";
        // msprobe calls a memory format a NoneType.
        if (d.column == "NPU Dtype" || d.column == "Bench Dtype") return d.expected == "<class 'NoneType'>";
    }
    // ptdbg_ascend prints 1.0 above 0.99999 and msprobe rounds to 6 decimals above 0.9999: plumb keeps 12.
    if (d.column == "Cosine") return near(d.actual, d.expected, 0, 1.00001e-5);
    // The tools divide in the file's own type (f32 here) and add a small number where the reference is zero: plumb is exact.
    if (d.column == "MaxRelativeErr" && d.row.count("Cosine") != 0)
        return near(d.actual, d.expected, 3e-7, 1e-12) ||
               (d.zero_in_reference() && (d.actual == "inf" || d.actual == "0" || d.actual == "0.000000000000"));
    if (contains(d.column, "Thousandth")) return d.zero_in_reference() && number(d.actual) > number(d.expected);
    // Sums in double, not exact ones.
    if (d.column == "EucDist") return near(d.actual, d.expected, 1e-14, 0);
    // msprobe's differences are those of statistics that it has rounded to 16 digits.
    if (contains(d.column, " diff") || contains(d.column, "RelativeErr"))
        if (near(d.actual, d.expected, 1e-6, 1e-14)) return true;
    // A tab that msprobe appends in its workbook, and an empty cell that pandas makes of NaN.
    if (d.expected == "inf\t" || d.expected == "-inf\t") return d.actual + '\t' == d.expected;
    if (d.expected.empty() && d.actual == "nan") return true;
    // msprobe warns of a change by more than half, but not of one from finite to infinite or NaN.
    if (d.column == "Result" || (d.column == "Err_message" && d.row.count("Result") != 0))
        if (d.compared.judged.result() == plumb::outcome::fail || contains(d.compared.judged.why(), "inf")) return true;
    // What the colouring of the workbook adds to the messages.
    if (d.column == "Err_message")
        return d.expected.compare(0, d.actual.size(), d.actual) == 0 && d.expected.size() > d.actual.size();
    return false;
}

/// Compares plumb's table with the tool's own, cell by cell. Returns the number of rows.
std::size_t check_table(const plumb::comparison& result, std::size_t rank, table_style style, const std::string& expected_file) {
    INFO(expected_file);
    auto expected = recorded::read_csv(recorded::data / "dumps/expected" / expected_file);
    auto actual = recorded::table(result, rank, style);
    if (expected.at(0).back() == "(row colour)") // of the workbook, no column of the table
        for (record& each : expected) each.pop_back();
    REQUIRE(actual.size() == expected.size());
    REQUIRE(actual[0] == expected[0]);
    const auto rows = plumb::rows_in_actual_order(result, result.ranks[rank]);
    for (std::size_t i = 1; i < expected.size(); ++i) {
        std::map<std::string, std::string> by_column;
        for (std::size_t c = 0; c < expected[i].size(); ++c) by_column[expected[0][c]] = expected[i][c];
        by_column.emplace("Bench min", "");
        by_column.emplace("Bench max", "");
        REQUIRE(actual[i].size() == expected[i].size());
        for (std::size_t c = 0; c < expected[i].size(); ++c) {
            if (actual[i][c] == expected[i][c]) continue;
            INFO(expected[i][0] << ", " << expected[0][c] << ": '" << actual[i][c] << "', the tool has '" << expected[i][c]
                                << "'");
            CHECK(is_meant({expected[0][c], expected[i][c], actual[i][c], by_column, *rows[i - 1]}));
        }
    }
    return expected.size() - 1;
}

} // namespace

TEST_CASE("msprobe's table: every cell is that of the tool, or a difference that is meant") {
    const std::string run = GENERATE("npu", "npu_bug");
    const std::string task = GENERATE("tensor", "statistics", "md5");
    const std::string dump = "dumps/attention/msprobe_" + task + "/";
    CHECK(check_table(recorded::compare(dump + run, dump + "bench"), 0, table_style::msprobe,
                      "attention/" + run + "/msprobe_" + task + ".csv") == 174);
}

TEST_CASE("msprobe's table: overflow") {
    const std::string task = GENERATE("tensor", "statistics");
    const std::string dump = "dumps/overflow/msprobe_" + task + "/";
    CHECK(check_table(recorded::compare(dump + "npu", dump + "bench"), 0, table_style::msprobe,
                      "overflow/msprobe_" + task + ".csv") == 25);
}

TEST_CASE("ptdbg_ascend's table: every cell is that of the tool, or a difference that is meant") {
    const std::string run = GENERATE("npu", "npu_bug");
    CHECK(check_table(recorded::compare("dumps/attention/ptdbg/" + run, "dumps/attention/ptdbg/bench"), 0, table_style::ptdbg,
                      "attention/" + run + "/ptdbg.csv") == 95);
    CHECK(check_table(recorded::compare("dumps/overflow/ptdbg/npu", "dumps/overflow/ptdbg/bench"), 0, table_style::ptdbg,
                      "overflow/ptdbg.csv") == 22);
}

TEST_CASE("ptdbg_ascend's table: one for each rank") {
    for (const std::string run : {"npu", "mixed"}) {
        const auto result = recorded::compare("dumps/ranks/" + run, "dumps/ranks/bench");
        for (const std::size_t rank : {std::size_t{0}, std::size_t{1}})
            CHECK(check_table(result, rank, table_style::ptdbg, "ranks/" + run + "/ptdbg_rank" + std::to_string(rank) + ".csv") ==
                  25);
    }
}

TEST_CASE("ptdbg_ascend's table: without data the statistics are compared") {
    plumb::dump actual = plumb::read_dump(recorded::data / "dumps/attention/ptdbg/npu_bug"),
                reference = plumb::read_dump(recorded::data / "dumps/attention/ptdbg/bench");
    for (plumb::dump* each : {&actual, &reference})
        for (plumb::dump_entry& entry : each->ranks.at(0).entries) entry.file.clear();
    CHECK(check_table(plumb::compare(actual, reference), 0, table_style::ptdbg, "attention/npu_bug/ptdbg_summary.csv") == 95);
}

TEST_CASE("plumb's table: odd names read back the same") {
    const auto result = recorded::compare("cases/data/d04-odd-names/actual", "cases/data/d04-odd-names/reference");
    const auto rows = recorded::table(result, 0, table_style::plumb);
    const std::vector<std::string> names{"conv 1, \"main\"", "=SUM(A1)", "blk/0:attn", "层.归一化", "tab\there", "line\nbreak"};
    REQUIRE(rows.size() == names.size() + 1);
    for (std::size_t i = 0; i < names.size(); ++i) {
        CHECK(rows[i + 1].size() == rows[0].size());
        CHECK(rows[i + 1][2] == names[i]);
    }
}

TEST_CASE("plumb's table: has 17 digits, the actual's order, and what has no partner last") {
    recorder actual, reference;
    actual.call("F.b.0.forward", {}, {tensor_of({0.1f})})
        .call("F.a.0.forward", {}, {tensor_of({1})})
        .call("F.new.0.forward", {}, {tensor_of({1})});
    reference.call("F.a.0.forward", {}, {tensor_of({1})})
        .call("F.old.0.forward", {}, {tensor_of({1})})
        .call("F.b.0.forward", {}, {tensor_of({0})});
    std::ostringstream text;
    plumb::write_table(text, plumb::compare(actual, reference));
    const auto rows = test::parse_csv(text.str());
    REQUIRE(rows.size() == 5);
    std::map<std::string, std::size_t> column;
    for (std::size_t c = 0; c < rows[0].size(); ++c) column[rows[0][c]] = c;
    CHECK(rows[1][column["operator"]] == "F.b.0.forward");
    CHECK(rows[1][column["max_abs_err"]] == "0.10000000149011612");
    CHECK(rows[1][column["max_rel_err"]] == "inf");
    CHECK(rows[2][column["operator"]] == "F.a.0.forward");
    CHECK(rows[3][column["actual_name"]] == "F.new.0.forward.output.0");
    CHECK(rows[3][column["reference_name"]] == "");
    CHECK(rows[3][column["verdict"]] == "undefined");
    CHECK(rows[4][column["reference_name"]] == "F.old.0.forward.output.0");
    for (const record& each : rows) CHECK(each.size() == rows[0].size());
}

TEST_CASE("the seed tools' tables: words for what can't be compared") {
    recorder actual, reference;
    actual.call("F.a.0.forward", {}, {tensor_of({1, 2})})
        .call("F.b.0.forward", {}, {tensor_of({1})})
        .call("F.c.0.forward", {}, {tensor_of({1, 1})});
    reference.call("F.a.0.forward", {}, {tensor_of({1, 2}, {2, 1})}).call("F.c.0.forward", {}, {tensor_of({0, 0})});
    const auto result = plumb::compare(actual, reference);
    const auto cells = [&](table_style style, std::size_t row) {
        const auto rows = recorded::table(result, 0, style);
        std::map<std::string, std::string> by_column;
        for (std::size_t c = 0; c < rows[0].size(); ++c) by_column[rows[0][c]] = rows.at(row).at(c);
        return by_column;
    };
    auto shapes = cells(table_style::ptdbg, 1), unmatched = cells(table_style::ptdbg, 2), zero = cells(table_style::ptdbg, 3);
    CHECK(shapes["Cosine"] == "shape unmatched");
    CHECK(shapes["Accuracy Reached or Not"] == "Unmatched");
    CHECK(unmatched["Bench Name"] == "Nan");
    CHECK(unmatched["Cosine"] == "Nan");
    CHECK(unmatched["Accuracy Reached or Not"] == "Nan");
    CHECK(unmatched["Err_message"] == "No bench data matched.");
    CHECK(zero["Cosine"] == "Nan");
    CHECK(zero["MaxAbsErr"] == "1.000000000000");
    CHECK(zero["MaxRelativeErr"] == "inf");
    CHECK(zero["Accuracy Reached or Not"] == "Nan");

    shapes = cells(table_style::msprobe, 1), unmatched = cells(table_style::msprobe, 2), zero = cells(table_style::msprobe, 3);
    CHECK(shapes["EucDist"] == "shape unmatched");
    CHECK(shapes["Accuracy Reached or Not"] == "Unmatched");
    CHECK(unmatched["Bench Name"] == "N/A");
    CHECK(unmatched["Cosine"] == "unsupported");
    CHECK(unmatched["Accuracy Reached or Not"] == "None");
    CHECK(zero["Cosine"] == "Nan");
    CHECK(zero["Accuracy Reached or Not"] == "None");
}
