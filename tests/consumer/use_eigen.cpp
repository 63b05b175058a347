#include <plumb/types.hpp>

#include <Eigen/Core>

#include <cstdio>

int main() {
    const Eigen::VectorXf buffer = Eigen::VectorXf::Ones(3);
    const plumb::view<float> numbers = buffer;
    std::printf("plumb sees %zu numbers of an Eigen vector\n", numbers.size());
}
