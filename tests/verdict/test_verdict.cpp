#define VERDICT_CASE(name) TEST_CASE(name)
#include "verdict_cases.hpp"
