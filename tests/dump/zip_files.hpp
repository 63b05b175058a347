/// \file
/// Zip archives for tests, made by libzip.
#pragma once

#include "files.hpp"

#include <zip.h>

#include <string>
#include <utility>
#include <vector>

namespace test {

using zip_members = std::vector<std::pair<std::string, std::string>>;

inline void write_zip(const fs::path& path, const zip_members& members, bool compress = false) {
    zip_t* archive = zip_open(path.string().c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const auto& [name, bytes] : members) {
        zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
        const auto index = zip_file_add(archive, name.c_str(), source, 0);
        zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    }
    zip_close(archive);
}

} // namespace test
