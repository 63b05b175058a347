/// \file
/// msprobe's index: dump.json with its stack.json and construct.json; and the JSON files of api_accuracy_checker, its forebear.
#pragma once

#include <plumb/dump/index_builder.hpp>
#include <plumb/dump/json_reader.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/dump/msprobe_companions.hpp>
#include <plumb/dump/msprobe_leaves.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

/// Turns the value of one API or module into entries.
class msprobe_index_reader {
public:
    msprobe_index_reader(const std::filesystem::path& path, std::vector<std::string>& warnings)
        : file_(map_file(path)), folder_(path.parent_path()), warnings_(warnings) {
        rank_.layout = dump_layout::msprobe;
        rank_.index = path;
        take_place(rank_, folder_);
    }

    rank_dump read() {
        reserve_entries(rank_, file_, "\"type\"");
        read_json_members(file_, "data", [this](std::string_view section, std::string_view key, json_value value) {
            if (section == "data")
                add_operator(std::string(key), value);
            else
                add_root(key, value);
        });
        if (!has_data_ && !bare_) explain();
        take_data_folder();
        if (rank_.task != "tensor" && rank_.task != "statistics") rank_.task = any_file_ ? "tensor" : "statistics";
        if (rank_.task == "statistics" && any_checksum_) rank_.task = "md5";
        return std::move(rank_);
    }

private:
    [[noreturn]] void fail(const std::string& op, const std::string& problem) const { file_.fail(to_json(op) + ": " + problem); }
    void warn(const std::string& op, const std::string& problem) {
        warnings_.push_back(file_.path.string() + ": " + to_json(op) + ": " + problem);
    }

    /// A member outside "data": a field of the head, or an operator of a file that has no head.
    void add_root(std::string_view key, json_value value) {
        if (key == "task") rank_.task = value.text();
        if (key == "dump_data_dir") recorded_folder_ = value.text();
        if (key == "data") has_data_ = true;
        if (key == "dump_path") is_configuration_ = true;
        bool holds = false; // what an operator holds: a list of leaves, or lists and objects of known names
        value.for_each([&](json_value part) { holds = holds || is_msprobe_leaf(part); });
        for (const char* part : {"args", "kwargs", "input_args", "input_kwargs", "input", "output", "parameters"})
            if (const auto found = value.find(part)) holds = holds || found->is_array() || found->is_object();
        if (!holds) return;
        bare_ = true;
        add_operator(std::string(key), value);
    }

    [[noreturn]] void explain() const {
        if (is_configuration_) file_.fail("is a configuration of msprobe, not a dump");
        file_.fail("holds no dump data: expected msprobe's dump.json, an object with 'data'");
    }

    void add_operator(const std::string& key, json_value value) {
        has_data_ = true;
        entry_name parts;
        if (auto known = parse_msprobe_name(key)) {
            parts = std::move(*known);
        } else {
            parts.op = key;
            if (bare_ && key.find('*') !=
                             std::string::npos) { // api_accuracy_checker: "Functional*silu*0", the direction in the file's name
                const std::string file = file_.path.filename().string();
                parts.direction = file.find("backward") != std::string::npos ? "backward" : "forward";
                parts.op = key + "." + parts.direction;
                parts.call = parse_number(std::string_view(key).substr(key.rfind('*') + 1));
            }
        }
        if (parts.kind == tensor_kind::parameters_grad || parts.kind == tensor_kind::debug) {
            parts.op = key;
            return walk(parts, key, value);
        }
        if (value.is_array()) { // api_accuracy_checker, backward: a list of gradients
            parts.kind = tensor_kind::input;
            return walk(parts, parts.op + ".input", value);
        }
        if (!value.is_object())
            return warn(key, "holds " + value.to_text().substr(0, 60) + ", expected an object with inputs and outputs");
        value.for_each_member([&](std::string_view member, json_value part) {
            const bool keywords = member == "input_kwargs" || member == "kwargs";
            parts.kind = tensor_kind::input;
            if (member == "output")
                parts.kind = tensor_kind::output;
            else if (member == "parameters")
                parts.kind = tensor_kind::parameter;
            else if (!keywords && member != "input_args" && member != "args" && member != "input")
                return; // is_recompute and the like
            const char* const word = parts.kind == tensor_kind::output      ? ".output"
                                     : parts.kind == tensor_kind::parameter ? ".parameters"
                                                                            : ".input";
            walk(parts, parts.op + word, part);
        });
    }

    void walk(const entry_name& parts, const std::string& name, json_value nest) {
        const bool shallow =
            for_each_msprobe_leaf(nest, [&](const std::string& slot, json_value leaf) { add_leaf(parts, name, slot, leaf); });
        if (!shallow) fail(parts.op, "is nested too deep");
    }

    void add_leaf(const entry_name& parts, const std::string& name, const std::string& slot, json_value leaf) {
        dump_entry entry;
        take_name(entry, parts);
        entry.seq = rank_.entries.size();
        entry.slot = slot.empty() ? "0" : slot;
        entry.name = slot.empty() ? name : name + "." + slot;
        const auto type = leaf.find("type"), dtype_name = leaf.find("dtype"), shape = leaf.find("shape"),
                   value = leaf.find("value");
        const auto format = leaf.find("format");
        if (dtype_name || shape) {
            entry.type_name = dtype_name ? dtype_name->text() : std::string_view();
            entry.type = parse_dtype(entry.type_name);
            if (shape && !shape->is_null()) {
                entry.shape = shape_of(*shape);
                if (!entry.shape)
                    fail(entry.name,
                         "shape is " + shape->to_text() + ", expected a list of at most 32 whole numbers that are not negative");
            }
            entry.stats = recorded_statistics{recorded(leaf.find("Max")), recorded(leaf.find("Min")), recorded(leaf.find("Mean")),
                                              recorded(leaf.find("Norm"))};
        } else if (type) {
            entry.type_name = type->text();
            const json_value held = value ? *value : format ? *format : leaf;
            entry.value = scalar_of(held);
            if (!entry.value) entry.text = held.to_text();
        } else { // null where an argument is absent, or a bare value
            entry.type_name = leaf.is_null() ? "None" : "";
            entry.value = scalar_of(leaf);
            if (!entry.value) entry.text = leaf.to_text();
        }
        if (entry.value) entry.type = entry.value->type();
        if (const auto grad = leaf.find("requires_grad")) entry.requires_grad = grad->boolean();
        if (const auto checksum = leaf.find("md5")) entry.checksum = checksum->text();
        any_checksum_ = any_checksum_ || !entry.checksum.empty();
        take_file(entry, leaf);
        rank_.entries.push_back(std::move(entry));
    }

    void take_file(dump_entry& entry, json_value leaf) {
        const auto name = leaf.find("data_name"), path = leaf.find("datapath");
        const std::string_view file = name ? name->text() : path ? path->text() : std::string_view();
        if (file.empty()) return;
        // api_accuracy_checker records paths of the machine where it ran: the file's name is what is left of them.
        const std::string_view last = path && !name ? file.substr(file.rfind('/') + 1) : file;
        if (!stays_inside(last) || last.find('/') != std::string_view::npos || last == ".")
            return warn(entry.name, "the file " + to_json(file) + " may lie outside the folder: it is not read");
        entry.file = std::filesystem::path(last); // completed by take_data_folder
        any_file_ = true;
        if (name && std::filesystem::path(last).stem().string().compare(0, entry.op.size(), entry.op) == 0)
            entry.name = std::filesystem::path(last).stem().string(); // "….kwargs.dim": msprobe names such a row after its file
    }

    /// The data lie in dump_tensor_data beside the index; the folder that the index names exists on the machine that recorded.
    void take_data_folder() {
        if (!any_file_) return;
        std::error_code ignored;
        std::filesystem::path data = folder_ / "dump_tensor_data";
        if (!std::filesystem::is_directory(data, ignored)) {
            const auto recorded = folder_ / std::filesystem::path(recorded_folder_);
            if (recorded_folder_.find('\0') == std::string::npos && std::filesystem::is_directory(recorded, ignored))
                data = recorded;
        }
        for (dump_entry& entry : rank_.entries)
            if (!entry.file.empty()) entry.file = data / entry.file;
    }

    file_bytes file_;
    std::filesystem::path folder_;
    std::vector<std::string>& warnings_;
    rank_dump rank_;
    std::string recorded_folder_;
    bool has_data_ = false, bare_ = false, is_configuration_ = false, any_file_ = false, any_checksum_ = false;
};

} // namespace detail

/// Reads a dump.json or debug.json of msprobe, with the stack.json and construct.json beside it, or one of api_accuracy_checker's
/// forward_info and backward_info files. Leaves keep their order; an absent argument (null) is an entry of type "None" with
/// the text "null". `warnings` gets what was tolerated. Throws io_error for what is no such index.
inline rank_dump read_msprobe_index(const std::filesystem::path& path, std::vector<std::string>& warnings) {
    rank_dump rank = detail::msprobe_index_reader(path, warnings).read();
    const auto beside = [&](const char* name) { return path.parent_path() / name; };
    std::error_code ignored;
    if (path.filename() == "dump.json") {
        if (std::filesystem::exists(beside("stack.json"), ignored)) detail::read_msprobe_stacks(beside("stack.json"), rank);
        if (std::filesystem::exists(beside("construct.json"), ignored))
            detail::read_msprobe_parents(beside("construct.json"), rank);
    }
    return rank;
}

} // namespace plumb
