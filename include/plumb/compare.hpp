/// \file
/// Floor 8: how do two dumps differ, and where first?
#pragma once

#include <plumb/compare/compare_dumps.hpp>
#include <plumb/compare/comparison.hpp>
#include <plumb/compare/pairing.hpp>
#include <plumb/compare/read_name_map.hpp>
#include <plumb/compare/row.hpp>
#include <plumb/compare/write_json.hpp>
#include <plumb/compare/write_table.hpp>
