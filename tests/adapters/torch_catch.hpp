/// \file
/// libtorch and Catch2 in one file: both define CHECK, and it is Catch2's that a test means.
#pragma once

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/modules/linear.h>

#undef CHECK
#include "catch.hpp"
