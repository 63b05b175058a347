#include "golden.hpp"

#include <plumb/random/torch_bernoulli.hpp>
#include <plumb/random/torch_exponential.hpp>
#include <plumb/random/torch_layers.hpp>
#include <plumb/random/torch_samplers.hpp>
#include <plumb/random/torch_trunc_normal.hpp>

using golden::filled;
using golden::record;
namespace torch = plumb::rng::torch;

namespace {

torch::generator seeded(const record& r) {
    return torch::generator(r.seed, r.cap == "default" ? torch::linux_x86_no_avx2 : torch::linux_x86);
}

/// Several buffers, one after the other.
template <class T>
std::vector<T> joined(std::initializer_list<std::vector<T>> parts) {
    std::vector<T> whole;
    for (const auto& part : parts) whole.insert(whole.end(), part.begin(), part.end());
    return whole;
}

using floats = std::vector<float>;
using longs = std::vector<std::int64_t>;

bool check_fill(const record& r) {
    auto g = seeded(r);
    if (r.is("rand"))
        golden::with_float_type(r,
                                [&](auto t) { golden::check(r, filled<decltype(t)>(r.n, [&](auto& x) { torch::rand(g, x); })); });
    else if (r.is("randn"))
        golden::with_float_type(
            r, [&](auto t) { golden::check(r, filled<decltype(t)>(r.n, [&](auto& x) { torch::randn(g, x); })); });
    else if (r.is("uniform_"))
        golden::with_float_type(r, [&](auto t) {
            golden::check(r, filled<decltype(t)>(r.n, [&](auto& x) { torch::uniform(g, x, r.args[0], r.args[1]); }));
        });
    else if (r.is("normal_"))
        golden::with_float_type(r, [&](auto t) {
            golden::check(r, filled<decltype(t)>(r.n, [&](auto& x) { torch::normal(g, x, r.args[0], r.args[1]); }));
        });
    else if (r.is("randint") && r.dtype == "i64")
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { torch::randint(g, x, r.arg(0), r.arg(1)); }));
    else if (r.is("randint") && r.dtype == "i32")
        golden::check(r, filled<std::int32_t>(r.n, [&](auto& x) { torch::randint(g, x, r.arg(0), r.arg(1)); }));
    else if (r.is("randint") && r.dtype == "u8")
        golden::check(r, filled<std::uint8_t>(r.n, [&](auto& x) { torch::randint(g, x, r.arg(0), r.arg(1)); }));
    else if (r.is("random_"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { torch::random(g, x); }));
    else if (r.is("randperm"))
        golden::check(r, filled<std::int64_t>(r.n, [&](auto& x) { torch::randperm(g, x); }));
    else if (r.is("exponential_"))
        golden::check(r, filled<float>(r.n, [&](auto& x) { torch::exponential(g, x, r.args[0]); }));
    else if (r.is("bernoulli_(p) [build without MKL]"))
        golden::check(r, filled<std::uint8_t>(r.n, [&](auto& x) { torch::bernoulli(g, x, r.args[0]); }));
    else if (r.is("bernoulli(tensor f32)"))
        golden::check(
            r, filled<std::uint8_t>(r.n, [&](auto& x) { torch::bernoulli(g, floats(r.n, static_cast<float>(r.args[0])), x); }));
    else if (r.is("dropout(ones f32) [build without MKL]"))
        golden::check(r, filled<float>(r.n, [&](auto& x) { torch::dropout(g, floats(r.n, 1.0f), x, r.args[0]); }));
    else if (r.is("sequence: randn(3), rand(2), randn(2), randn(17), randn(1)")) {
        const auto randn = [&](std::size_t n) { return filled<float>(n, [&](auto& x) { torch::randn(g, x); }); };
        const auto a = randn(3), b = filled<float>(2, [&](auto&x) { torch::rand(g, x); }), c = randn(2), d = randn(17),
                   e = randn(1);
        golden::check(r, joined({a, b, c, d, e}));
    } else if (r.is("uniform_(-1,1) on empty(4,5).t() (filled in memory order)")) {
        const auto memory = filled<float>(20, [&](auto& x) { torch::uniform(g, x, -1.0, 1.0); });
        floats logical;
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 4; ++j) logical.push_back(memory[j * 5 + i]);
        golden::check(r, logical);
    } else if (r.is("normal_() on empty(4,5).t() (20 values, scalar path)")) {
        const auto memory = filled<float>(20, [&](auto& x) { torch::randn(g, x, torch::layout::strided); });
        floats logical;
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 4; ++j) logical.push_back(memory[j * 5 + i]);
        golden::check(r, logical);
    } else if (r.is("uniform_(-1,1) on channels_last (1,2,2,3)")) {
        const auto memory = filled<float>(12, [&](auto& x) { torch::uniform(g, x, -1.0, 1.0); });
        floats logical;
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t pixel = 0; pixel < 6; ++pixel) logical.push_back(memory[pixel * 2 + c]);
        golden::check(r, logical);
    } else
        return false;
    return true;
}

bool check_layer(const record& r) {
    auto g = seeded(r);
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    if (r.is("nn.Linear: weight, bias")) {
        floats weight(size(r.arg(0) * r.arg(1))), bias(size(r.arg(1)));
        torch::linear(g, weight, bias, r.arg(0), r.arg(1));
        golden::check(r, joined({weight, bias}));
    } else if (r.is("nn.Conv2d(in,out,k,groups): weight, bias")) {
        const plumb::extents shape{r.arg(1), r.arg(0) / r.arg(3), r.arg(2), r.arg(2)};
        floats weight(plumb::element_count(shape)), bias(size(r.arg(1)));
        torch::conv(g, weight, bias, shape);
        golden::check(r, joined({weight, bias}));
    } else if (r.is("nn.Embedding")) {
        floats weight(size(r.arg(0) * r.arg(1)));
        torch::embedding(g, weight, r.arg(0), r.arg(1));
        golden::check(r, weight);
    } else if (r.is("nn.LSTM(in,hidden,layers): all parameters in order")) {
        const std::int64_t in = r.arg(0), hidden = r.arg(1);
        floats all;
        for (std::int64_t layer = 0; layer < r.arg(2); ++layer) {
            floats w_ih(size(4 * hidden * (layer == 0 ? in : hidden))), w_hh(size(4 * hidden * hidden)), b_ih(size(4 * hidden)),
                b_hh(size(4 * hidden));
            torch::recurrent(g, hidden, w_ih, w_hh, b_ih, b_hh);
            all = joined({all, w_ih, w_hh, b_ih, b_hh});
        }
        golden::check(r, all);
    } else if (r.is("nn.MultiheadAttention(dim,heads): in_proj_weight, out_proj.weight")) {
        const std::int64_t width = r.arg(0);
        floats in_weight(size(3 * width * width)), in_bias(size(3 * width), 7.0f), out_weight(size(width * width)),
            out_bias(size(width), 7.0f);
        torch::multihead_attention(g, in_weight, in_bias, out_weight, out_bias, width);
        golden::check(r, joined({in_weight, out_weight}));
        CHECK(in_bias == floats(in_bias.size()));
        CHECK(out_bias == floats(out_bias.size()));
    } else if (r.is("Sequential(Linear,ReLU,Linear)")) {
        floats w1(size(r.arg(0) * r.arg(1))), b1(size(r.arg(1))), w2(size(r.arg(1) * r.arg(2))), b2(size(r.arg(2)));
        torch::linear(g, w1, b1, r.arg(0), r.arg(1));
        torch::linear(g, w2, b2, r.arg(1), r.arg(2));
        golden::check(r, joined({w1, b1, w2, b2}));
    } else if (r.fn.rfind("init.", 0) == 0) {
        const plumb::extents shape{r.arg(0), r.arg(1)};
        floats weight(r.n);
        if (r.is("init.kaiming_uniform_(relu)"))
            torch::kaiming_uniform(g, weight, shape, 0.0, torch::fan_mode::fan_in, torch::nonlinearity::relu);
        else if (r.is("init.kaiming_uniform_(a=sqrt5)"))
            torch::kaiming_uniform(g, weight, shape, std::sqrt(5.0));
        else if (r.is("init.kaiming_normal_(fan_out,relu)"))
            torch::kaiming_normal(g, weight, shape, 0.0, torch::fan_mode::fan_out, torch::nonlinearity::relu);
        else if (r.is("init.xavier_uniform_"))
            torch::xavier_uniform(g, weight, shape);
        else if (r.is("init.xavier_normal_"))
            torch::xavier_normal(g, weight, shape);
        else if (r.is("init.trunc_normal_ [needs libm erff/expf/logf]"))
            torch::trunc_normal(g, weight, r.args[2], r.args[3], r.args[4], r.args[5]);
        else
            return false;
        golden::check(r, weight);
    } else
        return false;
    return true;
}

bool check_sampler(const record& r) {
    auto g = seeded(r);
    const auto order_of = [&](auto epoch) {
        longs order(static_cast<std::size_t>(r.arg(0)));
        epoch(order);
        return order;
    };
    if (r.is("DataLoader(shuffle=True): epoch 1, epoch 2, then rand f32 bits as i64 x2")) {
        const auto epoch = [&](auto& order) { torch::shuffled_epoch(g, order); };
        const longs first = order_of(epoch), second = order_of(epoch);
        const auto after = filled<float>(2, [&](auto& x) { torch::rand(g, x); });
        longs bits;
        for (const float x : after) bits.push_back(static_cast<std::int64_t>(golden::pattern(x)));
        golden::check(r, joined({first, second, bits}));
    } else if (r.is("DataLoader(shuffle=True, generator=g): epoch 1, epoch 2")) {
        const auto epoch = [&](auto& order) { torch::shuffled_epoch_of(g, order); };
        const longs first = order_of(epoch), second = order_of(epoch);
        golden::check(r, joined({first, second}));
    } else if (r.is("random_split(n,[n-n//2,n//2]): indices"))
        golden::check(r, order_of([&](auto& order) { torch::random_split(g, order); }));
    else if (r.is("RandomSampler(replacement, num_samples=70) over n=10")) {
        torch::generator own(static_cast<std::uint64_t>(torch::draw_seed(g)));
        golden::check(r, filled<std::int64_t>(70, [&](auto& x) { torch::random_sampler_with_replacement(own, x, 10); }));
    } else if (r.is("DataLoader worker numpy seed words (base_seed=seed & (2**63-1))")) {
        const auto base = static_cast<std::int64_t>(r.seed & 0x7fffffffffffffffu);
        golden::check(r, torch::seeds_of_worker(base, static_cast<std::uint32_t>(r.arg(0))).numpy);
    } else
        return false;
    return true;
}

} // namespace

TEST_CASE("torch: every recorded number of PyTorch comes out, bit for bit") {
    const auto records = golden::of("torch");
    REQUIRE(records.size() > 700);
    for (const record& r : records)
        if (!check_fill(r) && !check_layer(r) && !check_sampler(r)) FAIL("no such function: " << r.fn);
}
