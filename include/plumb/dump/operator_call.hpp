/// \file
/// An operator that is running, seen by a hook in two parts.
#pragma once

#include <plumb/dump/call_record.hpp>
#include <plumb/dump/recorder.hpp>
#include <plumb/guard/operator_id.hpp>
#include <plumb/guard/overflow_guard.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace plumb {

class dump_session;

namespace detail {

/// What a session knows of a call between its beginning and its end.
struct open_call {
    dump_session* session = nullptr;
    std::shared_ptr<open_call> caller; ///< the call of the same thread that it runs in, of any session
    std::atomic<bool> finished{false};
    bool selected = false; ///< it is to be recorded
    bool calls_others = false;
    bool leaves_only = false; ///< a call that calls others is not recorded
    bool step_folders = false;
    int exceptions = 0; ///< in flight when it began
    overflow_guard* guard = nullptr;
    std::optional<overflow_place> bad_input;
    tensor_recorder recorder;
    call_record record;
};

/// The innermost call that the thread is running.
inline std::shared_ptr<open_call>& innermost_call() noexcept {
    thread_local std::shared_ptr<open_call> call;
    while (call && call->finished.load(std::memory_order_acquire)) call = std::shared_ptr<open_call>(call->caller);
    return call;
}

/// A small number for the calling thread.
inline std::uint64_t thread_number() noexcept {
    static std::atomic<std::uint64_t> threads{0};
    thread_local const std::uint64_t number = threads++;
    return number;
}

} // namespace detail

/// A call that dump_session::begin() has seen beginning. finish() gives it its results, on this or another thread; a call that
/// is destroyed without is recorded with its inputs alone, and counts as a failure if an exception is passing. It may not outlive
/// its session. Without a call (the session was off, or does not record the operator) all members do nothing.
class operator_call {
public:
    operator_call() noexcept = default;
    operator_call(operator_call&&) noexcept = default;
    operator_call& operator=(operator_call&& other) noexcept {
        operator_call ended(std::move(*this));
        call_ = std::move(other.call_);
        return *this;
    }
    ~operator_call();

    /// False if the call is not recorded, nor watched by a guard.
    explicit operator bool() const noexcept { return call_ != nullptr && (call_->selected || call_->guard != nullptr); }

    /// What the call is named; nothing without a call.
    std::optional<operator_id> id() const {
        if (!call_) return std::nullopt;
        return call_->record.id;
    }

    /// Adds more of what is known, before finish(): parameters, gradients of parameters.
    void add(tensor_kind kind, const argument_list& list);
    /// Takes the framework's own stack (Python frames, for example), innermost first, instead of the native one.
    void set_stack(std::vector<stack_frame> frames) {
        if (!call_) return;
        call_->record.stack.addresses.clear();
        call_->record.stack.frames = std::move(frames);
    }
    /// The operator has run. Throws overflow_limit if a guard says so, and what the session's other calls throw.
    void finish(const argument_list& outputs);

private:
    friend class dump_session;
    explicit operator_call(std::shared_ptr<detail::open_call> call) noexcept : call_(std::move(call)) {}

    std::shared_ptr<detail::open_call> call_;
};

} // namespace plumb
