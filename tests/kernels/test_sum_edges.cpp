// Sums filled to the brim: every pair as large as a block's range has it, and
// one whose last bit is the range's last place.

#include <plumb/kernels/add_pairs.hpp>

#include "catch.hpp"
#include "kernels/fast_pairs.hpp"

using namespace fast_pairs;
using namespace plumb::kernels;
using plumb::cpu_level;
using plumb::dtype;
using plumb::metric;

TEST_CASE("add_pairs: errors and products of full size are summed exactly "
          "beside one of any size") {
    constexpr metric set = metric::mean_abs_err | metric::cosine;
    constexpr std::size_t n = 2 * max_block_pairs;
    for (const dtype type : types)
        for (int gap = 0; gap <= (type == dtype::f16 ? 24 : 70); ++gap)
            for (const double sign : {-1.0, 1.0}) {
                buffer a(type, n), b(type, n);
                const double ulp = type == dtype::f32 ? 0x1p-23 : type == dtype::f16 ? 0x1p-10 : 0x1p-7;
                for (std::size_t i = 0; i < n; ++i) {
                    a.set(i, 2 - ulp);
                    b.set(i, sign * (2 - ulp));
                }
                for (const std::size_t at : {std::size_t{9}, max_block_pairs + 9}) {
                    a.set(at, std::ldexp(1 + ulp, -gap));
                    b.set(at, sign * std::ldexp(1 + ulp, -gap));
                }
                pair_state<set, narrow_range> expected;
                add_scalar(expected, type, a.at(0), type, b.at(0), n);
                for (const cpu_level level : levels()) {
                    pair_state<set, narrow_range> got;
                    add_pairs_at(level, got, type, a.at(0), type, b.at(0), n);
                    INFO(name_of(level) << ", " << plumb::name_of(type) << ", one pair 2^-" << gap << " of the others");
                    const std::string wrong = difference_of(expected, got);
                    if (!wrong.empty()) CHECK(wrong == "");
                }
            }
    SUCCEED();
}
