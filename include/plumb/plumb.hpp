/// \file
/// What a training or inference process needs: metrics and verdicts on buffers in memory. No file or JSON header comes with it.
#pragma once

#include <plumb/guard.hpp>
#include <plumb/metrics.hpp>
#include <plumb/types.hpp>
#include <plumb/verdict.hpp>
