/// \file
/// XXH64, a fast hash that other machines and tools compute, too.
#pragma once

#include <plumb/detail/bits.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plumb {
namespace detail {

struct xxh64_state {
    std::array<std::uint64_t, 4> lanes{0x60ea27eeadc0b5d6u, 0xc2b2ae3d27d4eb4fu, 0, 0x61c8864e7a143579u};
    std::array<unsigned char, 32> rest{}; // the size % 32 bytes that make no whole stripe yet
    std::uint64_t size = 0;
};

inline namespace PLUMB_TARGET {

inline constexpr std::uint64_t xxh_primes[] = {0x9e3779b185ebca87u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u, 0x85ebca77c2b2ae63u,
                                               0x27d4eb2f165667c5u};

PLUMB_ALWAYS_INLINE std::uint64_t xxh_rotate(std::uint64_t x, int n) noexcept { return x << n | x >> (64 - n); }

PLUMB_ALWAYS_INLINE std::uint64_t xxh_round(std::uint64_t lane, std::uint64_t word) noexcept {
    return xxh_rotate(lane + word * xxh_primes[1], 31) * xxh_primes[0];
}

/// Mixes whole stripes of 32 bytes into the lanes.
inline void xxh_stripes(std::array<std::uint64_t, 4>& lanes, const unsigned char* data, std::size_t count) noexcept {
    auto [a, b, c, d] = lanes;
    for (; count > 0; --count, data += 32) {
        a = xxh_round(a, load<std::uint64_t>(data));
        b = xxh_round(b, load<std::uint64_t>(data + 8));
        c = xxh_round(c, load<std::uint64_t>(data + 16));
        d = xxh_round(d, load<std::uint64_t>(data + 24));
    }
    lanes = {a, b, c, d};
}

inline void xxh_add(xxh64_state& state, const void* bytes, std::size_t n) noexcept {
    if (n == 0) return;
    const auto* data = static_cast<const unsigned char*>(bytes);
    const std::size_t held = state.size % 32;
    state.size += n;
    if (held != 0) {
        const std::size_t part = std::min(n, 32 - held);
        std::memcpy(state.rest.data() + held, data, part);
        if (held + part < 32) return;
        xxh_stripes(state.lanes, state.rest.data(), 1);
        data += part;
        n -= part;
    }
    xxh_stripes(state.lanes, data, n / 32);
    std::memcpy(state.rest.data(), data + n / 32 * 32, n % 32);
}

inline std::uint64_t xxh_value(const xxh64_state& state) noexcept {
    const auto& p = xxh_primes;
    std::uint64_t h = p[4];
    if (state.size >= 32) {
        const auto& lanes = state.lanes;
        h = xxh_rotate(lanes[0], 1) + xxh_rotate(lanes[1], 7) + xxh_rotate(lanes[2], 12) + xxh_rotate(lanes[3], 18);
        for (const std::uint64_t lane : lanes) h = (h ^ xxh_round(0, lane)) * p[0] + p[3];
    }
    h += state.size;
    const unsigned char* at = state.rest.data();
    const unsigned char* const end = at + state.size % 32;
    for (; end - at >= 8; at += 8) h = xxh_rotate(h ^ xxh_round(0, load<std::uint64_t>(at)), 27) * p[0] + p[3];
    if (end - at >= 4) {
        h = xxh_rotate(h ^ load<std::uint32_t>(at) * p[0], 23) * p[1] + p[2];
        at += 4;
    }
    for (; at != end; ++at) h = xxh_rotate(h ^ *at * p[4], 11) * p[0];
    h = (h ^ h >> 33) * p[1];
    h = (h ^ h >> 29) * p[2];
    return h ^ h >> 32;
}

} // namespace PLUMB_TARGET
} // namespace detail

/// Y. Collet's XXH64 with seed 0, fed piece by piece: what `xxhsum -H64` prints for a file of the same bytes. Not cryptographic.
class xxh64 {
public:
    /// Adds n bytes.
    PLUMB_ALWAYS_INLINE void add(const void* data, std::size_t n) noexcept { detail::xxh_add(state_, data, n); }
    /// The hash of all bytes so far.
    PLUMB_ALWAYS_INLINE std::uint64_t value() const noexcept { return detail::xxh_value(state_); }

private:
    detail::xxh64_state state_;
};

} // namespace plumb
