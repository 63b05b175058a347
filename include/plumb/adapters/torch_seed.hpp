/// \file
/// Seeds libtorch together with everything else that seed_all seeds.
#pragma once

#include <plumb/random/seed_registry.hpp>

#include <torch/cuda.h>
#include <torch/utils.h>

#include <ATen/Context.h>

#include <cstdint>
#include <string>

namespace plumb {

/// Seeds libtorch as the accuracy tools' seed_all does: torch::manual_seed, every CUDA device if there is one, deterministic
/// algorithms as asked, and cuDNN's flags deterministic = true, benchmark = false.
inline void seed_torch(const seed_request& request, seed_receipt& receipt) {
    const auto set = [&](const char* name, bool value) { receipt.settings.push_back({name, value ? "true" : "false"}); };
    ::torch::manual_seed(request.seed);
    if (::torch::cuda::is_available()) ::torch::cuda::manual_seed_all(request.seed);
    at::Context& context = at::globalContext();
    context.setDeterministicAlgorithms(request.deterministic, /*warn_only=*/false);
    set("torch.deterministic_algorithms", request.deterministic);
    context.setDeterministicCuDNN(true);
    set("torch.cudnn.deterministic", true);
    context.setBenchmarkCuDNN(false);
    set("torch.cudnn.benchmark", false);
}

/// Lets seed_all seed libtorch, too.
inline void register_torch_seeder() { on_seed("torch", seed_torch); }

} // namespace plumb
