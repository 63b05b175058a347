// What the commands print with --json: one object on a line of its own.
#pragma once

#include "console.hpp"

#include <CLI/CLI.hpp>

#include <plumb/compare/write_json.hpp>

#include <exception>
#include <memory>
#include <string>

inline void print_json(plumb::detail::json_builder& json) {
    json.flush(console::out());
    console::out() << '\n' << std::flush;
}

/// {"error": "…"}, where nothing could be judged: a script finds an object on standard output in any case.
inline void print_json_error(const std::exception& problem) {
    plumb::detail::json_builder json;
    std::string text;
    json.open('{').member("error", console::without_own_name(problem.what())).close('}').append_to(text);
    console::print(text + '\n'); // past the stream: it may be what failed
}

/// Makes `run` what the command does. With --json, what keeps it from judging is printed as well as thrown.
template <class Arguments>
void set_callback(CLI::App& command, int& status, std::shared_ptr<const Arguments> arguments, int (*run)(const Arguments&)) {
    command.callback([=, &status] {
        try {
            status = run(*arguments);
        } catch (const std::exception& problem) {
            if (arguments->json) print_json_error(problem);
            throw;
        }
    });
}
