// An own training loop with hooks placed by hand: the same run, recorded once in f32 and once in bf16, ready for `plumb compare`.
#include <plumb/dump.hpp>

#include <filesystem>
#include <iostream>
#include <tuple>
#include <vector>

template <class T>
void train(plumb::dump_session& session) {
    const std::vector<T> x{T(0.5f), T(-1.0f), T(0.25f)};
    std::vector<T> w{T(1.0f), T(0.5f), T(-2.0f)};
    for (int step = 0; step < 2; ++step) {
        std::vector<T> y(1), gradient;
        float sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<float>(w[i]) * static_cast<float>(x[i]);
        y[0] = T(sum);
        session.forward("Functional", "linear", std::tie(x, w), y); // costs one load while the session is off

        for (const T& each : x) gradient.emplace_back(2 * static_cast<float>(y[0]) * static_cast<float>(each));
        session.backward("Functional", "linear", y, std::tie(x, gradient));

        auto update = session.begin("Tensor", "sub_", plumb::direction::forward, std::tie(w, gradient)); // works in place
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = T(static_cast<float>(w[i]) - 0.1f * static_cast<float>(gradient[i]));
        update.finish(std::tie(w));
        session.step();
    }
}

int main() {
    const auto folder = std::filesystem::temp_directory_path() / "plumb_hooks_example";
    std::filesystem::remove_all(folder);
    plumb::dump_session reference(folder / "f32"), actual(folder / "bf16");
    reference.start(plumb::dump_mode::api_stack);
    actual.start(plumb::dump_mode::api_stack);
    train<float>(reference);
    train<plumb::bfloat16>(actual);
    reference.stop();
    actual.stop();
    const plumb::dump recorded = plumb::read_dump(folder / "bf16");
    for (const auto& step : recorded.ranks)
        for (const auto& entry : step.entries)
            if (entry.kind == plumb::tensor_kind::output) std::cout << entry.name << '\n';
}
