#include "program.hpp"

#include <string>

using program::contains;
using program::run;

namespace {

std::string dump(const std::string& name) { return (program::data / "dumps" / name).string(); }

} // namespace

TEST_CASE("plumb parse: prints what ptdbg_ascend's parse prints") {
    const auto answer = run({"parse", dump("overflow/ptdbg/npu/rank0/api_stack_dump.pkl"), "Tensor___mul___0"});
    CHECK(answer.status == 0);
    CHECK(answer.err.empty());
    CHECK(answer.out == R"(
Statistic Info:
  [Tensor___mul___0_forward_input.0][dtype: torch.float16][shape: [2, 3, 16]][max: 7.0][min: -2.935546875][mean: -0.0650634765625]
  [Tensor___mul___0_forward_input.1][dtype: torch.float16][shape: [16]][max: 100.0][min: 0.5205078125][mean: 7.16796875]
  [Tensor___mul___0_forward_output][dtype: torch.float16][shape: [2, 3, 16]][max: 700.0][min: -163.0][mean: 7.515625]

Trace back(Tensor___mul___0_forward_stack_info):
  File "/train/train.py", line 199, in <module>
    result = step(net, x, target)
  File "/train/train.py", line 157, in step
    y = net(x)
  File "/site-packages/torch/nn/modules/module.py", line 1194, in _call_impl
    ...
  File "/train/train.py", line 136, in forward
    h = self.first(x) * self.gain
  File "/site-packages/ptdbg_ascend/hook_module/wrap_tensor.py", line 59, in tensor_op_template
    ...
  File "/site-packages/ptdbg_ascend/hook_module/hook_module.py", line 58, in __call__
    ...
)");
}

TEST_CASE("plumb parse: Python scalars and non-finite numbers look as Python prints them") {
    const auto scalars = run({"parse", dump("attention/ptdbg/npu"), "Functional_embedding_0_forward"});
    CHECK(contains(scalars.out, "  [Functional_embedding_0_forward_input.5][dtype: <class 'bool'>][shape: []]"
                                "[max: False][min: False][mean: False]\n"));
    const auto overflow = run({"parse", dump("overflow/ptdbg/npu"), "Functional_linear_1_forward_output"});
    CHECK(overflow.out == "\nStatistic Info:\n  [Functional_linear_1_forward_output][dtype: torch.float16][shape: [2, 3, 8]]"
                          "[max: inf][min: -16304.0][mean: inf]\n");
}

TEST_CASE("plumb parse: reads msprobe's index and plumb's own as well") {
    const auto msprobe = run({"parse", dump("overflow/msprobe_tensor/npu/step0/rank/dump.json"), "Functional.linear.1"});
    CHECK(contains(msprobe.out, "  [Functional.linear.1.forward.output.0][dtype: torch.float16][shape: [2, 3, 8]][max: inf]"));
    CHECK(
        contains(msprobe.out, "\nTrace back(Functional.linear.1.forward):\n  File \"/train/train.py\", line 188, in <module>\n"));
    const auto own = run({"parse", (program::data / "cases/data/d01-first-bad/actual/index.jsonl").string(), "layer2.mul"});
    CHECK(contains(own.out, "  [layer2.mul.input.0][dtype: f32][shape: [32]][max: 1.3983523845672607]")); // from the data
}

TEST_CASE("plumb parse: a name that is not there is an input error, not silence") {
    const auto answer = run({"parse", dump("overflow/ptdbg/npu"), "Functional_lin"});
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    CHECK(contains(answer.err, "no name begins with 'Functional_lin' and ends a field there"));
}
