/// \file
/// torch.save's .pt files: a zip archive with a pickle and one record for each storage.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/dump/pickle.hpp>
#include <plumb/dump/tensor.hpp>
#include <plumb/dump/zip_archive.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// The tensors of a .pt file: of one tensor, or of dicts, lists and tuples of them, nested as they like. Nothing in the file is
/// executed: the pickle may hold plain values and rebuild tensors, and whatever else it asks for is refused by name
/// (io_error), as is torch's format of before version 1.6.
class pt_file {
public:
    explicit pt_file(file_bytes file) : archive_(checked(std::move(file))) {
        constexpr std::string_view pickle = "data.pkl";
        std::optional<std::size_t> record;
        for (std::size_t i = 0; i < archive_.names().size(); ++i) {
            const std::string_view name = archive_.names()[i];
            const bool match = name.size() > pickle.size() && name.substr(name.size() - pickle.size()) == pickle &&
                               name.find('/') == name.size() - pickle.size() - 1;
            if (match && record)
                archive_.file().fail("holds two pickles, '" + archive_.names()[*record] + "' and '" + std::string(name) + "'");
            if (match) record = i;
        }
        if (!record) archive_.file().fail("is no torch.save file: expected a record <name>/data.pkl");
        const std::string& name = archive_.names()[*record];
        prefix_ = name.substr(0, name.size() - pickle.size());

        if (const auto order = archive_.find(prefix_ + "byteorder")) {
            const file_bytes text = archive_.read(*order);
            const std::string_view word(text.data, static_cast<std::size_t>(text.size));
            if (word != "little" && word != "big") text.fail("expected the byte order 'little' or 'big'");
            big_endian_ = word == "big";
        }
        const file_bytes program = archive_.read(*record);
        detail::pickle_machine machine(program);
        collect(machine, program);
    }

    /// The place of each tensor: dict keys and list indices joined by dots; "" if the file is one tensor.
    const std::vector<std::string>& names() const noexcept { return names_; }

    /// The i-th tensor, in place in the mapped file where its bytes lie there uncompressed, aligned and in the machine's order.
    tensor read(std::size_t i) {
        const detail::pickle_value& value = tensors_[i];
        const detail::pickle_value::look_type& look = *value.look;
        const std::string record = prefix_ + "data/" + value.text;
        const auto found = archive_.find(record);
        if (!found) archive_.file().fail("the record '" + record + "' of a storage is missing");
        const file_bytes storage = archive_.read(*found);
        if (storage.size != static_cast<std::uint64_t>(look.storage_bytes))
            storage.fail("expected a storage of " + std::to_string(look.storage_bytes) + " bytes, found " +
                         std::to_string(storage.size));

        const std::size_t size = size_of(*value.type);
        const std::uint64_t whole = storage.size / size * size;
        auto [data, owner] =
            detail::usable_elements(storage.data, whole, size, big_endian_ != detail::big_endian_host, storage.owner);
        const char* begin = data;
        extents strides = contiguous_strides(look.shape, size); // lengths of 0 and 1 are never stepped over: any stride will do
        if (element_count(look.shape) > 0) {
            begin += static_cast<std::size_t>(look.offset) * size;
            for (std::size_t d = 0; d < strides.size(); ++d)
                if (look.shape[d] > 1) strides[d] = look.strides[d] * static_cast<std::int64_t>(size);
        }
        return {tensor_view(*value.type, begin, look.shape, strides), std::move(owner)};
    }

private:
    static file_bytes checked(file_bytes file) {
        constexpr std::string_view legacy("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14);
        if (std::string_view(file.data, static_cast<std::size_t>(file.size)).substr(0, legacy.size()) == legacy)
            file.fail("is in torch's legacy format (before 1.6, or saved with _use_new_zipfile_serialization=False), expected a "
                      "zip archive: load it in torch and save it again");
        return file;
    }

    /// Finds the tensors by walking the value. A pickle may share parts, so that a short one can stand for a huge tree; one that
    /// has more places than it has references is refused.
    void collect(detail::pickle_machine& machine, const file_bytes& program) {
        using kind = detail::pickle_value::kind_type;
        struct place {
            const detail::pickle_value* value;
            std::string name;
        };
        std::vector<place> todo{{&machine.run(), ""}};
        const std::size_t limit = 16 + 2 * (machine.value_count() + machine.reference_count());
        std::size_t visited = 0;
        while (!todo.empty()) {
            const place now = std::move(todo.back());
            todo.pop_back();
            if (++visited > limit || now.name.size() > 4096)
                program.fail("the pickled value contains itself or repeats its parts without end");
            if (now.value->kind == kind::tensor) {
                names_.push_back(now.name);
                tensors_.push_back(*now.value);
            }
            const bool is_dict = now.value->kind == kind::dict;
            if (!is_dict && now.value->kind != kind::list && now.value->kind != kind::tuple) continue;
            const auto& items = now.value->items;
            const std::size_t step = is_dict ? 2 : 1;
            for (std::size_t i = items.size(); i >= step; i -= step) {
                const detail::pickle_value& key = machine[items[i - step]];
                const std::string name = !is_dict                    ? std::to_string(i - 1)
                                         : key.kind == kind::text    ? key.text
                                         : key.kind == kind::integer ? std::to_string(key.integer)
                                                                     : "?";
                todo.push_back({&machine[items[i - 1]], now.name.empty() ? name : now.name + "." + name});
            }
        }
    }

    zip_archive archive_;
    std::string prefix_;
    bool big_endian_ = false;
    std::vector<std::string> names_;
    std::vector<detail::pickle_value> tensors_;
};

} // namespace plumb
