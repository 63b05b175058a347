// An Eigen training run that starts from PyTorch's own numbers: the same weights, data, order and dropout masks as train_mlp.py.
#include <plumb/random.hpp>

#include <Eigen/Core>

#include <cstdio>
#include <vector>

namespace torch = plumb::rng::torch;
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>; // PyTorch's layout
using row = Eigen::RowVectorXf;

int main() {
    plumb::seed_all(1234);
    const auto g = plumb::default_torch_generator();

    matrix w1(16, 4), w2(1, 16), x(64, 4);
    row b1(16), b2(1);
    torch::linear(*g, w1, b1, 4, 16); // nn.Linear(4, 16)
    torch::linear(*g, w2, b2, 16, 1); // nn.Linear(16, 1)
    torch::randn(*g, x);              // torch.randn(64, 4)
    const Eigen::VectorXf y = x.col(0) - 2.0f * x.col(1);
    std::printf("w1[0] = %.7f %.7f %.7f %.7f\n", w1(0, 0), w1(0, 1), w1(0, 2), w1(0, 3));

    float loss = 0.0f;
    std::vector<std::int64_t> order(64);
    matrix h(1, 16), dropped(1, 16), mask(1, 16);
    for (int epoch = 0; epoch < 20; ++epoch) {
        torch::shuffled_epoch(*g, order); // DataLoader(…, shuffle=True)
        loss = 0.0f;
        for (const std::int64_t i : order) {
            h = (x.row(i) * w1.transpose() + b1).cwiseMax(0.0f);
            torch::dropout_noise(*g, mask, plumb::dropout_probability(0.1)); // F.dropout(h, 0.1)
            dropped = h.cwiseProduct(mask);
            const float error = (dropped * w2.transpose())(0) + b2(0) - y(i);
            const row back = (2.0f * error * w2).cwiseProduct(mask).array() * (h.array() > 0.0f).cast<float>();
            w2 -= 0.01f * 2.0f * error * dropped, b2(0) -= 0.01f * 2.0f * error;
            w1 -= 0.01f * back.transpose() * x.row(i), b1 -= 0.01f * back;
            loss += error * error / 64.0f;
        }
    }
    std::printf("loss %.4f\n", static_cast<double>(loss));
}
