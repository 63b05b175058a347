/// \file
/// All metrics of two tensors on several threads, with the same bits as on one.
#pragma once

#include <plumb/metrics/measure.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace plumb {

/// An executor that starts threads for one call: `threads(4)`. The calling thread is one of them.
///
/// An executor of your own is anything that can be called as `run(parts, f)` and then calls f(0), f(1), … f(parts − 1), each
/// once, in any order and on any thread, and returns when all have returned. f does not throw.
class threads {
public:
    /// Throws std::invalid_argument for 0 threads.
    PLUMB_ALWAYS_INLINE explicit threads(unsigned count) : count_(count) {
        if (count == 0) throw std::invalid_argument("plumb: measuring takes at least one thread");
    }

    template <class F>
    PLUMB_ALWAYS_INLINE void operator()(std::size_t parts, F&& f) const {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i; (i = next.fetch_add(1)) < parts;) f(i);
        };
        std::vector<std::thread> others;
        for (unsigned i = 1; i < count_ && i < parts; ++i) {
            try {
                others.emplace_back(work);
            } catch (...) { // no thread to be had: the others do its share
                break;
            }
        }
        work();
        for (std::thread& thread : others) thread.join();
    }

private:
    unsigned count_;
};

inline namespace PLUMB_TARGET {

/// Pairs in a part that one thread takes at a time.
inline constexpr std::size_t parallel_part = std::size_t{1} << 18;

/// measure() in parts, by an executor. The tensors are cut at fixed places; sums are exact and positions are kept, so the
/// report is that of measure(), bit for bit. Tensors that are not contiguous, and small ones, are measured by the caller alone.
template <metric Set = default_metrics, class Executor>
inline pair_report measure_parallel(const tensor_view& actual, const tensor_view& reference, const Executor& run,
                                    const tolerance& limits = {}) {
    const auto n = static_cast<std::size_t>(actual.count());
    if (actual.shape() != reference.shape() || !actual.is_contiguous() || !reference.is_contiguous() || n <= parallel_part)
        return measure<Set>(actual, reference, limits);
    if (!is_valid(limits)) throw std::invalid_argument("plumb: a tolerance is finite and not negative");

    const auto in_parts = [&](auto range) {
        using state = kernels::pair_state<Set, decltype(range)>;
        state whole;
        if constexpr (contains(Set, metric::outside_tolerance)) whole.outside.limits = limits;
        const std::size_t parts = (n + parallel_part - 1) / parallel_part;
        std::vector<state> states(parts, whole);
        const auto element = [](const tensor_view& tensor, std::size_t i) {
            return static_cast<const unsigned char*>(tensor.data()) + i * size_of(tensor.type());
        };
        run(parts, [&](std::size_t part) noexcept {
            const std::size_t first = part * parallel_part;
            const std::size_t count = n - first < parallel_part ? n - first : parallel_part;
            state mine = states[part]; // on this thread's stack: neighbours in the vector share cache lines
            kernels::add_pairs(mine, actual.type(), element(actual, first), reference.type(), element(reference, first), count);
            kernels::move_positions(mine, first);
            states[part] = mine;
        });
        for (const state& part : states) kernels::merge_state(whole, part);
        return kernels::make_report(whole);
    };
    const bool narrow = size_of(actual.type()) <= 4 && size_of(reference.type()) <= 4;
    return narrow ? in_parts(kernels::narrow_range{}) : in_parts(kernels::wide_range{});
}

/// The same, called like measure(): `measure(actual, reference, threads(4))`.
template <metric Set = default_metrics>
inline pair_report measure(const tensor_view& actual, const tensor_view& reference, const threads& run,
                           const tolerance& limits = {}) {
    return measure_parallel<Set>(actual, reference, run, limits);
}

} // namespace PLUMB_TARGET
} // namespace plumb
