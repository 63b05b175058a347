#include <plumb/kernels/add_tensor.hpp>

#include "catch.hpp"
#include "kernels/fast_pairs.hpp"

#include <limits>

using namespace fast_pairs;
using namespace plumb::kernels;
using plumb::cpu_level;
using plumb::dtype;

namespace {

std::string difference_of(const statistics_state<narrow_range>& x, const statistics_state<narrow_range>& y) {
    std::string names;
    const auto expect = [&](bool equal, const char* name) { names += equal ? "" : std::string(" ") + name; };
    expect(x.count == y.count && x.finite == y.finite, "count");
    expect(x.zeros == y.zeros, "zeros");
    expect(x.subnormals == y.subnormals, "subnormals");
    expect(x.saturated == y.saturated, "saturated");
    expect(x.first_nonfinite == y.first_nonfinite, "first_nonfinite");
    expect(x.nonfinite.nan == y.nonfinite.nan && x.nonfinite.pos_inf == y.nonfinite.pos_inf &&
               x.nonfinite.neg_inf == y.nonfinite.neg_inf,
           "nonfinite");
    expect(x.min_key == y.min_key, "min");
    expect(x.max_key == y.max_key, "max");
    expect(x.sum == y.sum, "sum");
    expect(x.squares == y.squares, "squares");
    return names;
}

} // namespace

TEST_CASE("add_tensor: every level gives the specification's state") {
    for (const std::size_t n : {0u, 1u, 31u, 32u, 33u, 1000u, 1023u, 1024u, 1025u, 4000u})
        for (int kind = 0; kind < shape_count; ++kind)
            for (const dtype type : types) {
                buffer a(type, n), unused(type, n);
                fill(a, unused, n, static_cast<shape>(kind), n + 17);
                for (const cpu_level level : levels()) {
                    statistics_state<narrow_range> expected, got;
                    add_scalar(expected, type, a.at(0), n);
                    add_tensor_at(level, got, type, a.at(0), n / 3);
                    add_tensor_at(level, got, type, a.at(n / 3), n - n / 3);
                    INFO(name_of(level) << ", " << name_of(static_cast<shape>(kind)) << ", " << plumb::name_of(type)
                                        << ", n = " << n);
                    const std::string wrong = difference_of(expected, got);
                    if (!wrong.empty()) CHECK(wrong == "");
                }
            }
    SUCCEED();
}

TEST_CASE("find_nonfinite: the first NaN or infinity, wherever it is") {
    constexpr double infinity = std::numeric_limits<double>::infinity(), quiet_nan = std::numeric_limits<double>::quiet_NaN();
    constexpr std::size_t n = 700;
    for (const dtype type : types)
        for (const cpu_level level : levels()) {
            buffer a(type, n), unused(type, n);
            fill(a, unused, n, shape::normal, 3);
            a.set(9, 65504.0);
            a.set(11, -65504.0);
            INFO(name_of(level) << ", " << plumb::name_of(type));
            CHECK(find_nonfinite_at(level, type, a.at(0), n) == n);
            bool right = true;
            for (std::size_t at = n; at-- > 0;) {
                a.set(at, at % 3 == 0 ? infinity : at % 3 == 1 ? -infinity : quiet_nan);
                right = right && find_nonfinite_at(level, type, a.at(0), n) == at;
            }
            CHECK(right);
        }
}

TEST_CASE("find_nonfinite: each of the 65,536 patterns of a half is judged by its exponent") {
    for (const dtype type : {dtype::f16, dtype::bf16})
        for (const cpu_level level : levels()) {
            const std::uint32_t infinity = type == dtype::f16 ? 0x7c00 : 0x7f80;
            bool right = true;
            for (std::uint32_t bits = 0; bits < 65536; ++bits) {
                buffer a(type, 256);
                a.set_bits(bits % 256, bits);
                const std::size_t found = find_nonfinite_at(level, type, a.at(0), 256);
                right = right && found == ((bits & 0x7fff) >= infinity ? bits % 256 : 256);
            }
            INFO(name_of(level) << ", " << plumb::name_of(type));
            CHECK(right);
        }
}
