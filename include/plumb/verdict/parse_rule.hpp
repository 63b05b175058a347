/// \file
/// A rule from a line of text, as a command line or a configuration file has it.
#pragma once

#include <plumb/verdict/rules.hpp>

#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plumb {

namespace detail {
inline namespace PLUMB_TARGET {

[[noreturn]] inline void throw_bad_rule(std::string_view text, const std::string& problem) {
    throw std::invalid_argument("plumb: rule '" + std::string(text) + "': " + problem +
                                "; expected ptdbg, ptdbg(min_cosine=0.9, close_cosine=0.99, max_abs_err=1, close_abs_err=0.001), "
                                "allclose(rtol=R, atol=A), torch, torch(DTYPE), bitwise or ulp(N)");
}

inline double parse_limit(std::string_view rule_text, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::uint64_t bits = bit_cast<std::uint64_t>(value);
    if (error != std::errc() || end != text.data() + text.size() || bits > binary64::largest)
        throw_bad_rule(rule_text, "'" + std::string(text) + "' is not a finite number of at least 0");
    return value;
}

inline std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// The rule that a text names: "ptdbg", "ptdbg(max_abs_err=0.5)", "allclose(1e-5, 1e-8)" or "allclose(rtol=1e-5, atol=1e-8)",
/// "torch", "torch(f16)", "bitwise", "ulp(4)". Throws std::invalid_argument that says what was expected.
inline rule parse_rule(std::string_view text) {
    const std::string_view all = detail::trimmed(text);
    const std::size_t open = all.find('(');
    const std::string_view name = detail::trimmed(all.substr(0, open));
    std::map<std::string, std::string, std::less<>> arguments; // by name, or by position "0", "1"
    if (open != std::string_view::npos) {
        if (all.back() != ')') detail::throw_bad_rule(text, "a closing parenthesis is missing");
        std::string_view list = all.substr(open + 1, all.size() - open - 2);
        for (std::size_t position = 0; !detail::trimmed(list).empty(); ++position) {
            const std::string_view item = list.substr(0, list.find(','));
            list.remove_prefix(item.size() == list.size() ? list.size() : item.size() + 1);
            const std::size_t equals = item.find('=');
            const std::string key = equals == std::string_view::npos ? std::to_string(position)
                                                                     : std::string(detail::trimmed(item.substr(0, equals)));
            const std::string_view value = detail::trimmed(equals == std::string_view::npos ? item : item.substr(equals + 1));
            if (!arguments.emplace(key, value).second) detail::throw_bad_rule(text, "'" + key + "' is given twice");
        }
    }
    const auto take = [&](std::string_view key, std::string_view position) -> std::optional<std::string> {
        auto found = arguments.find(key);
        if (found == arguments.end()) found = arguments.find(position);
        if (found == arguments.end()) return std::nullopt;
        std::string value = found->second;
        arguments.erase(found);
        return value;
    };
    const auto finish = [&](rule made) {
        if (!arguments.empty()) detail::throw_bad_rule(text, "it has no argument '" + arguments.begin()->first + "'");
        return made;
    };
    const auto limit = [&](std::string_view key, std::string_view position, double& into) {
        if (const auto value = take(key, position)) into = detail::parse_limit(text, *value);
    };

    if (name == "ptdbg") {
        rules::ptdbg_limits limits;
        limit("min_cosine", "", limits.min_cosine);
        limit("close_cosine", "", limits.close_cosine);
        limit("max_abs_err", "", limits.max_abs_err);
        limit("close_abs_err", "", limits.close_abs_err);
        return finish(rules::ptdbg(limits));
    }
    if (name == "allclose") {
        tolerance limits{1e-5, 1e-8}; // the defaults of torch.allclose and numpy.allclose
        limit("rtol", "0", limits.rtol);
        limit("atol", "1", limits.atol);
        return finish(rules::allclose(limits.rtol, limits.atol));
    }
    if (name == "torch") {
        const auto type_name = take("dtype", "0");
        if (!type_name) return finish(rules::torch());
        const auto type = parse_dtype(*type_name);
        if (!type) detail::throw_bad_rule(text, "there is no element type '" + *type_name + "'");
        return finish(rules::torch(*type));
    }
    if (name == "bitwise") return finish(rules::bitwise());
    if (name == "ulp") {
        const auto value = take("n", "0");
        std::uint64_t n = 0;
        if (!value) detail::throw_bad_rule(text, "the number of representable values is missing");
        const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), n);
        if (error != std::errc() || end != value->data() + value->size())
            detail::throw_bad_rule(text, "'" + *value + "' is not a whole number");
        return finish(rules::ulp(n));
    }
    detail::throw_bad_rule(text, "there is no rule of this name");
}

} // namespace PLUMB_TARGET
} // namespace plumb
