// plumb, the command-line program: does a ported training run still compute what its reference run computes?
#include "commands.hpp"
#include "console.hpp"

#include <plumb/version.hpp>

#include <csignal>
#include <exception>
#include <new>
#include <sstream>
#include <string>

namespace {

/// Breaks the long lines of a command's help, which CLI11 prints as they are. Each line of the footer is a paragraph.
void wrap_help(CLI::App& command) {
    constexpr std::size_t names = 30, text = 70;
    command.get_formatter()->column_width(names);
    for (CLI::Option* option : command.get_options()) {
        std::string lines = console::wrapped(option->get_description(), 0, text);
        lines.pop_back();
        option->description(lines);
    }
    std::string footer;
    std::istringstream paragraphs(command.get_footer());
    for (std::string each; std::getline(paragraphs, each);) {
        const std::size_t indent = each.find_first_not_of(' ');
        footer += '\n' + console::wrapped(each.substr(indent), indent);
    }
    footer.pop_back();
    command.footer(footer);
}

int print_help(const std::string& text) {
    try {
        console::print(text);
        return all_good;
    } catch (const std::exception& error) {
        console::tell(error.what());
        return nothing_to_judge;
    }
}

} // namespace

int main(int argc, char** argv) {
    // A pipe that was closed is noticed by write(): the answer that the exit status gives is still wanted.
    std::signal(SIGPIPE, SIG_IGN);

    int status = nothing_to_judge;
    CLI::App program("Tells whether a ported neural-network training run still computes what its reference run computes, and\n"
                     "where it first stops doing so. In every command what is under test comes first, the reference second.",
                     "plumb");
    program.set_version_flag("--version", std::string("plumb ") + plumb::version);
    program.require_subcommand(1);
    program.footer(
        "Exit status: 0 all passed or only warned; 1 something failed (overflow: overflow was found); 2 wrong usage or unusable "
        "input, nothing could be judged; 3 nothing failed, but something could not be judged.\n"
        "Results go to standard output, messages to standard error. NO_COLOR=1 turns colours off.");
    add_metrics_command(program, status);
    add_compare_command(program, status);
    add_parse_command(program, status);
    add_stats_command(program, status);
    add_overflow_command(program, status);
    wrap_help(program);
    for (CLI::App* command : program.get_subcommands({})) wrap_help(*command);

    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& help) { // --help, --version
        std::ostringstream text;
        program.exit(help, text, text);
        return print_help(text.str());
    } catch (const CLI::ParseError& error) {
        const auto called = program.get_subcommands();
        const auto unknown = program.remaining();
        if (called.empty() && !unknown.empty()) {
            console::tell("there is no command '" + unknown.front() +
                          "'; expected metrics, compare, parse, stats or overflow (see plumb --help)");
            return nothing_to_judge;
        }
        const std::string name = called.empty() ? "plumb" : "plumb " + called.front()->get_name();
        console::tell(std::string(error.what()) + " (see " + name + " --help)");
        return nothing_to_judge;
    } catch (const std::bad_alloc&) {
        console::tell("out of memory");
        return nothing_to_judge;
    } catch (const std::exception& error) {
        console::tell(error.what());
        return nothing_to_judge;
    }
    return status;
}
