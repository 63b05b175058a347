/// \file
/// The sentences that say why an operator is named.
#pragma once

#include <plumb/compare/call_evidence.hpp>
#include <plumb/compare/number_text.hpp>
#include <plumb/compare/rounding_noise.hpp>
#include <plumb/compare/row.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb {

/// "input 1", "parameter weight", "output 0".
inline std::string slot_text(const dump_entry& entry) {
    return std::string(name_of(entry.kind)) + ' ' + (entry.slot.empty() ? "0" : entry.slot);
}

/// How a row differs, in a few words: "1536 of 1536 elements differ, rel_l2_err 0.000384, 0.79 times the rounding unit of f16".
/// Where a file could not be read, what the indexes tell; the error alone only if they tell nothing.
inline std::string difference_text(const comparison_row& row) {
    if (row.report) {
        const pair_report& r = *row.report;
        if (r.nonfinite_mismatched > 0)
            return std::to_string(r.nonfinite_mismatched) + " non-finite values against others, the first at " +
                   std::to_string(r.first_mismatch_index.value_or(0));
        std::string text = std::to_string(r.differing) + " of " + std::to_string(r.count) + " elements differ, rel_l2_err " +
                           to_text(r.rel_l2_err, 3);
        const double u = unit_roundoff(row);
        if (u == 0 || !detail::is_finite_value(r.rel_l2_err)) return text;
        const std::string type(u == unit_roundoff(dtype::f16)    ? "f16"
                               : u == unit_roundoff(dtype::bf16) ? "bf16"
                                                                 : name_of(*row.reference_type));
        const double units = r.rel_l2_err / u;
        text += units > 100 ? ", far above the rounding of " + type
                            : ", " + to_text(units, 2) + " times the rounding unit of " + type;
        return text;
    }
    const std::string instead = row.error.empty() ? "" : " by the index (the elements could not be read)";
    if (row.basis == comparison_basis::checksum)
        return "checksum " + row.actual->checksum + " against " + row.reference->checksum + instead;
    if (row.basis == comparison_basis::statistics) {
        for (const auto& [name, a, b] : statistic_pairs(*row.actual_stats, *row.reference_stats))
            if (a && b && !detail::same_number(*a, *b))
                return std::string(name) + ' ' + to_text(*a, 9) + " against " + to_text(*b, 9) + instead;
    }
    return row.judged.why();
}

namespace detail {

/// "its 3 inputs are equal" in the words that the basis allows, the weakest of its rows.
inline std::string equal_inputs_text(const call_evidence& call) {
    bool statistics = false, checksums = false;
    for (const comparison_row* row : call.inputs) {
        statistics = statistics || row->basis == comparison_basis::statistics;
        checksums = checksums || row->basis == comparison_basis::checksum;
    }
    const std::string how = statistics ? "have equal statistics" : checksums ? "have equal checksums" : "are equal";
    if (call.inputs.empty()) return "it has no inputs";
    const std::string count =
        call.inputs.size() == 1 ? "its only input" : "its " + std::to_string(call.inputs.size()) + " inputs";
    std::string verb = how;
    if (call.inputs.size() == 1) verb = statistics ? "has equal statistics" : checksums ? "has an equal checksum" : "is equal";
    return count + ' ' + verb + (call.forward != nullptr ? " (and so is all of its forward call)" : "");
}

inline std::string random_text(const call_evidence& call) {
    return draws_random_numbers(call.name) ? "it draws random numbers (check seeds, generators and training mode): " : "";
}

} // namespace detail

inline std::string why_certain(const call_evidence& call) {
    const comparison_row& output = *call.differing_output();
    return detail::random_text(call) + detail::equal_inputs_text(call) + " and " + slot_text(output.entry()) +
           " differs: " + difference_text(output);
}

inline std::string why_suspected(const call_evidence& call) {
    const comparison_row& output = *call.differing_output();
    if (call.recorded_inputs_agree()) {
        const auto own = call.missing_slot();
        return detail::random_text(call) + "suspected: what is recorded of its inputs agrees and " + slot_text(output.entry()) +
               " differs: " + difference_text(output) + "; but " + (own ? "" : "of its forward call ") + "input " +
               std::to_string(own ? *own : call.forward->missing_slot().value_or(0)) +
               " is not in the dump: nobody knows whether it agreed";
    }
    std::string missing = "its inputs are not all recorded";
    if (call.inputs.empty())
        missing = "its inputs are not recorded";
    else if (call.is_backward() && call.forward == nullptr)
        missing = "its forward call, whose tensors it remembers, is not recorded";
    else if (works_in_place(call.name))
        missing = "it overwrites its input, which was recorded afterwards";
    return detail::random_text(call) + "suspected: it is the first with a difference (" + slot_text(output.entry()) + ": " +
           difference_text(output) + "), but " + missing;
}

inline std::string why_nonfinite(const call_evidence& call) {
    for (const comparison_row* row : call.outputs)
        if (has_nonfinite_mismatch(*row))
            return "no recorded input has a NaN or an infinity that the other side lacks, " + slot_text(row->entry()) +
                   " has: " + difference_text(*row);
    return {};
}

inline std::string why_it_stands_out(const error_step& step) {
    return detail::random_text(*step.call) + slot_text(step.output->entry()) + " has rel_l2_err " + to_text(step.outgoing, 3) +
           " where its inputs bring " + to_text(step.incoming, 3) + ": " + to_text(step.growth, 3) +
           " times what they and rounding explain" +
           (step.usual ? ", usual here is " + to_text(*step.usual, 2) : ", and no operator does that by itself");
}

} // namespace plumb
