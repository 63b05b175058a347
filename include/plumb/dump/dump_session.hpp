/// \file
/// Records operators of a running training: which (selector), what of each tensor (recorder), in which layout (sink).
#pragma once

#include <plumb/dump/call_stack.hpp>
#include <plumb/dump/dump_options.hpp>
#include <plumb/dump/layout.hpp>
#include <plumb/dump/operator_call.hpp>
#include <plumb/dump/record_stream.hpp>
#include <plumb/dump/selector.hpp>
#include <plumb/dump/session_switch.hpp>
#include <plumb/guard/overflow_guard.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// Records operator calls into `root`/[step<N>/]rank<R>/.
///
/// index.jsonl, plumb's own index, grows with each call: a process that is killed leaves a readable dump of all calls written so
/// far. ptdbg_ascend's or msprobe's index is made from it at flush() and stop(). Files are never overwritten.
///
/// A hook gives a call in one piece, after it ran, or in two: begin() before, finish() after, which records inputs as they were
/// before an operator that works in place. Both may come from several threads, and nest. While nothing is to be recorded, a call
/// costs one relaxed load. What the background thread could not write is thrown by the session's next call.
class dump_session {
public:
    /// Records nothing before start(), and touches no file before the first call is recorded.
    explicit dump_session(std::filesystem::path root, dump_options options = {})
        : options_(std::move(options)), switch_(options_), stream_(std::move(root), options_) {}
    dump_session(const dump_session&) = delete;
    dump_session& operator=(const dump_session&) = delete;
    /// Stops. Errors are lost here: call stop() to see them.
    ~dump_session() {
        try {
            stop();
        } catch (...) {
        }
    }

    /// Begins or goes on recording what `selector` chooses. Throws std::invalid_argument for a selector that makes no sense.
    void start(operator_selector selector) {
        selector.check();
        throw_kept();
        switch_.start(std::move(selector));
    }
    void start(dump_mode mode = dump_mode::all) {
        operator_selector selector;
        selector.mode = mode;
        start(std::move(selector));
    }
    /// Changes what is kept of each tensor from now on.
    void set_recorder(const tensor_recorder& recorder) { switch_.set_recorder(recorder); }

    /// The switch: goes off and on again without changing what is selected. From any thread.
    void set_enabled(bool on) { switch_.set_enabled(on); }
    /// True while calls are recorded or watched: one relaxed load.
    bool enabled() const noexcept { return switch_.is_on(); }
    /// Is called when enabled() changes, by the thread that changes it, so that an adapter can take its callbacks out altogether;
    /// and at once, with the present state.
    void on_switch(std::function<void(bool)> callback) { switch_.on_change(std::move(callback)); }

    /// Lets `guard` see every call, selected or not. When it finds an overflow, the calls kept in memory are written; at its
    /// limit everything is flushed and finish() (or forward(), backward()) throws overflow_limit, with the dump's file in the
    /// message. The guard must live as long as the session, or until watch(nullptr) and the calls then running.
    void watch(overflow_guard* guard) {
        guard_.store(guard, std::memory_order_release);
        switch_.set_watched(guard != nullptr);
    }

    /// Records a forward call, after it ran: inputs and outputs are tuples (std::tie(x, w)), `argument_vector`, or one tensor
    /// alone.
    template <class Inputs, class Outputs>
    void forward(std::string_view prefix, std::string_view api, const Inputs& inputs, const Outputs& outputs) {
        if (enabled()) record(prefix, api, direction::forward, argument_list(inputs), argument_list(outputs));
    }
    /// Records a backward call: the gradients of its results as inputs, the gradients of its arguments as outputs.
    template <class Inputs, class Outputs>
    void backward(std::string_view prefix, std::string_view api, const Inputs& inputs, const Outputs& outputs) {
        if (enabled()) record(prefix, api, direction::backward, argument_list(inputs), argument_list(outputs));
    }

    /// The first part of a hook: the operator is about to run. Inputs are copied now. The second part is finish().
    template <class Inputs>
    operator_call begin(std::string_view prefix, std::string_view api, direction pass, const Inputs& inputs) {
        if (!enabled()) return {};
        return operator_call(open(prefix, api, pass, {}, argument_list(inputs), true));
    }
    /// The same for a call that has its number from elsewhere, as a backward call has that of its forward call.
    template <class Inputs>
    operator_call begin(const operator_id& id, const Inputs& inputs) {
        if (!enabled()) return {};
        return operator_call(open(id.prefix, id.api, id.pass, id.call, argument_list(inputs), true));
    }
    /// False if operators that run inside a recorded one do not count (nesting::outermost), so that a hook need not tell of them.
    bool wants_nested() const noexcept { return switch_.wants_nested(); }

    /// The next training step begins.
    void step() {
        check();
        switch_.next_step();
    }
    int current_step() const { return switch_.step(); }

    /// Writes the calls that keep_last holds in memory, for a failure that only the caller can see.
    void write_recent() {
        if (!stream_.write_recent()) use_up_budget();
    }
    /// Waits until all is written and makes the layout's index files. Throws what went wrong so far.
    void flush() {
        stream_.flush();
        check();
    }
    /// Stops recording, and flushes. start() goes on.
    void stop() {
        switch_.stop();
        stream_.clear_recent();
        flush();
    }
    /// Throws what was kept, and what the background thread could not write.
    void check() {
        throw_kept();
        throw_write_error();
    }
    /// For hooks that may not throw, as where a framework swallows exceptions: keeps the first error until the next step(),
    /// check(), flush(), start() or stop() throws it.
    void keep(std::exception_ptr error) noexcept {
        const std::lock_guard<std::mutex> lock(kept_mutex_);
        if (!kept_) kept_ = std::move(error);
    }

    dump_status status() const { return {stream_.calls(), stream_.bytes(), switch_.stopped_because()}; }
    const std::filesystem::path& root() const noexcept { return stream_.sink().root(); }
    /// The folder of the present step.
    std::filesystem::path folder() const { return stream_.sink().folder_of(switch_.step(), switch_.step_folders()); }
    /// The index of the present step that the layout's own tools read.
    std::filesystem::path index_file() const {
        return stream_.sink().index_file_of(switch_.step(), switch_.step_folders(), switch_.mode());
    }

private:
    friend class operator_call;
    using call_pointer = std::shared_ptr<detail::open_call>;

    void record(std::string_view prefix, std::string_view api, direction pass, const argument_list& inputs,
                const argument_list& outputs) {
        const call_pointer call = open(prefix, api, pass, {}, inputs, false);
        if (call) close(*call, outputs, &inputs.items);
    }

    /// Null if the call does not count.
    call_pointer open(std::string_view prefix, std::string_view api, direction pass, std::optional<std::uint64_t> number,
                      const argument_list& inputs, bool in_two_parts) {
        throw_write_error();
        call_pointer& innermost = detail::innermost_call();
        detail::open_call* caller = innermost.get();
        while (caller && caller->session != this) caller = caller->caller.get();
        auto admitted = switch_.admit(prefix, api, pass, number, caller != nullptr);
        if (!admitted) return nullptr;
        if (caller && admitted->leaves_only) {
            caller->calls_others = true;
            caller->record.entries.clear(); // it is not recorded after all
        }
        auto call = std::make_shared<detail::open_call>();
        call->selected = admitted->selected;
        call->leaves_only = admitted->leaves_only;
        call->step_folders = admitted->step_folder;
        call->recorder = admitted->recorder;
        call_record& record = call->record;
        record.id = std::move(admitted->id);
        record.step = admitted->step;
        record.mode = std::move(admitted->mode);
        if (caller) {
            record.depth = caller->record.depth + 1;
            record.parent = operator_name_in(options_.layout, caller->record.id);
        }
        record.thread = detail::thread_number();
        if (admitted->wants_stack) record.stack.addresses = capture_stack(options_.stack_depth);
        if (call->selected && call->recorder.inputs)
            call->recorder.add(record, tensor_kind::input, inputs, in_two_parts || stream_.outlives_calls());
        call->guard = guard_.load(std::memory_order_acquire);
        if (call->guard && !call->guard->enabled()) call->guard = nullptr;
        if (call->guard && in_two_parts) call->bad_input = call->guard->look(inputs.items, false);
        call->session = this;
        call->exceptions = std::uncaught_exceptions();
        call->caller = innermost;
        innermost = call;
        return call;
    }

    /// `inputs` if they have not been looked at and are still as they were.
    void close(detail::open_call& call, const argument_list& outputs, const argument_vector* inputs) {
        leave(call);
        if (call.calls_others && call.leaves_only) return;
        std::optional<overflow_event> event;
        if (call.guard) {
            if (const auto bad = call.guard->look(outputs.items, true)) {
                if (inputs) call.bad_input = call.guard->look(*inputs, false);
                event = call.guard->judge(call.record.id, call.bad_input, bad);
            }
        }
        const std::string mode = call.record.mode;
        const int step = call.record.step;
        if (call.selected) {
            if (call.recorder.outputs) call.recorder.add(call.record, tensor_kind::output, outputs, stream_.outlives_calls());
            if (event) call.record.overflow = event->number;
            submit(call);
        }
        if (!event) return;
        write_recent();
        std::string file;
        if (call.guard->stops_at(*event)) {
            flush();
            const auto path = stream_.sink().index_file_of(step, call.step_folders, mode);
            std::error_code none;
            if (std::filesystem::exists(path, none)) file = path.string();
        }
        call.guard->act(*event, file);
    }

    /// The call ended without results.
    void abandon(detail::open_call& call) noexcept {
        leave(call);
        try {
            if (call.selected && !(call.calls_others && call.leaves_only)) submit(call);
            if (std::uncaught_exceptions() > call.exceptions) write_recent();
        } catch (...) {
            keep(std::current_exception());
        }
    }

    static void leave(detail::open_call& call) noexcept {
        call.finished.store(true, std::memory_order_release);
        detail::innermost_call();
    }

    void submit(detail::open_call& call) {
        if (!stream_.submit(std::move(call.record), call.recorder, call.step_folders)) use_up_budget();
    }

    void use_up_budget() { switch_.stop_because("the byte budget of " + std::to_string(options_.byte_budget) + " is used up"); }

    void throw_kept() {
        std::exception_ptr error;
        {
            const std::lock_guard<std::mutex> lock(kept_mutex_);
            error = std::exchange(kept_, nullptr);
        }
        if (error) std::rethrow_exception(error);
    }

    void throw_write_error() {
        const std::exception_ptr error = stream_.take_error();
        if (!error) return;
        std::string why = "a write failed";
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& problem) {
            why = problem.what();
        } catch (...) {
        }
        switch_.stop_because(why);
        if (options_.on_error == on_dump_error::raise) std::rethrow_exception(error);
    }

    const dump_options options_;
    session_switch switch_;
    std::atomic<overflow_guard*> guard_{nullptr};
    std::mutex kept_mutex_;
    std::exception_ptr kept_;
    record_stream stream_;
};

inline operator_call::~operator_call() {
    if (call_) call_->session->abandon(*call_);
}

inline void operator_call::add(tensor_kind kind, const argument_list& list) {
    if (call_ && call_->selected) call_->recorder.add(call_->record, kind, list, true);
}

inline void operator_call::finish(const argument_list& outputs) {
    if (!call_) return;
    const auto call = std::exchange(call_, nullptr);
    call->session->close(*call, outputs, nullptr);
}

} // namespace plumb
