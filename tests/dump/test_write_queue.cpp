#include <plumb/dump/write_queue.hpp>

#include "catch.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

TEST_CASE("write_queue: tasks run in order, on one other thread or on the caller's") {
    const auto limit = GENERATE(std::uint64_t{0}, std::uint64_t{100});
    std::vector<int> order;
    std::vector<std::thread::id> threads;
    plumb::write_queue queue(limit);
    for (int i = 0; i < 100; ++i)
        queue.push(30, [&, i] {
            order.push_back(i);
            threads.push_back(std::this_thread::get_id());
        });
    queue.drain();
    REQUIRE(order.size() == 100);
    for (int i = 0; i < 100; ++i) {
        CHECK(order[static_cast<std::size_t>(i)] == i);
        CHECK(threads[static_cast<std::size_t>(i)] == threads[0]);
    }
    CHECK((threads[0] == std::this_thread::get_id()) == (limit == 0));
}

TEST_CASE("write_queue: what waits stays within the limit; a larger task goes in alone") {
    std::atomic<int> waiting{0};
    std::atomic<int> most{0};
    plumb::write_queue queue(100);
    for (int i = 0; i < 50; ++i) {
        const std::uint64_t bytes = i % 10 == 0 ? 1000 : 40;
        queue.push(bytes, [&] {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            --waiting;
        });
        // Two of 40 fit into 100, or one of any size; the one just pushed may be done by now.
        const int now = ++waiting;
        if (now > most) most = now;
    }
    queue.drain();
    CHECK(most <= 3); // the counter lags one task behind the queue
}

TEST_CASE("write_queue: after an error tasks are dropped until the error is taken") {
    const auto limit = GENERATE(std::uint64_t{0}, std::uint64_t{100});
    plumb::write_queue queue(limit);
    int done = 0;
    queue.push(1, [&] { ++done; });
    queue.push(1, [] { throw std::runtime_error("disk"); });
    queue.push(1, [&] { ++done; });
    queue.drain();
    CHECK(done == 1);
    const std::exception_ptr error = queue.take_error();
    REQUIRE(error);
    CHECK_THROWS_AS(std::rethrow_exception(error), std::runtime_error);
    CHECK(!queue.take_error());
    queue.push(1, [&] { ++done; });
    queue.drain();
    CHECK(done == 2);
}

TEST_CASE("write_queue: an error wakes those that wait for room") {
    plumb::write_queue queue(10);
    queue.push(10, [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        throw std::runtime_error("disk");
    });
    for (int i = 0; i < 10; ++i) queue.push(10, [] {});
    queue.drain();
    CHECK(queue.take_error());
}

TEST_CASE("write_queue: its end finishes what waits") {
    std::atomic<int> done{0};
    {
        plumb::write_queue queue(1000);
        for (int i = 0; i < 20; ++i) queue.push(1, [&] { ++done; });
    }
    CHECK(done == 20);
}

TEST_CASE("write_queue: many threads may push") {
    std::uint64_t sum = 0; // only the queue's thread adds
    plumb::write_queue queue(64);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 250; ++i) queue.push(8, [&] { ++sum; });
        });
    for (auto& each : threads) each.join();
    queue.drain();
    CHECK(sum == 1000);
}
