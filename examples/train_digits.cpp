// A network of one's own on Eigen learns to read digits, with plumb's hook called by hand in each layer: how to embed plumb in a
// framework. The run is made twice, once as it should be and once with a mistake that no loss curve shows; comparing the two
// dumps finds the operator.
#include <plumb/adapters/eigen.hpp>
#include <plumb/compare.hpp>
#include <plumb/dump.hpp>
#include <plumb/random.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <tuple>

using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using row = Eigen::RowVectorXf;
namespace rng = plumb::rng::torch;

struct linear {
    plumb::dump_session& hook;
    matrix w, x;
    row b;

    linear(plumb::dump_session& session, rng::generator& g, Eigen::Index in, Eigen::Index out)
        : hook(session), w(out, in), b(out) {
        rng::linear(g, w, b, in, out); // nn.Linear's first numbers
    }
    matrix forward(const matrix& input) {
        x = input;
        const matrix y = (x * w.transpose()).rowwise() + b;
        hook.forward("Functional", "linear", std::tie(x, w, b), y);
        return y;
    }
    /// Takes the gradient of y, makes one step of gradient descent, and returns the gradient of x.
    matrix backward(const matrix& dy, float rate) {
        const matrix dx = dy * w, dw = dy.transpose() * x;
        const row db = dy.colwise().sum();
        hook.backward("Functional", "linear", std::tie(dy), std::tie(dx, dw, db));
        w -= rate * dw;
        b -= rate * db;
        return dx;
    }
};

struct gelu {
    plumb::dump_session& hook;
    bool approximate; ///< the mistake: the tanh formula where the exact one is meant
    matrix x;

    matrix forward(const matrix& input) {
        x = input;
        const matrix y = x.unaryExpr([this](float v) {
            return approximate ? 0.5f * v * (1 + std::tanh(0.7978845608f * (v + 0.044715f * v * v * v)))
                               : 0.5f * v * (1 + std::erf(v * 0.7071067812f));
        });
        hook.forward("Functional", "gelu", std::tie(x), y);
        return y;
    }
    matrix backward(const matrix& dy) {
        const matrix slope = x.unaryExpr(
            [](float v) { return 0.5f * (1 + std::erf(v * 0.7071067812f)) + v * 0.3989422804f * std::exp(-0.5f * v * v); });
        const matrix dx = dy.cwiseProduct(slope);
        hook.backward("Functional", "gelu", std::tie(dy), std::tie(dx));
        return dx;
    }
};

/// Trains on the first 800 digits and returns the share of the other 200 that is read right.
double train(plumb::dump_session& session, bool mistake, const matrix& images, const std::vector<std::uint8_t>& labels) {
    rng::generator g(1234);
    linear first(session, g, 64, 32), second(session, g, 32, 10);
    gelu act{session, mistake, {}};
    constexpr Eigen::Index batch = 50, training = 800;
    for (int step = 0; step < 480; ++step) {
        const Eigen::Index from = step * batch % training;
        const matrix y = second.forward(act.forward(first.forward(images.middleRows(from, batch))));
        matrix p = (y.colwise() - y.rowwise().maxCoeff()).array().exp();
        p.array().colwise() /= p.array().rowwise().sum();
        session.forward("Functional", "softmax", std::tie(y), p);
        for (Eigen::Index i = 0; i < batch; ++i) p(i, labels[static_cast<std::size_t>(from + i)]) -= 1;
        first.backward(act.backward(second.backward(p / float{batch}, 0.5f)), 0.5f); // p: the gradient of cross entropy
        session.step();
    }
    session.set_enabled(false);
    const matrix y = second.forward(act.forward(first.forward(images.bottomRows(images.rows() - training))));
    int right = 0;
    for (Eigen::Index i = 0, best = 0; i < y.rows(); ++i) {
        y.row(i).maxCoeff(&best);
        right += best == labels[static_cast<std::size_t>(training + i)];
    }
    return static_cast<double>(right) / static_cast<double>(y.rows());
}

int main(int argc, char** argv) {
    const std::filesystem::path data = argc > 1 ? argv[1] : PLUMB_DIGITS,
                                folder = std::filesystem::temp_directory_path() / "plumb_digits";
    const plumb::tensor pixels = plumb::read_tensor(data / "images.npy"), digits = plumb::read_tensor(data / "labels.npy");
    using bytes = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto* pixel = static_cast<const std::uint8_t*>(pixels.view().data());
    const matrix images = Eigen::Map<const bytes>(pixel, pixels.shape()[0], pixels.shape()[1]).cast<float>() / 16;
    const auto* digit = static_cast<const std::uint8_t*>(digits.view().data());
    const std::vector<std::uint8_t> labels(digit, digit + digits.view().count());

    std::filesystem::remove_all(folder);
    plumb::operator_selector steps;
    steps.every_n_steps = 240;
    for (const bool mistake : {false, true}) {
        plumb::dump_session session(folder / (mistake ? "mistake" : "right"));
        session.start(steps);
        std::printf("%s: %.0f %% of the digits are read\n", mistake ? "mistake" : "right",
                    100 * train(session, mistake, images, labels));
        session.set_enabled(true);
        session.stop();
    }
    const auto result = plumb::compare(plumb::read_dump(folder / "mistake"), plumb::read_dump(folder / "right"));
    if (result.first_diverging) std::printf("first diverging: %s\n", result.first_diverging->op.c_str());
}
