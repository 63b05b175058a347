/// \file
/// The cases of tests/verdict, compiled twice: as usual and with -ffast-math. VERDICT_CASE names them apart.
#include <plumb/verdict.hpp>

#include "catch.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using plumb::metric;
using plumb::outcome;
using plumb::pair_report;
using plumb::rule;
using plumb::subject;
using plumb::tolerance;
using plumb::verdict;
namespace rules = plumb::rules;

/// What measure() would report of four pairs that are not far apart.
inline pair_report close_report() {
    pair_report r;
    r.count = 4;
    r.finite_pairs = 4;
    r.cosine = 0.9999;
    r.cosine_defined = true;
    r.max_abs_err = 0.0005;
    r.max_abs_err_index = 2;
    r.max_rel_err = 0.25;
    r.max_rel_err_index = 3;
    return r;
}

inline std::string reason(const rule& how, const pair_report& r, const subject& about = {}) {
    return plumb::classify(r, how, about).reason();
}

inline std::string message_of(std::string_view rule_text) {
    try {
        plumb::parse_rule(rule_text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "no error";
}

// NaN and infinities are made in memory: with -ffast-math Clang takes it that no function returns one.
constexpr std::uint64_t infinity = std::uint64_t{0x7ff} << 52, quiet_nan = std::uint64_t{0x7ff8} << 48;
inline void set(double& to, std::uint64_t bits) { std::memcpy(&to, &bits, sizeof to); }

} // namespace

VERDICT_CASE("verdict: says nothing was compared until it is given something to say") {
    const plumb::verdict nothing;
    CHECK(nothing.result() == outcome::undefined);
    CHECK_FALSE(nothing.passed());
    CHECK(nothing.reason() == "undefined: nothing was compared");
    CHECK(plumb::verdict(outcome::pass, "").reason() == "pass");
    CHECK(plumb::verdict(outcome::warn, "statistics only").reason() == "warn: statistics only");
    CHECK_FALSE(plumb::verdict(outcome::warn, "").passed());
}

VERDICT_CASE("verdict: fail is worse than undefined, that than warn, that than pass") {
    CHECK(plumb::worse(outcome::undefined, outcome::fail) == outcome::fail);
    CHECK(plumb::worse(outcome::undefined, outcome::warn) == outcome::undefined);
    CHECK(plumb::worse(outcome::pass, outcome::warn) == outcome::warn);
    CHECK(plumb::name_of(outcome::undefined) == "undefined");
}

// ---- ptdbg ------------------------------------------------------------------------------------------------------------

VERDICT_CASE("a rule does not pass a report that lacks what it needs, alone or among others") {
    const std::vector<float> reference{100, 200, 300}, actual{102, 204, 306};
    const auto cosine_alone = plumb::measure<metric::cosine>(actual, reference);
    const auto error_alone = plumb::measure<metric::max_abs_err>(reference, reference);
    CHECK(reason(rules::ptdbg(), cosine_alone) == "undefined: the report lacks max_abs_err, which rule ptdbg needs");
    CHECK(reason(rules::ptdbg(), error_alone) == "undefined: the report lacks cosine, which rule ptdbg needs");
    CHECK(reason(rules::all_of({rules::ptdbg()}), cosine_alone) ==
          "undefined: ptdbg: the report lacks max_abs_err, which rule ptdbg needs");
    const rule own("own", metric::ulp | metric::bits,
                   [](const pair_report&, const subject&) { return verdict(outcome::pass, ""); });
    CHECK(reason(own, cosine_alone) == "undefined: the report lacks ulp and bits, which rule own needs");
    const rule any("any", metric::cosine, [](const pair_report&, const subject&) { return verdict(outcome::pass, ""); });
    CHECK(reason(rules::any_of({own, any}), cosine_alone) == "pass");
}

VERDICT_CASE("ptdbg: passes what is close") { CHECK(reason(rules::ptdbg(), close_report()) == "pass"); }

VERDICT_CASE("ptdbg: a mismatched non-finite value fails before anything else is looked at") {
    pair_report r = close_report();
    r.finite_pairs = 3;
    r.nonfinite_mismatched = 1;
    r.first_mismatch_index = 1;
    r.max_abs_err = 5;
    CHECK(reason(rules::ptdbg(), r) == "fail: 1 of 4 pairs have a NaN or infinity that the other side has not, first at 1");
    r.finite_pairs = 0; // nor is the question whether a pair is finite
    CHECK(reason(rules::ptdbg(), r) == "fail: 1 of 4 pairs have a NaN or infinity that the other side has not, first at 1");
}

VERDICT_CASE("ptdbg: without a finite pair it is undefined, and so it is for empty tensors") {
    pair_report r;
    CHECK(reason(rules::ptdbg(), r) == "undefined: the tensors are empty: nothing was compared");
    r.count = 2;
    r.nonfinite_matched = 2;
    CHECK(reason(rules::ptdbg(), r) == "undefined: no pair is finite: nothing was compared");
}

VERDICT_CASE("ptdbg: a large error fails whether or not the cosine is defined") {
    pair_report r = close_report();
    r.max_abs_err = 1.5;
    CHECK(reason(rules::ptdbg(), r) == "fail: max_abs_err 1.5 > 1 at 2");
    r.cosine_defined = false;
    set(r.cosine, quiet_nan);
    CHECK(reason(rules::ptdbg(), r) == "fail: max_abs_err 1.5 > 1 at 2");
    set(r.max_abs_err, infinity);
    CHECK(reason(rules::ptdbg(), r) == "fail: max_abs_err inf > 1 at 2");
}

VERDICT_CASE("ptdbg: an undefined cosine is undefined, however small the error") {
    pair_report r = close_report();
    r.cosine_defined = false;
    set(r.cosine, quiet_nan);
    r.max_abs_err = 1e-30;
    CHECK(reason(rules::ptdbg(), r) == "undefined: cosine undefined: exactly one of the vectors is zero");
}

VERDICT_CASE("ptdbg: a low cosine fails alone, a middling one with a notable error") {
    pair_report r = close_report();
    r.cosine = 0.85;
    CHECK(reason(rules::ptdbg(), r) == "fail: cosine 0.85 < 0.9");
    r.cosine = 0.9712;
    CHECK(reason(rules::ptdbg(), r) == "pass");
    r.max_abs_err = 0.0132;
    r.max_abs_err_index = 1187;
    CHECK(reason(rules::ptdbg(), r) == "fail: cosine 0.9712 < 0.99 and max_abs_err 0.0132 > 0.001 at 1187");
}

VERDICT_CASE("ptdbg: a limit that is met is not exceeded, and a number beside it is written so that one sees the difference") {
    pair_report r = close_report();
    r.max_abs_err = 1;
    r.cosine = 0.99;
    CHECK(reason(rules::ptdbg(), r) == "pass");
    r.cosine = 0.9;
    r.max_abs_err = 0.001;
    CHECK(reason(rules::ptdbg(), r) == "pass");
    r.max_abs_err = 1.0000000000000002;
    CHECK(reason(rules::ptdbg(), r) == "fail: max_abs_err 1.0000000000000002 > 1 at 2");
    r.max_abs_err = 0.0010000001;
    CHECK(reason(rules::ptdbg(), r) == "fail: cosine 0.9 < 0.99 and max_abs_err 0.0010000001 > 0.001 at 2");
    r.cosine = 0.89999999;
    CHECK(reason(rules::ptdbg(), r) == "fail: cosine 0.89999999 < 0.9");
}

VERDICT_CASE("ptdbg: its limits are data") {
    rules::ptdbg_limits limits;
    limits.max_abs_err = 0.0001;
    CHECK(reason(rules::ptdbg(limits), close_report()) == "fail: max_abs_err 0.0005 > 0.0001 at 2");
    limits = {};
    limits.min_cosine = 0.99995;
    CHECK(reason(rules::ptdbg(limits), close_report()) == "fail: cosine 0.9999 < 0.99995");
    limits = {};
    limits.close_cosine = 0.99995;
    limits.close_abs_err = 0.0002;
    CHECK(reason(rules::ptdbg(limits), close_report()) == "fail: cosine 0.9999 < 0.99995 and max_abs_err 0.0005 > 0.0002 at 2");
}

VERDICT_CASE("ptdbg: a NaN as limit is refused, as nothing would exceed it") {
    rules::ptdbg_limits limits;
    set(limits.close_abs_err, quiet_nan);
    CHECK_THROWS_AS(rules::ptdbg(limits), std::invalid_argument);
    set(limits.close_abs_err, infinity);
    CHECK(reason(rules::ptdbg(limits), close_report()) == "pass");
}

// ---- allclose and torch -------------------------------------------------------------------------------------------------

VERDICT_CASE("allclose: counts the pairs outside the tolerance and names the first") {
    const float a[] = {1, 2.5f, 3, 5}, b[] = {1, 2, 3, 4};
    CHECK(plumb::check(a, b, rules::allclose(0, 0.25)).reason() ==
          "fail: 2 of 4 pairs are outside rtol 0, atol 0.25, first at 1");
    CHECK(plumb::check(a, b, rules::allclose(0.25, 0)).reason() == "pass"); // 0.5 = 2/4 and 1 = 4/4: met, not exceeded
    CHECK(plumb::check(a, b, rules::allclose(0.125, 0.25)).reason() ==
          "fail: 1 of 4 pairs are outside rtol 0.125, atol 0.25, first at 3");
}

VERDICT_CASE("allclose: non-finite values have to match, and with nothing finite it is undefined") {
    const std::uint32_t a[] = {0x3f800000, 0x7fc00000, 0x7f800000}, b[] = {0x3f800000, 0x7fc00000, 0xff800000};
    const auto floats = [](const std::uint32_t* bits, std::int64_t n) {
        return plumb::tensor_view(plumb::dtype::f32, bits, {n});
    };
    CHECK(plumb::check(floats(a, 3), floats(a, 3), rules::allclose(0, 0)).reason() == "pass");
    CHECK(plumb::check(floats(a, 3), floats(b, 3), rules::allclose(0, 0)).reason() ==
          "fail: 1 of 3 pairs have a NaN or infinity that the other side has not, first at 2");
    CHECK(plumb::check(floats(a + 1, 1), floats(a + 1, 1), rules::allclose(1, 1)).result() == outcome::undefined);
}

VERDICT_CASE("allclose: a report made with another tolerance is judged by its maxima where they settle it") {
    const rule how = rules::allclose(0.125, 0.25);
    pair_report r = close_report();
    CHECK(reason(how, r) == "pass"); // no error is above atol
    r.max_abs_err = 3;
    r.max_rel_err = 0.0625;
    CHECK(reason(how, r) == "pass"); // none above rtol
    r.max_rel_err = 1;
    CHECK(reason(how, r) == "undefined: the report does not say how many pairs are outside rtol 0.125, atol 0.25: "
                            "measure with this tolerance, or by check()");
    r.max_abs_err = 0.25; // as rounded; the exact one may be above
    CHECK(reason(how, r) == "undefined: the report does not say how many pairs are outside rtol 0.125, atol 0.25: "
                            "measure with this tolerance, or by check()");
    r.max_abs_err = 0;
    CHECK(reason(rules::allclose(0, 0), r) == "pass");
}

VERDICT_CASE("allclose: a tolerance that is negative, infinite or NaN is refused") {
    CHECK_THROWS_AS(rules::allclose(-1, 0), std::invalid_argument);
    double bad = 0;
    set(bad, infinity);
    CHECK_THROWS_AS(rules::allclose(0, bad), std::invalid_argument);
    set(bad, quiet_nan);
    CHECK_THROWS_AS(rules::allclose(bad, 0), std::invalid_argument);
}

VERDICT_CASE("torch: takes assert_close's tolerance for the types at hand, the larger one of two") {
    const auto limits = [](std::optional<plumb::dtype> actual, std::optional<plumb::dtype> reference) {
        return *rules::torch().limits({actual, reference, {}});
    };
    CHECK(limits(plumb::dtype::f16, plumb::dtype::f16) == tolerance{1e-3, 1e-5});
    CHECK(limits(plumb::dtype::bf16, plumb::dtype::bf16) == tolerance{1.6e-2, 1e-5});
    CHECK(limits(plumb::dtype::f32, plumb::dtype::f32) == tolerance{1.3e-6, 1e-5});
    CHECK(limits(plumb::dtype::f64, plumb::dtype::f64) == tolerance{1e-7, 1e-7});
    CHECK(limits(plumb::dtype::i32, plumb::dtype::i32) == tolerance{0, 0});
    CHECK(limits(plumb::dtype::bf16, plumb::dtype::f64) == tolerance{1.6e-2, 1e-5});
    CHECK(*rules::torch(plumb::dtype::f64).limits({plumb::dtype::f16, plumb::dtype::f16, {}}) == tolerance{1e-7, 1e-7});
}

VERDICT_CASE("torch: judges by the type it is given, or by those of the tensors") {
    const float a[] = {1.0005f}, b[] = {1};
    CHECK(plumb::check(a, b, rules::torch()).reason() == "fail: 1 of 1 pairs are outside rtol 1.3e-06, atol 1e-05, first at 0");
    CHECK(plumb::check(a, b, rules::torch(plumb::dtype::f16)).reason() == "pass");
}

// ---- bitwise and ulp ----------------------------------------------------------------------------------------------------

VERDICT_CASE("bitwise: -0 is not +0, nor one NaN another") {
    const float a[] = {0, 1}, b[] = {-0.0f, 1};
    CHECK(plumb::check(a, a, rules::bitwise()).reason() == "pass");
    CHECK(plumb::check(a, b, rules::bitwise()).reason() == "fail: 1 of 2 elements have other bits, first at 0");
    const std::uint16_t one[] = {0x7e00}, other[] = {0x7e01};
    const auto half = [](const std::uint16_t* data) { return plumb::tensor_view(plumb::dtype::f16, data, {1}); };
    CHECK(plumb::check(half(one), half(one), rules::bitwise()).reason() == "pass"); // NaN throughout, and the same bits
    CHECK(plumb::check(half(one), half(other), rules::bitwise()).reason() == "fail: 1 of 1 elements have other bits, first at 0");
}

VERDICT_CASE("bitwise: two types, or no elements, are undefined") {
    const float a[] = {1};
    const double b[] = {1};
    CHECK(plumb::check(a, b, rules::bitwise()).reason() == "undefined: the bits were not compared: the element types differ");
    CHECK(plumb::check(plumb::view<float>(), plumb::view<float>(), rules::bitwise()).reason() ==
          "undefined: nothing was compared");
}

VERDICT_CASE("ulp: counts representable values between the two") {
    const float a[] = {1, 1.0f + 0x1p-21f}, b[] = {1, 1};
    CHECK(plumb::check(a, b, rules::ulp(4)).reason() == "pass");
    CHECK(plumb::check(a, b, rules::ulp(3)).reason() == "fail: max_ulp_err 4 > 3 at 1");
    const double c[] = {1, 1};
    CHECK(plumb::check(a, c, rules::ulp(1000)).reason() ==
          "undefined: no distance in representable values: the element types differ");
}

// ---- Combination --------------------------------------------------------------------------------------------------------

VERDICT_CASE("all_of: is the worst of its parts, with the reasons of all that say it") {
    pair_report r = close_report();
    r.cosine = 0.5;
    r.max_ulp_err = 7;
    r.max_ulp_err_index = 3;
    CHECK(reason(rules::all_of({rules::ptdbg(), rules::ulp(2)}), r) ==
          "fail: ptdbg: cosine 0.5 < 0.9; ulp: max_ulp_err 7 > 2 at 3");
    CHECK(reason(rules::all_of({rules::ptdbg(), rules::ulp(8)}), r) == "fail: ptdbg: cosine 0.5 < 0.9");
    r.max_ulp_err.reset();
    CHECK(reason(rules::all_of({rules::ulp(8), rules::ptdbg()}), r) == "fail: ptdbg: cosine 0.5 < 0.9"); // worse than undefined
    CHECK(reason(rules::all_of({rules::ptdbg(), rules::ptdbg()}), close_report()) == "pass");
}

VERDICT_CASE("any_of: is the best of its parts") {
    pair_report r = close_report();
    r.cosine = 0.5;
    r.max_ulp_err = 7;
    r.max_ulp_err_index = 3;
    CHECK(reason(rules::any_of({rules::ptdbg(), rules::ulp(8)}), r) == "pass");
    CHECK(reason(rules::any_of({rules::ptdbg(), rules::ulp(2)}), r) ==
          "fail: ptdbg: cosine 0.5 < 0.9; ulp: max_ulp_err 7 > 2 at 3");
    r.max_ulp_err.reset();
    CHECK(plumb::classify(r, rules::any_of({rules::ptdbg(), rules::ulp(2)})).result() == outcome::undefined);
}

VERDICT_CASE("all_of, any_of: of no rules are undefined, never a pass") {
    CHECK(reason(rules::all_of({}), close_report()) == "undefined: no rule was given");
    CHECK(reason(rules::any_of({}), close_report()) == "undefined: no rule was given");
}

VERDICT_CASE("all_of: needs what its parts need") {
    const rule both = rules::all_of({rules::ulp(1), rules::allclose(0.5, 0.25)});
    CHECK(plumb::contains(both.needs(), metric::ulp));
    CHECK(plumb::contains(both.needs(), metric::outside_tolerance));
    CHECK_FALSE(plumb::contains(both.needs(), metric::bits));
    CHECK(*both.limits({}) == tolerance{0.5, 0.25});
    CHECK_FALSE(rules::ulp(1).limits({}).has_value());
}

VERDICT_CASE("all_of: of two tolerances the first is counted exactly, the other judged by the maxima") {
    const float a[] = {1.25f, 8.5f}, b[] = {1, 8};
    const auto both = [&](double first, double second) {
        return plumb::check(a, b, rules::all_of({rules::allclose(0, first), rules::allclose(0, second)})).reason();
    };
    CHECK(both(0.5, 1) == "pass");
    CHECK(both(0.25, 1) == "fail: allclose: 1 of 2 pairs are outside rtol 0, atol 0.25, first at 1");
    CHECK(both(1, 0.25) == "undefined: allclose: the report does not say how many pairs are outside rtol 0, atol 0.25: "
                           "measure with this tolerance, or by check()");
}

VERDICT_CASE("by_dtype: takes the rule of the actual side's type") {
    const rule how = rules::by_dtype({{plumb::dtype::f16, rules::ulp(1)}, {plumb::dtype::f32, rules::bitwise()}}, rules::ptdbg());
    pair_report r = close_report();
    r.differing_bits = 1;
    r.first_differing_bits_index = 0;
    r.max_ulp_err = 3;
    r.max_ulp_err_index = 1;
    CHECK(reason(how, r, {plumb::dtype::f32, plumb::dtype::f16, {}}) == "fail: 1 of 4 elements have other bits, first at 0");
    CHECK(reason(how, r, {plumb::dtype::f16, plumb::dtype::f32, {}}) == "fail: max_ulp_err 3 > 1 at 1");
    CHECK(reason(how, r, {plumb::dtype::bf16, plumb::dtype::f16, {}}) == "pass");
    CHECK(reason(how, r) == "pass"); // nothing is known of the types
}

VERDICT_CASE("by_name: takes the first pattern that fits the whole name") {
    const auto verdict_of = [](std::string name) {
        return rule(name, metric::none,
                    [name](const pair_report&, const subject&) { return plumb::verdict(outcome::warn, name); });
    };
    const rule how = rules::by_name({{"*softmax*", verdict_of("first")},
                                     {"Torch.linear.?.forward", verdict_of("second")},
                                     {"*", verdict_of("third")},
                                     {"never", verdict_of("fourth")}},
                                    verdict_of("otherwise"));
    const auto of = [&](std::string_view op) { return plumb::classify(pair_report(), how, {{}, {}, op}).why(); };
    CHECK(of("Functional.softmax.0.forward") == "first");
    CHECK(of("softmax") == "first");
    CHECK(of("Torch.linear.1.forward") == "second");
    CHECK(of("Torch.linear.10.forward") == "third");
    CHECK(of("") == "third");
}

VERDICT_CASE("by_name: * stands for any text, ? for one character, the rest for itself") {
    using plumb::detail::matches;
    CHECK(matches("", ""));
    CHECK_FALSE(matches("", "a"));
    CHECK_FALSE(matches("?", ""));
    CHECK(matches("a*b*c", "aXXbYYbc"));
    CHECK_FALSE(matches("a*b*c", "aXXbYYbd"));
    CHECK(matches("**a**", "a"));
    CHECK(matches("*.forward", "a.forward.b.forward"));
    CHECK_FALSE(matches("a.c", "abc"));
    CHECK(matches("*?", "a"));
    CHECK_FALSE(matches("*?", ""));
}

VERDICT_CASE("check: measures what the rule needs, and says so of an operator") {
    const rule named("named", metric::none, [](const pair_report& r, const subject& about) {
        return plumb::verdict(outcome::warn, std::string(about.op) + " " + std::string(plumb::name_of(*about.actual)) + " " +
                                                 std::to_string(r.count));
    });
    const float a[] = {1, 2};
    CHECK(plumb::check(a, a, named, "relu").reason() == "warn: relu f32 2");
    const float longer[] = {1, 2, 3};
    CHECK_THROWS_AS(plumb::check(a, longer, named), std::invalid_argument);
}

// ---- Rules from text ----------------------------------------------------------------------------------------------------

VERDICT_CASE("parse_rule: names a preset, with limits by name or position") {
    const auto limits_of = [](std::string_view text) { return *plumb::parse_rule(text).limits({}); };
    CHECK(plumb::parse_rule("ptdbg").name() == "ptdbg");
    CHECK(limits_of("allclose") == tolerance{1e-5, 1e-8});
    CHECK(limits_of("allclose(0.5, 0.25)") == tolerance{0.5, 0.25});
    CHECK(limits_of(" allclose ( atol = 0.25 , rtol=0.5 ) ") == tolerance{0.5, 0.25});
    CHECK(limits_of("allclose(atol=0.25)") == tolerance{1e-5, 0.25});
    CHECK(limits_of("allclose(1e-300)") == tolerance{1e-300, 1e-8});
    CHECK(limits_of("torch(bf16)") == tolerance{1.6e-2, 1e-5});
    CHECK(limits_of("torch(dtype=torch.float64)") == tolerance{1e-7, 1e-7});
    CHECK(limits_of("torch") == tolerance{1.3e-6, 1e-5});
    CHECK(plumb::parse_rule("bitwise").name() == "bitwise");
    pair_report r = close_report();
    CHECK(reason(plumb::parse_rule("ptdbg(max_abs_err=0.0001)"), r) == "fail: max_abs_err 0.0005 > 0.0001 at 2");
    CHECK(reason(plumb::parse_rule("ptdbg()"), r) == "pass");
    r.max_ulp_err = 5;
    r.max_ulp_err_index = 0;
    CHECK(reason(plumb::parse_rule("ulp(4)"), r) == "fail: max_ulp_err 5 > 4 at 0");
    CHECK(reason(plumb::parse_rule("ulp(n=5)"), r) == "pass");
}

VERDICT_CASE("parse_rule: says what is wrong, and what was expected") {
    const std::string expected =
        "; expected ptdbg, ptdbg(min_cosine=0.9, close_cosine=0.99, max_abs_err=1, close_abs_err=0.001), "
        "allclose(rtol=R, atol=A), torch, torch(DTYPE), bitwise or ulp(N)";
    CHECK(message_of("cosine") == "plumb: rule 'cosine': there is no rule of this name" + expected);
    CHECK(message_of("") == "plumb: rule '': there is no rule of this name" + expected);
    CHECK(message_of("allclose(1e-5") == "plumb: rule 'allclose(1e-5': a closing parenthesis is missing" + expected);
    CHECK(message_of("allclose(rtl=1)") == "plumb: rule 'allclose(rtl=1)': it has no argument 'rtl'" + expected);
    CHECK(message_of("allclose(1,2,3)") == "plumb: rule 'allclose(1,2,3)': it has no argument '2'" + expected);
    CHECK(message_of("allclose(1,rtol=2)") == "plumb: rule 'allclose(1,rtol=2)': it has no argument '0'" + expected);
    CHECK(message_of("allclose(rtol=1,rtol=2)") == "plumb: rule 'allclose(rtol=1,rtol=2)': 'rtol' is given twice" + expected);
    CHECK(message_of("torch(f31)") == "plumb: rule 'torch(f31)': there is no element type 'f31'" + expected);
    CHECK(message_of("ulp") == "plumb: rule 'ulp': the number of representable values is missing" + expected);
    CHECK(message_of("ulp(-1)") == "plumb: rule 'ulp(-1)': '-1' is not a whole number" + expected);
    CHECK(message_of("ulp(1.5)") == "plumb: rule 'ulp(1.5)': '1.5' is not a whole number" + expected);
    CHECK(message_of("bitwise(1)") == "plumb: rule 'bitwise(1)': it has no argument '0'" + expected);
    CHECK(message_of("ptdbg(1)") == "plumb: rule 'ptdbg(1)': it has no argument '0'" + expected);
}

VERDICT_CASE("parse_rule: a limit is a finite number of at least 0") {
    for (const std::string limit : {"nan", "inf", "-1", "1e400", "", "0x1", "1 2", "-nan"})
        CHECK(message_of("allclose(rtol=" + limit + ")").find("plumb: rule") == 0);
    CHECK(message_of("ptdbg(min_cosine=nan)").find("'nan' is not a finite number of at least 0") != std::string::npos);
}
