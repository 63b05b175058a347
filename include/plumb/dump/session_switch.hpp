/// \file
/// Whether a dump session records at present, which calls it takes, and what they are called.
#pragma once

#include <plumb/dump/dump_options.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/dump/recorder.hpp>
#include <plumb/dump/selector.hpp>
#include <plumb/guard/operator_id.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace plumb {

/// What a session decides about a call when it begins.
struct admitted_call {
    operator_id id;
    bool selected = false; ///< it is recorded; else only a guard may look at it
    bool wants_stack = false;
    bool leaves_only = false; ///< it is not recorded if it runs another
    tensor_recorder recorder;
    int step = 0;
    bool step_folder = false;
    std::string mode; ///< the dump_mode's name, "" for all
};

/// The state of a dump_session but for its data: on or off, the step, the selection, the calls' numbers. All members may be
/// called by several threads.
class session_switch {
public:
    explicit session_switch(const dump_options& options)
        : rank_(options.rank.value_or(0)), step_folders_wanted_(options.step_folders),
          step_folders_usual_(options.layout == dump_layout::msprobe), recorder_(options.recorder) {}

    /// One relaxed load.
    bool is_on() const noexcept { return on_.load(std::memory_order_relaxed); }
    /// One relaxed load.
    bool wants_nested() const noexcept { return wants_nested_.load(std::memory_order_relaxed); }

    void start(operator_selector selector) {
        change([&] {
            selection_ = operator_selection(std::move(selector));
            const operator_selector& rules = selection_.rules();
            wants_nested_.store(rules.nesting != nesting::outermost, std::memory_order_relaxed);
            step_folders_ = step_folders_wanted_.value_or(step_folders_usual_ || !rules.steps.empty() || rules.every_n_steps > 1);
            started_ = true;
            stopped_because_.clear();
        });
    }
    void stop() {
        change([&] { started_ = false; });
    }
    /// Stops, and keeps the first reason until start().
    void stop_because(const std::string& why) {
        change([&] {
            started_ = false;
            if (stopped_because_.empty()) stopped_because_ = why;
        });
    }
    void set_enabled(bool enabled) {
        change([&] { enabled_ = enabled; });
    }
    /// A guard looks at every call, recorded or not.
    void set_watched(bool watched) {
        change([&] { watched_ = watched; });
    }
    void next_step() {
        change([&] {
            ++step_;
            selection_.next_step();
            if (step_folders_) counters_.reset();
        });
    }
    void set_recorder(const tensor_recorder& recorder) {
        const std::lock_guard<std::mutex> lock(mutex_);
        recorder_ = recorder;
    }

    /// Is called when is_on() changes, by the thread that changes it, and at once with the present state.
    void on_change(std::function<void(bool)> callback) {
        {
            const std::lock_guard<std::mutex> lock(callback_mutex_);
            callback_ = std::move(callback);
            announced_.reset();
        }
        announce();
    }

    /// Numbers a call that begins, unless it has its number from elsewhere. Nothing if it does not count: `nested`, and only
    /// outermost calls do.
    std::optional<admitted_call> admit(std::string_view prefix, std::string_view api, direction pass,
                                       std::optional<std::uint64_t> number, bool nested) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const operator_selector& rules = selection_.rules();
        if (nested && rules.nesting == nesting::outermost) return std::nullopt;
        admitted_call call;
        call.id = number ? counters_.numbered(prefix, api, pass, *number) : counters_.next(prefix, api, pass);
        call.selected = records_ && selection_.take(call.id);
        call.wants_stack = call.selected && rules.wants_stacks();
        call.leaves_only = rules.nesting == nesting::leaves;
        call.recorder = recorder_;
        if (rules.mode == dump_mode::stack) call.recorder.content = dump_content::names;
        call.step = step_;
        call.step_folder = step_folders_;
        call.mode = mode_word();
        return call;
    }

    int step() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return step_;
    }
    bool step_folders() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return step_folders_;
    }
    std::string mode() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return mode_word();
    }
    std::string stopped_because() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return stopped_because_;
    }

private:
    template <class Change>
    void change(const Change& apply) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            apply();
            const operator_selector& rules = selection_.rules();
            records_ = started_ && rules.wants_step(step_) && rules.wants_rank(rank_);
            on_.store(enabled_ && (records_ || watched_), std::memory_order_relaxed);
        }
        announce();
    }

    void announce() {
        const std::lock_guard<std::mutex> lock(callback_mutex_);
        const bool on = is_on();
        if (!callback_ || announced_ == on) return;
        announced_ = on;
        callback_(on);
    }

    std::string mode_word() const {
        const dump_mode mode = selection_.rules().mode;
        return mode == dump_mode::all ? std::string() : std::string(name_of(mode));
    }

    const int rank_;
    const std::optional<bool> step_folders_wanted_;
    const bool step_folders_usual_;
    std::atomic<bool> on_{false}, wants_nested_{false};
    mutable std::mutex mutex_; ///< of all down to stopped_because_
    call_counters counters_;
    operator_selection selection_;
    tensor_recorder recorder_;
    int step_ = 0;
    bool started_ = false, enabled_ = true, watched_ = false, step_folders_ = false;
    bool records_ = false; ///< calls of this step are recorded, as far as they are selected
    std::string stopped_because_;
    std::mutex callback_mutex_; ///< of the next two
    std::function<void(bool)> callback_;
    std::optional<bool> announced_;
};

} // namespace plumb
