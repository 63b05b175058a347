#include "catch.hpp"

#include <plumb/compare/number_text.hpp>
#include <plumb/compare/seed_words.hpp>

#include <limits>
#include <string>

using plumb::python_repr;

TEST_CASE("python_repr: gives what Python's repr gives for a float") {
    CHECK(python_repr(62.0) == "62.0");
    CHECK(python_repr(-0.0) == "-0.0");
    CHECK(python_repr(0.1) == "0.1");
    CHECK(python_repr(1e-05) == "1e-05");
    CHECK(python_repr(0.0001) == "0.0001");
    CHECK(python_repr(1e15) == "1000000000000000.0");
    CHECK(python_repr(1e16) == "1e+16");
    CHECK(python_repr(123456789012345680.0) == "1.2345678901234568e+17");
    CHECK(python_repr(-3.1406514644622803) == "-3.1406514644622803");
    CHECK(python_repr(5e-324) == "5e-324");
    CHECK(python_repr(std::numeric_limits<double>::quiet_NaN()) == "nan");
    CHECK(python_repr(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("python_repr: quotes and escapes a str as Python does") {
    CHECK(python_repr(std::string_view("plain")) == "'plain'");
    CHECK(python_repr(std::string_view("it's")) == "\"it's\"");
    CHECK(python_repr(std::string_view("'\"")) == "'\\'\"'");
    CHECK(python_repr(std::string_view("a\\b\nc\x01")) == "'a\\\\b\\nc\\x01'");
    CHECK(python_repr(std::string_view("层")) == "'层'");
    CHECK(python_repr(std::vector<std::string>{"a", "b"}) == "['a', 'b']");
}

TEST_CASE("to_text: has 17 significant digits and words for what is not finite") {
    CHECK(plumb::to_text(0.1) == "0.10000000000000001");
    CHECK(plumb::to_text(1.0) == "1");
    CHECK(plumb::to_text(1e300) == "1.0000000000000001e+300");
    CHECK(plumb::to_text(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(plumb::to_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("to_fixed_text: has the places asked for, for the largest numbers too") {
    CHECK(plumb::to_fixed_text(0.9999999264514, 12) == "0.999999926451");
    CHECK(plumb::to_fixed_text(0.0, 12) == "0.000000000000");
    CHECK(plumb::to_fixed_text(std::numeric_limits<double>::max(), 12).size() == 309 + 13);
}
