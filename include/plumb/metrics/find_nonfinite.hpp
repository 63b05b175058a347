/// \file
/// Where the first NaN or infinity of a tensor is.
#pragma once

#include <plumb/kernels/add_tensor.hpp>
#include <plumb/types/strided_reader.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace plumb {
inline namespace PLUMB_TARGET {

/// The position, in row-major order, of the first NaN or infinity, or nothing. Stops there: to count them all, summarize().
/// Integers have none. Reads as fast as memory gives, and is what a guard that looks at every output wants.
inline std::optional<std::uint64_t> find_nonfinite(const tensor_view& tensor) {
    const cpu_level level = active_cpu_level();
    if (tensor.is_contiguous()) {
        const auto n = static_cast<std::size_t>(tensor.count());
        const std::size_t at = kernels::find_nonfinite_at(level, tensor.type(), tensor.data(), n);
        return at == n ? std::nullopt : std::optional<std::uint64_t>(at);
    }
    constexpr std::size_t block = 2048;
    alignas(64) char elements[block * 8];
    strided_reader from(tensor);
    for (std::uint64_t before = 0; const std::size_t n = from.read(elements, block); before += n) {
        const std::size_t at = kernels::find_nonfinite_at(level, tensor.type(), elements, n);
        if (at != n) return before + at;
    }
    return std::nullopt;
}

} // namespace PLUMB_TARGET
} // namespace plumb
