#include "catch.hpp"

#include <plumb/random/check_reproducible.hpp>
#include <plumb/random/torch_normal.hpp>

#include <string_view>

namespace {

std::uint64_t hash(std::string_view text, std::size_t piece) {
    plumb::xxh64 h;
    for (std::size_t i = 0; i < text.size(); i += piece) h.add(text.data() + i, std::min(piece, text.size() - i));
    return h.value();
}

} // namespace

TEST_CASE("xxh64: gives what xxhsum -H64 prints, fed in pieces of any size") {
    const auto piece = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{32}, std::size_t{1000});
    CHECK(hash("", piece) == 0xef46db3751d8e999u);
    CHECK(hash("abc", piece) == 0x44bc2cf5ad770999u);
    CHECK(hash("Nobody inspects the spammish repetition", piece) == 0xfbcea83c8a378bf1u);
}

TEST_CASE("fingerprint: the hash is of the elements in row-major order, whatever the strides") {
    const std::int32_t rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 4, 2, 5, 3, 6};
    const plumb::tensor_view a(plumb::dtype::i32, rows, {2, 3});
    const plumb::tensor_view b(plumb::dtype::i32, columns, {2, 3}, {4, 8});
    CHECK(plumb::hash_of(a) == plumb::hash_of(b));
    const plumb::tensor_view backwards(plumb::dtype::i32, rows + 5, {6}, {-4});
    const std::int32_t reversed[] = {6, 5, 4, 3, 2, 1};
    CHECK(plumb::hash_of(backwards) == plumb::hash_of(plumb::tensor_view(plumb::dtype::i32, reversed, {6})));
    CHECK(plumb::hash_of(plumb::tensor_view(plumb::dtype::i32, rows, {0, 3})) == plumb::xxh64().value());
}

TEST_CASE("fingerprint: its text can be read back and compared") {
    const float x[] = {1.0f, -0.0f}, y[] = {1.0f, 0.0f};
    plumb::fingerprint actual, reference;
    add(actual, "layer 1.weight", plumb::tensor_view(plumb::dtype::f32, x, {2, 1}));
    add(reference, "layer 1.weight", plumb::tensor_view(plumb::dtype::f32, y, {2, 1}));
    const plumb::fingerprint read = plumb::parse_fingerprint(to_string(actual));
    CHECK(!plumb::first_difference(actual, read));
    CHECK(plumb::first_difference(actual, reference) == "tensor 0, \"layer 1.weight\" (f32 [2, 1]): its bits differ");
    reference = read;
    add(reference, "scalar", plumb::tensor_view(plumb::dtype::f32, x, {}));
    CHECK(plumb::first_difference(actual, reference) == "1 tensors, the reference has 2");
    reference = read;
    reference[0].name = "other";
    CHECK(plumb::first_difference(actual, reference) ==
          "tensor 0, \"layer 1.weight\" (f32 [2, 1]): the reference has \"other\" (f32 [2, 1]) here");
    CHECK(!plumb::first_difference({}, {}));
    CHECK_THROWS_AS(add(actual, "two\nlines", plumb::tensor_view(plumb::dtype::f32, x, {2})), std::invalid_argument);
}

TEST_CASE("fingerprint: refuses a text that is none, naming the line") {
    for (const char* text : {"hello", "0123456789abcdef f32", "0123456789abcdef f99 [2] x", "0123456789abcdef f32 [-1] x",
                             "0123456789abcdef f32 [2;3] x", "0123456789abcde f32 [2] x", "0123456789abcdef [2] x"}) {
        const std::string whole = "0123456789abcdef f32 [] ok\n" + std::string(text) + "\n";
        try {
            plumb::parse_fingerprint(whole);
            FAIL("accepted: " << text);
        } catch (const std::invalid_argument& error) {
            CHECK(std::string(error.what()).find("line 2") != std::string::npos);
        }
    }
}

TEST_CASE("check_reproducible: a step that draws from the seeded generators passes") {
    plumb::seed_all(8);
    const plumb::reproducibility result = plumb::check_reproducible(
        [](plumb::fingerprint& step) {
            std::vector<float> w(30);
            plumb::rng::torch::randn(*plumb::default_torch_generator(), w);
            add(step, "weight", w);
        },
        3);
    CHECK(result.passed);
    CHECK(result.reason == "3 runs, 1 tensors: the same bits");
    CHECK(result.tensors.size() == 1);
}

TEST_CASE("check_reproducible: names the first tensor whose bits differ") {
    int run = 0;
    const plumb::reproducibility result = plumb::check_reproducible(
        [&](plumb::fingerprint& step) {
            const std::vector<float> same(4, 1.0f), grad(4, ++run == 2 ? -0.0f : 0.0f);
            add(step, "weight", same);
            add(step, "grad", grad);
        },
        5);
    CHECK(!result.passed);
    CHECK(result.reason == "run 2 differs from run 1: tensor 1, \"grad\" (f32 [4]): its bits differ");
    CHECK(run == 2); // it stops there
    CHECK_THROWS_AS(plumb::check_reproducible([](plumb::fingerprint&) {}, 1), std::invalid_argument);
}
