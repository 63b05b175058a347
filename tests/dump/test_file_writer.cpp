#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/file_writer.hpp>

#include <iterator>

TEST_CASE("file_writer: the file appears at commit and not before") {
    const test::temporary_folder folder;
    plumb::file_writer file(folder / "name");
    file.write("text");
    CHECK_FALSE(test::fs::exists(folder / "name"));
    file.commit();
    CHECK(test::bytes_of(folder / "name") == "text");
}

TEST_CASE("file_writer: without commit nothing is left and the old file stays") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "name", "old");
    { plumb::file_writer(folder / "name").write("new"); }
    CHECK(test::bytes_of(folder / "name") == "old");
    CHECK(std::distance(test::fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("file_writer: commit replaces an older file") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "name", "old and longer");
    plumb::file_writer file(folder / "name");
    file.write("new");
    file.commit();
    CHECK(test::bytes_of(folder / "name") == "new");
}

TEST_CASE("file_writer: a folder that does not exist is an error that names the file") {
    const std::string error = test::error_of([] { plumb::file_writer file("no/such/folder/x.npy"); });
    CHECK(test::contains(error, "no/such/folder/x.npy: can't create"));
}

TEST_CASE("file_writer: a target that can't be replaced is an error") {
    const test::temporary_folder folder;
    test::fs::create_directories(folder / "taken/inside");
    plumb::file_writer file(folder / "taken");
    file.write("text");
    CHECK(test::contains(test::error_of([&] { file.commit(); }), "taken: can't rename"));
}
