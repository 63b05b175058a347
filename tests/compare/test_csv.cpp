#include "catch.hpp"

#include <plumb/compare/csv.hpp>

#include <sstream>
#include <string>

TEST_CASE("csv_cell: quotes commas, quotes and line breaks, and nothing else") {
    CHECK(plumb::csv_cell("plain text") == "plain text");
    CHECK(plumb::csv_cell("") == "");
    CHECK(plumb::csv_cell("[2, 3]") == "\"[2, 3]\"");
    CHECK(plumb::csv_cell("conv 1, \"main\"") == "\"conv 1, \"\"main\"\"\"");
    CHECK(plumb::csv_cell("line\nbreak") == "\"line\nbreak\"");
    CHECK(plumb::csv_cell("tab\there") == "tab\there");
    CHECK(plumb::csv_cell("=SUM(A1)") == "=SUM(A1)");
}

TEST_CASE("write_csv_record: ends a record with CR and LF") {
    std::ostringstream to;
    plumb::write_csv_record(to, {"a", "", "b,c"});
    CHECK(to.str() == "a,,\"b,c\"\r\n");
}
