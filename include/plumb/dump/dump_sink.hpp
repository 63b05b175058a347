/// \file
/// Where recorded calls go: a journal for each step, and the index that the layout's own tools read.
#pragma once

#include <plumb/dump/dump_options.hpp>
#include <plumb/dump/journal.hpp>
#include <plumb/dump/write_msprobe_index.hpp>
#include <plumb/dump/write_ptdbg_index.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumb {

/// The folders of one rank, `root`/[step<N>/]rank<R>/, each with its journal. Folders are made when the first call of their step
/// comes. For one thread at a time, but for the names.
class dump_sink {
public:
    /// Throws std::invalid_argument for dump_layout::folder, which has no index.
    dump_sink(std::filesystem::path root, const dump_options& options)
        : root_(std::move(root)), layout_(options.layout), rank_(options.rank), framework_(options.framework) {
        if (layout_ == dump_layout::folder)
            throw std::invalid_argument("dump_layout::folder is for reading: write plumb, ptdbg or msprobe");
    }

    const std::filesystem::path& root() const noexcept { return root_; }

    /// The folder of a step.
    std::filesystem::path folder_of(int step, bool step_folders) const {
        const auto parent = step_folders ? root_ / ("step" + std::to_string(step)) : root_;
        return parent / (!rank_ && layout_ == dump_layout::msprobe ? "rank" : "rank" + std::to_string(rank_.value_or(0)));
    }
    /// The file in it that the layout's tools read: index.jsonl, dump.json, or <mode_>dump.pkl.
    std::filesystem::path index_file_of(int step, bool step_folders, const std::string& mode) const {
        const auto folder = folder_of(step, step_folders);
        if (layout_ == dump_layout::msprobe) return folder / "dump.json";
        if (layout_ == dump_layout::ptdbg) return folder / ptdbg_index_name(mode);
        return folder / "index.jsonl";
    }

    /// Writes a call to its step's folder. Throws io_error.
    void write(call_record record, const tensor_recorder& recorder, bool step_folders) {
        const auto folder = folder_of(record.step, step_folders);
        const auto [found, fresh] = folders_.try_emplace(folder);
        state& here = found->second;
        if (!here.log) {
            here.log = std::make_unique<journal>(folder, layout_, rank_.value_or(0),
                                                 here.opened ? append_file::opening::reopen : append_file::opening::create);
            here.log->next_seq = here.next_seq;
            here.opened = true;
            close_all_but(folder);
        }
        here.changed = true;
        here.log->write(std::move(record), recorder);
        here.next_seq = here.log->next_seq;
    }

    /// Makes the layout's index files of all folders that have grown since the last time.
    void finish() {
        for (auto& [folder, here] : folders_) finish(folder, here);
    }

private:
    struct state {
        std::unique_ptr<journal> log;
        std::uint64_t next_seq = 0;
        bool opened = false;
        bool changed = false;
    };

    void finish(const std::filesystem::path& folder, state& here) {
        if (!here.changed) return;
        if (layout_ == dump_layout::ptdbg) write_ptdbg_index(folder);
        if (layout_ == dump_layout::msprobe) write_msprobe_index(folder, framework_);
        here.changed = false;
    }

    /// Steps that are over need no open file. A call that comes late, from another thread, opens its journal again.
    void close_all_but(const std::filesystem::path& current) {
        for (auto& [folder, here] : folders_) {
            if (folder == current || !here.log) continue;
            finish(folder, here);
            here.log.reset();
        }
    }

    std::filesystem::path root_;
    dump_layout layout_;
    std::optional<int> rank_;
    std::string framework_;
    std::map<std::filesystem::path, state> folders_;
};

} // namespace plumb
