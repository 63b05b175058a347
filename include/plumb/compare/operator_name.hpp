/// \file
/// What the name of a recorded operator says: which call of what it is, in which direction, and whether it draws at random.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb {

/// The parts of an operator's name, made equal between the layouts: "Functional.linear.0.forward" of msprobe,
/// "Functional_linear_0_forward" of ptdbg_ascend and "Module.fc.Linear.forward.0" of a module call.
struct operator_name {
    std::string base;                  ///< without call and direction, dots as underscores: "Functional_linear"
    std::string function;              ///< what is called, in lower case, without its prefix: "linear", "__add__"
    std::string direction;             ///< "forward", "backward", "parameters_grad", or "" where the name has none
    std::optional<std::uint64_t> call; ///< the counter in the name
};

namespace detail {

/// Takes "<separator><word>" off the end of `text`, the separator being a dot or an underscore.
inline bool drop_suffix(std::string_view& text, std::string_view word) noexcept {
    if (text.size() < word.size() + 2 || text.substr(text.size() - word.size()) != word) return false;
    const char separator = text[text.size() - word.size() - 1];
    if (separator != '.' && separator != '_') return false;
    text.remove_suffix(word.size() + 1);
    return true;
}

/// Takes "<separator><digits>" off the end of `text`.
inline std::optional<std::uint64_t> drop_counter(std::string_view& text) noexcept {
    std::size_t first = text.size();
    while (first > 0 && text[first - 1] >= '0' && text[first - 1] <= '9') --first;
    if (first == text.size() || first < 2 || (text[first - 1] != '.' && text[first - 1] != '_')) return std::nullopt;
    std::uint64_t value = 0;
    if (std::from_chars(text.data() + first, text.data() + text.size(), value).ec != std::errc{}) return std::nullopt;
    text.remove_suffix(text.size() - first + 1);
    return value;
}

inline std::string drop_direction(std::string_view& text) {
    for (const std::string_view word : {"forward", "backward", "parameters_grad"})
        if (drop_suffix(text, word)) return std::string(word);
    return {};
}

} // namespace detail

/// `name` as a spelling that all layouts share: dots become underscores.
inline std::string with_underscores(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '.', '_');
    return text;
}

/// Takes an operator's name (dump_entry::op) apart. A name without direction, such as "layer2.mul", has no counter either:
/// its digits may mean anything.
inline operator_name parse_operator_name(std::string_view name) {
    operator_name parts;
    std::string_view rest = name;
    parts.direction = detail::drop_direction(rest);
    if (!parts.direction.empty()) {
        parts.call = detail::drop_counter(rest); // "<base>.0.forward"
    } else {                                     // "<base>.forward.0"
        std::string_view shorter = rest;
        const auto call = detail::drop_counter(shorter);
        if (call) parts.direction = detail::drop_direction(shorter);
        if (!parts.direction.empty()) {
            parts.call = call;
            rest = shorter;
        }
    }
    parts.base = with_underscores(rest);

    std::string_view function = rest;
    if (const auto dot = function.rfind('.'); dot != std::string_view::npos) {
        function.remove_prefix(dot + 1);
    } else {
        for (const std::string_view prefix :
             {"Tensor_", "Torch_", "Functional_", "NPU_", "VF_", "Distributed_", "Aten_", "Module_", "Primitive_", "Mint_"})
            if (function.size() > prefix.size() && function.substr(0, prefix.size()) == prefix) {
                function.remove_prefix(prefix.size());
                break;
            }
    }
    parts.function = function;
    for (char& c : parts.function)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return parts;
}

namespace detail {

/// The function's name without the underscore that marks a call which works in place, nor "_like".
inline std::string_view stem_of(std::string_view function) noexcept {
    if (!function.empty() && function.back() == '_') function.remove_suffix(1);
    if (function.size() > 5 && function.substr(function.size() - 5) == "_like") function.remove_suffix(5);
    return function;
}

inline bool ends_with(std::string_view text, std::string_view end) noexcept {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

template <class Words>
bool is_one_of(std::string_view text, const Words& words) noexcept {
    return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

} // namespace detail

/// True if the name says that the operator draws random numbers: any dropout, rand, randperm, bernoulli, normal, …
inline bool draws_random_numbers(const operator_name& name) noexcept {
    constexpr std::string_view words[] = {"rand",      "randn",          "randint",       "randperm",   "random",
                                          "bernoulli", "normal",         "uniform",       "log_normal", "exponential",
                                          "cauchy",    "geometric",      "multinomial",   "poisson",    "binomial",
                                          "rrelu",     "gumbel_softmax", "standard_gamma"};
    const std::string_view stem = detail::stem_of(name.function);
    return stem.find("dropout") != std::string_view::npos || detail::is_one_of(stem, words) ||
           detail::ends_with(stem, "_normal") || detail::ends_with(stem, "_uniform");
}

/// True for operators that hand out memory as they find it (empty, new_empty, empty_strided …): what they hold means nothing.
inline bool leaves_memory_unset(const operator_name& name) noexcept {
    constexpr std::string_view words[] = {"empty", "new_empty", "empty_strided", "new_empty_strided", "empty_with_format"};
    return detail::is_one_of(detail::stem_of(name.function), words);
}

/// True if the name says that the operator overwrites its first argument: "add_", "__iadd__".
inline bool works_in_place(const operator_name& name) noexcept {
    const std::string_view f = name.function;
    if (f.size() > 5 && f.substr(0, 3) == "__i" && detail::ends_with(f, "__"))
        return f != "__invert__" && f != "__index__" && f != "__int__" && f != "__iter__" && f != "__init__";
    return f.size() > 1 && f.back() == '_' && f[f.size() - 2] != '_';
}

/// True for operators that exchange data with other processes, whose outputs depend on what those hold.
inline bool talks_to_other_ranks(const operator_name& name) noexcept {
    constexpr std::string_view words[] = {"broadcast",
                                          "all_reduce",
                                          "reduce",
                                          "all_gather",
                                          "gather",
                                          "scatter",
                                          "reduce_scatter",
                                          "all_to_all",
                                          "all_to_all_single",
                                          "_reduce_scatter_base",
                                          "_all_gather_base",
                                          "all_gather_into_tensor",
                                          "reduce_scatter_tensor",
                                          "recv",
                                          "irecv",
                                          "send",
                                          "isend",
                                          "batch_isend_irecv"};
    return name.base.compare(0, 12, "Distributed_") == 0 && detail::is_one_of(std::string_view(name.function), words);
}

} // namespace plumb
