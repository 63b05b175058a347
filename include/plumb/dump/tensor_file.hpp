/// \file
/// A file of tensors, whichever of the known formats it has.
#pragma once

#include <plumb/dump/npy.hpp>
#include <plumb/dump/npz.hpp>
#include <plumb/dump/pt.hpp>
#include <plumb/dump/safetensors.hpp>
#include <plumb/dump/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace plumb {

/// True for the extensions of the formats that tensor_file knows: .npy, .npz, .pt, .pth and .safetensors.
inline bool has_tensor_extension(const std::filesystem::path& path) {
    const auto extension = path.extension();
    for (const char* known : {".npy", ".npz", ".pt", ".pth", ".safetensors"})
        if (extension == known) return true;
    return false;
}

/// An open .npy, .npz, .pt or .safetensors file, told apart by the first bytes (.safetensors, which has no magic, by its
/// extension). Throws io_error for anything else and for what these readers refuse. Cheap to open: only headers are read.
class tensor_file {
public:
    explicit tensor_file(const std::filesystem::path& path) : tensor_file(map_file(path)) {}
    explicit tensor_file(file_bytes file) : path_(file.path), content_(open(std::move(file))) {
        std::visit([this](const auto& content) { take_names(content); }, content_);
    }

    const std::filesystem::path& path() const noexcept { return path_; }
    /// The names of the tensors; one of "" in a file that is a single tensor.
    const std::vector<std::string>& names() const noexcept { return names_; }

    /// Number of the tensor of that name; "" also stands for the only one of a file. Throws io_error if there is no such tensor,
    /// or several and no name: then what() lists the names.
    std::size_t find(const std::string& name) const {
        auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end() && name.empty() && names_.size() == 1) found = names_.begin();
        if (found == names_.end())
            throw io_error(path_,
                           (name.empty() ? std::string("expected the name of a tensor") : "holds no tensor '" + name + "'") +
                               "; it holds " + list());
        return static_cast<std::size_t>(found - names_.begin());
    }

    /// The i-th tensor. `as` gives the type where the file can't: see read_npy. It must otherwise be the type that the file
    /// names, but bytes (u8, i8, u16, i16) may be read as a floating type of the same size.
    tensor read(std::size_t i, std::optional<dtype> as = {}) {
        if (auto* npy = std::get_if<file_bytes>(&content_)) return read_npy(*npy, as);
        if (auto* npz = std::get_if<std::unique_ptr<npz_file>>(&content_)) return (*npz)->read(i, as);
        if (auto* pt = std::get_if<std::unique_ptr<pt_file>>(&content_)) return retyped((*pt)->read(i), i, as);
        return retyped(std::get<safetensors_file>(content_).read(i), i, as);
    }

    /// True if the i-th tensor is in NumPy's format and its elements are plain bytes, uint8 or uint16: they may stand for a type
    /// that NumPy has no name for.
    bool is_plain_bytes(std::size_t i) {
        npy_header header;
        if (auto* npy = std::get_if<file_bytes>(&content_))
            header = read_npy_header(*npy);
        else if (auto* npz = std::get_if<std::unique_ptr<npz_file>>(&content_))
            header = read_npy_header((*npz)->bytes(i));
        else
            return false;
        return header.kind == 'V' || (header.kind == 'u' && header.element_bytes <= 2);
    }

private:
    using contents = std::variant<file_bytes, std::unique_ptr<npz_file>, std::unique_ptr<pt_file>, safetensors_file>;

    static contents open(file_bytes file) {
        const std::string_view start(file.data, static_cast<std::size_t>(std::min<std::uint64_t>(file.size, 16)));
        const auto begins = [&](std::string_view magic) { return start.substr(0, magic.size()) == magic; };
        const auto extension = file.path.extension();
        if (begins("\x93NUMPY") || extension == ".npy") return file;
        if (begins("PK\x03\x04") || begins("PK\x05\x06")) {
            const zip_archive archive(file);
            for (const std::string& name : archive.names())
                if (name.size() > 9 && name.substr(name.size() - 9) == "/data.pkl")
                    return std::make_unique<pt_file>(std::move(file));
            if (extension == ".pt" || extension == ".pth")
                return std::make_unique<pt_file>(std::move(file)); // it says what is missing
            return std::make_unique<npz_file>(std::move(file));
        }
        if (extension == ".safetensors") return safetensors_file(std::move(file));
        if (extension == ".npz")
            file.fail_at(0, "expected the bytes PK of a zip archive: it is empty, truncated or something else");
        if (extension == ".pt" || extension == ".pth" || begins("\x80\x02\x8a\x0a"))
            return std::make_unique<pt_file>(std::move(file));
        file.fail("is no .npy, .npz, .pt or .safetensors file; a raw file needs its element type and shape");
    }

    void take_names(const file_bytes&) { names_ = {""}; }
    void take_names(const safetensors_file& file) { names_ = file.names(); }
    template <class Archive>
    void take_names(const std::unique_ptr<Archive>& archive) {
        names_ = archive->names();
    }

    std::string list() const {
        if (names_.empty()) return "none";
        constexpr std::size_t most = 20;
        std::string text;
        for (std::size_t i = 0; i < std::min(most, names_.size()); ++i) text += (i == 0 ? "'" : ", '") + names_[i] + "'";
        return names_.size() > most ? text + " and " + std::to_string(names_.size() - most) + " more" : text;
    }

    tensor retyped(tensor read, std::size_t i, std::optional<dtype> as) const {
        const dtype type = read.type();
        if (!as || *as == type) return read;
        const bool bytes = type == dtype::u8 || type == dtype::i8 || type == dtype::u16 || type == dtype::i16;
        if (!bytes || size_of(type) != size_of(*as))
            throw io_error(path_, "tensor '" + names_[i] + "' holds " + std::string(name_of(type)) + ", which can't be read as " +
                                      std::string(name_of(*as)));
        const tensor_view& view = read.view();
        return read.viewed_as(tensor_view(*as, view.data(), view.shape(), view.strides()));
    }

    std::filesystem::path path_;
    contents content_;
    std::vector<std::string> names_;
};

} // namespace plumb
