// plumb, the command-line program: does a ported training run still compute what its reference run computes?
#include "commands.hpp"
#include "console.hpp"

#include <plumb/version.hpp>

#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>

int main(int argc, char** argv) {
    // A pipe that was closed is noticed by write(): the answer that the exit status gives is still wanted.
    std::signal(SIGPIPE, SIG_IGN);

    int status = nothing_to_judge;
    CLI::App program("Tells whether a ported neural-network training run still computes what its reference run computes, and\n"
                     "where it first stops doing so. In every command what is under test comes first, the reference second.",
                     "plumb");
    program.set_version_flag("--version", std::string("plumb ") + plumb::version);
    program.require_subcommand(1);
    program.get_formatter()->column_width(34);
    program.footer(
        "\nExit status: 0 all passed or only warned; 1 something failed (overflow: overflow was found); 2 wrong usage or\n"
        "unusable input, nothing could be judged; 3 nothing failed, but something could not be judged.\n"
        "Results go to standard output, messages to standard error. NO_COLOR=1 turns colours off.");
    add_metrics_command(program, status);
    add_compare_command(program, status);
    add_parse_command(program, status);
    add_stats_command(program, status);
    add_overflow_command(program, status);

    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& help) { // --help, --version
        program.exit(help, std::cout, std::cerr);
        return all_good;
    } catch (const CLI::ParseError& error) {
        const auto called = program.get_subcommands();
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
