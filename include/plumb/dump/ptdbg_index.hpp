/// \file
/// ptdbg_ascend's index: a .pkl that is text, one JSON array a line.
#pragma once

#include <plumb/dump/index_builder.hpp>
#include <plumb/dump/json_reader.hpp>
#include <plumb/dump/model.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

class ptdbg_index_reader {
public:
    ptdbg_index_reader(const std::filesystem::path& path, std::vector<std::string>& warnings)
        : file_(map_file(path)), warnings_(warnings), data_(path.parent_path() / path.stem()) {
        std::error_code ignored;
        has_data_ = std::filesystem::is_directory(data_, ignored);
        rank_.layout = dump_layout::ptdbg;
        rank_.index = path;
        take_place(rank_, path.parent_path());
    }

    rank_dump read() {
        if (file_.size > 0 && static_cast<unsigned char>(file_.data[0]) == 0x80)
            file_.fail_at(0, "is a binary pickle, expected ptdbg_ascend's text: a JSON array a line");
        reserve_entries(rank_, file_, "\n");
        const bool whole = read_json_lines(file_, [this](json_value line, std::uint64_t number) { add(line, number); });
        if (!whole)
            warnings_.push_back(file_.path.string() + ": the last line is incomplete: the run that wrote it died, or it was cut");
        bool checksums = false;
        for (const dump_entry& entry : rank_.entries) checksums = checksums || !entry.checksum.empty();
        rank_.task = has_data_ ? "tensor" : checksums ? "md5" : "statistics";
        return std::move(rank_);
    }

private:
    [[noreturn]] void fail(std::uint64_t line, const std::string& problem) const {
        file_.fail("line " + std::to_string(line) + ": " + problem);
    }

    void add(json_value line, std::uint64_t number) {
        std::vector<json_value> fields;
        line.for_each([&](json_value field) { fields.push_back(field); });
        if (fields.size() < 2 || !fields[0].is_string()) fail(number, "expected an array that begins with a name");
        constexpr std::string_view stack = "_stack_info";
        const std::string_view name = fields[0].text();
        if (name.size() > stack.size() && name.substr(name.size() - stack.size()) == stack)
            return add_stack(std::string(name.substr(0, name.size() - stack.size())), fields[1]);
        if (fields.size() != 6)
            fail(number,
                 "expected 6 fields, [name, step, md5, dtype, shape, statistics], found " + std::to_string(fields.size()));
        if (!fields[3].is_string()) fail(number, "expected the dtype as a string, found " + fields[3].to_text());

        dump_entry entry;
        entry.seq = rank_.entries.size();
        entry.name = name;
        take_parts(entry);
        entry.checksum = fields[2].text();
        entry.type_name = fields[3].text();
        entry.stats = statistics(number, fields[5]);
        const bool is_scalar = entry.type_name.compare(0, 6, "<class") == 0;
        if (is_scalar) {
            bool first = true;
            fields[5].for_each([&](json_value each) {
                if (std::exchange(first, false)) entry.value = scalar_of(each);
            });
            entry.type = entry.type_name == "<class 'int'>"     ? std::optional(dtype::i64)
                         : entry.type_name == "<class 'float'>" ? std::optional(dtype::f64)
                         : entry.type_name == "<class 'bool'>"  ? std::optional(dtype::boolean)
                                                                : std::nullopt;
        } else {
            entry.type = parse_dtype(entry.type_name);
            entry.shape = shape_of(fields[4]);
            if (!entry.shape)
                fail(number,
                     "shape is " + fields[4].to_text() + ", expected a list of at most 32 whole numbers that are not negative");
        }
        take_file(entry, number);
        rank_.entries.push_back(std::move(entry));
    }

    void take_parts(dump_entry& entry) {
        if (auto parts = parse_ptdbg_name(entry.name)) {
            const bool counted = parts->call.has_value();
            take_name(entry, std::move(*parts));
            if (!counted) entry.call = calls_.next(entry);
        } else {
            entry.op = entry.name;
            entry.slot = "0";
            entry.call = calls_.next(entry);
        }
    }

    void take_file(dump_entry& entry, std::uint64_t number) {
        if (!has_data_) return;
        if (stays_inside(entry.name) && entry.name.find('/') == std::string::npos)
            entry.file = data_ / std::filesystem::path(entry.name + ".npy");
        else
            warnings_.push_back(file_.path.string() + ": line " + std::to_string(number) + ": " + to_json(entry.name) +
                                " can't be a file's name: its data are not read");
    }

    /// [max, min, mean, norm]; before the end of 2023 without the norm; [] with checksums.
    recorded_statistics statistics(std::uint64_t line, json_value list) const {
        recorded_statistics all;
        recorded_number* const fields[] = {&all.max, &all.min, &all.mean, &all.norm};
        std::size_t count = 0;
        list.for_each([&](json_value each) {
            if (count < 4) *fields[count] = recorded(each);
            ++count;
        });
        if (!list.is_array() || (count != 0 && count != 3 && count != 4))
            fail(line, "expected 3 or 4 statistics, or none, found " + list.to_text());
        return all;
    }

    void add_stack(std::string op, json_value list) {
        std::vector<stack_frame> frames;
        list.for_each([&](json_value frame) {
            std::vector<std::string> parts;
            frame.for_each(
                [&](json_value part) { parts.push_back(part.is_string() ? std::string(part.text()) : part.to_text()); });
            parts.resize(4);
            frames.push_back(frame_of(parts[0], parts[1], parts[2], parts[3]));
        });
        rank_.stacks[std::move(op)] = std::move(frames);
    }

    file_bytes file_;
    std::vector<std::string>& warnings_;
    std::filesystem::path data_;
    bool has_data_ = false;
    rank_dump rank_;
    call_counter calls_;
};

} // namespace detail

/// Reads ptdbg_ascend's [<mode>_]dump.pkl; the data lie in the folder of that name beside it, and without such a folder only
/// statistics were recorded. `warnings` gets what was tolerated. Throws io_error, with the line, for lines that are no such
/// record.
inline rank_dump read_ptdbg_index(const std::filesystem::path& path, std::vector<std::string>& warnings) {
    return detail::ptdbg_index_reader(path, warnings).read();
}

} // namespace plumb
