/// \file
/// Values of a pickle, and what torch's few functions that rebuild tensors would make of them.
#pragma once

#include <plumb/dump/file_bytes.hpp>
#include <plumb/types/dtype.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::detail {

/// A value of a pickle. Parts are indices of other values.
struct pickle_value {
    enum class kind_type : std::uint8_t { none, integer, text, other, tuple, list, dict, global, storage, tensor };

    kind_type kind = kind_type::none;
    std::int64_t integer = 0;       ///< of an integer or bool; of a storage: its number of bytes
    std::string text;               ///< of a text or global; of a storage and its tensors: the key of the record
    std::vector<std::size_t> items; ///< of a tuple or list; keys and values in turn of a dict

    std::optional<dtype> type; ///< of a tensor or storage; an untyped storage has none

    /// Of a tensor. Kept apart since it is large, and a pickle has many other values.
    struct look_type {
        std::int64_t storage_bytes = 0;
        std::int64_t offset = 0; ///< in elements
        extents shape, strides;  ///< strides in elements
    };
    std::shared_ptr<const look_type> look;
};

/// Knows the globals that a pickle of tensors may name, and their effects.
class tensor_rebuilder {
public:
    tensor_rebuilder(const file_bytes& file, const std::vector<pickle_value>& values, const std::uint64_t& position)
        : file_(file), values_(values), position_(position) {}

    /// A global by its full name. Throws io_error for one that is not allowed.
    pickle_value global(std::string name) const {
        constexpr std::string_view functions[] = {
            "collections.OrderedDict", "torch.Size", rebuild, rebuild_v2, rebuild_v3, parameter};
        bool allowed = storage_type(name).first || element_type(name).has_value();
        for (const std::string_view function : functions) allowed = allowed || name == function;
        if (!allowed)
            fail("refuses the global " + printable(name) + ": only tensors of known types are read, nothing is executed");
        pickle_value value;
        value.kind = kind::global;
        value.text = std::move(name);
        return value;
    }

    /// What torch's persistent_load makes of ('storage', type, key, device, count).
    pickle_value storage_of(const pickle_value& id) const {
        if (id.kind != kind::tuple || id.items.size() < 5 || item(id, 0).text != "storage")
            fail("expected a storage's description of five parts");
        const auto [is_storage, type] = storage_type(item(id, 1).text);
        if (item(id, 1).kind != kind::global || !is_storage) fail("expected a storage type");
        if (item(id, 2).kind != kind::text || item(id, 4).kind != kind::integer)
            fail("expected a storage's key and number of elements");
        const std::int64_t count = item(id, 4).integer;
        const auto size = static_cast<std::int64_t>(type ? size_of(*type) : 1);
        if (count < 0 || count > INT64_MAX / size) fail("a storage of " + std::to_string(count) + " elements");
        pickle_value value;
        value.kind = kind::storage;
        value.text = item(id, 2).text;
        value.integer = count * size;
        value.type = type;
        return value;
    }

    /// What calling `function` would give.
    pickle_value call(const pickle_value& function, const pickle_value& arguments) const {
        if (function.kind != kind::global || arguments.kind != kind::tuple)
            fail("expected a function and a tuple to call it with");
        const std::size_t count = arguments.items.size();
        pickle_value value;
        if (function.text == "collections.OrderedDict") {
            if (count != 0) fail("expected an OrderedDict that is filled after it is made");
            value.kind = kind::dict;
        } else if (function.text == "torch.Size" && count == 1 && item(arguments, 0).kind == kind::tuple) {
            value = item(arguments, 0);
        } else if (function.text == parameter && count == 3 && item(arguments, 0).kind == kind::tensor) {
            value = item(arguments, 0);
        } else if (function.text == rebuild_v2 && (count == 6 || count == 7)) {
            value = tensor(arguments, item(arguments, 0).type);
            if (count == 7) check_metadata(item(arguments, 6));
        } else if (function.text == rebuild && count == 4) {
            value = tensor(arguments, item(arguments, 0).type);
        } else if (function.text == rebuild_v3 && (count == 7 || count == 8) && item(arguments, 6).kind == kind::global) {
            value = tensor(arguments, element_type(item(arguments, 6).text));
            if (count == 8) check_metadata(item(arguments, 7));
        } else {
            fail("refuses to call " + printable(function.text) + " with " + std::to_string(count) + " arguments of these kinds");
        }
        return value;
    }

private:
    using kind = pickle_value::kind_type;
    static constexpr std::string_view rebuild = "torch._utils._rebuild_tensor";
    static constexpr std::string_view rebuild_v2 = "torch._utils._rebuild_tensor_v2";
    static constexpr std::string_view rebuild_v3 = "torch._utils._rebuild_tensor_v3";
    static constexpr std::string_view parameter = "torch._utils._rebuild_parameter";

    [[noreturn]] void fail(const std::string& problem) const { file_.fail_at(position_, problem); }
    const pickle_value& item(const pickle_value& tuple, std::size_t i) const { return values_[tuple.items[i]]; }

    static std::string printable(const std::string& name) {
        std::string text;
        for (const char c : name.substr(0, 200)) text += static_cast<unsigned char>(c) >= 0x20 && c != 0x7f ? c : '?';
        return text;
    }

    /// Whether the name is that of a storage class; its element type, if it has one.
    static std::pair<bool, std::optional<dtype>> storage_type(const std::string& name) {
        struct named {
            const char* name;
            dtype type;
        };
        static constexpr named names[] = {{"torch.BoolStorage", dtype::boolean}, {"torch.CharStorage", dtype::i8},
                                          {"torch.ShortStorage", dtype::i16},    {"torch.IntStorage", dtype::i32},
                                          {"torch.LongStorage", dtype::i64},     {"torch.ByteStorage", dtype::u8},
                                          {"torch.HalfStorage", dtype::f16},     {"torch.BFloat16Storage", dtype::bf16},
                                          {"torch.FloatStorage", dtype::f32},    {"torch.DoubleStorage", dtype::f64}};
        for (const named& each : names)
            if (name == each.name) return {true, each.type};
        return {name == "torch.storage.UntypedStorage" || name == "torch.UntypedStorage", std::nullopt};
    }
    static std::optional<dtype> element_type(const std::string& name) {
        constexpr std::string_view prefix = "torch.";
        if (name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
        for (std::size_t i = 0; i < dtype_count; ++i)
            if (name.substr(prefix.size()) == torch_name_of(static_cast<dtype>(i))) return static_cast<dtype>(i);
        return std::nullopt;
    }

    void check_metadata(const pickle_value& metadata) const {
        if (metadata.kind != kind::none && !(metadata.kind == kind::dict && metadata.items.empty()))
            fail("a tensor with lazy state (negated or conjugated views): save it after .resolve_neg()");
    }

    extents lengths(const pickle_value& tuple, const char* what) const {
        extents result;
        if (tuple.kind != kind::tuple) fail(std::string("expected a tuple of ") + what);
        if (tuple.items.size() > max_rank)
            fail("a tensor of " + std::to_string(tuple.items.size()) + " dimensions, expected at most 32");
        for (const std::size_t index : tuple.items) {
            if (values_[index].kind != kind::integer) fail(std::string("expected whole numbers as ") + what);
            if (values_[index].integer < 0) fail(std::string("a negative number among the ") + what);
            result.push_back(values_[index].integer);
        }
        return result;
    }

    /// (storage, offset, shape, strides, …): checked to lie inside its storage.
    pickle_value tensor(const pickle_value& arguments, std::optional<dtype> type) const {
        const pickle_value& storage = item(arguments, 0);
        if (storage.kind != kind::storage || !type) fail("expected a storage and an element type to make a tensor of");
        if (item(arguments, 1).kind != kind::integer || item(arguments, 1).integer < 0) fail("expected a storage offset");
        pickle_value value;
        value.kind = kind::tensor;
        value.type = type;
        value.text = storage.text;
        pickle_value::look_type look;
        look.storage_bytes = storage.integer;
        look.offset = item(arguments, 1).integer;
        look.shape = lengths(item(arguments, 2), "lengths");
        look.strides = lengths(item(arguments, 3), "strides");
        value.look = std::make_shared<const pickle_value::look_type>(look);
        if (look.shape.size() != look.strides.size()) fail("a tensor with other numbers of lengths and strides");

        std::uint64_t count = 0;
        try {
            count = element_count(look.shape);
        } catch (const std::invalid_argument&) {
            fail("the shape " + to_string(look.shape) + " is too large: its product overflows");
        }
        if (count > static_cast<std::uint64_t>(INT64_MAX) / size_of(*type))
            fail("the shape " + to_string(look.shape) + " is too large: it has more than 2^63 - 1 bytes");
        if (count == 0) return value;
        const auto elements = storage.integer / static_cast<std::int64_t>(size_of(*type));
        std::int64_t last = look.offset;
        bool inside = last < elements;
        for (std::size_t i = 0; inside && i < look.shape.size(); ++i) {
            const std::int64_t steps = look.shape[i] - 1, stride = look.strides[i];
            inside = steps == 0 || stride == 0 || steps <= (elements - 1 - last) / stride;
            if (inside) last += steps * stride;
        }
        if (!inside)
            fail("a tensor of shape " + to_string(look.shape) + ", strides " + to_string(look.strides) + " and offset " +
                 std::to_string(look.offset) + " reaches beyond its storage of " + std::to_string(elements) + " elements");
        return value;
    }

    const file_bytes& file_;
    const std::vector<pickle_value>& values_;
    const std::uint64_t& position_;
};

} // namespace plumb::detail
