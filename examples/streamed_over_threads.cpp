// A pair too large for one pass: threads stream chunks into accumulators of their own, in any order, and merging these gives
// the bits and the positions that a single pass would have given.
#include <plumb/plumb.hpp>

#include <array>
#include <cstddef>
#include <iostream>
#include <thread>
#include <vector>

int main() {
    constexpr std::size_t chunk = 1000, chunks = 64, threads = 4;
    const auto element = [](std::size_t i) { return static_cast<float>(i % 1021) / 1024.0f; };

    std::array<plumb::pair_metrics, threads> parts;
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t)
        workers.emplace_back([&, t] {
            for (std::size_t c = t; c < chunks; c += threads) { // every fourth chunk
                std::vector<float> actual(chunk), reference(chunk);
                for (std::size_t i = 0; i < chunk; ++i) actual[i] = reference[i] = element(c * chunk + i);
                if (c == 41) actual[234] += 0.125f;

                plumb::pair_metrics piece;
                piece.add(actual.data(), reference.data(), chunk);
                parts[t].merge(piece, c * chunk); // where the piece lies in the whole
            }
        });
    for (std::thread& worker : workers) worker.join();

    plumb::pair_metrics total;
    for (const plumb::pair_metrics& part : parts) total.merge(part, 0); // their positions count from the whole's start
    const plumb::pair_report report = total.value();
    std::cout << report.count << " pairs, " << report.differing << " differs: max_abs_err " << report.max_abs_err << " at "
              << *report.max_abs_err_index << '\n'
              << plumb::classify(report, plumb::rules::ptdbg()).reason() << '\n';
}
