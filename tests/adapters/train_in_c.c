/* A training step of a framework written in C, with plumb's hooks placed by hand. Compiled as C: the header must be C. */
#include <plumb/adapters/c.h>

#include <stddef.h>

/* Runs y = w * x (element by element) and then w *= scale in place, and tells the dump of both. Returns the first status that is
 * not PLUMB_OK. */
plumb_status train_in_c(plumb_dump* dump, float* w, const float* x, float* y, int64_t n, float scale);

plumb_status train_in_c(plumb_dump* dump, float* w, const float* x, float* y, int64_t n, float scale) {
    const plumb_tensor inputs[2] = {{x, PLUMB_F32, 1, &n, NULL}, {w, PLUMB_F32, 1, &n, NULL}};
    const plumb_tensor output = {y, PLUMB_F32, 1, &n, NULL};
    plumb_status status;
    plumb_call* call;
    int64_t i;
    for (i = 0; i < n; ++i) y[i] = w[i] * x[i];
    if (plumb_dump_enabled(dump)) {
        status = plumb_dump_record(dump, "Torch", "mul", PLUMB_FORWARD, inputs, 2, &output, 1);
        if (status != PLUMB_OK) return status;
    }
    call = plumb_dump_begin(dump, "Tensor", "mul_", PLUMB_FORWARD, inputs + 1, 1);
    if (call == NULL) return PLUMB_FAILURE;
    for (i = 0; i < n; ++i) w[i] *= scale;
    return plumb_call_finish(call, inputs + 1, 1);
}
