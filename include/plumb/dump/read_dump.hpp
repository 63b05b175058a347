/// \file
/// A dump of any supported layout, found from any level of its folders.
#pragma once

#include <plumb/dump/folder_index.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/dump/msprobe_index.hpp>
#include <plumb/dump/plumb_index.hpp>
#include <plumb/dump/ptdbg_index.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

/// Looks for indexes in a folder and, where it has none, in the folders inside.
class dump_finder {
public:
    explicit dump_finder(const std::filesystem::path& root) { dump_.root = root; }

    dump find() {
        std::error_code error;
        const auto status = std::filesystem::status(dump_.root, error);
        if (!std::filesystem::exists(status))
            throw io_error(dump_.root, "can't open: " + (error ? error.message() : "no such file or folder"));
        if (!std::filesystem::is_directory(status))
            read_file(dump_.root);
        else if (!search(dump_.root, 0))
            explain();

        std::stable_sort(dump_.ranks.begin(), dump_.ranks.end(), [](const rank_dump& a, const rank_dump& b) {
            return std::pair(a.step, a.rank) < std::pair(b.step, b.rank);
        });
        for (std::size_t i = 1; i < dump_.ranks.size(); ++i) {
            const rank_dump &a = dump_.ranks[i - 1], &b = dump_.ranks[i];
            if (a.step == b.step && a.rank == b.rank)
                throw io_error(dump_.root, "holds several dumps of rank " + std::to_string(a.rank) + ", step " +
                                               std::to_string(a.step) + " (" + a.index.string() + " and " + b.index.string() +
                                               "): name one of them");
        }
        return std::move(dump_);
    }

private:
    /// One line about a file that is part of the tools' world, but no dump; "" for others.
    static std::string what_it_is(const std::filesystem::path& file) {
        const auto extension = file.extension();
        const std::string name = file.filename().string();
        if (extension == ".csv" || extension == ".xlsx") return "is a table, the results of a comparison, not a dump";
        if (extension == ".yaml" || extension == ".yml") return "is a mapping or configuration (YAML), not a dump";
        if (name.compare(0, 7, "advisor") == 0 && extension == ".txt") return "is advice from a comparison, not a dump";
        if (name == "stack.json") return "holds the stacks of a dump, whose index is the dump.json beside it";
        if (name == "construct.json") return "holds the module tree of a dump, whose index is the dump.json beside it";
        if (name.compare(0, 10, "stack_info") == 0 && extension == ".json")
            return "holds the stacks of a dump, whose index is the forward_info beside it";
        if (extension == ".txt" || extension == ".log" || extension == ".md") return "is text, not a dump";
        return "";
    }

    void read_file(const std::filesystem::path& file) {
        const auto extension = file.extension();
        if (const std::string what = what_it_is(file); !what.empty()) throw io_error(file, what);
        if (extension == ".jsonl")
            add(read_plumb_index(file, dump_.warnings));
        else if (extension == ".pkl")
            add(read_ptdbg_index(file, dump_.warnings));
        else if (extension == ".json")
            add(read_msprobe_index(file, dump_.warnings));
        else if (has_tensor_extension(file))
            add(read_archive(file));
        else
            throw io_error(
                file,
                "is no dump that plumb knows: expected index.jsonl, dump.json, a .pkl of ptdbg_ascend, or a file of tensors");
    }

    void add(rank_dump rank) { dump_.ranks.push_back(std::move(rank)); }
    static void append(rank_dump& rank, rank_dump more) {
        for (dump_entry& entry : more.entries) {
            entry.seq = rank.entries.size();
            rank.entries.push_back(std::move(entry));
        }
    }
    void add(std::vector<rank_dump> ranks) {
        for (rank_dump& rank : ranks) add(std::move(rank));
    }

    bool search(const std::filesystem::path& folder, int depth) {
        std::vector<std::filesystem::path> files, folders, indexes;
        std::error_code error;
        for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
            (each->is_directory(error) ? folders : files).push_back(each->path());
        if (error) throw io_error(folder, "can't list the folder: " + error.message());
        std::sort(files.begin(), files.end());
        std::sort(folders.begin(), folders.end());

        const auto has = [&](const char* name) { return std::find(files.begin(), files.end(), folder / name) != files.end(); };
        if (has("index.jsonl")) return add(read_plumb_index(folder / "index.jsonl", dump_.warnings)), true;
        if (has("dump.json")) {
            rank_dump rank = read_msprobe_index(folder / "dump.json", dump_.warnings);
            if (has("debug.json")) append(rank, read_msprobe_index(folder / "debug.json", dump_.warnings));
            return add(std::move(rank)), true;
        }
        if (has("debug.json")) return add(read_msprobe_index(folder / "debug.json", dump_.warnings)), true;
        for (const auto& file : files)
            if (file.extension() == ".pkl") indexes.push_back(file);
        if (indexes.size() > 1)
            throw io_error(folder, "holds several indexes (" + indexes[0].filename().string() + " and " +
                                       indexes[1].filename().string() + "): name one of them");
        if (indexes.size() == 1) return add(read_ptdbg_index(indexes[0], dump_.warnings)), true;
        if (add_checker_files(files)) return true;

        bool found = false;
        if (depth < 5)
            for (const auto& inner : folders) found = search(inner, depth + 1) || found;
        if (found) return true;
        if (std::none_of(files.begin(), files.end(), [](const auto& file) { return has_tensor_extension(file); })) return false;
        add(read_folder(folder, dump_.warnings));
        return true;
    }

    /// api_accuracy_checker's forward_info_<rank>.json and backward_info_<rank>.json, which lie side by side for all ranks.
    bool add_checker_files(const std::vector<std::filesystem::path>& files) {
        std::vector<rank_dump> ranks;
        for (const char* direction : {"forward_info", "backward_info"})
            for (const auto& file : files) {
                const std::string stem = file.stem().string();
                if (file.extension() != ".json" || stem.compare(0, std::string(direction).size(), direction) != 0) continue;
                rank_dump read = read_msprobe_index(file, dump_.warnings);
                if (const auto number = numbered(stem, std::string(direction) + "_")) read.rank = *number;
                const auto same =
                    std::find_if(ranks.begin(), ranks.end(), [&](const rank_dump& rank) { return rank.rank == read.rank; });
                if (same == ranks.end()) {
                    ranks.push_back(std::move(read));
                } else {
                    append(*same, std::move(read));
                }
            }
        const bool found = !ranks.empty();
        add(std::move(ranks));
        return found;
    }

    [[noreturn]] void explain() const {
        std::string found;
        for (std::filesystem::directory_iterator each(dump_.root), end; each != end && found.empty(); ++each)
            if (const std::string what = what_it_is(each->path()); !what.empty())
                found = "; " + each->path().filename().string() + " " + what;
        throw io_error(dump_.root, "holds no dump: expected index.jsonl, dump.json, a .pkl of ptdbg_ascend, or files of tensors, "
                                   "here or in the folders inside" +
                                       found);
    }

    dump dump_;
};

} // namespace detail

/// Reads what was recorded in a run, step or rank folder, by an index file, or in one archive of tensors. Recognised by content:
///
/// - plumb's own: index.jsonl;
/// - ptdbg_ascend: [step<N>/]rank<R>/[<mode>_]dump.pkl and the folder of that name;
/// - msprobe: step<N>/rank<R>/dump.json with stack.json, construct.json and dump_tensor_data; debug.json;
/// - api_accuracy_checker: forward_info_<R>.json and backward_info_<R>.json;
/// - tensor files without an index, in a folder; an .npz, .safetensors, .pt or .npy file.
///
/// No tensor is read: load() does. Throws io_error if there is no dump, if an index is damaged or lies (names path, place and
/// expectation), and if there are several dumps of the same rank and step.
///
/// Name the result: before C++23, `for (auto& entry : read_dump(path).ranks[0].entries)` walks through a dump that is gone.
inline dump read_dump(const std::filesystem::path& path) { return detail::dump_finder(path).find(); }

} // namespace plumb
