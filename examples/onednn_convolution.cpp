// A convolution of oneDNN, hooked: once in plain layouts, once in the blocked ones that oneDNN prefers. The two runs are dumped
// from memory objects of different layouts, and compare all the same.
#include <plumb/adapters/onednn.hpp>
#include <plumb/compare.hpp>

#include <cstdio>
#include <filesystem>
#include <vector>

using memory = dnnl::memory;
using tag = memory::format_tag;

memory filled(const dnnl::engine& engine, const memory::dims& shape, tag layout, float scale) {
    memory made({shape, memory::data_type::f32, layout}, engine);
    auto* to = static_cast<float*>(made.get_data_handle());
    for (std::size_t i = 0; i < made.get_desc().get_size() / sizeof(float); ++i)
        to[i] = scale * static_cast<float>(static_cast<int>(i * 2654435761u >> 8 & 255) - 128);
    return made;
}

bool convolve(plumb::dump_session& session, bool blocked) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    memory x = filled(engine, {2, 3, 16, 16}, tag::nchw, 1.0f / 128), w = filled(engine, {16, 3, 3, 3}, tag::oihw, 1.0f / 512);
    const auto any = [&](const memory::dims& shape, tag plain) {
        return memory::desc(shape, memory::data_type::f32, blocked ? tag::any : plain);
    };
    const dnnl::convolution_forward::primitive_desc how({dnnl::prop_kind::forward_inference,
                                                         dnnl::algorithm::convolution_direct,
                                                         any({2, 3, 16, 16}, tag::nchw),
                                                         any({16, 3, 3, 3}, tag::oihw),
                                                         any({2, 16, 14, 14}, tag::nchw),
                                                         {1, 1},
                                                         {0, 0},
                                                         {0, 0}},
                                                        engine);
    memory in(how.src_desc(), engine), weights(how.weights_desc(), engine), out(how.dst_desc(), engine);
    dnnl::reorder(x, in).execute(stream, x, in);
    dnnl::reorder(w, weights).execute(stream, w, weights);
    plumb::run_primitive(session, "conv", dnnl::convolution_forward(how), stream,
                         {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, out}});
    stream.wait();
    return !plumb::is_readable(out) || !plumb::is_readable(weights);
}

int main() {
    const auto folder = std::filesystem::temp_directory_path() / "plumb_onednn_example";
    std::filesystem::remove_all(folder);
    for (const bool blocked : {false, true}) {
        plumb::dump_session session(folder / (blocked ? "blocked" : "plain"));
        session.start();
        const bool hidden = convolve(session, blocked);
        session.stop();
        std::printf("%s\n", hidden ? "blocked layouts, reordered for the dump" : "plain layouts, dumped in place");
    }
    const auto result = plumb::compare(plumb::read_dump(folder / "blocked"), plumb::read_dump(folder / "plain"));
    std::printf("%zu tensors: %zu pass\n", result.summary.rows, result.summary.pass);
}
