#include "catch.hpp"
#include "zip_files.hpp"

#include <plumb/dump/pt.hpp>
#include <plumb/dump/write_pt.hpp>

using plumb::dtype;
using plumb::extents;
using test::contains;

namespace {

/// What the reader says of an archive with this pickle and a storage "0" of 16 floats.
std::string problem(const std::string& pickle) {
    const test::temporary_folder folder;
    test::write_zip(folder / "x.pt", {{"x/data.pkl", pickle}, {"x/data/0", test::raw(std::vector<float>(16, 1.0f))}});
    return test::error_of([&] {
        plumb::pt_file file(plumb::map_file(folder / "x.pt"));
        for (std::size_t i = 0; i < file.names().size(); ++i) file.read(i);
    });
}

const std::string zero = std::string("K\0", 2);
const std::string storage = std::string("((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0000X\x03\0\0\0cpuK\x10tQ", 52);

/// A pickle of one tensor with this offset, shape and strides, as pickle code, over the storage of 16 floats.
std::string one(const std::string& offset, const std::string& shape, const std::string& strides) {
    return "\x80\x02"
           "ctorch._utils\n_rebuild_tensor_v2\n" +
           storage + offset + shape + strides +
           "\x89"
           "ccollections\nOrderedDict\n)RtR.";
}

} // namespace

TEST_CASE("write_pt: what is written is read, for every type, shape and order") {
    const test::temporary_folder folder;
    std::vector<char> memory(4096);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i * 37 >> 3);
    const auto type = static_cast<dtype>(GENERATE(range(0, int{plumb::dtype_count})));
    const auto size = static_cast<std::int64_t>(plumb::size_of(type));
    const plumb::tensor_view looks[] = {
        {type, memory.data(), {}},
        {type, memory.data(), {0, 4}},
        {type, memory.data(), {300}},
        {type, memory.data(), {2, 3, 4}},
        {type, memory.data(), {3, 4}, {size, 3 * size}},
        {type, memory.data() + 40 * size, {4, 5}, {-10 * size, 2 * size}},
    };
    for (const plumb::tensor_view& look : looks) {
        plumb::write_pt(folder / "x.pt", look);
        plumb::pt_file file(plumb::map_file(folder / "x.pt"));
        REQUIRE(file.names() == std::vector<std::string>{""});
        const plumb::tensor read = file.read(0);
        CHECK(read.type() == type);
        CHECK(read.shape() == look.shape());
        CHECK(test::packed(read) == test::packed(look));
    }
}

TEST_CASE("write_pt: records lie at multiples of 64 bytes, and the same tensor gives the same bytes") {
    const test::temporary_folder folder;
    const std::vector<float> numbers(1000, 1.25f);
    plumb::write_pt(folder / "a.pt", numbers);
    plumb::write_pt(folder / "b.pt", numbers);
    CHECK(test::bytes_of(folder / "a.pt") == test::bytes_of(folder / "b.pt"));
    const plumb::file_bytes file = plumb::map_file(folder / "a.pt");
    plumb::zip_archive archive(file);
    REQUIRE(archive.names() ==
            std::vector<std::string>{"archive/data.pkl", "archive/byteorder", "archive/data/0", "archive/version"});
    for (std::size_t i = 0; i < 4; ++i) CHECK((archive.read(i).data - file.data) % 64 == 0);
}

TEST_CASE("write_pt: data that are large enough for a thread of their own have their checksum") {
    const test::temporary_folder folder;
    std::vector<std::uint32_t> numbers((4u << 20) + 3);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i) * 2654435761u;
    plumb::write_pt(folder / "x.pt", numbers);
    plumb::pt_file file(plumb::map_file(folder / "x.pt"));
    CHECK(test::packed(file.read(0)) == test::raw(numbers)); // libzip verifies the checksum
}

TEST_CASE("write_pt: a folder that does not exist is an error, and nothing is left") {
    const float number = 1.0f;
    const std::string error =
        test::error_of([&] { plumb::write_pt("no/such/folder/x.pt", plumb::tensor_view(dtype::f32, &number, {})); });
    CHECK(contains(error, "no/such/folder/x.pt: can't"));
}

TEST_CASE("pt_file: strides and offset lead into the storage") {
    const test::temporary_folder folder;
    std::vector<float> numbers(16);
    for (std::size_t i = 0; i < 16; ++i) numbers[i] = static_cast<float>(i);
    test::write_zip(folder / "x.pt",
                    {{"x/data.pkl", one("K\x01", "K\x02K\x03\x86", "K\x01K\x05\x86")}, {"x/data/0", test::raw(numbers)}});
    plumb::pt_file file(plumb::map_file(folder / "x.pt"));
    CHECK(test::values<float>(file.read(0)) == std::vector<float>{1, 6, 11, 2, 7, 12});
}

TEST_CASE("pt_file: big-endian records are swapped") {
    const test::temporary_folder folder;
    const std::string big("\x3f\x80\0\0\x40\0\0\0", 8);
    test::write_zip(
        folder / "x.pt",
        {{"x/data.pkl", one(zero, "K\x02\x85", "K\x01\x85")}, {"x/byteorder", "big"}, {"x/data/0", big + std::string(56, '\0')}});
    plumb::pt_file file(plumb::map_file(folder / "x.pt"));
    CHECK(test::values<float>(file.read(0)) == std::vector<float>{1.0f, 2.0f});
}

TEST_CASE("pt_file: dicts, lists and tuples of tensors have the names of their places") {
    const test::temporary_folder folder;
    const std::string tensor = one(zero, "K\x02\x85", "K\x01\x85").substr(2);
    const std::string part = tensor.substr(0, tensor.size() - 1);
    const auto word = [](const std::string& text) {
        return "X" + std::string(1, static_cast<char>(text.size())) + std::string(3, '\0') + text;
    };
    const std::string nest = "\x80\x02}(" + word("a") + part + word("list") + "](" + part + "K\x05" + part + "e" + word("n") +
                             "N" + "K\x07" + part + "\x85" + "u.";
    test::write_zip(folder / "x.pt", {{"x/data.pkl", nest}, {"x/data/0", test::raw(std::vector<float>(16, 3.0f))}});
    plumb::pt_file file(plumb::map_file(folder / "x.pt"));
    CHECK(file.names() == std::vector<std::string>{"a", "list.0", "list.2", "7.0"});
    CHECK(test::values<float>(file.read(3)) == std::vector<float>{3.0f, 3.0f});
}

TEST_CASE("pt_file: globals outside the list are refused by name, and nothing runs") {
    CHECK(contains(problem("\x80\x02"
                           "cos\nsystem\n(X\x02\0\0\0hitR."),
                   "refuses the global os.system"));
    CHECK(contains(problem("\x80\x02"
                           "c__builtin__\neval\n."),
                   "refuses the global __builtin__.eval"));
    CHECK(contains(problem(std::string("\x80\x04\x8c\x05posix\x8c\x06system\x93.")), "refuses the global posix.system"));
    CHECK(contains(problem("\x80\x02"
                           "ctorch\nComplexFloatStorage\n."),
                   "refuses the global torch.ComplexFloatStorage"));
    CHECK(contains(problem("\x80\x02"
                           "ctorch.storage\n_load_from_bytes\n."),
                   "refuses the global torch.storage._load_from_bytes"));
}

TEST_CASE("pt_file: opcodes outside the list are refused by name") {
    const std::pair<const char*, const char*> refused[] = {{"(ios\nsystem\n.", "INST"}, {"\x81.", "NEWOBJ"},    {"o.", "OBJ"},
                                                           {"P1\n.", "PERSID"},         {"\x82\x01.", "EXT1"},  {"}}b.", "BUILD"},
                                                           {"S'x'\n.", "STRING"},       {"\xff.", "number 255"}};
    for (const auto& [code, name] : refused) {
        const std::string error = problem("\x80\x02" + std::string(code));
        CAPTURE(error);
        if (std::string(name) == "BUILD")
            CHECK(error == ""); // an OrderedDict's attributes, dropped; no tensor in it
        else
            CHECK(contains(error, "refuses the opcode " + std::string(name)));
    }
    CHECK(contains(problem("\x80\x02K\x01}b."), "refuses the opcode BUILD on anything but a dict"));
}

TEST_CASE("pt_file: a call with other arguments than torch's is refused") {
    CHECK(contains(problem("\x80\x02"
                           "ctorch._utils\n_rebuild_tensor_v2\n)R."),
                   "refuses to call torch._utils._rebuild_tensor_v2 with 0 arguments"));
    CHECK(contains(problem("\x80\x02"
                           "ccollections\nOrderedDict\nK\x01\x85R."),
                   "OrderedDict"));
    CHECK(contains(problem("\x80\x02"
                           "ctorch\nFloatStorage\n)R."),
                   "refuses to call torch.FloatStorage"));
    CHECK(contains(problem("\x80\x02K\x01)R."), "expected a function"));
}

TEST_CASE("pt_file: a tensor that reaches beyond its storage is an error") {
    CHECK(problem(one(zero, "K\x04K\x04\x86", "K\x04K\x01\x86")) == "");
    const std::tuple<std::string, std::string, std::string> lies[] = {
        {"K\x01", "K\x04K\x04\x86", "K\x04K\x01\x86"},
        {"K\x10", "K\x01\x85", "K\x01\x85"},
        {zero, "K\x11\x85", "K\x01\x85"},
        {zero, "K\x04K\x04\x86", "K\x05K\x01\x86"},
        {zero, "K\x02\x85", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85"},
        {"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", "K\x02\x85", "K\x01\x85"},
    };
    for (const auto& [offset, shape, strides] : lies)
        CHECK(contains(problem(one(offset, shape, strides)), "reaches beyond its storage of 16 elements"));
    CHECK(contains(problem(one(zero, "J\xff\xff\xff\xff\x85", "K\x01\x85")), "negative"));
    CHECK(contains(problem(one(zero, "K\x02K\x02\x86", "K\x01\x85")), "other numbers of lengths and strides"));
}

TEST_CASE("pt_file: broken pickles are errors with their place") {
    CHECK(contains(problem("\x80\x02}"), "at byte 3: the pickle is truncated"));
    CHECK(contains(problem(""), "truncated"));
    CHECK(contains(problem("\x80\x07N."), "pickle protocol 7"));
    CHECK(contains(problem("\x80\x02."), "expected one value"));
    CHECK(contains(problem("\x80\x02NN."), "expected one value"));
    CHECK(contains(problem("\x80\x02t."), "a mark that is not there"));
    CHECK(contains(problem("\x80\x02\x86."), "a value that is not there"));
    CHECK(contains(problem("\x80\x02h\x05."), "recalls number 5"));
    CHECK(contains(problem("\x80\x02](K\x01u."), "a dict's key without a value"));
    CHECK(contains(problem("\x80\x02NNa."), "expected a list"));
    CHECK(contains(problem(std::string("\x80\x02X\xff\xff\xff\x7fx", 8)), "truncated: expected 2147483647 more bytes"));
}

TEST_CASE("pt_file: values that contain themselves, or share parts without end, are refused") {
    CHECK(contains(problem(std::string("\x80\x02]q\0h\0a.", 9)), "contains itself"));
    std::string bomb = std::string("\x80\x02]q\0", 5);
    for (int i = 0; i < 60; ++i) {
        const std::string last(1, static_cast<char>(i)), next(1, static_cast<char>(i + 1));
        bomb += "](h" + last + "h" + last + "eq" + next;
    }
    bomb += ".";
    CHECK(problem(bomb) != "");
}

TEST_CASE("pt_file: a missing storage, one of another size, and torch's legacy format are named") {
    const test::temporary_folder folder;
    const std::string pickle = one(zero, "K\x02\x85", "K\x01\x85");
    test::write_zip(folder / "a.pt", {{"x/data.pkl", pickle}});
    CHECK(contains(test::error_of([&] { plumb::pt_file(plumb::map_file(folder / "a.pt")).read(0); }),
                   "the record 'x/data/0' of a storage is missing"));
    test::write_zip(folder / "b.pt", {{"x/data.pkl", pickle}, {"x/data/0", "1234"}});
    CHECK(contains(test::error_of([&] { plumb::pt_file(plumb::map_file(folder / "b.pt")).read(0); }),
                   "expected a storage of 64 bytes, found 4"));
    CHECK(contains(test::error_of([&] {
                       plumb::pt_file file(
                           test::in_memory(std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15)));
                   }),
                   "legacy format"));
    test::write_zip(folder / "c.pt", {{"y.npy", "text"}});
    CHECK(contains(test::error_of([&] { plumb::pt_file file(plumb::map_file(folder / "c.pt")); }),
                   "expected a record <name>/data.pkl"));
}
