/// \file
/// Brings the elements of a tensor, whatever its strides, side by side.
#pragma once

#include <plumb/types/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace plumb {

namespace detail {
inline namespace PLUMB_TARGET {

/// Copies `n` elements of `bytes` each, which lie `stride` bytes apart.
inline void gather(char* to, const char* from, std::int64_t stride, std::size_t n, std::size_t bytes) noexcept {
    if (stride == static_cast<std::int64_t>(bytes)) {
        std::memcpy(to, from, n * bytes);
        return;
    }
    const auto copy_each = [&](auto size) {
        for (std::size_t i = 0; i < n; ++i) std::memcpy(to + i * size(), from + static_cast<std::int64_t>(i) * stride, size());
    };
    switch (bytes) {
    case 1: return copy_each(std::integral_constant<std::size_t, 1>{});
    case 2: return copy_each(std::integral_constant<std::size_t, 2>{});
    case 4: return copy_each(std::integral_constant<std::size_t, 4>{});
    default: return copy_each(std::integral_constant<std::size_t, 8>{});
    }
}

} // namespace PLUMB_TARGET
} // namespace detail

/// Reads a tensor's elements in row-major order, some at a time.
class strided_reader {
public:
    PLUMB_ALWAYS_INLINE explicit strided_reader(const tensor_view& tensor)
        : data_(static_cast<const char*>(tensor.data())), left_(tensor.count()), bytes_(size_of(tensor.type())) {
        // Dimensions of length 1 are left out, and neighbours that step evenly are one: a contiguous tensor is one row.
        const std::size_t rank = left_ > 0 ? tensor.shape().size() : 0; // an empty tensor's other lengths may be of any size
        for (std::size_t dim = 0; dim < rank; ++dim) {
            const std::int64_t length = tensor.shape()[dim], stride = tensor.strides()[dim];
            if (length == 1) continue;
            const std::size_t last = shape_.size() - 1;
            if (!shape_.empty() && strides_[last] == stride * length) {
                shape_[last] *= length;
                strides_[last] = stride;
            } else {
                shape_.push_back(length);
                strides_.push_back(stride);
            }
        }
        if (shape_.empty()) {
            shape_.push_back(1);
            strides_.push_back(0);
        }
    }

    /// Copies the next `n` elements, or as many as are left, and returns how many they were.
    PLUMB_ALWAYS_INLINE std::size_t read(void* to, std::size_t n) noexcept {
        auto* out = static_cast<char*>(to);
        std::size_t done = 0;
        const std::size_t row = shape_.size() - 1;
        while (done < n && left_ > 0) {
            const auto in_row = static_cast<std::size_t>(shape_[row] - position_[row]);
            const std::size_t count = in_row < n - done ? in_row : n - done;
            detail::gather(out + done * bytes_, data_ + offset_, strides_[row], count, bytes_);
            done += count;
            left_ -= count;
            step(row, static_cast<std::int64_t>(count));
        }
        return done;
    }

private:
    PLUMB_ALWAYS_INLINE void step(std::size_t dim, std::int64_t count) noexcept {
        position_[dim] += count;
        offset_ += strides_[dim] * count;
        for (; dim > 0 && position_[dim] == shape_[dim]; --dim) {
            offset_ += strides_[dim - 1] - strides_[dim] * shape_[dim];
            position_[dim] = 0;
            ++position_[dim - 1];
        }
    }

    const char* data_;
    std::int64_t offset_ = 0; ///< of the next element; an integer, as it may come to lie outside the tensor after the last one
    std::uint64_t left_;
    std::size_t bytes_;
    extents shape_, strides_;
    std::int64_t position_[max_rank] = {};
};

} // namespace plumb
