/// \file
/// Reads plumb's own index call by call, for those who make another index of it.
#pragma once

#include <plumb/dump/file_bytes.hpp>
#include <plumb/dump/index_builder.hpp>
#include <plumb/dump/json_reader.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/dump/resolve_stack.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

/// A line of index.jsonl, as far as other indexes have a place for it.
struct journal_entry {
    std::string kind, slot, name, file;
    std::string type_name;                      ///< "f32", "<class 'int'>"
    std::optional<dtype> type;                  ///< of a tensor
    extents shape;                              ///< of a tensor
    std::optional<std::array<double, 4>> stats; ///< max, min, mean, norm
    std::string checksum;
    bool requires_grad = false;
    std::optional<double> number; ///< a scalar
    bool truth = false;           ///< the scalar is a bool
    std::string value;            ///< the scalar's JSON text
    bool described = false;       ///< there is more than type and shape
};

/// A call: neighbouring lines of one operator.
struct journal_call {
    std::string op, direction, mode, parent;
    std::vector<journal_entry> entries;
    std::vector<stack_frame> stack;
};

namespace detail {

inline double journal_number(json_value value) {
    if (const auto number = value.number()) return *number;
    if (value.text() == "inf") return std::numeric_limits<double>::infinity();
    if (value.text() == "-inf") return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
}

inline std::string journal_word(json_value line, const char* key) {
    const auto value = line.find(key);
    return value ? std::string(value->text()) : std::string();
}

inline journal_entry journal_entry_of(json_value line) {
    journal_entry entry;
    entry.kind = journal_word(line, "kind");
    if (const auto slot = line.find("slot")) entry.slot = slot->is_string() ? std::string(slot->text()) : slot->to_text();
    entry.name = journal_word(line, "name");
    entry.file = journal_word(line, "file");
    entry.type_name = journal_word(line, "dtype");
    if (const auto shape = line.find("shape")) {
        entry.type = parse_dtype(entry.type_name);
        entry.shape = shape_of(*shape).value_or(extents{});
    }
    if (const auto stats = line.find("stats"); stats && stats->is_object()) {
        entry.stats.emplace();
        const char* const names[] = {"max", "min", "mean", "norm"};
        for (std::size_t i = 0; i < 4; ++i)
            if (const auto value = stats->find(names[i])) (*entry.stats)[i] = journal_number(*value);
    }
    entry.checksum = journal_word(line, "checksum");
    if (const auto required = line.find("requires_grad")) entry.requires_grad = required->boolean().value_or(false);
    if (const auto value = line.find("value")) {
        entry.value = value->to_text();
        entry.truth = value->boolean().has_value();
        if (entry.truth)
            entry.number = *value->boolean() ? 1.0 : 0.0;
        else if (!value->is_string() || entry.type_name.find("float") != std::string::npos)
            entry.number = journal_number(*value);
    }
    entry.described = entry.stats || !entry.file.empty() || !entry.checksum.empty() || !entry.value.empty();
    return entry;
}

inline std::vector<stack_frame> journal_stack(json_value line) {
    std::vector<stack_frame> frames;
    if (const auto stack = line.find("stack"))
        stack->for_each([&](json_value frame) {
            stack_frame each;
            std::string* const parts[] = {&each.file, &each.line, &each.function, &each.code};
            std::size_t i = 0;
            frame.for_each([&](json_value part) {
                if (i < 4) *parts[i++] = part.text();
            });
            frames.push_back(std::move(each));
        });
    return frames;
}

} // namespace detail

/// Calls f(call) for each call in an index.jsonl, in order; a torn last line is passed over. Stacks are resolved, in one batch.
template <class F>
void for_each_journal_call(const std::filesystem::path& index, const F& f) {
    const file_bytes file = map_file(index);
    stack_resolver resolver;
    read_json_lines(file, [&](json_value line, std::uint64_t) { resolver.need(detail::journal_stack(line)); });
    resolver.resolve();

    journal_call call;
    const auto deliver = [&] {
        if (!call.entries.empty()) f(static_cast<const journal_call&>(call));
    };
    read_json_lines(file, [&](json_value line, std::uint64_t) {
        std::string op = detail::journal_word(line, "op");
        if (op != call.op) {
            deliver();
            call = journal_call{std::move(op),
                                detail::journal_word(line, "direction"),
                                detail::journal_word(line, "mode"),
                                detail::journal_word(line, "parent"),
                                {},
                                {}};
        }
        call.entries.push_back(detail::journal_entry_of(line));
        if (line.find("stack")) call.stack = resolver(detail::journal_stack(line));
    });
    deliver();
}

} // namespace plumb
