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

/// What of the paths is the same in all of them, up to a slash: on a terminal it is said once, for names to have room.
std::string common_folder(const std::vector<summary>& all) {
    std::string common = all.front().file;
    for (const summary& each : all) {
        std::size_t same = 0;
        while (same < common.size() && same < each.file.size() && common[same] == each.file[same]) ++same;
        common.resize(same);
    }
    common.resize(common.find_last_of('/') + 1); // npos + 1 is 0
    return common;
}

std::string nonfinite_text(const plumb::nonfinite_counts& counts) {
    std::string text;
    const auto add = [&](std::uint64_t count, const char* what) {
        if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + what;
    };
    add(counts.nan, " nan");
    add(counts.pos_inf, " inf");
    add(counts.neg_inf, " -inf");
    return text;
}

std::string table_of(const std::vector<summary>& all) {
    constexpr auto left = table::align::left, right = table::align::right;
    table lines({{"tensor", left, true},
                 {"dtype"},
                 {"shape"},
                 {"min", right},
                 {"max", right},
                 {"mean", right},
                 {"norm", right},
                 {"non-finite"}});
    const std::string folder = all.size() > 1 && console::width() != 0 ? common_folder(all) : "";
    const bool one_file = all.size() > 1 && all.front().file == all.back().file;
    for (const summary& each : all) {
        if (!each.error.empty()) continue;
        const plumb::tensor_report& r = each.report;
        const auto number = [](double value) { return table::cell{plumb::to_text(value, 5)}; };
        const std::string file = each.file.substr(folder.size());
        const std::string name = each.member.empty() ? file : one_file ? each.member : file + ": " + each.member;
        lines.add({{console::shown(name)},
                   {std::string(name_of(each.type))},
                   {to_string(each.shape)},
                   number(r.min),
                   number(r.max),
                   number(r.mean),
                   number(r.norm),
                   {nonfinite_text(r.nonfinite), console::look::bad}});
    }
    if (lines.empty()) return {};
    return (folder.empty() ? "" : console::in(console::look::dim, console::shown(folder)) + '\n') + lines.text();
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
        "min, max, mean and norm (L2) are over the finite elements, exact and rounded once: the norm of f16 elements does "
        "not overflow. They are nan where no element is finite. With --json also: zeros, subnormals, and saturated, the "
        "elements at the largest finite magnitude of their type.\n"
        "Exit status: 0 all were read; 2 nothing could be read; 3 some could not be read.");
    command.callback([options, &status] { status = run(*options); });
}
