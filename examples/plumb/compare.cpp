// plumb compare: what two runs recorded.
#include "arguments.hpp"
#include "commands.hpp"
#include "compare_files.hpp"
#include "compare_text.hpp"
#include "console.hpp"
#include "json_output.hpp"
#include "progress.hpp"

#include <plumb/compare.hpp>
#include <plumb/dump/read_dump.hpp>
#include <plumb/verdict/parse_rule.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace {

struct compare_arguments {
    std::string actual, reference;
    std::string folder, style = "plumb", map, rule;
    unsigned jobs = 0;
    std::size_t rows = 10;
    bool json = false;
};

plumb::table_style style_of(const std::string& name) {
    return name == "ptdbg"     ? plumb::table_style::ptdbg
           : name == "msprobe" ? plumb::table_style::msprobe
                               : plumb::table_style::plumb;
}

plumb::comparison compare(const compare_arguments& arguments, plumb::table_style style) {
    plumb::compare_options options;
    options.judge = plumb::parse_rule(arguments.rule);
    options.jobs = arguments.jobs;
    options.with_statistics = !arguments.folder.empty() && style != plumb::table_style::plumb;
    if (!arguments.map.empty()) options.names = plumb::read_name_map(std::filesystem::path(arguments.map));
    progress_bar bar("comparing");
    options.progress = [&](std::size_t done, std::size_t total) { bar.show(done, total); };
    plumb::dump actual = plumb::read_dump(std::filesystem::path(arguments.actual));
    plumb::dump reference = plumb::read_dump(std::filesystem::path(arguments.reference));
    return plumb::compare(std::move(actual), std::move(reference), options);
}

/// Why no row could be compared: no partners, or files that can't be read.
std::string why_nothing(const plumb::comparison& result, const compare_arguments& arguments) {
    std::size_t matched = 0;
    const plumb::comparison_row* first = nullptr;
    for (const plumb::comparison_row& row : result.rows)
        if (row.matched() && ++matched == 1) first = &row;
    if (matched == 0) return "no tensor of " + arguments.actual + " has a partner in " + arguments.reference;
    return "none of the " + std::to_string(matched) + " tensors that both have could be read (the first: " + first->error + ")";
}

int run(const compare_arguments& arguments) {
    const plumb::table_style style = style_of(arguments.style);
    const plumb::comparison result = compare(arguments, style);
    const int status = exit_status(result);

    // The files first: they are there even if whoever reads the terminal's text goes away.
    std::vector<std::filesystem::path> files;
    if (!arguments.folder.empty()) files = write_tables(result, style, std::filesystem::path(arguments.folder));

    if (arguments.json) {
        write_json(console::out(), result);
        console::out() << std::flush;
    } else {
        std::string text = comparison_text(result, arguments.rows);
        for (const auto& file : files)
            text += console::in(console::look::bold, "table") + "  " + console::shown(file.string()) + '\n';
        console::print(text);
    }
    for (const std::string& warning : result.warnings) console::warn(warning);
    if (arguments.folder.empty() && arguments.style != "plumb")
        console::warn("--style " + arguments.style + " is that of the CSV table, which is written with -o DIR only");
    if (status == nothing_to_judge) console::tell("nothing could be compared: " + why_nothing(result, arguments));
    return status;
}

} // namespace

void add_compare_command(CLI::App& program, int& status) {
    const auto arguments = std::make_shared<compare_arguments>();
    CLI::App& command = *program.add_subcommand(
        "compare", "Two dumps: a verdict on each tensor, and the operator where the runs begin to differ");
    command
        .add_option("ACTUAL", arguments->actual,
                    "The dump under test, of any layout: its folder, a step or rank inside it, or an index file")
        ->required();
    command.add_option("REFERENCE", arguments->reference, "The dump it should equal; the two layouts may differ")->required();
    command
        .add_option("-o,--output", arguments->folder,
                    "Write the CSV table into this folder, as compare_result_<time>.csv; nothing is overwritten")
        ->type_name("DIR");
    add_rule_option(command, arguments->rule);
    command.add_option("--style", arguments->style, "Columns and words of the CSV table: plumb (default), ptdbg or msprobe")
        ->check(CLI::IsMember({"plumb", "ptdbg", "msprobe"}))
        ->type_name("STYLE");
    command
        .add_option("--map", arguments->map,
                    "JSON object of actual name to reference name, for tensors, calls or all calls of an operator; a call or "
                    "tensor that it names is paired with what it says or not at all")
        ->type_name("FILE");
    command.add_option("--jobs", arguments->jobs, "Threads (default: as many as the machine has); they change no result")
        ->check(is_whole_number)
        ->type_name("N");
    command.add_option("--rows", arguments->rows, "How many of the worst rows to print (default: 10)")
        ->check(is_whole_number)
        ->type_name("N");
    command.add_flag("--json", arguments->json, "Print one JSON object with every row, instead of the text");
    command.footer(
        rules_help +
        std::string(
            "Operators are paired by name and number of the call, ranks and steps by number. Tensors without a partner "
            "are rows too, undefined. Dumps of checksums or statistics alone are compared by these: equal checksums "
            "pass, others warn; statistics warn where one changes by more than half, and fail where a NaN or an "
            "infinity comes or goes (of mean and norm only where max and min do not tell that all elements are "
            "finite).\n"
            "The first diverging operator is the earliest whose outputs differ by more than its inputs explain, step by step. "
            "It changes no exit status.\n"
            "Exit status: 0 all rows pass or warn; 1 a row failed (shapes that differ fail); 2 nothing could be "
            "compared (with --json the object is {\"error\": \"…\"} if a dump can't be read); 3 none failed, but some "
            "are undefined, unmatched or unreadable."));
    set_callback<compare_arguments>(command, status, arguments, run);
}
