/// \file
/// What the hooks on libtorch share: the session, how it is to be told, and what is known of each operator.
#pragma once

#include <plumb/adapters/torch_operators.hpp>
#include <plumb/dump/dump_session.hpp>
#include <plumb/dump/operator_call.hpp>
#include <plumb/random/process_state.hpp>

#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumb {

/// What becomes of an exception inside a hook: an overflow that is one too many, a write that failed. libtorch catches what a
/// callback of an operator throws, and only logs it.
enum class on_torch_error : std::uint8_t {
    keep,  ///< thrown by the next backward pass, and by the session's next step(), check(), flush() or stop(), or detach()
    abort, ///< its message goes to stderr, and the process ends by std::abort
};

/// How libtorch's operators are recorded.
struct torch_options {
    std::vector<std::string> filter = default_torch_filter();               ///< operators that are not recorded
    std::vector<std::string> nested_filter = default_nested_torch_filter(); ///< and those that are not inside others
    bool seed_tool_names = true; ///< "Functional", "__add__"; false: libtorch's own, all of the family "Torch"
    bool backward = true;        ///< a forward call's gradients are recorded as its backward call
    on_torch_error on_error = on_torch_error::keep;
    /// If set, is called with each error instead, by the thread that ran the operator. What it throws is lost.
    std::function<void(std::exception_ptr)> error_callback;
};

namespace detail {

/// What is known of one operator.
struct torch_operator {
    bool is_operator = false;        ///< or a range that somebody named
    bool is_transparent = false;     ///< what runs inside is not nested in it, as in "aten::_backward"
    bool is_autograd_engine = false; ///< the engine evaluates a node
    bool filtered = false, filtered_inside = false;
    torch_name plain_name, seed_name;
    std::optional<c10::FunctionSchema> schema;

    bool is_keyword(std::size_t i) const { return i < schema->arguments().size() && schema->arguments()[i].kwarg_only(); }
    const std::string& argument_name(std::size_t i) const { return schema->arguments()[i].name(); }
    /// True if the caller need not have given the argument. False where a comparison would cost.
    bool is_default(std::size_t i, const c10::IValue& value) const {
        if (i >= schema->arguments().size()) return false;
        const auto& usual = schema->arguments()[i].default_value();
        if (!usual || usual->tagKind() != value.tagKind()) return false;
        if (value.isNone()) return true;
        if (value.isBool()) return usual->toBool() == value.toBool();
        if (value.isInt()) return usual->toInt() == value.toInt();
        return value.isDouble() && std::equal_to<>()(usual->toDouble(), value.toDouble());
    }
    /// How many arguments there are before the defaults and keywords at the end begin.
    std::size_t given(c10::ArrayRef<const c10::IValue> values) const {
        std::size_t count = values.size();
        while (count > 0 && is_default(count - 1, values[count - 1])) --count;
        return count;
    }
};

/// Between the callbacks, which libtorch calls from any thread, and one session.
class torch_link {
public:
    torch_link(dump_session& session, torch_options options) : session_(&session), options_(std::move(options)) {}

    const torch_options& options() const noexcept { return options_; }
    /// Null once detached.
    dump_session* session() const noexcept { return session_.load(std::memory_order_acquire); }
    void cut() noexcept { session_.store(nullptr, std::memory_order_release); }

    /// Calls f(session) unless detached. No exception gets out: it goes where the options say.
    template <class F>
    void guarded(const F& f) noexcept {
        dump_session* const to = session();
        if (!to) return;
        try {
            f(*to);
        } catch (...) {
            take(*to, std::current_exception());
        }
    }
    /// The same where libtorch lets exceptions through.
    template <class F>
    void guarded_or_throw(const F& f) {
        dump_session* const to = session();
        if (!to) return;
        if (options_.on_error != on_torch_error::keep || options_.error_callback) return guarded(f);
        f(*to);
    }

    /// What is known of an operator: looked up by the address of its name, which is that of its schema.
    std::shared_ptr<const torch_operator> operator_of(const at::RecordFunction& function) {
        const char* name = function.name();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto found = operators_.find(name);
            if (found != operators_.end() && found->second.first == name) return found->second.second;
        }
        auto made = std::make_shared<torch_operator>();
        if (auto schema = function.operator_schema()) made->schema = *std::move(schema);
        made->is_operator = made->schema.has_value();
        constexpr std::string_view engine = "autograd::engine::evaluate_function";
        made->is_autograd_engine = !made->is_operator && std::string_view(name).substr(0, engine.size()) == engine;
        made->plain_name = aten_name(name);
        made->is_transparent = made->plain_name.api == "_backward";
        made->seed_name = options_.seed_tool_names ? seed_tool_name(name) : made->plain_name;
        if (made->seed_name.prefix == "Aten") made->seed_name.prefix = "Torch"; // "Aten" is for what runs inside calls
        const auto among = [&](const std::vector<std::string>& filter) {
            return std::find(filter.begin(), filter.end(), made->plain_name.api) != filter.end();
        };
        made->filtered = among(options_.filter);
        made->filtered_inside = made->filtered || among(options_.nested_filter);
        if (!made->is_operator) return made; // its name may lie in memory that is used again
        const std::lock_guard<std::mutex> lock(mutex_);
        operators_[name] = {name, made};
        return made;
    }

private:
    void take(dump_session& to, const std::exception_ptr& error) noexcept {
        if (options_.error_callback) {
            try {
                options_.error_callback(error);
            } catch (...) {
            }
            return;
        }
        if (options_.on_error == on_torch_error::keep) return to.keep(error);
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& problem) {
            std::fprintf(stderr, "%s\n", problem.what());
        } catch (...) {
        }
        std::abort();
    }

    std::atomic<dump_session*> session_;
    const torch_options options_;
    std::mutex mutex_;
    std::unordered_map<const void*, std::pair<std::string, std::shared_ptr<const torch_operator>>> operators_;
};

/// The link of the process, if hooks are attached. A callback of libtorch is a plain function, so it has to find it somewhere.
struct torch_link_slot {
    std::mutex mutex;
    std::shared_ptr<torch_link> link;
};
inline PLUMB_VISIBLE torch_link_slot shared_torch_link;

inline std::shared_ptr<torch_link> current_torch_link() {
    const std::lock_guard<std::mutex> lock(shared_torch_link.mutex);
    return shared_torch_link.link;
}
inline void set_torch_link(std::shared_ptr<torch_link> link) {
    const std::lock_guard<std::mutex> lock(shared_torch_link.mutex);
    if (link && shared_torch_link.link)
        throw std::logic_error("plumb: torch_hooks are attached already: detach those of the other session first");
    shared_torch_link.link = std::move(link);
}

/// What a thread is in the middle of.
struct torch_thread {
    unsigned running = 0;  ///< operators that a callback has seen beginning
    unsigned backward = 0; ///< nodes of autograd that are evaluated
    struct node_call {
        const void* hook;
        unsigned depth; ///< `backward` then
        operator_call call;
    };
    std::vector<node_call> nodes; ///< backward calls between the hooks before and after their node

    /// True inside a node whose backward call is recorded.
    bool inside_node() const noexcept { return !nodes.empty() && nodes.back().call; }
    /// The node at this depth is done: if it has failed, the hook after it was not called.
    void end_node() {
        while (!nodes.empty() && nodes.back().depth > backward) nodes.pop_back();
    }
};

inline torch_thread& this_torch_thread() noexcept {
    thread_local torch_thread here;
    return here;
}

/// While one lives, operators of this thread are nested in a call.
struct torch_nesting {
    torch_nesting() noexcept { ++this_torch_thread().running; }
    ~torch_nesting() { --this_torch_thread().running; }
    torch_nesting(const torch_nesting&) = delete;
    torch_nesting& operator=(const torch_nesting&) = delete;
};

} // namespace detail
} // namespace plumb
