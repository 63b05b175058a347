#include "catch.hpp"

#include <plumb/random/mt19937.hpp>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

using plumb::rng::mt19937;

TEST_CASE("mt19937: gives the numbers of std::mt19937") {
    const auto seed = GENERATE(0u, 1u, 5489u, 0xffffffffu);
    mt19937 ours(seed);
    std::mt19937 standard(seed);
    std::size_t different = 0;
    for (int i = 0; i < 3000; ++i) different += ours() != standard();
    CHECK(different == 0);
}

TEST_CASE("mt19937: is a uniform random bit generator") {
    mt19937 engine;
    std::vector<int> values{1, 2, 3, 4, 5};
    std::shuffle(values.begin(), values.end(), engine);
    std::sort(values.begin(), values.end());
    CHECK(values == std::vector<int>{1, 2, 3, 4, 5});
    CHECK(mt19937::min() == 0);
    CHECK(mt19937::max() == 0xffffffffu);
}

TEST_CASE("mt19937: taking words in pieces of any size gives the same words") {
    const auto piece = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{624}, std::size_t{1000});
    mt19937 whole(3), pieces(3);
    std::size_t different = 0;
    for (std::size_t i = 0; i < 2000;) {
        const auto words = pieces.take(std::min<std::size_t>(piece, 2000 - i));
        REQUIRE(words.size() > 0);
        for (const auto word : words) different += word != whole();
        i += words.size();
    }
    CHECK(different == 0);
    CHECK(pieces == whole);
}

TEST_CASE("mt19937: discarding n words is drawing n words") {
    mt19937 drawn(9), discarded(9);
    for (int i = 0; i < 1500; ++i) drawn();
    discarded.discard(1500);
    CHECK(drawn == discarded);
}

TEST_CASE("mt19937: a saved state goes on where it was") {
    mt19937 engine(11);
    engine.discard(700);
    mt19937 copy(engine.words(), engine.position());
    CHECK(copy() == engine());
    CHECK(copy == engine);
}

TEST_CASE("mt19937: refuses an empty key and a position beyond its words") {
    CHECK_THROWS_AS(mt19937(plumb::view<std::uint32_t>()), std::invalid_argument);
    CHECK_THROWS_AS(mt19937(plumb::rng::mt19937_words{}, 625), std::invalid_argument);
}
