// The subcommands of plumb: each file beside this one adds one of them to the command line.
#pragma once

#include <CLI/CLI.hpp>

/// What the program ends with. The same numbers mean the same in every command; see main.cpp.
enum exit_code : int { all_good = 0, something_failed = 1, nothing_to_judge = 2, something_unjudged = 3 };

/// Adds a subcommand. When it is called, it runs and sets `status`; it throws std::exception for input it can't use.
void add_metrics_command(CLI::App& program, int& status);
void add_compare_command(CLI::App& program, int& status);
void add_parse_command(CLI::App& program, int& status);
void add_stats_command(CLI::App& program, int& status);
void add_overflow_command(CLI::App& program, int& status);
