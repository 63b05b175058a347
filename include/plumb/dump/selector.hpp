/// \file
/// Which operators a dump session records.
#pragma once

#include <plumb/guard/operator_id.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// The seed tools' modes.
enum class dump_mode : std::uint8_t {
    all,       ///< every operator
    api_stack, ///< the same, and the stack of each call
    list,      ///< operators whose name begins with an entry of `scope`, and their stacks
    range,     ///< from the first operator that begins with scope[0] to the first that begins with scope[1], with stacks
    stack,     ///< stacks alone; of all, of those that begin with scope[0], or of a range
    api_list,  ///< operators whose name contains an entry of `api_list`, in upper or lower case
    module,    ///< calls of modules: those of the family "Module"
};

/// "all", "api_stack", …
constexpr std::string_view name_of(dump_mode mode) noexcept {
    constexpr std::string_view names[] = {"all", "api_stack", "list", "range", "stack", "api_list", "module"};
    return names[static_cast<std::size_t>(mode)];
}

/// The mode of that name; nothing for any other name.
constexpr std::optional<dump_mode> parse_dump_mode(std::string_view name) noexcept {
    for (int i = 0; i <= static_cast<int>(dump_mode::module); ++i)
        if (name == name_of(static_cast<dump_mode>(i))) return static_cast<dump_mode>(i);
    return std::nullopt;
}

/// Which calls count where one operator calls others, as a framework's composite operators do. Those that do not count are
/// neither recorded nor numbered (leaves: the callers are numbered).
enum class nesting : std::uint8_t {
    outermost, ///< those that no other recorded operator of the thread is running
    leaves,    ///< those that call no other
    every,     ///< all, with their depth and their caller in the index
};

/// Chooses operators by name, pass, step, rank and number. A plain value; empty lists mean "all".
struct operator_selector {
    dump_mode mode = dump_mode::all;
    std::vector<std::string> scope;    ///< beginnings of names, in the dotted form or with underscores
    std::vector<std::string> api_list; ///< parts of names
    bool forward = true;
    bool backward = true;
    std::vector<int> steps;
    int every_n_steps = 1; ///< of steps 0, n, 2n, …
    std::vector<int> ranks;
    std::uint64_t first_calls = 0; ///< of each operator only so many calls in a step; 0: no limit
    std::uint64_t first_total = 0; ///< only so many calls in a step; 0: no limit
    plumb::nesting nesting = plumb::nesting::outermost;

    bool wants_stacks() const noexcept {
        return mode == dump_mode::api_stack || mode == dump_mode::list || mode == dump_mode::range || mode == dump_mode::stack;
    }
    bool wants_step(int step) const {
        return (steps.empty() || std::find(steps.begin(), steps.end(), step) != steps.end()) && step % every_n_steps == 0;
    }
    bool wants_rank(int rank) const { return ranks.empty() || std::find(ranks.begin(), ranks.end(), rank) != ranks.end(); }

    /// Throws std::invalid_argument if the mode lacks the names that it needs, or a number makes no sense.
    void check() const {
        const std::string word(name_of(mode));
        if (mode == dump_mode::list && scope.empty())
            throw std::invalid_argument("plumb: mode list needs at least one name in scope");
        if (mode == dump_mode::range && scope.size() != 2)
            throw std::invalid_argument("plumb: mode range needs two names in scope, the first operator and the last, not " +
                                        std::to_string(scope.size()));
        if (mode == dump_mode::stack && scope.size() > 2)
            throw std::invalid_argument("plumb: mode stack takes no name, one, or the two of a range, not " +
                                        std::to_string(scope.size()));
        if (mode == dump_mode::api_list && api_list.empty())
            throw std::invalid_argument("plumb: mode api_list needs at least one name in api_list");
        if (every_n_steps < 1)
            throw std::invalid_argument("plumb: every_n_steps is at least 1, not " + std::to_string(every_n_steps));
        if (!forward && !backward) throw std::invalid_argument("plumb: neither forward nor backward is selected");
        for (const auto* names : {&scope, &api_list})
            for (const std::string& each : *names)
                if (each.empty()) throw std::invalid_argument("plumb: a name to select by is empty");
    }
};

namespace detail {

/// True if `name` begins with `beginning`, dots and underscores being the same; a number at its end is a whole one, so that
/// "Torch_add_1" is not the beginning of "Torch_add_10_forward".
inline bool name_begins_with(std::string_view name, std::string_view beginning) noexcept {
    if (beginning.size() > name.size()) return false;
    const auto plain = [](char c) { return c == '.' ? '_' : c; };
    for (std::size_t i = 0; i < beginning.size(); ++i)
        if (plain(name[i]) != plain(beginning[i])) return false;
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return beginning.empty() || beginning.size() == name.size() || !digit(beginning.back()) || !digit(name[beginning.size()]);
}

inline bool name_contains(std::string_view name, std::string_view part) noexcept {
    const auto plain = [](char c) { return c == '.' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::search(name.begin(), name.end(), part.begin(), part.end(),
                       [&](char a, char b) { return plain(a) == plain(b); }) != name.end();
}

} // namespace detail

/// A selector at work: it also knows whether a range is open, and how many calls were taken. For one thread at a time.
class operator_selection {
public:
    operator_selection() = default;
    explicit operator_selection(operator_selector rules) : rules_(std::move(rules)) {}

    const operator_selector& rules() const noexcept { return rules_; }

    /// Whether this call is to be recorded. Calls must come in the order in which they run.
    bool take(const operator_id& id) {
        const std::string name = id.name();
        if (!in_scope(name, id.prefix)) return false;
        if (!(id.pass == direction::forward ? rules_.forward : rules_.backward)) return false;
        if (rules_.first_total != 0 && total_ >= rules_.first_total) return false;
        if (rules_.first_calls != 0 && id.call >= rules_.first_calls) return false;
        ++total_;
        return true;
    }
    /// Counts anew what is counted by step. A range that is open stays open.
    void next_step() noexcept { total_ = 0; }

    /// Operators taken in this step.
    std::uint64_t total() const noexcept { return total_; }

private:
    bool in_scope(std::string_view name, std::string_view prefix) {
        const auto& scope = rules_.scope;
        switch (rules_.mode) {
        case dump_mode::all:
        case dump_mode::api_stack: return true;
        case dump_mode::module: return prefix == "Module";
        case dump_mode::api_list:
            return std::any_of(rules_.api_list.begin(), rules_.api_list.end(),
                               [&](const std::string& part) { return detail::name_contains(name, part); });
        case dump_mode::list:
            return std::any_of(scope.begin(), scope.end(),
                               [&](const std::string& each) { return detail::name_begins_with(name, each); });
        case dump_mode::stack:
            if (scope.empty()) return true;
            if (scope.size() == 1) return detail::name_begins_with(name, scope[0]);
            break;
        case dump_mode::range: break;
        }
        if (range_ == range::ahead && detail::name_begins_with(name, scope[0])) range_ = range::open;
        if (range_ != range::open) return false;
        if (detail::name_begins_with(name, scope[1])) range_ = range::done;
        return true;
    }

    enum class range : std::uint8_t { ahead, open, done };
    operator_selector rules_;
    range range_ = range::ahead;
    std::uint64_t total_ = 0;
};

} // namespace plumb
