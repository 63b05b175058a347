#define PLUMB_TEST_FLAVOUR strict
#define PLUMB_TEST_RUNS_HERE true
#include "flavour_functions.hpp"
