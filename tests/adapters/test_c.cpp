#include <plumb/adapters/c.h>
#include <plumb/dump/load.hpp>
#include <plumb/dump/read_dump.hpp>

#include "../dump/files.hpp"
#include "catch.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

extern "C" plumb_status train_in_c(plumb_dump* dump, float* w, const float* x, float* y, int64_t n, float scale);

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// A C-order tensor of one dimension over a vector; lives as long as both.
struct vector_tensor {
    explicit vector_tensor(const std::vector<float>& values)
        : length(static_cast<int64_t>(values.size())), tensor{values.data(), PLUMB_F32, 1, &length, nullptr} {}
    vector_tensor(const vector_tensor&) = delete;
    vector_tensor& operator=(const vector_tensor&) = delete;
    int64_t length;
    plumb_tensor tensor;
};

float first_of(const plumb::dump_entry& entry) {
    const plumb::tensor data = plumb::load(entry);
    float value;
    std::memcpy(&value, data.view().data(), sizeof value);
    return value;
}

} // namespace

TEST_CASE("C: a training step written in C is dumped, with inputs as they were before an operator in place") {
    test::temporary_folder folder;
    plumb_dump* dump = plumb_dump_open((folder / "run").c_str(), 3, PLUMB_LAYOUT_PTDBG);
    REQUIRE(dump);
    float w[2] = {3, 4}, y[2];
    const float x[2] = {0.5f, 2};
    CHECK(plumb_dump_enabled(dump) == 0);
    CHECK(train_in_c(dump, w, x, y, 2, 1.0f) == PLUMB_OK);
    CHECK(plumb_dump_start(dump, "all", nullptr, 0) == PLUMB_OK);
    CHECK(plumb_dump_enabled(dump) == 1);
    CHECK(train_in_c(dump, w, x, y, 2, 10.0f) == PLUMB_OK);
    CHECK(plumb_dump_close(dump) == PLUMB_OK);

    const auto rank = plumb::read_dump(folder / "run").ranks.at(0);
    CHECK(rank.rank == 3);
    REQUIRE(rank.entries.size() == 5);
    CHECK(rank.entries[0].name == "Torch_mul_0_forward_input.0");
    CHECK(first_of(rank.entries[2]) == 1.5f);
    CHECK(rank.entries[3].op == "Tensor_mul__0_forward");
    CHECK(first_of(rank.entries[3]) == 3.0f);
    CHECK(first_of(rank.entries[4]) == 30.0f);
}

TEST_CASE("C: modes and their names") {
    test::temporary_folder folder;
    plumb_dump* dump = plumb_dump_open((folder / "run").c_str(), 0, PLUMB_LAYOUT_MSPROBE);
    const char* const names[] = {"Tensor_mul_"};
    CHECK(plumb_dump_start(dump, "list", names, 1) == PLUMB_OK);
    float w[1] = {3}, y[1];
    const float x[1] = {1};
    CHECK(train_in_c(dump, w, x, y, 1, 2.0f) == PLUMB_OK);
    CHECK(plumb_dump_step(dump) == PLUMB_OK);
    CHECK(train_in_c(dump, w, x, y, 1, 2.0f) == PLUMB_OK);
    CHECK(plumb_dump_flush(dump) == PLUMB_OK);
    CHECK(plumb_dump_start(dump, "list", nullptr, 0) == PLUMB_BAD_CALL);
    CHECK(plumb_dump_start(dump, "sideways", nullptr, 0) == PLUMB_BAD_CALL);
    CHECK(std::string(plumb_last_error()).find("sideways") != std::string::npos);
    CHECK(plumb_dump_close(dump) == PLUMB_OK);
    const auto read = plumb::read_dump(folder / "run");
    REQUIRE(read.ranks.size() == 2);
    CHECK(read.ranks[1].entries.at(0).op == "Tensor.mul_.0.forward");
}

TEST_CASE("C: errors come back as a status and words, never as an exception") {
    test::temporary_folder folder;
    test::write_bytes(folder / "file", "x");
    CHECK(plumb_dump_open(nullptr, 0, PLUMB_LAYOUT_PLUMB) == nullptr);
    CHECK(std::string(plumb_last_error()) == "plumb: the folder is NULL");
    CHECK(plumb_dump_open("x", -1, PLUMB_LAYOUT_PLUMB) == nullptr);
    CHECK(plumb_guard_new(0) == nullptr);
    CHECK(plumb_dump_stop(nullptr) == PLUMB_BAD_CALL);
    CHECK(plumb_dump_close(nullptr) == PLUMB_OK);
    CHECK(plumb_call_finish(nullptr, nullptr, 0) == PLUMB_BAD_CALL);

    plumb_dump* dump = plumb_dump_open((folder / "file/run").c_str(), 0, PLUMB_LAYOUT_PLUMB);
    REQUIRE(dump);
    CHECK(plumb_dump_start(dump, "all", nullptr, 0) == PLUMB_OK);
    const std::vector<float> values{1};
    const vector_tensor x(values);
    plumb_tensor wrong = x.tensor;
    wrong.dtype = static_cast<plumb_dtype>(15);
    CHECK(plumb_dump_record(dump, "Torch", "op", PLUMB_FORWARD, &wrong, 1, nullptr, 0) == PLUMB_BAD_CALL);
    wrong = x.tensor;
    wrong.data = nullptr;
    CHECK(plumb_dump_record(dump, "Torch", "op", PLUMB_FORWARD, &wrong, 1, nullptr, 0) == PLUMB_BAD_CALL);
    CHECK(plumb_dump_record(dump, "Torch", "op", PLUMB_FORWARD, &x.tensor, 1, nullptr, 0) == PLUMB_OK);
    CHECK(plumb_dump_flush(dump) == PLUMB_IO_ERROR);
    CHECK(std::string(plumb_last_error()).find("file/run") != std::string::npos);
    CHECK(plumb_dump_enabled(dump) == 0);
    plumb_dump_close(dump);
}

TEST_CASE("C: the guard counts, stops at its limit, alone and inside a dump") {
    test::temporary_folder folder;
    const std::vector<float> fine{1, 2}, bad{1, infinity};
    const vector_tensor x(fine), y(bad);
    plumb_guard* guard = plumb_guard_new(2);
    REQUIRE(guard);
    CHECK(plumb_guard_check(guard, "Torch", "mul", PLUMB_FORWARD, &x.tensor, 1, &x.tensor, 1) == PLUMB_OK);
    CHECK(plumb_guard_check(guard, "Torch", "mul", PLUMB_FORWARD, &x.tensor, 1, &y.tensor, 1) == PLUMB_OK);
    CHECK(plumb_guard_count(guard) == 1);
    CHECK(plumb_guard_enable(guard, 0) == PLUMB_OK);
    CHECK(plumb_guard_check(guard, "Torch", "mul", PLUMB_BACKWARD, &x.tensor, 1, &y.tensor, 1) == PLUMB_OK);
    CHECK(plumb_guard_enable(guard, 1) == PLUMB_OK);

    plumb_dump* dump = plumb_dump_open((folder / "run").c_str(), 0, PLUMB_LAYOUT_PTDBG);
    CHECK(plumb_dump_watch(dump, guard) == PLUMB_OK);
    CHECK(plumb_dump_start(dump, "all", nullptr, 0) == PLUMB_OK);
    CHECK(plumb_dump_record(dump, "Torch", "sub", PLUMB_BACKWARD, &y.tensor, 1, &y.tensor, 1) == PLUMB_OVERFLOW_LIMIT);
    const std::string message = plumb_last_error();
    CHECK(message.find("[overflow 2 times]: dump file is saved in '") == 0);
    CHECK(message.find("First source: overflow in Torch.mul.1.forward") != std::string::npos);
    CHECK(plumb_dump_watch(dump, nullptr) == PLUMB_OK);
    CHECK(plumb_dump_close(dump) == PLUMB_OK);
    plumb_guard_free(guard);
}

TEST_CASE("C: metrics, verdict and statistics are those of C++") {
    const std::vector<float> actual{1, 2.5f, 4}, reference{1, 2, 4}, bad{1, infinity, 4};
    const vector_tensor a(actual), r(reference), b(bad);
    plumb_report report;
    REQUIRE(plumb_measure(&a.tensor, &r.tensor, &report) == PLUMB_OK);
    CHECK(report.count == 3);
    CHECK(report.max_abs_err == 0.5);
    CHECK(report.max_abs_err_index == 1);
    CHECK(report.max_rel_err == 0.25);
    CHECK(report.differing == 1);
    CHECK(report.first_mismatch_index == -1);
    CHECK(report.cosine_defined == 1);

    plumb_outcome outcome;
    char reason[200];
    REQUIRE(plumb_classify(&b.tensor, &r.tensor, &outcome, reason, sizeof reason) == PLUMB_OK);
    CHECK(outcome == PLUMB_FAIL);
    CHECK(std::string(reason).find("fail: ") == 0);
    char cut[5];
    REQUIRE(plumb_classify(&b.tensor, &r.tensor, &outcome, cut, sizeof cut) == PLUMB_OK);
    CHECK(std::string(cut) == "fail");

    plumb_statistics statistics;
    REQUIRE(plumb_summarize(&b.tensor, &statistics) == PLUMB_OK);
    CHECK(statistics.pos_inf == 1);
    CHECK(statistics.finite == 2);
    CHECK(statistics.max == 4.0);

    const std::vector<float> shorter{1};
    const vector_tensor s(shorter);
    CHECK(plumb_measure(&s.tensor, &r.tensor, &report) == PLUMB_BAD_CALL);
}

TEST_CASE("C: strides and scalars") {
    const std::vector<float> rows{1, 2, 3, 4, 5, 6}, columns{1, 4, 2, 5, 3, 6};
    const int64_t shape[] = {2, 3}, strides[] = {4, 8};
    const plumb_tensor a{rows.data(), PLUMB_F32, 2, shape, nullptr}, b{columns.data(), PLUMB_F32, 2, shape, strides};
    plumb_report report;
    REQUIRE(plumb_measure(&a, &b, &report) == PLUMB_OK);
    CHECK(report.differing == 0);
    const plumb_tensor scalar{rows.data(), PLUMB_F32, 0, nullptr, nullptr};
    plumb_statistics statistics;
    REQUIRE(plumb_summarize(&scalar, &statistics) == PLUMB_OK);
    CHECK(statistics.count == 1);
}
