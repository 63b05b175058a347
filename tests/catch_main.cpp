// The main function of every test program, for a Catch2 2.13 that was installed without its Catch2WithMain library.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
