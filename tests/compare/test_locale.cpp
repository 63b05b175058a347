#include "catch.hpp"
#include "recorded.hpp"

#include <plumb/compare/parse.hpp>
#include <plumb/verdict/parse_rule.hpp>

#include <clocale>
#include <locale>
#include <sstream>
#include <string>

namespace {

/// Writes 1234.5 as "1.234,5", as a German locale does, whichever locales are installed.
struct decimal_comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

/// All that plumb writes and reads as text, of one comparison.
std::string everything() {
    plumb::compare_options options;
    options.judge = plumb::parse_rule("ptdbg(min_cosine=0.95, max_abs_err=1234.5)");
    options.with_statistics = true;
    const auto result = recorded::compare("dumps/attention/msprobe_tensor/npu", "dumps/attention/msprobe_tensor/bench", options);
    std::ostringstream text;
    plumb::write_json(text, result);
    for (const auto style : {plumb::table_style::plumb, plumb::table_style::ptdbg, plumb::table_style::msprobe})
        plumb::write_table(text, result, result.ranks.at(0), style);
    for (const std::string& line : plumb::parse_lines(result.actual->ranks.at(0), "Functional.linear.1")) text << line << '\n';
    return text.str();
}

} // namespace

TEST_CASE("compare: neither std::locale nor setlocale changes a byte of what is read or written") {
    const std::string expected = everything();
    CHECK(expected.size() > 100000);

    const std::string c_locale = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
        if (std::setlocale(LC_ALL, name) != nullptr) break; // where one is installed
    const std::locale cpp_locale = std::locale::global(std::locale(std::locale::classic(), new decimal_comma));
    std::ostringstream proof;
    proof << 1234.5;
    const std::string found = everything();
    std::locale::global(cpp_locale);
    std::setlocale(LC_ALL, c_locale.c_str());

    CHECK(proof.str() == "1.234,5");
    CHECK(found == expected);
}
