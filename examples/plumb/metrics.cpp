// plumb metrics: one pair of tensors.
#include "arguments.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "json_output.hpp"

#include <plumb/compare/number_text.hpp>
#include <plumb/compare/write_json.hpp>
#include <plumb/dump/read_tensor.hpp>
#include <plumb/metrics.hpp>
#include <plumb/verdict.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace {

struct metrics_options {
    std::string actual, reference;
    std::string actual_dtype, reference_dtype;
    std::string actual_member, reference_member;
    std::string shape;
    std::string rule;
    bool json = false;
};

plumb::tensor read(const std::string& path, const std::string& type, const std::string& member, const std::string& shape) {
    plumb::read_options options;
    options.type = dtype_in(type);
    options.member = member;
    if (!shape.empty()) options.shape = parse_shape(shape);
    return plumb::read_tensor(std::filesystem::path(path), options);
}

/// The position of an element, outermost dimension first: "[1, 2]".
plumb::extents position_of(std::uint64_t index, const plumb::extents& shape) {
    plumb::extents position = shape;
    for (std::size_t dim = shape.size(); dim-- > 0;) {
        position[dim] = static_cast<std::int64_t>(index % static_cast<std::uint64_t>(shape[dim]));
        index /= static_cast<std::uint64_t>(shape[dim]);
    }
    return position;
}

/// The element at a position in row-major order, as text.
std::string element_text(const plumb::tensor_view& tensor, std::uint64_t index) {
    const plumb::extents position = position_of(index, tensor.shape());
    const char* at = static_cast<const char*>(tensor.data());
    for (std::size_t dim = 0; dim < position.size(); ++dim) at += position[dim] * tensor.strides()[dim];
    const plumb::tensor_report element = plumb::summarize(plumb::tensor_view(tensor.type(), at, plumb::extents{}));
    const auto& [nan, pos_inf, neg_inf] = element.nonfinite;
    return nan > 0 ? "nan" : pos_inf > 0 ? "inf" : neg_inf > 0 ? "-inf" : plumb::to_text(element.min, 9);
}

/// The lines that people read: one number each, with where it is and what stands there.
class listing {
public:
    listing(const plumb::tensor_view& actual, const plumb::tensor_view& reference) : actual_(actual), reference_(reference) {}

    void add(const std::string& name, const std::string& value, std::optional<std::uint64_t> index = {}) {
        std::string line = "  " + console::in(console::look::dim, name) + std::string(18 - name.size(), ' ') + value;
        if (index) {
            line += std::string(value.size() < 24 ? 24 - value.size() : 1, ' ') + "at " + std::to_string(*index);
            if (actual_.shape().size() > 1) line += " = " + to_string(position_of(*index, actual_.shape()));
            line += ": " + element_text(actual_, *index) + " against " + element_text(reference_, *index);
        }
        text_ += line + '\n';
    }
    void add(const std::string& name, double value, std::optional<std::uint64_t> index = {}) {
        std::string text = plumb::python_repr(value); // the fewest digits that mean this number
        if (text.size() > 2 && text.substr(text.size() - 2) == ".0") text.resize(text.size() - 2);
        add(name, text, text == "0" ? std::nullopt : index);
    }
    const std::string& text() const { return text_; }

private:
    const plumb::tensor_view &actual_, &reference_;
    std::string text_;
};

std::string side_text(const char* side, const std::string& path, const std::string& member, const plumb::tensor_view& tensor) {
    return "  " + console::in(console::look::dim, side) + console::shown(path + (member.empty() ? "" : ": " + member)) + "  " +
           std::string(name_of(tensor.type())) + ' ' + to_string(tensor.shape()) + '\n';
}

std::string nonfinite_text(const plumb::nonfinite_counts& counts) {
    return std::to_string(counts.nan) + " NaN, " + std::to_string(counts.pos_inf) + " +Inf, " + std::to_string(counts.neg_inf) +
           " -Inf";
}

std::string report_text(const plumb::pair_report& r, const plumb::tensor_view& actual, const plumb::tensor_view& reference) {
    listing lines(actual, reference);
    lines.add("pairs",
              std::to_string(r.count) +
                  (r.finite_pairs == r.count ? "" : ", of which " + std::to_string(r.finite_pairs) + " finite on both sides"));
    lines.add("differing", std::to_string(r.differing), r.first_differing_index);
    const bool any_nonfinite = r.nonfinite_matched + r.nonfinite_mismatched > 0;
    if (any_nonfinite) {
        lines.add("actual", nonfinite_text(r.actual_nonfinite));
        lines.add("reference", nonfinite_text(r.reference_nonfinite));
        lines.add("matched", std::to_string(r.nonfinite_matched));
        lines.add("mismatched", std::to_string(r.nonfinite_mismatched), r.first_mismatch_index);
    }
    if (r.finite_pairs == 0) return lines.text();
    if (r.cosine_defined)
        lines.add("cosine", r.cosine);
    else
        lines.add("cosine", "undefined: exactly one side is all zero");
    lines.add("max_abs_err", r.max_abs_err, r.max_abs_err_index);
    lines.add("max_rel_err", r.max_rel_err, r.max_rel_err_index);
    if (r.zero_reference > 0) lines.add("zero_reference", std::to_string(r.zero_reference) + " (not zero against zero)");
    lines.add("euclidean", r.euclidean);
    lines.add("rmse", r.rmse);
    lines.add("rel_l2_err", r.rel_l2_err);
    lines.add("mean_abs_err", r.mean_abs_err);
    lines.add("ratio_1e3", r.ratio_1e3);
    lines.add("ratio_5e3", r.ratio_5e3);
    if (r.max_ulp_err) lines.add("max_ulp_err", *r.max_ulp_err, r.max_ulp_err_index);
    if (r.mean_ulp_err) lines.add("mean_ulp_err", *r.mean_ulp_err);
    return lines.text();
}

int run(const metrics_options& options) {
    const plumb::tensor actual = read(options.actual, options.actual_dtype, options.actual_member, options.shape);
    const plumb::tensor reference = read(options.reference, options.reference_dtype, options.reference_member, options.shape);
    const plumb::rule rule = plumb::parse_rule(options.rule);
    const plumb::subject about{actual.type(), reference.type(), {}};
    const plumb::pair_report report = (rule.needs() | plumb::full_metrics) == plumb::full_metrics
                                          ? plumb::measure<plumb::full_metrics>(actual.view(), reference.view())
                                          : plumb::measure<plumb::all_metrics>(actual.view(), reference.view(),
                                                                               rule.limits(about).value_or(plumb::tolerance{}));
    const plumb::verdict verdict = classify(report, rule, about);

    if (options.json) {
        plumb::detail::json_builder json;
        add_report(json.open('{'), report);
        json.member("verdict", name_of(verdict.result())).member("reason", verdict.why()).close('}');
        print_json(json);
    } else {
        console::print(console::in(console::look_of(verdict.result()), verdict.reason()) + "\n" +
                       side_text("actual            ", options.actual, options.actual_member, actual) +
                       side_text("reference         ", options.reference, options.reference_member, reference) +
                       report_text(report, actual, reference));
    }
    switch (verdict.result()) {
    case plumb::outcome::fail: return something_failed;
    case plumb::outcome::undefined: return something_unjudged;
    default: return all_good;
    }
}

} // namespace

void add_metrics_command(CLI::App& program, int& status) {
    const auto options = std::make_shared<metrics_options>();
    CLI::App& command = *program.add_subcommand("metrics", "All metrics, verdict and reason for one pair of tensor files");
    command.add_option("ACTUAL", options->actual, "What is under test: an .npy, .npz, .pt or .safetensors file, or a raw one")
        ->required();
    command.add_option("REFERENCE", options->reference, "What it should be: a file of any of these formats")->required();
    add_dtype_option(command, "--actual-dtype", options->actual_dtype,
                     "Element type of ACTUAL where its file can't tell: bf16 for an .npy of uint16, any type of a raw file");
    add_dtype_option(command, "--reference-dtype", options->reference_dtype, "The same for REFERENCE");
    command
        .add_option("--shape", options->shape, "Shape of raw files, such as 2,3 (\"[]\": a scalar); any other file must have it")
        ->type_name("SHAPE")
        ->check([](const std::string& text) {
            return parse_shape(text) ? std::string() : "'" + text + "' is no shape; expected lengths such as 2,3";
        });
    command.add_option("--actual-member", options->actual_member, "Which tensor of ACTUAL, where it holds several")
        ->type_name("NAME");
    command.add_option("--reference-member", options->reference_member, "Which tensor of REFERENCE")->type_name("NAME");
    add_rule_option(command, options->rule);
    command.add_flag("--json", options->json,
                     "Print one JSON object: numbers with 17 digits, non-finite ones as \"nan\", \"inf\", \"-inf\"");
    command.footer(
        rules_help +
        std::string("Numbers are over the pairs that are finite on both sides, exact and rounded once; NaN and infinities are "
                    "counted beside them, and mismatched ones fail. max_rel_err: 0/0 is 0, x/0 is inf. Cosine: two zero "
                    "vectors give 1, exactly one leaves it undefined. Errors in ulp (representable values) are null where the "
                    "two formats differ. Positions count in row-major order from 0.\n"
                    "Shapes must be equal: nothing is broadcast. Raw files hold packed elements in this machine's byte order.\n"
                    "Exit status: 0 pass or warn; 1 fail; 2 nothing could be compared: shapes differ or a file can't be read "
                    "(with --json the object is then {\"error\": \"…\"}); 3 undefined."));
    set_callback<metrics_options>(command, status, options, run);
}
