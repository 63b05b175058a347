/// \file
/// .safetensors files: a JSON header, then the elements of all tensors. Format: github.com/huggingface/safetensors.
#pragma once

#include <plumb/dump/element_order.hpp>
#include <plumb/dump/json_reader.hpp>
#include <plumb/dump/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

/// The tensors of a .safetensors file, in the order of its header. Throws io_error for a header that lies: a dtype plumb does
/// not know, data that overlap, leave gaps, reach beyond the file or do not have the size of their shape.
class safetensors_file {
public:
    explicit safetensors_file(file_bytes file) : file_(std::move(file)) {
        if (file_.size < 8) file_.fail_at(file_.size, "is truncated: expected 8 bytes with the header's length");
        std::uint64_t length = 0;
        for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(file_.data[i]);
        if (length > file_.size - 8)
            file_.fail_at(0, "the header's length is given as " + std::to_string(length) + " bytes, the file has " +
                                 std::to_string(file_.size - 8) + " left");
        begin_ = 8 + length;

        std::vector<char> header(file_.data + 8, file_.data + begin_);
        header.resize(header.size() + detail::json_padding, '\0');
        detail::parse_json(file_, 8, header.data(), header.size() - detail::json_padding, true, {},
                           [&](std::string_view, std::string_view name, json_value value) {
                               if (name != "__metadata__") add(std::string(name), value);
                           });
        check_layout();
    }

    const std::vector<std::string>& names() const noexcept { return names_; }
    tensor read(std::size_t i) const {
        const part& look = parts_[i];
        auto [data, owner] = detail::usable_elements(file_.data + begin_ + look.begin, look.end - look.begin, size_of(look.type),
                                                     detail::big_endian_host, file_.owner);
        return {tensor_view(look.type, data, look.shape), std::move(owner)};
    }

private:
    struct part {
        dtype type;
        extents shape;
        std::uint64_t begin, end; ///< from the end of the header
    };

    [[noreturn]] void fail(const std::string& name, const std::string& problem) const {
        file_.fail("tensor " + to_json(name) + ": " + problem);
    }

    void add(std::string name, json_value value) {
        part look{};
        const auto type = value.find("dtype"), shape = value.find("shape"), offsets = value.find("data_offsets");
        if (!type || !shape || !offsets || !shape->is_array() || !offsets->is_array())
            fail(name, "expected an object with dtype, shape and data_offsets");
        const auto known = parse_dtype(type->text());
        if (!known) fail(name, "unsupported dtype " + type->to_text());
        look.type = *known;
        shape->for_each([&](json_value length) {
            if (!length.integer() || *length.integer() < 0)
                fail(name, "the shape holds " + length.to_text() + ", expected a whole number that is not negative");
            if (look.shape.size() == max_rank) fail(name, "the shape has more than 32 dimensions");
            look.shape.push_back(*length.integer());
        });
        std::vector<std::int64_t> range;
        offsets->for_each([&](json_value offset) { range.push_back(offset.integer().value_or(-1)); });
        if (range.size() != 2 || range[0] < 0 || range[1] < range[0])
            fail(name, "data_offsets are " + offsets->to_text() + ", expected a begin and an end");
        look.begin = static_cast<std::uint64_t>(range[0]);
        look.end = static_cast<std::uint64_t>(range[1]);

        const std::string data = "its data are bytes " + std::to_string(look.begin) + " to " + std::to_string(look.end);
        if (look.end > file_.size - begin_)
            fail(name, data + ", the file has only " + std::to_string(file_.size - begin_) +
                           " after the header: it is truncated or lies");
        std::uint64_t count = 0;
        try {
            count = element_count(look.shape);
        } catch (const std::invalid_argument&) {
            fail(name, "the shape " + to_string(look.shape) + " is too large: its product overflows");
        }
        const std::size_t size = size_of(look.type);
        if (count > UINT64_MAX / size || count * size != look.end - look.begin)
            fail(name, data + ", expected the size of shape " + to_string(look.shape) + " of " + std::string(name_of(look.type)));
        names_.push_back(std::move(name));
        parts_.push_back(look);
    }

    void check_layout() const {
        std::vector<std::size_t> order(parts_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(parts_[a].begin, parts_[a].end) < std::pair(parts_[b].begin, parts_[b].end);
        });
        std::uint64_t end = 0;
        for (const std::size_t i : order) {
            if (parts_[i].begin != end)
                fail(names_[i],
                     std::string("its data ") + (parts_[i].begin < end ? "overlap those of another tensor" : "come after a gap") +
                         ": they begin at byte " + std::to_string(parts_[i].begin) + ", expected " + std::to_string(end));
            end = parts_[i].end;
        }
        if (end != file_.size - begin_)
            file_.fail_at(begin_ + end, "expected the file's end after the last tensor, found " +
                                            std::to_string(file_.size - begin_ - end) + " more bytes");
    }

    file_bytes file_;
    std::uint64_t begin_ = 0;
    std::vector<std::string> names_;
    std::vector<part> parts_;
};

} // namespace plumb
