/// \file
/// What a training or inference process needs: metrics, verdicts and guards on buffers in memory, and random numbers. No file or
/// JSON header comes with it.
#pragma once

#include <plumb/guard.hpp>
#include <plumb/metrics.hpp>
#include <plumb/random.hpp>
#include <plumb/types.hpp>
#include <plumb/verdict.hpp>
