// What several threads may do at once with the random floor, for ThreadSanitizer to watch. Exits with 1 if a number is wrong.
#include <plumb/random.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int thread_count = 4;

bool require(bool holds, const char* what) {
    if (!holds) std::fprintf(stderr, "not so: %s\n", what);
    return holds;
}

template <class Work>
void in_threads(Work work) {
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t) threads.emplace_back(work, t);
    for (std::thread& thread : threads) thread.join();
}

/// seed_all, registering and forgetting seeders, the default generators, the switches: all in all threads.
bool shared_state() {
    std::vector<int> seeded(thread_count);
    in_threads([&](int t) {
        const std::string name = "engine " + std::to_string(t);
        int calls = 0; // of this thread's seeder, by any thread that seeds; seed_all lets one seed at a time
        for (int i = 0; i < 10; ++i) {
            plumb::on_seed(name, [&calls](const plumb::seed_request&, plumb::seed_receipt& receipt) {
                ++calls;
                receipt.settings.push_back({"calls", std::to_string(calls)});
            });
            const plumb::seed_receipt receipt = plumb::seed_all(t);
            seeded[static_cast<std::size_t>(t)] += receipt.request.seed == static_cast<std::uint32_t>(t) ? 1 : 0;
            const plumb::alignment_mode aligned(t % 2 == 0 ? plumb::data_order::fixed : plumb::data_order::sequential);
            float x[20];
            plumb::rng::torch::randn(*plumb::default_torch_generator(), x);
            plumb::rng::numpy::standard_normal(*plumb::default_numpy_state(), std::vector<double>(3));
            plumb::rng::python::gauss(*plumb::default_python_random());
            std::int64_t order[8];
            plumb::epoch_order(*plumb::default_torch_generator(), order);
            if (plumb::dropout_probability(0.5) != 0.0) seeded[static_cast<std::size_t>(t)] = -100;
            plumb::last_seeding();
        }
        // Another thread may be seeding with a copy of the seeder: it is gone for certain once a seed_all began after this.
        plumb::forget_seeder(name);
        plumb::seed_all(t);
    });
    bool holds = true;
    for (const int n : seeded) holds = holds && n == 10;
    return require(holds, "each thread's receipts tell of its own seed, and dropout is off while anybody asks for it") &&
           require(plumb::dropout_probability(0.5) == 0.5, "dropout is on again afterwards") &&
           require(plumb::current_data_order() == plumb::data_order::random, "the order is random again afterwards");
}

/// Parts of one buffer filled from one counter stream.
bool counter_streams() {
    namespace rng = plumb::rng;
    const rng::counter_stream stream(7, 3);
    std::vector<float> whole(4000), parts(whole.size()), dropped(whole.size()), dropped_parts(whole.size());
    rng::normal(stream, whole);
    rng::dropout(stream, whole, dropped, 0.3);
    const std::size_t each = whole.size() / thread_count;
    in_threads([&](int t) {
        const std::size_t first = static_cast<std::size_t>(t) * each;
        rng::normal(stream, rng::output<float>(parts.data() + first, each), 0.0f, 1.0f, first);
        rng::dropout(stream, rng::output<float>(parts.data() + first, each),
                     rng::output<float>(dropped_parts.data() + first, each), 0.3, first);
    });
    return require(parts == whole && dropped_parts == dropped, "the parts together are the whole");
}

/// A generator of one's own needs no lock.
bool own_generators() {
    std::vector<std::vector<float>> drawn(thread_count, std::vector<float>(1000));
    in_threads([&](int t) {
        plumb::rng::torch::generator g(5);
        plumb::rng::torch::randn(g, drawn[static_cast<std::size_t>(t)]);
    });
    bool same = true;
    for (const auto& each : drawn) same = same && each == drawn[0];
    return require(same, "generators of the same seed give the same numbers in all threads");
}

} // namespace

int main() {
    const bool streams = counter_streams(), own = own_generators(), shared = shared_state();
    return streams && own && shared ? 0 : 1;
}
