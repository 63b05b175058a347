#include <plumb/types.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdio>

int main() {
    const Eigen::VectorXf buffer = Eigen::VectorXf::Ones(3);
    const plumb::view<float> numbers(buffer.data(), static_cast<std::size_t>(buffer.size()));
    std::printf("plumb sees %zu numbers of an Eigen vector\n", numbers.size());
}
