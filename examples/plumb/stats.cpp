// plumb stats: statistics of the tensors in files.
#include "arguments.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "json_output.hpp"
#include "table.hpp"

#include <plumb/compare/number_text.hpp>
#include <plumb/compare/write_json.hpp>
#include <plumb/dump/read_tensor.hpp>
#include <plumb/metrics.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace {

struct stats_options {
    std::vector<std::string> files;
    std::string dtype, shape;
    bool json = false;
};

/// One tensor, or the reason why there is none.
struct summary {
    std::string file, member;
    plumb::dtype type = plumb::dtype::f32;
    plumb::extents shape;
    plumb::tensor_report report;
    std::string error;
};

void summarize_file(const std::string& file, const stats_options& options, std::vector<summary>& into) {
    plumb::read_options how;
    how.type = dtype_in(options.dtype);
    if (!options.shape.empty()) how.shape = parse_shape(options.shape);
    const auto path = std::filesystem::path(file);
    const auto add = [&](const std::string& member, const auto& read) {
        summary each;
        each.file = file;
        each.member = member;
        try {
            const plumb::tensor tensor = read();
            each.type = tensor.type();
            each.shape = tensor.shape();
            each.report = plumb::summarize(tensor.view());
        } catch (const std::exception& problem) {
            each.error = problem.what();
        }
        into.push_back(std::move(each));
    };
    if (how.shape) return add("", [&] { return plumb::read_tensor(path, how); });
    try {
        plumb::tensor_file opened(path);
        if (opened.names().empty()) throw plumb::io_error(path, "holds no tensors");
        for (std::size_t i = 0; i < opened.names().size(); ++i) add(opened.names()[i], [&] { return opened.read(i, how.type); });
    } catch (const std::exception&) {
        add("", [&]() -> plumb::tensor { throw; });
    }
}

void add_object(plumb::detail::json_builder& json, const summary& each) {
    json.open('{').member("file", each.file);
    each.member.empty() ? json.key("member").null() : json.member("member", each.member);
    if (!each.error.empty()) {
        json.member("error", each.error).close('}');
        return;
    }
    const plumb::tensor_report& r = each.report;
    json.member("dtype", name_of(each.type)).key("shape").open('[');
    for (const std::int64_t length : each.shape) json.value(length);
    json.close(']').member("count", r.count).member("finite", r.finite);
    json.member("min", r.min).member("max", r.max).member("mean", r.mean).member("norm", r.norm).key("nonfinite").open('{');
    json.member("nan", r.nonfinite.nan).member("pos_inf", r.nonfinite.pos_inf).member("neg_inf", r.nonfinite.neg_inf).close('}');
    json.member("first_nonfinite_index", r.first_nonfinite_index).member("zeros", r.zeros).member("subnormals", r.subnormals);
    json.member("saturated", r.saturated).close('}');
}

std::string table_of(const std::vector<summary>& all) {
    using align = table::align;
    table lines({{"tensor", align::left, true},
                 {"dtype", align::left},
                 {"shape", align::left},
                 {"min", align::right},
                 {"max", align::right},
                 {"mean", align::right},
                 {"norm", align::right},
                 {"nan", align::right},
                 {"+inf", align::right},
                 {"-inf", align::right},
                 {"zeros", align::right}});
    for (const summary& each : all) {
        if (!each.error.empty()) continue;
        const plumb::tensor_report& r = each.report;
        const auto number = [](double value) { return table::cell{plumb::to_text(value, 6)}; };
        const auto count = [](std::uint64_t n, bool bad) {
            return table::cell{std::to_string(n), n == 0 ? console::look::dim : bad ? console::look::bad : console::look::plain};
        };
        const std::string name = each.member.empty()                                     ? each.file
                                 : all.size() > 1 && all.front().file == all.back().file ? each.member
                                                                                         : each.file + ": " + each.member;
        lines.add({{console::shown(name)},
                   {std::string(name_of(each.type))},
                   {to_string(each.shape)},
                   number(r.min),
                   number(r.max),
                   number(r.mean),
                   number(r.norm),
                   count(r.nonfinite.nan, true),
                   count(r.nonfinite.pos_inf, true),
                   count(r.nonfinite.neg_inf, true),
                   count(r.zeros, false)});
    }
    return lines.empty() ? "" : lines.text();
}

int run(const stats_options& options) {
    std::vector<summary> all;
    for (const std::string& file : options.files) summarize_file(file, options, all);
    std::size_t errors = 0;
    for (const summary& each : all)
        if (!each.error.empty()) ++errors;

    if (options.json) {
        plumb::detail::json_builder json;
        json.open('{').key("tensors").open('[');
        for (const summary& each : all) add_object(json, each);
        print_json(json.close(']').close('}'));
    } else {
        console::print(table_of(all));
    }
    for (const summary& each : all)
        if (!each.error.empty()) console::tell(each.error);
    return errors == 0 ? all_good : errors == all.size() ? nothing_to_judge : something_unjudged;
}

} // namespace

void add_stats_command(CLI::App& program, int& status) {
    const auto options = std::make_shared<stats_options>();
    CLI::App& command = *program.add_subcommand("stats", "Minimum, maximum, mean, norm and counts of tensors");
    command.add_option("FILE", options->files, "An .npy, .npz, .pt or .safetensors file (each of its tensors), or a raw one")
        ->required();
    add_dtype_option(command, "--dtype", options->dtype,
                     "Element type where a file can't tell: bf16 for an .npy of uint16, or of a raw file");
    command.add_option("--shape", options->shape, "Shape of raw files, such as 2,3")
        ->type_name("SHAPE")
        ->check([](const std::string& text) {
            return parse_shape(text) ? std::string() : "'" + text + "' is no shape; expected lengths such as 2,3";
        });
    command.add_flag("--json", options->json, "Print one JSON object, {\"tensors\": […]}, with more numbers than the table has");
    command.footer(
        "\nmin, max, mean and norm (L2) are over the finite elements, exact and rounded once: the norm of f16 elements does not\n"
        "overflow. They are nan where no element is finite. saturated: elements at their type's largest finite magnitude.\n"
        "Exit status: 0 all read, 2 nothing could be read, 3 some could not be read.");
    command.callback([options, &status] { status = run(*options); });
}
