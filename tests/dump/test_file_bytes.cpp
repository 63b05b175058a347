#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/file_bytes.hpp>

TEST_CASE("map_file: an empty, a small and a mapped file give their bytes") {
    const test::temporary_folder folder;
    const auto size =
        GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{1} << 16, (std::size_t{1} << 16) + 1, std::size_t{1000000});
    std::string bytes(size, 'x');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7);
    test::write_bytes(folder / "file", bytes);
    const plumb::file_bytes file = plumb::map_file(folder / "file");
    CHECK(file.size == size);
    CHECK((std::string_view(file.data, size) == bytes));
}

TEST_CASE("map_file: the bytes outlive the name") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "file", std::string(200000, 'a'));
    const plumb::file_bytes file = plumb::map_file(folder / "file");
    test::fs::remove(folder / "file");
    CHECK((std::string_view(file.data, file.size) == std::string(200000, 'a')));
}

TEST_CASE("map_file: a missing file is an error that names it") {
    const std::string error = test::error_of([] { plumb::map_file("no/such/file.npy"); });
    CHECK(test::contains(error, "no/such/file.npy: can't open"));
}

TEST_CASE("map_file: a folder and a device are errors, not hangs") {
    const test::temporary_folder folder;
    CHECK(test::contains(test::error_of([&] { plumb::map_file(folder.path()); }), "is a folder"));
#if PLUMB_HAS_MMAP
    CHECK(test::contains(test::error_of([&] { plumb::map_file("/dev/null"); }), "no regular file"));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(test::contains(test::error_of([&] { plumb::map_file(folder / "pipe"); }), "no regular file"));
#endif
}

TEST_CASE("map_file: a sparse file of 5 GiB is mapped, and its last byte is there") {
#if PLUMB_HAS_MMAP
    const test::temporary_folder folder;
    constexpr std::uint64_t size = std::uint64_t{5} << 30;
    test::write_bytes(folder / "large", "begin");
    test::fs::resize_file(folder / "large", size);
    const plumb::file_bytes file = plumb::map_file(folder / "large");
    CHECK(file.size == size);
    CHECK(file.data[0] == 'b');
    CHECK(file.data[size - 1] == '\0');
#endif
}
