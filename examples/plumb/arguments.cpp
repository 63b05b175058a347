#include "arguments.hpp"

#include "console.hpp"

#include <plumb/verdict/parse_rule.hpp>

#include <charconv>
#include <cstdint>
#include <exception>
#include <string_view>
#include <system_error>

const char* const rules_help =
    "Rules: ptdbg fails a mismatched NaN or infinity, max_abs_err > 1, cosine < 0.9, and cosine < 0.99 with max_abs_err > 0.001; "
    "each limit can be set: \"ptdbg(min_cosine=0.9, close_cosine=0.99, max_abs_err=1, close_abs_err=0.001)\". "
    "\"allclose(rtol=1e-5, atol=1e-8)\" is NumPy's and PyTorch's; torch and torch(DTYPE) have the tolerances of "
    "torch.testing.assert_close; bitwise asks for equal bits; \"ulp(N)\" for at most N representable values between.\n";

CLI::Option* add_dtype_option(CLI::App& command, const std::string& name, std::string& text, const std::string& description) {
    return command.add_option(name, text, description)->type_name("DTYPE")->check([](const std::string& given) {
        return plumb::parse_dtype(given) ? std::string()
                                         : "there is no element type '" + given +
                                               "'; expected f16, bf16, f32, f64, f8_e4m3fn, "
                                               "f8_e5m2, i8 to i64, u8 to u64 or bool";
    });
}

std::optional<plumb::dtype> dtype_in(const std::string& text) { return plumb::parse_dtype(text); }

CLI::Option* add_rule_option(CLI::App& command, std::string& text) {
    text = "ptdbg";
    return command.add_option("--rule", text, "What decides between pass and fail (default: ptdbg); see below")
        ->type_name("RULE")
        ->check([](const std::string& given) {
            try {
                plumb::parse_rule(given);
                return std::string();
            } catch (const std::exception& problem) {
                return std::string(console::without_own_name(problem.what()));
            }
        });
}

std::string is_whole_number(const std::string& text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return {};
    return "'" + text + "' is no whole number from 0 to 4294967295";
}

std::optional<plumb::extents> parse_shape(const std::string& text) {
    std::string_view rest = text;
    const auto skip_spaces = [&] {
        while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    };
    if (rest == "scalar") return plumb::extents{};
    const bool bracketed =
        rest.size() >= 2 && ((rest.front() == '[' && rest.back() == ']') || (rest.front() == '(' && rest.back() == ')'));
    if (bracketed) rest = rest.substr(1, rest.size() - 2);
    skip_spaces();
    if (rest.empty()) return bracketed ? std::optional(plumb::extents{}) : std::nullopt;

    plumb::extents shape;
    while (true) {
        skip_spaces();
        std::int64_t length = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
        if (error != std::errc() || length < 0 || shape.size() == plumb::max_rank) return std::nullopt;
        shape.push_back(length);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        skip_spaces();
        if (rest.empty()) break;
        if (rest.front() != ',' && rest.front() != 'x') return std::nullopt;
        rest.remove_prefix(1);
        skip_spaces();
        if (rest.empty()) break; // Python's "(3,)"
    }
    try {
        plumb::element_count(shape);
        return shape;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}
