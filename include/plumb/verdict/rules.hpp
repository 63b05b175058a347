/// \file
/// The ready-made rules, their limits as data.
#pragma once

#include <plumb/verdict/combine.hpp>
#include <plumb/verdict/reason.hpp>
#include <plumb/verdict/rule.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumb::rules {
inline namespace PLUMB_TARGET {

/// The limits of ptdbg(): those that the tools ptdbg_ascend and msprobe have in their code.
struct ptdbg_limits {
    double max_abs_err = 1.0;     ///< fail above
    double min_cosine = 0.9;      ///< fail below
    double close_cosine = 0.99;   ///< fail below, if also …
    double close_abs_err = 0.001; ///< … max_abs_err is above
};

/// The seed tools' rule, in this order: fail if any pair is mismatched; undefined without a finite pair; fail if max_abs_err
/// exceeds its limit; undefined if the cosine is; fail if the cosine is below min_cosine, or below close_cosine while
/// max_abs_err exceeds close_abs_err; else pass. Needs metric::cosine and metric::max_abs_err. Throws std::invalid_argument if a
/// limit is NaN.
inline rule ptdbg(const ptdbg_limits& limits = {}) {
    for (const double limit : {limits.max_abs_err, limits.min_cosine, limits.close_cosine, limits.close_abs_err})
        if (detail::is_nan(limit)) throw std::invalid_argument("plumb: a limit of ptdbg() is NaN: nothing would ever exceed it");
    return {
        "ptdbg", metric::cosine | metric::max_abs_err, [limits](const pair_report& r, const subject&) -> verdict {
            if (auto early = detail::judge_nonfinite(r)) return *early;
            const bool large = r.max_abs_err > limits.max_abs_err;
            const bool notable = r.max_abs_err > limits.close_abs_err;
            if (large)
                return {outcome::fail, detail::exceeds("max_abs_err", r.max_abs_err, limits.max_abs_err, r.max_abs_err_index)};
            if (!r.cosine_defined) return {outcome::undefined, "cosine undefined: exactly one of the vectors is zero"};
            if (r.cosine < limits.min_cosine) return {outcome::fail, detail::falls_below("cosine", r.cosine, limits.min_cosine)};
            if (r.cosine < limits.close_cosine && notable)
                return {outcome::fail,
                        detail::falls_below("cosine", r.cosine, limits.close_cosine) + " and " +
                            detail::exceeds("max_abs_err", r.max_abs_err, limits.close_abs_err, r.max_abs_err_index)};
            return {outcome::pass, ""};
        }};
}

/// Every finite pair has |a − b| <= atol + rtol·|b|, decided exactly; non-finite values match. A report that was not made
/// with this tolerance is judged by its maxima where they settle the question, and is else undefined: check() makes the one it
/// needs; when streaming, basic_pair_metrics<default_metrics | metric::outside_tolerance> made with the tolerance does. Throws
/// std::invalid_argument unless both limits are finite and not negative.
inline rule allclose(const double& rtol, const double& atol) {
    if (!is_valid(tolerance{rtol, atol}))
        throw std::invalid_argument("plumb: allclose() needs a finite rtol and atol of at least 0, not " +
                                    detail::limit_text(rtol) + " and " + detail::limit_text(atol));
    return detail::close("allclose", [limits = tolerance{rtol, atol}](const subject&) { return limits; });
}

/// The tolerance of torch.testing.assert_close for a type: f16 1e-3, bf16 1.6e-2, f32 1.3e-6 (relative) with 1e-5 absolute,
/// f64 1e-7 with 1e-7; 0 and 0 for all other types.
inline tolerance torch_tolerance(dtype type) noexcept {
    switch (type) {
    case dtype::f16: return {1e-3, 1e-5};
    case dtype::bf16: return {1.6e-2, 1e-5};
    case dtype::f32: return {1.3e-6, 1e-5};
    case dtype::f64: return {1e-7, 1e-7};
    default: return {};
    }
}

/// As torch.testing.assert_close with the defaults for one type.
inline rule torch(dtype type) {
    return detail::close("torch", [limits = torch_tolerance(type)](const subject&) { return limits; });
}

/// As torch.testing.assert_close with the defaults for the types at hand; of two types, the larger of both limits, as there.
inline rule torch() {
    return detail::close("torch", [](const subject& about) {
        const tolerance a = torch_tolerance(about.actual.value_or(dtype::f32));
        const tolerance b = torch_tolerance(about.reference.value_or(about.actual.value_or(dtype::f32)));
        return tolerance{std::max(a.rtol, b.rtol), std::max(a.atol, b.atol)};
    });
}

/// Both sides have one type and the same bits throughout: −0 is not +0, nor one NaN another. Needs metric::bits.
inline rule bitwise() {
    return {"bitwise", metric::bits, [](const pair_report& r, const subject&) -> verdict {
                if (r.count == 0) return {};
                if (!r.differing_bits) return {outcome::undefined, "the bits were not compared: the element types differ"};
                if (*r.differing_bits == 0) return {outcome::pass, ""};
                return {outcome::fail, std::to_string(*r.differing_bits) + " of " + std::to_string(r.count) +
                                           " elements have other bits, first at " +
                                           std::to_string(*r.first_differing_bits_index)};
            }};
}

/// No finite pair is more than n representable values apart; non-finite values match. Needs metric::ulp.
inline rule ulp(std::uint64_t n) {
    return {"ulp", metric::ulp, [n](const pair_report& r, const subject&) -> verdict {
                if (auto early = detail::judge_nonfinite(r)) return *early;
                if (!r.max_ulp_err) return {outcome::undefined, "no distance in representable values: the element types differ"};
                if (*r.max_ulp_err > static_cast<double>(n))
                    return {outcome::fail,
                            detail::exceeds("max_ulp_err", *r.max_ulp_err, static_cast<double>(n), r.max_ulp_err_index)};
                return {outcome::pass, ""};
            }};
}

/// The worst of what the rules say, with the reasons of all that say it. A report holds the count for one tolerance: of several
/// close rules with different ones, the first is decided exactly, the others by the maxima or not at all.
inline rule all_of(std::vector<rule> parts) { return detail::combine("all_of", std::move(parts), true); }

/// The best of what the rules say, likewise; if none passes, with the reasons of all that say it.
inline rule any_of(std::vector<rule> parts) { return detail::combine("any_of", std::move(parts), false); }

/// The rule for the actual side's type, or `otherwise`.
inline rule by_dtype(std::vector<std::pair<dtype, rule>> cases, rule otherwise) {
    return detail::choose("by_dtype", std::move(cases), std::move(otherwise),
                          [](dtype type, const subject& about) { return about.actual && *about.actual == type; });
}

/// The first rule whose pattern matches the operator's whole name, or `otherwise`. In a pattern, * stands for any text and ? for
/// any one character: {"*softmax*", rules::ulp(4)}. The layouts spell one operator's name differently (Torch_relu_0_forward,
/// Torch.relu.0.forward): a pattern for both leaves the separators to * and ?.
inline rule by_name(std::vector<std::pair<std::string, rule>> cases, rule otherwise) {
    return detail::choose("by_name", std::move(cases), std::move(otherwise),
                          [](const std::string& pattern, const subject& about) { return detail::matches(pattern, about.op); });
}

} // namespace PLUMB_TARGET
} // namespace plumb::rules
