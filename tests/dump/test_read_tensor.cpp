#include "catch.hpp"
#include "zip_files.hpp"

#include <plumb/dump/load.hpp>
#include <plumb/dump/read_tensor.hpp>

using plumb::dtype;
using plumb::extents;
using test::contains;
using test::error_of;

namespace {

std::string npy_of(const std::string& descr, const std::string& shape, const std::string& data) {
    return test::npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}", data);
}
const std::string floats = test::raw<float>({1.0f, 2.0f});

plumb::dump_entry entry(const test::fs::path& file, std::optional<dtype> type, std::optional<extents> shape,
                        const std::string& type_name = "") {
    plumb::dump_entry made;
    made.name = "op.output.0";
    made.file = file;
    made.type = type;
    made.type_name = type_name.empty() && type ? std::string(plumb::name_of(*type)) : type_name;
    made.shape = shape;
    return made;
}

} // namespace

TEST_CASE("read_tensor: each format is known by its first bytes, whatever the extension") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "a.bin", npy_of("<f4", "(2,)", floats));
    CHECK(plumb::read_tensor(folder / "a.bin").shape() == extents{2});
    plumb::write_pt(folder / "b.bin", std::vector<float>{1.0f, 2.0f});
    CHECK(plumb::read_tensor(folder / "b.bin").shape() == extents{2});
    test::write_zip(folder / "c.bin", {{"x.npy", npy_of("<f4", "(2,)", floats)}});
    CHECK(plumb::read_tensor(folder / "c.bin").shape() == extents{2});
}

TEST_CASE("read_tensor: a raw file needs type and shape, and their size") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "x.bin", floats);
    plumb::read_options options;
    CHECK(contains(error_of([&] { plumb::read_tensor(folder / "x.bin"); }), "a raw file needs its element type and shape"));
    options.type = dtype::f32;
    options.shape = extents{1, 2};
    CHECK(test::values<float>(plumb::read_tensor(folder / "x.bin", options)) == std::vector<float>{1.0f, 2.0f});
    options.shape = extents{3};
    CHECK(contains(error_of([&] { plumb::read_tensor(folder / "x.bin", options); }),
                   "has 8 bytes, expected the size of shape [3] of f32"));
    options.shape = extents{4294967296, 1073741824};
    CHECK(contains(error_of([&] { plumb::read_tensor(folder / "x.bin", options); }), "has 8 bytes"));
}

TEST_CASE("read_tensor: a given shape must be the file's") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "x.npy", npy_of("<f4", "(2,)", floats));
    plumb::read_options options;
    options.shape = extents{1, 2};
    CHECK(contains(error_of([&] { plumb::read_tensor(folder / "x.npy", options); }), "has shape [2], expected [1, 2]"));
}

TEST_CASE("read_tensor: an archive with several tensors needs a name, and the error lists them") {
    const test::temporary_folder folder;
    test::write_zip(folder / "x.npz", {{"a.npy", npy_of("<f4", "(2,)", floats)}, {"b.npy", npy_of("<f4", "(1, 2)", floats)}});
    plumb::read_options options;
    CHECK(contains(error_of([&] { plumb::read_tensor(folder / "x.npz"); }), "expected the name of a tensor; it holds 'a', 'b'"));
    options.member = "c";
    CHECK(contains(error_of([&] { plumb::read_tensor(folder / "x.npz", options); }), "holds no tensor 'c'; it holds 'a', 'b'"));
    options.member = "b";
    CHECK(plumb::read_tensor(folder / "x.npz", options).shape() == extents{1, 2});
    CHECK(plumb::list_tensors(folder / "x.npz") == std::vector<std::string>{"a", "b"});
}

TEST_CASE("read_tensor: bytes of a .pt become an 8-bit float on request, other types do not") {
    const test::temporary_folder folder;
    plumb::write_pt(folder / "x.pt", std::vector<std::uint8_t>{0x38});
    plumb::read_options options;
    options.type = dtype::f8_e4m3fn;
    CHECK(plumb::read_tensor(folder / "x.pt", options).type() == dtype::f8_e4m3fn);
    options.type = dtype::bf16;
    CHECK(contains(error_of([&] { plumb::read_tensor(folder / "x.pt", options); }), "holds u8, which can't be read as bf16"));
}

TEST_CASE("read_tensor: the extension says what was expected of a damaged file") {
    const test::temporary_folder folder;
    for (const char* name : {"x.npy", "x.npz", "x.pt", "x.safetensors"})
        for (const char* text : {"", "x", "PK\x03\x04", "no tensor at all, but long enough"}) {
            test::write_bytes(folder / name, text);
            CHECK(error_of([&] { plumb::read_tensor(folder / name); }) != "");
        }
}

TEST_CASE("load: the index names the type where the file can't") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "x.npy", npy_of("<u2", "(2,)", "\x80\x3f\xc0\x3f"));
    const plumb::tensor read = plumb::load(entry(folder / "x.npy", dtype::bf16, extents{2}));
    CHECK(read.type() == dtype::bf16);
    CHECK(plumb::load(entry(folder / "x.npy", dtype::u16, extents{2})).type() == dtype::u16);
}

TEST_CASE("load: bf16 that the tool widened to f32 is read as f32") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "x.npy", npy_of("<f4", "(2,)", floats));
    CHECK(plumb::load(entry(folder / "x.npy", dtype::bf16, extents{2}, "torch.bfloat16")).type() == dtype::f32);
}

TEST_CASE("load: another type or shape than the index says is an error that names both") {
    const test::temporary_folder folder;
    test::write_bytes(folder / "x.npy", npy_of("<f4", "(2,)", floats));
    CHECK(contains(error_of([&] { plumb::load(entry(folder / "x.npy", dtype::f64, extents{2})); }),
                   "holds f32, the index says f64 for op.output.0"));
    CHECK(contains(error_of([&] {
                       plumb::load(entry(folder / "x.npy", dtype::f32, extents{1, 2}));
                   }),
                   "shape [2], the index says [1, 2]"));
    CHECK(plumb::load(entry(folder / "x.npy", dtype::f32, {})).shape() == extents{2}); // an index that does not tell
}

TEST_CASE("load: a missing file is an error that names it; without data it is one that says so") {
    CHECK(contains(error_of([] { plumb::load(entry("gone/x.npy", dtype::f32, extents{2})); }), "gone/x.npy: can't open"));
    CHECK(contains(error_of([] { plumb::load(entry("", dtype::f32, extents{2})); }), "op.output.0: no data were recorded"));
}

TEST_CASE("load: a scalar that the index holds") {
    plumb::dump_entry scalar = entry("", dtype::f64, {});
    scalar.value = plumb::detail::scalar_tensor(2.5);
    const plumb::tensor read = plumb::load(scalar);
    CHECK(read.shape() == extents{});
    CHECK(test::values<double>(read) == std::vector<double>{2.5});
}

TEST_CASE("entry_loader: goes from file to file, and through the members of one") {
    const test::temporary_folder folder;
    test::write_zip(folder / "x.npz", {{"a.npy", npy_of("<f4", "(2,)", floats)}, {"b.npy", npy_of("<u2", "(1,)", "\x80\x3f")}});
    test::write_bytes(folder / "y.npy", npy_of("<f8", "(1,)", "12345678"));
    plumb::entry_loader load;
    plumb::dump_entry a = entry(folder / "x.npz", dtype::f32, extents{2}), b = entry(folder / "x.npz", dtype::bf16, extents{1});
    a.member = "a";
    b.member = "b";
    CHECK(load(a).type() == dtype::f32);
    CHECK(load(entry(folder / "y.npy", dtype::f64, extents{1})).type() == dtype::f64);
    CHECK(load(b).type() == dtype::bf16);
}
