/// \file
/// plumb's own index: index.jsonl, one JSON object a line.
#pragma once

#include <plumb/dump/index_builder.hpp>
#include <plumb/dump/json_reader.hpp>
#include <plumb/dump/model.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

/// Reads the lines of one index.jsonl.
class plumb_index_reader {
public:
    plumb_index_reader(const std::filesystem::path& path, std::vector<std::string>& warnings)
        : file_(map_file(path)), folder_(path.parent_path()), warnings_(warnings) {
        take_place(place_, folder_);
    }

    std::vector<rank_dump> read() {
        const bool whole = read_json_lines(file_, [this](json_value line, std::uint64_t number) { add(line, number); });
        if (!whole)
            warnings_.push_back(file_.path.string() + ": the last line is incomplete: the run that wrote it died, or it was cut");
        std::vector<rank_dump> result;
        for (auto& [place, rank] : ranks_) {
            put_in_order(rank, order_[place]);
            result.push_back(std::move(rank));
        }
        if (result.empty()) {
            place_.index = file_.path;
            place_.task = "tensor";
            result.push_back(std::move(place_));
        }
        for (rank_dump& rank : result)
            if (rank.task.empty()) rank.task = "statistics";
        return result;
    }

private:
    [[noreturn]] void fail(const std::string& problem) const { file_.fail("line " + std::to_string(line_) + ": " + problem); }

    /// What a line tells of an entry's place among the others.
    struct place_in_order {
        std::optional<std::uint64_t> seq;
        bool has_call = false;
    };

    std::string words(json_value line, const char* key) const {
        const auto value = line.find(key);
        if (!value || value->is_null()) return {};
        if (!value->is_string()) fail(std::string(key) + " is " + value->to_text() + ", expected a string");
        return std::string(value->text());
    }
    std::optional<std::uint64_t> natural(json_value line, const char* key) const {
        const auto value = line.find(key);
        if (!value || value->is_null()) return std::nullopt;
        if (!value->integer() || *value->integer() < 0)
            fail(std::string(key) + " is " + value->to_text() + ", expected a whole number");
        return static_cast<std::uint64_t>(*value->integer());
    }

    /// Sorts by seq, where every line has its own; else the order of the lines counts. Then numbers the calls that have no
    /// number.
    static void put_in_order(rank_dump& rank, const std::vector<place_in_order>& places) {
        std::vector<std::size_t> order(places.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        if (std::all_of(places.begin(), places.end(), [](const place_in_order& each) { return each.seq.has_value(); })) {
            auto by_seq = order;
            std::sort(by_seq.begin(), by_seq.end(), [&](std::size_t a, std::size_t b) { return places[a].seq < places[b].seq; });
            const auto twice = std::adjacent_find(by_seq.begin(), by_seq.end(),
                                                  [&](std::size_t a, std::size_t b) { return places[a].seq == places[b].seq; });
            if (twice == by_seq.end()) order = std::move(by_seq);
        }

        std::vector<dump_entry> entries;
        entries.reserve(order.size());
        call_counter calls;
        for (const std::size_t i : order) {
            dump_entry& entry = entries.emplace_back(std::move(rank.entries[i]));
            entry.seq = entries.size() - 1;
            const std::uint64_t appearance = calls.next(entry);
            if (!places[i].has_call) entry.call = appearance;
        }
        rank.entries = std::move(entries);
    }

    int number(std::optional<json_value> value, const char* what, int fallback) const {
        if (!value || value->is_null()) return fallback;
        if (!value->integer() || *value->integer() < 0 || *value->integer() > 0x7fffffff)
            fail(std::string(what) + " is " + value->to_text() + ", expected a whole number");
        return static_cast<int>(*value->integer());
    }

    void add(json_value line, std::uint64_t line_number) {
        line_ = line_number;
        if (!line.is_object()) fail("expected a JSON object");
        const int step = number(line.find("step"), "step", place_.step),
                  rank_number = number(line.find("rank"), "rank", place_.rank);
        rank_dump& rank = ranks_[{step, rank_number}];
        rank.rank = rank_number;
        rank.step = step;
        rank.layout = dump_layout::plumb;
        rank.index = file_.path;

        dump_entry entry;
        const auto op = line.find("op");
        if (!op || !op->is_string()) fail("expected a string 'op', the operator's name");
        entry.op = op->text();
        entry.direction = words(line, "direction");
        entry.kind = kind_of(line.find("kind"));
        const auto slot = line.find("slot");
        entry.slot = !slot || slot->is_null() ? "0" : slot->is_string() ? std::string(slot->text()) : slot->to_text();
        entry.name = words(line, "name");
        if (entry.name.empty()) entry.name = entry.op + "." + kind_name(entry.kind) + "." + entry.slot;
        const auto call = natural(line, "call");
        entry.call = call.value_or(0);
        order_[{step, rank_number}].push_back({natural(line, "seq"), call.has_value()});

        entry.type_name = words(line, "dtype");
        entry.type = parse_dtype(entry.type_name);
        if (const auto shape = line.find("shape"); shape && !shape->is_null()) {
            entry.shape = shape_of(*shape);
            if (!entry.shape)
                fail("shape is " + shape->to_text() + ", expected a list of at most 32 whole numbers that are not negative");
        }
        if (const auto value = line.find("value")) {
            entry.value = scalar_of(*value);
            if (!entry.value && entry.type_name == "<class 'float'>")
                if (const recorded_number number = recorded(*value); std::holds_alternative<double>(number))
                    entry.value = scalar_tensor(std::get<double>(number)); // "nan", "inf" or "-inf"
            if (!entry.value) entry.text = value->to_text();
        }
        take_file(entry, words(line, "file"));
        entry.member = words(line, "member");
        if (const auto stats = line.find("stats")) take_stats(entry, *stats);
        entry.checksum = words(line, "checksum");
        if (const auto required = line.find("requires_grad")) entry.requires_grad = required->boolean();
        if (const auto parent = line.find("parent"); parent && parent->is_string()) rank.parents[entry.op] = parent->text();
        if (const auto stack = line.find("stack")) take_stack(rank.stacks[entry.op], *stack);
        if (!entry.file.empty())
            rank.task = "tensor";
        else if (rank.task.empty() && !entry.checksum.empty())
            rank.task = "md5";
        rank.entries.push_back(std::move(entry));
    }

    tensor_kind kind_of(std::optional<json_value> value) const {
        const std::string word = value ? std::string(value->text()) : "output";
        for (const tensor_kind kind :
             {tensor_kind::input, tensor_kind::output, tensor_kind::parameter, tensor_kind::parameters_grad, tensor_kind::debug})
            if (word == kind_name(kind)) return kind;
        fail("kind is " + value->to_text() + ", expected input, output, parameter, parameters_grad or debug");
    }

    void take_file(dump_entry& entry, const std::string& name) {
        if (name.empty()) return;
        if (stays_inside(name))
            entry.file = folder_ / std::filesystem::path(name);
        else
            warnings_.push_back(file_.path.string() + ": line " + std::to_string(line_) + ": the file " + to_json(name) +
                                " may lie outside the folder: it is not read");
    }

    static void take_stats(dump_entry& entry, json_value stats) {
        recorded_statistics all;
        recorded_number* const fields[] = {&all.max, &all.min, &all.mean, &all.norm};
        if (stats.is_object()) {
            const char* const names[] = {"max", "min", "mean", "norm"};
            for (std::size_t i = 0; i < 4; ++i) *fields[i] = recorded(stats.find(names[i]));
        } else if (stats.is_array()) {
            std::size_t i = 0;
            stats.for_each([&](json_value each) {
                if (i < 4) *fields[i++] = recorded(each);
            });
        } else {
            return;
        }
        entry.stats = all;
    }

    static void take_stack(std::vector<stack_frame>& frames, json_value stack) {
        if (!frames.empty()) return; // every tensor of a call tells the same
        stack.for_each([&](json_value frame) {
            std::vector<std::string> parts;
            frame.for_each(
                [&](json_value part) { parts.push_back(part.is_string() ? std::string(part.text()) : part.to_text()); });
            parts.resize(4);
            frames.push_back(frame.is_array() ? frame_of(parts[0], parts[1], parts[2], parts[3]) : parse_frame(frame.text()));
        });
    }

    file_bytes file_;
    std::filesystem::path folder_;
    std::vector<std::string>& warnings_;
    rank_dump place_;
    std::uint64_t line_ = 0;
    std::map<std::pair<int, int>, rank_dump> ranks_;
    std::map<std::pair<int, int>, std::vector<place_in_order>> order_;
};

} // namespace detail

/// Reads an index.jsonl: the ranks and steps that its lines name, else those of its folder. The entries of a rank are in the
/// order of "seq" where every line has its own, else in that of the lines; "call" defaults to the n-th appearance of operator,
/// direction, kind and slot in that order. Keys that it does not know are passed over. `warnings` gets what was tolerated: a torn
/// last line ("incomplete"), files outside the folder (the entry then has none). Throws io_error, with the line, for lines that
/// are no such record.
inline std::vector<rank_dump> read_plumb_index(const std::filesystem::path& path, std::vector<std::string>& warnings) {
    return detail::plumb_index_reader(path, warnings).read();
}

} // namespace plumb
