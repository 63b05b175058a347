#define VERDICT_CASE(name) TEST_CASE(name, "[test_verdict]")
#include "verdict_cases.hpp"
