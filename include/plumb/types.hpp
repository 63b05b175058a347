/// \file
/// Floor 1: what is an element, a buffer, a strided view?
#pragma once

#include <plumb/types/dtype.hpp>
#include <plumb/types/element_traits.hpp>
#include <plumb/types/float_format.hpp>
#include <plumb/types/small_float.hpp>
#include <plumb/types/strided_reader.hpp>
#include <plumb/types/tensor_view.hpp>
#include <plumb/types/view.hpp>
