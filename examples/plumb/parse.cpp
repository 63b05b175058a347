// plumb parse: statistics and stack of one operator.
#include "commands.hpp"
#include "console.hpp"

#include <plumb/compare/parse.hpp>
#include <plumb/dump/read_dump.hpp>
#include <plumb/dump/resolve_stack.hpp>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct parse_options {
    std::string index, prefix;
};

int run(const parse_options& options) {
    plumb::dump recorded = plumb::read_dump(std::filesystem::path(options.index));
    for (const std::string& warning : recorded.warnings) console::warn(warning);
    std::string text;
    for (plumb::rank_dump& rank : recorded.ranks) {
        plumb::resolve_stacks(rank);
        const auto lines = plumb::parse_lines(rank, options.prefix);
        if (lines.empty()) continue;
        if (recorded.ranks.size() > 1) // ptdbg_ascend's reads one index only, hence has no word for this
            text += (text.empty() ? "" : "\n") + console::in(console::look::bold, console::shown(rank.index.string())) + '\n';
        for (const std::string& line : lines) text += console::shown(line) + '\n';
    }
    if (text.empty())
        throw std::runtime_error(options.index + ": no name begins with '" + options.prefix +
                                 "' and ends a field there; the names are those of the index, such as '" +
                                 (recorded.ranks.empty() || recorded.ranks.front().entries.empty()
                                      ? std::string("Functional_linear_0")
                                      : recorded.ranks.front().entries.front().op) +
                                 "'");
    console::print(text);
    return all_good;
}

} // namespace

void add_parse_command(CLI::App& program, int& status) {
    const auto options = std::make_shared<parse_options>();
    CLI::App& command =
        *program.add_subcommand("parse", "Recorded statistics and stack of one operator, as ptdbg_ascend's parse prints them");
    command
        .add_option("INDEX", options->index,
                    "ptdbg_ascend's .pkl, msprobe's dump.json, plumb's index.jsonl, or a folder with any of these")
        ->required();
    command
        .add_option("PREFIX", options->prefix, "How the names begin, up to the end of a field: ..._1 does not stand for ..._10")
        ->required();
    command.footer(
        "Prints dtype, shape, max, min and mean of each tensor, then the stack of the call, outermost frame first. Statistics "
        "are those that were recorded; where there are none, those of the data, a NaN or an infinity going into each.\n"
        "Exit status: 0 something was printed; 2 there is no such name or no such index.");
    command.callback([options, &status] { status = run(*options); });
}
