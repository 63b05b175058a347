#include "torch_catch.hpp"

#include "dump/files.hpp"

#include <plumb/adapters/torch.hpp>
#include <plumb/dump.hpp>
#include <plumb/metrics.hpp>
#include <plumb/random/seed_all.hpp>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

/// A session that is attached, and what it has recorded.
class recording {
public:
    explicit recording(plumb::operator_selector selector = {}, plumb::torch_options options = {})
        : hooks_(session, std::move(options)) {
        session.start(std::move(selector));
    }
    explicit recording(plumb::nesting nesting) : recording(selector_with(nesting)) {}

    /// Detaches and reads the dump.
    const plumb::rank_dump& rank() {
        if (read_.ranks.empty()) {
            hooks_.detach();
            session.stop();
            read_ = plumb::read_dump(session.root());
        }
        return read_.ranks.at(0);
    }
    const plumb::dump_entry* find(const std::string& name) {
        for (const auto& each : rank().entries)
            if (each.name == name) return &each;
        return nullptr;
    }
    bool has(const std::string& name) { return find(name) != nullptr; }
    /// True if this was recorded, and equals `expected` in each element.
    bool has(const std::string& name, const at::Tensor& expected) {
        const auto* entry = find(name);
        if (!entry) return false;
        const plumb::tensor recorded = plumb::load(*entry);
        return recorded.shape() == plumb::as_view(expected).shape() && plumb::measure(recorded, expected).differing == 0;
    }
    bool has_operator(const std::string& op) {
        for (const auto& each : rank().entries)
            if (each.op == op) return true;
        return false;
    }

private:
    static plumb::operator_selector selector_with(plumb::nesting nesting) {
        plumb::operator_selector selector;
        selector.nesting = nesting;
        return selector;
    }

    test::temporary_folder folder_;

public:
    plumb::dump_session session{folder_.path() / "dump"};

private:
    plumb::torch_hooks hooks_;
    plumb::dump read_;
};

/// An operator whose gradient cannot be computed.
struct fails_in_backward : torch::autograd::Function<fails_in_backward> {
    static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) { return x + 1; }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext*, const torch::autograd::variable_list&) {
        throw std::runtime_error("no gradient");
    }
};

bool callbacks_run() { return at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION).has_value(); }

} // namespace

TEST_CASE("torch_hooks: an operator is recorded with its inputs and its output") {
    const at::Tensor x = at::randn({2, 4}), w = at::randn({3, 4}), b = at::randn({3});
    recording dump;
    const at::Tensor y = at::linear(x, w, b);
    CHECK(dump.has("Functional_linear_0_forward_input.0", x));
    CHECK(dump.has("Functional_linear_0_forward_input.1", w));
    CHECK(dump.has("Functional_linear_0_forward_input.2", b));
    CHECK(dump.has("Functional_linear_0_forward_output", y));
    CHECK(dump.rank().entries.size() == 4); // neither t nor addmm, which run inside
}

TEST_CASE("torch_hooks: gradients are the backward calls of the operators, with their numbers") {
    const at::Tensor x = at::randn({2, 4});
    const at::Tensor w = at::randn({4, 4}).requires_grad_(), b = at::randn({4}).requires_grad_();
    recording dump;
    const at::Tensor hidden = at::linear(x, w, b), y = at::linear(hidden, w, b);
    const at::Tensor loss = y.sum();
    loss.backward();
    CHECK(dump.has("Functional_linear_1_backward_input.0", at::ones({2, 4})));
    CHECK(dump.has("Functional_linear_1_backward_output.0", at::full({4}, 2.0f)));
    const at::Tensor into_first = at::ones({2, 4}).mm(w.detach());
    CHECK(dump.has("Functional_linear_1_backward_output.1", into_first));
    CHECK(dump.has("Functional_linear_0_backward_input.0", into_first));
    CHECK(dump.has("Functional_linear_0_backward_output.2", x.t().mm(into_first)));
    CHECK(dump.has("Aten_add_0_backward_output")); // the two gradients of a parameter
}

TEST_CASE("torch_hooks: products inside nodes that no call has made are recorded") {
    const at::Tensor a = at::randn({2, 3, 4}).requires_grad_(), b = at::randn({2, 4, 5}).requires_grad_();
    recording dump;
    at::matmul(a, b).sum().backward(); // ends in a view; bmm is a node of its own
    CHECK(dump.has("Torch_matmul_0_backward_input.0", at::ones({2, 3, 5})));
    CHECK(dump.has_operator("Aten_bmm_0_backward"));
    CHECK(dump.has_operator("Aten_bmm_1_backward"));
}

TEST_CASE("torch_hooks: leaves are the operators that call no other") {
    recording dump(plumb::nesting::leaves);
    at::linear(at::randn({2, 4}), at::randn({3, 4}), at::randn({3}));
    CHECK(dump.has_operator("Aten_addmm_0_forward"));
    CHECK_FALSE(dump.has_operator("Functional_linear_0_forward"));
}

TEST_CASE("torch_hooks: with every call recorded, those inside follow their caller's end") {
    recording dump(plumb::nesting::every);
    at::linear(at::randn({2, 4}), at::randn({3, 4}), at::randn({3}));
    CHECK(dump.has_operator("Functional_linear_0_forward"));
    CHECK(dump.has_operator("Aten_addmm_0_forward"));
    CHECK_FALSE(dump.has_operator("Aten_t_0_forward"));
    const std::string index = test::bytes_of(dump.session.folder() / "index.jsonl");
    CHECK(index.find("\"depth\": 1, \"parent\": \"Functional_linear_0_forward\"") != std::string::npos);
}

TEST_CASE("torch_hooks: the input of an operator that works in place is recorded as it was") {
    at::Tensor x = at::tensor({1.0f, 2.0f});
    recording dump;
    x.add_(10.0);
    CHECK(dump.has("Tensor_add__0_forward_input.0", at::tensor({1.0f, 2.0f})));
    CHECK(dump.has("Tensor_add__0_forward_output", at::tensor({11.0f, 12.0f})));
}

TEST_CASE("torch_hooks: the filter keeps views out, and the copies inside them") {
    const at::Tensor x = at::arange(6, at::kFloat).view({2, 3}), negated = -x, turned = x.t().reshape({6});
    {
        recording dump;
        x.t().reshape({6}).view({3, 2}); // reshape copies
        x.neg();
        CHECK(dump.has("Torch_neg_0_forward_output", negated));
        CHECK(dump.rank().entries.size() == 2);
    }
    plumb::torch_options options;
    options.filter = {"view"};
    recording dump({}, options);
    x.t().reshape({6}).view({3, 2});
    CHECK(dump.has("Tensor_reshape_0_forward_output", turned));
    CHECK_FALSE(dump.has_operator("Tensor_view_0_forward"));
}

TEST_CASE("torch_hooks: 16-bit, strided and sparse tensors are recorded") {
    const at::Tensor half = at::tensor({1.5f, -2.0f}).to(at::kHalf), brain = at::tensor({1.5f, -2.0f}).to(at::kBFloat16);
    const at::Tensor turned = at::arange(6, at::kFloat).view({2, 3}).t();
    const at::Tensor sparse = at::eye(3).to_sparse();
    recording dump;
    half + half;
    brain + brain;
    turned + turned;
    sparse + sparse;
    CHECK(dump.has("Tensor___add___0_forward_input.0", half));
    CHECK(dump.has("Tensor___add___1_forward_input.0", brain.to(at::kFloat))); // ptdbg's layout stores f32
    CHECK(dump.has("Tensor___add___2_forward_input.0", turned));
    CHECK(dump.has("Tensor___add___3_forward_output", at::eye(3) * 2));
}

TEST_CASE("torch_hooks: arguments that have their usual value are left out, keywords have their name") {
    const at::Tensor x = at::arange(4, at::kFloat);
    recording dump;
    at::add(x, x, 2);
    at::add(x, x);
    CHECK(dump.has("Tensor___add___0_forward_input.alpha"));
    CHECK_FALSE(dump.has("Tensor___add___1_forward_input.alpha"));
}

TEST_CASE("torch_hooks: switched off means that no callback runs") {
    test::temporary_folder folder;
    plumb::dump_session session(folder.path() / "dump");
    CHECK_FALSE(callbacks_run());
    {
        plumb::torch_hooks hooks(session);
        CHECK_FALSE(callbacks_run()); // not started
        session.start();
        CHECK(callbacks_run());
        session.set_enabled(false);
        CHECK_FALSE(callbacks_run());
        session.set_enabled(true);
        CHECK(callbacks_run());
    }
    CHECK_FALSE(callbacks_run()); // the scope has ended
    session.set_enabled(false);
    session.set_enabled(true);
    CHECK_FALSE(callbacks_run());
}

TEST_CASE("torch_hooks: only one session at a time can be attached") {
    test::temporary_folder folder;
    plumb::dump_session first(folder.path() / "first"), second(folder.path() / "second");
    {
        plumb::torch_hooks hooks(first);
        CHECK_THROWS_AS(plumb::torch_hooks(second), std::logic_error);
        hooks.detach();
        plumb::torch_hooks again(second);
    }
    plumb::torch_hooks again(first);
}

TEST_CASE("torch_hooks: a forward overflow stops training at the next step") {
    test::temporary_folder folder;
    plumb::dump_session session(folder.path() / "dump");
    plumb::overflow_guard guard(1);
    session.watch(&guard);
    plumb::torch_hooks hooks(session);
    const at::Tensor big = at::full({2}, 300.0f, at::kHalf);
    int steps = 0;
    const auto train = [&] {
        for (; steps < 10; ++steps) {
            if (steps == 3) big* big; // 90000 is beyond half
            session.step();
        }
    };
    CHECK_THROWS_AS(train(), plumb::overflow_limit);
    CHECK(steps == 3);
    CHECK(guard.first_source()->op == "Tensor.__mul__.0.forward");
    hooks.detach(); // nothing is left to throw
}

TEST_CASE("torch_hooks: an overflow that was kept stops the backward pass, and detach() throws it, too") {
    test::temporary_folder folder;
    plumb::dump_session session(folder.path() / "dump");
    plumb::overflow_guard guard(1);
    session.watch(&guard);
    plumb::torch_hooks hooks(session);
    const at::Tensor w = at::full({2}, 300.0f, at::kFloat).requires_grad_();
    const at::Tensor loss = (w / 0.0).sum();
    CHECK_THROWS_AS(loss.backward(), plumb::overflow_limit);
    CHECK_FALSE(w.grad().defined());
    w / 0.0;
    CHECK_THROWS_AS(hooks.detach(), plumb::overflow_limit);
}

TEST_CASE("torch_hooks: an overflow in a gradient leaves backward() at once") {
    test::temporary_folder folder;
    plumb::dump_session session(folder.path() / "dump");
    plumb::overflow_guard guard(1);
    session.watch(&guard);
    plumb::torch_hooks hooks(session);
    const at::Tensor x = at::zeros({2}).requires_grad_();
    CHECK_THROWS_AS(x.sqrt().sum().backward(), plumb::overflow_limit); // 1 / (2 sqrt(0))
    CHECK(guard.first_source()->op == "Torch.sqrt.0.backward");
}

TEST_CASE("torch_hooks: errors go to a callback if there is one") {
    test::temporary_folder folder;
    plumb::dump_session session(folder.path() / "dump");
    plumb::overflow_guard guard(1);
    session.watch(&guard);
    int called = 0;
    plumb::torch_options options;
    options.error_callback = [&](const std::exception_ptr& error) {
        ++called;
        CHECK_THROWS_AS(std::rethrow_exception(error), plumb::overflow_limit);
    };
    plumb::torch_hooks hooks(session, options);
    at::ones({2}) / 0.0;
    CHECK(called == 1);
    hooks.detach();
}

TEST_CASE("torch_hooks: on_torch_error::abort ends the process") {
    const ::pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        test::temporary_folder folder;
        plumb::dump_session session(folder.path() / "dump");
        plumb::overflow_guard guard(1);
        session.watch(&guard);
        plumb::torch_options options;
        options.on_error = plumb::on_torch_error::abort;
        plumb::torch_hooks hooks(session, options);
        at::ones({2}) / 0.0;
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGABRT);
}

TEST_CASE("torch_hooks: an operator that fails passes its error on, and recording goes on") {
    recording dump;
    const at::Tensor x = at::randn({2, 3});
    CHECK_THROWS_AS(at::matmul(x, x), c10::Error);
    x.neg();
    CHECK(dump.has("Torch_matmul_0_forward_input.0", x));
    CHECK_FALSE(dump.has("Torch_matmul_0_forward_output"));
    CHECK(dump.has("Torch_neg_0_forward_output", -x));
}

TEST_CASE("torch_hooks: a backward pass that fails passes its error on, and recording goes on") {
    recording dump;
    const at::Tensor x = at::randn({2}).requires_grad_();
    const at::Tensor bad = fails_in_backward::apply(x.exp());
    CHECK_THROWS_AS(bad.sum().backward(), std::runtime_error);
    x.neg();
    CHECK(dump.has("Torch_neg_0_forward_output", -x.detach()));
}

TEST_CASE("torch_hooks: going through a graph twice gives two calls") {
    recording dump;
    const at::Tensor x = at::tensor({1.0f, 2.0f}).requires_grad_();
    const at::Tensor y = x.exp();
    y.backward(at::ones({2}), /*retain_graph=*/true);
    y.backward(at::full({2}, 2.0f));
    CHECK(dump.has("Torch_exp_0_backward_input.0", at::ones({2})));
    CHECK(dump.has("Torch_exp_1_backward_input.0", at::full({2}, 2.0f)));
}

TEST_CASE("torch_hooks: an operator that returns its input makes no second backward call") {
    recording dump;
    const at::Tensor x = at::tensor({1.0f, 2.0f}).requires_grad_();
    at::dropout(x.exp(), 0.5, /*train=*/false).sum().backward(); // dropout hands its input on
    CHECK(dump.has_operator("Functional_dropout_0_forward"));
    CHECK(dump.has_operator("Torch_exp_0_backward"));
    CHECK_FALSE(dump.has_operator("Functional_dropout_0_backward"));
}

TEST_CASE("torch_hooks: a graph may outlive the hooks and the session") {
    const at::Tensor x = at::tensor({1.0f, 2.0f}).requires_grad_();
    at::Tensor y;
    {
        recording dump;
        y = x.exp().sum();
        CHECK(dump.has_operator("Torch_exp_0_forward"));
    }
    y.backward();
    CHECK(at::equal(x.grad(), x.detach().exp()));
}

TEST_CASE("torch_hooks: operators of all threads are recorded, each thread nesting for itself") {
    recording dump;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            for (int k = 0; k < 8; ++k) at::linear(at::ones({2, 4}), at::ones({3, 4}), at::ones({3}));
        });
    for (auto& each : threads) each.join();
    CHECK(dump.has_operator("Functional_linear_31_forward"));
    CHECK_FALSE(dump.has_operator("Functional_linear_32_forward"));
    CHECK_FALSE(dump.has_operator("Aten_addmm_0_forward"));
}

TEST_CASE("torch_hooks: recording changes no number") {
    const auto train = [] {
        at::manual_seed(7);
        const at::Tensor w = at::randn({4, 4}).requires_grad_();
        const at::Tensor x = at::randn({2, 4});
        const at::Tensor y = at::linear(x, w) + x;
        (at::softmax(y, -1) * y + y).sum().backward();
        return w.grad();
    };
    const at::Tensor expected = train();
    recording dump;
    CHECK(at::equal(train(), expected));
}

TEST_CASE("torch_module: a call of a module is recorded with its parameters, its backward call, and its gradients") {
    torch::nn::Linear layer(4, 3);
    const at::Tensor x = at::randn({2, 4});
    recording dump;
    const at::Tensor y = plumb::run_module(dump.session, "block.up", layer, x);
    y.sum().backward();
    plumb::record_gradients(dump.session, "block.up", layer);
    CHECK(dump.has("Module_block.up.Linear_0_forward_input.0", x));
    CHECK(dump.has("Module_block.up.Linear_0_forward_output", y.detach()));
    CHECK(dump.has_operator("Module_block.up.Linear_0_backward"));
    CHECK_FALSE(dump.has_operator("Aten_addmm_0_forward"));
    bool weight = false, gradient = false;
    for (const auto& each : dump.rank().entries) {
        weight = weight || (each.kind == plumb::tensor_kind::parameter && each.slot == "weight");
        gradient = gradient || (each.kind == plumb::tensor_kind::parameters_grad && each.slot == "bias" &&
                                plumb::measure(plumb::load(each), at::full({3}, 2.0f)).differing == 0);
    }
    CHECK(weight);
    CHECK(gradient);
}

TEST_CASE("torch_dropout: libtorch drops nothing while dropout is off, and draws nothing") {
    const plumb::torch_dropout follows;
    const at::Tensor x = at::ones({64}).requires_grad_();
    {
        const plumb::dropout_off off;
        at::manual_seed(1);
        CHECK(at::equal(at::dropout(x, 0.5, true), x));
        CHECK(at::equal(at::alpha_dropout(x, 0.5, true), x));
        const at::Tensor drawn = at::rand({4});
        at::manual_seed(1);
        CHECK(at::equal(at::rand({4}), drawn));
        CHECK_THROWS_AS(at::dropout(x, 1.5, true), std::exception);
    }
    const at::Tensor dropped = at::dropout(x, 0.5, true);
    CHECK((dropped == 0).any().item<bool>());
    dropped.sum().backward();
    CHECK(at::equal(x.grad(), dropped.detach()));
}

TEST_CASE("torch_seed: seed_all seeds libtorch, with the numbers of plumb's own generator") {
    plumb::register_torch_seeder();
    plumb::seed_all(4242);
    const at::Tensor first = at::randn({32});
    plumb::seed_all(4242);
    CHECK(at::equal(at::randn({32}), first));
}
