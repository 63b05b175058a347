/// \file
/// How rules are made of rules.
#pragma once

#include <plumb/verdict/reason.hpp>
#include <plumb/verdict/rule.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::detail {
inline namespace PLUMB_TARGET {

/// A rule that every pair is within limits(subject).
inline rule close(std::string name, rule::limits_of limits) {
    const auto judge = [limits](const pair_report& r, const subject& about) -> verdict {
        if (auto early = judge_nonfinite(r)) return *early;
        const tolerance allowed = *limits(about);
        const std::string bound = "rtol " + limit_text(allowed.rtol) + ", atol " + limit_text(allowed.atol);
        if (r.limits && *r.limits == allowed) {
            if (*r.outside_tolerance == 0) return {outcome::pass, ""};
            return {outcome::fail, std::to_string(*r.outside_tolerance) + " of " + std::to_string(r.count) +
                                       " pairs are outside " + bound + ", first" + at(r.first_outside_index)};
        }
        // The maxima are rounded: one that equals a limit may have been above it. Zero is never the rounded form of more.
        const auto settles = [](const double& error, const double& limit) { return error < limit || error == 0.0; };
        if (r.max_abs_err_index && settles(r.max_abs_err, allowed.atol)) return {outcome::pass, ""};
        if (r.max_rel_err_index && settles(r.max_rel_err, allowed.rtol)) return {outcome::pass, ""};
        return {outcome::undefined,
                "the report does not say how many pairs are outside " + bound + ": measure with this tolerance, or by check()"};
    };
    return {std::move(name), std::move(limits), judge};
}

/// The worst (or best) outcome of several rules, with the reasons of those that have it.
inline rule combine(std::string name, std::vector<rule> parts, bool worst) {
    metric needs = metric::none;
    for (const rule& part : parts) needs = needs | part.needs();
    const auto limits = [parts](const subject& about) -> std::optional<tolerance> {
        for (const rule& part : parts)
            if (auto found = part.limits(about)) return found;
        return std::nullopt;
    };
    const auto judge = [parts, worst](const pair_report& r, const subject& about) -> verdict {
        if (parts.empty()) return {outcome::undefined, "no rule was given"};
        outcome result = worst ? outcome::pass : outcome::fail;
        std::vector<verdict> all;
        for (const rule& part : parts) {
            all.push_back(part(r, about));
            const bool take = worst ? all.back().result() > result : all.back().result() < result;
            if (take) result = all.back().result();
        }
        std::string why;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].result() == result && !all[i].why().empty() && result != outcome::pass)
                why += (why.empty() ? "" : "; ") + parts[i].name() + ": " + all[i].why();
        return {result, why};
    };
    return {std::move(name), needs, limits, judge};
}

/// The first of some rules whose key fits the subject, or another one.
template <class Key, class Fits>
inline rule choose(std::string name, std::vector<std::pair<Key, rule>> cases, rule otherwise, Fits fits) {
    metric needs = otherwise.needs();
    for (const auto& each : cases) needs = needs | each.second.needs();
    const auto chosen = [cases = std::move(cases), otherwise = std::move(otherwise), fits](const subject& about) -> rule {
        for (const auto& each : cases)
            if (fits(each.first, about)) return each.second;
        return otherwise;
    };
    return {std::move(name), needs, [chosen](const subject& about) { return chosen(about).limits(about); },
            [chosen](const pair_report& r, const subject& about) { return chosen(about)(r, about); }};
}

/// True if `pattern`, where * stands for any text and ? for any one character, fits the whole text.
inline bool matches(std::string_view pattern, std::string_view text) noexcept {
    std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

} // namespace PLUMB_TARGET
} // namespace plumb::detail
