// Arguments that several commands take, checked before anything runs.
#pragma once

#include <CLI/CLI.hpp>

#include <plumb/types/dtype.hpp>
#include <plumb/types/tensor_view.hpp>

#include <optional>
#include <string>

/// Adds an option that takes an element type. "" in `text` means that it was not given.
CLI::Option* add_dtype_option(CLI::App& command, const std::string& name, std::string& text, const std::string& description);
/// The type of such an option.
std::optional<plumb::dtype> dtype_in(const std::string& text);

/// Adds --rule, checked by plumb::parse_rule; `text` keeps its value, "ptdbg" if it is not given.
CLI::Option* add_rule_option(CLI::App& command, std::string& text);

/// A check of an option that takes a count: "" if `text` is a whole number that fits, else what is wrong.
std::string is_whole_number(const std::string& text);

/// A shape as people write it: "2,3", "2x3", "[2, 3]"; "[]" or "scalar" is that of a scalar. Nothing if it is none.
std::optional<plumb::extents> parse_shape(const std::string& text);

/// What the help of a command that judges says of rules.
extern const char* const rules_help;
