#include "program.hpp"

#include <algorithm>
#include <string>
#include <vector>

using program::contains;
using program::keys_of;
using program::object_in;
using program::run;
using program::text_of;
using words = std::vector<std::string>;

namespace {

std::string dump(const std::string& name) { return (program::data / "dumps/overflow" / name).string(); }

} // namespace

TEST_CASE("plumb overflow: finds the source of the recorded overflow and the four operators that inherit it") {
    for (const std::string tool : {"msprobe_tensor", "msprobe_statistics", "ptdbg"}) {
        INFO(tool);
        const auto answer = run({"overflow", dump(tool + "/npu"), "--json"});
        CHECK(answer.status == 1);
        const auto found = object_in(answer);
        words expected{"Functional.linear.1.forward", "Torch.mean.0.forward", "Tensor.__sub__.0.forward",
                       "Functional.softmax.0.forward", "Functional.linear.2.forward"};
        if (tool == "ptdbg")
            for (std::string& name : expected) std::replace(name.begin(), name.end(), '.', '_');
        CHECK(keys_of(found["source"]) == words{"rank", "operator", "kind", "slot", "index"});
        CHECK(text_of(found["source"]["operator"]) == expected[0]);
        CHECK(text_of(found["source"]["kind"]) == "output");
        CHECK(found["source"]["rank"].GetInt() == 0);
        CHECK(found["source"]["slot"].GetInt() == 0);
        if (tool == "msprobe_statistics")
            CHECK(found["source"]["index"].IsNull());
        else
            CHECK(found["source"]["index"].GetInt() == 43);
        words inherited;
        for (const auto& name : found["inherited"].GetArray()) inherited.push_back(text_of(name));
        CHECK(inherited == words(expected.begin() + 1, expected.end()));
        CHECK(found["rows"].Size() == 10);
        CHECK(run({"overflow", dump(tool + "/bench")}).status == 0);
    }
}

TEST_CASE("plumb overflow: prints the source first, with its evidence") {
    const auto answer = run({"overflow", dump("ptdbg/npu")});
    CHECK(answer.out.find("source of the overflow\n  Functional_linear_1_forward  output 0\n"
                          "    its 3 inputs are finite, and output 0 holds 1 +inf of 48, first at 43\n") == 0);
}

TEST_CASE("plumb overflow --constants: an operator that is said to write a constant is no source") {
    const auto answer = run({"overflow", dump("msprobe_tensor/npu"), "--constants", "+linear", "--json"});
    const auto found = object_in(answer);
    CHECK(text_of(found["source"]["operator"]) == "Tensor.__sub__.0.forward"); // it makes NaN of infinities
    CHECK(contains(text_of(found["sources"][0]["why"]), "it makes NaN of infinities that were written on purpose"));
}

TEST_CASE("plumb overflow: unreadable input is status 2") {
    const auto answer = run({"overflow", "no-such-dump", "--json"});
    CHECK(answer.status == 2);
    CHECK(keys_of(object_in(answer)) == words{"error"});
}
