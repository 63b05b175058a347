#include <plumb/version.hpp>

#include "catch.hpp"

#include <string>

TEST_CASE("version: the text, the number and what CMake read are the same version") {
    const std::string by_hand = std::to_string(PLUMB_VERSION / 10000) + '.' + std::to_string(PLUMB_VERSION / 100 % 100) + '.' +
                                std::to_string(PLUMB_VERSION % 100);
    CHECK(plumb::version == by_hand);
    CHECK(std::string(plumb::version) == PLUMB_TEST_PROJECT_VERSION);
}
