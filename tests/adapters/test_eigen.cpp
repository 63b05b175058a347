#include <plumb/adapters/eigen.hpp>
#include <plumb/metrics/measure.hpp>

#include "catch.hpp"

#include <unsupported/Eigen/CXX11/Tensor>

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

using plumb::as_view;
using plumb::extents;
using plumb::measure;
using plumb::tensor_view;

namespace {

/// The 2 x 3 matrix of 1 to 6, row by row.
template <class Matrix>
Matrix counted() {
    Matrix m(2, 3);
    m << typename Matrix::Scalar(1), typename Matrix::Scalar(2), typename Matrix::Scalar(3), typename Matrix::Scalar(4),
        typename Matrix::Scalar(5), typename Matrix::Scalar(6);
    return m;
}

const float row_major[] = {1, 2, 3, 4, 5, 6};

tensor_view numbers(const extents& shape, const float* data = row_major) { return {plumb::dtype::f32, data, shape}; }

/// True if x holds these numbers in row-major order and has this shape.
template <class T>
bool holds(const T& x, const extents& shape, const std::vector<float>& expected) {
    const tensor_view view = as_view(x);
    return view.shape() == shape && measure(view, numbers(shape, expected.data())).differing == 0 && view.data() == x.data();
}

using row_major_matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

} // namespace

TEST_CASE("eigen: a matrix is read row by row, whatever its storage order") {
    CHECK(holds(counted<Eigen::MatrixXf>(), {2, 3}, {1, 2, 3, 4, 5, 6}));
    CHECK(holds(counted<row_major_matrix>(), {2, 3}, {1, 2, 3, 4, 5, 6}));
    const Eigen::Matrix<float, 2, 3> fixed = counted<Eigen::Matrix<float, 2, 3>>();
    CHECK(holds(fixed, {2, 3}, {1, 2, 3, 4, 5, 6}));
    CHECK(holds(counted<Eigen::ArrayXXf>(), {2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST_CASE("eigen: positions in reports count row by row") {
    Eigen::MatrixXf actual = counted<Eigen::MatrixXf>();
    actual(0, 2) = 30;
    CHECK(measure(actual, counted<row_major_matrix>()).max_abs_err_index == 2u);
    CHECK(measure(actual, numbers({2, 3})).max_abs_err == 27);
}

TEST_CASE("eigen: vectors have one dimension and compare with other buffers") {
    const Eigen::VectorXf column = Eigen::Vector3f(1, 2, 3);
    const Eigen::RowVector3f row(1, 2, 4);
    CHECK(as_view(column).shape() == extents{3});
    CHECK(as_view(row).shape() == extents{3});
    CHECK(measure(column, std::vector<float>{1, 2, 3}).differing == 0);
    CHECK(measure(row, column).max_abs_err_index == 2u);
    const Eigen::MatrixXf matrix(3, 1); // a matrix by its type, though of one column
    CHECK(as_view(matrix).shape() == extents{3, 1});
    CHECK_THROWS_AS(measure(matrix, column), std::invalid_argument);
}

TEST_CASE("eigen: blocks, rows, columns, segments, transposes and diagonals are read in place") {
    const Eigen::MatrixXf m = counted<Eigen::MatrixXf>();
    CHECK(holds(m.block(0, 1, 2, 2), {2, 2}, {2, 3, 5, 6}));
    CHECK(holds(m.row(1), {3}, {4, 5, 6}));
    CHECK(holds(m.col(1), {2}, {2, 5}));
    CHECK(holds(m.transpose(), {3, 2}, {1, 4, 2, 5, 3, 6}));
    CHECK(holds(m.diagonal(), {2}, {1, 5}));
    CHECK(holds(m.row(0).tail(2), {2}, {2, 3}));
    CHECK(holds(counted<row_major_matrix>().eval().col(2), {2}, {3, 6}));
}

TEST_CASE("eigen: maps with strides, and references") {
    const float padded[] = {1, 0, 2, 0, 3, 0, 0, 4, 0, 5, 0, 6, 0, 0};
    using stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    const Eigen::Map<const row_major_matrix, 0, stride> map(padded, 2, 3, stride(7, 2));
    CHECK(holds(map, {2, 3}, {1, 2, 3, 4, 5, 6}));
    const Eigen::Map<const Eigen::VectorXf, 0, Eigen::InnerStride<2>> odd(padded, 3);
    CHECK(holds(odd, {3}, {1, 2, 3}));
    const Eigen::MatrixXf m = counted<Eigen::MatrixXf>();
    const Eigen::Ref<const Eigen::MatrixXf> part = m.rightCols(2);
    CHECK(holds(part, {2, 2}, {2, 3, 5, 6}));
}

TEST_CASE("eigen: half and bfloat16 matrices are read by their bits") {
    CHECK(plumb::dtype_of<Eigen::half> == plumb::dtype::f16);
    CHECK(plumb::dtype_of<Eigen::bfloat16> == plumb::dtype::bf16);
    const Eigen::MatrixXf m = counted<Eigen::MatrixXf>();
    const Eigen::Matrix<Eigen::half, Eigen::Dynamic, Eigen::Dynamic> half = m.cast<Eigen::half>();
    const Eigen::Matrix<Eigen::bfloat16, Eigen::Dynamic, Eigen::Dynamic> brain = m.cast<Eigen::bfloat16>();
    CHECK(as_view(half).type() == plumb::dtype::f16);
    CHECK(measure(half, m).differing == 0);
    CHECK(measure(brain, half).differing == 0);
    const std::vector<Eigen::half> buffer(3, Eigen::half(2.5f));
    CHECK(measure(buffer, std::vector<float>(3, 2.5f)).differing == 0);
}

TEST_CASE("eigen: the other element types") {
    CHECK(as_view(Eigen::MatrixXd(2, 2)).type() == plumb::dtype::f64);
    CHECK(as_view(Eigen::Matrix<std::int64_t, 2, 2>()).type() == plumb::dtype::i64);
    CHECK(as_view(Eigen::Array<bool, Eigen::Dynamic, 1>(4)).type() == plumb::dtype::boolean);
    CHECK_FALSE(std::is_convertible_v<Eigen::MatrixXcf, tensor_view>);
}

TEST_CASE("eigen: an expression has no memory and is no tensor until it is evaluated") {
    const Eigen::MatrixXf m = counted<Eigen::MatrixXf>();
    CHECK_FALSE(std::is_convertible_v<decltype(m + m), tensor_view>);
    CHECK_FALSE(std::is_convertible_v<decltype(m.cast<double>()), tensor_view>);
    CHECK(measure((m + m).eval(), (2 * m).eval()).differing == 0);
    CHECK_FALSE(std::is_convertible_v<Eigen::MatrixXf, plumb::view<float>>); // a view knows no strides
}

TEST_CASE("eigen: empty matrices are empty tensors") {
    const Eigen::MatrixXf nothing(0, 3);
    CHECK(as_view(nothing).shape() == extents{0, 3});
    CHECK(measure(nothing, nothing).count == 0);
    CHECK(as_view(Eigen::VectorXf()).count() == 0);
}

TEST_CASE("eigen: tensors of both layouts are read in row-major order") {
    Eigen::Tensor<float, 3> column_major(2, 3, 4);
    Eigen::Tensor<float, 3, Eigen::RowMajor> other(2, 3, 4);
    Eigen::TensorFixedSize<float, Eigen::Sizes<2, 3, 4>> fixed;
    std::vector<float> expected;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 4; ++k) {
                expected.push_back(static_cast<float>(100 * i + 10 * j + k));
                column_major(i, j, k) = other(i, j, k) = fixed(i, j, k) = expected.back();
            }
    CHECK(holds(column_major, {2, 3, 4}, expected));
    CHECK(holds(other, {2, 3, 4}, expected));
    CHECK(holds(fixed, {2, 3, 4}, expected));
    CHECK(holds(Eigen::TensorMap<Eigen::Tensor<float, 3>>(column_major.data(), 2, 3, 4), {2, 3, 4}, expected));
    CHECK(holds(Eigen::TensorMap<Eigen::Tensor<const float, 3, Eigen::RowMajor>>(other.data(), 2, 3, 4), {2, 3, 4}, expected));
    other(1, 2, 3) = -1;
    CHECK(measure(other, column_major).max_abs_err_index == 23u);
    CHECK_FALSE(std::is_convertible_v<decltype(other + other), tensor_view>);
}

TEST_CASE("eigen: a tensor of no dimensions is a scalar") {
    Eigen::Tensor<float, 0> scalar;
    scalar() = 7;
    CHECK(holds(scalar, {}, {7}));
}
