#include <plumb/dump/zip_writer.hpp>

#include "catch.hpp"
#include "zip_files.hpp"

#include <plumb/dump/zip_archive.hpp>

#include <cstdint>
#include <cstdlib>

namespace {

const test::zip_members members{
    {"a/empty", ""}, {"a/short", "hello"}, {"a/größer", std::string(5000, 'x')}, {"a/last", std::string("\0\xff", 2)}};

void write(const test::fs::path& path, std::uint64_t zip64_from) {
    plumb::detail::zip_writer archive(path, zip64_from);
    for (const auto& [name, bytes] : members) archive.add(name, bytes.data(), bytes.size());
    archive.commit();
}

} // namespace

TEST_CASE("zip_writer: libzip reads the members, with Zip64 for all, for the larger, for the later and for none") {
    const test::temporary_folder folder;
    const std::uint64_t zip64_from = GENERATE(values<std::uint64_t>({0, 3000, 5000, 5400, 0xffffffff}));
    write(folder / "x.zip", zip64_from);

    int code = 0;
    zip_t* strict = zip_open((folder / "x.zip").string().c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
    CHECK(code == 0);
    if (strict) zip_discard(strict);

    const plumb::file_bytes file = plumb::map_file(folder / "x.zip");
    plumb::zip_archive archive(file);
    REQUIRE(archive.names().size() == members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        CHECK(archive.names()[i] == members[i].first);
        const plumb::file_bytes read = archive.read(i);
        CHECK(std::string(read.data, static_cast<std::size_t>(read.size)) == members[i].second);
        if (read.size != 0) CHECK((read.data - file.data) % 64 == 0);
    }
}

TEST_CASE("zip_writer: Python's zipfile finds no fault with any of its archives") {
    if (std::system("python3 -c 'import zipfile' 2>/dev/null") != 0) {
        WARN("skipped: there is no Python");
        return;
    }
    const test::temporary_folder folder;
    const std::uint64_t zip64_from = GENERATE(values<std::uint64_t>({0, 3000, 5000, 5400, 0xffffffff}));
    write(folder / "x.zip", zip64_from);
    test::write_bytes(folder / "check.py", "import zipfile\n"
                                           "z = zipfile.ZipFile('x.zip')\n"
                                           "assert z.testzip() is None\n"
                                           "assert [(i.filename, i.file_size) for i in z.infolist()] == "
                                           "[('a/empty', 0), ('a/short', 5), ('a/größer', 5000), ('a/last', 2)]\n"
                                           "assert z.read('a/last') == b'\\x00\\xff'\n");
    CHECK(std::system(("cd '" + folder.path().string() + "' && python3 check.py").c_str()) == 0);
}

TEST_CASE("zip_writer: what is not committed leaves nothing behind") {
    const test::temporary_folder folder;
    {
        plumb::detail::zip_writer archive(folder / "x.zip");
        archive.add("a", "b", 1);
    }
    CHECK(test::fs::is_empty(folder.path()));
}
