// Damaged files of every format: each is read or refused with io_error. Run under AddressSanitizer this finds what a fuzzer would
// find first; the mutations are the same in every run.
#include "catch.hpp"
#include "zip_files.hpp"

#include <plumb/dump/load.hpp>
#include <plumb/dump/read_dump.hpp>
#include <plumb/dump/read_tensor.hpp>

namespace {

struct xorshift {
    std::uint64_t state;
    std::uint64_t operator()(std::uint64_t below) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state % below;
    }
};

/// Some bytes flipped, replaced by telling ones, cut, doubled or taken out.
std::string mutated(std::string bytes, xorshift& random) {
    constexpr char telling[] = {'\0', '\xff', '\x7f', '\x80', '"', '\\', '[', '{', '(', '.', '-', '9', '\n', 'R', 'c', 'h'};
    for (std::uint64_t changes = 1 + random(3); changes > 0 && !bytes.empty(); --changes) {
        const std::size_t at = random(bytes.size()), length = 1 + random(12);
        switch (random(6)) {
        case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random(8))); break;
        case 1: bytes[at] = telling[random(sizeof telling)]; break;
        case 2: bytes.resize(at); break;
        case 3: bytes.insert(at, bytes.substr(at, length)); break;
        case 4: bytes.erase(at, length); break;
        default: bytes.insert(at, length, telling[random(sizeof telling)]);
        }
    }
    return bytes;
}

/// Reads everything that can be read. Anything but io_error is a failure of the test.
void read_all(const test::fs::path& path) {
    try {
        const plumb::dump dump = plumb::read_dump(path);
        for (const plumb::rank_dump& rank : dump.ranks)
            for (const plumb::dump_entry& entry : rank.entries) {
                try {
                    const plumb::tensor tensor = plumb::load(entry);
                    if (tensor.view().count() < 1000000) test::packed(tensor); // strides may repeat an element without end
                } catch (const plumb::io_error&) {
                }
            }
    } catch (const plumb::io_error&) {
    }
}

void mutate(const test::fs::path& original, std::string name, int rounds) {
    const std::string bytes = test::bytes_of(original);
    REQUIRE(!bytes.empty());
    xorshift random{0x9e3779b97f4a7c15u ^ bytes.size()};
    const test::temporary_folder folder;
    for (int i = 0; i < rounds; ++i) {
        test::write_bytes(folder / name, mutated(bytes, random));
        read_all(folder / name);
    }
    read_all(original);
    CHECK(test::fs::exists(folder / name));
}

} // namespace

TEST_CASE("mutations: .npy") {
    mutate(test::data_folder / "cases/data/f01-fortran_actual.npy", "x.npy", 2000);
    mutate(test::data_folder / "cases/data/f02-big-endian_actual.npy", "x.npy", 1000);
}

TEST_CASE("mutations: .pt") {
    mutate(test::data_folder /
               "dumps/overflow/msprobe_tensor/npu/step0/rank/dump_tensor_data/Functional.linear.0.forward.input.2.pt",
           "x.pt", 3000);
    const test::temporary_folder folder;
    plumb::write_pt(folder / "x.pt", std::vector<float>{1.0f, 2.0f});
    mutate(folder / "x.pt", "x.pt", 3000);
}

TEST_CASE("mutations: the pickle alone, its checksum right") {
    const test::temporary_folder folder;
    const std::string pickle = plumb::detail::pickled_tensor(plumb::dtype::f32, 6, {2, 3}),
                      data = test::raw(std::vector<float>(6, 1.0f));
    xorshift random{42};
    for (int i = 0; i < 4000; ++i) {
        test::write_zip(folder / "x.pt", {{"x/data.pkl", mutated(pickle, random)}, {"x/data/0", data}});
        read_all(folder / "x.pt");
    }
    CHECK(test::fs::exists(folder / "x.pt"));
}

TEST_CASE("mutations: .npz, stored and compressed") {
    const test::temporary_folder folder;
    const std::string array = test::bytes_of(test::data_folder / "cases/data/f01-fortran_actual.npy");
    for (const bool compress : {false, true}) {
        test::write_zip(folder / "x.npz", {{"a.npy", array}, {"b.npy", array}}, compress);
        mutate(folder / "x.npz", "x.npz", 3000);
    }
}

TEST_CASE("mutations: .safetensors") {
    const test::temporary_folder folder;
    const std::string header =
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[1,2],"data_offsets":[8,12]}})";
    test::write_bytes(folder / "x.safetensors",
                      std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "123456789abc");
    mutate(folder / "x.safetensors", "x.safetensors", 4000);
}

TEST_CASE("mutations: indexes") {
    mutate(test::data_folder / "cases/data/d04-odd-names/actual/index.jsonl", "index.jsonl", 2000);
    mutate(test::data_folder / "dumps/overflow/ptdbg/npu/rank0/api_stack_dump.pkl", "dump.pkl", 1000);
    mutate(test::data_folder / "dumps/overflow/msprobe_statistics/npu/step0/rank/dump.json", "dump.json", 1000);
    mutate(test::data_folder / "dumps/overflow/msprobe_statistics/npu/step0/rank/stack.json", "forward_info_0.json", 500);
}
