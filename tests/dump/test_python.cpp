// What plumb writes, read by NumPy and PyTorch; what they write, read by plumb. Skipped where they are not installed.
#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/npy.hpp>
#include <plumb/dump/read_tensor.hpp>
#include <plumb/dump/write_pt.hpp>

using plumb::dtype;
using plumb::extents;

namespace {

std::string python() {
    if (const char* named = std::getenv("PLUMB_TEST_PYTHON")) return named;
    return test::fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}
bool run(const std::string& code, const test::fs::path& folder) {
    test::write_bytes(folder / "script.py", code);
    return std::system(("cd \"" + folder.string() + "\" && " + python() + " script.py").c_str()) == 0;
}
bool absent(const char* package) {
    const test::temporary_folder folder;
    const std::string attempt =
        std::string("import sys\ntry:\n    import ") + package + "\nexcept ImportError:\n    sys.exit(1)\n";
    if (run(attempt, folder.path())) return false;
    WARN("skipped: Python has no " << package);
    return true;
}

const std::vector<extents> shapes{{}, {0}, {7}, {3, 4}, {2, 0, 3}, {2, 3, 4}, {123456}, {1, 1, 1, 1, 1, 1, 1, 1}};

} // namespace

TEST_CASE("python: numpy.load reads what write_npy writes, and numpy.save writes the same bytes") {
    if (absent("numpy")) return;
    const test::temporary_folder folder;
    std::vector<char> memory(8 * 123456);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i * 2654435761u >> 24);
    std::string code = "import numpy as np\n";
    for (std::size_t t = 0; t < plumb::dtype_count; ++t)
        for (std::size_t s = 0; s < shapes.size(); ++s) {
            const auto type = static_cast<dtype>(t);
            const plumb::tensor_view look(type, memory.data(), shapes[s]);
            const std::string name = std::to_string(t) + "_" + std::to_string(s);
            plumb::write_npy(folder / (name + ".npy"), look);
            test::write_bytes(folder / (name + ".bin"), test::packed(look));
            const std::string stored = type == dtype::bf16 ? "uint16"
                                       : type == dtype::f8_e4m3fn || type == dtype::f8_e5m2
                                           ? "uint8"
                                           : std::string(plumb::torch_name_of(type));
            const std::string shape = "(" + plumb::to_string(shapes[s]).substr(1, plumb::to_string(shapes[s]).size() - 2) +
                                      (shapes[s].size() == 1 ? ",)" : ")");
            code += "a = np.load('" + name + ".npy')\nassert a.dtype == np." + (stored == "bool" ? "bool_" : stored) +
                    " and a.shape == " + shape + ", (a.dtype, a.shape)\nassert a.tobytes() == open('" + name +
                    ".bin', 'rb').read()\nnp.save('again.npy', a)\nassert open('again.npy', 'rb').read() == open('" + name +
                    ".npy', 'rb').read()\n";
        }
    CHECK(run(code, folder.path()));
}

TEST_CASE("python: read_tensor reads what NumPy writes") {
    if (absent("numpy")) return;
    const test::temporary_folder folder;
    REQUIRE(run("import numpy as np\n"
                "a = np.arange(24, dtype='f4').reshape(2, 3, 4)\n"
                "np.save('f.npy', np.asfortranarray(a))\n"
                "np.save('b.npy', a.astype('>f4'))\n"
                "np.lib.format.write_array(open('v2.npy', 'wb'), a, version=(2, 0))\n"
                "np.lib.format.write_array(open('v3.npy', 'wb'), a, version=(3, 0))\n"
                "np.savez('s.npz', a=a, n=np.int64(3))\n"
                "np.savez_compressed('c.npz', a=a, n=np.int64(3))\n"
                "np.save('o.npy', np.array([None]))\n"
                "np.save('c.npy', np.array([1j]))\n",
                folder.path()));
    std::vector<float> expected(24);
    for (std::size_t i = 0; i < 24; ++i) expected[i] = static_cast<float>(i);
    for (const char* name : {"f.npy", "b.npy", "v2.npy", "v3.npy", "s.npz", "c.npz"}) {
        plumb::read_options options;
        if (std::string(name).find("npz") != std::string::npos) options.member = "a";
        const plumb::tensor read = plumb::read_tensor(folder / name, options);
        CHECK(read.shape() == extents{2, 3, 4});
        CHECK(test::values<float>(read) == expected);
    }
    CHECK(plumb::list_tensors(folder / "s.npz") == std::vector<std::string>{"a", "n"});
    CHECK(test::contains(test::error_of([&] { plumb::read_tensor(folder / "o.npy"); }), "Python objects"));
    CHECK(test::contains(test::error_of([&] { plumb::read_tensor(folder / "c.npy"); }), "complex"));
}

TEST_CASE("python: torch.load reads what write_pt writes") {
    if (absent("torch")) return;
    const test::temporary_folder folder;
    std::vector<char> memory(8 * 123456);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i * 2654435761u >> 24);
    for (char& each : memory) each = static_cast<char>(each & 1); // also valid as bool
    std::string code = "import torch, numpy as np\n"
                       "def same(t, name): return t.contiguous().flatten().view(torch.uint8).numpy().tobytes() == open(name + "
                       "'.bin', 'rb').read()\n";
    for (std::size_t t = 0; t < plumb::dtype_count; ++t)
        for (std::size_t s = 0; s < shapes.size(); ++s) {
            const auto type = static_cast<dtype>(t);
            const plumb::tensor_view look(type, memory.data(), shapes[s]);
            const std::string name = std::to_string(t) + "_" + std::to_string(s), torch_type(plumb::torch_name_of(type));
            plumb::write_pt(folder / (name + ".pt"), look);
            test::write_bytes(folder / (name + ".bin"), test::packed(look));
            const bool recent = type == dtype::u16 || type == dtype::u32 || type == dtype::u64 || type == dtype::f8_e4m3fn ||
                                type == dtype::f8_e5m2;
            const std::string check = "t = torch.load('" + name + ".pt')\nassert t.dtype == torch." + torch_type +
                                      " and list(t.shape) == " + plumb::to_string(shapes[s]) +
                                      ", (t.dtype, t.shape)\nassert t.numel() == 0 or same(t, '" + name + "'), '" + name + "'\n";
            if (!recent) {
                code += check;
                continue;
            }
            code += "if hasattr(torch, '" + torch_type + "') and hasattr(torch._utils, '_rebuild_tensor_v3'):\n";
            for (std::size_t begin = 0; begin < check.size();) {
                const std::size_t end = check.find('\n', begin) + 1;
                code += "    " + check.substr(begin, end - begin);
                begin = end;
            }
        }
    CHECK(run(code, folder.path()));
}

TEST_CASE("python: read_tensor reads what torch.save writes, and refuses what would run code") {
    if (absent("torch")) return;
    const test::temporary_folder folder;
    REQUIRE(run("import torch, os\n"
                "x = torch.arange(12.).reshape(3, 4)\n"
                "class evil:\n    def __reduce__(self): return (os.system, ('touch executed',))\n"
                "torch.save({'a': x, 'b': [x.t(), x.bfloat16()], 'n': 3, 'm': torch.nn.Linear(3, 2).state_dict(), 'p': "
                "torch.nn.Parameter(x), 'h': x.half()[1:, ::2], 'z': torch.zeros(0, 3), 's': torch.tensor(5), 'e': "
                "x[0].expand(2, 4)}, 'many.pt')\n"
                "torch.save(evil(), 'evil.pt')\n"
                "torch.save(torch.nn.Linear(3, 2), 'module.pt')\n"
                "torch.save(x, 'legacy.pt', _use_new_zipfile_serialization=False)\n"
                "torch.save(x.to(torch.complex64), 'complex.pt')\n",
                folder.path()));
    CHECK(plumb::list_tensors(folder / "many.pt") ==
          std::vector<std::string>{"a", "b.0", "b.1", "m.weight", "m.bias", "p", "h", "z", "s", "e"});
    const auto read = [&](const char* member) {
        plumb::read_options options;
        options.member = member;
        return plumb::read_tensor(folder / "many.pt", options);
    };
    CHECK(test::values<float>(read("b.0")) == std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    CHECK(read("b.1").type() == dtype::bf16);
    CHECK(test::values<float>(read("e")) == std::vector<float>{0, 1, 2, 3, 0, 1, 2, 3});
    CHECK(test::values<std::uint16_t>(read("h")) == std::vector<std::uint16_t>{0x4400, 0x4600, 0x4800, 0x4900}); // 4, 6, 8, 10
    CHECK(read("z").shape() == extents{0, 3});
    CHECK(test::values<std::int64_t>(read("s")) == std::vector<std::int64_t>{5});
    const auto problem = [&](const char* name) { return test::error_of([&] { plumb::read_tensor(folder / name); }); };
    CHECK(test::contains(problem("evil.pt"), "refuses the global posix.system"));
    CHECK_FALSE(test::fs::exists(folder / "executed"));
    CHECK(test::contains(problem("module.pt"), "refuses the global torch.nn.modules.linear.Linear"));
    CHECK(test::contains(problem("legacy.pt"), "legacy format"));
    CHECK(test::contains(problem("complex.pt"), "refuses the global torch.ComplexFloatStorage"));
}
