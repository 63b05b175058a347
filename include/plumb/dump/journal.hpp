/// \file
/// Writes one rank's and step's dump: data files, and the lines of index.jsonl that tell of them.
#pragma once

#include <plumb/dump/append_file.hpp>
#include <plumb/dump/beside.hpp>
#include <plumb/dump/call_record.hpp>
#include <plumb/dump/call_stack.hpp>
#include <plumb/dump/json_text.hpp>
#include <plumb/dump/layout.hpp>
#include <plumb/dump/npy.hpp>
#include <plumb/dump/recorder.hpp>
#include <plumb/dump/write_pt.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace plumb {

/// max, min, mean and norm as the indexes give them: a NaN makes all four NaN, infinities spread as far as arithmetic takes
/// them, so that bad numbers can be told from the statistics alone. Nothing for a tensor without elements.
struct spread_statistics {
    double max = 0, min = 0, mean = 0, norm = 0;

    explicit spread_statistics(const tensor_report& from) : max(from.max), min(from.min), mean(from.mean), norm(from.norm) {
        constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
        const auto& bad = from.nonfinite;
        if (bad.nan != 0) {
            max = min = mean = norm = nan;
            return;
        }
        if (bad.pos_inf == 0 && bad.neg_inf == 0) return;
        if (bad.pos_inf != 0)
            max = infinity;
        else if (from.finite == 0)
            max = -infinity;
        if (bad.neg_inf != 0)
            min = -infinity;
        else if (from.finite == 0)
            min = infinity;
        mean = bad.pos_inf == 0 ? -infinity : bad.neg_inf == 0 ? infinity : nan;
        norm = infinity;
    }
};

namespace detail {

/// Python's word for the type of a scalar.
inline const char* scalar_type_name(const argument::value_type& value) noexcept {
    if (std::holds_alternative<bool>(value)) return "<class 'bool'>";
    if (std::holds_alternative<std::int64_t>(value)) return "<class 'int'>";
    if (std::holds_alternative<double>(value)) return "<class 'float'>";
    return "<class 'str'>";
}

/// Calls f(view) with a scalar as a tensor without dimensions; not for text.
template <class F>
void with_scalar_view(const argument::value_type& value, const F& f) {
    if (const auto* truth = std::get_if<bool>(&value)) f(tensor_view(dtype::boolean, truth, extents{}));
    if (const auto* whole = std::get_if<std::int64_t>(&value)) f(tensor_view(dtype::i64, whole, extents{}));
    if (const auto* number = std::get_if<double>(&value)) f(tensor_view(dtype::f64, number, extents{}));
}

/// The same numbers as float32.
inline tensor widened(const tensor_view& view) {
    const auto bytes = heap_bytes(view.count() * sizeof(float));
    auto* to = reinterpret_cast<float*>(bytes.get());
    for_each_packed(view, [&](const char* data, std::size_t size) {
        const std::size_t count = size / size_of(view.type());
        if (view.type() == dtype::f8_e4m3fn) widen_all<float8_e4m3fn>(data, count, to);
        if (view.type() == dtype::f8_e5m2) widen_all<float8_e5m2>(data, count, to);
        if (view.type() == dtype::bf16) widen_all<bfloat16>(data, count, to);
        to += count;
    });
    return {tensor_view(dtype::f32, bytes.get(), view.shape()), bytes};
}

} // namespace detail

/// index.jsonl and the data files of one folder. A call's data files are written first, each under a temporary name and then
/// renamed; then its lines are appended in one write. Whatever moment the process dies at, the index tells of whole files only,
/// and at most its last line is torn. No file is ever overwritten. For one thread at a time.
///
/// The lines have, where they apply: seq, op, call, direction, kind, slot, name, dtype, shape, file, value (of a scalar), stats
/// (max, min, mean, norm, which are the strings "nan", "inf", "-inf" where not finite, and the counts nan, pos_inf, neg_inf),
/// checksum, requires_grad, sampled_from (the shape of the whole), single, depth, parent, thread, step, mode, overflow (its
/// number), and in the first line of a call stack: a list of [file, line, function, code], or [module, "+0x…", "", ""].
class journal {
public:
    /// Creates the folder. Throws io_error if it can't be written to, or, if it is not to be reopened, holds files already.
    journal(std::filesystem::path folder, dump_layout layout, int rank, append_file::opening how)
        : folder_(std::move(folder)), layout_(layout), rank_(rank) {
        std::error_code error;
        std::filesystem::create_directories(folder_, error);
        if (error) throw io_error(folder_, "can't create the folder: " + error.message());
        if (how == append_file::opening::create && !std::filesystem::is_empty(folder_, error) && !error)
            throw io_error(folder_, "holds files already: a dump is never overwritten; choose another folder or remove this one");
        index_ = std::make_unique<append_file>(folder_ / "index.jsonl", how);
    }

    const std::filesystem::path& folder() const noexcept { return folder_; }
    const std::filesystem::path& index_path() const noexcept { return index_->path(); }
    dump_layout layout() const noexcept { return layout_; }
    /// Lines written so far; of a journal that is reopened, set it to what it was.
    std::uint64_t next_seq = 0;

    /// Writes a call.
    void write(call_record record, const tensor_recorder& recorder) {
        const std::string op = operator_name_in(layout_, record.id);
        std::string lines;
        bool first = true;
        for (recorded_argument& each : record.entries) {
            auto description = detail::beside(recorder.undescribed_bytes(each), [&] { recorder.describe(each); });
            const std::string name = entry_name_in(layout_, op, each);
            const std::string file = write_data(each, name, record.mode);
            description.get();
            lines += "{\"seq\": " + std::to_string(next_seq++) + ", \"op\": " + to_json(op);
            lines += ", \"call\": " + std::to_string(record.id.call);
            lines += ", \"direction\": " + to_json(name_of(record.id.pass)) + ", \"kind\": \"" + kind_word(each.kind) + "\"";
            lines += ", \"slot\": " + slot_text(each.slot) + ", \"name\": " + to_json(name);
            append_value(lines, each, file);
            if (record.depth != 0) lines += ", \"depth\": " + std::to_string(record.depth);
            if (!record.parent.empty()) lines += ", \"parent\": " + to_json(record.parent);
            lines += ", \"thread\": " + std::to_string(record.thread) + ", \"rank\": " + std::to_string(rank_);
            lines += ", \"step\": " + std::to_string(record.step);
            if (!record.mode.empty()) lines += ", \"mode\": " + to_json(record.mode);
            if (record.overflow != 0) lines += ", \"overflow\": " + std::to_string(record.overflow);
            if (first) append_stack(lines, record.stack);
            first = false;
            lines += "}\n";
        }
        if (!lines.empty()) index_->append(lines);
    }

private:
    static const char* kind_word(tensor_kind kind) noexcept {
        switch (kind) {
        case tensor_kind::input: return "input";
        case tensor_kind::output: return "output";
        case tensor_kind::parameter: return "parameter";
        case tensor_kind::parameters_grad: return "parameters_grad";
        case tensor_kind::debug: return "debug";
        }
        return "";
    }

    static std::string slot_text(const std::string& slot) {
        const bool whole = !slot.empty() && slot.size() < 10 && slot.find_first_not_of("0123456789") == std::string::npos;
        return whole ? slot : to_json(slot);
    }

    static void append_value(std::string& line, const recorded_argument& each, const std::string& file) {
        if (each.type) {
            line += ", \"dtype\": \"" + std::string(name_of(*each.type)) + "\", \"shape\": ";
            if (each.sampled_from)
                line += to_string(each.view->shape()) + ", \"sampled_from\": " + to_string(*each.sampled_from);
            else
                line += to_string(each.shape);
        } else {
            line += std::string(", \"dtype\": \"") + detail::scalar_type_name(each.scalar) + "\", \"value\": ";
            std::visit(
                [&](const auto& value) {
                    using type = std::decay_t<decltype(value)>;
                    if constexpr (std::is_same_v<type, bool> || std::is_same_v<type, std::int64_t> ||
                                  std::is_same_v<type, double> || std::is_same_v<type, std::string>)
                        append_json(line, value);
                    else
                        line += "null";
                },
                each.scalar);
        }
        if (!file.empty()) line += ", \"file\": " + to_json(file);
        if (each.single) line += ", \"single\": true";
        if (each.requires_grad) line += std::string(", \"requires_grad\": ") + (*each.requires_grad ? "true" : "false");
        if (each.stats && each.stats->count != 0) {
            const spread_statistics spread(*each.stats);
            line += ", \"stats\": {\"max\": " + to_json(spread.max) + ", \"min\": " + to_json(spread.min);
            line += ", \"mean\": " + to_json(spread.mean) + ", \"norm\": " + to_json(spread.norm);
            const auto& bad = each.stats->nonfinite;
            if (bad.nan + bad.pos_inf + bad.neg_inf != 0)
                line += ", \"nan\": " + std::to_string(bad.nan) + ", \"pos_inf\": " + std::to_string(bad.pos_inf) +
                        ", \"neg_inf\": " + std::to_string(bad.neg_inf);
            line += '}';
        }
        if (!each.checksum.empty()) line += ", \"checksum\": \"" + each.checksum + '"';
    }

    void append_stack(std::string& line, const captured_stack& stack) {
        std::vector<stack_frame> frames = stack.frames;
        for (const void* address : stack.addresses) frames.push_back(offsets_(address));
        if (frames.empty()) return;
        line += ", \"stack\": [";
        for (std::size_t i = 0; i < frames.size(); ++i) {
            line += i == 0 ? "[" : ", [";
            append_json(line, frames[i].file);
            append_json(line += ", ", frames[i].line);
            append_json(line += ", ", frames[i].function);
            append_json(line += ", ", frames[i].code);
            line += ']';
        }
        line += ']';
    }

    /// Writes the elements, if there are any, and returns the file's name inside the folder.
    std::string write_data(const recorded_argument& each, const std::string& name, const std::string& mode) {
        if (each.view) return write_tensor(*each.view, name, mode);
        std::string file; // ptdbg_ascend stores scalars as arrays without dimensions
        if (!each.type && layout_ == dump_layout::ptdbg && mode != "stack")
            detail::with_scalar_view(each.scalar, [&](const tensor_view& scalar) { file = write_tensor(scalar, name, mode); });
        return file;
    }

    std::string write_tensor(const tensor_view& view, const std::string& name, const std::string& mode) {
        const std::string folder = data_folder_in(layout_, mode);
        std::error_code error;
        if (folder != made_folder_) {
            std::filesystem::create_directories(folder_ / folder, error);
            if (error) throw io_error(folder_ / folder, "can't create the folder: " + error.message());
            made_folder_ = folder;
        }
        const char* extension = layout_ == dump_layout::msprobe ? ".pt" : ".npy";
        std::string file = folder + "/" + (is_safe_file_name(name) ? name : std::to_string(next_seq)) + extension;
        for (int again = 0; std::filesystem::exists(folder_ / file, error); ++again)
            file = folder + "/" + std::to_string(next_seq) + (again == 0 ? "" : "_" + std::to_string(again)) + extension;
        const auto path = folder_ / file;
        const bool narrow = view.type() == dtype::f8_e4m3fn || view.type() == dtype::f8_e5m2;
        if (layout_ == dump_layout::msprobe && narrow)
            write_pt(path, detail::widened(view));
        else if (layout_ == dump_layout::msprobe)
            write_pt(path, view);
        else
            write_npy(path, view, layout_ == dump_layout::ptdbg ? npy_narrow_floats::as_f32 : npy_narrow_floats::as_bits);
        return file;
    }

    std::filesystem::path folder_;
    dump_layout layout_;
    int rank_;
    std::unique_ptr<append_file> index_;
    std::string made_folder_;
    module_offsets offsets_;
};

} // namespace plumb
