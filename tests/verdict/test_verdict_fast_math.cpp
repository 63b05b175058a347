#define VERDICT_CASE(name) TEST_CASE("with -ffast-math, " name, "[test_verdict_fast_math]")
#include "verdict_cases.hpp"
