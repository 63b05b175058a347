/// \file
/// Records calls of libtorch's modules, and the gradients of their parameters.
#pragma once

#include <plumb/adapters/torch_arguments.hpp>
#include <plumb/adapters/torch_autograd.hpp>
#include <plumb/adapters/torch_link.hpp>
#include <plumb/dump/dump_session.hpp>

#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plumb {
namespace detail {

template <class T>
torch::nn::Module& torch_module_of(T& module) {
    if constexpr (std::is_base_of_v<torch::nn::Module, T>)
        return module;
    else
        return *module; // a ModuleHolder or a pointer
}

/// "block.up.Linear": the path, and the class without namespaces and "Impl".
inline std::string torch_module_name(std::string_view path, const torch::nn::Module& module) {
    std::string type = module.name();
    type.erase(0, type.rfind(':') == std::string::npos ? 0 : type.rfind(':') + 1);
    if (type.size() > 4 && type.compare(type.size() - 4, 4, "Impl") == 0) type.resize(type.size() - 4);
    return path.empty() ? type : std::string(path) + "." + type;
}

template <class T>
argument torch_argument_of(const T& value) {
    if constexpr (std::is_base_of_v<at::Tensor, T>)
        return torch_argument(static_cast<const at::Tensor&>(value));
    else if constexpr (is_tuple_v<T>)
        return std::apply([](const auto&... each) { return argument_vector{torch_argument_of(each)...}; }, value);
    else if constexpr (std::is_same_v<T, std::vector<at::Tensor>>)
        return torch_arguments(value);
    else if constexpr (std::is_arithmetic_v<T>)
        return value;
    else
        return {};
}

template <class T>
void collect_tensors(const T& value, std::vector<at::Tensor>& to) {
    if constexpr (std::is_base_of_v<at::Tensor, T>)
        to.push_back(value);
    else if constexpr (is_tuple_v<T>)
        std::apply([&](const auto&... each) { (collect_tensors(each, to), ...); }, value);
    else if constexpr (std::is_same_v<T, std::vector<at::Tensor>>)
        to.insert(to.end(), value.begin(), value.end());
}

/// One of a module's tensors by name.
inline argument named_torch_argument(std::string name, const at::Tensor& tensor) {
    argument taken = torch_argument(tensor);
    taken.named(std::move(name));
    return taken;
}

} // namespace detail

/// Returns module->forward(inputs...), recorded as a call of the family "Module" that is named by `path`, where the module stands
/// in the model (may be ""), and its class. Its own parameters are recorded with it, its backward call while torch_hooks are
/// attached to the session. libtorch has no hooks on modules, so a model calls its modules this way:
///
///     x = plumb::run_module(session, "block.up", up, x);
///
/// Modules and operators inside are nested in the call: select nesting::every to record them as well. Inputs and results may be
/// tensors, tuples and vectors of tensors, and numbers.
template <class Module, class... Inputs>
auto run_module(dump_session& session, std::string_view path, Module& module, Inputs&&... inputs) {
    if (!session.enabled()) return module->forward(std::forward<Inputs>(inputs)...);
    torch::nn::Module& base = detail::torch_module_of(module);
    std::vector<at::Tensor> given, made;
    operator_call call;
    {
        const at::DisableRecordFunctionGuard off;
        (detail::collect_tensors(inputs, given), ...);
        call = session.begin("Module", detail::torch_module_name(path, base), direction::forward,
                             argument_vector{detail::torch_argument_of(inputs)...});
        argument_vector parameters;
        for (const auto& each : base.named_parameters(/*recurse=*/false))
            parameters.push_back(detail::named_torch_argument(each.key(), each.value()));
        call.add(tensor_kind::parameter, parameters);
    }
    auto result = [&] {
        const detail::torch_nesting inside;
        return module->forward(std::forward<Inputs>(inputs)...);
    }();
    const at::DisableRecordFunctionGuard off;
    detail::collect_tensors(result, made);
    const auto link = detail::current_torch_link();
    if (const auto id = call.id(); id && link && link->session() == &session && link->options().backward)
        detail::follow_autograd(link, *id, made, detail::nodes_of(given));
    argument_list results(argument_vector{detail::torch_argument_of(result)});
    results.single = made.size() == 1;
    call.finish(results);
    return result;
}

/// Records the gradients of a module's parameters and those of the modules in it, after the backward pass: one call of the
/// family "Module", with the gradients by name. Parameters without a gradient are left out.
template <class Module>
void record_gradients(dump_session& session, std::string_view path, Module& module) {
    if (!session.enabled()) return;
    const at::DisableRecordFunctionGuard off;
    torch::nn::Module& base = detail::torch_module_of(module);
    operator_call call = session.begin("Module", detail::torch_module_name(path, base) + ".parameters_grad", direction::backward,
                                       argument_vector{});
    argument_vector gradients;
    for (const auto& each : base.named_parameters())
        if (each.value().grad().defined()) gradients.push_back(detail::named_torch_argument(each.key(), each.value().grad()));
    call.add(tensor_kind::parameters_grad, gradients);
    call.finish(argument_vector{});
}

} // namespace plumb
