/// \file
/// Everything that plumb has for libtorch: its tensors, hooks on its operators, modules and autograd, and its seed.
#pragma once

#include <plumb/adapters/torch_arguments.hpp>
#include <plumb/adapters/torch_dropout.hpp>
#include <plumb/adapters/torch_hooks.hpp>
#include <plumb/adapters/torch_module.hpp>
#include <plumb/adapters/torch_operators.hpp>
#include <plumb/adapters/torch_seed.hpp>
#include <plumb/adapters/torch_tensor.hpp>
