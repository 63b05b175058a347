/// \file
/// Floor 5: where does every random number come from?
///
/// Begin with seed_all.hpp; then torch_generator.hpp with torch_uniform.hpp, torch_normal.hpp and torch_layers.hpp for PyTorch's
/// numbers, numpy_generator.hpp for NumPy's, python_random.hpp for Python's.
#pragma once

#include <plumb/random/box_muller.hpp>
#include <plumb/random/cephes.hpp>
#include <plumb/random/check_reproducible.hpp>
#include <plumb/random/counter_functions.hpp>
#include <plumb/random/counter_stream.hpp>
#include <plumb/random/default_generators.hpp>
#include <plumb/random/fingerprint.hpp>
#include <plumb/random/jax_random.hpp>
#include <plumb/random/libm.hpp>
#include <plumb/random/mt19937.hpp>
#include <plumb/random/multiply_add.hpp>
#include <plumb/random/numpy_bit_generators.hpp>
#include <plumb/random/numpy_bounded.hpp>
#include <plumb/random/numpy_generator.hpp>
#include <plumb/random/numpy_random_state.hpp>
#include <plumb/random/output.hpp>
#include <plumb/random/portable_libm.hpp>
#include <plumb/random/process_state.hpp>
#include <plumb/random/python_random.hpp>
#include <plumb/random/randomness.hpp>
#include <plumb/random/seed_all.hpp>
#include <plumb/random/seed_environment.hpp>
#include <plumb/random/seed_receipt.hpp>
#include <plumb/random/seed_registry.hpp>
#include <plumb/random/seed_sequence.hpp>
#include <plumb/random/sha512.hpp>
#include <plumb/random/torch_bernoulli.hpp>
#include <plumb/random/torch_cuda.hpp>
#include <plumb/random/torch_exponential.hpp>
#include <plumb/random/torch_generator.hpp>
#include <plumb/random/torch_init.hpp>
#include <plumb/random/torch_integers.hpp>
#include <plumb/random/torch_layers.hpp>
#include <plumb/random/torch_normal.hpp>
#include <plumb/random/torch_profile.hpp>
#include <plumb/random/torch_samplers.hpp>
#include <plumb/random/torch_trunc_normal.hpp>
#include <plumb/random/torch_uniform.hpp>
#include <plumb/random/xxh64.hpp>
#include <plumb/random/ziggurat_tables.hpp>
