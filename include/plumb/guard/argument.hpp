/// \file
/// What an operator takes or gives: tensors, scalars, words, nothing, and lists of these.
#pragma once

#include <plumb/types/tensor_view.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace plumb {

class argument;

/// Several arguments in order.
using argument_vector = std::vector<argument>;

namespace detail {

template <class T, class = void>
inline constexpr bool is_tuple_v = false;
template <class T>
inline constexpr bool is_tuple_v<T, std::void_t<decltype(std::tuple_size<T>::value)>> = true;

template <class T>
inline constexpr bool is_optional_v = false;
template <class T>
inline constexpr bool is_optional_v<std::optional<T>> = true;

template <class T, class = void>
inline constexpr bool is_range_v = false;
template <class T>
inline constexpr bool is_range_v<T, std::void_t<decltype(std::declval<const T&>().begin() != std::declval<const T&>().end())>> =
    true;

} // namespace detail

/// One argument or result of an operator. A tensor is only looked at: it must live until the call that it is given to returns,
/// unless owned_by() says what keeps it alive.
///
/// It is made from whatever converts to tensor_view (views, vectors, arrays, an adapter's tensors), numbers, bool, text, nullptr
/// and empty optionals (nothing, Python's None), tuples and ranges of all these (a list). Whole numbers beyond 2^63 - 1 become
/// the nearest double.
class argument {
public:
    using list = argument_vector;
    using value_type = std::variant<std::monostate, bool, std::int64_t, double, std::string, tensor_view, list>;

    argument() = default;
    argument(std::nullptr_t) {}

    template <class T, class = std::enable_if_t<!std::is_same_v<T, argument>>>
    argument(const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            value_ = value;
        } else if constexpr (std::is_integral_v<T>) {
            if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
                if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max())) {
                    value_ = static_cast<double>(value);
                    return;
                }
            }
            value_ = static_cast<std::int64_t>(value);
        } else if constexpr (std::is_floating_point_v<T> || is_element_v<T>) {
            value_ = static_cast<double>(value);
        } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
            value_ = std::string(static_cast<std::string_view>(value));
        } else if constexpr (std::is_convertible_v<const T&, tensor_view>) {
            value_ = static_cast<tensor_view>(value);
        } else if constexpr (std::is_same_v<T, list>) {
            value_ = value;
        } else if constexpr (detail::is_optional_v<T>) {
            if (value) *this = argument(*value);
        } else if constexpr (detail::is_tuple_v<T>) {
            value_ = std::apply([](const auto&... each) { return list{argument(each)...}; }, value);
        } else {
            static_assert(detail::is_range_v<T>, "plumb: this is no tensor, number, text, or list of such; its adapter converts "
                                                 "it to plumb::tensor_view");
            list all;
            for (const auto& each : value) all.emplace_back(each);
            value_ = std::move(all);
        }
    }

    const value_type& value() const noexcept { return value_; }
    const tensor_view* tensor() const noexcept { return std::get_if<tensor_view>(&value_); }
    const list* items() const noexcept { return std::get_if<list>(&value_); }

    /// The keyword that the argument was given by; "" if by position.
    const std::string& keyword() const noexcept { return keyword_; }
    argument& named(std::string keyword) {
        keyword_ = std::move(keyword);
        return *this;
    }

    /// What keeps the tensor's memory alive and unchanged: whoever records it need not copy it. Empty if nothing does.
    const std::shared_ptr<const void>& owner() const noexcept { return owner_; }
    argument& owned_by(std::shared_ptr<const void> owner) {
        owner_ = std::move(owner);
        return *this;
    }

    /// Whether autograd follows the tensor; nothing if the framework does not say.
    std::optional<bool> requires_grad() const noexcept { return requires_grad_; }
    argument& with_requires_grad(bool required) {
        requires_grad_ = required;
        return *this;
    }

private:
    value_type value_;
    std::string keyword_;
    std::shared_ptr<const void> owner_;
    std::optional<bool> requires_grad_;
};

/// Everything that an operator takes, or gives. Made from a tuple (std::tie(x, w, bias)), from `argument_vector`, or from one
/// value alone.
struct argument_list {
    argument_vector items;
    bool single = false; ///< one value, no list with one element: ptdbg_ascend calls that result "output", not "output.0"

    argument_list() = default;
    argument_list(argument_vector all) : items(std::move(all)) {}
    template <class T, class = std::enable_if_t<!std::is_same_v<T, argument_list> && !std::is_same_v<T, argument_vector>>>
    argument_list(const T& value) {
        if constexpr (detail::is_tuple_v<T> && !std::is_convertible_v<const T&, tensor_view>) {
            std::apply([this](const auto&... each) { (items.emplace_back(each), ...); }, value);
        } else {
            items.emplace_back(value);
            single = true;
        }
    }
};

/// Calls visit(tensor) for each tensor among the arguments, inside lists too, in order, with its place: "0", "2", "3.0", or
/// beginning with its keyword. Stops when visit returns false, and returns false then.
template <class Visit>
bool for_each_tensor(const argument_vector& all, const Visit& visit, const std::string& place = {}) {
    std::size_t number = 0;
    for (const argument& each : all) {
        const auto* view = each.tensor();
        const auto* items = each.items();
        if (view || items) {
            const std::string word = each.keyword().empty() ? std::to_string(number) : each.keyword();
            const std::string here = place.empty() ? word : place + "." + word;
            if (view && !visit(*view, here)) return false;
            if (items && !for_each_tensor(*items, visit, here)) return false;
        }
        ++number;
    }
    return true;
}

} // namespace plumb
