/// \file
/// The data of a dump's entry.
#pragma once

#include <plumb/dump/model.hpp>
#include <plumb/dump/tensor_file.hpp>

#include <memory>
#include <string>

namespace plumb {

/// Loads entries, and keeps the last file open: the members of one large archive are read one after the other without
/// parsing its header each time. One loader for each thread.
class entry_loader {
public:
    /// The data of an entry: from its file, or the scalar that the index holds. Throws io_error if there are none, if the file is
    /// missing or lies, and if its type or shape is not what the index says.
    ///
    /// The index names the type where the file can't (bf16 in a file of uint16). A floating type of less than 32 bits may lie
    /// widened in a file of float32, as ptdbg_ascend stores bf16 and msprobe the 8-bit ones: then the result is f32.
    tensor operator()(const dump_entry& entry) {
        if (entry.file.empty()) {
            if (entry.value) return *entry.value;
            throw io_error(entry.name, "no data were recorded, only what the index says");
        }
        if (!file_ || file_->path() != entry.file) file_ = std::make_unique<tensor_file>(entry.file);
        const std::size_t i = file_->find(entry.member);
        const bool unnamed = entry.type && is_floating(*entry.type) && size_of(*entry.type) < 4 && file_->is_plain_bytes(i);
        const tensor read = file_->read(i, unnamed ? entry.type : std::nullopt);
        check(entry, read);
        return read;
    }

private:
    static void check(const dump_entry& entry, const tensor& read) {
        if (!entry.shape) return; // a Python scalar, or an index that does not tell
        if (read.shape() != *entry.shape)
            throw io_error(entry.file, "holds a tensor of shape " + to_string(read.shape()) + ", the index says " +
                                           to_string(*entry.shape) + " for " + entry.name);
        const bool widened = entry.type && is_floating(*entry.type) && size_of(*entry.type) < 4 && read.type() == dtype::f32;
        if (entry.type && *entry.type != read.type() && !widened)
            throw io_error(entry.file, "holds " + std::string(name_of(read.type())) + ", the index says " + entry.type_name +
                                           " for " + entry.name);
    }

    std::unique_ptr<tensor_file> file_;
};

/// The data of one entry: see entry_loader.
inline tensor load(const dump_entry& entry) { return entry_loader()(entry); }

} // namespace plumb
