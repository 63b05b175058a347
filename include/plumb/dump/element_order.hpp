/// \file
/// Brings elements into the order that a file or a processor wants: packed, aligned, byte-swapped.
#pragma once

#include <plumb/dump/file_bytes.hpp>
#include <plumb/dump/tensor.hpp>
#include <plumb/types/tensor_view.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace plumb::detail {

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
inline constexpr bool big_endian_host = true;
#else
inline constexpr bool big_endian_host = false;
#endif

/// Calls sink(pointer, bytes) with pieces of the elements, which then lie side by side, in the row-major order of the shape.
template <class Sink>
void for_each_packed(const tensor_view& view, Sink&& sink) {
    if (view.count() == 0) return;
    const auto* base = static_cast<const char*>(view.data());
    if (view.is_contiguous()) return sink(base, static_cast<std::size_t>(view.bytes()));

    const std::size_t size = size_of(view.type());
    const std::size_t inner = view.shape().size() - 1; // a scalar is contiguous
    std::array<char, 1 << 14> buffer;
    std::size_t filled = 0;
    extents at = view.shape();
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = 0;
    for (std::uint64_t row = view.count() / static_cast<std::uint64_t>(view.shape()[inner]); row > 0; --row) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < inner; ++i) offset += at[i] * view.strides()[i];
        for (std::int64_t i = 0; i < view.shape()[inner]; ++i) {
            std::memcpy(buffer.data() + filled, base + offset + i * view.strides()[inner], size);
            filled += size;
            if (filled == buffer.size()) {
                sink(buffer.data(), filled);
                filled = 0;
            }
        }
        for (std::size_t i = inner; i-- > 0;) {
            if (++at[i] < view.shape()[i]) break;
            at[i] = 0;
        }
    }
    if (filled > 0) sink(buffer.data(), filled);
}

/// Elements of `size` bytes, in the machine's order and aligned: the same bytes if they are so already, else a copy of them.
inline std::pair<const char*, std::shared_ptr<const void>>
usable_elements(const char* data, std::uint64_t bytes, std::size_t size, bool swapped, std::shared_ptr<const void> owner) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % size == 0;
    if (aligned && !(swapped && size > 1)) return {data, std::move(owner)};
    auto copy = heap_bytes(bytes);
    if (bytes > 0) std::memcpy(copy.get(), data, static_cast<std::size_t>(bytes));
    if (swapped)
        for (std::uint64_t i = 0; i < bytes; i += size) std::reverse(copy.get() + i, copy.get() + i + size);
    return {copy.get(), copy};
}

} // namespace plumb::detail
