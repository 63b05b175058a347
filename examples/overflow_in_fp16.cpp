// A training run in fp16 whose loss becomes NaN. The guard stops it at the third overflow and names the operator that began.
#include <plumb/dump.hpp>

#include <filesystem>
#include <functional>
#include <iostream>
#include <tuple>
#include <vector>

using halves = std::vector<plumb::float16>;

/// Fits y = w * x to y = 2 x with a learning rate that is too large. Each operator's results are rounded to half, and hooked.
float train(plumb::dump_session& session, int steps) {
    const auto run = [&](const char* name, const halves& a, const halves& b, auto&& operation) {
        halves result;
        for (std::size_t i = 0; i < a.size(); ++i)
            result.emplace_back(operation(static_cast<float>(a[i]), static_cast<float>(b[i])));
        session.forward("Torch", name, std::tie(a, b), result);
        return result;
    };
    const auto half = [](float value) { return plumb::float16(value); };
    const halves x{half(1), half(-2), half(3)}, target{half(2), half(-4), half(6)}, rate(3, half(8));
    halves w(3, half(0.5f)), error;
    for (int i = 0; i < steps; ++i) {
        error = run("sub", run("mul", w, x, std::multiplies<>()), target, std::minus<>());
        const halves step = run("mul", run("mul", error, x, std::multiplies<>()), rate, std::multiplies<>());
        w = run("sub", w, step, std::minus<>());
    }
    return static_cast<float>(error[0]) * static_cast<float>(error[0]);
}

int main() {
    const auto folder = std::filesystem::temp_directory_path() / "plumb_overflow_example";
    std::filesystem::remove_all(folder);
    plumb::dump_options options;
    options.keep_last = 4; // operators before the overflow, kept in memory until there is one
    plumb::dump_session session(folder, options);
    std::cout << "loss without the guard: " << train(session, 20) << '\n';

    plumb::overflow_guard guard(3);
    session.watch(&guard);
    session.start();
    try {
        train(session, 20);
    } catch (const plumb::overflow_limit& limit) {
        std::cout << limit.what() << '\n';
    }
    const plumb::dump recorded = plumb::read_dump(folder);
    for (const auto& entry : recorded.ranks[0].entries) {
        const plumb::tensor_report numbers = plumb::summarize(plumb::load(entry));
        std::cout << entry.name << ": " << numbers.nonfinite.pos_inf + numbers.nonfinite.neg_inf << " infinite\n";
    }
}
