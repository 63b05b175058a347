/// \file
/// Watches operators for NaN and infinities, names the one that made them, and stops the run at the n-th.
#pragma once

#include <plumb/guard/constant_writers.hpp>
#include <plumb/guard/find_overflow.hpp>
#include <plumb/guard/operator_id.hpp>
#include <plumb/guard/overflow_event.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// What the guard does about saturation: elements at the largest finite number of their type, as saturating hardware leaves
/// them where others overflow.
enum class saturation_check : std::uint8_t {
    off,
    count,    ///< they are counted, see overflow_guard::saturated()
    overflow, ///< they are counted, and are an overflow like an infinity: what ptdbg_ascend does
};

/// What an overflow_guard goes by.
struct guard_options {
    saturation_check saturation = saturation_check::off;
    std::vector<std::string> constant_writers = default_constant_writers(); ///< operators that are never a source
};

/// Overflow is a NaN or an infinity in an output, of a forward and a backward call alike. The source is the operator whose inputs
/// are finite; those that get bad inputs inherit it. Operators that write a given constant are no source, and as long as no
/// source is known, operators that only carry on the -inf of a mask, or an infinity that such an operator has written, do not
/// overflow either; making NaN of them is an overflow.
///
/// Each process, hence each rank, counts for itself. All members may be called by several threads. While the guard is off, a call
/// costs one relaxed load.
class overflow_guard {
public:
    /// Stops at overflow number `limit`; -1 never stops. Throws std::invalid_argument for 0 and below -1.
    explicit overflow_guard(int limit = 1, guard_options options = {}) : limit_(limit), options_(std::move(options)) {
        if (limit == 0 || limit < -1)
            throw std::invalid_argument("plumb: an overflow_guard stops after 1 or more overflows, or never (-1), not after " +
                                        std::to_string(limit));
    }

    bool enabled() const noexcept { return enabled_.load(std::memory_order_relaxed); }
    void enable(bool on) noexcept { enabled_.store(on, std::memory_order_relaxed); }
    int limit() const noexcept { return limit_; }

    /// Is called for each overflow, before the run is stopped, by the thread that ran the operator. It must not throw where the
    /// framework cannot pass exceptions on.
    void on_overflow(std::function<void(const overflow_event&)> callback) {
        const std::lock_guard<std::mutex> lock(mutex_);
        callback_ = std::move(callback);
    }

    /// Checks an operator's forward call, after it ran: tuples (std::tie), `argument_vector`, or one tensor alone. The inputs are
    /// looked at only if an output is bad. Throws overflow_limit at the limit.
    template <class Inputs, class Outputs>
    void forward(std::string_view prefix, std::string_view api, const Inputs& inputs, const Outputs& outputs) {
        if (enabled()) check(prefix, api, direction::forward, argument_list(inputs), argument_list(outputs));
    }
    /// The same for a backward call: gradients of its outputs, gradients of its inputs.
    template <class Inputs, class Outputs>
    void backward(std::string_view prefix, std::string_view api, const Inputs& inputs, const Outputs& outputs) {
        if (enabled()) check(prefix, api, direction::backward, argument_list(inputs), argument_list(outputs));
    }

    /// For hooks in two parts, and operators that overwrite their inputs: the first bad number among the inputs, before it runs …
    std::optional<overflow_place> look(const argument_vector& all, bool output) {
        auto found = first_overflow(all, output);
        if (found && !source_known_.load(std::memory_order_relaxed)) found->kinds = kinds_of_overflow(all);
        if (options_.saturation != saturation_check::off) {
            std::optional<overflow_place> saturated;
            const std::uint64_t count = count_saturated(all, output, saturated);
            if (output) saturated_.fetch_add(count, std::memory_order_relaxed);
            if (!found && options_.saturation == saturation_check::overflow) found = saturated;
        }
        return found;
    }
    /// … and what follows from it and from the first bad number among the outputs, after it ran: an overflow, which is counted,
    /// or nothing.
    std::optional<overflow_event> judge(const operator_id& id, const std::optional<overflow_place>& input,
                                        const std::optional<overflow_place>& output) {
        if (!output) return std::nullopt;
        if (writes_constant(id.api, options_.constant_writers) && !(input && input->kinds.nan)) {
            if (output->kinds.pos_inf) infinity_written_.store(true, std::memory_order_relaxed);
            return std::nullopt;
        }
        if (input && carries_on_constants(*input, *output)) return std::nullopt;
        overflow_event event;
        event.op = id.name();
        event.where = *output;
        event.input = input;
        const std::lock_guard<std::mutex> lock(mutex_);
        event.number = ++count_;
        if (!input) {
            event.cause = overflow_cause::in_operator;
            event.source = event.op;
            if (!first_source_) first_source_ = event;
            latest_source_ = event.op;
            source_known_.store(true, std::memory_order_relaxed);
        } else {
            event.cause = latest_source_.empty() ? overflow_cause::bad_input : overflow_cause::inherited;
            event.source = latest_source_;
        }
        return event;
    }
    /// True if act() will throw.
    bool stops_at(const overflow_event& event) const noexcept {
        return limit_ != -1 && event.number >= static_cast<std::uint64_t>(limit_);
    }
    /// Calls back, and throws overflow_limit if this overflow reached the limit. `dump_file` is where the operator was dumped,
    /// "" if it was not.
    void act(const overflow_event& event, const std::string& dump_file = {}) {
        std::function<void(const overflow_event&)> callback;
        std::optional<overflow_event> first;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            callback = callback_;
            first = first_source_;
        }
        if (callback) callback(event);
        if (!stops_at(event)) return;
        std::string text = "[overflow " + std::to_string(event.number) + " times]: ";
        text += dump_file.empty() ? "no dump file was written." : "dump file is saved in '" + dump_file + "'.";
        text += first ? " First source: " + first->message() + "." : " No source was seen.";
        if (!first || first->number != event.number) text += " Last: " + event.message() + ".";
        throw overflow_limit(text, event);
    }

    /// Overflows so far.
    std::uint64_t count() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return count_;
    }
    /// Saturated elements seen in outputs, if the options ask for them.
    std::uint64_t saturated() const noexcept { return saturated_.load(std::memory_order_relaxed); }
    /// The first overflow with finite inputs; nothing if there was none.
    std::optional<overflow_event> first_source() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return first_source_;
    }

private:
    void check(std::string_view prefix, std::string_view api, direction pass, const argument_list& inputs,
               const argument_list& outputs) {
        const operator_id id = counters_.next(prefix, api, pass);
        const auto output = look(outputs.items, true);
        if (!output) return;
        if (const auto event = judge(id, look(inputs.items, false), output)) act(*event);
    }

    bool carries_on_constants(const overflow_place& input, const overflow_place& output) const noexcept {
        if (source_known_.load(std::memory_order_relaxed) || input.kinds.nan || output.kinds.nan) return false;
        if (!output.kinds.pos_inf && !output.kinds.neg_inf) return false; // saturated
        const bool positive = infinity_written_.load(std::memory_order_relaxed) && input.kinds.pos_inf;
        return (!output.kinds.pos_inf || positive) && (!output.kinds.neg_inf || input.kinds.neg_inf || positive);
    }

    const int limit_;
    const guard_options options_;
    std::atomic<bool> enabled_{true};
    std::atomic<std::uint64_t> saturated_{0};
    std::atomic<bool> source_known_{false}, infinity_written_{false};
    call_counters counters_;
    mutable std::mutex mutex_;
    std::uint64_t count_ = 0;
    std::optional<overflow_event> first_source_;
    std::string latest_source_;
    std::function<void(const overflow_event&)> callback_;
};

} // namespace plumb
