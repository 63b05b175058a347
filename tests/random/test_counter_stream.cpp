#include "golden.hpp"

#include <plumb/random/counter_stream.hpp>
#include <plumb/random/torch_cuda.hpp>

#include <algorithm>
#include <cmath>
#include <thread>

using plumb::rng::counter_stream;

namespace {

constexpr std::size_t n = 1003;

template <class Fill>
void check_parts(Fill fill) {
    const auto whole = golden::filled<float>(n, [&](auto& x) { fill(plumb::rng::output_of(x), 0); });
    const auto cut = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{501});
    std::vector<float> parts(n);
    std::vector<std::thread> threads;
    for (std::size_t first = 0; first < n; first += 300 + cut)
        threads.emplace_back(
            [&, first] { fill(plumb::rng::output_of(parts).part(first, std::min(n - first, 300 + cut)), first); });
    for (std::thread& thread : threads) thread.join();
    CHECK(parts == whole);
}

} // namespace

TEST_CASE("counter_stream: uniforms filled by any threads in any parts are the same") {
    const counter_stream stream(1234, 5);
    check_parts([&](auto out, std::uint64_t first) { plumb::rng::uniform(stream, out, -1.0f, 2.0f, first); });
}

TEST_CASE("counter_stream: normals filled by any threads in any parts are the same") {
    const counter_stream stream(1234, 5);
    check_parts([&](auto out, std::uint64_t first) { plumb::rng::normal(stream, out, 0.5f, 2.0f, first); });
}

TEST_CASE("counter_stream: dropout by any threads in any parts is the same") {
    const counter_stream stream(1234, 5);
    const std::vector<float> ones(n, 1.0f);
    check_parts([&](auto out, std::uint64_t first) {
        plumb::rng::dropout(stream, plumb::view<float>(ones).subview(0, out.size()), out, 0.25, first);
    });
}

TEST_CASE("counter_stream: its words in turn are its words by index") {
    counter_stream stream(7, 9);
    for (std::uint64_t i = 0; i < 10; ++i) CHECK(stream[i] == stream());
}

TEST_CASE("counter_stream: other seeds and other streams give other numbers") {
    CHECK(counter_stream(1, 0)[0] != counter_stream(2, 0)[0]);
    CHECK(counter_stream(1, 0)[0] != counter_stream(1, 1)[0]);
    CHECK(counter_stream(1, 1)[0] != counter_stream(1, std::uint64_t{1} << 32)[0]);
}

TEST_CASE("counter_stream: normals have mean 0 and deviation 1") {
    const auto z = golden::filled<float>(100000, [](auto& x) { plumb::rng::normal(counter_stream(1), x); });
    double sum = 0, squares = 0;
    for (const float x : z) sum += static_cast<double>(x), squares += static_cast<double>(x) * static_cast<double>(x);
    CHECK(std::fabs(sum / 1e5) < 0.016);            // 5 standard errors
    CHECK(std::fabs(squares / 1e5 - 1.0) < 0.0224); // 5 standard errors
}

TEST_CASE("counter_stream: dropout keeps 1 - p of the elements, scaled") {
    const std::vector<float> ones(100000, 1.0f);
    const auto y = golden::filled<float>(ones.size(), [&](auto& x) { plumb::rng::dropout(counter_stream(1), ones, x, 0.25); });
    std::size_t kept = 0, other = 0;
    for (const float x : y) (x == 1.0f / 0.75f ? kept : other) += 1;
    CHECK(std::fabs(static_cast<double>(kept) - 75000.0) < 685.0); // 5 standard errors
    CHECK(other == ones.size() - kept);
    CHECK(std::count(y.begin(), y.end(), 0.0f) == static_cast<std::ptrdiff_t>(other));
    std::vector<float> short_one(3);
    CHECK_THROWS_AS(plumb::rng::dropout(counter_stream(1), ones, short_one, 0.5), std::invalid_argument);
    CHECK_THROWS_AS(plumb::rng::dropout(counter_stream(1), short_one, short_one, 2.0), std::invalid_argument);
}

TEST_CASE("torch_cuda: element e of a small call is word 0 of thread e; the offset moves by 4") {
    namespace cuda = plumb::rng::torch_cuda;
    cuda::generator g(42);
    std::vector<float> x(300);
    cuda::uniform(g, x);
    CHECK(g.offset() == 4);
    CHECK(x[0] == cuda::curand_uniform(counter_stream(42, 0)[0]));
    CHECK(x[299] == cuda::curand_uniform(counter_stream(42, 299)[0]));
    cuda::uniform(g, x);
    CHECK(x[7] == cuda::curand_uniform(counter_stream(42, 7)[4]));
}

TEST_CASE("torch_cuda: beyond the device's threads, a thread makes four elements of a block, and then the next block's") {
    namespace cuda = plumb::rng::torch_cuda;
    cuda::generator g(42, 1); // 256 threads
    std::vector<float> x(256 * 5 + 3);
    cuda::uniform(g, x);
    CHECK(g.offset() == 8);
    CHECK(x[256 + 9] == cuda::curand_uniform(counter_stream(42, 9)[1]));
    CHECK(x[4 * 256 + 2] == cuda::curand_uniform(counter_stream(42, 2)[4]));
}

TEST_CASE("torch_cuda: dropout of a multiple of four elements gives each thread four neighbours") {
    namespace cuda = plumb::rng::torch_cuda;
    cuda::generator g(42);
    const std::vector<float> ones(400, 1.0f);
    std::vector<float> y(400);
    cuda::dropout(g, ones, y, 0.5);
    for (const std::size_t e : {0u, 1u, 2u, 3u, 4u, 399u})
        CHECK((y[e] != 0.0f) == (cuda::curand_uniform(counter_stream(42, e / 4)[e % 4]) < 0.5f));
}
