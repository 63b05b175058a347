/// \file
/// plumb for C: dump, overflow guard, metrics. Compile c.cpp beside it as C++17, with plumb/dump.hpp's libraries, and link it in.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a function returns: PLUMB_OK, or why not; plumb_last_error() has the words. No C++ exception ever gets out.
typedef enum plumb_status {
    PLUMB_OK = 0,
    PLUMB_BAD_CALL = 1,       ///< the caller's mistake: a null pointer, an unknown word, different shapes
    PLUMB_IO_ERROR = 2,       ///< a file could not be written
    PLUMB_OVERFLOW_LIMIT = 3, ///< the guard says stop; the message names the source
    PLUMB_FAILURE = 4         ///< anything else, such as no memory
} plumb_status;

/// What the last function that did not return PLUMB_OK, or that returned NULL, had to say, in this thread; "" before. Valid until
/// the thread's next call.
const char* plumb_last_error(void);

/// Element types; the numbers are fixed.
typedef enum plumb_dtype {
    PLUMB_BOOL = 0,
    PLUMB_I8 = 1,
    PLUMB_I16 = 2,
    PLUMB_I32 = 3,
    PLUMB_I64 = 4,
    PLUMB_U8 = 5,
    PLUMB_U16 = 6,
    PLUMB_U32 = 7,
    PLUMB_U64 = 8,
    PLUMB_F8_E4M3FN = 9,
    PLUMB_F8_E5M2 = 10,
    PLUMB_F16 = 11,
    PLUMB_BF16 = 12,
    PLUMB_F32 = 13,
    PLUMB_F64 = 14
} plumb_dtype;

/// A tensor in host memory, which must stay as it is during the call. Strides are in bytes; NULL means C order.
typedef struct plumb_tensor {
    const void* data;
    plumb_dtype dtype;
    size_t rank;            ///< number of dimensions, 0 to 32
    const int64_t* shape;   ///< `rank` lengths
    const int64_t* strides; ///< `rank` strides, or NULL
} plumb_tensor;

typedef enum plumb_pass { PLUMB_FORWARD = 0, PLUMB_BACKWARD = 1 } plumb_pass;

/* ---- Overflow guard: plumb::overflow_guard ---- */

typedef struct plumb_guard plumb_guard;

/// Stops at overflow number `limit`, or never (-1). NULL if the limit makes no sense.
plumb_guard* plumb_guard_new(int limit);
/// Not while a dump watches with it. NULL is allowed.
void plumb_guard_free(plumb_guard* guard);
plumb_status plumb_guard_enable(plumb_guard* guard, int on);
/// Checks a call after it ran. PLUMB_OVERFLOW_LIMIT if this was one overflow too many.
plumb_status plumb_guard_check(plumb_guard* guard, const char* family, const char* api, plumb_pass pass,
                               const plumb_tensor* inputs, size_t input_count, const plumb_tensor* outputs, size_t output_count);
/// Overflows so far.
uint64_t plumb_guard_count(const plumb_guard* guard);

/* ---- Dump: plumb::dump_session ---- */

typedef struct plumb_dump plumb_dump;
typedef struct plumb_call plumb_call;

/// The tool whose index is written beside plumb's own.
typedef enum plumb_layout { PLUMB_LAYOUT_PLUMB = 0, PLUMB_LAYOUT_PTDBG = 1, PLUMB_LAYOUT_MSPROBE = 2 } plumb_layout;

/// A dump into `folder`, which is made when the first call is recorded. NULL if something is wrong.
plumb_dump* plumb_dump_open(const char* folder, int rank, plumb_layout layout);
/// Stops, and frees. The dump is closed whatever is returned. NULL is allowed.
plumb_status plumb_dump_close(plumb_dump* dump);
/// Begins to record: mode "all", "api_stack", "list", "range", "stack", "api_list" or "module", with the names that some of them
/// take (NULL and 0 for none).
plumb_status plumb_dump_start(plumb_dump* dump, const char* mode, const char* const* names, size_t name_count);
plumb_status plumb_dump_stop(plumb_dump* dump);
plumb_status plumb_dump_flush(plumb_dump* dump);
/// The next training step begins.
plumb_status plumb_dump_step(plumb_dump* dump);
/// 1 while calls are recorded: costs a function call and one load. Ask before you gather tensors.
int plumb_dump_enabled(const plumb_dump* dump);
/// Lets the guard see every call; NULL ends that.
plumb_status plumb_dump_watch(plumb_dump* dump, plumb_guard* guard);
/// Records a call after it ran. A backward call's inputs are the gradients of its results.
plumb_status plumb_dump_record(plumb_dump* dump, const char* family, const char* api, plumb_pass pass, const plumb_tensor* inputs,
                               size_t input_count, const plumb_tensor* outputs, size_t output_count);
/// Records a call in two parts, for operators that work in place: the inputs are copied now. Never NULL unless something is
/// wrong.
plumb_call* plumb_dump_begin(plumb_dump* dump, const char* family, const char* api, plumb_pass pass, const plumb_tensor* inputs,
                             size_t input_count);
/// The call ran. Frees it, whatever is returned.
plumb_status plumb_call_finish(plumb_call* call, const plumb_tensor* outputs, size_t output_count);

/* ---- Metrics: plumb::measure, plumb::classify, plumb::summarize ---- */

/// The numbers of plumb::pair_report; what is undefined is NaN, a position that there is not is -1.
typedef struct plumb_report {
    uint64_t count, finite_pairs, nonfinite_matched, nonfinite_mismatched, differing;
    int cosine_defined;
    double cosine, max_abs_err, max_rel_err, euclidean, rmse, rel_l2_err;
    int64_t max_abs_err_index, max_rel_err_index, first_mismatch_index, first_differing_index;
} plumb_report;

/// Compares `actual` with `reference`, which have one shape.
plumb_status plumb_measure(const plumb_tensor* actual, const plumb_tensor* reference, plumb_report* report);

typedef enum plumb_outcome { PLUMB_PASS = 0, PLUMB_WARN = 1, PLUMB_UNDEFINED = 2, PLUMB_FAIL = 3 } plumb_outcome;

/// Judges by the seed tools' rule. `reason`, if not NULL, gets one line, cut to `size` bytes with the zero at its end.
plumb_status plumb_classify(const plumb_tensor* actual, const plumb_tensor* reference, plumb_outcome* outcome, char* reason,
                            size_t size);

/// The numbers of plumb::tensor_report.
typedef struct plumb_statistics {
    uint64_t count, finite, nan, pos_inf, neg_inf, zeros, subnormals, saturated;
    double min, max, mean, norm;
} plumb_statistics;

plumb_status plumb_summarize(const plumb_tensor* tensor, plumb_statistics* statistics);

#ifdef __cplusplus
}
#endif
