#include "catch.hpp"
#include "dump/files.hpp"

#include <plumb/adapters/onednn.hpp>
#include <plumb/dump.hpp>
#include <plumb/metrics.hpp>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

using memory = dnnl::memory;
using tag = memory::format_tag;
using element = memory::data_type;

namespace {

struct machine {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};

    memory make(const memory::dims& shape, element kind, tag layout) { return {{shape, kind, layout}, engine}; }
    template <class T>
    memory filled(const memory::dims& shape, element kind, tag layout, const std::vector<T>& values) {
        memory made = make(shape, kind, layout);
        std::memcpy(made.get_data_handle(), values.data(), values.size() * sizeof(T));
        return made;
    }
    /// 0, 1, 2, … in nchw order, in another layout.
    memory counting(const memory::dims& shape, tag layout) {
        std::vector<float> values(static_cast<std::size_t>(
            std::accumulate(shape.begin(), shape.end(), memory::dim{1}, [](memory::dim a, memory::dim b) { return a * b; })));
        std::iota(values.begin(), values.end(), 0.0f);
        memory plain = filled(shape, element::f32, tag::nchw, values);
        memory made = make(shape, element::f32, layout);
        dnnl::reorder(plain, made).execute(stream, plain, made);
        stream.wait();
        return made;
    }
};

std::vector<float> counted(std::size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

const plumb::dump_entry& entry_of(const plumb::rank_dump& dump, const std::string& name) {
    for (const auto& each : dump.entries)
        if (each.name == name) return each;
    throw std::runtime_error("no entry " + name);
}

} // namespace

TEST_CASE("onednn: a plain memory is viewed in place, with its type") {
    machine m;
    const auto [kind, expected] = GENERATE(values<std::pair<element, plumb::dtype>>({{element::f32, plumb::dtype::f32},
                                                                                     {element::f16, plumb::dtype::f16},
                                                                                     {element::bf16, plumb::dtype::bf16},
                                                                                     {element::s8, plumb::dtype::i8},
                                                                                     {element::u8, plumb::dtype::u8},
                                                                                     {element::s32, plumb::dtype::i32}}));
    const memory x = m.make({2, 3}, kind, tag::ab);
    const plumb::tensor_view view = x;
    CHECK(view.type() == expected);
    CHECK(view.shape() == plumb::extents{2, 3});
    CHECK(view.data() == x.get_data_handle());
    CHECK(view.is_contiguous());
}

TEST_CASE("onednn: channels-last memory is read in the order of its shape") {
    machine m;
    const memory x = m.counting({2, 3, 4, 5}, tag::nhwc);
    CHECK_FALSE(plumb::tensor_view(x).is_contiguous());
    const auto report = plumb::measure(x, plumb::tensor_view(plumb::dtype::f32, counted(120).data(), {2, 3, 4, 5}));
    CHECK(report.count == 120);
    CHECK(report.differing == 0);
}

TEST_CASE("onednn: a blocked memory is no view") {
    machine m;
    const memory x = m.counting({1, 3, 2, 2}, tag::nChw8c);
    CHECK_FALSE(plumb::is_readable(x));
    CHECK_THROWS_AS(plumb::tensor_view(x), std::invalid_argument);
}

TEST_CASE("onednn: a blocked memory is reordered, its padding left behind") {
    machine m;
    const memory x = m.counting({2, 3, 4, 5}, tag::nChw8c); // 3 channels in a block of 8
    const memory plain = plumb::readable_copy(x, m.stream);
    const plumb::tensor_view view = plain;
    CHECK(view.shape() == plumb::extents{2, 3, 4, 5});
    CHECK(plumb::measure(view, plumb::tensor_view(plumb::dtype::f32, counted(120).data(), {2, 3, 4, 5})).differing == 0);
}

TEST_CASE("onednn: part of a memory begins where its descriptor says") {
    machine m;
    memory whole = m.counting({1, 1, 4, 4}, tag::nchw);
    const memory part(whole.get_desc().submemory_desc({1, 1, 2, 2}, {0, 0, 1, 2}), m.engine, whole.get_data_handle());
    const std::vector<float> expected{6, 7, 10, 11};
    CHECK(plumb::measure(part, plumb::tensor_view(plumb::dtype::f32, expected.data(), {1, 1, 2, 2})).differing == 0);
}

TEST_CASE("onednn: a primitive is recorded with its arguments by name") {
    machine m;
    test::temporary_folder folder;
    plumb::dump_options options;
    options.layout = plumb::dump_layout::plumb;
    plumb::dump_session session(folder.path() / "dump", options);
    session.start();

    memory x = m.filled<float>({2, 2}, element::f32, tag::ab, {1, 2, 3, 4});
    memory w = m.filled<float>({2, 2}, element::f32, tag::ba, {1, 0, 2, 1}); // transposed: [[1, 2], [0, 1]]
    memory y = m.make({2, 2}, element::f32, tag::ab);
    const dnnl::matmul::primitive_desc how({x.get_desc(), w.get_desc(), y.get_desc()}, m.engine);
    plumb::run_primitive(session, "matmul", dnnl::matmul(how), m.stream,
                         {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}});
    session.stop();

    const plumb::dump recorded = plumb::read_dump(folder.path() / "dump");
    const auto& rank = recorded.ranks.at(0);
    REQUIRE(rank.entries.size() == 3);
    CHECK(rank.entries[0].slot == "src");
    CHECK(rank.entries[1].slot == "weights");
    CHECK(rank.entries[2].slot == "dst");
    const std::vector<float> weights{1, 2, 0, 1}, product{1, 4, 3, 10};
    CHECK(plumb::measure(plumb::load(rank.entries[1]), plumb::tensor_view(plumb::dtype::f32, weights.data(), {2, 2})).differing ==
          0);
    CHECK(plumb::measure(plumb::load(rank.entries[2]), plumb::tensor_view(plumb::dtype::f32, product.data(), {2, 2})).differing ==
          0);
}

TEST_CASE("onednn: the input of a primitive that works in place is recorded as it was") {
    machine m;
    test::temporary_folder folder;
    plumb::dump_session session(folder.path() / "dump");
    session.start();
    memory x = m.filled<float>({4}, element::f32, tag::a, {-1, 2, -3, 4});
    const dnnl::eltwise_forward::desc relu(dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, x.get_desc(), 0.0f);
    plumb::run_primitive(session, "relu", dnnl::eltwise_forward({relu, m.engine}), m.stream,
                         {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}});
    session.stop();
    const plumb::dump recorded = plumb::read_dump(folder.path() / "dump");
    const auto& rank = recorded.ranks.at(0);
    const std::vector<float> before{-1, 2, -3, 4}, after{0, 2, 0, 4};
    CHECK(plumb::measure(plumb::load(entry_of(rank, "oneDNN_relu_0_forward_input.src")), before).differing == 0);
    CHECK(plumb::measure(plumb::load(entry_of(rank, "oneDNN_relu_0_forward_output.dst")), after).differing == 0);
}
