/// \file
/// What libtorch's operators take and give, as plumb's arguments.
#pragma once

#include <plumb/adapters/torch_tensor.hpp>
#include <plumb/guard/argument.hpp>

#include <ATen/core/ivalue.h>

#include <memory>
#include <utility>

namespace plumb {

/// A tensor as an argument: looked at where it lies, or copied if it is not readable there. A Python number that libtorch has
/// wrapped is a number; an undefined tensor is nothing.
inline argument torch_argument(const at::Tensor& tensor) {
    const at::Tensor readable = readable_copy(tensor);
    if (!readable.defined()) return {};
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
        if (readable.scalar_type() == at::kDouble) return *static_cast<const double*>(readable.data_ptr());
        if (readable.scalar_type() == at::kLong) return *static_cast<const std::int64_t*>(readable.data_ptr());
        if (readable.scalar_type() == at::kBool) return *static_cast<const bool*>(readable.data_ptr());
    }
    argument taken{tensor_view(readable)};
    if (!readable.is_same(tensor)) taken.owned_by(std::make_shared<at::Tensor>(readable));
    taken.with_requires_grad(tensor.requires_grad());
    return taken;
}

/// Any value: a tensor, number, text, or a list or tuple of these. Nothing for None, generators, streams, and what else is no
/// data.
inline argument torch_argument(const c10::IValue& value) {
    if (value.isTensor()) return torch_argument(value.toTensor());
    if (value.isBool()) return value.toBool();
    if (value.isInt()) return value.toInt();
    if (value.isDouble()) return value.toDouble();
    if (value.isString()) return value.toStringRef();
    if (value.isDevice()) return value.toDevice().str();
    if (!value.isList() && !value.isTuple()) return {};
    argument_vector all;
    if (value.isTuple()) {
        for (const c10::IValue& each : value.toTupleRef().elements()) all.push_back(torch_argument(each));
    } else {
        const c10::List<c10::IValue> list = value.toList();
        for (const c10::IValue& each : list) all.push_back(torch_argument(each));
    }
    return all;
}

/// Several tensors, as autograd hands gradients over.
inline argument_vector torch_arguments(const std::vector<at::Tensor>& tensors) {
    argument_vector all;
    for (const at::Tensor& each : tensors) all.push_back(torch_argument(each));
    return all;
}

} // namespace plumb
