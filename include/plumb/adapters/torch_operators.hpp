/// \file
/// libtorch's operators: what the seed tools call them, and which ones compute nothing.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// Operators that are not recorded unless asked for: they look at memory, hand it out, ask about a tensor or change its shape.
/// Names without "aten::" and overload.
inline std::vector<std::string> default_torch_filter() {
    return {// views and changes of shape
            "alias", "as_strided", "broadcast_tensors", "broadcast_to", "chunk", "contiguous", "detach", "detach_", "diagonal",
            "expand", "expand_as", "flatten", "lift_fresh", "movedim", "moveaxis", "narrow", "permute", "ravel", "reshape",
            "reshape_as", "select", "slice", "split", "split_with_sizes", "squeeze", "squeeze_", "swapaxes", "swapdims", "t",
            "t_", "tensor_split", "transpose", "transpose_", "unbind", "unflatten", "unfold", "unsafe_chunk", "unsafe_split",
            "unsqueeze", "unsqueeze_", "view", "view_as", "view_as_complex", "view_as_real", "_reshape_alias", "_unsafe_view",
            "conj", "_conj", "_neg_view", "resolve_conj", "resolve_neg", "matrix_H", "mT", "mH", "numpy_T", "adjoint",
            // memory
            "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_", "set_",
            // questions and marks
            "item", "_local_scalar_dense", "is_nonzero", "requires_grad_", "retain_grad", "result_type", "can_cast", "size",
            "stride", "numel", "is_leaf", "output_nr", "_version", "set_data", "is_complex", "is_floating_point", "is_same_size",
            "sym_size"};
}

/// Operators that others use to move memory about: they are not recorded inside another one, so that addmm, which copies its bias
/// first, counts as an operator that calls no other.
inline std::vector<std::string> default_nested_torch_filter() {
    return {"copy_", "clone", "fill_", "zero_", "zeros", "zeros_like", "ones", "full", "scalar_tensor", "to", "_to_copy"};
}

/// How the seed tools call an operator: "Functional" and "linear".
struct torch_name {
    std::string prefix;
    std::string api;
    bool swap_first_two = false; ///< Python takes the first two arguments in the other order
};

/// Name and family of an operator that libtorch calls `name`, such as "aten::linear". Operators of other libraries keep theirs:
/// "quantized::conv2d" is conv2d of the family "quantized".
inline torch_name aten_name(std::string_view name) {
    const auto colons = name.find("::");
    if (colons == std::string_view::npos) return {"Aten", std::string(name)};
    const std::string_view family = name.substr(0, colons), api = name.substr(colons + 2);
    return {family == "aten" ? std::string("Aten") : std::string(family), std::string(api)};
}

/// The name that the seed tools give to the Python call behind an operator of a forward pass. Which one that was cannot be known:
/// taken are torch.nn.functional where it has the function, the signs + - * / and comparisons (Tensor.__add__), methods for what
/// changes its tensor in place or has no function, and torch otherwise.
inline torch_name seed_tool_name(std::string_view name) {
    torch_name plain = aten_name(name);
    if (plain.prefix != "Aten") return plain;
    constexpr std::string_view functional[] = {"adaptive_avg_pool1d",
                                               "adaptive_avg_pool2d",
                                               "adaptive_avg_pool3d",
                                               "adaptive_max_pool1d",
                                               "adaptive_max_pool2d",
                                               "adaptive_max_pool3d",
                                               "affine_grid_generator",
                                               "alpha_dropout",
                                               "avg_pool1d",
                                               "avg_pool2d",
                                               "avg_pool3d",
                                               "batch_norm",
                                               "bilinear",
                                               "binary_cross_entropy",
                                               "binary_cross_entropy_with_logits",
                                               "celu",
                                               "conv1d",
                                               "conv2d",
                                               "conv3d",
                                               "conv_transpose1d",
                                               "conv_transpose2d",
                                               "conv_transpose3d",
                                               "cosine_embedding_loss",
                                               "cosine_similarity",
                                               "ctc_loss",
                                               "dropout",
                                               "elu",
                                               "embedding",
                                               "embedding_bag",
                                               "feature_alpha_dropout",
                                               "gelu",
                                               "glu",
                                               "grid_sampler",
                                               "group_norm",
                                               "hardshrink",
                                               "hardsigmoid",
                                               "hardswish",
                                               "hardtanh",
                                               "hinge_embedding_loss",
                                               "huber_loss",
                                               "instance_norm",
                                               "kl_div",
                                               "l1_loss",
                                               "layer_norm",
                                               "leaky_relu",
                                               "linear",
                                               "log_sigmoid",
                                               "log_softmax",
                                               "margin_ranking_loss",
                                               "max_pool1d",
                                               "max_pool2d",
                                               "max_pool3d",
                                               "mish",
                                               "mse_loss",
                                               "multi_margin_loss",
                                               "multilabel_margin_loss",
                                               "nll_loss",
                                               "one_hot",
                                               "pad",
                                               "pairwise_distance",
                                               "pdist",
                                               "pixel_shuffle",
                                               "pixel_unshuffle",
                                               "poisson_nll_loss",
                                               "prelu",
                                               "relu",
                                               "relu6",
                                               "rrelu",
                                               "scaled_dot_product_attention",
                                               "selu",
                                               "silu",
                                               "smooth_l1_loss",
                                               "soft_margin_loss",
                                               "softmax",
                                               "softplus",
                                               "softshrink",
                                               "threshold",
                                               "triplet_margin_loss"};
    constexpr std::pair<std::string_view, std::string_view> renamed[] = {
        {"affine_grid_generator", "affine_grid"}, {"grid_sampler", "grid_sample"}, {"log_sigmoid", "logsigmoid"}};
    constexpr std::pair<std::string_view, std::string_view> signs[] = {
        {"add", "__add__"},   {"sub", "__sub__"}, {"mul", "__mul__"}, {"div", "__truediv__"},  {"floor_divide", "__floordiv__"},
        {"rsub", "__rsub__"}, {"pow", "__pow__"}, {"eq", "__eq__"},   {"ne", "__ne__"},        {"lt", "__lt__"},
        {"le", "__le__"},     {"gt", "__gt__"},   {"ge", "__ge__"},   {"index", "__getitem__"}};
    constexpr std::string_view methods[] = {"contiguous", "copy_",     "expand",  "expand_as", "masked_fill", "new_full",
                                            "new_ones",   "new_zeros", "permute", "repeat",    "reshape",     "to",
                                            "transpose",  "type_as",   "unfold",  "view",      "view_as"};
    const auto is = [&](std::string_view other) { return plain.api == other; };
    const auto is_first = [&](const auto& pair) { return plain.api == pair.first; };
    const auto ends_with = [&](std::string_view end) {
        return plain.api.size() >= end.size() && plain.api.compare(plain.api.size() - end.size(), end.size(), end) == 0;
    };
    if (is("cross_entropy_loss")) return {"Functional", "cross_entropy"};
    if (is("nll_loss_nd")) return {"Functional", "nll_loss"};
    if (std::any_of(std::begin(functional), std::end(functional), is)) {
        const auto* other = std::find_if(std::begin(renamed), std::end(renamed), is_first);
        return {"Functional", other == std::end(renamed) ? plain.api : std::string(other->second), plain.api == "embedding"};
    }
    if (const auto* sign = std::find_if(std::begin(signs), std::end(signs), is_first); sign != std::end(signs))
        return {"Tensor", std::string(sign->second)};
    const bool in_place = ends_with("_") && !ends_with("__");
    if (in_place || plain.api.compare(0, 2, "__") == 0 || std::any_of(std::begin(methods), std::end(methods), is))
        return {"Tensor", plain.api};
    return {"Torch", plain.api};
}

} // namespace plumb
