/// \file
/// A read-only look at a tensor: element type, address, shape and strides.
#pragma once

#include <plumb/types/dtype.hpp>
#include <plumb/types/view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace plumb {

/// The most dimensions that a tensor may have (NumPy's limit up to version 1).
inline constexpr std::size_t max_rank = 32;

/// The lengths (or strides) of a tensor's dimensions, outermost first. Empty for a scalar. Lives without the heap.
class extents {
public:
    PLUMB_ALWAYS_INLINE extents() noexcept = default;
    PLUMB_ALWAYS_INLINE extents(std::initializer_list<std::int64_t> lengths) : extents(lengths.begin(), lengths.size()) {}
    /// Throws std::invalid_argument if there are more than max_rank.
    PLUMB_ALWAYS_INLINE extents(const std::int64_t* lengths, std::size_t rank) {
        for (std::size_t i = 0; i < rank; ++i) push_back(lengths[i]);
    }

    PLUMB_ALWAYS_INLINE void push_back(std::int64_t length) {
        if (rank_ == max_rank) throw std::invalid_argument("plumb: a tensor has at most 32 dimensions");
        lengths_[rank_++] = length;
    }
    PLUMB_ALWAYS_INLINE std::size_t size() const noexcept { return rank_; }
    PLUMB_ALWAYS_INLINE bool empty() const noexcept { return rank_ == 0; }
    PLUMB_ALWAYS_INLINE std::int64_t operator[](std::size_t i) const noexcept { return lengths_[i]; }
    PLUMB_ALWAYS_INLINE std::int64_t& operator[](std::size_t i) noexcept { return lengths_[i]; }
    PLUMB_ALWAYS_INLINE const std::int64_t* data() const noexcept { return lengths_.data(); }
    PLUMB_ALWAYS_INLINE const std::int64_t* begin() const noexcept { return lengths_.data(); }
    PLUMB_ALWAYS_INLINE const std::int64_t* end() const noexcept { return lengths_.data() + rank_; }

    friend PLUMB_ALWAYS_INLINE bool operator==(const extents& a, const extents& b) noexcept {
        bool equal = a.rank_ == b.rank_;
        for (std::size_t i = 0; equal && i < a.rank_; ++i) equal = a.lengths_[i] == b.lengths_[i];
        return equal;
    }
    friend PLUMB_ALWAYS_INLINE bool operator!=(const extents& a, const extents& b) noexcept { return !(a == b); }

private:
    std::array<std::int64_t, max_rank> lengths_{};
    std::size_t rank_ = 0;
};

inline namespace PLUMB_TARGET {

/// Number of elements of a tensor of this shape; 1 for a scalar, 0 if any length is 0.
/// Throws std::invalid_argument if a length is negative or the product exceeds 2^63 - 1.
inline std::uint64_t element_count(const extents& shape) {
    constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t count = 1;
    bool empty = false, overflow = false;
    for (const std::int64_t length : shape) {
        if (length < 0) throw std::invalid_argument("plumb: a shape has a negative length, " + std::to_string(length));
        const auto n = static_cast<std::uint64_t>(length);
        empty = empty || n == 0;
        overflow = overflow || (n != 0 && count > limit / n);
        if (!overflow && n != 0) count *= n;
    }
    if (empty) return 0;
    if (overflow) throw std::invalid_argument("plumb: a shape's product overflows: it has more than 2^63 - 1 elements");
    return count;
}

/// Strides in bytes of a contiguous tensor: the last dimension varies fastest (C order), or the first one (Fortran order).
inline extents contiguous_strides(const extents& shape, std::size_t element_bytes, bool fortran_order = false) {
    extents strides = shape;
    std::uint64_t stride = element_bytes; // unsigned: in an empty tensor the other lengths may be of any size
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t dim = fortran_order ? i : shape.size() - 1 - i;
        strides[dim] = static_cast<std::int64_t>(stride);
        if (shape[dim] > 1) stride *= static_cast<std::uint64_t>(shape[dim]);
    }
    return strides;
}

/// "[2, 3]", the way the index files write a shape.
inline std::string to_string(const extents& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

} // namespace PLUMB_TARGET

/// How a framework's tensor becomes a tensor_view. An adapter specialises this template with a function
///
///     static plumb::tensor_view view_of(const its_tensor&);
///
/// and its_tensor converts to tensor_view from then on.
template <class T, class = void>
struct tensor_adapter {};

/// A tensor that somebody else owns. Strides are in bytes and may be negative, zero (a broadcast dimension) or those of
/// Fortran order; the element at (i, j, …) lies at data + i * strides[0] + j * strides[1] + …. Whatever the strides, plumb reads
/// the elements in the row-major order of the shape, and positions in reports count in that order.
class tensor_view {
public:
    PLUMB_ALWAYS_INLINE tensor_view() noexcept : shape_{0}, strides_{4} {}

    /// A contiguous tensor in C order. Throws std::invalid_argument for a negative length or too many elements.
    PLUMB_ALWAYS_INLINE tensor_view(dtype type, const void* data, const extents& shape)
        : tensor_view(type, data, shape, contiguous_strides(shape, size_of(type))) {}

    /// Throws std::invalid_argument as above, and if the number of strides is not that of the lengths.
    PLUMB_ALWAYS_INLINE tensor_view(dtype type, const void* data, const extents& shape, const extents& strides)
        : data_(data), count_(element_count(shape)), shape_(shape), strides_(strides), type_(type) {
        if (shape.size() != strides.size()) throw std::invalid_argument("plumb: a tensor needs one stride for each dimension");
        if (count_ > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / size_of(type))
            throw std::invalid_argument("plumb: a tensor has at most 2^63 - 1 bytes");
    }

    template <class T>
    PLUMB_ALWAYS_INLINE tensor_view(view<T> buffer)
        : tensor_view(dtype_of<T>, buffer.data(), extents{static_cast<std::int64_t>(buffer.size())}) {}

    /// A contiguous container of elements, as a tensor of one dimension.
    template <class Buffer, class T = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const Buffer&>().data())>>,
              class = std::enable_if_t<is_element_v<T>>, class = decltype(view<T>(std::declval<const Buffer&>()))>
    PLUMB_ALWAYS_INLINE tensor_view(const Buffer& buffer) : tensor_view(view<T>(buffer)) {}

    /// An array, as a tensor of one dimension.
    template <class T, std::size_t N, class = std::enable_if_t<is_element_v<T>>>
    PLUMB_ALWAYS_INLINE tensor_view(const T (&array)[N]) : tensor_view(view<T>(array)) {}

    /// What an adapter makes of a framework's tensor.
    template <class T, class = void, class = decltype(tensor_adapter<T>::view_of(std::declval<const T&>()))>
    PLUMB_ALWAYS_INLINE tensor_view(const T& tensor) : tensor_view(tensor_adapter<T>::view_of(tensor)) {}

    PLUMB_ALWAYS_INLINE dtype type() const noexcept { return type_; }
    PLUMB_ALWAYS_INLINE const void* data() const noexcept { return data_; }
    PLUMB_ALWAYS_INLINE const extents& shape() const noexcept { return shape_; }
    PLUMB_ALWAYS_INLINE const extents& strides() const noexcept { return strides_; }
    /// Number of elements.
    PLUMB_ALWAYS_INLINE std::uint64_t count() const noexcept { return count_; }
    /// Bytes of the elements, if they lay side by side.
    PLUMB_ALWAYS_INLINE std::uint64_t bytes() const noexcept { return count_ * size_of(type_); }
    /// True if the elements lie side by side in C order.
    PLUMB_ALWAYS_INLINE bool is_contiguous() const noexcept {
        if (count_ == 0) return true;
        auto stride = static_cast<std::int64_t>(size_of(type_));
        for (std::size_t i = shape_.size(); i-- > 0;) {
            if (shape_[i] == 1) continue;
            if (strides_[i] != stride) return false;
            stride *= shape_[i];
        }
        return true;
    }

private:
    const void* data_ = nullptr;
    std::uint64_t count_ = 0;
    extents shape_;
    extents strides_;
    dtype type_ = dtype::f32;
};

inline namespace PLUMB_TARGET {

/// The tensor that x is: a contiguous buffer of elements, or a framework's tensor whose adapter is included.
template <class T>
PLUMB_ALWAYS_INLINE tensor_view as_view(const T& x) {
    static_assert(std::is_convertible_v<const T&, tensor_view>,
                  "plumb reads elements where they lie. This is neither a contiguous buffer of a known element type (an own one: "
                  "specialise plumb::element_traits) nor a tensor with an adapter (include the framework's, or specialise "
                  "plumb::tensor_adapter); an expression must be evaluated first, and std::vector<bool> holds no bools");
    return x;
}

} // namespace PLUMB_TARGET
} // namespace plumb
