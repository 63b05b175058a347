/// \file
/// What a dump session keeps of each tensor.
#pragma once

#include <plumb/dump/call_record.hpp>
#include <plumb/dump/checksum.hpp>
#include <plumb/dump/element_order.hpp>
#include <plumb/guard/argument.hpp>
#include <plumb/metrics/tensor_statistics.hpp>
#include <plumb/types/small_float.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace plumb {

namespace detail {

/// Where element number `index`, in row-major order, lies.
inline const char* address_of(const tensor_view& tensor, std::uint64_t index) noexcept {
    const auto* at = static_cast<const char*>(tensor.data());
    for (std::size_t i = tensor.shape().size(); i-- > 0;) {
        const auto length = static_cast<std::uint64_t>(tensor.shape()[i]);
        at += static_cast<std::int64_t>(index % length) * tensor.strides()[i];
        index /= length;
    }
    return at;
}

} // namespace detail

/// How much of a tensor is kept.
enum class dump_content : std::uint8_t {
    data,     ///< its elements, and its statistics
    summary,  ///< statistics alone: max, min, mean, norm, how many are NaN or infinite
    checksum, ///< CRC-32 of its bytes alone, as the seed tools' md5 modes
    names,    ///< type and shape alone
};

/// What is kept of each argument. A plain value.
struct tensor_recorder {
    dump_content content = dump_content::data;
    bool inputs = true;
    bool outputs = true;
    /// Leaves out scalars, and tensors that are not floating, have no dimension or no element: the seed tools' filter_switch.
    bool filter = false;
    bool statistics = true; ///< beside the data
    bool checksums = false; ///< beside data or statistics
    /// Of a larger tensor only so many elements, evenly spaced over its row-major order, the first among them; 0: all. The
    /// statistics are those of the whole tensor.
    std::uint64_t sample = 0;

    bool keeps(bool output) const noexcept { return output ? outputs : inputs; }

    /// Adds what is to be kept of `list` to `record`. With `copy`, tensors that no owner keeps alive are copied: the caller may
    /// change them afterwards.
    void add(call_record& record, tensor_kind kind, const argument_list& list, bool copy) const {
        const bool single = list.single && kind == tensor_kind::output; // inputs always are a list: "input.0"
        add_items(record, kind, list.items, {}, single, copy);
    }

    /// How many bytes describe() has to go through.
    std::uint64_t undescribed_bytes(const recorded_argument& each) const noexcept {
        return !each.described && each.view && (wants_statistics() || wants_checksum()) ? each.view->bytes() : 0;
    }
    /// Fills in statistics and checksum of what was kept with its elements, unless they are there. Touches nothing else.
    void describe(recorded_argument& each) const {
        if (each.described || !each.view) return;
        if (wants_statistics()) each.stats = summarize(*each.view);
        if (wants_checksum()) each.checksum = crc32_text(*each.view);
        each.described = true;
    }

private:
    bool wants_statistics() const noexcept {
        return content == dump_content::data ? statistics : content == dump_content::summary;
    }
    bool wants_checksum() const noexcept { return content == dump_content::checksum || checksums; }

    void add_items(call_record& record, tensor_kind kind, const argument_vector& all, const std::string& place, bool single,
                   bool copy) const {
        std::size_t number = 0;
        for (const argument& each : all) {
            const std::string word = each.keyword().empty() ? std::to_string(number) : each.keyword();
            std::string slot = place.empty() ? word : place + "." + word;
            ++number;
            if (const auto* items = each.items()) {
                add_items(record, kind, *items, slot, false, copy);
            } else if (const auto* view = each.tensor()) {
                if (filter && (!is_floating(view->type()) || view->shape().empty() || view->count() == 0)) continue;
                record.entries.push_back(keep(*view, each, copy));
                place_last(record, kind, std::move(slot), single);
            } else if (!filter && each.value().index() != 0) {
                recorded_argument scalar;
                scalar.scalar = each.value();
                record.entries.push_back(std::move(scalar));
                place_last(record, kind, std::move(slot), single);
            }
        }
    }

    static void place_last(call_record& record, tensor_kind kind, std::string slot, bool single) {
        recorded_argument& last = record.entries.back();
        last.kind = kind;
        last.slot = std::move(slot);
        last.single = single;
    }

    recorded_argument keep(const tensor_view& view, const argument& from, bool copy) const {
        recorded_argument kept;
        kept.type = view.type();
        kept.shape = view.shape();
        kept.requires_grad = from.requires_grad();
        if (content == dump_content::names) return kept;
        kept.view = view;
        if (content != dump_content::data) {
            describe(kept); // at once: nothing else of the tensor is needed
            kept.view.reset();
        } else if (sample != 0 && view.count() > sample) {
            describe(kept);
            kept.sampled_from = view.shape();
            kept.data = sampled(view);
            kept.view = kept.data->view();
        } else if (from.owner()) {
            kept.data = tensor(view, from.owner());
        } else if (copy) {
            kept.data = packed_copy(view);
            kept.view = kept.data->view();
        }
        return kept;
    }

    static tensor packed_copy(const tensor_view& view) {
        const auto bytes = detail::heap_bytes(view.bytes());
        std::size_t done = 0;
        detail::for_each_packed(view, [&](const char* piece, std::size_t size) {
            std::memcpy(bytes.get() + done, piece, size);
            done += size;
        });
        return {tensor_view(view.type(), bytes.get(), view.shape()), bytes};
    }

    tensor sampled(const tensor_view& view) const {
        const std::size_t size = size_of(view.type());
        const auto bytes = detail::heap_bytes(sample * size);
        for (std::uint64_t i = 0; i < sample; ++i) {
            // floor(i * count / sample) without overflow
            const std::uint64_t at = view.count() / sample * i + view.count() % sample * i / sample;
            std::memcpy(bytes.get() + i * size, detail::address_of(view, at), size);
        }
        return {tensor_view(view.type(), bytes.get(), extents{static_cast<std::int64_t>(sample)}), bytes};
    }
};

} // namespace plumb
