/// \file
/// oneDNN's memory objects, read in place or reordered first, and a hook around its primitives.
///
/// With this file included, dnnl::memory converts to tensor_view if its layout is plain (nchw, nhwc, any strides) and lies in the
/// CPU's memory. readable_copy() takes the others: blocked layouts, packed weights, other devices.
#pragma once

#include <plumb/dump/dump_session.hpp>
#include <plumb/dump/tensor.hpp>
#include <plumb/guard/argument.hpp>
#include <plumb/types/tensor_view.hpp>

#include <oneapi/dnnl/dnnl.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace plumb {

/// The element type that oneDNN calls `type`; nothing for those that plumb does not know.
inline std::optional<dtype> dtype_from(dnnl::memory::data_type type) noexcept {
    switch (type) {
    case dnnl::memory::data_type::f32: return dtype::f32;
    case dnnl::memory::data_type::f16: return dtype::f16;
    case dnnl::memory::data_type::bf16: return dtype::bf16;
    case dnnl::memory::data_type::s32: return dtype::i32;
    case dnnl::memory::data_type::s8: return dtype::i8;
    case dnnl::memory::data_type::u8: return dtype::u8;
    default: return std::nullopt;
    }
}

namespace detail {

/// What of a memory descriptor says where the elements lie.
struct onednn_layout {
    dnnl::memory::dims shape, strides;
    dnnl::memory::data_type type = dnnl::memory::data_type::undef;
    std::int64_t offset = 0; ///< of the first element, in elements
    bool plain = false;      ///< the strides say it all

    explicit onednn_layout(const dnnl::memory::desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
        shape = desc.get_dims();
        type = desc.get_data_type();
        plain = desc.get_format_kind() == dnnl::memory::format_kind::blocked && desc.get_inner_nblks() == 0;
        if (plain) strides = desc.get_strides();
        if (plain) offset = desc.get_submemory_offset();
#else
        shape.assign(desc.data.dims, desc.data.dims + desc.data.ndims);
        type = static_cast<dnnl::memory::data_type>(desc.data.data_type);
        plain = desc.data.format_kind == dnnl_blocked && desc.data.format_desc.blocking.inner_nblks == 0;
        if (plain)
            strides.assign(desc.data.format_desc.blocking.strides, desc.data.format_desc.blocking.strides + desc.data.ndims);
        offset = desc.data.offset0;
#endif
    }
};

/// Strides of row-major order, in elements.
inline dnnl::memory::dims row_major(const dnnl::memory::dims& shape) {
    dnnl::memory::dims strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * (shape[i] > 0 ? shape[i] : 1);
    return strides;
}

/// What an argument of a primitive is called, and which way it goes.
struct onednn_role {
    std::string name;
    bool output = false;
};

/// Nothing for scratchpads, workspaces and attributes, which are no data.
inline std::optional<onednn_role> onednn_role_of(int argument, bool backward) {
    const auto numbered = [&](const char* name, int first) {
        return argument == first ? std::string(name) : name + ("_" + std::to_string(argument - first));
    };
    const auto among = [&](int first, int count) { return argument >= first && argument < first + count; };
    if (among(DNNL_ARG_SRC, 4)) return onednn_role{numbered("src", DNNL_ARG_SRC), false};
    if (among(DNNL_ARG_DST, 4)) return onednn_role{numbered("dst", DNNL_ARG_DST), !backward};
    if (among(DNNL_ARG_WEIGHTS, 4)) return onednn_role{numbered("weights", DNNL_ARG_WEIGHTS), false};
    if (argument == DNNL_ARG_BIAS) return onednn_role{"bias", false};
    if (argument == DNNL_ARG_SCALE) return onednn_role{"scale", false};
    if (argument == DNNL_ARG_SHIFT) return onednn_role{"shift", false};
    if (argument == DNNL_ARG_MEAN) return onednn_role{"mean", false};
    if (argument == DNNL_ARG_VARIANCE) return onednn_role{"variance", false};
    if (among(DNNL_ARG_DIFF_SRC, 4)) return onednn_role{numbered("diff_src", DNNL_ARG_DIFF_SRC), true};
    if (among(DNNL_ARG_DIFF_DST, 4)) return onednn_role{numbered("diff_dst", DNNL_ARG_DIFF_DST), false};
    if (among(DNNL_ARG_DIFF_WEIGHTS, 4)) return onednn_role{numbered("diff_weights", DNNL_ARG_DIFF_WEIGHTS), true};
    if (argument == DNNL_ARG_DIFF_BIAS) return onednn_role{"diff_bias", true};
    if (argument == DNNL_ARG_DIFF_SCALE) return onednn_role{"diff_scale", true};
    if (argument == DNNL_ARG_DIFF_SHIFT) return onednn_role{"diff_shift", true};
    if (among(DNNL_ARG_MULTIPLE_SRC, 1024)) return onednn_role{"src_" + std::to_string(argument - DNNL_ARG_MULTIPLE_SRC), false};
    if (among(DNNL_ARG_MULTIPLE_DST, 1024)) return onednn_role{"dst_" + std::to_string(argument - DNNL_ARG_MULTIPLE_DST), true};
    return std::nullopt;
}

} // namespace detail

/// True if the elements lie in the CPU's memory, and the descriptor's strides say where.
inline bool is_readable(const dnnl::memory& memory) {
    const detail::onednn_layout layout(memory.get_desc());
    return layout.plain && dtype_from(layout.type) && memory.get_engine().get_kind() == dnnl::engine::kind::cpu;
}

template <>
struct tensor_adapter<dnnl::memory> {
    /// Throws std::invalid_argument if the memory is not readable in place.
    static tensor_view view_of(const dnnl::memory& memory) {
        if (!is_readable(memory))
            throw std::invalid_argument(
                "plumb: this dnnl::memory is blocked, packed or not on the CPU: readable_copy() reorders it");
        const detail::onednn_layout layout(memory.get_desc());
        const dtype type = *dtype_from(layout.type);
        const auto element = static_cast<std::int64_t>(size_of(type));
        extents shape, strides;
        for (const auto length : layout.shape) shape.push_back(length);
        for (const auto stride : layout.strides) strides.push_back(stride * element);
        return {type, static_cast<const char*>(memory.get_data_handle()) + layout.offset * element, shape, strides};
    }
};

/// The same elements in row-major order on the CPU, where is_readable() is true: the memory itself if it is, otherwise a copy
/// that a reorder on `stream` makes; padding is left behind. Waits for the stream. Throws dnnl::error if oneDNN cannot reorder,
/// std::invalid_argument for an element type that plumb does not know.
inline dnnl::memory readable_copy(const dnnl::memory& memory, dnnl::stream& stream) {
    stream.wait();
    if (is_readable(memory)) return memory;
    const detail::onednn_layout layout(memory.get_desc());
    if (!dtype_from(layout.type))
        throw std::invalid_argument("plumb: a dnnl::memory has an element type that plumb does not know");
    const dnnl::memory::desc plain(layout.shape, layout.type, detail::row_major(layout.shape));
    const dnnl::engine engine = memory.get_engine();
    dnnl::memory copy(plain, engine.get_kind() == dnnl::engine::kind::cpu ? engine : dnnl::engine(dnnl::engine::kind::cpu, 0));
    dnnl::memory from = memory;
    dnnl::reorder(from, copy).execute(stream, from, copy);
    stream.wait();
    return copy;
}

/// A memory object as an operator's argument; nothing for an empty one (without dimensions).
inline argument onednn_argument(const dnnl::memory& memory, dnnl::stream& stream) {
    if (!memory.get(true) || memory.get_desc().is_zero()) return {};
    const dnnl::memory readable = readable_copy(memory, stream);
    argument taken{tensor_view(readable)};
    if (readable.get() != memory.get()) taken.owned_by(std::make_shared<dnnl::memory>(readable));
    return taken;
}

/// Executes a primitive and records it: inputs before, outputs after, each by its name (src, weights, bias, dst, diff_dst, …), as
/// a call of the family "oneDNN". With a diff_dst among the arguments it is a backward call. The mean and variance of a
/// normalization count as inputs. While the session is off, this executes the primitive and no more.
///
///     plumb::run_primitive(session, "conv1", convolution, stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST,
///     y}});
inline void run_primitive(dump_session& session, std::string_view name, const dnnl::primitive& primitive, dnnl::stream& stream,
                          const std::unordered_map<int, dnnl::memory>& arguments) {
    if (!session.enabled()) return primitive.execute(stream, arguments);
    const bool backward = arguments.count(DNNL_ARG_DIFF_DST) != 0;
    const auto taken = [&](bool outputs) {
        std::map<int, argument> ordered;
        for (const auto& [number, memory] : arguments) {
            auto role = detail::onednn_role_of(number, backward);
            if (role && role->output == outputs) ordered[number] = onednn_argument(memory, stream).named(std::move(role->name));
        }
        argument_vector all;
        for (auto& [number, each] : ordered) all.push_back(std::move(each));
        return all;
    };
    operator_call call = session.begin("oneDNN", name, backward ? direction::backward : direction::forward, taken(false));
    primitive.execute(stream, arguments);
    call.finish(taken(true));
}

} // namespace plumb
