/// \file
/// The order in which PyTorch's samplers and DataLoader visit a dataset, and its workers' seeds.
#pragma once

#include <plumb/random/seed_sequence.hpp>
#include <plumb/random/torch_integers.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumb::rng::torch {

/// What a DataLoader's worker process is seeded with.
struct worker_seeds {
    std::uint64_t torch;                ///< torch.manual_seed; random.seed takes the same number
    std::array<std::uint32_t, 4> numpy; ///< np.random.seed, as a sequence of words
};

/// The part of an epoch that torch.utils.data.DistributedSampler gives to one rank.
struct distributed_sampler {
    std::int64_t length; ///< of the dataset
    std::int64_t replicas;
    std::int64_t rank;
    std::uint64_t seed = 0;
    bool shuffle = true;
    bool drop_last = false;
};

inline namespace PLUMB_TARGET {

/// One random_() of an int64: the seed that DataLoader and RandomSampler take from a generator.
inline std::int64_t draw_seed(generator& g) noexcept {
    std::int64_t seed[1];
    random(g, seed);
    return seed[0];
}

/// RandomSampler(replacement=False, generator=g), num_samples being the size of the buffer: random orders of 0 to n - 1, one
/// after the other, the last one cut. That one is drawn even if nothing of it is needed, once the sampler is exhausted; an epoch
/// that was broken off has not come to it. Needs scratch memory if the last one is cut. Throws std::invalid_argument unless n >
/// 0.
template <class Buffer>
inline void random_sampler(generator& g, Buffer&& out, std::int64_t n, bool exhausted = true) {
    if (n <= 0) throw std::invalid_argument("plumb: a sampler needs a dataset that is not empty");
    const output<std::int64_t> order = output_of(out);
    const auto length = static_cast<std::size_t>(n);
    std::size_t first = 0;
    for (; order.size() - first >= length; first += length) randperm(g, order.part(first, length));
    if (first < order.size()) {
        std::vector<std::int64_t> last(length);
        randperm(g, last);
        std::copy_n(last.begin(), order.size() - first, order.begin() + first);
    } else if (exhausted) {
        g.engine().discard(length - 1);
    }
}

/// RandomSampler(replacement=True, generator=g), num_samples being the size of the buffer. Throws std::invalid_argument unless n
/// > 0.
template <class Buffer>
inline void random_sampler_with_replacement(generator& g, Buffer&& out, std::int64_t n) {
    randint(g, output<std::int64_t>(output_of(out)), 0, n);
}

/// One epoch of DataLoader(shuffle=True) without a generator: fills the order of all samples and returns the workers' base seed.
/// `g` is the default generator.
template <class Buffer>
inline std::int64_t shuffled_epoch(generator& g, Buffer&& order) {
    const std::int64_t base_seed = draw_seed(g);
    generator sampler(static_cast<std::uint64_t>(draw_seed(g)), g.profile());
    randperm(sampler, output<std::int64_t>(output_of(order)));
    return base_seed;
}

/// One epoch of DataLoader(shuffle=True, generator=g): the same. `exhausted` is false for an epoch that was broken off.
template <class Buffer>
inline std::int64_t shuffled_epoch_of(generator& g, Buffer&& order, bool exhausted = true) {
    const std::int64_t base_seed = draw_seed(g);
    random_sampler(g, order, static_cast<std::int64_t>(order.size()), exhausted);
    return base_seed;
}

/// One epoch of DataLoader(shuffle=False): only the base seed, drawn whether or not there are workers.
inline std::int64_t sequential_epoch(generator& g) noexcept { return draw_seed(g); }

/// random_split(dataset, lengths, generator=g): the parts of this order, one after the other, are the subsets' indices.
template <class Buffer>
inline void random_split(generator& g, Buffer&& order) {
    randperm(g, output<std::int64_t>(output_of(order)));
}

/// SubsetRandomSampler(indices, generator=g). Throws std::invalid_argument if the sizes differ.
template <class Indices, class Buffer>
inline void subset_random_sampler(generator& g, const Indices& indices_buffer, Buffer&& out) {
    const view<std::int64_t> indices = input_of(indices_buffer);
    const output<std::int64_t> order = output_of(out);
    if (indices.size() != order.size())
        throw std::invalid_argument("plumb: a sampler needs an order of as many elements as indices");
    randperm(g, order);
    for (std::int64_t& i : order) i = indices[static_cast<std::size_t>(i)];
}

/// The seeds of worker `worker` of a DataLoader whose epoch has this base seed.
inline worker_seeds seeds_of_worker(std::int64_t base_seed, std::uint32_t worker) noexcept {
    const auto base = static_cast<std::uint64_t>(base_seed);
    const std::uint32_t entropy[] = {worker, static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(base >> 32), 0};
    worker_seeds seeds{base + worker, {}};
    numpy::seed_sequence(view<std::uint32_t>(entropy)).generate(seeds.numpy);
    return seeds;
}

/// The number of samples of each rank.
constexpr std::int64_t samples_per_rank(const distributed_sampler& s) noexcept {
    return s.drop_last ? s.length / s.replicas : (s.length + s.replicas - 1) / s.replicas;
}

/// The rank's order in an epoch. Needs scratch memory for the whole order. Throws std::invalid_argument if the buffer has not
/// samples_per_rank elements, or the rank is not one of the replicas.
template <class Buffer>
inline void distributed_epoch(const distributed_sampler& s, std::uint64_t epoch, Buffer&& out,
                              const profile& reference = linux_x86) {
    const output<std::int64_t> order = output_of(out);
    if (s.length <= 0 || s.rank < 0 || s.rank >= s.replicas)
        throw std::invalid_argument("plumb: a distributed sampler needs samples, and a rank below the number of replicas");
    if (order.size() != static_cast<std::size_t>(samples_per_rank(s)))
        throw std::invalid_argument("plumb: a distributed sampler's rank has " + std::to_string(samples_per_rank(s)) +
                                    " samples, the buffer " + std::to_string(order.size()));
    std::vector<std::int64_t> all(static_cast<std::size_t>(s.length));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    if (s.shuffle) {
        generator g(s.seed + epoch, reference);
        randperm(g, all);
    }
    // Where the samples do not go round evenly, the first ones come again at the end.
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = all[(i * static_cast<std::size_t>(s.replicas) + static_cast<std::size_t>(s.rank)) % all.size()];
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::torch
