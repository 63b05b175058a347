#include <plumb/guard/argument.hpp>

#include "catch.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

TEST_CASE("argument: takes tensors, numbers, text, lists and nothing") {
    const std::vector<float> data{1, 2, 3};
    CHECK(plumb::argument(data).tensor()->data() == data.data());
    CHECK(std::get<bool>(plumb::argument(true).value()) == true);
    CHECK(std::get<std::int64_t>(plumb::argument(-7).value()) == -7);
    CHECK(std::get<double>(plumb::argument(0.5f).value()) == 0.5);
    CHECK(std::get<std::string>(plumb::argument("mean").value()) == "mean");
    CHECK(plumb::argument(nullptr).value().index() == 0);
    CHECK(plumb::argument(std::optional<int>{}).value().index() == 0);
    CHECK(std::get<std::int64_t>(plumb::argument(std::optional<int>{3}).value()) == 3);
    const plumb::argument list(std::vector<std::vector<float>>{data, data, data});
    REQUIRE(list.items());
    CHECK(list.items()->size() == 3);
    const plumb::argument nested(std::tie(data, list));
    REQUIRE(nested.items());
    CHECK((*nested.items())[1].items()->size() == 3);
}

TEST_CASE("argument: a whole number that int64 has no room for becomes the nearest double") {
    CHECK(std::get<double>(plumb::argument(std::numeric_limits<std::uint64_t>::max()).value()) == 18446744073709551616.0);
    CHECK(std::get<std::int64_t>(plumb::argument(std::uint64_t{1} << 62).value()) == std::int64_t{1} << 62);
}

TEST_CASE("argument_list: a tuple is a list, anything else is a single value") {
    const std::vector<float> data{1};
    CHECK(plumb::argument_list(std::tie(data, data)).items.size() == 2);
    CHECK(!plumb::argument_list(std::tie(data)).single);
    CHECK(plumb::argument_list(data).single);
    CHECK(plumb::argument_list(data).items.size() == 1);
    CHECK(plumb::argument_list(std::tuple<>{}).items.empty());
    CHECK(!plumb::argument_list(plumb::argument_vector{data}).single);
}

TEST_CASE("for_each_tensor: goes into lists, names places by position and keyword, and stops when told") {
    const std::vector<float> data{1};
    const plumb::argument_vector all{data, 2, std::tie(data, data), plumb::argument(data).named("weight")};
    std::vector<std::string> places;
    CHECK(plumb::for_each_tensor(all, [&](const plumb::tensor_view&, const std::string& place) {
        places.push_back(place);
        return true;
    }));
    CHECK(places == std::vector<std::string>{"0", "2.0", "2.1", "weight"});
    int seen = 0;
    CHECK(!plumb::for_each_tensor(all, [&](const plumb::tensor_view&, const std::string&) { return ++seen < 2; }));
    CHECK(seen == 2);
}
