/// \file
/// Does work in order, on a thread of its own if that is wanted, and brings its errors back.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include <unistd.h>

namespace plumb {

/// Runs tasks one after the other, in the order in which they were pushed. With a limit, on another thread: push() returns at
/// once while the tasks that wait hold no more than `limit` bytes, else it waits. Without one (0), push() runs the task itself.
///
/// After a task has thrown, the error is kept and all further tasks are dropped, until take_error() gives the error away. All
/// members may be called by several threads; tasks must not call them.
///
/// A queue belongs to the process that first pushed: a forked child has not its thread, and what the tasks write is its parent's.
/// There push() drops the task, nothing waits, and take_error() tells of it, once.
class write_queue {
public:
    using task = std::function<void()>;

    explicit write_queue(std::uint64_t limit) : limit_(limit) {}
    write_queue(const write_queue&) = delete;
    write_queue& operator=(const write_queue&) = delete;
    /// Finishes what waits.
    ~write_queue() {
        if (is_copy()) {
            // The parent's thread may have held the mutex, waited or been joinable: none of these can be destroyed here.
            (void)shared_.release();
            return;
        }
        {
            const std::lock_guard<std::mutex> lock(shared_->mutex);
            shared_->ending = true;
        }
        shared_->changed.notify_all();
        if (shared_->thread.joinable()) shared_->thread.join();
    }

    bool in_background() const noexcept { return limit_ != 0; }

    /// A task that holds more than the limit waits until the queue is empty, and then goes in alone.
    void push(std::uint64_t bytes, task work) {
        if (is_copy()) {
            used_in_copy_.store(true, std::memory_order_relaxed);
            return;
        }
        state& shared = *shared_;
        std::unique_lock<std::mutex> lock(shared.mutex);
        owner_.store(::getpid(), std::memory_order_relaxed);
        if (!in_background()) {
            run(std::move(work));
            return;
        }
        if (!shared.thread.joinable()) shared.thread = std::thread([this] { serve(); });
        shared.changed.wait(lock,
                            [&] { return shared.error || shared.waiting_bytes == 0 || shared.waiting_bytes + bytes <= limit_; });
        if (shared.error) return;
        shared.tasks.push_back({std::move(work), bytes});
        shared.waiting_bytes += bytes;
        shared.changed.notify_all();
    }

    /// Waits until all that was pushed is done.
    void drain() {
        if (is_copy()) return;
        std::unique_lock<std::mutex> lock(shared_->mutex);
        shared_->changed.wait(lock, [&] { return shared_->tasks.empty() && !shared_->busy; });
    }

    /// The first error since the last time, or null.
    std::exception_ptr take_error() {
        if (is_copy()) {
            if (!used_in_copy_.load(std::memory_order_relaxed) || told_in_copy_.exchange(true)) return nullptr;
            return std::make_exception_ptr(std::runtime_error("a dump belongs to the process that began it: after fork(), a "
                                                              "child needs a session of its own, with another folder "
                                                              "or rank"));
        }
        const std::lock_guard<std::mutex> lock(shared_->mutex);
        return std::exchange(shared_->error, nullptr);
    }

private:
    struct item {
        task work;
        std::uint64_t bytes;
    };
    struct state {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<item> tasks;
        std::uint64_t waiting_bytes = 0;
        std::exception_ptr error;
        bool busy = false, ending = false;
        std::thread thread;
    };

    bool is_copy() const noexcept {
        const ::pid_t owner = owner_.load(std::memory_order_relaxed);
        return owner != 0 && owner != ::getpid();
    }

    void run(task work) {
        if (shared_->error) return;
        try {
            work();
        } catch (...) {
            shared_->error = std::current_exception();
        }
    }

    void serve() {
        state& shared = *shared_;
        std::unique_lock<std::mutex> lock(shared.mutex);
        for (;;) {
            shared.changed.wait(lock, [&] { return shared.ending || !shared.tasks.empty(); });
            if (shared.tasks.empty()) return;
            item next = std::move(shared.tasks.front());
            shared.tasks.pop_front();
            shared.busy = true;
            const bool drop = shared.error != nullptr;
            lock.unlock();
            std::exception_ptr error;
            try {
                if (!drop) next.work();
                next.work = nullptr; // its memory goes before its bytes are given back
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            if (error && !shared.error) shared.error = error;
            shared.busy = false;
            shared.waiting_bytes -= next.bytes;
            shared.changed.notify_all();
        }
    }

    const std::uint64_t limit_;
    std::unique_ptr<state> shared_ = std::make_unique<state>();
    std::atomic<::pid_t> owner_{0}; ///< 0 before the first task
    std::atomic<bool> used_in_copy_{false}, told_in_copy_{false};
};

} // namespace plumb
