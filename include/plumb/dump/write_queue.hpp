/// \file
/// Does work in order, on a thread of its own if that is wanted, and brings its errors back.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace plumb {

/// Runs tasks one after the other, in the order in which they were pushed. With a limit, on another thread: push() returns at
/// once while the tasks that wait hold no more than `limit` bytes, else it waits. Without one (0), push() runs the task itself.
///
/// After a task has thrown, the error is kept and all further tasks are dropped, until take_error() gives the error away. All
/// members may be called by several threads; tasks must not call them.
class write_queue {
public:
    using task = std::function<void()>;

    explicit write_queue(std::uint64_t limit) : limit_(limit) {}
    write_queue(const write_queue&) = delete;
    write_queue& operator=(const write_queue&) = delete;
    /// Finishes what waits.
    ~write_queue() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    bool in_background() const noexcept { return limit_ != 0; }

    /// A task that holds more than the limit waits until the queue is empty, and then goes in alone.
    void push(std::uint64_t bytes, task work) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (!in_background()) {
            run(std::move(work));
            return;
        }
        if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
        changed_.wait(lock, [&] { return error_ || waiting_bytes_ == 0 || waiting_bytes_ + bytes <= limit_; });
        if (error_) return;
        tasks_.push_back({std::move(work), bytes});
        waiting_bytes_ += bytes;
        changed_.notify_all();
    }

    /// Waits until all that was pushed is done.
    void drain() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return tasks_.empty() && !busy_; });
    }

    /// The first error since the last time, or null.
    std::exception_ptr take_error() noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(error_, nullptr);
    }

private:
    struct item {
        task work;
        std::uint64_t bytes;
    };

    void run(task work) {
        if (error_) return;
        try {
            work();
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    void serve() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
            if (tasks_.empty()) return;
            item next = std::move(tasks_.front());
            tasks_.pop_front();
            busy_ = true;
            const bool drop = error_ != nullptr;
            lock.unlock();
            std::exception_ptr error;
            try {
                if (!drop) next.work();
                next.work = nullptr; // its memory goes before its bytes are given back
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            if (error && !error_) error_ = error;
            busy_ = false;
            waiting_bytes_ -= next.bytes;
            changed_.notify_all();
        }
    }

    const std::uint64_t limit_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<item> tasks_;
    std::uint64_t waiting_bytes_ = 0;
    std::exception_ptr error_;
    bool busy_ = false, ending_ = false;
    std::thread thread_;
};

} // namespace plumb
