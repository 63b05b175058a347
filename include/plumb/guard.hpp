/// \file
/// Floor 6: did this tensor overflow, and is this operator the source?
#pragma once

#include <plumb/guard/argument.hpp>
#include <plumb/guard/constant_writers.hpp>
#include <plumb/guard/find_nonfinite.hpp>
#include <plumb/guard/find_overflow.hpp>
#include <plumb/guard/operator_id.hpp>
#include <plumb/guard/overflow_event.hpp>
#include <plumb/guard/overflow_guard.hpp>
