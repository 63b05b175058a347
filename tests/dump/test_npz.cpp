#include "catch.hpp"
#include "zip_files.hpp"

#include <plumb/dump/npz.hpp>

using plumb::extents;
using test::contains;
using test::error_of;

namespace {

std::string floats_npy(std::size_t count) {
    return test::npy("{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",)}",
                     test::raw(std::vector<float>(count, 1.5f)));
}

} // namespace

TEST_CASE("npz_file: stored and compressed members are read, under the names that NumPy shows") {
    const test::temporary_folder folder;
    const bool compress = GENERATE(false, true);
    test::write_zip(folder / "a.npz", {{"x.npy", floats_npy(3)}, {"notes.txt", "text"}, {"sub/y.npy", floats_npy(50000)}},
                    compress);
    plumb::npz_file file(plumb::map_file(folder / "a.npz"));
    CHECK(file.names() == std::vector<std::string>{"x", "sub/y"});
    CHECK(test::values<float>(file.read(0)) == std::vector<float>(3, 1.5f));
    CHECK(file.read(1).shape() == extents{50000});
}

TEST_CASE("npz_file: a compressed member that is not as long as its header asks for is refused before it is unpacked") {
    const test::temporary_folder folder;
    const std::string whole = floats_npy(100000);
    const auto surplus = whole + std::string(1000000, '\0'), cut = whole.substr(0, whole.size() - 4);
    test::write_zip(folder / "a.npz", {{"surplus.npy", surplus}, {"cut.npy", cut}}, true);
    plumb::npz_file file(plumb::map_file(folder / "a.npz"));
    CHECK(contains(error_of([&] { file.read(0); }),
                   "expected the file's end: shape [100000] of '<f4' needs 400000 bytes, the archive tells of 1400000"));
    CHECK(contains(error_of([&] { file.read(1); }),
                   "the file is truncated: shape [100000] of '<f4' needs 400000 bytes, the archive tells of 399996"));
}

TEST_CASE("zip_archive: the check of a compressed member sees its beginning and size, and its error keeps it packed") {
    const test::temporary_folder folder;
    test::write_zip(folder / "a.zip", {{"member", std::string(300000, 'b')}}, true);
    plumb::zip_archive archive(plumb::map_file(folder / "a.zip"));
    std::uint64_t seen = 0, told = 0;
    CHECK(archive
              .read(0,
                    [&](const plumb::file_bytes& start, std::uint64_t size) {
                        seen = start.size;
                        told = size;
                        CHECK(start.data[seen - 1] == 'b');
                    })
              .size == 300000);
    CHECK(seen == 65536);
    CHECK(told == 300000);
    CHECK_THROWS_AS(archive.read(0, [](const plumb::file_bytes& start, std::uint64_t) { start.fail("no"); }), plumb::io_error);
}

TEST_CASE("zip_archive: a stored member is not copied") {
    const test::temporary_folder folder;
    test::write_zip(folder / "a.zip", {{"first", std::string(1000, 'a')}, {"second", std::string(300000, 'b')}, {"empty", ""}});
    const plumb::file_bytes file = plumb::map_file(folder / "a.zip");
    plumb::zip_archive archive(file);
    for (std::size_t i = 0; i < 2; ++i) {
        const plumb::file_bytes member = archive.read(i);
        CHECK(member.data >= file.data);
        CHECK(member.data + member.size <= file.data + file.size);
    }
    CHECK((std::string_view(archive.read(1).data, 300000) == std::string(300000, 'b')));
    CHECK(archive.read(2).size == 0);
}

TEST_CASE("zip_archive: a changed byte is found by its checksum") {
    const test::temporary_folder folder;
    const bool compress = GENERATE(false, true);
    std::string text(200000, 'a');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 13 * i % 7);
    test::write_zip(folder / "a.zip", {{"member", text}}, compress);
    std::string bytes = test::bytes_of(folder / "a.zip");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    test::write_bytes(folder / "b.zip", bytes);
    plumb::zip_archive archive(plumb::map_file(folder / "b.zip"));
    CHECK(contains(error_of([&] { archive.read(0); }), "b.zip: member 'member':"));
}

TEST_CASE("zip_archive: what is no archive, and one cut short, are errors") {
    const test::temporary_folder folder;
    CHECK(contains(error_of([] { plumb::zip_archive archive(test::in_memory("PK\x03\x04 no archive")); }),
                   "is no readable zip archive"));
    CHECK(error_of([] { plumb::zip_archive archive(test::in_memory("")); }) != "");
    test::write_zip(folder / "a.zip", {{"member", "text"}});
    const std::string bytes = test::bytes_of(folder / "a.zip");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::string error = error_of([&] {
            plumb::zip_archive archive(test::in_memory(bytes.substr(0, size)));
            if (archive.names().size() == 1)
                archive.read(0);
            else
                throw plumb::io_error("", "no member");
        });
        CHECK(error != "");
    }
}

TEST_CASE("zip_archive: sizes that can't be are refused before memory is taken") {
    const test::temporary_folder folder;
    test::write_zip(folder / "a.zip", {{"member", std::string(100000, 'a')}}, true);
    std::string bytes = test::bytes_of(folder / "a.zip");
    const std::size_t central = bytes.rfind("PK\x01\x02");
    REQUIRE(central != std::string::npos);
    bytes.replace(central + 24, 4, "\xff\xff\xff\x7f"); // the unpacked size
    plumb::zip_archive archive(test::in_memory(bytes));
    CHECK(contains(error_of([&] { archive.read(0); }), "impossible sizes: 2147483647 bytes"));
}

TEST_CASE("zip_archive: a member named twice is an error") {
    const test::temporary_folder folder;
    test::write_zip(folder / "a.zip", {{"same1", "text"}, {"same2", "more"}});
    std::string bytes = test::bytes_of(folder / "a.zip");
    for (std::size_t at = bytes.find("same2"); at != std::string::npos; at = bytes.find("same2")) bytes[at + 4] = '1';
    CHECK(contains(error_of([&] { plumb::zip_archive archive(test::in_memory(bytes)); }), "names the member 'same1' twice"));
}
