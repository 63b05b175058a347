/// \file
/// Python's random module.
#pragma once

#include <plumb/random/libm.hpp>
#include <plumb/random/numpy_bit_generators.hpp>
#include <plumb/random/sha512.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace plumb::rng::python {

namespace detail {
inline namespace PLUMB_TARGET {

using namespace plumb::rng::detail;
using plumb::detail::bit_width;

/// An integer's 32-bit words, the lowest first, without leading zeros but for zero itself: the key of init_by_array.
inline rng::mt19937 seeded(view<std::uint32_t> words) {
    std::size_t size = words.size();
    while (size > 1 && words[size - 1] == 0) --size;
    return rng::mt19937(words.subview(0, size));
}

/// The integer that the bytes of the text and of its SHA-512 spell together, big-endian.
inline rng::mt19937 seeded(std::string_view text) {
    std::string bytes(text);
    for (const std::uint64_t word : sha512(text))
        for (int i = 7; i >= 0; --i) bytes.push_back(static_cast<char>(word >> (8 * i) & 0xff));
    std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        words[i / 4] |= std::uint32_t{static_cast<std::uint8_t>(bytes[bytes.size() - 1 - i])} << (8 * (i % 4));
    return seeded(view<std::uint32_t>(words));
}

} // namespace PLUMB_TARGET
} // namespace detail

/// The numbers of random.Random. A UniformRandomBitGenerator of 32-bit words. Not thread-safe.
class random {
public:
    using result_type = std::uint32_t;

    /// random.seed(int). Python seeds with the absolute value of a negative number.
    PLUMB_ALWAYS_INLINE explicit random(std::uint64_t seed = 0, rng::libm functions = libm::system)
        : random(std::array<std::uint32_t, 2>{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
                 functions) {}
    /// random.seed(int) of an integer of any size: its 32-bit words, the lowest first. Throws std::invalid_argument for none.
    PLUMB_ALWAYS_INLINE explicit random(view<std::uint32_t> words, rng::libm functions = libm::system)
        : bits_(detail::seeded(words)), libm_(functions) {}
    /// random.seed(str or bytes), the text as UTF-8.
    PLUMB_ALWAYS_INLINE explicit random(std::string_view text, rng::libm functions = libm::system)
        : bits_(detail::seeded(text)), libm_(functions) {}

    static constexpr result_type min() noexcept { return 0; }
    static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
    PLUMB_ALWAYS_INLINE result_type operator()() noexcept { return bits_(); }

    PLUMB_ALWAYS_INLINE numpy::mt19937_bits& bits() noexcept { return bits_; }
    /// The second half of the last pair of gauss(), if it was not used yet.
    PLUMB_ALWAYS_INLINE std::optional<double>& kept_normal() noexcept { return kept_normal_; }
    PLUMB_ALWAYS_INLINE rng::libm libm() const noexcept { return libm_; }

private:
    numpy::mt19937_bits bits_;
    std::optional<double> kept_normal_;
    rng::libm libm_;
};

inline namespace PLUMB_TARGET {

/// random.random(): a double in [0, 1).
inline double next_double(random& r) noexcept { return r.bits().next_double(); }

/// random.getrandbits(k), 1 <= k <= 64. Throws std::invalid_argument for another k.
inline std::uint64_t getrandbits(random& r, int k) {
    if (k < 1 || k > 64) throw std::invalid_argument("plumb: getrandbits gives 1 to 64 bits");
    if (k <= 32) return r() >> (32 - k);
    const std::uint64_t low = r();
    return low | std::uint64_t{r() >> (64 - k)} << 32;
}

/// random.randrange(n): in [0, n). Throws std::invalid_argument for n = 0.
inline std::uint64_t randrange(random& r, std::uint64_t n) {
    if (n == 0) throw std::invalid_argument("plumb: randrange needs an upper bound above 0");
    const int k = detail::bit_width(n);
    for (;;)
        if (const std::uint64_t drawn = getrandbits(r, k); drawn < n) return drawn;
}

/// random.randint(low, high): in [low, high]. Throws std::invalid_argument if low > high, or for the whole 64-bit range.
inline std::int64_t randint(random& r, std::int64_t low, std::int64_t high) {
    if (low > high) throw std::invalid_argument("plumb: randint needs low <= high");
    const auto base = static_cast<std::uint64_t>(low);
    const std::uint64_t count = static_cast<std::uint64_t>(high) - base + 1;
    if (count == 0) throw std::invalid_argument("plumb: randint does not draw from the whole 64-bit range");
    return static_cast<std::int64_t>(base + randrange(r, count));
}

/// random.uniform(low, high).
inline double uniform(random& r, double low, double high) noexcept {
    return low + detail::value_barrier(detail::value_barrier(high - low) * next_double(r));
}

/// random.gauss(mean, std).
inline double gauss(random& r, double mean = 0.0, double std = 1.0) noexcept {
    double z;
    if (r.kept_normal()) {
        z = *r.kept_normal();
        r.kept_normal().reset();
    } else {
        const double angle = detail::value_barrier(next_double(r) * (2.0 * 3.14159265358979323846));
        const double radius = detail::sqrt(-2.0 * detail::log(1.0 - next_double(r), r.libm()));
        const auto [sine, cosine] = detail::sincos(angle, r.libm());
        r.kept_normal() = detail::value_barrier(sine * radius);
        z = detail::value_barrier(cosine * radius);
    }
    return mean + detail::value_barrier(z * std);
}

/// random.normalvariate(mean, std) (Kinderman and Monahan, 1977).
inline double normalvariate(random& r, double mean = 0.0, double std = 1.0) noexcept {
    constexpr double magic = 1.7155277699214135; // 4 exp(-1/2) / sqrt(2), as Python computes it
    for (;;) {
        const double u1 = next_double(r), u2 = 1.0 - next_double(r);
        const double z = detail::value_barrier(detail::value_barrier(magic * detail::value_barrier(u1 - 0.5)) / u2);
        if (detail::value_barrier(z * z) / 4.0 <= -detail::log(u2, r.libm())) return mean + detail::value_barrier(z * std);
    }
}

/// Fills with random.random(), rounded to the element type.
template <class Buffer>
inline void random_sample(random& r, Buffer&& out) {
    using T = element_of<Buffer>;
    const output<T> values = output_of(out);
    detail::for_each_pair(r.bits().engine(), values.size(), [&](std::size_t i, std::uint32_t high, std::uint32_t low) {
        values[i] = detail::rounded_element<T>(numpy::mt19937_bits::as_double(high, low));
    });
}

/// random.shuffle(x) of anything with data() and size(): reorders it in place.
template <class Buffer>
inline void shuffle(random& r, Buffer&& values) {
    using std::swap;
    detail::require_dense(values);
    for (auto i = static_cast<std::size_t>(values.size()); i-- > 1;) swap(values.data()[i], values.data()[randrange(r, i + 1)]);
}

/// random.sample(range(n), k) with k the size of the buffer; needs scratch memory of about k elements.
/// Throws std::invalid_argument if k exceeds n.
template <class Buffer>
inline void sample(random& r, Buffer&& out, std::int64_t n) {
    const output<std::int64_t> chosen = output_of(out);
    const std::size_t k = chosen.size();
    if (n < 0 || k > static_cast<std::uint64_t>(n)) throw std::invalid_argument("plumb: sample cannot take more than there are");
    const auto count = static_cast<std::uint64_t>(n);
    // Python weighs the memory of a set of k against that of a list of n: the choice decides which numbers come.
    std::uint64_t set_size = 21, power = 1;
    while (power < 3 * std::uint64_t{k}) power *= 4;
    if (k > 5) set_size += power;
    if (count <= set_size) {
        std::vector<std::int64_t> pool(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = static_cast<std::int64_t>(i);
        for (std::size_t i = 0; i < k; ++i) {
            const std::uint64_t j = randrange(r, count - i);
            chosen[i] = pool[j];
            pool[j] = pool[count - i - 1];
        }
    } else {
        std::unordered_set<std::int64_t> taken(2 * k);
        for (std::int64_t& index : chosen) do
                index = static_cast<std::int64_t>(randrange(r, count));
            while (!taken.insert(index).second);
    }
}

/// random.choices(range(n), k=size of the buffer). Throws std::invalid_argument unless n > 0.
template <class Buffer>
inline void choices(random& r, Buffer&& out, std::int64_t n) {
    if (n <= 0) throw std::invalid_argument("plumb: choices needs something to choose from");
    for (std::int64_t& index : output<std::int64_t>(output_of(out)))
        index = static_cast<std::int64_t>(next_double(r) * static_cast<double>(n));
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::python
