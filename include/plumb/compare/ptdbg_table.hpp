/// \file
/// The table that ptdbg_ascend's compare writes.
#pragma once

#include <plumb/compare/comparison.hpp>
#include <plumb/compare/seed_words.hpp>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

/// ptdbg_ascend's columns and words, with the numbers of plumb: the cosine has 12 decimals and does not snap to 1.0, scalars are
/// compared, x/0 is inf and 0/0 is 0, the shares leave out no element. `rank` is where the stacks come from.
class ptdbg_table {
public:
    ptdbg_table(const rank_pair& rank, table_mode mode)
        : rank_(rank), mode_(mode), with_stack_(rank.actual != nullptr && !rank.actual->stacks.empty()) {}

    std::vector<std::string> header() const {
        std::vector<std::string> names{"NPU Name",           "Bench Name",       "NPU Tensor Dtype",
                                       "Bench Tensor Dtype", "NPU Tensor Shape", "Bench Tensor Shape"};
        const auto add = [&](std::initializer_list<const char*> more) { names.insert(names.end(), more.begin(), more.end()); };
        const auto add_statistics = [&] {
            add({"NPU max", "NPU min", "NPU mean", "NPU l2norm", "Bench max", "Bench min", "Bench mean", "Bench l2norm"});
        };
        switch (mode_) {
        case table_mode::tensor:
            add({"Cosine", "MaxAbsErr", "MaxRelativeErr", "One Thousandth Err Ratio", "Five Thousandths Err Ratio"});
            add_statistics();
            add({"Accuracy Reached or Not", "Err_message"});
            break;
        case table_mode::statistics:
            add({"Max diff", "Min diff", "Mean diff", "L2norm diff"});
            add_statistics();
            break;
        case table_mode::checksum: add({"NPU MD5", "BENCH MD5", "Result"}); break;
        }
        if (with_stack_) add({"NPU_Stack_Info"});
        return names;
    }

    /// Called once for each row, in the order of the table: an operator's stack stands in its first row alone.
    std::vector<std::string> cells(const comparison_row& row) {
        const seed_row words(row);
        std::vector<std::string> all{name(row.actual),
                                     name(row.reference),
                                     type(row.actual),
                                     type(row.reference),
                                     shape(row.actual, row.actual_shape),
                                     shape(row.reference, row.reference_shape)};
        switch (mode_) {
        case table_mode::tensor: add_tensor(all, row, words); break;
        case table_mode::statistics:
            for (std::size_t i = 0; i < 4; ++i) all.push_back(difference(words.actual[i], words.reference[i], i == 3));
            add_statistics(all, row, words);
            break;
        case table_mode::checksum:
            all.push_back(row.actual != nullptr ? row.actual->checksum : "Nan");
            all.push_back(row.reference != nullptr ? row.reference->checksum : "Nan");
            all.push_back(row.agrees == agreement::same ? "Pass" : row.agrees == agreement::different ? "Different" : "Nan");
            break;
        }
        if (with_stack_) all.push_back(stack(row));
        return all;
    }

private:
    static std::string name(const dump_entry* entry) { return entry != nullptr ? entry->name : "Nan"; }
    static std::string type(const dump_entry* entry) { return entry != nullptr ? entry->type_name : "Nan"; }
    static std::string shape(const dump_entry* entry, const std::optional<extents>& shape) {
        return entry == nullptr ? "Nan" : shape ? to_string(*shape) : "[]";
    }

    static void add_tensor(std::vector<std::string>& to, const comparison_row& row, const seed_row& words) {
        const auto all_five = [&](const char* word) { to.insert(to.end(), 5, word); };
        std::string accuracy = accuracy_word(row.judged, "Nan"), message = row.error;
        if (words.shapes_differ) {
            all_five("shape unmatched");
            accuracy = "Unmatched";
        } else if (words.nonfinite_differ) {
            all_five("N/A");
            message = "The position of inf or nan in NPU and bench Tensor do not match.";
        } else if (row.report) {
            const pair_report& r = *row.report;
            for (const double number : {r.cosine, r.max_abs_err, r.max_rel_err, r.ratio_1e3, r.ratio_5e3})
                to.push_back(detail::is_nan_value(number) ? "Nan" : to_fixed_text(number, 12));
            if (row.judged.result() == outcome::undefined) message = row.judged.why();
        } else {
            all_five("Nan");
            if (row.reference == nullptr) message = "No bench data matched.";
            if (row.actual == nullptr) message = "No npu data matched.";
        }
        add_statistics(to, row, words);
        to.push_back(std::move(accuracy));
        to.push_back(std::move(message));
    }

    static std::string python_text(const recorded_number& recorded, bool integers) {
        if (const double* number = std::get_if<double>(&recorded))
            return integers && std::fabs(*number) < 1e15 ? to_fixed_text(*number, 0) : python_repr(*number);
        if (const bool* flag = std::get_if<bool>(&recorded)) return *flag ? "True" : "False";
        const std::string* word = std::get_if<std::string>(&recorded);
        return word != nullptr ? *word : "";
    }
    static void add_statistics(std::vector<std::string>& to, const comparison_row& row, const seed_row& words) {
        const auto is_int = [](const dump_entry* entry) { return entry != nullptr && entry->type_name == "<class 'int'>"; };
        for (const recorded_number& each : words.actual) to.push_back(python_text(each, is_int(row.actual)));
        for (const recorded_number& each : words.reference) to.push_back(python_text(each, is_int(row.reference)));
    }

    /// The column of the norm mixes numbers and words, so Python keeps the difference of two bools there as an integer.
    static std::string difference(const recorded_number& actual, const recorded_number& reference, bool is_norm) {
        const auto a = number_of(actual), b = number_of(reference);
        if (!a || !b) return "Nan";
        const bool integers = is_norm && std::holds_alternative<bool>(actual) && std::holds_alternative<bool>(reference);
        return integers ? std::to_string(static_cast<int>(*a - *b)) : python_repr(*a - *b);
    }

    std::string stack(const comparison_row& row) {
        if (row.actual == nullptr || !shown_.insert(row.actual->op).second) return {};
        const auto found = rank_.actual->stacks.find(row.actual->op);
        if (found == rank_.actual->stacks.end()) return {};
        std::string text = "[";
        for (const stack_frame& frame : found->second)
            text += (text.size() > 1 ? ", " : "") +
                    python_repr(std::vector<std::string>{frame.file, frame.line, frame.function, frame.code});
        return text + ']';
    }

    const rank_pair& rank_;
    table_mode mode_;
    bool with_stack_;
    std::set<std::string> shown_;
};

} // namespace plumb
