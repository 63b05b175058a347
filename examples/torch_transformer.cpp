// A training step of a small transformer in libtorch, recorded operator by operator as msprobe records it in Python:
//
//     torch_transformer FOLDER [fault] [aten]
//
// With `fault` the softmax kernel is wrong: it computes softmax(x sqrt(16/17)). `plumb compare` finds it. With `aten` operators
// have libtorch's own names; torch_transformer_names.json says what they are in Python.
#include <plumb/adapters/torch.hpp>
#include <plumb/random/seed_all.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string_view>

constexpr std::int64_t batch = 4, sequence = 12, vocabulary = 64, dim = 32, heads = 2, hidden = 40, classes = 8;
constexpr std::int64_t head_dim = dim / heads;

/// What the module computes in Python. In C++ its forward() calls addmm, which has its arguments in another order.
at::Tensor linear(const torch::nn::Linear& layer, const at::Tensor& x) { return torch::linear(x, layer->weight, layer->bias); }

struct block : torch::nn::Module {
    block() {
        const torch::NoGradGuard no_grad;
        for (auto* layer : {&query, &key, &value}) (*layer)->weight.mul_(2.0);
        for (auto* norm : {&norm1, &norm2}) {
            (*norm)->weight.add_(torch::randn(dim) * 0.1);
            (*norm)->bias.add_(torch::randn(dim) * 0.1);
        }
    }

    at::Tensor attend(const at::Tensor& x) {
        const auto q = linear(query, x).view({batch, sequence, heads, head_dim}).transpose(1, 2);
        const auto k = linear(key, x).view({batch, sequence, heads, head_dim}).permute({0, 2, 3, 1});
        const auto v = linear(value, x).view({batch, sequence, heads, head_dim}).transpose(1, 2);
        const auto scores = torch::matmul(q, k) * std::pow(double{head_dim}, -0.5);
        const auto mixed = torch::matmul(torch::softmax(scores, -1), v).transpose(1, 2);
        return linear(output, mixed.reshape({batch * sequence, dim}));
    }

    at::Tensor forward(const at::Tensor& tokens) {
        auto x = (token(tokens) + position).view({batch * sequence, dim});
        x = x + attend(norm1(x));
        x = x + linear(down, torch::gelu(linear(up, norm2(x))));
        return linear(head, torch::mean(x.view({batch, sequence, dim}), 1));
    }

    // Declared, hence filled with random numbers, in the order of the Python model.
    torch::nn::Embedding token = register_module("token", torch::nn::Embedding(vocabulary, dim));
    at::Tensor position = register_parameter("position", torch::randn({sequence, dim}) * 0.5);
    torch::nn::LayerNorm norm1 = register_module("norm1", torch::nn::LayerNorm(std::vector<std::int64_t>{dim}));
    torch::nn::Linear query = register_module("q", torch::nn::Linear(dim, dim));
    torch::nn::Linear key = register_module("k", torch::nn::Linear(dim, dim));
    torch::nn::Linear value = register_module("v", torch::nn::Linear(dim, dim));
    torch::nn::Linear output = register_module("proj", torch::nn::Linear(dim, dim));
    torch::nn::LayerNorm norm2 = register_module("norm2", torch::nn::LayerNorm(std::vector<std::int64_t>{dim}));
    torch::nn::Linear up = register_module("up", torch::nn::Linear(dim, hidden));
    torch::nn::Linear down = register_module("down", torch::nn::Linear(hidden, dim));
    torch::nn::Linear head = register_module("head", torch::nn::Linear(dim, classes));
};

at::Tensor wrong_softmax(const at::Tensor& x, std::int64_t along, bool) {
    const auto powers = ((x - x.amax(along, true)) * std::sqrt(16.0 / 17.0)).exp();
    return powers / powers.sum(along, true);
}

int main(int argc, char** argv) try {
    if (argc < 2) throw std::invalid_argument("usage: torch_transformer FOLDER [fault] [aten]");
    const auto asked = [&](std::string_view word) { return std::find(argv + 2, argv + argc, word) != argv + argc; };
    torch::Library kernels(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__);
    if (asked("fault")) kernels.impl("_softmax", &wrong_softmax);

    plumb::register_torch_seeder();
    plumb::seed_all(4242);
    block model;
    plumb::seed_all(4242);
    const auto tokens = torch::randint(0, vocabulary, {batch, sequence}), target = torch::randint(0, classes, {batch});

    plumb::dump_options options;
    options.layout = plumb::dump_layout::msprobe;
    plumb::dump_session session(argv[1], options);
    plumb::torch_options hooked;
    hooked.seed_tool_names = !asked("aten");
    // changes of shape that the Python tools record are to be recorded, too
    for (const char* name : {"transpose", "permute", "reshape"})
        hooked.filter.erase(std::find(hooked.filter.begin(), hooked.filter.end(), name));
    plumb::torch_hooks hooks(session, hooked); // attach
    session.start();
    const auto loss = torch::nn::functional::cross_entropy(model.forward(tokens), target);
    loss.backward();
    hooks.detach();
    session.stop();
    std::cout.precision(10);
    std::cout << "loss " << loss.item<double>() << '\n';
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 2;
}
