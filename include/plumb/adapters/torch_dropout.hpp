/// \file
/// Lets libtorch's dropout go off with everybody else's, as comparing two runs needs it.
#pragma once

#include <plumb/random/randomness.hpp>

#include <ATen/ops/alpha_dropout_native.h>
#include <ATen/ops/dropout_native.h>
#include <ATen/ops/feature_alpha_dropout_native.h>
#include <ATen/ops/feature_dropout_native.h>
#include <torch/library.h>

#include <memory>
#include <vector>

namespace plumb {
namespace detail {

using torch_dropout_kernel = at::Tensor(const at::Tensor&, double, bool);
using torch_dropout_kernel_in_place = at::Tensor&(at::Tensor&, double, bool);

template <torch_dropout_kernel& Kernel>
at::Tensor aligned_dropout(const at::Tensor& input, double p, bool train) {
    return Kernel(input, dropout_probability(p), train);
}
template <torch_dropout_kernel_in_place& Kernel>
at::Tensor& aligned_dropout_in_place(at::Tensor& self, double p, bool train) {
    return Kernel(self, dropout_probability(p), train);
}

} // namespace detail

/// While one lives, every dropout of libtorch asks dropout_probability(): it passes its input on unchanged, and draws no random
/// number, while a dropout_off or alignment_mode lives or the last seed_all said rm_dropout. In inference mode, where nothing is
/// dropped anyway, libtorch is left alone.
class torch_dropout {
public:
    torch_dropout() {
        // The keys of autograd one by one: an operator that is made of others prefers them to the kernel for all of autograd.
        for (const auto key : {c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutogradCUDA, c10::DispatchKey::AutogradXPU,
                               c10::DispatchKey::AutogradPrivateUse1})
            add_kernels(*libraries_.emplace_back(
                std::make_unique<torch::Library>(torch::Library::IMPL, "aten", key, __FILE__, __LINE__)));
    }

private:
    static void add_kernels(torch::Library& to) {
        namespace native = at::native;
        to.impl("dropout", &detail::aligned_dropout<native::dropout>);
        to.impl("dropout_", &detail::aligned_dropout_in_place<native::dropout_>);
        to.impl("alpha_dropout", &detail::aligned_dropout<native::alpha_dropout>);
        to.impl("alpha_dropout_", &detail::aligned_dropout_in_place<native::alpha_dropout_>);
        to.impl("feature_dropout", &detail::aligned_dropout<native::feature_dropout>);
        to.impl("feature_dropout_", &detail::aligned_dropout_in_place<native::feature_dropout_>);
        to.impl("feature_alpha_dropout", &detail::aligned_dropout<native::feature_alpha_dropout>);
        to.impl("feature_alpha_dropout_", &detail::aligned_dropout_in_place<native::feature_alpha_dropout_>);
    }

    std::vector<std::unique_ptr<torch::Library>> libraries_;
};

} // namespace plumb
