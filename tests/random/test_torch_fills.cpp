#include "golden.hpp"

#include <plumb/random/box_muller.hpp>
#include <plumb/random/torch_bernoulli.hpp>
#include <plumb/random/torch_exponential.hpp>
#include <plumb/random/torch_layers.hpp>
#include <plumb/random/torch_samplers.hpp>
#include <plumb/random/torch_trunc_normal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

/// Types of somebody else's, without arithmetic.
struct foreign_half {
    std::uint16_t bits;
};
struct foreign_float {
    std::uint32_t bits;
};
struct foreign_double {
    std::uint64_t bits;
};
template <>
struct plumb::element_traits<foreign_half> : plumb::stored_as<plumb::dtype::f16> {};
template <>
struct plumb::element_traits<foreign_float> : plumb::stored_as<plumb::dtype::f32> {};
template <>
struct plumb::element_traits<foreign_double> : plumb::stored_as<plumb::dtype::f64> {};

namespace torch = plumb::rng::torch;
using longs = std::vector<std::int64_t>;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

/// The patterns that `fill` writes into n elements of type T.
template <class T, class Fill>
std::vector<std::uint64_t> patterns(std::size_t n, Fill fill, const torch::profile& reference = torch::linux_x86) {
    torch::generator g(11, reference);
    std::vector<T> values(n);
    fill(g, values);
    std::vector<std::uint64_t> bits;
    for (const T& value : values) bits.push_back(golden::pattern(value));
    bits.push_back(g()); // and as many words are used up
    return bits;
}

/// Checks that the fills of a type of somebody else's are those of the type that plumb knows it to be.
template <class Foreign, class Known>
void check_foreign() {
    const auto same = [](std::size_t n, auto fill) { CHECK(patterns<Foreign>(n, fill) == patterns<Known>(n, fill)); };
    same(40, [](auto& g, auto& x) { torch::rand(g, x); });
    same(40, [](auto& g, auto& x) { torch::uniform(g, x, -0.3, 0.8); });
    for (const std::size_t n : {5u, 16u, 33u, 5000u}) same(n, [](auto& g, auto& x) { torch::normal(g, x, 0.5, 0.2); });
    same(20, [](auto& g, auto& x) { torch::randn(g, x, torch::layout::strided); });
    same(20, [](auto& g, auto& x) { torch::exponential(g, x, 1.5); });
    same(20, [](auto& g, auto& x) { torch::randint(g, x, -5, 100); });
    same(20, [](auto& g, auto& x) { torch::bernoulli(g, x, 0.5); });
    same(20, [](auto& g, auto& x) { torch::randn(g, x), torch::dropout(g, x, x, 0.3); });
    same(24, [](auto& g, auto& x) { torch::xavier_normal(g, x, {4, 6}); });
}

std::string drawn(torch::generator& g, std::size_t n, double p) {
    std::vector<std::uint8_t> ones(n);
    torch::bernoulli(g, ones, p);
    std::string text;
    for (const auto one : ones) text += static_cast<char>('0' + one);
    return text;
}

} // namespace

TEST_CASE("torch fills: an empty buffer draws nothing") {
    torch::generator g(1);
    std::vector<float> none;
    torch::rand(g, none);
    torch::randn(g, none);
    torch::randint(g, none, 0, 5);
    torch::randperm(g, none);
    torch::bernoulli(g, none, 0.5);
    torch::exponential(g, none);
    CHECK(g() == torch::generator(1)());
}

TEST_CASE("torch fills: refuse parameters that have no meaning") {
    torch::generator g(1);
    float x[2];
    CHECK_THROWS_AS(torch::uniform(g, x, 1.0, 0.0), std::invalid_argument);
    CHECK_THROWS_AS(torch::uniform(g, x, 0.0, infinity), std::invalid_argument);
    CHECK_THROWS_AS(torch::uniform(g, x, quiet_nan, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(torch::normal(g, x, 0.0, -1.0), std::invalid_argument);
    CHECK_THROWS_AS(torch::normal(g, x, quiet_nan, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(torch::randint(g, x, 5, 5), std::invalid_argument);
    CHECK_THROWS_AS(torch::bernoulli(g, x, 1.5), std::invalid_argument);
    CHECK_THROWS_AS(torch::bernoulli(g, std::vector<float>(3), x), std::invalid_argument);
    CHECK_THROWS_AS(torch::dropout(g, x, x, quiet_nan), std::invalid_argument);
    CHECK_THROWS_AS(torch::dropout(g, std::vector<float>(3), x, 0.5), std::invalid_argument);
    CHECK_THROWS_AS(torch::exponential(g, x, 0.0), std::invalid_argument);
    CHECK_THROWS_AS(torch::trunc_normal(g, x, 0.0, 0.0), std::invalid_argument);
    CHECK(g() == torch::generator(1)()); // and draw nothing
}

TEST_CASE("torch fills: write their part of a buffer and nothing else, of any element type that plumb knows") {
    std::vector<foreign_half> values(24, foreign_half{0xffff});
    torch::generator g(1), h(1);
    torch::rand(g, plumb::rng::output<foreign_half>(values.data() + 2, 20));
    std::vector<plumb::float16> own(20);
    torch::rand(h, own);
    std::size_t different = 0;
    for (std::size_t i = 0; i < own.size(); ++i) different += values[i + 2].bits != own[i].bits();
    CHECK(different == 0);
    for (const std::size_t outside : {0u, 1u, 22u, 23u}) CHECK(values[outside].bits == 0xffff);
}

TEST_CASE("torch fills: any floating-point type of somebody else's gets the numbers of the type that its traits name") {
    check_foreign<foreign_half, plumb::float16>();
    check_foreign<foreign_float, float>();
    check_foreign<foreign_double, double>();
    const auto trunc_normal = [](auto& g, auto& x) { torch::trunc_normal(g, x); };
    CHECK(patterns<foreign_float>(50, trunc_normal) == patterns<float>(50, trunc_normal));
}

// From 2.13 on a 16-bit tensor gets float32's numbers, rounded; only the incomplete block at the end has other draws.
TEST_CASE("torch 2.13: uniforms and normals of 16-bit types are float32's, rounded once") {
    const auto reference = torch::linux_x86.with(torch::version::v2_13);
    const auto check = [&](auto t, std::size_t n, auto fill) {
        using half = decltype(t);
        torch::generator g(3, reference), h(3, reference);
        std::vector<half> values(n);
        std::vector<float> floats(n);
        fill(g, values), fill(h, floats);
        std::size_t different = 0;
        for (std::size_t i = 0; i < n; ++i) different += values[i].bits() != half(floats[i]).bits();
        CHECK(different == 0);
        CHECK(g() == h());
    };
    for (const std::size_t n : {3u, 16u, 4800u}) {
        const auto normal = [](auto& g, auto& x) { torch::normal(g, x, 0.1, 0.7); };
        check(plumb::float16(), n, normal);
        check(plumb::bfloat16(), n, normal);
    }
    const auto uniform = [](auto& g, auto& x) { torch::uniform(g, x, 0.1, 1000.0); }; // few of these round up to 1000 in 20
    check(plumb::float16(), 20, uniform);
    check(plumb::bfloat16(), 20, uniform);

    torch::generator g(3, reference), h(3, reference);
    std::vector<plumb::bfloat16> values(21);
    std::vector<float> first(16), last(16);
    torch::randn(g, values), torch::randn(h, first), torch::randn(h, last);
    std::size_t different = 0;
    for (std::size_t i = 0; i < 5; ++i) different += values[i].bits() != plumb::bfloat16(first[i]).bits();
    for (std::size_t i = 0; i < 16; ++i) different += values[i + 5].bits() != plumb::bfloat16(last[i]).bits();
    CHECK(different == 0);
    CHECK(g() == h());
}

TEST_CASE("torch 2.13: a uniform that would round to the upper bound is the lower one") {
    const auto reference = torch::linux_x86.with(torch::version::v2_13);
    torch::generator g(1, reference), h(1, reference);
    std::vector<plumb::bfloat16> values(20000);
    std::vector<float> floats(values.size());
    torch::uniform(g, values, -1.0, 2.0);
    torch::uniform(h, floats, -1.0, 2.0);
    std::size_t at_top = 0, different = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const plumb::bfloat16 rounded(floats[i]);
        const bool top = static_cast<float>(rounded) == 2.0f;
        at_top += top;
        different += values[i].bits() != (top ? plumb::bfloat16(-1.0f) : rounded).bits();
    }
    CHECK(at_top > 0);
    CHECK(different == 0);
    // float32 between two neighbours: each value rounds to one of them.
    torch::generator old(1);
    const auto low = static_cast<double>(1.0f), high = static_cast<double>(1.0f + 0x1p-23f);
    std::vector<float> before(100), after(100);
    torch::uniform(old, before, low, high);
    torch::uniform(g, after, low, high);
    CHECK(std::count(before.begin(), before.end(), 1.0f) < 100);
    CHECK(std::count(after.begin(), after.end(), 1.0f) == 100);
}

TEST_CASE("torch 2.13: float32 normals without AVX2 round their last step once, too") {
    const auto old = torch::linux_x86_no_avx2, now = old.with(torch::version::v2_13);
    torch::profile fused = old;
    fused.fused = true;
    const auto normal = [](auto& g, auto& x) { torch::normal(g, x, 0.1, 0.7); };
    CHECK(patterns<float>(64, normal, now) == patterns<float>(64, normal, fused));
    CHECK(patterns<float>(64, normal, now) != patterns<float>(64, normal, old));
    CHECK(patterns<float>(5, normal, now) == patterns<float>(5, normal, old)); // fewer than 16 do not
}

TEST_CASE("torch exponential: from 2.0 on by log1p") {
    torch::generator g(3, torch::linux_x86.with(torch::version::v2_0)), words(3), old(3);
    std::vector<double> values(1000), before(1000);
    torch::exponential(g, values, 1.5);
    torch::exponential(old, before, 1.5);
    std::size_t different = 0;
    for (const double x : values) {
        const std::uint64_t high = words(), low = words();
        const double u = static_cast<double>((high << 32 | low) & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
        different += golden::pattern(x) != golden::pattern(-1.0 / 1.5 * std::log1p(-u));
    }
    CHECK(different == 0);
    CHECK(values != before);
}

// Outputs that users of the official x86 wheels published; the second of each pair is from a build or processor without MKL.
TEST_CASE("torch bernoulli: MKL's stream gives the published outputs") {
    const auto mkl = torch::linux_x86.with(torch::bernoulli_stream::mkl);
    torch::generator a(0, mkl), b(314159, mkl), c(123, mkl);
    CHECK(drawn(a, 5, 0.5) == "10011");                                 // pytorch issue 15714
    CHECK(drawn(b, 15, 0.75) == "100110111111111");                     // pytorch issue 94388
    CHECK(drawn(c, 36, 0.5) == "111111010000001010110001100001010000"); // LLMs-from-scratch issue 57
}

TEST_CASE("torch bernoulli: without MKL, the published outputs of such builds") {
    torch::generator a(0), c(123);
    CHECK(drawn(a, 5, 0.5) == "00100");
    CHECK(drawn(c, 36, 0.5) == "110110000101111101011001010101011110");
}

TEST_CASE("torch dropout: MKL's stream costs the generator one word, whatever the size") {
    torch::generator g(9, torch::linux_x86.with(torch::bernoulli_stream::mkl)), other(9);
    std::vector<float> x(1000, 1.0f);
    torch::dropout(g, x, x, 0.5);
    other();
    CHECK(g() == other());
}

TEST_CASE("torch dropout: p of 0 or 1 draws nothing; what is dropped is multiplied by 0") {
    torch::generator g(4);
    const std::vector<float> input{1.0f, -2.0f, 0.0f};
    std::vector<float> result(3, 9.0f);
    torch::dropout(g, input, result, 0.0);
    CHECK(result == input);
    torch::dropout(g, input, result, 1.0);
    CHECK(golden::pattern(result[0]) == 0);
    CHECK(golden::pattern(result[1]) == 0x80000000u); // -0, as in PyTorch
    CHECK(g() == torch::generator(4)());
    std::vector<float> nan{static_cast<float>(quiet_nan)};
    torch::dropout(g, nan, nan, 1.0);
    CHECK((golden::pattern(nan[0]) & 0x7fffffffu) > 0x7f800000u);
}

TEST_CASE("torch randint: from 2.7 on the range alone decides between 32 and 64 bits") {
    torch::generator g(3, torch::linux_x86.with(torch::version::v2_7)), words(3);
    std::int32_t narrow[1];
    torch::randint(g, narrow, 0, (1 << 28) - 1);
    CHECK(narrow[0] == static_cast<std::int32_t>(words() % ((1u << 28) - 1)));
    std::int32_t wide[1];
    torch::randint(g, wide, 0, 1 << 28);
    const std::uint64_t high = words();
    CHECK(wide[0] == static_cast<std::int32_t>((high << 32 | words()) % (1u << 28)));
}

TEST_CASE("torch samplers: orders that PyTorch gave") {
    longs four(4), two(2), one(1), twelve(12), five(5);
    torch::distributed_epoch({10, 3, 1, 7}, 2, four);
    CHECK(four == longs{5, 6, 1, 0});
    torch::distributed_epoch({10, 4, 3, 0, true, true}, 0, two);
    CHECK(two == longs{5, 8});
    torch::distributed_epoch({2, 5, 4, 1}, 0, one);
    CHECK(one == longs{1});
    torch::generator g(3), h(3);
    torch::random_sampler(g, twelve, 5);
    CHECK(twelve == longs{1, 0, 3, 4, 2, 0, 1, 2, 4, 3, 1, 4});
    torch::subset_random_sampler(h, longs{10, 20, 30, 40, 50}, five);
    CHECK(five == longs{20, 10, 40, 50, 30});
}

TEST_CASE("torch samplers: an epoch that was broken off does not draw the order that is thrown away") {
    longs order(20);
    torch::generator exhausted(1), broken(1);
    torch::shuffled_epoch_of(exhausted, order);
    torch::shuffled_epoch_of(broken, order, false);
    broken.engine().discard(19);
    CHECK(exhausted.state() == broken.state());
}

TEST_CASE("torch layers: check every size that they know") {
    torch::generator g(1);
    std::vector<float> w(6), b(3);
    CHECK_THROWS_AS(torch::linear(g, w, b, 3, 2), std::invalid_argument);
    CHECK_THROWS_AS(torch::kaiming_uniform(g, w, {6}), std::invalid_argument);
    CHECK_THROWS_AS(torch::xavier_normal(g, w, {2, 4}), std::invalid_argument);
    CHECK_THROWS_AS(torch::embedding(g, w, 3, 2, 3), std::invalid_argument);
    CHECK_THROWS_AS(torch::recurrent(g, 0, w), std::invalid_argument);
    CHECK(g() == torch::generator(1)());
}

TEST_CASE("torch layers: without a bias, the weight is the same and the bias is not drawn") {
    torch::generator with(1), without(1);
    std::vector<float> a(6), b(6), bias(2);
    torch::linear(with, a, bias, 3, 2);
    torch::linear(without, b, torch::no_bias{}, 3, 2);
    CHECK(a == b);
    without.engine().discard(2);
    CHECK(with() == without());
}

TEST_CASE("torch layers: an embedding's padding row is zero, counted from either end") {
    torch::generator g(3), h(3);
    std::vector<float> a(6), b(6);
    torch::embedding(g, a, 3, 2, 1);
    torch::embedding(h, b, 3, 2, -2);
    CHECK(a == b);
    CHECK(a[2] == 0.0f);
    CHECK(a[3] == 0.0f);
    CHECK(a[1] != 0.0f);
    CHECK(a[4] != 0.0f);
}

TEST_CASE("torch init: the gains are PyTorch's") {
    using torch::calculate_gain;
    using torch::nonlinearity;
    CHECK(calculate_gain(nonlinearity::linear) == 1.0);
    CHECK(calculate_gain(nonlinearity::sigmoid) == 1.0);
    CHECK(calculate_gain(nonlinearity::tanh) == 5.0 / 3);
    CHECK(calculate_gain(nonlinearity::relu) == 1.4142135623730951);
    CHECK(calculate_gain(nonlinearity::leaky_relu) == 1.4141428569978354);
    CHECK(calculate_gain(nonlinearity::leaky_relu, 0.2) == 1.3867504905630728);
    CHECK(calculate_gain(nonlinearity::selu) == 0.75);
}

TEST_CASE("box_muller: the vector code gives the scalar code's bits") {
    namespace detail = plumb::rng::detail;
    const bool fused = GENERATE(true, false);
    const auto vector = detail::best_box_muller(fused);
    const auto scalar = fused ? detail::box_muller<true> : detail::box_muller<false>;
    plumb::rng::mt19937 engine(1);
    std::size_t different = 0;
    for (int round = 0; round < 20000; ++round) {
        float a[16], b[16];
        for (float& u : a) u = static_cast<float>(engine() >> 8) * 0x1p-24f;
        if (round == 0) a[0] = 0.0f, a[8] = 0.0f, a[1] = 0x1.fffffep-1f, a[9] = 0x1.fffffep-1f, a[10] = 0.5f, a[11] = 0.25f;
        std::copy(a, a + 16, b);
        vector(a, 0.1f, 0.7f);
        scalar(b, 0.1f, 0.7f);
        for (int i = 0; i < 16; ++i) different += golden::pattern(a[i]) != golden::pattern(b[i]);
    }
    CHECK(different == 0);
}

TEST_CASE("conversions: the quick ones to and from the 16-bit types agree with those of types") {
    namespace detail = plumb::rng::detail;
    std::size_t different = 0;
    const auto narrow = [&](std::uint32_t bits) {
        if ((bits & 0x7f800000u) == 0x7f800000u) return;
        const auto x = plumb::detail::bit_cast<float>(bits);
        different += plumb::float16(x).bits() != detail::nearest_float16(x);
        different += plumb::bfloat16(x).bits() != detail::nearest_bfloat16(x);
    };
    for (std::uint32_t high = 0; high < 0x10000; ++high) // every bfloat16, the middle above it, and their neighbours
        for (const std::uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) narrow(high << 16 | low);
    for (std::uint32_t half = 0; half < 0x10000; ++half) { // every float16, the middle above it, and its neighbours
        if ((half & 0x7c00) == 0x7c00) continue;
        const auto number = plumb::float16::from_bits(static_cast<std::uint16_t>(half));
        const auto bits = plumb::detail::bit_cast<std::uint32_t>(static_cast<float>(number));
        different += bits != plumb::detail::bit_cast<std::uint32_t>(detail::widen_float16(static_cast<std::uint16_t>(half)));
        for (const std::uint32_t offset : {0u, 0xfffu, 0x1000u, 0x1001u}) narrow(bits + offset);
    }
    CHECK(different == 0);
}
