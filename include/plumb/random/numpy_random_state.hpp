/// \file
/// NumPy's legacy generator: np.random.seed, np.random.rand, … and RandomState.
#pragma once

#include <plumb/random/libm.hpp>
#include <plumb/random/numpy_bounded.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

namespace plumb::rng::numpy {

/// The numbers of np.random.RandomState, which NumPy's policy has frozen. A UniformRandomBitGenerator of 32-bit words. Not
/// thread-safe.
class random_state {
public:
    using result_type = std::uint32_t;

    /// np.random.seed(seed). Throws std::invalid_argument beyond 2^32 - 1, as NumPy raises.
    PLUMB_ALWAYS_INLINE explicit random_state(std::uint64_t value = 5489, rng::libm functions = libm::system)
        : bits_(mt19937()), libm_(functions) {
        seed(value);
    }
    /// RandomState([…]), a seed of several words.
    PLUMB_ALWAYS_INLINE explicit random_state(view<std::uint32_t> key, rng::libm functions = libm::system)
        : bits_(mt19937(key)), libm_(functions) {}
    /// A saved state: what get_state() returns.
    PLUMB_ALWAYS_INLINE explicit random_state(const mt19937& engine, std::optional<double> kept_normal = std::nullopt,
                                              rng::libm functions = libm::system) noexcept
        : bits_(engine), kept_normal_(kept_normal), libm_(functions) {}

    PLUMB_ALWAYS_INLINE void seed(std::uint64_t value) {
        if (value > 0xffffffffu) throw std::invalid_argument("plumb: RandomState takes seeds from 0 to 2^32 - 1");
        bits_.engine().seed(static_cast<std::uint32_t>(value));
        kept_normal_.reset();
    }

    static constexpr result_type min() noexcept { return mt19937::min(); }
    static constexpr result_type max() noexcept { return mt19937::max(); }
    PLUMB_ALWAYS_INLINE result_type operator()() noexcept { return bits_(); }

    PLUMB_ALWAYS_INLINE mt19937_bits& bits() noexcept { return bits_; }
    /// The second half of the last pair of normals, if it was not used yet.
    PLUMB_ALWAYS_INLINE std::optional<double>& kept_normal() noexcept { return kept_normal_; }
    PLUMB_ALWAYS_INLINE rng::libm libm() const noexcept { return libm_; }

private:
    mt19937_bits bits_;
    std::optional<double> kept_normal_;
    rng::libm libm_;
};

namespace detail {
inline namespace PLUMB_TARGET {

/// The next standard normal, by Marsaglia's polar method.
inline double polar_normal(random_state& state) noexcept {
    if (state.kept_normal()) {
        const double z = *state.kept_normal();
        state.kept_normal().reset();
        return z;
    }
    for (;;) {
        const double x1 = value_barrier(2.0 * state.bits().next_double() - 1.0);
        const double x2 = value_barrier(2.0 * state.bits().next_double() - 1.0);
        const double r2 = value_barrier(value_barrier(x1 * x1) + value_barrier(x2 * x2));
        if (r2 >= 1.0 || r2 == 0.0) continue;
        const double f = sqrt(value_barrier(-2.0 * log(r2, state.libm())) / r2);
        state.kept_normal() = value_barrier(f * x1);
        return value_barrier(f * x2);
    }
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// random_sample(), random(), rand(): in [0, 1). These and the normals are doubles, rounded to the element type as astype does.
template <class Buffer>
inline void random_sample(random_state& state, Buffer&& out) {
    using T = element_of<Buffer>;
    const output<T> values = output_of(out);
    detail::for_each_pair(state.bits().engine(), values.size(), [&](std::size_t i, std::uint32_t high, std::uint32_t low) {
        values[i] = detail::rounded_element<T>(mt19937_bits::as_double(high, low));
    });
}

/// uniform(low, high).
template <class Buffer>
inline void uniform(random_state& state, Buffer&& out, double low, double high) {
    using T = element_of<Buffer>;
    const output<T> values = output_of(out);
    const double range = detail::value_barrier(high - low);
    detail::for_each_pair(state.bits().engine(), values.size(), [&](std::size_t i, std::uint32_t first, std::uint32_t second) {
        values[i] = detail::rounded_element<T>(low + detail::value_barrier(range * mt19937_bits::as_double(first, second)));
    });
}

/// normal(mean, std).
template <class Buffer>
inline void normal(random_state& state, Buffer&& out, double mean, double std) {
    if (std < 0.0) throw std::invalid_argument("plumb: normal needs std >= 0");
    using T = element_of<Buffer>;
    for (T& value : output_of(out))
        value = detail::rounded_element<T>(mean + detail::value_barrier(std * detail::polar_normal(state)));
}

/// standard_normal(), randn().
template <class Buffer>
inline void standard_normal(random_state& state, Buffer&& out) {
    using T = element_of<Buffer>;
    for (T& value : output_of(out)) value = detail::rounded_element<T>(detail::polar_normal(state));
}

/// randint(low, high, dtype=that of the buffer): integers in [low, high). Throws std::invalid_argument unless low < high, both
/// within the type. NumPy's default type is int64 (int32 on Windows before NumPy 2).
template <class Buffer>
inline void randint(random_state& state, Buffer&& out, std::int64_t low, std::int64_t high) {
    using T = element_of<Buffer>;
    const std::uint64_t most = detail::checked_span<T>(low, high);
    detail::fill_integers<detail::rejection::masked>(state.bits(), output_of(out), low, most);
}

/// The same for integers in [low, high], bounds of the element type: reaches the type's largest number.
template <class Buffer, class T = element_of<Buffer>>
inline void randint_inclusive(random_state& state, Buffer&& out, T low, T high) {
    const std::uint64_t most = detail::checked_inclusive_span(low, high);
    detail::fill_integers<detail::rejection::masked>(state.bits(), output_of(out), static_cast<std::int64_t>(low), most);
}

/// shuffle(x) of anything with data() and size(): reorders it in place.
template <class Buffer>
inline void shuffle(random_state& state, Buffer&& values) {
    detail::require_dense(values);
    auto* const data = values.data();
    detail::shuffle_masked(state.bits(), static_cast<std::size_t>(values.size()),
                           [=](std::size_t i, std::size_t j) { std::swap(data[i], data[j]); });
}

/// permutation(n) with n the size of the buffer.
template <class Buffer>
inline void permutation(random_state& state, Buffer&& out) {
    const auto order = output_of(out);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<element_of<Buffer>>(i);
    shuffle(state, order);
}

/// choice(n, k) with k the size of the buffer; without replacement it needs a scratch buffer of n.
/// Throws std::invalid_argument if n is 0, or below k without replacement.
template <class Buffer>
inline void choice(random_state& state, Buffer&& out, std::int64_t n, bool replace = true) {
    const output<std::int64_t> chosen = output_of(out);
    if (replace) return randint(state, chosen, 0, n);
    if (n < 0 || chosen.size() > static_cast<std::uint64_t>(n))
        throw std::invalid_argument("plumb: choice without replacement cannot take more than there are");
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    permutation(state, order);
    std::copy_n(order.begin(), chosen.size(), chosen.begin());
}

/// choice(len(p), k, p=p): an index with the probability that stands there; needs a scratch buffer of p's size.
/// Throws std::invalid_argument for an empty p, a negative one, or a sum that is not 1 within 1.5e-8.
template <class Buffer>
inline void choice(random_state& state, Buffer&& out, view<double> p) {
    std::vector<double> upto(p.begin(), p.end());
    for (std::size_t i = 1; i < upto.size(); ++i) upto[i] += upto[i - 1];
    const bool negative = std::any_of(p.begin(), p.end(), [](double x) { return !(x >= 0.0); });
    if (upto.empty() || negative || !(upto.back() > 1.0 - 1.5e-8 && upto.back() < 1.0 + 1.5e-8))
        throw std::invalid_argument("plumb: choice needs probabilities that are not negative and sum to 1");
    const double sum = upto.back();
    for (double& x : upto) x = detail::value_barrier(x / detail::value_barrier(sum));
    for (std::int64_t& index : output<std::int64_t>(output_of(out)))
        index = std::upper_bound(upto.begin(), upto.end(), state.bits().next_double()) - upto.begin();
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::numpy
