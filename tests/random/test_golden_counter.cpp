#include "golden.hpp"

#include <plumb/random/counter_stream.hpp>
#include <plumb/random/jax_random.hpp>
#include <plumb/random/torch_cuda.hpp>

using golden::record;
using plumb::rng::words2;
using plumb::rng::words4;
namespace jax = plumb::rng::jax;

namespace {

std::vector<std::uint32_t> flat(const std::vector<words2>& keys) {
    std::vector<std::uint32_t> words;
    for (const words2& key : keys) words.insert(words.end(), key.begin(), key.end());
    return words;
}

bool check_philox(const record& r) {
    // Subsequence and offset exceed what a double holds, so they are read from the text.
    char* rest;
    const std::uint64_t subsequence = std::strtoull(r.args_text.c_str() + 1, &rest, 10);
    const std::uint64_t offset = std::strtoull(rest + 1, nullptr, 10);
    const plumb::rng::counter_stream stream(r.seed, subsequence);
    std::vector<std::uint32_t> words(r.n);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = stream[4 * offset + i];
    if (r.is("words of subsequence, from 128-bit block offset (cuRAND/PyTorch counter layout)")) {
        golden::check(r, words);
    } else if (r.is("cuRAND uniform f32 in (0,1] of those words (derived from source, not run on a GPU)")) {
        std::vector<float> uniforms;
        for (const std::uint32_t word : words) uniforms.push_back(plumb::rng::torch_cuda::curand_uniform(word));
        golden::check(r, uniforms);
    } else
        return false;
    return true;
}

bool check_threefry(const record& r) {
    const words2 key = jax::key(r.seed);
    std::vector<words2> keys(4);
    std::vector<std::uint32_t> bits(5);
    if (r.is("JAX key(seed) split(4), threefry_partitionable=True (derived)")) {
        jax::split(key, keys);
        golden::check(r, flat(keys));
    } else if (r.is("JAX key(seed) split(4), threefry_partitionable=False (derived)")) {
        jax::split(key, keys, jax::threefry::original);
        golden::check(r, flat(keys));
    } else if (r.is("JAX random.bits(key(seed),(5,),uint32), threefry_partitionable=True (derived)")) {
        jax::bits(key, bits);
        golden::check(r, bits);
    } else
        return false;
    return true;
}

} // namespace

TEST_CASE("counter functions: every recorded word comes out") {
    for (const record& r : golden::of("philox4x32-10"))
        if (!check_philox(r)) FAIL("no such function: " << r.fn);
    for (const record& r : golden::of("threefry2x32-20"))
        if (!check_threefry(r)) FAIL("no such function: " << r.fn);
}

TEST_CASE("philox4x32: gives the known answers of Random123") {
    const std::uint32_t f = 0xffffffffu;
    CHECK(plumb::rng::philox4x32({0, 0, 0, 0}, {0, 0}) == words4{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
    CHECK(plumb::rng::philox4x32({f, f, f, f}, {f, f}) == words4{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu});
    CHECK(plumb::rng::philox4x32({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}) ==
          words4{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u});
}

TEST_CASE("threefry2x32: gives the known answers of Random123") {
    const std::uint32_t f = 0xffffffffu;
    CHECK(plumb::rng::threefry2x32({0, 0}, {0, 0}) == words2{0x6b200159u, 0x99ba4efeu});
    CHECK(plumb::rng::threefry2x32({f, f}, {f, f}) == words2{0x1cb996fcu, 0xbb002be7u});
    CHECK(plumb::rng::threefry2x32({0x243f6a88u, 0x85a308d3u}, {0x13198a2eu, 0x03707344u}) == words2{0xc4923a9cu, 0x483df7a0u});
}

TEST_CASE("jax: splits keys into the published ones") {
    std::vector<words2> keys(8);
    jax::split(jax::key(0), keys);
    CHECK(flat(keys) == std::vector<std::uint32_t>{1797259609u, 2579123966u, 928981903u, 3453687069u, 4146024105u, 2718843009u,
                                                   2467461003u, 3840466878u, 2285895361u, 433833334u, 1524306142u, 1887795613u,
                                                   3792494674u, 2909014575u, 2716826189u, 292468403u});
    keys.resize(2);
    jax::split(jax::key(0), keys, jax::threefry::original);
    CHECK(flat(keys) == std::vector<std::uint32_t>{4146024105u, 967050713u, 2718843009u, 1272950319u});
}

TEST_CASE("jax: an odd number of bits in the original mode is padded by a count of 0") {
    std::vector<std::uint32_t> bits(3);
    jax::bits(jax::key(0), bits, jax::threefry::original);
    CHECK(bits == std::vector<std::uint32_t>{4146024105u, 1351547692u, 2718843009u});
}
