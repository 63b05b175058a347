/// \file
/// The table that msprobe's compare writes.
#pragma once

#include <plumb/compare/compare_entries.hpp>
#include <plumb/compare/comparison.hpp>
#include <plumb/compare/seed_words.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

/// msprobe's columns (8.x) and words, with the numbers of plumb: the cosine has 12 decimals and is not rounded further, scalars
/// are compared, x/0 is inf and 0/0 is 0. Numbers have the 16 digits that its workbook keeps. `rank` is where the stacks come
/// from.
class msprobe_table {
public:
    msprobe_table(const rank_pair& rank, table_mode mode)
        : rank_(rank), mode_(mode), with_stack_(rank.actual != nullptr && !rank.actual->stacks.empty()) {}

    std::vector<std::string> header() const {
        std::vector<std::string> names{"NPU Name",         "Bench Name",         "NPU Dtype",         "Bench Dtype",
                                       "NPU Tensor Shape", "Bench Tensor Shape", "NPU Requires_grad", "Bench Requires_grad"};
        const auto add = [&](std::initializer_list<const char*> more) { names.insert(names.end(), more.begin(), more.end()); };
        const auto add_statistics = [&] {
            add({"NPU max", "NPU min", "NPU mean", "NPU l2norm", "Bench max", "Bench min", "Bench mean", "Bench l2norm"});
        };
        switch (mode_) {
        case table_mode::tensor:
            add({"Cosine", "EucDist", "MaxAbsErr", "MaxRelativeErr", "One Thousandth Err Ratio", "Five Thousandths Err Ratio"});
            add_statistics();
            add({"Requires_grad Consistent", "Accuracy Reached or Not", "Err_message"});
            break;
        case table_mode::statistics:
            add({"Max diff", "Min diff", "Mean diff", "L2norm diff", "MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr",
                 "NormRelativeErr"});
            add_statistics();
            add({"Requires_grad Consistent", "Result", "Err_message"});
            break;
        case table_mode::checksum: add({"NPU MD5", "BENCH MD5", "Requires_grad Consistent", "Result"}); break;
        }
        if (with_stack_) add({"NPU_Stack_Info"});
        if (mode_ == table_mode::tensor) add({"Data_name"});
        return names;
    }

    /// Called once for each row, in the order of the table: an operator's stack stands in its first row alone.
    std::vector<std::string> cells(const comparison_row& row) {
        const seed_row words(row);
        std::vector<std::string> all{name(row.actual), name(row.reference)};
        all.push_back(type(row.actual));
        all.push_back(type(row.reference));
        all.push_back(shape(row.actual, row.actual_shape));
        all.push_back(shape(row.reference, row.reference_shape));
        all.push_back(requires_grad(row.actual));
        all.push_back(requires_grad(row.reference));
        switch (mode_) {
        case table_mode::tensor: add_tensor(all, row, words); break;
        case table_mode::statistics: add_differences(all, row, words); break;
        case table_mode::checksum:
            all.push_back(checksum(row.actual));
            all.push_back(checksum(row.reference));
            all.push_back(consistent(row));
            all.push_back(row.agrees == agreement::same ? "pass" : row.agrees == agreement::different ? "Different" : "None");
            break;
        }
        if (with_stack_) all.push_back(stack(row));
        if (mode_ == table_mode::tensor)
            all.push_back(python_repr(std::vector<std::string>{data_name(row.actual), data_name(row.reference)}));
        return all;
    }

private:
    static bool is_none(const dump_entry& entry) { return detail::is_absent(entry); }
    static std::string name(const dump_entry* entry) { return entry != nullptr ? entry->name : "N/A"; }
    static std::string type(const dump_entry* entry) {
        if (entry == nullptr) return "N/A";
        for (const char* builtin : {"int", "float", "bool", "str", "slice", "complex"})
            if (entry->type_name == builtin) return "<class '" + entry->type_name + "'>";
        return is_none(*entry) ? "None" : entry->type_name;
    }
    static std::string shape(const dump_entry* entry, const std::optional<extents>& shape) {
        return entry == nullptr ? "N/A" : shape ? to_string(*shape) : is_none(*entry) ? "None" : "[]";
    }
    static std::string requires_grad(const dump_entry* entry) {
        return entry == nullptr || !entry->requires_grad ? "N/A" : *entry->requires_grad ? "True" : "False";
    }
    static std::string consistent(const comparison_row& row) {
        return row.matched() && row.actual->requires_grad == row.reference->requires_grad ? "True" : "False";
    }
    static std::string checksum(const dump_entry* entry) {
        return entry == nullptr || entry->checksum.empty() ? "N/A" : entry->checksum;
    }
    static std::string data_name(const dump_entry* entry) {
        return entry == nullptr || entry->file.empty() ? "-1" : entry->file.filename().string();
    }

    /// A workbook stores 16 significant digits, and shows whole numbers without a point.
    static std::string number(double value) {
        if (!detail::is_finite_value(value)) return detail::is_nan_value(value) ? "Nan" : to_text(value);
        const std::string stored = to_text(value, 16);
        std::from_chars(stored.data(), stored.data() + stored.size(), value);
        std::string text = python_repr(value);
        if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
        return text;
    }
    /// Rounded to 12 decimals, without trailing zeros.
    static std::string number12(double value) {
        if (!detail::is_finite_value(value)) return number(value);
        double rounded = value;
        const std::string text = to_fixed_text(value, 12);
        std::from_chars(text.data(), text.data() + text.size(), rounded);
        return number(rounded);
    }

    void add_tensor(std::vector<std::string>& to, const comparison_row& row, const seed_row& words) const {
        const auto all_six = [&](const char* word) { to.insert(to.end(), 6, word); };
        std::string accuracy = accuracy_word(row.judged, "None"), message = row.error;
        if (row.matched() && words.dtypes_differ) message = "Dtype of NPU and bench tensor do not match.";
        if (words.shapes_differ) {
            all_six("shape unmatched");
            accuracy = "Unmatched";
        } else if (words.nonfinite_differ) {
            all_six("N/A");
            message = "The position of inf or nan in NPU and bench Tensor do not match.";
        } else if (row.report) {
            const pair_report& r = *row.report;
            to.insert(to.end(), {number12(r.cosine), number(r.euclidean), number12(r.max_abs_err), number12(r.max_rel_err),
                                 number12(r.ratio_1e3), number12(r.ratio_5e3)});
            if (row.judged.result() == outcome::undefined) message = row.judged.why();
        } else {
            all_six("unsupported");
            accuracy = "None";
            if (!row.matched()) {
                message = "Requires_grad inconsistent. Bench api/module unmatched.";
                if (row.actual == nullptr) message = "Requires_grad inconsistent. NPU api/module unmatched.";
            } else if (row.error.empty()) {
                message = row.actual->file.empty() ? "NPU does not have data file." : "Bench does not have data file.";
            }
        }
        add_statistics(to, row, words);
        to.push_back(consistent(row));
        to.push_back(std::move(accuracy));
        to.push_back(std::move(message));
    }

    void add_differences(std::vector<std::string>& to, const comparison_row& row, const seed_row& words) const {
        std::vector<std::string> relative;
        for (std::size_t i = 0; i < 4; ++i) {
            const double *a = std::get_if<double>(&words.actual[i]), *b = std::get_if<double>(&words.reference[i]);
            const double change = a != nullptr && b != nullptr ? *a - *b : 0;
            to.push_back(a != nullptr && b != nullptr ? number(change) : "N/A");
            if (a == nullptr || b == nullptr)
                relative.push_back("N/A");
            else if (detail::is_nan_value(change))
                relative.push_back("Nan");
            else if (*b == 0)
                relative.push_back("N/A");
            else if (detail::is_nan_value(change / *b))
                relative.push_back("Nan");
            else
                relative.push_back(python_repr(std::fabs(change / *b * 100)) + '%');
        }
        to.insert(to.end(), relative.begin(), relative.end());
        add_statistics(to, row, words);
        to.push_back(consistent(row));
        const bool suspicious = row.judged.result() == outcome::warn || row.judged.result() == outcome::fail;
        to.push_back(suspicious ? "Warning" : "");
        std::string message = suspicious ? "Need double check api accuracy. " : row.error;
        if (!row.matched()) message = "Requires_grad inconsistent. Bench api/module unmatched.";
        to.push_back(std::move(message));
    }

    static std::string text(const recorded_number& recorded) {
        if (const double* value = std::get_if<double>(&recorded)) return number(*value);
        if (const bool* flag = std::get_if<bool>(&recorded)) return *flag ? "True" : "False";
        const std::string* word = std::get_if<std::string>(&recorded);
        return word != nullptr ? *word : "None";
    }
    static void add_statistics(std::vector<std::string>& to, const comparison_row& row, const seed_row& words) {
        for (const recorded_number& each : words.actual) to.push_back(row.actual != nullptr ? text(each) : "N/A");
        for (const recorded_number& each : words.reference) to.push_back(row.reference != nullptr ? text(each) : "N/A");
    }

    std::string stack(const comparison_row& row) {
        if (row.actual == nullptr || !shown_.insert(row.actual->op).second) return "N/A";
        const auto found = rank_.actual->stacks.find(row.actual->op);
        if (found == rank_.actual->stacks.end()) return "N/A";
        std::vector<std::string> lines;
        for (const stack_frame& frame : found->second)
            lines.push_back("File " + frame.file + ", line " + frame.line + ", in " + frame.function + ", \n " + frame.code);
        return python_repr(lines);
    }

    const rank_pair& rank_;
    table_mode mode_;
    bool with_stack_;
    std::set<std::string> shown_;
};

} // namespace plumb
