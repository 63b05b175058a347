/// \file
/// The part of Python's pickle language that torch.save needs for tensors. It builds values; it calls nothing.
/// Opcodes: cpython's Lib/pickletools.py. What torch writes: torch/_utils.py and torch/serialization.py.
#pragma once

#include <plumb/dump/file_bytes.hpp>
#include <plumb/dump/pickle_bytes.hpp>
#include <plumb/dump/pickle_value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumb::detail {

/// Runs a pickle of tensors, dicts, lists, tuples, strings and numbers. Any opcode or global outside that small set is refused by
/// name, with its position. Memory is in proportion to the pickle.
class pickle_machine {
public:
    explicit pickle_machine(const file_bytes& file) : file_(file) {}

    /// The value that the pickle makes. Owned by this machine, as are all its parts.
    const pickle_value& run() {
        for (;;) {
            opcode_at_ = from_.position();
            const auto code = static_cast<unsigned char>(from_.take(1)[0]);
            if (code == '.') break; // STOP
            step(code);
        }
        if (stack_.size() != 1 || !marks_.empty()) fail("expected one value at the end");
        return values_[stack_.back()];
    }
    const pickle_value& operator[](std::size_t index) const { return values_[index]; }
    std::size_t value_count() const noexcept { return values_.size(); }
    std::size_t reference_count() const noexcept { return references_; }

private:
    using kind = pickle_value::kind_type;

    [[noreturn]] void fail(const std::string& problem) const { file_.fail_at(opcode_at_, problem); }

    void step(unsigned char code) {
        switch (code) {
        case 0x80: // PROTO
            if (const auto version = from_.little(1); version < 2 || version > 5)
                fail("pickle protocol " + std::to_string(version) + ", expected 2 to 5");
            return;
        case 0x95: from_.little(8); return; // FRAME: its length only helps buffering
        case '(': marks_.push_back(stack_.size()); return;
        case 'N': return push(kind::none);
        case 0x88: return push_integer(1);                                         // NEWTRUE
        case 0x89: return push_integer(0);                                         // NEWFALSE
        case 'K': return push_integer(static_cast<std::int64_t>(from_.little(1))); // BININT1
        case 'M': return push_integer(static_cast<std::int64_t>(from_.little(2))); // BININT2
        case 'J': return push_integer(static_cast<std::int32_t>(from_.little(4))); // BININT
        case 0x8a: return push_long(from_.little(1));                              // LONG1
        case 'G': from_.take(8); return push(kind::other);                         // BINFLOAT: no tensor needs its value
        case 'X': return push_text(from_.little(4));                               // BINUNICODE
        case 0x8c: return push_text(from_.little(1));                              // SHORT_BINUNICODE
        case 0x8d: return push_text(from_.little(8));                              // BINUNICODE8
        case ')': return push(kind::tuple);                                        // EMPTY_TUPLE
        case ']': return push(kind::list);                                         // EMPTY_LIST
        case '}': return push(kind::dict);                                         // EMPTY_DICT
        case 0x85: return push_tuple(need(1));                                     // TUPLE1
        case 0x86: return push_tuple(need(2));                                     // TUPLE2
        case 0x87: return push_tuple(need(3));                                     // TUPLE3
        case 't': return push_tuple(pop_mark());                                   // TUPLE
        case 'a': return append(need(1));                                          // APPEND
        case 'e': return append(pop_mark());                                       // APPENDS
        case 's': return set_items(need(2));                                       // SETITEM
        case 'u': return set_items(pop_mark());                                    // SETITEMS
        case 'q': return remember(from_.little(1));                                // BINPUT
        case 'r': return remember(from_.little(4));                                // LONG_BINPUT
        case 0x94: return remember(memo_.size());                                  // MEMOIZE
        case 'h': return recall(from_.little(1));                                  // BINGET
        case 'j': return recall(from_.little(4));                                  // LONG_BINGET
        case 'c': {                                                                // GLOBAL
            const std::string module = from_.line();
            return push_global(module + "." + from_.line());
        }
        case 0x93: { // STACK_GLOBAL
            const std::size_t first = need(2);
            if (at(first).kind != kind::text || at(first + 1).kind != kind::text) fail("STACK_GLOBAL: expected two names");
            std::string name = at(first).text + "." + at(first + 1).text;
            stack_.resize(first);
            return push_global(std::move(name));
        }
        case 'Q': { // BINPERSID
            const std::size_t id = need(1);
            pickle_value storage = rebuild_.storage_of(at(id));
            stack_.resize(id);
            return push(std::move(storage));
        }
        case 'R': { // REDUCE
            const std::size_t first = need(2);
            pickle_value result = rebuild_.call(at(first), at(first + 1));
            stack_.resize(first);
            return push(std::move(result));
        }
        case 'b': { // BUILD: only for an OrderedDict's attributes, such as a state dict's _metadata, which are dropped
            const std::size_t first = need(2);
            if (at(first).kind != kind::dict)
                fail("refuses the opcode BUILD on anything but a dict: only tensors are read, nothing is executed");
            stack_.pop_back();
            return;
        }
        default: fail("refuses the opcode " + pickle_opcode_name(code) + ": only tensors are read, nothing is executed");
        }
    }

    pickle_value& at(std::size_t slot) { return values_[stack_[slot]]; }
    /// The slot of the first of the topmost `count` values.
    std::size_t need(std::size_t count) const {
        const std::size_t floor = marks_.empty() ? 0 : marks_.back();
        if (stack_.size() - floor < count) fail("the pickle takes a value that is not there");
        return stack_.size() - count;
    }
    std::size_t pop_mark() {
        if (marks_.empty()) fail("the pickle takes a mark that is not there");
        const std::size_t first = marks_.back();
        marks_.pop_back();
        return first;
    }
    void push(pickle_value value) {
        stack_.push_back(values_.size());
        values_.push_back(std::move(value));
    }
    void push(kind which) {
        pickle_value value;
        value.kind = which;
        push(std::move(value));
    }
    void push_integer(std::int64_t number) {
        pickle_value value;
        value.kind = kind::integer;
        value.integer = number;
        push(std::move(value));
    }
    void push_long(std::uint64_t size) {
        const char* data = from_.take(size);
        if (size > 8) return push(kind::other); // no length or offset of a tensor is that large
        std::uint64_t number = size > 0 && (data[size - 1] & 0x80) ? ~std::uint64_t{0} : 0;
        for (std::uint64_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(data[i]);
        push_integer(static_cast<std::int64_t>(number));
    }
    void push_text(std::uint64_t size) {
        pickle_value value;
        value.kind = kind::text;
        const char* data = from_.take(size);
        value.text.assign(data, static_cast<std::size_t>(size));
        push(std::move(value));
    }
    void push_tuple(std::size_t first) {
        pickle_value value;
        value.kind = kind::tuple;
        value.items = pop_from(first);
        push(std::move(value));
    }
    void push_global(std::string name) {
        pickle_value value = rebuild_.global(std::move(name));
        push(std::move(value));
    }
    std::vector<std::size_t> pop_from(std::size_t first) {
        std::vector<std::size_t> items(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
        stack_.resize(first);
        references_ += items.size();
        return items;
    }
    void extend(std::size_t first, kind wanted, const char* what) {
        const std::size_t floor = marks_.empty() ? 0 : marks_.back();
        if (first <= floor || at(first - 1).kind != wanted) fail(std::string("expected ") + what + " to add to");
        auto items = pop_from(first);
        auto& all = at(first - 1).items;
        all.insert(all.end(), items.begin(), items.end());
    }
    void append(std::size_t first) { extend(first, kind::list, "a list"); }
    void set_items(std::size_t first) {
        if ((stack_.size() - first) % 2 != 0) fail("a dict's key without a value");
        extend(first, kind::dict, "a dict");
    }
    void remember(std::uint64_t place) {
        need(1);
        memo_[place] = stack_.back();
    }
    void recall(std::uint64_t place) {
        const auto found = memo_.find(place);
        if (found == memo_.end()) fail("the pickle recalls number " + std::to_string(place) + ", which it never stored");
        stack_.push_back(found->second);
    }

    const file_bytes& file_;
    pickle_bytes from_{file_};
    std::uint64_t opcode_at_ = 0;
    std::size_t references_ = 0;
    std::vector<pickle_value> values_;
    std::vector<std::size_t> stack_, marks_;
    std::unordered_map<std::uint64_t, std::size_t> memo_;
    tensor_rebuilder rebuild_{file_, values_, opcode_at_};
};

} // namespace plumb::detail
