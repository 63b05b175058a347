#if defined(__x86_64__)
#define PLUMB_TEST_FLAVOUR avx2_fast_math
#define PLUMB_TEST_RUNS_HERE __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")
#include "flavour_functions.hpp"
#endif
