/// \file
/// Tells an operator that adds an error from those that hand on, and a little increase, what they were given.
#pragma once

#include <plumb/compare/call_evidence.hpp>
#include <plumb/compare/row.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plumb {

/// How much larger the error of a call's outputs is than what its inputs and rounding explain.
struct error_step {
    const call_evidence* call = nullptr;
    const comparison_row* output = nullptr; ///< the output that shows it
    double growth = 0;                      ///< the error over what is explained: about 1 where nothing happens
    double incoming = 0;                    ///< rel_l2_err of the inputs together
    double outgoing = 0;                    ///< rel_l2_err of the output
    std::optional<double> usual;            ///< median growth of its kind of call, or of all; empty where these are too few
    bool stands_out = false;
};

namespace detail {

inline double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// The growth of one call: ‖Δout‖/‖out‖ against that of the inputs and one rounding, root of the sum of squares. A backward call
/// is also given the tensors of its forward call, which it remembers.
///
/// Where terms cancel (x − mean(x), a gradient that is zero in exact arithmetic) that explodes although nothing is wrong. So a
/// call counts as no more than 2 if the rms of Δout is no more than twice that of Δin and one rounding of the inputs, times √n
/// where each output sums n inputs: noise of that size is what such a sum hands on.
inline std::optional<error_step> measure_step(const call_evidence& call, double kind_rounding) {
    double squares = 0, rms = 0, size = 0, elements = 0, scale = 0;
    const auto take = [&](const std::vector<const comparison_row*>& rows, bool own) {
        for (const comparison_row* row : rows) {
            if (has_nonfinite_mismatch(*row)) return false;
            const auto d = distance_of(*row);
            if (!d) {
                if (row->agrees == agreement::different) return false; // differs by nobody knows how much
                continue;
            }
            squares += d->relative * d->relative;
            if (!own) continue;
            rms = std::max(rms, d->rms);
            scale = std::max(scale, d->reference);
            elements = std::max(elements, d->count);
            size = std::max(size, unit_roundoff(*row));
        }
        return true;
    };
    if (call.inputs_missing() || !take(call.inputs, true)) return std::nullopt;
    if (call.forward != nullptr && !(take(call.forward->inputs, false) && take(call.forward->outputs, false)))
        return std::nullopt;
    if (squares == 0) return std::nullopt; // equal inputs: nothing to weigh

    std::optional<error_step> largest;
    for (const comparison_row* row : call.outputs) {
        const auto d = distance_of(*row);
        if (row->agrees != agreement::different || !d) continue;
        const double rounding = std::max({unit_roundoff(*row), size, kind_rounding});
        const double relative = d->relative / std::sqrt(squares + rounding * rounding);
        const double summed = std::sqrt(std::max(1.0, elements / d->count));
        const double absolute = d->rms / (std::hypot(rms, rounding * scale) * summed);
        const double growth = rms > 0 && absolute <= 2 ? std::min(relative, 2.0) : relative;
        if (!largest || growth > largest->growth)
            largest = error_step{&call, row, growth, std::sqrt(squares), d->relative, std::nullopt, false};
    }
    return largest;
}

} // namespace detail

/// The growth of every call whose inputs and outputs differ by a known amount, in call order.
///
/// A call stands out if its growth is above 4 (two bits), and above the median of its kind in this dump (of all calls, where
/// there are fewer than five of its kind) by four times the spread, in powers of two; the spread is 1.4826 times the median of
/// the absolute deviations, the standard deviation of a normal distribution, and no less than a third of a bit. Statistics only
/// estimate errors, so from them three bits more are asked for.
///
/// Fewer than five calls don't tell what is usual: the faulty one may be half of them. There a growth above 2^10 is enough, or
/// one above 2^5 of an output that is off by a tenth, which no operator has by itself: what cancellation does is weighed before.
inline std::vector<error_step> error_steps(const call_history& history) {
    std::map<std::string, std::vector<double>> rounding_of_kind;
    for (const call_evidence* call : history.calls())
        if (call->is_certain_source())
            for (const comparison_row* row : call->outputs)
                if (const auto d = distance_of(*row); d && row->agrees == agreement::different)
                    rounding_of_kind[call->kind_of_call()].push_back(d->relative);

    std::vector<error_step> steps;
    std::map<std::string, std::vector<double>> bits_of_kind;
    std::vector<double> all_bits;
    for (const call_evidence* call : history.calls()) {
        if (call->encloses_a_difference) continue;
        double rounding = 0;
        // One faulty call must not excuse the others: as rounding counts what is usual, and small.
        if (const auto usual = rounding_of_kind.find(call->kind_of_call()); usual != rounding_of_kind.end())
            rounding = std::min(detail::median(usual->second), unit_roundoff(dtype::bf16));
        auto step = detail::measure_step(*call, rounding);
        if (!step || !(step->growth > 0)) continue;
        const double bits = std::log2(step->growth);
        bits_of_kind[call->kind_of_call()].push_back(bits);
        all_bits.push_back(bits);
        steps.push_back(*step);
    }

    for (error_step& step : steps) {
        const std::vector<double>& kin = bits_of_kind[step.call->kind_of_call()];
        std::vector<double> peers = kin.size() >= 5 ? kin : all_bits;
        const bool few = peers.size() < 5;
        const double usual = detail::median(peers);
        for (double& bits : peers) bits = std::fabs(bits - usual);
        const double spread = std::max(1.4826 * detail::median(std::move(peers)), 1.0 / 3);
        const double least = step.output->report ? 2 : 5, beyond_doubt = least + (step.outgoing >= 0.1 ? 3 : 8);
        double needed = std::max(least, usual + 4 * spread);
        if (few)
            needed = std::min(needed, beyond_doubt);
        else
            step.usual = std::exp2(usual);
        step.stands_out = std::log2(step.growth) > needed;
    }
    return steps;
}

} // namespace plumb
