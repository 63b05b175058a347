/// \file
/// Dumps without an index: a folder of tensor files, or one archive.
#pragma once

#include <plumb/dump/index_builder.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/dump/read_tensor.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

/// Orders names so that numbers in them count as numbers: "layer2" before "layer10".
inline bool natural_less(std::string_view a, std::string_view b) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
        if (!is_digit(a[i]) || !is_digit(b[k])) {
            if (a[i] != b[k]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[k]);
            ++i, ++k;
            continue;
        }
        const auto number = [&](std::string_view text, std::size_t& at) {
            while (at < text.size() && text[at] == '0') ++at;
            const std::size_t begin = at;
            while (at < text.size() && is_digit(text[at])) ++at;
            return text.substr(begin, at - begin);
        };
        const std::string_view x = number(a, i), y = number(b, k);
        if (x.size() != y.size()) return x.size() < y.size();
        if (x != y) return x < y;
    }
    if (a.size() - i != b.size() - k) return a.size() - i < b.size() - k;
    return a < b; // "01" and "1"
}

inline void add_unlisted(rank_dump& rank, call_counter& calls, const std::string& name, const std::filesystem::path& file,
                         const std::string& member) {
    dump_entry entry;
    entry.seq = rank.entries.size();
    entry.name = name;
    entry_name parts = parse_entry_name(name);
    const bool counted = parts.call.has_value();
    take_name(entry, std::move(parts));
    if (!counted) entry.call = calls.next(entry);
    entry.file = file;
    entry.member = member;
    rank.entries.push_back(std::move(entry));
}

} // namespace detail

/// The tensor files of a folder as a dump, in the natural order of their names, which tell operator, kind and slot where they are
/// in ptdbg_ascend's or msprobe's style: see parse_entry_name. An archive's members become entries of their own. A damaged file
/// is one entry, and an error when it is loaded.
inline rank_dump read_folder(const std::filesystem::path& folder, std::vector<std::string>& warnings) {
    std::vector<std::filesystem::path> files;
    for (const auto& each : std::filesystem::directory_iterator(folder))
        if (each.is_regular_file() && has_tensor_extension(each.path())) files.push_back(each.path());
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return detail::natural_less(a.filename().string(), b.filename().string()); });
    rank_dump rank;
    rank.layout = dump_layout::folder;
    rank.index = folder;
    rank.task = "tensor";
    detail::take_place(rank, folder);
    detail::call_counter calls;
    for (const auto& file : files) {
        std::vector<std::string> members{""};
        if (file.extension() == ".npz" || file.extension() == ".safetensors") {
            try {
                members = list_tensors(file);
            } catch (const io_error& error) {
                warnings.push_back(error.what());
            }
        }
        const std::string stem = file.stem().string();
        for (const std::string& member : members)
            detail::add_unlisted(rank, calls, member.empty() ? stem : stem + "." + member, file, member);
    }
    return rank;
}

/// One tensor file as a dump: its members are the entries, named as in the archive.
inline rank_dump read_archive(const std::filesystem::path& file) {
    rank_dump rank;
    rank.layout = dump_layout::folder;
    rank.index = file;
    rank.task = "tensor";
    detail::take_place(rank, file.parent_path());
    detail::call_counter calls;
    for (const std::string& member : list_tensors(file))
        detail::add_unlisted(rank, calls, member.empty() ? file.stem().string() : member, file, member);
    return rank;
}

} // namespace plumb
