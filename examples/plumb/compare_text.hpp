// What people see of a comparison.
#pragma once

#include <plumb/compare/comparison.hpp>

#include <cstddef>
#include <string>

/// Summary, first diverging operator of each rank, other sources, the `worst` worst rows, and what has no partner.
std::string comparison_text(const plumb::comparison& result, std::size_t worst);
