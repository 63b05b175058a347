#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/json_reader.hpp>
#include <plumb/dump/json_text.hpp>

#include <clocale>
#include <cmath>
#include <limits>

using test::contains;

namespace {

/// All members as "section/key=value;".
std::string members(const std::string& text, std::string_view section = {}) {
    std::string all;
    plumb::read_json_members(test::in_memory(text), section,
                             [&](std::string_view in, std::string_view key, plumb::json_value value) {
                                 all += std::string(in) + "/" + std::string(key) + "=" + value.to_text() + ";";
                             });
    return all;
}
std::string problem(const std::string& text) {
    return test::error_of([&] { members(text); });
}

} // namespace

TEST_CASE("append_json: strings are escaped, UTF-8 is kept") {
    CHECK(plumb::to_json(std::string("a\"b\\c\n\r\t\x01\x1f\x7f/")) == R"("a\"b\\c\n\r\t\u0001\u001f\u007f/")");
    CHECK(plumb::to_json("层.归一化 é 😀") == "\"层.归一化 é 😀\"");
    CHECK(plumb::to_json(std::string("a\0b", 3)) == R"("a\u0000b")");
}

TEST_CASE("append_json: bytes that are no UTF-8 become U+FFFD") {
    const std::string replacement = "\xef\xbf\xbd";
    CHECK(plumb::to_json("\xff") == "\"" + replacement + "\"");
    CHECK(plumb::to_json("\xc0\x80") == "\"" + replacement + replacement + "\"");                   // overlong
    CHECK(plumb::to_json("\xed\xa0\x80") == "\"" + replacement + replacement + replacement + "\""); // a surrogate
    CHECK(plumb::to_json("\xe5\xb1") == "\"" + replacement + replacement + "\"");                   // cut short
}

TEST_CASE("append_json: numbers have 17 significant digits, in every locale") {
    const char* const old = std::setlocale(LC_ALL, "de_DE.UTF-8"); // where it is installed
    CHECK(plumb::to_json(0.1) == "0.10000000000000001");
    CHECK(plumb::to_json(1.0) == "1");
    CHECK(plumb::to_json(-0.0) == "-0");
    CHECK(plumb::to_json(1e300) == "1.0000000000000001e+300");
    CHECK(plumb::to_json(5e-324) == "4.9406564584124654e-324");
    CHECK(plumb::to_json(1234567.5) == "1234567.5");
    if (old) std::setlocale(LC_ALL, "C");
}

TEST_CASE("append_json: what is not finite is a string") {
    CHECK(plumb::to_json(std::numeric_limits<double>::infinity()) == "\"inf\"");
    CHECK(plumb::to_json(-std::numeric_limits<double>::infinity()) == "\"-inf\"");
    CHECK(plumb::to_json(std::numeric_limits<double>::quiet_NaN()) == "\"nan\"");
}

TEST_CASE("append_json: whole numbers and bools") {
    CHECK(plumb::to_json(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(plumb::to_json(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    CHECK(plumb::to_json(true) == "true");
}

TEST_CASE("read_json_members: order is kept and every kind of value arrives") {
    CHECK(members(R"({"z":1,"a":[true,null,-2.5,"x",[],{}],"m":{"k":{"n":[1,[2]]},"e":"\u00e9\n"}})") ==
          R"(/z=1;/a=[true,null,-2.5,"x",[],{}];/m={"k":{"n":[1,[2]]},"e":"é\n"};)");
    CHECK(members("{}") == "");
}

TEST_CASE("read_json_members: the section's members come one by one") {
    CHECK(members(R"({"task":"t","data":{"a":{"x":1},"b":[2]},"end":0})", "data") ==
          R"(/task="t";data/a={"x":1};data/b=[2];/end=0;)");
    CHECK(members(R"({"data":[1]})", "data") == "/data=[1];");
    CHECK(members(R"({"a":{"data":{"b":1}}})", "data") == R"(/a={"data":{"b":1}};)");
}

TEST_CASE("read_json_members: Python's NaN and Infinity are numbers") {
    std::vector<double> numbers;
    plumb::read_json_members(
        test::in_memory(R"({"a":NaN,"b":Infinity,"c":-Infinity})"), {},
        [&](std::string_view, std::string_view, plumb::json_value value) { numbers.push_back(value.number().value()); });
    REQUIRE(numbers.size() == 3);
    CHECK(std::isnan(numbers[0]));
    CHECK(numbers[1] == std::numeric_limits<double>::infinity());
    CHECK(numbers[2] == -std::numeric_limits<double>::infinity());
}

TEST_CASE("read_json_members: numbers keep full precision") {
    std::vector<plumb::json_kind> kinds;
    std::vector<double> doubles;
    plumb::read_json_members(
        test::in_memory(R"({"a":9223372036854775807,"b":18446744073709551615,"c":0.1,"d":2.2250738585072011e-308})"), {},
        [&](std::string_view, std::string_view, plumb::json_value value) {
            kinds.push_back(value.kind());
            doubles.push_back(value.number().value());
            if (value.integer()) CHECK(*value.integer() == 9223372036854775807);
            if (value.natural()) CHECK(*value.natural() == 18446744073709551615u);
        });
    CHECK(kinds == std::vector<plumb::json_kind>{plumb::json_kind::integer, plumb::json_kind::natural, plumb::json_kind::real,
                                                 plumb::json_kind::real});
    CHECK(doubles[2] == 0.1);
    CHECK(doubles[3] == 2.2250738585072011e-308);
}

TEST_CASE("read_json_members: each flaw is an error with its place") {
    const std::pair<std::string, const char*> flaws[] = {
        {R"({"a":1,"a":2})", "the key \"a\" appears twice"},
        {R"({"x":{"a":1,"b":2,"a":3}})", "the key \"a\" appears twice"},
        {R"({"a":1)", "incomplete"},
        {R"({"a":"x)", "incomplete"},
        {"{\"a\":\"\xff\"}", "not valid UTF-8"},
        {"{\"a\":\"\xc3\"}", "not valid UTF-8"},
        {"{\"a\":\"\xf0", "not valid UTF-8"},
        {R"({"a":1} x)", "invalid JSON"},
        {R"({'a':1})", "invalid JSON"},
        {R"([1,2])", "expected a JSON object"},
        {R"(7)", "expected a JSON object"},
        {"", "incomplete"},
        {std::string("{\"a\":1}\0{}", 10), "NUL"},
        {"\xff\xfe{\0}\0", "UTF-16"},
    };
    for (const auto& [text, why] : flaws) {
        const std::string error = problem(text);
        CAPTURE(text, error);
        CHECK(contains(error, why));
        CHECK(contains(error, "memory: at byte "));
    }
    std::string many = "{\"x\":{";
    for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i) + "\":0,";
    CHECK(contains(problem(many + "\"k50\":1}}"), "the key \"k50\" appears twice"));
    CHECK(problem(many + "\"k100\":1}}") == "");
}

TEST_CASE("read_json_members: a byte order mark is passed over, positions count it") {
    CHECK(members("\xef\xbb\xbf{\"a\":1}") == "/a=1;");
    CHECK(contains(problem("\xef\xbb\xbf{x}"), "at byte 4"));
}

TEST_CASE("read_json_members: depth is no stack problem") {
    constexpr std::size_t depth = 1000000;
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    CHECK(members("{\"a\":" + deep + "}") == "/a=" + deep + ";");
    CHECK(contains(problem("{\"a\":" + std::string(depth, '[')), "incomplete"));
}

TEST_CASE("read_json_lines: one value a line, either line end, blank lines passed over") {
    std::string all;
    const auto read = [&](const std::string& text) {
        all.clear();
        return plumb::read_json_lines(test::in_memory(text), [&](plumb::json_value value, std::uint64_t line) {
            all += std::to_string(line) + value.to_text() + ";";
        });
    };
    CHECK(read("{\"a\":1}\n[2]\n"));
    CHECK(all == "1{\"a\":1};2[2];");
    CHECK(read("\xef\xbb\xbf[1]\r\n\r\n  \n[2]"));
    CHECK(all == "1[1];4[2];");
    CHECK(read(""));
    CHECK_FALSE(read("[1]\n[2"));
    CHECK(all == "1[1];");
    CHECK(contains(test::error_of([&] { read("[1\n[2]\n"); }), "at byte 2"));
    CHECK(contains(test::error_of([&] { read("[1]\n[2\n"); }), "incomplete")); // it has its end: not torn, but wrong
}
