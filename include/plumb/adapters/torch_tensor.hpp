/// \file
/// libtorch's tensors, read in place, and its 16-bit element types.
///
/// With this file included, torch::Tensor converts to tensor_view: measure(), check() and the accumulators take it as it is, with
/// any strides. Tensors that are not plain memory of the CPU (other devices, sparse, quantized, complex …) go through
/// readable_copy() first.
#pragma once

#include <plumb/types/element_traits.hpp>
#include <plumb/types/tensor_view.hpp>

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace plumb {

template <>
struct element_traits<c10::Half> : stored_as<dtype::f16> {};
template <>
struct element_traits<c10::BFloat16> : stored_as<dtype::bf16> {};

/// The element type that libtorch calls `type`; nothing for complex and quantized ones.
inline std::optional<dtype> dtype_from(at::ScalarType type) noexcept {
    switch (type) {
    case at::ScalarType::Bool: return dtype::boolean;
    case at::ScalarType::Byte: return dtype::u8;
    case at::ScalarType::Char: return dtype::i8;
    case at::ScalarType::Short: return dtype::i16;
    case at::ScalarType::Int: return dtype::i32;
    case at::ScalarType::Long: return dtype::i64;
    case at::ScalarType::Half: return dtype::f16;
    case at::ScalarType::BFloat16: return dtype::bf16;
    case at::ScalarType::Float: return dtype::f32;
    case at::ScalarType::Double: return dtype::f64;
    default: break;
    }
    const std::string_view name = c10::toString(type); // types that only newer versions have
    if (name == "Float8_e4m3fn") return dtype::f8_e4m3fn;
    if (name == "Float8_e5m2") return dtype::f8_e5m2;
    return parse_dtype(name);
}

/// True if the elements lie in the CPU's memory just as the tensor says they are.
inline bool is_readable(const at::Tensor& tensor) {
    return tensor.defined() && tensor.device().is_cpu() && tensor.layout() == at::kStrided && tensor.has_storage() &&
           !tensor.is_conj() && !tensor.is_neg() && dtype_from(tensor.scalar_type()).has_value();
}

/// The same elements where is_readable() is true: the tensor itself if it is. Otherwise a copy: brought from its device, dense,
/// dequantized, complex numbers as pairs in one more dimension. Undefined if there are no elements to be had, as for an
/// undefined tensor or one on the device "meta".
inline at::Tensor readable_copy(const at::Tensor& tensor) {
    if (is_readable(tensor) || !tensor.defined()) return tensor;
    if (tensor.is_meta()) return {};
    const at::NoGradGuard no_grad;
    at::Tensor copy = tensor;
    if (copy.layout() != at::kStrided) copy = copy.to_dense();
    if (!copy.device().is_cpu()) copy = copy.to(at::kCPU);
    if (copy.is_quantized()) copy = copy.dequantize();
    if (copy.is_conj()) copy = copy.resolve_conj();
    if (copy.is_neg()) copy = copy.resolve_neg();
    if (copy.is_complex()) copy = at::view_as_real(copy);
    return is_readable(copy) ? copy : at::Tensor();
}

template <>
struct tensor_adapter<at::Tensor> {
    /// Throws std::invalid_argument if the tensor is not readable in place.
    static tensor_view view_of(const at::Tensor& tensor) {
        if (!is_readable(tensor)) {
            std::ostringstream text;
            text << "plumb: this tensor is not plain memory of the CPU (";
            if (tensor.defined())
                text << tensor.scalar_type() << ", " << tensor.device() << ", " << tensor.layout();
            else
                text << "it is undefined";
            text << "); readable_copy() makes it so";
            throw std::invalid_argument(text.str());
        }
        extents shape, strides;
        for (const std::int64_t length : tensor.sizes()) shape.push_back(length);
        for (const std::int64_t stride : tensor.strides())
            strides.push_back(stride * static_cast<std::int64_t>(tensor.element_size()));
        return {*dtype_from(tensor.scalar_type()), tensor.data_ptr(), shape, strides};
    }
};

} // namespace plumb
