/// \file
/// What there is once in a process: the registered seeders, the default generators, what is switched off.
#pragma once

#include <plumb/detail/target.hpp>

#include <atomic>
#include <mutex>

#if defined(__GNUC__)
#define PLUMB_VISIBLE __attribute__((visibility("default")))
#else
#define PLUMB_VISIBLE
#endif

namespace plumb::detail {

/// A T that is made at the first use and lives as long as the process, so that other objects' destructors may still use it.
///
/// As an inline variable marked PLUMB_VISIBLE there is one for all shared objects of a process, also for those that are compiled
/// with -fvisibility=hidden or loaded by dlopen. A program that loads such objects must export its symbols (-rdynamic; CMake's
/// ENABLE_EXPORTS), or they share one among themselves without it.
template <class T>
class process_wide {
public:
    constexpr process_wide() noexcept = default;

    PLUMB_ALWAYS_INLINE T& get() {
        T* value = value_.load(std::memory_order_acquire);
        if (value != nullptr) return *value;
        const std::lock_guard<std::mutex> lock(mutex_);
        value = value_.load(std::memory_order_relaxed);
        if (value == nullptr) value_.store(value = new T(), std::memory_order_release);
        return *value;
    }

private:
    std::atomic<T*> value_{nullptr};
    std::mutex mutex_;
};

} // namespace plumb::detail

namespace plumb {

/// A process-wide object, together with the lock that keeps other threads from it while this lives.
template <class T>
class locked {
public:
    PLUMB_ALWAYS_INLINE locked(std::recursive_mutex& mutex, T& value) : lock_(mutex), value_(value) {}
    PLUMB_ALWAYS_INLINE T& operator*() const noexcept { return value_; }
    PLUMB_ALWAYS_INLINE T* operator->() const noexcept { return &value_; }

private:
    std::unique_lock<std::recursive_mutex> lock_;
    T& value_;
};

} // namespace plumb
