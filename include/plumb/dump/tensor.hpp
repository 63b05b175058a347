/// \file
/// A tensor together with the memory it lies in.
#pragma once

#include <plumb/types/tensor_view.hpp>

#include <memory>
#include <utility>

namespace plumb {

/// A tensor_view and what keeps its memory alive: a buffer on the heap or a mapped file. Cheap to copy; copies share.
class tensor {
public:
    /// An empty tensor of shape [0].
    tensor() = default;
    tensor(tensor_view look, std::shared_ptr<const void> owner) : view_(std::move(look)), owner_(std::move(owner)) {}

    const tensor_view& view() const noexcept { return view_; }
    operator const tensor_view&() const noexcept { return view_; }
    /// Another look at the same memory.
    tensor viewed_as(tensor_view look) const { return {std::move(look), owner_}; }
    dtype type() const noexcept { return view_.type(); }
    const extents& shape() const noexcept { return view_.shape(); }

private:
    tensor_view view_;
    std::shared_ptr<const void> owner_;
};

} // namespace plumb
