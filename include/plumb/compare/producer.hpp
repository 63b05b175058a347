/// \file
/// Which operator of a dump made a tensor, told by what the tensor holds.
#pragma once

#include <plumb/compare/call_evidence.hpp>
#include <plumb/compare/compare_entries.hpp>
#include <plumb/dump/model.hpp>
#include <plumb/types/strided_reader.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>

namespace plumb {

namespace detail {

/// Same type, number of elements and bytes in row-major order; the shapes may differ, as they do after a view.
inline bool same_elements(const tensor_view& a, const tensor_view& b) {
    if (a.type() != b.type() || a.count() != b.count()) return false;
    constexpr std::size_t block = 4096;
    alignas(8) char left[block * 8], right[block * 8];
    strided_reader from_a(a), from_b(b);
    while (const std::size_t n = from_a.read(left, block)) {
        from_b.read(right, n);
        if (std::memcmp(left, right, n * size_of(a.type())) != 0) return false;
    }
    return true;
}

inline bool may_hold_the_same(const dump_entry& a, const dump_entry& b) {
    if (!a.shape || !b.shape || a.type != b.type || element_count(*a.shape) != element_count(*b.shape)) return false;
    // A transposed view is summed in another order, so of the statistics only max and min are sure to stay.
    return !a.stats || !b.stats || (a.stats->max == b.stats->max && a.stats->min == b.stats->min);
}

} // namespace detail

/// The last call before `user` with an output that holds the same elements as the reference's `input`: the operator that produced
/// it. Found by bytes, else by checksum, else by equal statistics; null if there is none.
inline const call_evidence* find_producer(const call_history& history, const call_evidence& user, const dump_entry& input) {
    entry_loader loader;
    const auto try_to_load = [&](const dump_entry& entry) -> std::optional<tensor> {
        try {
            return detail::has_data(entry) ? std::optional(loader(entry)) : std::nullopt;
        } catch (const std::exception&) {
            return std::nullopt; // its row says why
        }
    };
    const std::optional<tensor> wanted = try_to_load(input);
    const auto& calls = history.calls();
    auto last = std::find(calls.begin(), calls.end(), &user);
    while (last != calls.begin()) {
        const call_evidence& call = **--last;
        for (const comparison_row* row : call.outputs) {
            const dump_entry& output = *row->reference;
            if (!detail::may_hold_the_same(output, input)) continue;
            if (wanted && detail::has_data(output)) {
                const std::optional<tensor> candidate = try_to_load(output);
                if (candidate && detail::same_elements(*candidate, *wanted)) return &call;
            } else if (!input.checksum.empty() && !output.checksum.empty()) {
                if (input.checksum == output.checksum) return &call;
            } else if (input.stats && output.stats && agreement_of(*output.stats, *input.stats) == agreement::same) {
                return &call;
            }
        }
    }
    return nullptr;
}

} // namespace plumb
