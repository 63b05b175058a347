#define VERDICT_CASE(name) TEST_CASE("with -ffast-math, " name)
#include "verdict_cases.hpp"
