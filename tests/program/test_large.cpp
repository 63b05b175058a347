// A pair of more than 4 GiB each, in memory that does not grow with them. Reads 8 GiB of holes: PLUMB_TEST_LARGE=0 leaves it out.
#include "large_files.hpp"
#include "program.hpp"

#include <cstdint>
#include <string>

#include <sys/resource.h>

using program::object_in;
using program::run;

namespace {

constexpr std::uint64_t elements = (std::uint64_t{1} << 30) + 4096; // of f32: 16 KiB more than 4 GiB

/// An .npy of f32 zeros, most of it a hole on the disk, whose last element is `last`.
void write_sparse_npy(const std::filesystem::path& path, float last) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(elements) + ",), }";
    header.append(128 - 10 - 1 - header.size(), ' ');
    header += '\n';
    std::ofstream file(path, std::ios::binary);
    file.write("\x93NUMPY\x01\x00\x76\x00", 10);
    file << header;
    file.close();
    std::filesystem::resize_file(path, 128 + elements * 4);
    std::fstream end(path, std::ios::binary | std::ios::in | std::ios::out);
    end.seekp(-4, std::ios::end);
    end.write(reinterpret_cast<const char*>(&last), 4);
    if (!end) throw std::runtime_error("can't write " + path.string());
}

} // namespace

TEST_CASE("plumb metrics: a pair of more than 4 GiB each needs no more than 64 MiB of memory of its own") {
    if (const std::string reason = test::obstacle_to_large_files(); !reason.empty()) {
        WARN("not run: " << reason);
        return;
    }
    const program::temporary_folder folder(std::filesystem::current_path()); // /tmp may lie in memory
    try {
        write_sparse_npy(folder / "actual.npy", 3.0f);
        write_sparse_npy(folder / "reference.npy", 2.0f);
    } catch (const std::exception& problem) {
        WARN("not run: this disk takes no file of 4 GiB: " << problem.what());
        return;
    }
    const auto answer = run({"metrics", (folder / "actual.npy").string(), (folder / "reference.npy").string(), "--json"},
                            {{}, [] {
                                 // Heap, stacks and private writable pages; mapped files can be dropped by the system at any
                                 // time.
                                 const ::rlimit limit{64 << 20, 64 << 20};
                                 ::setrlimit(RLIMIT_DATA, &limit);
                             }});
    INFO(answer.err);
    CHECK(answer.status == 0);
    const auto found = object_in(answer);
    CHECK(found["count"].GetUint64() == elements);
    CHECK(found["max_abs_err"].GetDouble() == 1.0);
    CHECK(found["max_abs_err_index"].GetUint64() == elements - 1);
    CHECK(found["differing"].GetUint64() == 1);
}
