/// \file
/// The functions of c.h.

#include <plumb/adapters/c.h>

#include <plumb/dump/dump_session.hpp>
#include <plumb/guard/overflow_guard.hpp>
#include <plumb/metrics.hpp>
#include <plumb/verdict.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

struct plumb_guard {
    plumb::overflow_guard guard;
};
struct plumb_dump {
    plumb::dump_session session;
};
struct plumb_call {
    plumb::operator_call call;
};

namespace {

static_assert(static_cast<int>(plumb::dtype::f64) == PLUMB_F64 && static_cast<int>(plumb::dtype::f16) == PLUMB_F16,
              "the numbers of c.h are those of plumb::dtype");

thread_local std::string last_error;

/// Runs f, and turns what it throws into a status and words.
template <class F>
plumb_status guarded(const F& f) noexcept {
    try {
        try {
            f();
            return PLUMB_OK;
        } catch (const plumb::overflow_limit& limit) {
            last_error = limit.what();
            return PLUMB_OVERFLOW_LIMIT;
        } catch (const plumb::io_error& error) {
            last_error = error.what();
            return PLUMB_IO_ERROR;
        } catch (const std::logic_error& error) {
            last_error = error.what();
            return PLUMB_BAD_CALL;
        } catch (const std::exception& error) {
            last_error = error.what();
            return PLUMB_FAILURE;
        }
    } catch (...) {
        last_error.clear();
        return PLUMB_FAILURE;
    }
}

template <class T>
T& not_null(T* pointer, const char* what) {
    if (!pointer) throw std::invalid_argument(std::string("plumb: ") + what + " is NULL");
    return *pointer;
}

plumb::tensor_view view_of(const plumb_tensor& tensor) {
    if (static_cast<unsigned>(tensor.dtype) >= plumb::dtype_count) throw std::invalid_argument("plumb: unknown element type");
    if (tensor.rank != 0) not_null(tensor.shape, "a tensor's shape");
    const auto type = static_cast<plumb::dtype>(tensor.dtype);
    const plumb::extents shape(tensor.shape, tensor.rank);
    const auto view = tensor.strides ? plumb::tensor_view(type, tensor.data, shape, plumb::extents(tensor.strides, tensor.rank))
                                     : plumb::tensor_view(type, tensor.data, shape);
    if (view.count() != 0) not_null(static_cast<const char*>(tensor.data), "a tensor's data");
    return view;
}

plumb::argument_vector arguments_of(const plumb_tensor* tensors, std::size_t count) {
    if (count != 0) not_null(tensors, "the list of tensors");
    plumb::argument_vector all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(view_of(tensors[i]));
    return all;
}

plumb::direction direction_of(plumb_pass pass) {
    if (pass != PLUMB_FORWARD && pass != PLUMB_BACKWARD) throw std::invalid_argument("plumb: unknown pass");
    return pass == PLUMB_FORWARD ? plumb::direction::forward : plumb::direction::backward;
}

std::int64_t index_of(const std::optional<std::uint64_t>& index) { return index ? static_cast<std::int64_t>(*index) : -1; }

} // namespace

extern "C" {

const char* plumb_last_error(void) { return last_error.c_str(); }

plumb_guard* plumb_guard_new(int limit) {
    plumb_guard* made = nullptr;
    guarded([&] { made = new plumb_guard{plumb::overflow_guard(limit)}; });
    return made;
}
void plumb_guard_free(plumb_guard* guard) { delete guard; }

plumb_status plumb_guard_enable(plumb_guard* guard, int on) {
    return guarded([&] { not_null(guard, "the guard").guard.enable(on != 0); });
}
plumb_status plumb_guard_check(plumb_guard* guard, const char* family, const char* api, plumb_pass pass,
                               const plumb_tensor* inputs, size_t input_count, const plumb_tensor* outputs, size_t output_count) {
    return guarded([&] {
        auto& checks = not_null(guard, "the guard").guard;
        if (!checks.enabled()) return;
        const auto in = arguments_of(inputs, input_count), out = arguments_of(outputs, output_count);
        not_null(family, "the family");
        not_null(api, "the operator's name");
        if (direction_of(pass) == plumb::direction::forward)
            checks.forward(family, api, in, out);
        else
            checks.backward(family, api, in, out);
    });
}
uint64_t plumb_guard_count(const plumb_guard* guard) { return guard ? guard->guard.count() : 0; }

plumb_dump* plumb_dump_open(const char* folder, int rank, plumb_layout layout) {
    plumb_dump* made = nullptr;
    guarded([&] {
        plumb::dump_options options;
        if (rank < 0) throw std::invalid_argument("plumb: a rank is not negative");
        options.rank = rank;
        switch (layout) {
        case PLUMB_LAYOUT_PLUMB: options.layout = plumb::dump_layout::plumb; break;
        case PLUMB_LAYOUT_PTDBG: options.layout = plumb::dump_layout::ptdbg; break;
        case PLUMB_LAYOUT_MSPROBE: options.layout = plumb::dump_layout::msprobe; break;
        default: throw std::invalid_argument("plumb: unknown layout");
        }
        if (not_null(folder, "the folder") == '\0') throw std::invalid_argument("plumb: the folder's name is empty");
        made = new plumb_dump{plumb::dump_session(folder, options)};
    });
    return made;
}
plumb_status plumb_dump_close(plumb_dump* dump) {
    const std::unique_ptr<plumb_dump> owner(dump);
    return dump ? plumb_dump_stop(dump) : PLUMB_OK;
}
plumb_status plumb_dump_start(plumb_dump* dump, const char* mode, const char* const* names, size_t name_count) {
    return guarded([&] {
        auto& session = not_null(dump, "the dump").session;
        const auto parsed = plumb::parse_dump_mode(&not_null(mode, "the mode"));
        if (!parsed) throw std::invalid_argument("plumb: \"" + std::string(mode) + "\" is no dump mode");
        plumb::operator_selector selector;
        selector.mode = *parsed;
        auto& list = *parsed == plumb::dump_mode::api_list ? selector.api_list : selector.scope;
        if (name_count != 0) not_null(names, "the list of names");
        for (std::size_t i = 0; i < name_count; ++i) list.emplace_back(&not_null(names[i], "a name"));
        session.start(std::move(selector));
    });
}
plumb_status plumb_dump_stop(plumb_dump* dump) {
    return guarded([&] { not_null(dump, "the dump").session.stop(); });
}
plumb_status plumb_dump_flush(plumb_dump* dump) {
    return guarded([&] { not_null(dump, "the dump").session.flush(); });
}
plumb_status plumb_dump_step(plumb_dump* dump) {
    return guarded([&] { not_null(dump, "the dump").session.step(); });
}
int plumb_dump_enabled(const plumb_dump* dump) { return dump && dump->session.enabled() ? 1 : 0; }

plumb_status plumb_dump_watch(plumb_dump* dump, plumb_guard* guard) {
    return guarded([&] { not_null(dump, "the dump").session.watch(guard ? &guard->guard : nullptr); });
}
plumb_status plumb_dump_record(plumb_dump* dump, const char* family, const char* api, plumb_pass pass, const plumb_tensor* inputs,
                               size_t input_count, const plumb_tensor* outputs, size_t output_count) {
    return guarded([&] {
        auto& session = not_null(dump, "the dump").session;
        if (!session.enabled()) return;
        const auto in = arguments_of(inputs, input_count), out = arguments_of(outputs, output_count);
        not_null(family, "the family");
        not_null(api, "the operator's name");
        if (direction_of(pass) == plumb::direction::forward)
            session.forward(family, api, in, out);
        else
            session.backward(family, api, in, out);
    });
}
plumb_call* plumb_dump_begin(plumb_dump* dump, const char* family, const char* api, plumb_pass pass, const plumb_tensor* inputs,
                             size_t input_count) {
    std::unique_ptr<plumb_call> made;
    const plumb_status status = guarded([&] {
        auto& session = not_null(dump, "the dump").session;
        made = std::make_unique<plumb_call>();
        if (session.enabled())
            made->call = session.begin(&not_null(family, "the family"), &not_null(api, "the operator's name"), direction_of(pass),
                                       arguments_of(inputs, input_count));
    });
    return status == PLUMB_OK ? made.release() : nullptr;
}
plumb_status plumb_call_finish(plumb_call* call, const plumb_tensor* outputs, size_t output_count) {
    const std::unique_ptr<plumb_call> owner(call);
    return guarded([&] {
        auto& running = not_null(call, "the call").call;
        if (running) running.finish(arguments_of(outputs, output_count));
    });
}

plumb_status plumb_measure(const plumb_tensor* actual, const plumb_tensor* reference, plumb_report* report) {
    return guarded([&] {
        const auto r =
            plumb::measure(view_of(not_null(actual, "the actual tensor")), view_of(not_null(reference, "the reference")));
        not_null(report, "the report") = {r.count,
                                          r.finite_pairs,
                                          r.nonfinite_matched,
                                          r.nonfinite_mismatched,
                                          r.differing,
                                          r.cosine_defined ? 1 : 0,
                                          r.cosine,
                                          r.max_abs_err,
                                          r.max_rel_err,
                                          r.euclidean,
                                          r.rmse,
                                          r.rel_l2_err,
                                          index_of(r.max_abs_err_index),
                                          index_of(r.max_rel_err_index),
                                          index_of(r.first_mismatch_index),
                                          index_of(r.first_differing_index)};
    });
}
plumb_status plumb_classify(const plumb_tensor* actual, const plumb_tensor* reference, plumb_outcome* outcome, char* reason,
                            size_t size) {
    return guarded([&] {
        const auto report =
            plumb::measure(view_of(not_null(actual, "the actual tensor")), view_of(not_null(reference, "the reference")));
        const plumb::verdict verdict = plumb::classify(report, plumb::rules::ptdbg());
        not_null(outcome, "the outcome") = static_cast<plumb_outcome>(verdict.result());
        if (!reason || size == 0) return;
        const std::string text = verdict.reason();
        const std::size_t length = std::min(text.size(), size - 1);
        std::memcpy(reason, text.data(), length);
        reason[length] = '\0';
    });
}
plumb_status plumb_summarize(const plumb_tensor* tensor, plumb_statistics* statistics) {
    return guarded([&] {
        const auto r = plumb::summarize(view_of(not_null(tensor, "the tensor")));
        not_null(statistics, "the statistics") = {r.count,
                                                  r.finite,
                                                  r.nonfinite.nan,
                                                  r.nonfinite.pos_inf,
                                                  r.nonfinite.neg_inf,
                                                  r.zeros,
                                                  r.subnormals,
                                                  r.saturated,
                                                  r.min,
                                                  r.max,
                                                  r.mean,
                                                  r.norm};
    });
}

} // extern "C"
