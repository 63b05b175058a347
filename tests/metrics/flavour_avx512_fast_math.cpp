#if defined(__x86_64__)
#define PLUMB_TEST_FLAVOUR avx512_fast_math
#define PLUMB_TEST_RUNS_HERE                                                                                                     \
    __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&             \
        __builtin_cpu_supports("avx512vl")
#include "flavour_functions.hpp"
#endif
