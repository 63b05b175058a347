/// \file
/// The backward calls of libtorch's operators: what goes into and comes out of the nodes of autograd's graph.
#pragma once

#include <plumb/adapters/torch_arguments.hpp>
#include <plumb/adapters/torch_link.hpp>
#include <plumb/dump/dump_session.hpp>
#include <plumb/guard/operator_id.hpp>

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace plumb {
namespace detail {

/// What the two hooks on one node share.
struct torch_node {
    std::shared_ptr<torch_link> link;
    operator_id id;                ///< of the backward call
    std::atomic<bool> done{false}; ///< once: the graph may be gone through again, then the numbers go on
};

class torch_before_node : public torch::autograd::FunctionPreHook {
public:
    explicit torch_before_node(std::shared_ptr<torch_node> node) : node_(std::move(node)) {}

    std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& gradients) override {
        operator_call call;
        const at::DisableRecordFunctionGuard off;
        node_->link->guarded_or_throw([&](dump_session& session) {
            session.check();
            if (!session.enabled()) return;
            const operator_id& id = node_->id;
            const argument_vector inputs = torch_arguments(gradients);
            call = node_->done.exchange(true) ? session.begin(id.prefix, id.api, id.pass, inputs) : session.begin(id, inputs);
        });
        torch_thread& here = this_torch_thread();
        here.nodes.push_back({node_.get(), here.backward, std::move(call)});
        return gradients;
    }

private:
    std::shared_ptr<torch_node> node_;
};

class torch_after_node : public torch::autograd::FunctionPostHook {
public:
    explicit torch_after_node(std::shared_ptr<torch_node> node) : node_(std::move(node)) {}

    std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& outputs, const std::vector<at::Tensor>&) override {
        auto& nodes = this_torch_thread().nodes;
        const auto found = std::find_if(nodes.rbegin(), nodes.rend(), [&](const auto& each) { return each.hook == node_.get(); });
        if (found == nodes.rend()) return outputs;
        operator_call call = std::move(found->call);
        nodes.erase(std::next(found).base());
        const at::DisableRecordFunctionGuard off;
        node_->link->guarded_or_throw([&](dump_session&) {
            if (call) call.finish(torch_arguments(outputs));
        });
        return outputs;
    }

private:
    std::shared_ptr<torch_node> node_;
};

/// Records, when autograd comes by, the backward call of the forward call `id` with these results. `before` are the nodes that
/// made its inputs: a result that is one of the inputs was made elsewhere.
inline void follow_autograd(const std::shared_ptr<torch_link>& link, const operator_id& id,
                            const std::vector<at::Tensor>& results, const std::vector<const torch::autograd::Node*>& before) {
    std::vector<const torch::autograd::Node*> known = before;
    for (const at::Tensor& result : results) {
        if (!result.defined() || !result.requires_grad()) continue;
        const std::shared_ptr<torch::autograd::Node>& made_by = result.grad_fn();
        if (!made_by || std::find(known.begin(), known.end(), made_by.get()) != known.end()) continue;
        known.push_back(made_by.get());
        auto node = std::make_shared<torch_node>();
        node->link = link;
        node->id = id;
        node->id.pass = direction::backward;
        made_by->add_pre_hook(std::make_unique<torch_before_node>(node));
        made_by->add_post_hook(std::make_unique<torch_after_node>(node));
    }
}

/// The nodes that made these tensors.
inline std::vector<const torch::autograd::Node*> nodes_of(const std::vector<at::Tensor>& tensors) {
    std::vector<const torch::autograd::Node*> nodes;
    for (const at::Tensor& each : tensors)
        if (each.defined() && each.requires_grad() && each.grad_fn()) nodes.push_back(each.grad_fn().get());
    return nodes;
}

/// The tensors among some values, inside lists too.
template <class Values>
std::vector<at::Tensor> tensors_among(const Values& values) {
    std::vector<at::Tensor> found;
    for (const c10::IValue& each : values) {
        if (each.isTensor()) found.push_back(each.toTensor());
        if (each.isTensorList())
            for (const at::Tensor& inner : each.toTensorVector()) found.push_back(inner);
    }
    return found;
}

} // namespace detail
} // namespace plumb
