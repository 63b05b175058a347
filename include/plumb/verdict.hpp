/// \file
/// Floor 4: is the number good enough, and why not?
#pragma once

#include <plumb/verdict/combine.hpp>
#include <plumb/verdict/parse_rule.hpp>
#include <plumb/verdict/reason.hpp>
#include <plumb/verdict/rule.hpp>
#include <plumb/verdict/rules.hpp>
#include <plumb/verdict/verdict.hpp>
