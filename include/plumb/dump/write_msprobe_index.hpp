/// \file
/// Makes msprobe's indexes from plumb's own.
#pragma once

#include <plumb/dump/file_writer.hpp>
#include <plumb/dump/indented_json.hpp>
#include <plumb/dump/journal_calls.hpp>
#include <plumb/dump/json_text.hpp>
#include <plumb/dump/msprobe_call_writer.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

/// The calls that share a stack, for stack.json.
class msprobe_stacks {
public:
    void add(const journal_call& call) {
        if (call.stack.empty()) return;
        std::vector<std::string> lines;
        for (const stack_frame& frame : call.stack)
            lines.push_back(
                to_json("File " + frame.file + ", line " + frame.line + ", in " + frame.function + ", \n " + frame.code));
        const auto [found, fresh] = calls_.try_emplace(std::move(lines));
        if (fresh) order_.push_back(&*found);
        found->second.push_back(to_json(call.op));
    }

    std::string text() const {
        indented_json json;
        const auto list = [&](const std::vector<std::string>& items) {
            json.open('[');
            for (const std::string& item : items) json.value(item);
            json.close(']');
        };
        json.open('{');
        for (std::size_t i = 0; i < order_.size(); ++i) {
            json.key(std::to_string(i));
            json.open('[');
            list(order_[i]->second);
            list(order_[i]->first);
            json.close(']');
        }
        json.close('}');
        return json.take();
    }

private:
    using stack_lines = std::vector<std::string>;

    std::map<stack_lines, std::vector<std::string>> calls_;
    std::vector<const std::pair<const stack_lines, std::vector<std::string>>*> order_; ///< as they first appeared
};

inline void write_file(const std::filesystem::path& path, const std::string& text) {
    file_writer file(path);
    file.write(text);
    file.commit();
}

} // namespace detail

/// Makes dump.json, stack.json and construct.json of the index.jsonl in `folder`, as msprobe 8 writes them. Statistics are those
/// of the index, exact and rounded once. Each file appears whole or not at all, and replaces an older one. Throws io_error.
inline void write_msprobe_index(const std::filesystem::path& folder, const std::string& framework = "pytorch") {
    const auto index = folder / "index.jsonl";
    bool has_data = false, has_modules = false, has_parents = false;
    for_each_journal_call(index, [&](const journal_call& call) {
        for (const journal_entry& entry : call.entries) has_data = has_data || (entry.type && !entry.file.empty());
        has_modules = has_modules || call.op.compare(0, 7, "Module.") == 0;
        has_parents = has_parents || !call.parent.empty();
    });

    file_writer file(folder / "dump.json");
    detail::indented_json data, construct;
    detail::msprobe_stacks stacks;
    const auto field = [&](const char* key, const std::string& json) {
        data.key(key);
        data.value(json);
    };
    std::error_code error;
    const auto data_folder = std::filesystem::absolute(folder / "dump_tensor_data", error).lexically_normal();
    data.open('{');
    field("task", to_json(has_data ? "tensor" : "statistics"));
    field("level", to_json(has_modules ? "L0" : "L1"));
    field("framework", to_json(framework));
    field("dump_data_dir", has_data ? to_json(data_folder.string()) : "null");
    data.key("data");
    data.open('{');
    construct.open('{');
    for_each_journal_call(index, [&](const journal_call& call) {
        bool described = false;
        for (const journal_entry& entry : call.entries)
            described = described || entry.described || element_count(entry.shape) == 0;
        if (described) detail::msprobe_call_writer(data).write(call);
        file.write(data.take());
        if (has_parents || has_modules) {
            construct.key(call.op);
            construct.value(call.parent.empty() ? "null" : to_json(call.parent));
        }
        stacks.add(call);
    });
    construct.close('}');
    data.close('}');
    data.close('}');
    file.write(data.take());
    file.commit();
    detail::write_file(folder / "construct.json", construct.take());
    detail::write_file(folder / "stack.json", stacks.text());
}

} // namespace plumb
