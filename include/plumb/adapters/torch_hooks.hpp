/// \file
/// Lets a dump session see every operator that libtorch runs, forward and backward.
#pragma once

#include <plumb/adapters/torch_arguments.hpp>
#include <plumb/adapters/torch_autograd.hpp>
#include <plumb/adapters/torch_link.hpp>
#include <plumb/adapters/torch_operators.hpp>
#include <plumb/dump/dump_session.hpp>
#include <plumb/dump/operator_call.hpp>

#include <ATen/record_function.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

// RecordFunction::inputs() asserts, in builds without NDEBUG, what a libtorch built with NDEBUG never sets. So the member is read
// itself, by the one rule that opens it: explicit instantiations may name private members.
struct record_inputs {
    using type = c10::ArrayRef<const c10::IValue> at::RecordFunction::*;
    friend type member_of(record_inputs);
};
template <class Tag, typename Tag::type Member>
struct reveal_member {
    friend typename Tag::type member_of(Tag) { return Member; }
};
template struct reveal_member<record_inputs, &at::RecordFunction::inputs_>;

/// An operator that is running, from its start callback to its end callback.
struct torch_running : at::ObserverContext {
    enum class kind : std::uint8_t { call, hidden, backward };

    torch_running(std::shared_ptr<torch_link> to, kind which)
        : link(std::move(to)), what(which), exceptions(std::uncaught_exceptions()) {
        torch_thread& here = this_torch_thread();
        ++(what == kind::backward ? here.backward : here.running);
    }
    ~torch_running() override {
        torch_thread& here = this_torch_thread();
        --(what == kind::backward ? here.backward : here.running);
        if (what == kind::backward) here.end_node();
    }

    std::shared_ptr<torch_link> link;
    kind what;
    int exceptions; ///< in flight when it began
    bool outermost = false;
    std::vector<const torch::autograd::Node*> made_inputs; ///< nodes that made its inputs
    operator_call call;
};

inline argument_vector torch_inputs(const torch_operator& which, c10::ArrayRef<const c10::IValue> values) {
    argument_vector all;
    const std::size_t count = which.given(values);
    for (std::size_t i = 0; i < count; ++i) {
        if (which.is_keyword(i) && which.is_default(i, values[i])) continue;
        all.push_back(torch_argument(values[i]));
        if (which.is_keyword(i)) all.back().named(which.argument_name(i));
    }
    if (which.seed_name.swap_first_two && all.size() > 1) std::swap(all[0], all[1]);
    return all;
}

inline std::unique_ptr<at::ObserverContext> on_torch_start(const at::RecordFunction& function) {
    const std::shared_ptr<torch_link> link = current_torch_link();
    if (!link || !link->session()) return nullptr;
    using kind = torch_running::kind;
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) return std::make_unique<torch_running>(link, kind::backward);
    std::unique_ptr<torch_running> running;
    link->guarded([&](dump_session& session) {
        torch_thread& here = this_torch_thread();
        const bool nested = here.running > 0 || here.inside_node();
        if (nested && !session.wants_nested()) return;
        const at::DisableRecordFunctionGuard off;
        const auto which = link->operator_of(function);
        if (which->is_autograd_engine) {
            running = std::make_unique<torch_running>(link, kind::backward);
        } else if (which->is_operator && !which->is_transparent && !(which->filtered && session.wants_nested()) &&
                   !(which->filtered_inside && nested)) {
            running = std::make_unique<torch_running>(link, which->filtered ? kind::hidden : kind::call);
            if (which->filtered) return;
            running->outermost = !nested;
            const bool backward = here.backward > 0;
            const torch_name& name = nested || backward ? which->plain_name : which->seed_name;
            const c10::ArrayRef<const c10::IValue> values = function.*member_of(record_inputs{});
            if (running->outermost && !backward && link->options().backward)
                running->made_inputs = nodes_of(tensors_among(values));
            running->call = session.begin(name.prefix, name.api, backward ? direction::backward : direction::forward,
                                          torch_inputs(*which, values));
        }
    });
    return running;
}

inline void on_torch_end(const at::RecordFunction& function, at::ObserverContext* context) {
    auto* running = static_cast<torch_running*>(context);
    if (!running || running->what != torch_running::kind::call) return;
    operator_call call = std::move(running->call);
    if (std::uncaught_exceptions() > running->exceptions) return; // the operator has failed
    running->link->guarded([&](dump_session&) {
        const at::DisableRecordFunctionGuard off;
        const std::vector<c10::IValue>& values = function.outputs();
        const auto id = call.id();
        if (id && running->outermost && id->pass == direction::forward && running->link->options().backward)
            follow_autograd(running->link, *id, tensors_among(values), running->made_inputs);
        argument_list outputs;
        for (const c10::IValue& each : values) outputs.items.push_back(torch_argument(each));
        outputs.single = values.size() == 1 && values[0].isTensor();
        call.finish(outputs);
    });
}

} // namespace detail

/// While one lives, `session` sees each operator that libtorch runs in the process:
///
///     plumb::torch_hooks hooks(session);   // attach
///     …
///     hooks.detach();                      // or the end of the scope
///
/// Forward operators have the seed tools' names (seed_tool_name), and the gradients that autograd computes for them are their
/// backward calls, with the same number: what goes into and comes out of the node of autograd's graph that made their result.
/// What other operators run inside a call or in the backward pass is of the family "Aten". As the selector's nesting says, the
/// outermost calls are recorded (`linear`), or the innermost (`t`, `addmm`), or all with their depth; torch_options::filter names
/// those that never are, and what runs inside a filtered operator is not recorded where the outermost are. Arguments at the end
/// that have their default values are left out. Tensors of other devices are copied to the CPU.
///
/// While the session records nothing, the callback is disabled, not called. libtorch catches what a callback throws: see
/// torch_options::on_error. Attach and detach while no operator is running. Throws std::logic_error if hooks are attached.
class torch_hooks {
public:
    explicit torch_hooks(dump_session& session, torch_options options = {})
        : link_(std::make_shared<detail::torch_link>(session, std::move(options))) {
        detail::set_torch_link(link_);
        handle_ = at::addGlobalCallback(at::RecordFunctionCallback(detail::on_torch_start, detail::on_torch_end)
                                            .needsInputs(true)
                                            .needsOutputs(true)
                                            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
        session.on_switch([handle = handle_, enabled = true](bool on) mutable {
            if (on != enabled) on ? at::reenableCallback(handle) : at::disableCallback(handle);
            enabled = on;
        });
    }
    torch_hooks(const torch_hooks&) = delete;
    torch_hooks& operator=(const torch_hooks&) = delete;
    /// Detaches. Errors are lost here: call detach(), or the session's check(), to see them.
    ~torch_hooks() { release(); }

    /// The session sees nothing more. Throws what a callback has thrown, if it was kept and not thrown yet.
    void detach() {
        if (dump_session* session = release()) session->check();
    }

private:
    dump_session* release() {
        dump_session* const session = link_->session();
        if (!session) return nullptr;
        session->on_switch({});
        at::removeCallback(handle_);
        link_->cut();
        detail::set_torch_link(nullptr);
        return session;
    }

    std::shared_ptr<detail::torch_link> link_;
    at::CallbackHandle handle_ = 0;
};

} // namespace plumb
