// A training run in fp16 through libtorch whose loss becomes NaN. libtorch swallows what a hook throws: the session keeps the
// guard's error and throws it at its next step(), so that training stops at the third overflow.
#include <plumb/adapters/torch.hpp>
#include <plumb/dump.hpp>

#include <filesystem>
#include <iostream>

/// Fits y = w * x to y = 2 x with a learning rate that is too large, all in fp16. Returns the loss.
double train(plumb::dump_session& session, int steps) {
    const auto half = torch::dtype(torch::kHalf);
    const auto x = torch::tensor({1.0, -2.0, 3.0}, half), target = torch::tensor({2.0, -4.0, 6.0}, half);
    const auto w = torch::full(3, 0.5, half).requires_grad_();
    double last = 0;
    for (int i = 0; i < steps; ++i) {
        session.step(); // throws what a hook could not
        const auto error = torch::sub(torch::mul(w, x), target);
        const auto loss = torch::mul(error, error).to(torch::kFloat).mean();
        loss.backward();
        last = loss.item<double>();
        std::cout << last << ' ';
        const torch::NoGradGuard no_grad;
        w.sub_(w.grad(), 16);
        w.mutable_grad().reset();
    }
    std::cout << '\n';
    return last;
}

int main() {
    const auto folder = std::filesystem::temp_directory_path() / "plumb_torch_overflow_example";
    std::filesystem::remove_all(folder);
    plumb::dump_options options;
    options.keep_last = 3; // operators, the one that overflows among them, kept in memory until one does
    plumb::dump_session session(folder, options);
    plumb::torch_hooks hooks(session); // attach
    std::cout << "losses without the guard: ";
    train(session, 20);

    plumb::overflow_guard guard(3);
    session.watch(&guard);
    session.start();
    std::cout << "with it: ";
    try {
        train(session, 20);
    } catch (const plumb::overflow_limit& limit) {
        std::cout << "\nstopped in step " << session.current_step() - 20 << ": " << limit.what() << '\n';
    }
    session.stop();
    hooks.detach();
    const plumb::dump recorded = plumb::read_dump(folder);
    for (const auto& step : recorded.ranks) // the only rank's
        for (const auto& entry : step.entries) {
            const plumb::tensor_report numbers = plumb::summarize(plumb::load(entry));
            std::cout << entry.name << ": " << numbers.finite << " finite, " << numbers.count - numbers.finite << " not\n";
        }
}
