/// \file
/// Switching randomness off where two runs are to be compared: dropout and the order of the data.
#pragma once

#include <plumb/random/output.hpp>
#include <plumb/random/process_state.hpp>
#include <plumb/random/seed_registry.hpp>
#include <plumb/random/torch_integers.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace plumb {

/// In which order epoch_order gives the samples.
enum class data_order : std::uint8_t {
    random,     ///< a new random order every epoch
    fixed,      ///< the same random order every epoch: that of the seed of the last seed_all
    sequential, ///< as they come
};

namespace detail {

/// How many objects ask for each restriction at present. The strictest one asked for holds, so that scopes of several threads
/// may begin and end in any order.
struct randomness_state {
    std::atomic<int> dropout_off{0};
    std::atomic<int> fixed_order{0};
    std::atomic<int> sequential_order{0};
    std::atomic<bool> dropout_removed{false}; // by seed_all's rm_dropout
};

inline PLUMB_VISIBLE randomness_state shared_randomness;

/// Adds one to a count as long as it lives.
class counted {
public:
    PLUMB_ALWAYS_INLINE explicit counted(std::atomic<int>* count) noexcept : count_(count) {
        if (count_ != nullptr) count_->fetch_add(1);
    }
    PLUMB_ALWAYS_INLINE ~counted() {
        if (count_ != nullptr) count_->fetch_sub(1);
    }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;

private:
    std::atomic<int>* count_;
};

} // namespace detail

/// While one lives, dropout is off in the whole process: dropout_probability returns 0.
class dropout_off {
public:
    PLUMB_ALWAYS_INLINE dropout_off() noexcept : count_(&detail::shared_randomness.dropout_off) {}

private:
    detail::counted count_;
};

/// While one lives, the data come in this order, or a stricter one that another scope asks for.
class order_scope {
public:
    PLUMB_ALWAYS_INLINE explicit order_scope(data_order order) noexcept
        : count_(order == data_order::fixed        ? &detail::shared_randomness.fixed_order
                 : order == data_order::sequential ? &detail::shared_randomness.sequential_order
                                                   : nullptr) {}

private:
    detail::counted count_;
};

/// While one lives, the process is in alignment mode: dropout off and the order of the data settled.
class alignment_mode {
public:
    PLUMB_ALWAYS_INLINE explicit alignment_mode(data_order order = data_order::fixed) noexcept : order_(order) {}

private:
    dropout_off dropout_;
    order_scope order_;
};

inline namespace PLUMB_TARGET {

/// What a framework's dropout asks before it drops: p, or 0 while dropout is off (a dropout_off or alignment_mode lives, or the
/// last seed_all said rm_dropout). Throws std::invalid_argument for p outside [0, 1], also then.
inline double dropout_probability(double p) {
    if (!rng::detail::is_finite(p) || p < 0.0 || p > 1.0)
        throw std::invalid_argument("plumb: a dropout probability must lie in [0, 1], not " + std::to_string(p));
    const auto& state = detail::shared_randomness;
    return state.dropout_off.load() > 0 || state.dropout_removed.load() ? 0.0 : p;
}

/// The order that holds at present.
inline data_order current_data_order() noexcept {
    const auto& state = detail::shared_randomness;
    if (state.sequential_order.load() > 0) return data_order::sequential;
    return state.fixed_order.load() > 0 ? data_order::fixed : data_order::random;
}

/// What a framework's shuffle asks: fills with the order of an epoch, a permutation of 0 to n - 1. Random orders are drawn from
/// `g` by torch.randperm; the other two draw nothing from it.
template <class Buffer>
inline void epoch_order(rng::torch::generator& g, Buffer&& out) {
    const auto order = rng::output_of(out);
    switch (current_data_order()) {
    case data_order::random: return rng::torch::randperm(g, order);
    case data_order::fixed: {
        rng::torch::generator fixed(last_seeding().seed, g.profile());
        return rng::torch::randperm(fixed, order);
    }
    case data_order::sequential:
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<rng::element_of<Buffer>>(i);
    }
}

} // namespace PLUMB_TARGET
} // namespace plumb
