#define PLUMB_TEST_FLAVOUR fast_math
#define PLUMB_TEST_RUNS_HERE true
#include "flavour_functions.hpp"
