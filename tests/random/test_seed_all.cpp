#include "catch.hpp"

#include <plumb/random/seed_all.hpp>
#include <plumb/random/torch_normal.hpp>

#include <cstdlib>
#include <memory>
#include <thread>

namespace {

/// A seeder that is registered while it lives.
class registered {
public:
    registered(std::string name, plumb::seeder seed) : name_(name) { plumb::on_seed(name, std::move(seed)); }
    ~registered() { plumb::forget_seeder(name_); }

private:
    std::string name_;
};

bool contains(const std::vector<std::string>& list, const std::string& text) {
    for (const std::string& each : list)
        if (each.find(text) != std::string::npos) return true;
    return false;
}

} // namespace

TEST_CASE("seed_all: the receipt's text") {
    for (const char* name : {"OMP_DYNAMIC", "MKL_DYNAMIC", "MKL_CBWR", "ONEDNN_DEFAULT_FPMATH_MODE"}) unsetenv(name);
    const registered engine("engine", [](const plumb::seed_request& request, plumb::seed_receipt& receipt) {
        receipt.settings.push_back({"engine.exact", request.deterministic ? "true" : "false"});
    });
    const registered broken("broken", [](auto&, auto&) { throw std::runtime_error("no device"); });
    plumb::seed_receipt receipt = plumb::seed_all(7, true, true);
    // Which libraries and floating-point modes the test program has is not this test's matter.
    receipt.not_reached.resize(1);
    CHECK(to_string(receipt) == "seed 7, deterministic on, dropout off\n"
                                "seeded: plumb's torch generator, plumb's NumPy state, plumb's Python random, std::rand, engine\n"
                                "set: PYTHONHASHSEED=7 CUBLAS_WORKSPACE_CONFIG=:4096:8 HCCL_DETERMINISTIC=True OMP_DYNAMIC=FALSE "
                                "MKL_DYNAMIC=FALSE MKL_CBWR=AUTO,STRICT ONEDNN_DEFAULT_FPMATH_MODE=STRICT engine.exact=true\n"
                                "not reached:\n"
                                "  broken: its seeder failed: no device\n");
    receipt.not_reached.clear();
    receipt.rank = 3;
    CHECK(to_string(receipt).find("seed 7 of rank 3, deterministic") == 0);
    CHECK(to_string(receipt).find("not reached: nothing\n") != std::string::npos);
    plumb::seed_all();
}

TEST_CASE("seed_all: sets the environment, keeping what the user chose for CPU libraries") {
    setenv("MKL_CBWR", "COMPATIBLE", 1);
    plumb::seed_all(11, true);
    CHECK(std::string(std::getenv("PYTHONHASHSEED")) == "11");
    CHECK(std::string(std::getenv("CUBLAS_WORKSPACE_CONFIG")) == ":4096:8");
    CHECK(std::string(std::getenv("HCCL_DETERMINISTIC")) == "True");
    CHECK(std::string(std::getenv("OMP_DYNAMIC")) == "FALSE");
    CHECK(std::string(std::getenv("MKL_CBWR")) == "COMPATIBLE");
    plumb::seed_all(11, false);
    CHECK(std::string(std::getenv("HCCL_DETERMINISTIC")) == "False");
    unsetenv("MKL_CBWR");
}

TEST_CASE("seed_all: seeds the default generators and std::rand") {
    plumb::seed_all(5);
    const auto torch = (*plumb::default_torch_generator())();
    const auto numpy = (*plumb::default_numpy_state())();
    const auto python = (*plumb::default_python_random())();
    const int c = std::rand();
    plumb::seed_all(5);
    CHECK(torch == (*plumb::default_torch_generator())());
    CHECK(numpy == (*plumb::default_numpy_state())());
    CHECK(python == (*plumb::default_python_random())());
    CHECK(c == std::rand());
    CHECK(torch == plumb::rng::torch::generator(5)());
    CHECK(numpy == plumb::rng::numpy::random_state(5)());
    CHECK(python == plumb::rng::python::random(5)());
}

TEST_CASE("seed_all: takes 0 to 2^32 - 1 and changes nothing otherwise") {
    plumb::seed_all(3);
    CHECK_THROWS_AS(plumb::seed_all(-1), std::invalid_argument);
    CHECK_THROWS_AS(plumb::seed_all(std::int64_t{1} << 32), std::invalid_argument);
    CHECK((*plumb::default_torch_generator())() == plumb::rng::torch::generator(3)());
    CHECK(plumb::seed_all(0).request.seed == 0);
    CHECK(plumb::seed_all(0xffffffff).request.seed == 0xffffffffu);
    CHECK(plumb::seed_all().request.seed == 1234);
}

TEST_CASE("seed_rank: gives each rank its own seed") {
    const plumb::seed_receipt receipt = plumb::seed_rank(3, 100);
    CHECK(receipt.request.seed == 103);
    CHECK(receipt.rank == 3);
    CHECK_THROWS_AS(plumb::seed_rank(-1), std::invalid_argument);
    CHECK_THROWS_AS(plumb::seed_rank(1, 0xffffffff), std::invalid_argument);
}

TEST_CASE("seed_all: calls seeders in the order of their registration; a second one of a name takes the first one's place") {
    std::string calls;
    const registered a("a", [&](auto&, auto&) { calls += "a"; });
    const registered b("b", [&](auto&, auto&) { calls += "b"; });
    plumb::on_seed("a", [&](auto&, auto&) { calls += "A"; });
    plumb::seed_all();
    CHECK(calls == "Ab");
    CHECK(plumb::forget_seeder("b"));
    CHECK(!plumb::forget_seeder("b"));
    plumb::seed_all();
    CHECK(calls == "AbA");
    CHECK_THROWS_AS(plumb::on_seed("", [](auto&, auto&) {}), std::invalid_argument);
    CHECK_THROWS_AS(plumb::on_seed("c", nullptr), std::invalid_argument);
}

TEST_CASE("seed_all: names a loaded framework that has no seeder, and a variable that may have been read") {
    plumb::seed_receipt receipt;
    receipt.request = {9, true, false};
    const std::vector<std::string> objects{"program", "libtorch_cpu.so.1.13", "libgomp.so.1"};
    unsetenv("OMP_DYNAMIC");
    plumb::detail::set_environment(objects, receipt);
    plumb::detail::report_unseeded(objects, receipt);
    CHECK(contains(receipt.not_reached, "OMP_DYNAMIC: libgomp.so.1 is loaded"));
    CHECK(contains(receipt.not_reached, "torch: libtorch_cpu.so.1.13 is loaded but has no seeder"));
    CHECK(!contains(receipt.not_reached, "MKL"));
    receipt.not_reached.clear();
    receipt.seeded = {"torch"};
    plumb::detail::set_environment(objects, receipt); // now it has the value
    plumb::detail::report_unseeded(objects, receipt);
    CHECK(receipt.complete());
}

#ifdef __SSE2__
TEST_CASE("seed_all: says if subnormal numbers are flushed, or rounding is not to nearest") {
    const auto before = plumb::detail::read_fp_control();
    plumb::detail::write_fp_control(plumb::detail::default_fp_control | 0x8040 | 0x6000); // FTZ, DAZ, toward zero
    const plumb::seed_receipt changed = plumb::seed_all();
    plumb::detail::write_fp_control(plumb::detail::default_fp_control);
    const plumb::seed_receipt normal = plumb::seed_all();
    plumb::detail::write_fp_control(before);
    for (const char* what : {"FTZ: ", "DAZ: ", "rounding mode: "}) {
        CHECK(contains(changed.not_reached, what));
        CHECK(!contains(normal.not_reached, what));
    }
}
#endif

TEST_CASE("randomness: dropout is off while anything asks for it") {
    CHECK(plumb::dropout_probability(0.3) == 0.3);
    {
        const plumb::dropout_off outer;
        const plumb::alignment_mode inner;
        CHECK(plumb::dropout_probability(0.3) == 0.0);
        CHECK_THROWS_AS(plumb::dropout_probability(1.5), std::invalid_argument);
    }
    CHECK(plumb::dropout_probability(0.3) == 0.3);
    plumb::seed_all(1, false, true);
    CHECK(plumb::dropout_probability(0.3) == 0.0);
    plumb::seed_all(1);
    CHECK(plumb::dropout_probability(0.3) == 0.3);
}

TEST_CASE("randomness: the strictest order that is asked for holds") {
    using plumb::data_order;
    auto outer = std::make_unique<plumb::order_scope>(data_order::sequential);
    auto inner = std::make_unique<plumb::alignment_mode>();
    CHECK(plumb::current_data_order() == data_order::sequential);
    outer.reset(); // scopes may end in any order
    CHECK(plumb::current_data_order() == data_order::fixed);
    inner.reset();
    CHECK(plumb::current_data_order() == data_order::random);
}

TEST_CASE("randomness: epoch_order gives a random, a fixed or the natural order") {
    plumb::seed_all(21);
    plumb::rng::torch::generator g(1), same(1);
    std::vector<std::int64_t> a(50), b(50), natural(50);
    for (std::size_t i = 0; i < natural.size(); ++i) natural[i] = static_cast<std::int64_t>(i);
    plumb::epoch_order(g, a);
    plumb::rng::torch::randperm(same, b);
    CHECK(a == b);
    {
        const plumb::order_scope fixed(plumb::data_order::fixed);
        plumb::epoch_order(g, a);
        plumb::epoch_order(g, b);
        CHECK(a == b);
        CHECK(a != natural);
        const plumb::order_scope sequential(plumb::data_order::sequential);
        plumb::epoch_order(g, b);
        CHECK(b == natural);
    }
    CHECK(g() == same()); // neither drew from the generator
}

TEST_CASE("seeding: seed_all, registering, generators and switches may be used from many threads") {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            const std::string name = "engine " + std::to_string(t);
            for (int i = 0; i < 20; ++i) {
                const registered engine(name, [](auto&, auto&) {});
                const plumb::alignment_mode off;
                if (t == 0) plumb::seed_all(i);
                float x[20];
                plumb::rng::torch::randn(*plumb::default_torch_generator(), x);
                plumb::dropout_probability(0.5);
                plumb::current_data_order();
                plumb::last_seeding();
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(plumb::dropout_probability(0.5) == 0.5);
    CHECK(plumb::current_data_order() == plumb::data_order::random);
    for (int t = 0; t < 4; ++t) CHECK(!plumb::forget_seeder("engine " + std::to_string(t)));
}
