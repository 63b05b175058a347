#include "torch_catch.hpp"

#include <plumb/adapters/torch_arguments.hpp>
#include <plumb/adapters/torch_operators.hpp>
#include <plumb/metrics.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

TEST_CASE("torch_tensor: a tensor is viewed in place, with its type and strides") {
    const at::Tensor x = at::arange(24, at::kFloat).view({2, 3, 4});
    const plumb::tensor_view view = x;
    CHECK(view.data() == x.data_ptr());
    CHECK(view.type() == plumb::dtype::f32);
    CHECK(view.shape() == plumb::extents{2, 3, 4});
    CHECK(view.is_contiguous());
}

TEST_CASE("torch_tensor: each element type has its name") {
    const auto [from, expected] = GENERATE(values<std::pair<at::ScalarType, plumb::dtype>>({{at::kHalf, plumb::dtype::f16},
                                                                                            {at::kBFloat16, plumb::dtype::bf16},
                                                                                            {at::kFloat, plumb::dtype::f32},
                                                                                            {at::kDouble, plumb::dtype::f64},
                                                                                            {at::kBool, plumb::dtype::boolean},
                                                                                            {at::kByte, plumb::dtype::u8},
                                                                                            {at::kChar, plumb::dtype::i8},
                                                                                            {at::kShort, plumb::dtype::i16},
                                                                                            {at::kInt, plumb::dtype::i32},
                                                                                            {at::kLong, plumb::dtype::i64}}));
    CHECK(plumb::as_view(at::zeros({2}, from)).type() == expected);
    CHECK_FALSE(plumb::dtype_from(at::kComplexFloat).has_value());
    CHECK_FALSE(plumb::dtype_from(at::kQInt8).has_value());
}

TEST_CASE("torch_tensor: buffers of c10::Half and c10::BFloat16 are read in place") {
    const std::vector<c10::Half> a{1.0f, 2.0f, -3.5f};
    const std::vector<c10::BFloat16> b{1.0f, 2.0f, -3.0f};
    const auto report = plumb::measure(a, b);
    CHECK(report.max_abs_err == 0.5);
    CHECK(report.max_abs_err_index == 2);
}

TEST_CASE("torch_tensor: transposed, sliced and expanded tensors are read in the order of their shape") {
    const at::Tensor x = at::arange(24, at::kFloat).view({2, 3, 4});
    const at::Tensor tensor =
        GENERATE_COPY(values<at::Tensor>({x.transpose(0, 2), x.slice(2, 0, 4, 2), x.select(1, 1),
                                          x.slice(0, 0, 1).expand({3, 3, 4}), x.flip(0), x.select(0, 0).t()}));
    const at::Tensor packed = tensor.contiguous();
    const plumb::tensor_view expected(plumb::dtype::f32, packed.data_ptr(), plumb::as_view(tensor).shape());
    CHECK(plumb::measure(tensor, expected).differing == 0);
}

TEST_CASE("torch_tensor: empty and scalar tensors are tensors") {
    CHECK(plumb::as_view(at::zeros({0, 3})).count() == 0);
    CHECK(plumb::as_view(at::ones({})).shape().empty());
    CHECK(plumb::as_view(at::ones({})).count() == 1);
}

TEST_CASE("torch_tensor: what is no plain memory is no view") {
    CHECK_THROWS_AS(plumb::as_view(at::Tensor()), std::invalid_argument);
    CHECK_THROWS_AS(plumb::as_view(at::zeros({2, 2}).to_sparse()), std::invalid_argument);
    CHECK_THROWS_AS(plumb::as_view(at::zeros({2}, at::kComplexFloat)), std::invalid_argument);
    CHECK_THROWS_AS(plumb::as_view(at::empty({2}, at::TensorOptions().device(at::kMeta))), std::invalid_argument);
}

TEST_CASE("torch_tensor: a readable copy has the elements of sparse, quantized, complex and negated tensors") {
    const at::Tensor x = at::tensor({0.0f, 1.5f, 0.0f, -2.0f}).view({2, 2});
    CHECK(plumb::readable_copy(x).is_same(x));
    CHECK(at::equal(plumb::readable_copy(x.to_sparse()), x));
    CHECK(at::equal(plumb::readable_copy(at::quantize_per_tensor(x, 0.5, 10, at::kQUInt8)), x)); // exact: multiples of 0.5
    const at::Tensor complex = at::complex(x, x + 1);
    CHECK(at::equal(plumb::readable_copy(complex), at::stack({x, x + 1}, -1)));
    CHECK(at::equal(plumb::readable_copy(at::conj(complex)), at::stack({x, -(x + 1)}, -1)));
    CHECK(at::equal(plumb::readable_copy(at::imag(at::conj(complex))), -(x + 1)));
    CHECK_FALSE(plumb::readable_copy(at::empty({2}, at::TensorOptions().device(at::kMeta))).defined());
    CHECK_FALSE(plumb::readable_copy(at::Tensor()).defined());
    if (at::hasMKLDNN()) CHECK(at::equal(plumb::readable_copy(x.to_mkldnn()), x));
}

TEST_CASE("torch_arguments: values of every kind become arguments") {
    CHECK(std::get<std::int64_t>(plumb::torch_argument(c10::IValue(7)).value()) == 7);
    CHECK(std::get<double>(plumb::torch_argument(c10::IValue(0.5)).value()) == 0.5);
    CHECK(std::get<bool>(plumb::torch_argument(c10::IValue(true)).value()));
    CHECK(std::get<std::string>(plumb::torch_argument(c10::IValue("none")).value()) == "none");
    CHECK(plumb::torch_argument(c10::IValue()).value().index() == 0);
    CHECK(plumb::torch_argument(at::Tensor()).value().index() == 0);
    const c10::IValue tensors(std::vector<at::Tensor>{at::zeros({2}), at::zeros({3})});
    const plumb::argument list = plumb::torch_argument(tensors);
    REQUIRE(list.items() != nullptr);
    REQUIRE(list.items()->size() == 2);
    CHECK((*list.items())[1].tensor()->shape() == plumb::extents{3});
    const plumb::argument sizes = plumb::torch_argument(c10::IValue(std::vector<std::int64_t>{4, 5}));
    CHECK(std::get<std::int64_t>((*sizes.items())[1].value()) == 5);
    const plumb::argument pair = plumb::torch_argument(c10::IValue(std::make_tuple(at::zeros({1}), std::int64_t{3})));
    CHECK(pair.items()->size() == 2);
}

TEST_CASE("torch_arguments: a number that libtorch has wrapped is a number") {
    at::Tensor wrapped = at::scalar_to_tensor(0.25);
    wrapped.unsafeGetTensorImpl()->set_wrapped_number(true);
    CHECK(std::get<double>(plumb::torch_argument(wrapped).value()) == 0.25);
}

TEST_CASE("torch_operators: operators have the seed tools' names") {
    const auto name = [](const char* aten) {
        const plumb::torch_name found = plumb::seed_tool_name(aten);
        return found.prefix + "." + found.api;
    };
    CHECK(name("aten::linear") == "Functional.linear");
    CHECK(name("aten::cross_entropy_loss") == "Functional.cross_entropy");
    CHECK(name("aten::softmax") == "Functional.softmax");
    CHECK(name("aten::add") == "Tensor.__add__");
    CHECK(name("aten::__and__") == "Tensor.__and__");
    CHECK(name("aten::add_") == "Tensor.add_");
    CHECK(name("aten::matmul") == "Torch.matmul");
    CHECK(name("aten::_softmax") == "Torch._softmax");
    CHECK(name("quantized::linear") == "quantized.linear");
    CHECK(plumb::seed_tool_name("aten::embedding").swap_first_two);
    CHECK_FALSE(plumb::seed_tool_name("aten::linear").swap_first_two);
}
