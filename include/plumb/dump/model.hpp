/// \file
/// A dump in memory, whatever tool wrote it: ranks, and what was recorded of each operator call, in order.
#pragma once

#include <plumb/dump/tensor.hpp>
#include <plumb/types/dtype.hpp>
#include <plumb/types/tensor_view.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace plumb {

/// One recorded statistic as the index gives it: absent or null (monostate), true or false (of a bool tensor), a number (may
/// be NaN or infinite), or a word ("Nan", where ptdbg_ascend has no number).
using recorded_number = std::variant<std::monostate, bool, double, std::string>;

/// The four statistics that the seed tools record of a tensor.
struct recorded_statistics {
    recorded_number max, min, mean, norm;
};

/// Line of a stack, innermost frame first. Fields are kept as the index gives them.
struct stack_frame {
    std::string file;
    std::string line;
    std::string function;
    std::string code;
};

/// A tensor that may be absent. Used as a std::optional is, but of the size of two pointers: an index has tens of thousands of
/// entries, few of which have one.
class optional_tensor {
public:
    optional_tensor() noexcept = default;
    optional_tensor(std::nullopt_t) noexcept {}
    optional_tensor(tensor value) : value_(std::make_shared<const tensor>(std::move(value))) {}

    bool has_value() const noexcept { return value_ != nullptr; }
    explicit operator bool() const noexcept { return has_value(); }
    const tensor& operator*() const noexcept { return *value_; }
    const tensor* operator->() const noexcept { return value_.get(); }

private:
    std::shared_ptr<const tensor> value_;
};

/// What role a recorded tensor has in its call.
enum class tensor_kind : std::uint8_t { input, output, parameter, parameters_grad, debug };

/// One recorded tensor or scalar.
struct dump_entry {
    std::uint64_t seq = 0;  ///< position in the index of its rank, from 0
    std::string name;       ///< the whole name as recorded: "Functional.linear.0.forward.input.0"
    std::string op;         ///< the name up to and including the direction: "Functional.linear.0.forward", "layer2.mul"
    std::uint64_t call = 0; ///< the how-manieth call of that operator this is
    std::string direction;  ///< "forward", "backward", or "" where the layout has none
    tensor_kind kind = tensor_kind::output;
    std::string slot;             ///< position among its kind: "0", "3.0" for a nested one, or a keyword argument's name
    std::string type_name;        ///< the element type as recorded: "torch.float32", "<class 'int'>", "f32"
    std::optional<dtype> type;    ///< the same, where it is one that plumb knows
    std::optional<extents> shape; ///< absent for scalars and where nothing was recorded
    std::filesystem::path file;   ///< where its data should be; empty if none were recorded
    std::string member;           ///< name inside `file`, where that is an archive
    optional_tensor value;        ///< a scalar that the index itself holds: shape [], type i64 (u64 from 2^63 on), f64 or boolean
    /// Any other value that the index holds (a string, a slice, a device), as JSON text. An argument that was absent is the text
    /// "null" and has the type name "None".
    std::string text;
    std::optional<recorded_statistics> stats;
    std::string checksum; ///< as recorded, "" if none
    std::optional<bool> requires_grad;
};

/// Which tool's layout a dump has.
enum class dump_layout : std::uint8_t { plumb, ptdbg, msprobe, folder };

/// What one process recorded in one step.
struct rank_dump {
    int rank = 0;
    int step = 0;
    dump_layout layout = dump_layout::plumb;
    std::filesystem::path index;                            ///< the index file (or the folder that was listed)
    std::string task;                                       ///< "tensor", "statistics" or "md5"
    std::vector<dump_entry> entries;                        ///< in the order of the index
    std::map<std::string, std::vector<stack_frame>> stacks; ///< by operator (dump_entry::op)
    std::map<std::string, std::string> parents;             ///< by operator: the module call around it (msprobe's construct.json)
};

/// All that was recorded, sorted by step, then rank.
struct dump {
    std::filesystem::path root;
    std::vector<rank_dump> ranks;
    std::vector<std::string> warnings; ///< what was tolerated while reading, such as an index's torn last line
};

} // namespace plumb
