/// \file
/// What turns a report into a verdict.
#pragma once

#include <plumb/metrics/measure.hpp>
#include <plumb/types/dtype.hpp>
#include <plumb/verdict/reason.hpp>
#include <plumb/verdict/verdict.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// What a report is about, for rules that differ by type or name. Leave out what is not known.
struct subject {
    std::optional<dtype> actual;
    std::optional<dtype> reference;
    std::string_view op; ///< the operator's name
};

/// A way to judge a report. A value: copy it, keep it in containers, combine it by rules::all_of and rules::any_of.
/// The ready-made ones are in namespace rules; a lambda makes an own one.
class rule {
public:
    using judge = std::function<verdict(const pair_report&, const subject&)>;
    using limits_of = std::function<std::optional<tolerance>(const subject&)>;

    /// A rule called `name` that needs the metrics `needs`, no more. Of a report that lacks any of them it says undefined.
    rule(std::string name, metric needs, judge decide)
        : rule(name, needs, limits_of(), of_complete(name, needs, std::move(decide))) {}
    /// A rule that needs to know how many pairs are outside a tolerance, which may depend on the types.
    rule(std::string name, limits_of limits, judge decide)
        : rule(std::move(name), default_metrics | metric::outside_tolerance, std::move(limits), std::move(decide)) {}

    /// The general form. It is `decide` that has to see what a report lacks.
    rule(std::string name, metric needs, limits_of limits, judge decide)
        : name_(std::move(name)), needs_(needs), decide_(std::move(decide)), limits_(std::move(limits)) {}

    const std::string& name() const noexcept { return name_; }
    /// The metrics that a report must hold to be judged.
    metric needs() const noexcept { return needs_; }
    /// The tolerance that the report must have been made with, if any.
    std::optional<tolerance> limits(const subject& about) const { return limits_ ? limits_(about) : std::nullopt; }

    verdict operator()(const pair_report& report, const subject& about) const { return decide_(report, about); }

private:
    static judge of_complete(const std::string& name, metric needs, judge decide) {
        return [=](const pair_report& report, const subject& about) -> verdict {
            const metric missing = without(needs, report.metrics);
            if (missing == metric::none) return decide(report, about);
            return {outcome::undefined, "the report lacks " + detail::names_of(missing) + ", which rule " + name + " needs"};
        };
    }

    std::string name_;
    metric needs_;
    judge decide_;
    limits_of limits_;
};

inline namespace PLUMB_TARGET {

/// What `how` says of a report.
inline verdict classify(const pair_report& report, const rule& how, const subject& about = {}) { return how(report, about); }

/// Measures what `how` needs to know, in one pass, and judges it. Throws std::invalid_argument if the shapes differ.
inline verdict check(const tensor_view& actual, const tensor_view& reference, const rule& how, std::string_view op = {}) {
    const subject about{actual.type(), reference.type(), op};
    if ((how.needs() | default_metrics) == default_metrics) return how(measure(actual, reference), about);
    return how(measure<all_metrics>(actual, reference, how.limits(about).value_or(tolerance{})), about);
}

} // namespace PLUMB_TARGET
} // namespace plumb
