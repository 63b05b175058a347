#include <plumb/guard/overflow_guard.hpp>

#include "catch.hpp"

#include <plumb/types/small_float.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> fine{1, 2, 3}, inf{1, infinity}, minus_inf{-infinity, 0}, not_a_number{0, 0, quiet_nan};

/// A guard that never stops, and what it saw.
struct watching {
    plumb::overflow_guard guard{-1};
    std::vector<plumb::overflow_event> events;

    explicit watching(plumb::guard_options options = {}) : guard(-1, std::move(options)) {
        guard.on_overflow([this](const plumb::overflow_event& event) { events.push_back(event); });
    }
};

} // namespace

TEST_CASE("overflow_guard: finite inputs and a bad output are a source, with its place") {
    watching seen;
    seen.guard.forward("Torch", "linear", std::tie(fine, fine), std::tie(fine, inf));
    REQUIRE(seen.events.size() == 1);
    const auto& event = seen.events[0];
    CHECK(event.cause == plumb::overflow_cause::in_operator);
    CHECK(event.op == "Torch.linear.0.forward");
    CHECK(event.source == event.op);
    CHECK(event.where.slot == "1");
    CHECK(event.where.index == 1);
    CHECK(!event.input);
    CHECK(event.message() == "overflow in Torch.linear.0.forward: output.1[1] = inf (f32), all inputs finite: it is the source");
}

TEST_CASE("overflow_guard: after a source, bad inputs are inherited from it") {
    watching seen;
    seen.guard.forward("Torch", "mul", std::tie(fine), inf);
    seen.guard.forward("Torch", "sub", std::tie(fine, inf), not_a_number);
    seen.guard.backward("Torch", "sub", not_a_number, std::tie(not_a_number, not_a_number));
    REQUIRE(seen.events.size() == 3);
    CHECK(seen.events[1].cause == plumb::overflow_cause::inherited);
    CHECK(seen.events[1].source == "Torch.mul.0.forward");
    CHECK(seen.events[1].input->slot == "1");
    CHECK(seen.events[2].source == "Torch.mul.0.forward");
    CHECK(seen.events[2].op == "Torch.sub.0.backward");
    CHECK(seen.guard.count() == 3);
    CHECK(seen.guard.first_source()->op == "Torch.mul.0.forward");
}

TEST_CASE("overflow_guard: bad inputs without a known source are told as such") {
    watching seen;
    seen.guard.forward("Torch", "relu", not_a_number, not_a_number);
    REQUIRE(seen.events.size() == 1);
    CHECK(seen.events[0].cause == plumb::overflow_cause::bad_input);
    CHECK(seen.events[0].source.empty());
    CHECK(!seen.guard.first_source());
}

TEST_CASE("overflow_guard: bad inputs that leave finite outputs are no overflow") {
    watching seen;
    seen.guard.forward("Torch", "nan_to_num", not_a_number, fine);
    seen.guard.forward("Functional", "softmax", minus_inf, fine);
    CHECK(seen.events.empty());
}

TEST_CASE("overflow_guard: a mask's infinities, written on purpose and carried on, are no overflow; NaN made of them is") {
    watching seen;
    seen.guard.forward("Tensor", "masked_fill_", std::tie(fine), minus_inf);
    seen.guard.forward("Torch", "full_like", std::tie(fine), inf);
    seen.guard.forward("Tensor", "__add__", std::tie(fine, minus_inf), minus_inf);
    seen.guard.forward("Tensor", "__mul__", std::tie(fine, inf), inf);
    CHECK(seen.events.empty());
    seen.guard.forward("Functional", "softmax", minus_inf, not_a_number);
    REQUIRE(seen.events.size() == 1);
    CHECK(seen.events[0].op == "Functional.softmax.0.forward");
}

TEST_CASE("overflow_guard: without a writer of constants, an operator that carries on +inf overflows") {
    watching seen;
    seen.guard.forward("Tensor", "__mul__", std::tie(fine, inf), inf);
    REQUIRE(seen.events.size() == 1);
    CHECK(seen.events[0].cause == plumb::overflow_cause::bad_input);
}

TEST_CASE("overflow_guard: the list of constant writers can be changed") {
    plumb::guard_options options;
    options.constant_writers = {"my_mask"};
    watching seen(options);
    seen.guard.forward("Torch", "my_mask", std::tie(fine), inf);
    CHECK(seen.events.empty());
    seen.guard.forward("Torch", "full", std::tie(fine), inf);
    CHECK(seen.events.size() == 1);
}

TEST_CASE("writes_constant: knows a name with underscore, overload and family") {
    const auto writers = plumb::default_constant_writers();
    for (const char* name : {"full", "fill_", "full_like", "aten::full.out", "aten::masked_fill_.Scalar", "empty_strided"})
        CHECK(plumb::writes_constant(name, writers));
    for (const char* name : {"linear", "add_", "softfull", ""}) CHECK(!plumb::writes_constant(name, writers));
}

TEST_CASE("overflow_guard: saturation is counted, and an overflow only when asked") {
    const std::vector<plumb::float16> full{plumb::float16(1.0f), plumb::float16(65504.0f), plumb::float16(-65504.0f)};
    const auto check = GENERATE(plumb::saturation_check::off, plumb::saturation_check::count, plumb::saturation_check::overflow);
    plumb::guard_options options;
    options.saturation = check;
    watching seen(options);
    seen.guard.forward("Torch", "mul", std::tie(fine), full);
    CHECK(seen.guard.saturated() == (check == plumb::saturation_check::off ? 0u : 2u));
    REQUIRE(seen.events.size() == (check == plumb::saturation_check::overflow ? 1u : 0u));
    if (seen.events.empty()) return;
    CHECK(seen.events[0].where.index == 1);
    CHECK(seen.events[0].where.value == 65504.0);
}

TEST_CASE("overflow_guard: stops at the n-th overflow with the seed tool's words, and names the first source") {
    plumb::overflow_guard guard(3);
    guard.forward("Torch", "mul", std::tie(fine), inf);
    guard.forward("Torch", "sub", std::tie(inf), not_a_number);
    std::string message;
    try {
        guard.forward("Torch", "add", std::tie(not_a_number), not_a_number);
    } catch (const plumb::overflow_limit& limit) {
        message = limit.what();
        CHECK(limit.last().op == "Torch.add.0.forward");
        CHECK(limit.last().number == 3);
    }
    CHECK(message.find("[overflow 3 times]: ") == 0);
    CHECK(message.find("First source: overflow in Torch.mul.0.forward: output.0[1] = inf (f32)") != std::string::npos);
    CHECK(message.find("Last: overflow in Torch.add.0.forward") != std::string::npos);

    plumb::overflow_guard with_dump(1);
    const auto event = with_dump.judge({"Torch", "mul", plumb::direction::forward, 0}, {}, with_dump.look({inf}, true));
    REQUIRE(event);
    try {
        with_dump.act(*event, "/data/rank0/dump.pkl");
    } catch (const plumb::overflow_limit& limit) {
        message = limit.what();
    }
    CHECK(message.find("[overflow 1 times]: dump file is saved in '/data/rank0/dump.pkl'.") == 0);
}

TEST_CASE("overflow_guard: -1 never stops; 0 and below are refused") {
    plumb::overflow_guard guard(-1);
    for (int i = 0; i < 100; ++i) guard.forward("Torch", "mul", std::tie(fine), inf);
    CHECK(guard.count() == 100);
    CHECK_THROWS_AS(plumb::overflow_guard(0), std::invalid_argument);
    CHECK_THROWS_AS(plumb::overflow_guard(-2), std::invalid_argument);
}

TEST_CASE("overflow_guard: sees nothing while it is off") {
    plumb::overflow_guard guard(1);
    guard.enable(false);
    guard.forward("Torch", "mul", std::tie(fine), inf);
    CHECK(guard.count() == 0);
    guard.enable(true);
    CHECK_THROWS_AS(guard.forward("Torch", "mul", std::tie(fine), inf), plumb::overflow_limit);
}

TEST_CASE("overflow_guard: a hook in two parts judges the inputs as they were before") {
    plumb::overflow_guard guard(-1);
    std::vector<float> x{1, 2};
    const auto before = guard.look({x}, false);
    x[0] = infinity; // the operator works in place
    const auto event = guard.judge({"Tensor", "mul_", plumb::direction::forward, 0}, before, guard.look({x}, true));
    REQUIRE(event);
    CHECK(event->cause == plumb::overflow_cause::in_operator);
}

TEST_CASE("overflow_guard: finds bad numbers inside lists and bare scalars") {
    watching seen;
    seen.guard.forward("Torch", "split", std::tie(fine), std::forward_as_tuple(fine, std::tie(fine, inf)));
    seen.guard.forward("Tensor", "item", std::tie(fine), std::numeric_limits<double>::quiet_NaN());
    REQUIRE(seen.events.size() == 2);
    CHECK(seen.events[0].where.slot == "1.1");
    CHECK(seen.events[1].where.type == plumb::dtype::f64);
}

TEST_CASE("overflow_guard: several threads may report at once; every overflow has its own number") {
    plumb::overflow_guard guard(-1);
    std::vector<int> seen(401, 0);
    guard.on_overflow([&](const plumb::overflow_event& event) { ++seen[event.number]; });
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i) guard.forward("Torch", "mul", std::tie(fine), inf);
        });
    for (auto& each : threads) each.join();
    CHECK(guard.count() == 400);
    for (std::size_t i = 1; i <= 400; ++i) CHECK(seen[i] == 1);
}

TEST_CASE("call_counters: each operator counts apart; a backward call has the number of its forward call") {
    plumb::call_counters counters;
    const auto forward = plumb::direction::forward, backward = plumb::direction::backward;
    CHECK(counters.next("Torch", "add", forward).name() == "Torch.add.0.forward");
    CHECK(counters.next("Torch", "add", forward).name() == "Torch.add.1.forward");
    CHECK(counters.next("Tensor", "add", forward).name() == "Tensor.add.0.forward");
    CHECK(counters.next("", "layer2.mul", forward).name() == "layer2.mul.0.forward");
    CHECK(counters.next("Torch", "add", backward).name() == "Torch.add.1.backward");
    CHECK(counters.next("Torch", "add", forward).name() == "Torch.add.2.forward");
    CHECK(counters.next("Torch", "add", backward).name() == "Torch.add.2.backward");
    CHECK(counters.next("Torch", "add", backward).name() == "Torch.add.0.backward");
    CHECK(counters.next("Torch", "add", backward).name() == "Torch.add.3.backward"); // of no forward call
    counters.reset();
    CHECK(counters.next("Torch", "add", forward).call == 0);
}
