#include "program.hpp"

#include <string>

using program::contains;
using program::object_in;
using program::run;
using program::text_of;

namespace {

const std::string overflowed =
    (program::data / "dumps/overflow/msprobe_tensor/npu/step0/rank/dump_tensor_data/Functional.linear.1.forward.output.0.pt")
        .string();
const std::string scalar = (program::data / "cases/data/v23-scalar_actual.npy").string();

} // namespace

TEST_CASE("plumb stats: statistics are over the finite elements, the others are counted") {
    const auto answer = run({"stats", overflowed, "--json"});
    CHECK(answer.status == 0);
    const auto found = object_in(answer);
    const auto& one = found["tensors"][0];
    CHECK(text_of(one["file"]) == overflowed);
    CHECK(text_of(one["dtype"]) == "f16");
    CHECK(one["shape"].Size() == 3);
    CHECK(one["count"].GetInt() == 48);
    CHECK(one["finite"].GetInt() == 47);
    CHECK(one["max"].GetDouble() == 13152.0);
    CHECK(one["nonfinite"]["pos_inf"].GetInt() == 1);
    CHECK(one["first_nonfinite_index"].GetInt() == 43);
    CHECK(contains(run({"stats", overflowed}).out, "1 inf"));
}

TEST_CASE("plumb stats: what can't be read does not hide the rest, and says so by status 3") {
    const auto answer = run({"stats", scalar, "no-such-file.npy", "--json"});
    CHECK(answer.status == 3);
    const auto found = object_in(answer);
    CHECK(found["tensors"].Size() == 2);
    CHECK(found["tensors"][0]["mean"].GetDouble() == 2.5);
    CHECK(contains(text_of(found["tensors"][1]["error"]), "no-such-file.npy"));
    CHECK(contains(answer.err, "no-such-file.npy"));
    CHECK(run({"stats", "no-such-file.npy"}).status == 2);
}

TEST_CASE("plumb stats --dtype: an .npy of uint16 can hold bf16") {
    const std::string file = (program::data / "cases/data/v11-inf_actual.npy").string();
    CHECK(text_of(object_in(run({"stats", file, "--json"}))["tensors"][0]["dtype"]) == "u16");
    const auto found = object_in(run({"stats", file, "--dtype", "bfloat16", "--json"}));
    CHECK(text_of(found["tensors"][0]["dtype"]) == "bf16");
    CHECK(found["tensors"][0]["nonfinite"]["neg_inf"].GetInt() == 2);
}
