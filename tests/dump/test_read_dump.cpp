#include "catch.hpp"
#include "zip_files.hpp"

#include <plumb/dump/load.hpp>
#include <plumb/dump/read_dump.hpp>

using plumb::dtype;
using plumb::extents;
using plumb::tensor_kind;
using test::contains;
using test::error_of;

namespace {

/// The dump in a folder with these files.
plumb::dump dump_of(const test::temporary_folder& folder, const test::zip_members& files) {
    for (const auto& [name, bytes] : files) test::write_bytes(folder / name, bytes);
    return plumb::read_dump(folder.path());
}
std::string problem(const test::zip_members& files) {
    const test::temporary_folder folder;
    return error_of([&] { dump_of(folder, files); });
}
const std::string empty_npy = test::npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", "");

} // namespace

TEST_CASE("index.jsonl: all fields") {
    const test::temporary_folder folder;
    const plumb::dump dump = dump_of(
        folder,
        {{"index.jsonl",
          R"({"seq":0,"op":"a","call":3,"kind":"input","slot":"3.0","dtype":"bf16","shape":[2,3],"file":"sub/x.npy","direction":"forward","stats":{"max":1,"min":-1,"mean":NaN},"checksum":"0badf00d","stack":[["f.py","7","go","x = 1"]],"depth":2,"unknown":[{}]})"
          "\n"
          R"({"op":"a","slot":0,"value":7,"stats":[2,1,1.5,true]})"
          "\n"}});
    REQUIRE(dump.ranks.size() == 1);
    const plumb::rank_dump& rank = dump.ranks[0];
    CHECK(rank.layout == plumb::dump_layout::plumb);
    CHECK(rank.task == "tensor");
    REQUIRE(rank.entries.size() == 2);
    const plumb::dump_entry &a = rank.entries[0], &b = rank.entries[1];
    CHECK(a.op == "a");
    CHECK(a.name == "a.input.3.0");
    CHECK(a.call == 3);
    CHECK(a.kind == tensor_kind::input);
    CHECK(a.slot == "3.0");
    CHECK(a.direction == "forward");
    CHECK(a.type == dtype::bf16);
    CHECK(a.shape == extents{2, 3});
    CHECK(a.file == folder.path() / "sub/x.npy");
    CHECK(std::get<double>(a.stats->max) == 1.0);
    CHECK(std::holds_alternative<std::monostate>(a.stats->norm));
    CHECK(a.checksum == "0badf00d");
    CHECK(rank.stacks.at("a").at(0).code == "x = 1");
    CHECK(b.kind == tensor_kind::output);
    CHECK(b.call == 0);
    CHECK(test::values<std::int64_t>(*b.value) == std::vector<std::int64_t>{7});
    CHECK(std::get<bool>(b.stats->norm));
}

TEST_CASE("index.jsonl: calls are numbered by appearance, ranks and steps told apart") {
    const test::temporary_folder folder;
    const plumb::dump dump =
        dump_of(folder, {{"index.jsonl", "{\"op\":\"a\"}\r\n{\"op\":\"a\",\"kind\":\"input\"}\r\n{\"op\":\"a\"}\r\n"
                                         "{\"op\":\"a\",\"rank\":2}\r\n{\"op\":\"a\",\"step\":1}\r\n{\"op\":\"a\"}"}});
    REQUIRE(dump.ranks.size() == 3);
    CHECK((dump.ranks[0].step == 0 && dump.ranks[0].rank == 0));
    CHECK((dump.ranks[1].step == 0 && dump.ranks[1].rank == 2));
    CHECK((dump.ranks[2].step == 1 && dump.ranks[2].rank == 0));
    std::vector<std::uint64_t> calls;
    for (const plumb::dump_entry& entry : dump.ranks[0].entries) calls.push_back(entry.call);
    CHECK(calls == std::vector<std::uint64_t>{0, 0, 1, 2});
    CHECK(dump.warnings.empty());
}

TEST_CASE("index.jsonl: seq gives the order of the calls, where every line has its own") {
    const auto ops = [](const std::string& text) {
        const test::temporary_folder folder;
        const plumb::dump dump = dump_of(folder, {{"index.jsonl", text}});
        std::string all;
        for (const auto& entry : dump.ranks[0].entries)
            all += entry.op + std::to_string(entry.call) + std::to_string(entry.seq) + ' ';
        return all;
    };
    CHECK(ops("{\"seq\":9,\"op\":\"a\"}\n{\"seq\":7,\"op\":\"b\"}\n{\"seq\":8,\"op\":\"a\"}\n") == "b00 a01 a12 ");
    CHECK(ops("{\"seq\":9,\"op\":\"a\"}\n{\"op\":\"b\"}\n{\"seq\":8,\"op\":\"c\"}\n") == "a00 b01 c02 ");
    CHECK(ops("{\"seq\":9,\"op\":\"a\"}\n{\"seq\":8,\"op\":\"b\"}\n{\"seq\":9,\"op\":\"c\"}\n") == "a00 b01 c02 ");
}

TEST_CASE("index.jsonl: forward and backward calls of one name are counted apart") {
    const test::temporary_folder folder;
    const plumb::dump dump = dump_of(folder, {{"index.jsonl", R"({"op":"a","direction":"forward","kind":"input"}
{"op":"a","direction":"forward"}
{"op":"a","direction":"backward","kind":"input"}
{"op":"a","direction":"backward"}
{"op":"a","direction":"backward","slot":1}
{"op":"a","direction":"backward"}
)"}});
    std::string calls;
    for (const auto& entry : dump.ranks[0].entries) calls += std::to_string(entry.call);
    CHECK(calls == "000001");
}

TEST_CASE("index.jsonl: a file outside the folder is not read, and said so") {
    for (const char* file : {"../secret.npy", "/etc/secret.npy", "a/../../secret.npy", "..\\\\secret.npy"}) {
        const test::temporary_folder folder;
        const plumb::dump dump = dump_of(folder, {{"index.jsonl", "{\"op\":\"a\",\"file\":\"" + std::string(file) + "\"}\n"}});
        CHECK(dump.ranks.at(0).entries.at(0).file.empty());
        REQUIRE(dump.warnings.size() == 1);
        CHECK(contains(dump.warnings[0], "line 1: the file"));
    }
}

TEST_CASE("index.jsonl: each flaw is an error with its line") {
    const std::pair<const char*, const char*> flaws[] = {
        {"{\"op\":\"a\"}\n{\"kind\":\"input\"}\n", "line 2: expected a string 'op'"},
        {"[1]\n", "line 1: expected a JSON object"},
        {"{\"op\":\"a\",\"kind\":\"inputs\"}\n", "kind is \"inputs\""},
        {"{\"op\":\"a\",\"shape\":[-1]}\n", "shape is [-1]"},
        {"{\"op\":\"a\",\"shape\":3}\n", "shape is 3"},
        {"{\"op\":\"a\",\"call\":-1}\n", "call is -1"},
        {"{\"op\":\"a\",\"seq\":\"x\"}\n", "seq is \"x\", expected a whole number"},
        {"{\"op\":\"a\",\"file\":5}\n", "file is 5, expected a string"},
        {"{\"op\":\"a\",\"checksum\":7}\n", "checksum is 7, expected a string"},
        {"{\"op\":\"a\",\"rank\":\"x\"}\n", "rank is \"x\""},
        {"{\"op\":\"a\"\n{\"op\":\"b\"}\n", "at byte 9"},
        {"{\"op\":\"\xff\"}\n", "not valid UTF-8"},
    };
    for (const auto& [text, why] : flaws) {
        const std::string error = problem({{"index.jsonl", text}});
        CAPTURE(text, error);
        CHECK(contains(error, why));
        CHECK(contains(error, "index.jsonl: "));
    }
}

TEST_CASE("ptdbg: versions, steps, modes, old statistics, checksums") {
    const test::temporary_folder folder;
    const plumb::dump dump =
        dump_of(folder, {{"run_v4.0/step1/rank3/api_stack_dump.pkl",
                          "[\"Torch_relu_0_forward_input.0\", 1, [], \"torch.float32\", [3, 2], [1.5, -1.0, NaN]]\n"
                          "[\"Torch_relu_0_forward_stack_info\", [[\"a.py\", \"1\", \"f\", \"x\"]]]\n"},
                         {"run_v4.0/step1/rank10/dump.pkl",
                          "[\"Torch_eq_2_forward_output\", 0, \"0123abcd\", \"torch.bool\", [], []]\n"
                          "[\"Torch_eq_2_forward_output\", 0, \"\", \"torch.bool\", [4], [[], [], [], \"Nan\"]]"},
                         {"run_v4.0/step0/rank3/list_dump.pkl", ""}});
    REQUIRE(dump.ranks.size() == 3);
    CHECK((dump.ranks[0].step == 0 && dump.ranks[0].rank == 3));
    CHECK((dump.ranks[1].step == 1 && dump.ranks[1].rank == 3));
    CHECK((dump.ranks[2].step == 1 && dump.ranks[2].rank == 10));
    const plumb::dump_entry& relu = dump.ranks[1].entries.at(0);
    CHECK(std::get<double>(relu.stats->max) == 1.5);
    CHECK(std::holds_alternative<std::monostate>(relu.stats->norm));
    CHECK(relu.file.empty());
    CHECK(dump.ranks[1].task == "statistics");
    CHECK(dump.ranks[2].task == "md5");
    CHECK(dump.ranks[2].entries.at(0).checksum == "0123abcd");
    CHECK(std::holds_alternative<std::monostate>(dump.ranks[2].entries.at(1).stats->max));
    CHECK(std::get<std::string>(dump.ranks[2].entries.at(1).stats->norm) == "Nan");
}

TEST_CASE("ptdbg: flaws are errors with their line, a torn last line is a warning") {
    const std::pair<const char*, const char*> flaws[] = {
        {"{}\n", "line 1: expected an array that begins with a name"},
        {"[\"a\", 0, [], \"torch.float32\", [1]]\n", "line 1: expected 6 fields"},
        {"[\"a\", 0, [], \"torch.float32\", [1], [1, 2]]\n", "expected 3 or 4 statistics"},
        {"[\"a\", 0, [], \"torch.float32\", \"[]\", [1, 2, 3]]\n", "shape is \"[]\""},
        {"[\"a\", 0, [], 7, [1], [1, 2, 3]]\n", "expected the dtype"},
        {"\x80\x04]", "a binary pickle"},
    };
    for (const auto& [text, why] : flaws) CHECK(contains(problem({{"rank0/dump.pkl", text}}), why));
    const test::temporary_folder folder;
    const plumb::dump dump =
        dump_of(folder, {{"dump.pkl", "[\"x_0_forward_output\", 0, [], \"torch.float32\", [1], [1, 1, 1, 1]]\n[\"x_1_for"}});
    CHECK(dump.ranks.at(0).entries.size() == 1);
    CHECK(contains(dump.warnings.at(0), "incomplete"));
    CHECK(contains(problem({{"a.pkl", ""}, {"b.pkl", ""}}), "holds several indexes (a.pkl and b.pkl)"));
}

TEST_CASE("ptdbg: without its .pkl, which a crash loses, the files themselves are the dump") {
    const test::temporary_folder folder;
    const plumb::dump dump = dump_of(folder, {{"rank0/dump/Torch_add_10_forward_output.npy", empty_npy},
                                              {"rank0/dump/Torch_add_2_forward_input.1.npy", empty_npy}});
    const auto& entries = dump.ranks.at(0).entries;
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].op == "Torch_add_2_forward"); // 2 before 10
    CHECK(entries[0].slot == "1");
    CHECK(entries[0].kind == tensor_kind::input);
    CHECK(entries[1].call == 10);
}

TEST_CASE("msprobe: every kind of leaf") {
    const test::temporary_folder folder;
    const std::string leaf =
        R"({"type":"torch.Tensor","dtype":"torch.float32","shape":[2],"Max":1.0,"Min":0.0,"Mean":null,"Norm":Infinity,"requires_grad":true)";
    const plumb::dump dump = dump_of(
        folder,
        {{"step2/rank/dump.json",
          R"({"task":"tensor","level":"mix","dump_data_dir":"/elsewhere/dump_tensor_data","data":{"Torch.f.4.forward":{"input_args":[)" +
              leaf + R"(,"data_name":"Torch.f.4.forward.input.0.pt"},null,[)" + leaf +
              R"(},{"type":"int","value":3}],{"type":"slice","value":[0,null,2]},{"type":"str","value":"é"},{"type":"ellipsis","value":"..."},{"type":"int","value":18446744073709551615},{"type":"torch.ProcessGroup","group_ranks":[0,1],"group_id":"x"},{"field":{"type":"bool","value":true}}],"input_kwargs":{"dim":{"type":"float","value":-Infinity},"mask":)" +
              leaf + R"(,"data_name":"Torch.f.4.forward.kwargs.mask.pt"}},"is_recompute":null,"output":[)" + leaf +
              R"(,"data_name":"../x.pt"}]},"Module.a.Linear.forward.1":{"input_args":[],"input_kwargs":{},"parameters":{"weight":)" +
              leaf + R"(}},"output":[]},"Module.a.Linear.parameters_grad.1":{"weight":[)" + leaf +
              R"(}]},"Module.b.Linear.7.backward":{"input":[)" + leaf + R"(}],"output":[null]},"loss.5.debug":)" + leaf +
              R"(}}})"},
         {"step2/rank/stack.json", R"({"Torch.f.4.forward":["File a.py, line 3, in f, \n x = 1", "odd"]})"},
         {"step2/rank/construct.json",
          R"({"Torch.f.4.forward":["Module.a.Linear.forward.1",0],"Module.a.Linear.forward.1":null})"},
         {"step2/rank/dump_tensor_data/other.pt", ""}});
    REQUIRE(dump.ranks.size() == 1);
    const plumb::rank_dump& rank = dump.ranks[0];
    CHECK(rank.step == 2);
    CHECK(rank.rank == 0);
    std::vector<std::string> names;
    for (const plumb::dump_entry& entry : rank.entries) names.push_back(entry.name);
    CHECK(names ==
          std::vector<std::string>{"Torch.f.4.forward.input.0", "Torch.f.4.forward.input.1", "Torch.f.4.forward.input.2.0",
                                   "Torch.f.4.forward.input.2.1", "Torch.f.4.forward.input.3", "Torch.f.4.forward.input.4",
                                   "Torch.f.4.forward.input.5", "Torch.f.4.forward.input.6", "Torch.f.4.forward.input.7",
                                   "Torch.f.4.forward.input.8.field", "Torch.f.4.forward.input.dim",
                                   "Torch.f.4.forward.kwargs.mask", "Torch.f.4.forward.output.0",
                                   "Module.a.Linear.forward.1.parameters.weight", "Module.a.Linear.parameters_grad.1.weight.0",
                                   "Module.b.Linear.7.backward.input.0", "Module.b.Linear.7.backward.output.0", "loss.5.debug"});
    const auto& e = rank.entries;
    REQUIRE(e.size() == 18);
    CHECK(e[0].file == folder.path() / "step2/rank/dump_tensor_data/Torch.f.4.forward.input.0.pt");
    CHECK(e[0].call == 4);
    CHECK(e[0].requires_grad == true);
    CHECK(std::holds_alternative<std::monostate>(e[0].stats->mean));
    CHECK((e[1].type_name == "None" && e[1].text == "null"));
    CHECK(e[2].file.empty());
    CHECK(e[4].text == "[0,null,2]");
    CHECK(e[5].text == "\"é\"");
    CHECK(e[7].value->type() == dtype::u64);
    CHECK(contains(e[8].text, "group_ranks"));
    CHECK(e[9].value->type() == dtype::boolean);
    CHECK(e[10].value->type() == dtype::f64);
    CHECK(e[11].slot == "mask");
    CHECK(e[12].file.empty()); // it would leave the folder
    CHECK(contains(dump.warnings.at(0), "../x.pt"));
    CHECK((e[13].kind == tensor_kind::parameter && e[13].slot == "weight" && e[13].call == 1));
    CHECK((e[14].kind == tensor_kind::parameters_grad && e[14].op == "Module.a.Linear.parameters_grad.1"));
    CHECK((e[15].direction == "backward" && e[15].call == 7));
    CHECK((e[17].kind == tensor_kind::debug && e[17].slot == "0" && e[17].call == 5));
    CHECK(rank.stacks.at("Torch.f.4.forward").at(0).function == "f");
    CHECK(rank.stacks.at("Torch.f.4.forward").at(1).code == "odd");
    CHECK(rank.parents.size() == 1);
    CHECK(rank.parents.at("Torch.f.4.forward") == "Module.a.Linear.forward.1");
}

TEST_CASE("msprobe: debug.json beside dump.json is part of the rank") {
    const test::temporary_folder folder;
    const plumb::dump dump =
        dump_of(folder, {{"rank1/dump.json", R"({"data":{"Torch.f.0.forward":{"output":[{"type":"int","value":1}]}}})"},
                         {"rank1/debug.json", R"({"data":{"x.0.debug":{"a":{"type":"int","value":1}}}})"}});
    REQUIRE(dump.ranks.at(0).entries.size() == 2);
    CHECK(dump.ranks[0].entries[1].name == "x.0.debug.a");
    CHECK(dump.ranks[0].entries[1].seq == 1);
}

TEST_CASE("msprobe: what is no index is named as what it is") {
    CHECK(contains(problem({{"dump.json", "{\"dump_data_dir\": \"./\"}"}}), "holds no dump data"));
    CHECK(contains(problem({{"dump.json", "{\"task\": \"statistics\", \"dump_path\": \"x\", \"rank\": []}"}}),
                   "a configuration of msprobe"));
    CHECK(contains(problem({{"dump.json", "{\"data\": {\"a\": {"}}), "incomplete"));
    CHECK(contains(problem({{"dump.json", "{\"data\": {\"a\": {}, \"a\": {}}}"}}), "the key \"a\" appears twice"));
    CHECK(contains(problem({{"dump.json", R"({"data":{"a.0.forward":{"output":[{"type":"t","shape":"x"}]}}})"}}),
                   "shape is \"x\""));
    const test::temporary_folder folder;
    const plumb::dump dump = dump_of(folder, {{"dump.json", R"({"data":{"a.0.forward":1}})"}});
    CHECK(dump.ranks.at(0).entries.empty());
    CHECK(contains(dump.warnings.at(0), "holds 1, expected an object with inputs and outputs"));
}

TEST_CASE("msprobe: a leaf a million lists deep is an error, not a crash") {
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    CHECK(contains(problem({{"dump.json", R"({"data":{"a.0.forward":{"output":)" + deep + "}}}"}}), "nested too deep"));
}

TEST_CASE("api_accuracy_checker: forward and backward files of each rank") {
    const test::temporary_folder folder;
    const plumb::dump dump = dump_of(
        folder,
        {{"step1/forward_info_0.json",
          R"({"Functional*silu*3": {"args": [{"type":"torch.Tensor","dtype":"torch.float32","shape":[2],"Max":1,"Min":0}], "kwargs": {"inplace":{"type":"bool","value":false}}}})"},
         {"step1/backward_info_0.json", R"({"Functional*silu*3": [{"type":"torch.Tensor","datapath":"/far/away/g.pt"}]})"},
         {"step1/forward_info_1.json", R"({"Torch*add*0": {"args": [null, {"type":"int","value":1}], "kwargs": {}}})"},
         {"step1/stack_info_0.json", "{}"}});
    REQUIRE(dump.ranks.size() == 2);
    CHECK((dump.ranks[0].step == 1 && dump.ranks[0].rank == 0 && dump.ranks[1].rank == 1));
    const auto& e = dump.ranks[0].entries;
    REQUIRE(e.size() == 3);
    CHECK(e[0].name == "Functional*silu*3.forward.input.0");
    CHECK((e[0].call == 3 && e[0].direction == "forward" && e[0].kind == tensor_kind::input));
    CHECK(e[1].slot == "inplace");
    CHECK((e[2].op == "Functional*silu*3.backward" && e[2].seq == 2));
    CHECK(e[2].file == folder.path() / "step1/g.pt");
    CHECK(dump.ranks[1].entries.size() == 2);
}

TEST_CASE("folders: names without a known style are operators; members of archives are entries") {
    const test::temporary_folder folder;
    test::write_zip(folder / "b.npz", {{"x.npy", empty_npy}, {"Torch_add_0_forward_input.0.npy", empty_npy}});
    const plumb::dump dump =
        dump_of(folder, {{"layer10.npy", empty_npy}, {"layer2.npy", empty_npy}, {"notes.txt", ""}, {"broken.safetensors", "x"}});
    std::vector<std::string> ops;
    for (const plumb::dump_entry& entry : dump.ranks.at(0).entries) ops.push_back(entry.op);
    CHECK(ops == std::vector<std::string>{"b.x", "b.Torch_add_0_forward", "broken", "layer2", "layer10"});
    CHECK(dump.warnings.size() == 1);
    CHECK(plumb::load(dump.ranks[0].entries[1]).shape() == extents{0});

    const plumb::dump archive = plumb::read_dump(folder / "b.npz");
    REQUIRE(archive.ranks.at(0).entries.size() == 2);
    CHECK(archive.ranks[0].entries[1].op == "Torch_add_0_forward");
    CHECK(plumb::load(archive.ranks[0].entries[0]).shape() == extents{0});
}

TEST_CASE("read_dump: what is no dump is named as what it is") {
    CHECK(contains(error_of([] { plumb::read_dump("no/such/run"); }), "no/such/run: can't open"));
    CHECK(contains(problem({{"result.csv", "a,b\n"}}), "result.csv is a table, the results of a comparison, not a dump"));
    const test::temporary_folder folder;
    for (const auto& [file, what] :
         {std::pair("a.csv", "the results of a comparison, not a dump"), std::pair("a.yaml", "not a dump"),
          std::pair("advisor.txt", "advice from a comparison"), std::pair("stack.json", "the stacks of a dump"),
          std::pair("a.exe", "is no dump that plumb knows")}) {
        const auto path = folder / file; // Clang 14 lets no lambda see a structured binding
        test::write_bytes(path, "x");
        CHECK(contains(error_of([&] { plumb::read_dump(path); }), what));
    }
}

TEST_CASE("natural order: numbers in names count as numbers") {
    using plumb::detail::natural_less;
    CHECK(natural_less("a2", "a10"));
    CHECK_FALSE(natural_less("a10", "a2"));
    CHECK(natural_less("a2.1", "a2.10"));
    CHECK(natural_less("a", "a0"));
    CHECK(natural_less("01", "1"));
    CHECK_FALSE(natural_less("1", "01"));
    CHECK_FALSE(natural_less("x", "x"));
    CHECK(natural_less("a99999999999999999999", "a100000000000000000000"));
}
