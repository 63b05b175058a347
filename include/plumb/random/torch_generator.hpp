/// \file
/// PyTorch's CPU generator.
#pragma once

#include <plumb/random/mt19937.hpp>
#include <plumb/random/torch_profile.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace plumb::rng::torch {

/// What torch.get_rng_state() returns, byte by byte.
using generator_state = std::array<std::uint8_t, 5056>;

/// The numbers of torch.Generator("cpu"): MT19937, and one normal kept back by the scalar normal path.
///
/// Only the low 32 bits of a seed count, as there. PyTorch takes -2^63 to 2^64 - 1, and a negative seed s means 2^64 + s: cast
/// it. A UniformRandomBitGenerator of 32-bit words. Not thread-safe, like any generator.
class generator {
public:
    using result_type = std::uint32_t;
    /// PyTorch's seed when none was set.
    static constexpr std::uint64_t default_seed = 67280421310721;

    PLUMB_ALWAYS_INLINE explicit generator(std::uint64_t seed = default_seed,
                                           const torch::profile& reference = linux_x86) noexcept
        : profile_(reference) {
        manual_seed(seed);
    }

    /// torch.manual_seed: also forgets the kept normal.
    PLUMB_ALWAYS_INLINE void manual_seed(std::uint64_t seed) noexcept {
        engine_.seed(static_cast<std::uint32_t>(seed));
        initial_seed_ = seed;
        fresh_ = true;
        kept_normal_.reset();
    }
    PLUMB_ALWAYS_INLINE std::uint64_t initial_seed() const noexcept { return initial_seed_; }
    PLUMB_ALWAYS_INLINE const torch::profile& profile() const noexcept { return profile_; }

    static constexpr result_type min() noexcept { return mt19937::min(); }
    static constexpr result_type max() noexcept { return mt19937::max(); }
    PLUMB_ALWAYS_INLINE result_type operator()() noexcept { return engine()(); }

    /// The 32-bit draws behind everything else.
    PLUMB_ALWAYS_INLINE mt19937& engine() noexcept {
        fresh_ = false;
        return engine_;
    }
    /// The second half of the last pair of scalar normals, if it was not used yet.
    PLUMB_ALWAYS_INLINE std::optional<double>& kept_normal() noexcept { return kept_normal_; }

    /// torch.get_rng_state().
    PLUMB_ALWAYS_INLINE generator_state state() const noexcept;
    /// torch.set_rng_state(). Throws std::invalid_argument for bytes that no CPU generator of PyTorch writes.
    PLUMB_ALWAYS_INLINE void set_state(const generator_state& bytes);

private:
    mt19937 engine_;
    std::uint64_t initial_seed_ = default_seed;
    bool fresh_ = true; // no word was drawn since seeding: PyTorch writes that state differently from a used-up block
    std::optional<double> kept_normal_;
    torch::profile profile_;
};

namespace detail {
inline namespace PLUMB_TARGET {

/// The layout of PyTorch's CPUGeneratorImplState.
struct saved_state {
    std::uint64_t initial_seed;
    std::int32_t left; // words until the next twist, plus one
    std::int32_t seeded;
    std::uint64_t next; // the word that comes next, counted in this block
    std::uint64_t words[624];
    double normal_x, normal_y, normal_rho;
    std::int32_t normal_is_valid;
    float float_normal;
    std::uint8_t float_normal_is_valid;
};
static_assert(sizeof(saved_state) == sizeof(generator_state));

} // namespace PLUMB_TARGET
} // namespace detail

inline generator_state generator::state() const noexcept {
    detail::saved_state saved;
    std::memset(&saved, 0, sizeof saved);
    saved.initial_seed = initial_seed_;
    saved.seeded = 1;
    saved.next = fresh_ ? 0 : engine_.position();
    saved.left = fresh_ ? 1 : static_cast<std::int32_t>(625 - engine_.position());
    for (std::size_t i = 0; i < 624; ++i) saved.words[i] = engine_.words()[i];
    saved.normal_y = kept_normal_.value_or(0.0);
    saved.normal_is_valid = kept_normal_.has_value() ? 1 : 0;
    generator_state bytes;
    std::memcpy(bytes.data(), &saved, sizeof saved);
    return bytes;
}

inline void generator::set_state(const generator_state& bytes) {
    detail::saved_state saved;
    std::memcpy(&saved, bytes.data(), sizeof saved);
    const bool fresh = saved.next == 0 && saved.left == 1;
    const bool valid =
        saved.seeded == 1 && (fresh || (saved.next <= 624 && saved.left == 625 - static_cast<std::int64_t>(saved.next)));
    if (!valid) throw std::invalid_argument("plumb: these are not the bytes of a PyTorch CPU generator's state");
    mt19937_words words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(saved.words[i]);
    engine_ = mt19937(words, fresh ? words.size() : static_cast<std::size_t>(saved.next));
    initial_seed_ = saved.initial_seed;
    fresh_ = fresh;
    kept_normal_.reset();
    if (saved.normal_is_valid != 0) kept_normal_ = saved.normal_y;
}

} // namespace plumb::rng::torch
