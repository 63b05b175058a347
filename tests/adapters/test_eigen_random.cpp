#include <plumb/adapters/eigen.hpp>
#include <plumb/random.hpp>

#include "catch.hpp"

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace torch = plumb::rng::torch;
namespace numpy = plumb::rng::numpy;

namespace {

template <class Half, class Known>
void check_normals() {
    torch::generator g(7), h(7);
    Eigen::Matrix<Half, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> weight(5, 7);
    std::vector<Known> expected(35);
    torch::randn(g, weight);
    torch::randn(h, expected);
    std::size_t different = 0;
    for (Eigen::Index i = 0; i < weight.size(); ++i)
        different += plumb::detail::bit_cast<std::uint16_t>(weight.data()[i]) != expected[static_cast<std::size_t>(i)].bits();
    CHECK(different == 0);
    CHECK(g() == h());
}

} // namespace

TEST_CASE("eigen: fills write its 16-bit types, bit for bit as plumb's own") {
    check_normals<Eigen::half, plumb::float16>();
    check_normals<Eigen::bfloat16, plumb::bfloat16>();
}

TEST_CASE("eigen: a part of a matrix with gaps is refused, one without is filled in place") {
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    matrix m = matrix::Constant(6, 4, 9.0f);
    const matrix before = m;
    torch::generator g(1), same(1);
    numpy::random_state state(1);
    CHECK_THROWS_AS(torch::randn(g, m.block(0, 0, 2, 2)), std::invalid_argument);
    CHECK_THROWS_AS(torch::rand(g, m.col(1)), std::invalid_argument);
    CHECK_THROWS_AS(torch::dropout(g, m.col(1), std::vector<float>(6), 0.5), std::invalid_argument);
    CHECK_THROWS_AS(numpy::shuffle(state, m.col(1)), std::invalid_argument);
    CHECK_THROWS_AS(numpy::random_sample(state, m.leftCols(2)), std::invalid_argument);
    CHECK(m == before);
    CHECK(g() == same());

    std::vector<float> expected(8);
    torch::rand(g, m.middleRows(1, 2));
    torch::rand(same, expected);
    CHECK(m.middleRows(1, 2) == Eigen::Map<matrix>(expected.data(), 2, 4));
    CHECK(m.row(0) == before.row(0));
    CHECK(m.bottomRows(3) == before.bottomRows(3));
    CHECK_NOTHROW(torch::rand(g, m.row(5)));
    CHECK_NOTHROW(torch::rand(g, m.col(1).head(1)));
    CHECK_NOTHROW(torch::rand(g, Eigen::Map<Eigen::VectorXf>(m.data(), 24)));
}
