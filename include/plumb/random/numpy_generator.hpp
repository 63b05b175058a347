/// \file
/// NumPy's current generator: np.random.default_rng and Generator, as of NumPy 1.24.
#pragma once

#include <plumb/random/libm.hpp>
#include <plumb/random/numpy_bounded.hpp>
#include <plumb/random/ziggurat_tables.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

namespace plumb::rng::numpy {

/// The numbers of np.random.Generator over one of the bit generators. NumPy may change them from version to version; these
/// are 1.24's. A UniformRandomBitGenerator, like its bits. Not thread-safe.
template <class Bits>
class basic_generator {
public:
    using result_type = typename Bits::result_type;

    PLUMB_ALWAYS_INLINE explicit basic_generator(std::uint64_t seed = 0, rng::libm functions = libm::system) noexcept
        : basic_generator(seed_sequence(seed), functions) {}
    PLUMB_ALWAYS_INLINE explicit basic_generator(const seed_sequence& seed, rng::libm functions = libm::system) noexcept
        : bits_(seed), libm_(functions) {}

    static constexpr result_type min() noexcept { return Bits::min(); }
    static constexpr result_type max() noexcept { return Bits::max(); }
    PLUMB_ALWAYS_INLINE result_type operator()() noexcept { return bits_(); }

    PLUMB_ALWAYS_INLINE Bits& bits() noexcept { return bits_; }
    PLUMB_ALWAYS_INLINE rng::libm libm() const noexcept { return libm_; }

private:
    Bits bits_;
    rng::libm libm_;
};

/// What np.random.default_rng(seed) makes.
using generator = basic_generator<pcg64>;

namespace detail {
inline namespace PLUMB_TARGET {

/// The tail of the normal distribution beyond the ziggurat's base strip.
template <class Bits>
inline double ziggurat_tail(Bits& bits, libm which) noexcept {
    for (;;) {
        const double x = value_barrier(-ziggurat_inv_r * log1p(-bits.next_double(), which));
        const double y = -log1p(-bits.next_double(), which);
        if (value_barrier(y + y) > value_barrier(x * x)) return value_barrier(ziggurat_r + x);
    }
}

/// The next standard normal, by a ziggurat of 256 strips (Marsaglia and Tsang, 2000).
template <class Bits>
PLUMB_ALWAYS_INLINE double ziggurat_normal(Bits& bits, libm which) noexcept {
    for (;;) {
        const std::uint64_t word = bits.next64();
        const auto strip = static_cast<std::size_t>(word & 0xff);
        const std::uint64_t height = (word >> 9) & 0x000fffffffffffff;
        double x = static_cast<double>(static_cast<std::int64_t>(height)) * ziggurat_wi[strip];
        if ((word >> 8 & 1) != 0) x = -x;
        if (height < ziggurat_ki[strip]) return x; // 99.3 %
        if (strip == 0) {
            const double tail = ziggurat_tail(bits, which);
            return (height >> 8 & 1) != 0 ? -tail : tail;
        }
        const double step = value_barrier(ziggurat_fi[strip - 1] - ziggurat_fi[strip]);
        const double u = value_barrier(value_barrier(step * bits.next_double()) + ziggurat_fi[strip]);
        if (u < exp(value_barrier(-0.5 * x * x), which)) return x;
    }
}

/// Fills with what `draw` draws, a double or a float.
template <class Bits, class T, class Draw>
PLUMB_ALWAYS_INLINE void fill(Bits& bits, output<T> out, Draw draw) noexcept {
    on_local_copy(bits, [&](Bits& local) {
        for (T& value : out) value = rounded_element<T>(draw(local));
    });
}

} // namespace PLUMB_TARGET
} // namespace detail

inline namespace PLUMB_TARGET {

/// random(dtype=that of the buffer): uniform in [0, 1); double or float.
template <class Bits, class Buffer>
inline void random(basic_generator<Bits>& g, Buffer&& out) {
    using T = element_of<Buffer>;
    static_assert(dtype_of<T> == dtype::f64 || dtype_of<T> == dtype::f32, "NumPy's random() has f64 and f32");
    if constexpr (dtype_of<T> == dtype::f64)
        detail::fill(g.bits(), output_of(out), [](Bits& bits) { return bits.next_double(); });
    else
        detail::fill(g.bits(), output_of(out),
                     [](Bits& bits) { return static_cast<float>(static_cast<std::int32_t>(bits.next32() >> 8)) * 0x1p-24f; });
}

/// uniform(low, high), in double and rounded to the element type as astype does.
template <class Bits, class Buffer>
inline void uniform(basic_generator<Bits>& g, Buffer&& out, double low, double high) {
    const double range = detail::value_barrier(high - low);
    detail::fill(g.bits(), output_of(out), [=](Bits& bits) { return low + detail::value_barrier(range * bits.next_double()); });
}

/// standard_normal(), in double. (Its dtype=float32 is another stream, which plumb does not have.)
template <class Bits, class Buffer>
inline void standard_normal(basic_generator<Bits>& g, Buffer&& out) {
    static_assert(dtype_of<element_of<Buffer>> == dtype::f64, "standard_normal is drawn into f64");
    const libm which = g.libm();
    detail::fill(g.bits(), output_of(out), [=](Bits& bits) { return detail::ziggurat_normal(bits, which); });
}

/// normal(mean, std), in double and rounded to the element type as astype does. Throws std::invalid_argument for a negative std.
template <class Bits, class Buffer>
inline void normal(basic_generator<Bits>& g, Buffer&& out, double mean, double std) {
    if (std < 0.0) throw std::invalid_argument("plumb: normal needs std >= 0");
    const libm which = g.libm();
    detail::fill(g.bits(), output_of(out),
                 [=](Bits& bits) { return mean + detail::value_barrier(std * detail::ziggurat_normal(bits, which)); });
}

/// integers(low, high, dtype=that of the buffer): in [low, high). Throws std::invalid_argument unless low < high, both within the
/// type.
template <class Bits, class Buffer>
inline void integers(basic_generator<Bits>& g, Buffer&& out, std::int64_t low, std::int64_t high) {
    const std::uint64_t most = detail::checked_span<element_of<Buffer>>(low, high);
    detail::fill_integers<detail::rejection::lemire>(g.bits(), output_of(out), low, most);
}

/// integers(low, high, endpoint=True): in [low, high], bounds of the element type.
template <class Bits, class Buffer, class T = element_of<Buffer>>
inline void integers_inclusive(basic_generator<Bits>& g, Buffer&& out, T low, T high) {
    const std::uint64_t most = detail::checked_inclusive_span(low, high);
    detail::fill_integers<detail::rejection::lemire>(g.bits(), output_of(out), static_cast<std::int64_t>(low), most);
}

/// shuffle(x) of anything with data() and size(): reorders it in place.
template <class Bits, class Buffer>
inline void shuffle(basic_generator<Bits>& g, Buffer&& values) {
    detail::require_dense(values);
    auto* const data = values.data();
    detail::shuffle_masked(g.bits(), static_cast<std::size_t>(values.size()),
                           [=](std::size_t i, std::size_t j) { std::swap(data[i], data[j]); });
}

/// permutation(n) with n the size of the buffer.
template <class Bits, class Buffer>
inline void permutation(basic_generator<Bits>& g, Buffer&& out) {
    const auto order = output_of(out);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<element_of<Buffer>>(i);
    shuffle(g, order);
}

/// choice(n, k, replace, shuffle) with k the size of the buffer. Without replacement it needs scratch memory, of n or about k
/// elements. Throws std::invalid_argument if n is 0 and k is not, or n below k without replacement.
template <class Bits, class Buffer>
inline void choice(basic_generator<Bits>& g, Buffer&& out, std::int64_t n, bool replace = true, bool shuffled = true) {
    using detail::rejection;
    const output<std::int64_t> chosen = output_of(out);
    const std::size_t k = chosen.size();
    if (k == 0) return;
    if (replace) return integers(g, chosen, 0, n);
    if (n < 0 || k > static_cast<std::uint64_t>(n))
        throw std::invalid_argument("plumb: choice without replacement cannot take more than there are");

    const auto size = static_cast<std::size_t>(n);
    const auto swap_in = [](std::int64_t* data) { return [=](std::size_t i, std::size_t j) { std::swap(data[i], data[j]); }; };
    if (size > 10000 && k > size / (shuffled ? 50 : 20)) {
        // Shuffles the last k of all indices.
        std::vector<std::int64_t> all(size);
        for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<std::int64_t>(i);
        detail::shuffle_lemire(g.bits(), size, std::max<std::size_t>(size - k, 1), swap_in(all.data()));
        std::copy(all.end() - static_cast<std::ptrdiff_t>(k), all.end(), chosen.begin());
        return;
    }
    // Floyd's method (Bentley and Floyd, 1987).
    std::unordered_set<std::int64_t> taken(2 * k);
    for (std::size_t i = 0; i < k; ++i) {
        const auto last = static_cast<std::int64_t>(size - k + i);
        const auto drawn =
            static_cast<std::int64_t>(detail::below<rejection::lemire>(g.bits(), static_cast<std::uint64_t>(last)));
        chosen[i] = taken.insert(drawn).second ? drawn : last;
        if (chosen[i] == last) taken.insert(last);
    }
    if (shuffled) detail::shuffle_lemire(g.bits(), k, 1, swap_in(chosen.data()));
}

} // namespace PLUMB_TARGET
} // namespace plumb::rng::numpy
