#include <plumb/adapters/eigen.hpp>
#include <plumb/plumb.hpp>

#include <Eigen/Core>

#include <cstdio>

int main() {
    const Eigen::MatrixXf reference = Eigen::MatrixXf::Ones(3, 2);
    Eigen::MatrixXf actual = reference;
    actual(2, 1) = 1.5f;
    const auto report = plumb::measure(actual, reference);
    std::printf("%llu elements differ\n", static_cast<unsigned long long>(report.differing));
    return report.max_abs_err_index == 5 ? 0 : 1;
}
