/// \file
/// Makes ptdbg_ascend's index from plumb's own.
#pragma once

#include <plumb/dump/entry_name.hpp>
#include <plumb/dump/file_writer.hpp>
#include <plumb/dump/journal_calls.hpp>
#include <plumb/dump/json_text.hpp>
#include <plumb/dump/python_text.hpp>

#include <filesystem>
#include <map>
#include <string>

namespace plumb {

/// "dump.pkl", and "<mode>_dump.pkl" for the modes other than all.
inline std::string ptdbg_index_name(const std::string& mode) { return mode.empty() ? "dump.pkl" : mode + "_dump.pkl"; }

namespace detail {

/// The four numbers of a line. Integers have no norm, tensors without dimensions neither; bool and empty ones have nothing.
inline std::string ptdbg_numbers(const journal_entry& entry) {
    std::string text = "[";
    const auto add = [&](double number) {
        if (text.size() > 1) text += ", ";
        append_python(text, number);
    };
    if (!entry.type) {
        std::string scalar;
        if (entry.truth || !entry.number || entry.type_name.find("int") != std::string::npos)
            scalar = entry.value;
        else
            append_python(scalar, *entry.number);
        return "[" + scalar + ", " + scalar + ", " + scalar + ", " + scalar + "]";
    }
    if (!entry.stats) return element_count(entry.shape) == 0 || *entry.type == dtype::boolean ? "[[], [], [], \"Nan\"]" : "[]";
    if (*entry.type == dtype::boolean) return "[[], [], [], \"Nan\"]";
    const bool scalar = entry.shape.empty();
    for (std::size_t i = 0; i < 3; ++i) add((*entry.stats)[scalar ? 0 : i]);
    if (scalar || !is_floating(*entry.type)) return text + ", \"Nan\"]";
    add((*entry.stats)[3]);
    return text + "]";
}

/// The tool records inputs and outputs by their positions: it has no names for keyword arguments and parameters.
inline bool ptdbg_has(const journal_entry& entry) {
    return (entry.described || element_count(entry.shape) == 0) && parse_ptdbg_name(entry.name);
}

inline std::string ptdbg_line(const journal_entry& entry) {
    std::string line = "[" + to_json(entry.name) + ", 0, " + (entry.checksum.empty() ? "[]" : to_json(entry.checksum)) + ", ";
    line += entry.type ? "\"torch." + std::string(torch_name_of(*entry.type)) + "\", " + to_string(entry.shape)
                       : to_json(entry.type_name) + ", \"[]\"";
    return line + ", " + ptdbg_numbers(entry) + "]\n";
}

inline std::string ptdbg_stack_line(const journal_call& call) {
    std::string line = "[" + to_json(call.op + "_stack_info") + ", [";
    for (std::size_t i = 0; i < call.stack.size(); ++i) {
        const stack_frame& frame = call.stack[i];
        line += i == 0 ? "[" : ", [";
        append_json(line, frame.file);
        append_json(line += ", ", frame.line);
        append_json(line += ", ", frame.function);
        append_json(line += ", ", frame.code);
        line += ']';
    }
    return line + "]]\n";
}

} // namespace detail

/// Makes <mode_>dump.pkl of the index.jsonl in `folder`: text, one JSON array a line, as ptdbg_ascend 4.0 writes it. Statistics
/// are those of the index, exact and rounded once, where the tool computes in the tensor's own type. Each file appears whole or
/// not at all, and replaces an older one. Keyword arguments and parameters, which the tool leaves out, stay in index.jsonl.
/// Throws io_error.
inline void write_ptdbg_index(const std::filesystem::path& folder) {
    std::map<std::string, file_writer> files;
    for_each_journal_call(folder / "index.jsonl", [&](const journal_call& call) {
        file_writer& file = files.try_emplace(call.mode, folder / ptdbg_index_name(call.mode)).first->second;
        for (const journal_entry& entry : call.entries)
            if (detail::ptdbg_has(entry)) file.write(detail::ptdbg_line(entry));
        if (!call.stack.empty()) file.write(detail::ptdbg_stack_line(call));
    });
    for (auto& [mode, file] : files) file.commit();
}

} // namespace plumb
