/// \file
/// The generators that seed_all seeds: the counterparts of those that torch, numpy.random and random use when none is given.
#pragma once

#include <plumb/random/numpy_random_state.hpp>
#include <plumb/random/process_state.hpp>
#include <plumb/random/python_random.hpp>
#include <plumb/random/torch_generator.hpp>

#include <mutex>

namespace plumb {
namespace detail {

template <class Generator>
struct shared_generator {
    std::recursive_mutex mutex; // who holds the generator may call seed_all
    Generator generator;
};

inline PLUMB_VISIBLE process_wide<shared_generator<rng::torch::generator>> default_torch_generator;
inline PLUMB_VISIBLE process_wide<shared_generator<rng::numpy::random_state>> default_numpy_state;
inline PLUMB_VISIBLE process_wide<shared_generator<rng::python::random>> default_python_random;

template <class Generator>
PLUMB_ALWAYS_INLINE locked<Generator> lock(process_wide<shared_generator<Generator>>& shared) {
    auto& state = shared.get();
    return {state.mutex, state.generator};
}

} // namespace detail

inline namespace PLUMB_TARGET {

/// The process's generator of the torch profile, held until the returned object dies: `auto g = default_torch_generator();
/// randn(*g, x);` To change its profile, assign it a generator that has it.
inline locked<rng::torch::generator> default_torch_generator() { return detail::lock(detail::default_torch_generator); }

/// The process's np.random.
inline locked<rng::numpy::random_state> default_numpy_state() { return detail::lock(detail::default_numpy_state); }

/// The process's random module.
inline locked<rng::python::random> default_python_random() { return detail::lock(detail::default_python_random); }

} // namespace PLUMB_TARGET
} // namespace plumb
