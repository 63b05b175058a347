/// \file
/// Dumps made in memory, and a small network whose training step is recorded in one.
#pragma once

#include <plumb/compare.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace made {

using values = std::vector<float>;

/// A tensor of f32 that owns its elements.
inline plumb::tensor tensor_of(values elements, plumb::extents shape) {
    auto owner = std::make_shared<const values>(std::move(elements));
    return {plumb::tensor_view(plumb::dtype::f32, owner->data(), shape), owner};
}
inline plumb::tensor tensor_of(values elements) {
    const auto n = static_cast<std::int64_t>(elements.size());
    return tensor_of(std::move(elements), {n});
}
inline plumb::tensor scalar_of(double value) {
    auto owner = std::make_shared<const double>(value);
    return {plumb::tensor_view(plumb::dtype::f64, owner.get(), plumb::extents{}), owner};
}

/// Records calls, named as msprobe names them.
class recorder {
public:
    explicit recorder(int rank = 0) { rank_.rank = rank; }

    recorder& call(const std::string& op, const std::vector<plumb::tensor>& inputs, const std::vector<plumb::tensor>& outputs) {
        add(op, plumb::tensor_kind::input, inputs);
        add(op, plumb::tensor_kind::output, outputs);
        return *this;
    }
    recorder& inside(const std::string& op, const std::string& parent) {
        rank_.parents[op] = parent;
        return *this;
    }
    plumb::rank_dump& rank() { return rank_; }
    operator plumb::dump() const { return dump_of({rank_}); }

    static plumb::dump dump_of(std::vector<plumb::rank_dump> ranks) {
        plumb::dump d;
        d.ranks = std::move(ranks);
        return d;
    }

private:
    void add(const std::string& op, plumb::tensor_kind kind, const std::vector<plumb::tensor>& tensors) {
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            plumb::dump_entry entry;
            entry.seq = rank_.entries.size();
            entry.op = op;
            const plumb::operator_name name = plumb::parse_operator_name(op);
            entry.call = name.call.value_or(0);
            entry.direction = name.direction;
            entry.kind = kind;
            entry.slot = std::to_string(i);
            entry.name = op + '.' + std::string(plumb::name_of(kind)) + '.' + entry.slot;
            entry.type = tensors[i].type();
            entry.type_name = "torch." + std::string(plumb::torch_name_of(tensors[i].type()));
            entry.shape = tensors[i].shape();
            entry.value = tensors[i];
            rank_.entries.push_back(std::move(entry));
        }
    }

    plumb::rank_dump rank_;
};

/// What a run does to every tensor it computes (`op` names the call, and "x", "w0", "b0" … what it starts from).
using effect = std::function<void(const std::string& op, values& tensor)>;

/// One training step of `layers` times linear and gelu, a linear head and a mean of squares, forward and backward, in float.
inline recorder train(const effect& change, std::size_t layers = 6) {
    constexpr std::size_t rows = 16, width = 24;
    recorder record;
    std::mt19937 engine(42);
    std::normal_distribution<float> normal;
    const auto draw = [&](const std::string& name, std::size_t n, float scale) {
        values v(n);
        for (float& each : v) each = normal(engine) * scale;
        change(name, v);
        return v;
    };
    const auto as_matrix = [&](const values& v) { return tensor_of(v, {static_cast<std::int64_t>(v.size() / width), width}); };

    values x = draw("x", rows * width, 1);
    std::vector<values> weights, biases, linear_inputs, gelu_inputs;
    for (std::size_t layer = 0; layer <= layers; ++layer) {
        weights.push_back(draw("w" + std::to_string(layer), width * width, 0.3f));
        biases.push_back(draw("b" + std::to_string(layer), width, 0.1f));
    }
    for (std::size_t layer = 0; layer <= layers; ++layer) {
        const std::string linear = "Functional.linear." + std::to_string(layer) + ".forward";
        values y(rows * width);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t o = 0; o < width; ++o) {
                float sum = biases[layer][o];
                for (std::size_t i = 0; i < width; ++i) sum += x[r * width + i] * weights[layer][o * width + i];
                y[r * width + o] = sum;
            }
        change(linear, y);
        record.call(linear, {as_matrix(x), as_matrix(weights[layer]), tensor_of(biases[layer])}, {as_matrix(y)});
        linear_inputs.push_back(x);
        x = y;
        if (layer == layers) break;
        const std::string gelu = "Functional.gelu." + std::to_string(layer) + ".forward";
        gelu_inputs.push_back(x);
        for (float& each : y) each = 0.5f * each * (1 + std::erf(each * 0.70710678f));
        change(gelu, y);
        record.call(gelu, {as_matrix(x)}, {as_matrix(y)});
        x = y;
    }
    values square(1, 0.0f);
    for (const float each : x) square[0] += each * each / static_cast<float>(x.size());
    change("Functional.mse_loss.0.forward", square);
    record.call("Functional.mse_loss.0.forward", {as_matrix(x)}, {tensor_of(square, {})});

    values g = x;
    for (float& each : g) each *= 2.0f / static_cast<float>(x.size());
    change("Functional.mse_loss.0.backward", g);
    record.call("Functional.mse_loss.0.backward", {tensor_of({1.0f}, {})}, {as_matrix(g)});
    for (std::size_t layer = layers + 1; layer-- > 0;) {
        values to_bias(width, 0.0f), to_input(rows * width, 0.0f), to_weight(width * width, 0.0f);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t o = 0; o < width; ++o) {
                to_bias[o] += g[r * width + o];
                for (std::size_t i = 0; i < width; ++i) {
                    to_input[r * width + i] += g[r * width + o] * weights[layer][o * width + i];
                    to_weight[o * width + i] += g[r * width + o] * linear_inputs[layer][r * width + i];
                }
            }
        const std::string linear = "Functional.linear." + std::to_string(layer) + ".backward";
        for (values* each : {&to_bias, &to_input, &to_weight}) change(linear, *each);
        record.call(linear, {as_matrix(g)}, {tensor_of(to_bias), as_matrix(to_input), as_matrix(to_weight)});
        g = to_input;
        if (layer == 0) break;
        const std::string gelu = "Functional.gelu." + std::to_string(layer - 1) + ".backward";
        values through = g;
        for (std::size_t i = 0; i < through.size(); ++i) {
            const float v = gelu_inputs[layer - 1][i];
            through[i] *= 0.5f * (1 + std::erf(v * 0.70710678f)) + v * 0.39894228f * std::exp(-v * v / 2);
        }
        change(gelu, through);
        record.call(gelu, {as_matrix(g)}, {as_matrix(through)});
        g = through;
    }
    return record;
}

inline void nothing(const std::string&, values&) {}

/// Rounds everything to binary16, in range here.
inline void round_to_f16(const std::string&, values& tensor) {
    for (float& each : tensor) each = static_cast<float>(plumb::float16(each));
}

} // namespace made
