/// \file
/// A recorded call as msprobe's dump.json has it.
#pragma once

#include <plumb/dump/indented_json.hpp>
#include <plumb/dump/journal_calls.hpp>
#include <plumb/dump/python_text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::detail {

/// Writes one call's object into dump.json.
class msprobe_call_writer {
public:
    explicit msprobe_call_writer(indented_json& to) : to_(to) {}

    void write(const journal_call& call) {
        const bool forward = call.direction == "forward";
        to_.key(call.op);
        to_.open('{');
        to_.key(forward ? "input_args" : "input");
        list(select(call, "input", false));
        if (forward) {
            to_.key("input_kwargs");
            members(select(call, "input", true));
            if (const auto parameters = select(call, "parameter", true); !parameters.empty()) {
                to_.key("parameters");
                members(parameters);
            }
            to_.key("is_recompute");
            to_.value("false");
        }
        to_.key("output");
        list(select(call, "output", false));
        to_.close('}');
        if (const auto gradients = select(call, "parameters_grad", true); !gradients.empty()) write_gradients(call.op, gradients);
    }

private:
    struct item {
        std::string_view place; ///< what is left of the slot: "3.0"
        const journal_entry* entry;
    };
    using items = std::vector<item>;

    static bool is_keyword(std::string_view slot) { return slot.empty() || slot[0] < '0' || slot[0] > '9'; }

    static items select(const journal_call& call, std::string_view kind, bool keywords) {
        items found;
        for (const journal_entry& entry : call.entries)
            if (entry.kind == kind && is_keyword(entry.slot) == keywords) found.push_back({entry.slot, &entry});
        return found;
    }

    /// The word before the first dot, which is taken off.
    static std::string_view head_of(std::string_view& place) {
        const std::size_t dot = place.find('.');
        const std::string_view head = place.substr(0, dot);
        place = dot == std::string_view::npos ? std::string_view() : place.substr(dot + 1);
        return head;
    }

    /// Items whose place begins with the same word as the one at `begin`, with that word taken off.
    static items take_group(const items& all, std::size_t& begin, std::string_view& head) {
        std::string_view rest = all[begin].place;
        head = head_of(rest);
        items group;
        for (; begin < all.size(); ++begin) {
            rest = all[begin].place;
            if (head_of(rest) != head) break;
            group.push_back({rest, all[begin].entry});
        }
        return group;
    }

    void list(const items& all) {
        to_.open('[');
        std::size_t position = 0;
        for (std::size_t i = 0; i < all.size();) {
            std::string_view head;
            const items group = take_group(all, i, head);
            const auto number = parse_number(head);
            for (; number && position < *number && position < 4096; ++position)
                to_.value("null"); // arguments that were not given
            ++position;
            one(group);
        }
        to_.close(']');
    }

    void members(const items& all) {
        to_.open('{');
        for (std::size_t i = 0; i < all.size();) {
            std::string_view head;
            const items group = take_group(all, i, head);
            to_.key(head);
            one(group);
        }
        to_.close('}');
    }

    void one(const items& group) {
        if (group[0].place.empty()) // of several with the same place the first
            leaf(*group[0].entry);
        else if (is_keyword(group[0].place))
            members(group);
        else
            list(group);
    }

    void number(const char* key, std::optional<double> value) {
        to_.key(key);
        std::string text = "null";
        if (value) {
            text.clear();
            append_python(text, *value);
        }
        to_.value(text);
    }

    void leaf(const journal_entry& entry) {
        to_.open('{');
        to_.key("type");
        if (!entry.type) {
            const std::size_t quote = entry.type_name.find('\''); // <class 'int'>
            to_.value(to_json(quote == std::string::npos
                                  ? entry.type_name
                                  : entry.type_name.substr(quote + 1, entry.type_name.rfind('\'') - quote - 1)));
            to_.key("value");
            std::string text = entry.value;
            if (entry.number && entry.type_name.find("float") != std::string::npos) {
                text.clear();
                append_python(text, *entry.number);
            }
            to_.value(text);
            return to_.close('}');
        }
        to_.value("\"torch.Tensor\"");
        to_.key("dtype");
        to_.value("\"torch." + std::string(torch_name_of(*entry.type)) + "\"");
        to_.key("shape");
        to_.open('[');
        for (const std::int64_t length : entry.shape) to_.value(std::to_string(length));
        to_.close(']');
        statistics(entry);
        to_.key("requires_grad");
        to_.value(entry.requires_grad ? "true" : "false");
        if (!entry.file.empty()) {
            to_.key("data_name");
            to_.value(to_json(entry.file.substr(entry.file.rfind('/') + 1)));
        }
        if (!entry.checksum.empty()) {
            to_.key("md5");
            to_.value(to_json(entry.checksum));
        }
        to_.close('}');
    }

    void statistics(const journal_entry& entry) {
        const char* const names[] = {"Max", "Min", "Mean", "Norm"};
        for (std::size_t i = 0; i < 4; ++i) {
            const bool truth = *entry.type == dtype::boolean;
            if (truth && entry.stats && i < 2) { // any and all
                to_.key(names[i]);
                to_.value((*entry.stats)[i] != 0 ? "true" : "false");
            } else if (entry.stats && !truth) {
                number(names[i], (*entry.stats)[entry.shape.empty() ? 0 : i]);
            } else {
                number(names[i], std::nullopt);
            }
        }
    }

    /// Module.fc.Linear.backward.0 has its parameters' gradients under Module.fc.Linear.parameters_grad.0.
    void write_gradients(std::string name, const items& gradients) {
        const std::size_t word = name.rfind(".backward");
        if (word != std::string::npos) name.replace(word, 9, ".parameters_grad");
        to_.key(name);
        to_.open('{');
        for (std::size_t i = 0; i < gradients.size();) {
            std::string_view head;
            const items group = take_group(gradients, i, head);
            to_.key(head);
            to_.open('[');
            one(group);
            to_.close(']');
        }
        to_.close('}');
    }

    indented_json& to_;
};

} // namespace plumb::detail
