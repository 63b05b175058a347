// Prints a hash of what each function gives: random_digests <avx2|default> <seed> <n>. reference_digests.py prints the same lines
// from PyTorch, NumPy and Python. Names that end in "[libm]" depend on the C library's last bits.
#include <plumb/random.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace torch = plumb::rng::torch;
namespace numpy = plumb::rng::numpy;
namespace python = plumb::rng::python;

template <class T>
void print(const std::string& name, const std::vector<T>& values) {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    std::printf("%s %016llx\n", name.c_str(), static_cast<unsigned long long>(plumb::rng::detail::sha512(bytes)[0]));
}

struct options {
    torch::profile profile;
    std::uint64_t seed;
    std::size_t n;
};

/// Runs `fill(generator, buffer)` on n elements of type T.
template <class T, class Fill>
void torch_line(const options& o, const std::string& name, Fill fill) {
    torch::generator g(o.seed, o.profile);
    std::vector<T> values(o.n);
    fill(g, values);
    print("torch." + name, values);
}

template <class T>
void torch_floats(const options& o, const std::string& type) {
    const bool vector_normals = type == "f32" && o.profile.normals == torch::float_normals::cephes;
    const std::string libm = vector_normals ? "" : " [libm]";
    torch_line<T>(o, "rand " + type, [](auto& g, auto& x) { torch::rand(g, x); });
    torch_line<T>(o, "uniform_ " + type, [](auto& g, auto& x) { torch::uniform(g, x, -0.1, 0.7); });
    torch_line<T>(o, "randn " + type + libm, [](auto& g, auto& x) { torch::randn(g, x); });
    torch_line<T>(o, "normal_ " + type + libm, [](auto& g, auto& x) { torch::normal(g, x, 0.5, 0.02); });
    torch_line<T>(o, "normal_ strided " + type + " [libm]",
                  [](auto& g, auto& x) { torch::normal(g, x, 0.5, 0.02, torch::layout::strided); });
    torch_line<T>(o, "exponential_ " + type + " [libm]", [](auto& g, auto& x) { torch::exponential(g, x, 1.5); });
    torch_line<T>(o, "random_ " + type, [](auto& g, auto& x) { torch::random(g, x); });
    torch_line<T>(o, "randint " + type, [](auto& g, auto& x) { torch::randint(g, x, -5, 100); });
    torch_line<T>(o, "bernoulli_ " + type, [](auto& g, auto& x) { torch::bernoulli(g, x, 0.3); });
    torch_line<T>(o, "dropout " + type, [](auto& g, auto& x) {
        std::vector<T> input(x.size());
        for (std::size_t i = 0; i < input.size(); ++i)
            input[i] = plumb::rng::detail::to_element<T>(static_cast<float>(i % 7) - 3.0f);
        torch::dropout(g, input, x, 0.3);
    });
}

template <class T>
void torch_integers(const options& o, const std::string& type) {
    torch_line<T>(o, "random_ " + type, [](auto& g, auto& x) { torch::random(g, x); });
    torch_line<T>(o, "randint " + type, [](auto& g, auto& x) { torch::randint(g, x, 0, 100); });
    torch_line<T>(o, "bernoulli_ " + type, [](auto& g, auto& x) { torch::bernoulli(g, x, 0.3); });
}

/// A training start: two models, an epoch's order, ten dropout masks, all from one generator.
void training_start(const options& o) {
    torch::generator g(o.seed, o.profile);
    std::vector<float> all;
    const auto parameters = [&](std::int64_t weight, std::int64_t bias, auto init) {
        std::vector<float> w(static_cast<std::size_t>(weight)), b(static_cast<std::size_t>(bias));
        init(w, b);
        all.insert(all.end(), w.begin(), w.end());
        all.insert(all.end(), b.begin(), b.end());
    };
    const auto linear = [&](std::int64_t in, std::int64_t out) {
        parameters(in * out, out, [&](auto& w, auto& b) { torch::linear(g, w, b, in, out); });
    };
    const auto conv = [&](std::int64_t in, std::int64_t out) {
        parameters(in * out * 9, out, [&](auto& w, auto& b) { torch::conv(g, w, b, {out, in, 3, 3}); });
    };
    linear(64, 128), linear(128, 10);
    print("torch.mlp", all);
    all.clear();
    conv(3, 8), conv(8, 16), linear(16 * 64, 10);
    print("torch.cnn", all);

    std::vector<std::int64_t> order(1000);
    torch::shuffled_epoch(g, order);
    print("torch.epoch", order);
    all.clear();
    std::vector<float> hidden(32 * 128, 1.0f), dropped(hidden.size());
    for (int step = 0; step < 10; ++step) {
        torch::dropout(g, hidden, dropped, 0.5);
        all.insert(all.end(), dropped.begin(), dropped.end());
    }
    print("torch.dropout masks", all);
    print("torch.state", [&] {
        const auto state = g.state();
        return std::vector<std::uint8_t>(state.begin(), state.end());
    }());
}

/// Initialisers and layers of about n parameters.
void initialisers(const options& o) {
    const auto n = static_cast<std::int64_t>(o.n);
    const bool libm = o.profile.normals == torch::float_normals::libm;
    const std::string of_normals = libm ? " [libm]" : "";
    torch_line<float>(o, "kaiming_uniform_", [=](auto& g, auto& x) { torch::kaiming_uniform(g, x, {n, 1}); });
    torch_line<float>(o, "kaiming_normal_" + of_normals, [=](auto& g, auto& x) {
        torch::kaiming_normal(g, x, {1, n}, 0.0, torch::fan_mode::fan_out, torch::nonlinearity::relu);
    });
    torch_line<float>(o, "xavier_uniform_", [=](auto& g, auto& x) { torch::xavier_uniform(g, x, {1, n}, 2.0); });
    torch_line<float>(o, "Embedding" + of_normals, [=](auto& g, auto& x) { torch::embedding(g, x, n, 1, 1); });
    const auto layer = [&](const std::string& name, std::vector<std::int64_t> sizes, auto init) {
        torch::generator g(o.seed, o.profile);
        std::vector<std::vector<float>> parameters;
        for (const std::int64_t size : sizes) parameters.emplace_back(static_cast<std::size_t>(size));
        init(g, parameters);
        std::vector<float> all;
        for (const auto& each : parameters) all.insert(all.end(), each.begin(), each.end());
        print("torch." + name, all);
    };
    layer("Linear", {n, n}, [=](auto& g, auto& p) { torch::linear(g, p[0], p[1], 1, n); });
    layer("Conv2d", {n / 8 * 18, n / 8}, [=](auto& g, auto& p) { torch::conv(g, p[0], p[1], {n / 8, 2, 3, 3}); });
    layer("ConvTranspose2d", {n / 8 * 36, 4}, [=](auto& g, auto& p) { torch::conv(g, p[0], p[1], {n / 8, 4, 3, 3}); });
    const std::int64_t hidden = n / 1000 + 8;
    layer("LSTM", {8 * hidden, 4 * hidden * hidden, 4 * hidden, 4 * hidden},
          [=](auto& g, auto& p) { torch::recurrent(g, hidden, p[0], p[1], p[2], p[3]); });
    const std::int64_t width = n / 4000 * 2 + 16;
    layer("MultiheadAttention", {3 * width * width, 3 * width, width * width, width},
          [=](auto& g, auto& p) { torch::multihead_attention(g, p[0], p[1], p[2], p[3], width); });
}

void samplers(const options& o) {
    torch_line<std::int64_t>(o, "random_split", [](auto& g, auto& x) { torch::random_split(g, x); });
    torch_line<std::int64_t>(o, "RandomSampler replacement",
                             [](auto& g, auto& x) { torch::random_sampler_with_replacement(g, x, 1000); });
    torch_line<std::int64_t>(o, "RandomSampler more",
                             [](auto& g, auto& x) { torch::random_sampler(g, x, static_cast<std::int64_t>(x.size()) / 3); });
    torch_line<std::int64_t>(o, "DataLoader generator", [](auto& g, auto& x) {
        torch::shuffled_epoch_of(g, x); // the second epoch's
        torch::shuffled_epoch_of(g, x);
    });
    std::vector<std::uint32_t> words;
    for (std::uint32_t worker = 0; worker < 100; ++worker)
        for (const std::uint32_t word : torch::seeds_of_worker(static_cast<std::int64_t>(o.seed >> 1), worker).numpy)
            words.push_back(word);
    print("torch.worker seeds", words);
}

void torch_lines(const options& o) {
    torch_floats<float>(o, "f32");
    torch_floats<double>(o, "f64");
    torch_floats<plumb::float16>(o, "f16");
    torch_floats<plumb::bfloat16>(o, "bf16");
    torch_integers<std::int64_t>(o, "i64");
    torch_integers<std::int32_t>(o, "i32");
    torch_integers<std::int16_t>(o, "i16");
    torch_integers<std::int8_t>(o, "i8");
    torch_integers<std::uint8_t>(o, "u8");
    torch_line<std::int64_t>(o, "randint wide", [](auto& g, auto& x) { torch::randint(g, x, -5, std::int64_t{1} << 40); });
    torch_line<std::int64_t>(o, "randint narrow", [](auto& g, auto& x) { torch::randint(g, x, 0, 0xffffffff); });
    torch_line<std::int64_t>(o, "randperm", [](auto& g, auto& x) { torch::randperm(g, x); });
    torch_line<float>(o, "bernoulli tensor f32",
                      [](auto& g, auto& x) { torch::bernoulli(g, std::vector<float>(x.size(), 0.3f), x); });
    torch_line<double>(o, "bernoulli tensor f64",
                       [](auto& g, auto& x) { torch::bernoulli(g, std::vector<double>(x.size(), 0.3), x); });
    torch_line<float>(o, "trunc_normal_ [libm]", [](auto& g, auto& x) { torch::trunc_normal(g, x, 0.0, 0.02, -0.04, 0.03); });
    torch_line<std::uint8_t>(o, "random_ bool", [](auto& g, auto& x) {
        static_assert(sizeof(bool) == 1);
        torch::random(g, plumb::rng::output<bool>(reinterpret_cast<bool*>(x.data()), x.size()));
    });
    initialisers(o);
    samplers(o);
    torch_line<float>(o, "xavier_normal_" + std::string(o.profile.normals == torch::float_normals::cephes ? "" : " [libm]"),
                      [](auto& g, auto& x) {
                          torch::xavier_normal(g, x, {static_cast<std::int64_t>(x.size()), 1});
                      });
    training_start(o);
}

template <class Bits>
void numpy_generator(const options& o, const std::string& name) {
    const auto line = [&](auto t, const std::string& function, auto fill) {
        numpy::basic_generator<Bits> g(o.seed);
        std::vector<decltype(t)> values(o.n);
        fill(g, values);
        print(name + "." + function, values);
    };
    line(double{}, "random", [](auto& g, auto& x) { numpy::random(g, x); });
    line(float{}, "random f32", [](auto& g, auto& x) { numpy::random(g, x); });
    line(double{}, "uniform", [](auto& g, auto& x) { numpy::uniform(g, x, -0.1, 0.7); });
    line(double{}, "standard_normal [libm]", [](auto& g, auto& x) { numpy::standard_normal(g, x); });
    line(double{}, "normal [libm]", [](auto& g, auto& x) { numpy::normal(g, x, 0.5, 0.02); });
    line(std::int64_t{}, "integers i64", [](auto& g, auto& x) { numpy::integers(g, x, -5, 100); });
    line(std::int64_t{}, "integers wide", [](auto& g, auto& x) { numpy::integers(g, x, -5, std::int64_t{3} << 40); });
    line(std::int32_t{}, "integers i32", [](auto& g, auto& x) { numpy::integers(g, x, -5, 100); });
    line(std::uint16_t{}, "integers u16", [](auto& g, auto& x) { numpy::integers(g, x, 0, 1000); });
    line(std::uint8_t{}, "integers u8", [](auto& g, auto& x) { numpy::integers(g, x, 0, 100); });
    line(std::int64_t{}, "permutation", [](auto& g, auto& x) { numpy::permutation(g, x); });
    line(std::int64_t{}, "choice few",
         [&](auto& g, auto& x) { numpy::choice(g, x, static_cast<std::int64_t>(100 * x.size()), false); });
    line(std::int64_t{}, "choice many",
         [&](auto& g, auto& x) { numpy::choice(g, x, static_cast<std::int64_t>(4 * x.size()), false); });
}

void numpy_lines(const options& o) {
    const auto line = [&](auto t, const std::string& function, auto fill) {
        numpy::random_state state(o.seed & 0xffffffff);
        std::vector<decltype(t)> values(o.n);
        fill(state, values);
        print("RandomState." + function, values);
    };
    line(double{}, "random_sample", [](auto& s, auto& x) { numpy::random_sample(s, x); });
    line(double{}, "uniform", [](auto& s, auto& x) { numpy::uniform(s, x, -0.1, 0.7); });
    line(double{}, "standard_normal [libm]", [](auto& s, auto& x) { numpy::standard_normal(s, x); });
    line(double{}, "normal [libm]", [](auto& s, auto& x) { numpy::normal(s, x, 0.5, 0.02); });
    line(std::int64_t{}, "randint i64", [](auto& s, auto& x) { numpy::randint(s, x, -5, 100); });
    line(std::int64_t{}, "randint wide", [](auto& s, auto& x) { numpy::randint(s, x, -5, std::int64_t{3} << 40); });
    line(std::int32_t{}, "randint i32", [](auto& s, auto& x) { numpy::randint(s, x, -5, 100); });
    line(std::uint16_t{}, "randint u16", [](auto& s, auto& x) { numpy::randint(s, x, 0, 1000); });
    line(std::uint8_t{}, "randint u8", [](auto& s, auto& x) { numpy::randint(s, x, 0, 100); });
    line(std::int64_t{}, "permutation", [](auto& s, auto& x) { numpy::permutation(s, x); });
    line(std::int64_t{}, "choice p", [](auto& s, auto& x) {
        const double p[] = {0.1, 0.2, 0.3, 0.4};
        numpy::choice(s, x, plumb::view<double>(p));
    });
    line(std::int64_t{}, "choice few",
         [](auto& s, auto& x) { numpy::choice(s, x, static_cast<std::int64_t>(2 * x.size()), false); });
    line(std::int64_t{}, "choice replace", [](auto& s, auto& x) { numpy::choice(s, x, 1000); });
    line(std::int64_t{}, "shuffle", [](auto& s, auto& x) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i);
        numpy::shuffle(s, x);
    });
    line(std::uint8_t{}, "randint bool", [](auto& s, auto& x) {
        numpy::randint(s, plumb::rng::output<bool>(reinterpret_cast<bool*>(x.data()), x.size()), 0, 2);
    });
    {
        numpy::seed_sequence root(o.seed);
        std::vector<std::uint32_t> words(o.n);
        std::vector<std::uint64_t> children(o.n);
        root.generate(words);
        root.spawn();
        numpy::seed_sequence child = root.spawn();
        child.spawn().generate(children);
        print("SeedSequence.generate_state", words);
        print("SeedSequence.spawn", children);
    }
    numpy_generator<numpy::pcg64>(o, "PCG64");
    numpy_generator<numpy::philox>(o, "Philox");
    numpy_generator<numpy::mt19937_bits>(o, "MT19937");
}

void python_lines(const options& o) {
    const auto line = [&](auto t, const std::string& function, auto fill) {
        python::random r(o.seed);
        std::vector<decltype(t)> values(o.n);
        fill(r, values);
        print("random." + function, values);
    };
    const auto each = [](auto draw) {
        return [draw](auto& r, auto& x) {
            for (auto& value : x) value = draw(r);
        };
    };
    line(double{}, "random", [](auto& r, auto& x) { python::random_sample(r, x); });
    line(double{}, "uniform", each([](auto& r) { return python::uniform(r, -0.1, 0.7); }));
    line(double{}, "gauss [libm]", each([](auto& r) { return python::gauss(r, 0.5, 0.02); }));
    line(double{}, "normalvariate [libm]", each([](auto& r) { return python::normalvariate(r, 0.5, 0.02); }));
    line(std::int64_t{}, "randint", each([](auto& r) { return python::randint(r, -5, 100); }));
    line(std::uint64_t{}, "getrandbits", [](auto& r, auto& x) {
        int k = 0;
        for (auto& value : x) value = python::getrandbits(r, k++ % 64 + 1);
    });
    line(std::int64_t{}, "randrange", each([](auto& r) { return static_cast<std::int64_t>(python::randrange(r, 1000003)); }));
    {
        python::random r(std::string_view("plumb"));
        std::vector<double> values(o.n);
        python::random_sample(r, values);
        print("random.seed of a text", values);
    }
    line(std::int64_t{}, "shuffle", [](auto& r, auto& x) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i);
        python::shuffle(r, x);
    });
    line(std::int64_t{}, "sample", [](auto& r, auto& x) { python::sample(r, x, static_cast<std::int64_t>(20 * x.size())); });
    line(std::int64_t{}, "choices", [](auto& r, auto& x) { python::choices(r, x, 1000); });
}

} // namespace

int main(int count, char** arguments) {
    if (count != 4) return std::fputs("usage: random_digests <avx2|default> <seed> <n>\n", stderr), 2;
    const bool avx2 = std::string_view(arguments[1]) == "avx2";
    const options o{avx2 ? torch::linux_x86 : torch::linux_x86_no_avx2, std::strtoull(arguments[2], nullptr, 10),
                    std::strtoull(arguments[3], nullptr, 10)};
    torch_lines(o);
    if (!avx2) return 0; // the rest does not depend on it
    numpy_lines(o);
    python_lines(o);
}
