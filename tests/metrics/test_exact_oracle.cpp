// Every number of a report, for every pair of element types, against exact integers, in every floating-point mode, compiled in
// several ways. 300 cases a pair of types; the environment variable PLUMB_ORACLE_CASES asks for more, PLUMB_ORACLE_SEED for
// others.
#include "flavour.hpp"

#include "oracle.hpp"
#include "random_pairs.hpp"
#include "same_report.hpp"

#include "catch.hpp"
#include "float_mode.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

const std::uint64_t seed = number_from_environment("PLUMB_ORACLE_SEED", 1);
const std::uint64_t cases_wanted = number_from_environment("PLUMB_ORACLE_CASES", 300);

std::vector<const flavour*> flavours_here() {
    std::vector<const flavour*> all{&strict, &fast_math};
#if defined(__x86_64__)
    if (avx2_fast_math.runs_here()) all.push_back(&avx2_fast_math);
    if (avx512_fast_math.runs_here()) all.push_back(&avx512_fast_math);
#endif
    return all;
}

/// Calls f() in a mode. Returns what f returns, and notes in `trouble` if the mode or errno is another afterwards.
template <class F>
auto in_mode(const float_mode& mode, std::string& trouble, F f) {
    const with_float_mode guard(mode);
    const std::uint64_t before = float_state();
    errno = 4711;
    auto result = f();
    const int error = errno;
    const std::uint64_t after = float_state();
    if (error != 4711) trouble += "errno is " + std::to_string(error) + "; ";
    if (after != before)
        trouble += "the floating-point state went from " + std::to_string(before) + " to " + std::to_string(after) + "; ";
    return result;
}

/// Feeds a pair in pieces to accumulators of several flavours and merges them in any order, at their offsets.
plumb::pair_report in_pieces(const buffer_pair& pair, random_engine& random, const std::vector<const flavour*>& flavours) {
    const auto any = [&]() -> const flavour& { return *flavours[random() % flavours.size()]; };
    std::vector<std::pair<std::uint64_t, wide_metrics>> parts;
    std::size_t done = 0;
    const std::size_t n = pair.actual.size();
    while (done < n || parts.empty()) {
        wide_metrics part(pair.limits);
        const std::size_t offset = done;
        for (std::size_t calls = 1 + random() % 2; calls > 0; --calls) {
            const std::size_t size = random() % 3 == 0 ? n - done : random() % (n - done + 1);
            const auto piece = [&](const buffer& x) {
                return plumb::tensor_view(x.type, x.bytes.data() + done * plumb::size_of(x.type),
                                          plumb::extents{static_cast<std::int64_t>(size)});
            };
            any().add_wide(part, piece(pair.actual), piece(pair.reference));
            done += size;
        }
        parts.emplace_back(offset, part);
    }
    std::shuffle(parts.begin(), parts.end(), random);
    wide_metrics whole(pair.limits);
    for (const auto& [offset, part] : parts) {
        if (random() % 2 == 0) {
            any().merge_wide(whole, part, offset);
        } else { // what a rank sends as bytes
            const wide_metrics sent = any().shift_wide(part, offset);
            wide_metrics received;
            std::memcpy(static_cast<void*>(&received), &sent, sizeof received);
            any().merge_wide(whole, received, 0);
        }
    }
    return any().value_wide(whole);
}

void check_pairs(plumb::dtype actual, plumb::dtype reference, std::uint64_t cases) {
    const std::vector<const flavour*> flavours = flavours_here();
    const std::vector<float_mode> modes = all_float_modes();
    random_engine random(seed * 1000003 + static_cast<std::uint64_t>(actual) * 101 + static_cast<std::uint64_t>(reference));
    std::size_t failed = 0;
    for (std::uint64_t i = 0; i < cases && failed < 5; ++i) {
        const auto kind = static_cast<pair_kind>(i % static_cast<std::uint64_t>(pair_kind::count));
        const buffer_pair pair = random_pair(random, kind, actual, reference, random_length(random));
        const plumb::tensor_view a = pair.actual.view(), b = pair.reference.view();
        const plumb::pair_report expected = oracle::pairs(actual, pair.actual.bytes.data(), reference,
                                                          pair.reference.bytes.data(), pair.actual.size(), pair.limits);
        const plumb::tensor_report expected_tensor = oracle::tensor(actual, pair.actual.bytes.data(), pair.actual.size());

        std::string trouble;
        for (const flavour* each : flavours) {
            for (const float_mode& mode : modes) {
                // Long buffers in two modes are enough.
                if (pair.actual.size() > 300 && &mode != &modes[i % modes.size()] && &mode != &modes.front()) continue;
                std::string here;
                here += difference_of(in_mode(mode, here, [&] { return each->measure(a, b, pair.limits); }), expected);
                here += difference_of(in_mode(mode, here, [&] { return each->summarize(a); }), expected_tensor);
                if (!here.empty()) trouble += std::string(each->name) + ", " + mode.name + ": " + here + "\n";
            }
        }
        const std::string pieces = difference_of(in_pieces(pair, random, flavours), expected);
        if (!pieces.empty()) trouble += "in pieces: " + pieces + "\n";

        INFO(plumb::name_of(actual) << " against " << plumb::name_of(reference) << ", case " << i
                                    << ", n = " << pair.actual.size());
        CHECK(trouble == "");
        failed += !trouble.empty();
    }
}

constexpr plumb::dtype training_types[] = {plumb::dtype::f16, plumb::dtype::bf16, plumb::dtype::f32, plumb::dtype::f64};

} // namespace

TEST_CASE("measure: every number is the exact value rounded once, for the 16 pairs of f16, bf16, f32 and f64") {
    for (const plumb::dtype actual : training_types)
        for (const plumb::dtype reference : training_types) check_pairs(actual, reference, cases_wanted);
}

TEST_CASE("measure: so it is for integers, bool and 8-bit floats, alone and against any other type") {
    for (std::size_t actual = 0; actual < plumb::dtype_count; ++actual)
        for (std::size_t reference = 0; reference < plumb::dtype_count; ++reference) {
            const auto a = static_cast<plumb::dtype>(actual), b = static_cast<plumb::dtype>(reference);
            if (a >= plumb::dtype::f16 && b >= plumb::dtype::f16) continue;
            check_pairs(a, b, a == b ? cases_wanted / 10 : cases_wanted / 100);
        }
}
