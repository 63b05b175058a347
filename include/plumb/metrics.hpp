/// \file
/// Floor 3: what number describes a tensor, or a pair of them?
#pragma once

#include <plumb/metrics/exact_sum.hpp>
#include <plumb/metrics/find_nonfinite.hpp>
#include <plumb/metrics/measure.hpp>
#include <plumb/metrics/pair_metrics.hpp>
#include <plumb/metrics/parallel_measure.hpp>
#include <plumb/metrics/report.hpp>
#include <plumb/metrics/tensor_statistics.hpp>
