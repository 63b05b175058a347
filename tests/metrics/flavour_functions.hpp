/// \file
/// Defines one flavour: PLUMB_TEST_FLAVOUR is its name, PLUMB_TEST_RUNS_HERE when it can run.
#include "flavour.hpp"

namespace {

bool runs_here() { return PLUMB_TEST_RUNS_HERE; }

plumb::pair_report measure(const plumb::tensor_view& actual, const plumb::tensor_view& reference,
                           const plumb::tolerance& limits) {
    return plumb::measure<plumb::all_metrics>(actual, reference, limits);
}
plumb::pair_report measure_default(const plumb::tensor_view& actual, const plumb::tensor_view& reference) {
    return plumb::measure(actual, reference);
}
plumb::tensor_report summarize(const plumb::tensor_view& tensor) { return plumb::summarize(tensor); }

void add_narrow(narrow_metrics& to, const float* actual, const float* reference, std::size_t n) { to.add(actual, reference, n); }
void add_wide(wide_metrics& to, const plumb::tensor_view& actual, const plumb::tensor_view& reference) {
    to.add(actual, reference);
}
wide_metrics shift_wide(const wide_metrics& from, std::uint64_t offset) { return from.shifted(offset); }
void merge_narrow(narrow_metrics& to, const narrow_metrics& from, std::uint64_t offset) { to.merge(from, offset); }
void merge_wide(wide_metrics& to, const wide_metrics& from, std::uint64_t offset) { to.merge(from, offset); }
plumb::pair_report value_narrow(const narrow_metrics& of) { return of.value(); }
plumb::pair_report value_wide(const wide_metrics& of) { return of.value(); }

#define PLUMB_TEST_NAME_OF_(x) #x
#define PLUMB_TEST_NAME_OF(x) PLUMB_TEST_NAME_OF_(x)

} // namespace

const flavour PLUMB_TEST_FLAVOUR = {PLUMB_TEST_NAME_OF(PLUMB_TEST_FLAVOUR),
                                    runs_here,
                                    measure,
                                    measure_default,
                                    summarize,
                                    add_narrow,
                                    add_wide,
                                    shift_wide,
                                    merge_narrow,
                                    merge_wide,
                                    value_narrow,
                                    value_wide};
