/// \file
/// Recorded calls on their way to the disk: those kept in memory for a failure, those that wait, and what may still be written.
#pragma once

#include <plumb/dump/call_record.hpp>
#include <plumb/dump/dump_options.hpp>
#include <plumb/dump/dump_sink.hpp>
#include <plumb/dump/write_queue.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace plumb {

/// Takes calls in the order of their ends and writes them, at once or on failure, within the byte budget. All members may be
/// called by several threads.
class record_stream {
public:
    record_stream(std::filesystem::path root, const dump_options& options)
        : keep_last_(options.keep_last), keep_following_(options.keep_following), budget_(options.byte_budget),
          sink_(std::move(root), options), queue_(options.queue_bytes) {}

    /// True if a call's tensors must be copied, because they are written after submit() has returned.
    bool outlives_calls() const noexcept { return queue_.in_background() || keep_last_ != 0; }
    const dump_sink& sink() const noexcept { return sink_; }

    /// Takes a call. False if the byte budget does not allow it: nothing more is to come then.
    bool submit(call_record record, const tensor_recorder& recorder, bool step_folders) {
        const std::lock_guard<std::mutex> lock(mutex_);
        waiting call{std::move(record), recorder, step_folders};
        if (keep_last_ == 0 || following_ > 0) {
            if (following_ > 0) --following_;
            return write(std::move(call));
        }
        recent_.push_back(std::move(call));
        if (recent_.size() > keep_last_) recent_.pop_front();
        return true;
    }
    /// A failure: writes the calls that are kept in memory, and those to follow.
    bool write_recent() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (keep_last_ == 0) return true;
        following_ = keep_following_;
        bool all = true;
        for (; all && !recent_.empty(); recent_.pop_front()) all = write(std::move(recent_.front()));
        return all;
    }
    /// Forgets the calls that are kept in memory.
    void clear_recent() {
        const std::lock_guard<std::mutex> lock(mutex_);
        recent_.clear();
        following_ = 0;
    }
    /// Returns when all is written, and the layout's index files are made.
    void flush() {
        queue_.push(0, [this] { sink_.finish(); });
        queue_.drain();
    }
    /// What went wrong since the last time, or null.
    std::exception_ptr take_error() { return queue_.take_error(); }

    std::uint64_t calls() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return calls_;
    }
    std::uint64_t bytes() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return bytes_;
    }

private:
    struct waiting {
        call_record record;
        tensor_recorder recorder;
        bool step_folders;
    };

    bool write(waiting call) {
        const std::uint64_t bytes = call.record.bytes();
        if (budget_ != 0 && (bytes > budget_ || bytes_ > budget_ - bytes)) return false;
        ++calls_;
        bytes_ += bytes;
        auto shared = std::make_shared<waiting>(std::move(call)); // std::function wants to be copied
        queue_.push(bytes, [this, shared] { sink_.write(std::move(shared->record), shared->recorder, shared->step_folders); });
        return true;
    }

    const std::size_t keep_last_, keep_following_;
    const std::uint64_t budget_;
    mutable std::mutex mutex_;
    std::deque<waiting> recent_;
    std::size_t following_ = 0;
    std::uint64_t calls_ = 0, bytes_ = 0;
    dump_sink sink_; // before the queue, whose last tasks use it
    write_queue queue_;
};

} // namespace plumb
