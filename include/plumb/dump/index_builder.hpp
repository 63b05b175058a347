/// \file
/// What the readers of indexes share: recorded values and statistics, calls by appearance, where a rank's folder stands.
#pragma once

#include <plumb/dump/entry_name.hpp>
#include <plumb/dump/file_bytes.hpp>
#include <plumb/dump/json_value.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/types/element_traits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace plumb::detail {

/// A tensor of shape [] that holds `value`.
template <class T>
tensor scalar_tensor(T value) {
    auto owner = std::make_shared<T>(value);
    return {tensor_view(dtype_of<T>, owner.get(), extents{}), owner};
}

/// A number or bool as a scalar; nothing for any other value.
inline optional_tensor scalar_of(json_value value) {
    if (const auto truth = value.boolean()) return scalar_tensor(*truth);
    if (const auto whole = value.integer()) return scalar_tensor(*whole);
    if (const auto whole = value.natural()) return scalar_tensor(*whole);
    if (const auto number = value.number()) return scalar_tensor(*number);
    return std::nullopt;
}

/// A statistic: [] is what ptdbg_ascend writes for none.
inline recorded_number recorded(json_value value) {
    if (const auto truth = value.boolean()) return *truth;
    if (const auto number = value.number()) return *number;
    if (value.text() == "nan") return std::numeric_limits<double>::quiet_NaN(); // plumb's own words
    if (value.text() == "inf") return std::numeric_limits<double>::infinity();
    if (value.text() == "-inf") return -std::numeric_limits<double>::infinity();
    if (value.is_string()) return std::string(value.text());
    return {};
}

inline recorded_number recorded(std::optional<json_value> value) { return value ? recorded(*value) : recorded_number(); }

/// A list of whole numbers that are not negative; nothing for any other value.
inline std::optional<extents> shape_of(json_value value) {
    if (!value.is_array()) return std::nullopt;
    extents shape;
    bool valid = true;
    value.for_each([&](json_value length) {
        valid = valid && length.integer() && *length.integer() >= 0 && shape.size() < max_rank;
        if (valid) shape.push_back(*length.integer());
    });
    return valid ? std::optional(shape) : std::nullopt;
}

inline stack_frame frame_of(std::string_view file, std::string_view line, std::string_view function, std::string_view code) {
    return {std::string(file), std::string(line), std::string(function), std::string(code)};
}

/// "File PATH, line N, in FUNCTION, \n CODE", msprobe's line of a stack. Text of any other form is all code.
inline stack_frame parse_frame(std::string_view text) {
    constexpr std::string_view file = "File ", line = ", line ", function = ", in ", code = ", \n ";
    const std::size_t break_at = text.find(code);
    const std::string_view head = text.substr(0, break_at);
    const std::size_t function_at = head.rfind(function), line_at = head.rfind(line, function_at);
    if (text.substr(0, file.size()) != file || function_at == std::string_view::npos || line_at == std::string_view::npos ||
        line_at + line.size() > function_at)
        return frame_of("", "", "", text);
    return frame_of(head.substr(file.size(), line_at - file.size()),
                    head.substr(line_at + line.size(), function_at - line_at - line.size()),
                    head.substr(function_at + function.size()),
                    break_at == std::string_view::npos ? std::string_view() : text.substr(break_at + code.size()));
}

/// The word that plumb's own index and names have for a kind.
inline const char* kind_name(tensor_kind kind) noexcept {
    constexpr const char* names[] = {"input", "output", "parameter", "parameters_grad", "debug"};
    return names[static_cast<std::size_t>(kind)];
}

/// Makes room for the entries of an index, as many as `word` appears in it. They are large, so that growing by halves would cost
/// more time than parsing. No lie makes this more than a small multiple of the file.
inline void reserve_entries(rank_dump& rank, const file_bytes& file, std::string_view word) {
    const std::string_view text(file.data, static_cast<std::size_t>(file.size));
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) ++count;
    rank.entries.reserve(std::min(count, text.size() / 100));
}

/// Copies the parts of a name into an entry.
inline void take_name(dump_entry& entry, entry_name parts) {
    entry.op = std::move(parts.op);
    entry.direction = std::move(parts.direction);
    entry.kind = parts.kind;
    entry.slot = std::move(parts.slot);
    entry.call = parts.call.value_or(0);
}

/// Numbers the appearances of (operator, direction, kind, slot) for layouts that do not number their calls.
class call_counter {
public:
    std::uint64_t next(const dump_entry& entry) { return counts_[{entry.op, entry.direction, entry.kind, entry.slot}]++; }

private:
    std::map<std::tuple<std::string, std::string, tensor_kind, std::string>, std::uint64_t> counts_;
};

/// The number in a folder's name: "rank3" is 3, "rank" is 0. Nothing for other names.
inline std::optional<int> numbered(std::string_view name, std::string_view word) {
    if (name.substr(0, word.size()) != word) return std::nullopt;
    name.remove_prefix(word.size());
    if (name.empty()) return 0;
    const auto number = parse_number(name);
    return number && *number <= 0x7fffffff ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// Rank and step that the folder's path tells: …/step2/rank1, …/rank1, …/step2.
inline void take_place(rank_dump& rank, const std::filesystem::path& folder) {
    std::error_code ignored;
    auto path = std::filesystem::absolute(folder, ignored).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    if (const auto number = numbered(path.filename().string(), "rank")) {
        rank.rank = *number;
        path = path.parent_path();
    }
    if (const auto number = numbered(path.filename().string(), "step")) rank.step = *number;
}

/// True if `name`, from an index, is a relative path that can't leave the folder.
inline bool stays_inside(std::string_view name) {
    const auto path = std::filesystem::path(name);
    if (name.empty() || name.find('\0') != std::string_view::npos || path.has_root_path() ||
        name.find('\\') != std::string_view::npos)
        return false;
    for (const auto& part : path)
        if (part == "..") return false;
    return true;
}

} // namespace plumb::detail
