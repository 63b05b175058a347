/// \file
/// The recorded numbers of the reference libraries, and the comparison with them, bit for bit.
#pragma once

#include "catch.hpp"

#include <plumb/random/output.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

namespace golden {

/// A line of tests/data/random/rng_parity.tsv; see make_rng_parity.py beside it.
struct record {
    std::string lib, fn, seed_text, cap, args_text, dtype, count, expected;
    std::vector<double> args;
    std::uint64_t seed = 0;
    std::size_t n = 0;

    std::int64_t arg(std::size_t i) const { return static_cast<std::int64_t>(args.at(i)); }
    bool is(const char* name) const { return fn == name; }
};

inline std::vector<record> read_all() {
    const std::string path = PLUMB_TEST_DATA "/random/rng_parity.tsv";
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path);
    std::vector<record> records;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        record r;
        for (std::string* field : {&r.lib, &r.fn, &r.seed_text, &r.cap, &r.args_text, &r.dtype, &r.count, &r.expected})
            if (!std::getline(fields, *field, '\t')) throw std::runtime_error("a field is missing in " + path + ": " + line);
        std::istringstream list(r.args_text);
        char separator;
        for (double value; list >> separator >> value;) r.args.push_back(value);
        r.seed = std::strtoull(r.seed_text.c_str(), nullptr, 10);
        r.n = std::strtoull(r.count.c_str(), nullptr, 10);
        records.push_back(std::move(r));
    }
    return records;
}

/// The records of one library.
inline std::vector<record> of(const std::string& lib) {
    std::vector<record> chosen;
    for (record& r : read_all())
        if (r.lib == lib) chosen.push_back(std::move(r));
    return chosen;
}

/// The unsigned integer with the element's bytes.
template <class T>
std::uint64_t pattern(const T& element) {
    using bits = std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    return plumb::detail::bit_cast<bits>(element);
}

/// The values as the file writes them: all their bits, or a hash if that is what the file has.
template <class Values>
std::string written(const Values& values, bool hashed) {
    std::string text;
    std::uint64_t hash = 14695981039346656037u;
    char digits[17];
    for (const auto& value : values) {
        const std::uint64_t bits = pattern(value);
        hash = (hash ^ bits) * 1099511628211u;
        std::snprintf(digits, sizeof digits, "%0*llx", static_cast<int>(2 * sizeof value), static_cast<unsigned long long>(bits));
        if (!hashed) text += digits;
    }
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return hashed ? "#" + std::string(digits) : text;
}

/// True if logarithms and the like are those of the C library that the numbers were recorded with. Later ones round better.
inline bool has_recorded_libm() {
#if defined(__GLIBC__)
    return std::string_view(::gnu_get_libc_version()) == "2.36";
#else
    return false;
#endif
}

/// The greatest distance of a value from the one in the file, in units of the last place.
template <class Values>
std::uint64_t distance_from(const Values& values, const std::string& expected) {
    std::uint64_t largest = 0;
    const std::size_t digits = expected.size() / values.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t a = pattern(values[i]), b = std::stoull(expected.substr(i * digits, digits), nullptr, 16);
        largest = std::max(largest, a < b ? b - a : a - b);
    }
    return largest;
}

template <class Values>
void check(const record& r, const Values& values) {
    INFO(r.lib << " " << r.fn << " seed " << r.seed_text << " " << r.cap << " " << r.args_text << " " << r.dtype << " n " << r.n);
    CHECK(values.size() == r.n);
    const bool hashed = r.expected[0] == '#';
    if (r.fn.find("[needs libm") == std::string::npos || has_recorded_libm())
        CHECK(written(values, hashed) == r.expected);
    else if (!hashed)
        CHECK(distance_from(values, r.expected) <= 4); // another libm: the same numbers but for its rounding
}

/// A vector of n elements, filled by the function.
template <class T, class Fill>
std::vector<T> filled(std::size_t n, Fill fill) {
    std::vector<T> values(n);
    fill(values);
    return values;
}

/// Calls `use` with a value of the C++ type that the record's dtype names: a generic lambda's way to make vectors of it.
template <class Use>
void with_float_type(const record& r, Use use) {
    if (r.dtype == "f64") return use(double{});
    if (r.dtype == "f32") return use(float{});
    if (r.dtype == "f16") return use(plumb::float16{});
    if (r.dtype == "bf16") return use(plumb::bfloat16{});
    throw std::runtime_error("not a floating-point type: " + r.dtype);
}

} // namespace golden
