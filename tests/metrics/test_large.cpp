// Tensors of more than 2^31 elements: counts, positions and sums beyond what 32 bits hold. Reads two files of 4 GiB that are
// holes but for a few pages: PLUMB_TEST_LARGE=0 leaves it out.
#include <plumb/metrics.hpp>

#include "catch.hpp"
#include "large_files.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::int64_t beyond = std::int64_t{1} << 31; // the first position that a signed 32-bit integer does not have
constexpr std::int64_t elements = beyond + 5000;       // of f16: a little more than 4 GiB

/// A file without a name, of f16 zeros, in memory; most of it is a hole on the disk.
class sparse_tensor {
public:
    sparse_tensor() {
        std::string path = "large_XXXXXX"; // not in /tmp, which may lie in memory
        const int file = ::mkstemp(path.data());
        if (file < 0) return;
        ::unlink(path.c_str());
        if (::ftruncate(file, elements * 2) == 0) {
            void* const data = ::mmap(nullptr, elements * 2, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (data != MAP_FAILED) data_ = static_cast<plumb::float16*>(data);
        }
        ::close(file);
    }
    ~sparse_tensor() {
        if (data_ != nullptr) ::munmap(data_, elements * 2);
    }
    sparse_tensor(const sparse_tensor&) = delete;
    sparse_tensor& operator=(const sparse_tensor&) = delete;

    bool is_there() const { return data_ != nullptr; }
    plumb::float16& operator[](std::int64_t i) { return data_[i]; }
    plumb::tensor_view view() const { return {plumb::dtype::f16, data_, {elements}}; }

private:
    plumb::float16* data_ = nullptr;
};

} // namespace

TEST_CASE("large: more than 2^31 elements have the right counts, positions and sums") {
    if (const std::string reason = test::obstacle_to_large_files(); !reason.empty()) {
        WARN("not run: " << reason);
        return;
    }
    sparse_tensor actual, reference;
    if (!actual.is_there() || !reference.is_there()) {
        WARN("not run: this disk takes no file of 4 GiB");
        return;
    }
    const std::int64_t only_there = beyond + 4000;
    actual[0] = reference[0] = plumb::float16(3.0f);
    actual[beyond + 17] = reference[beyond + 17] = plumb::float16(4.0f);
    reference[only_there] = plumb::float16(12.0f);

    const plumb::pair_report r = plumb::measure(actual.view(), reference.view(), plumb::threads(2));
    CHECK(r.count == elements);
    CHECK(r.finite_pairs == elements);
    CHECK(r.cosine == 5.0 / 13.0); // 25 / sqrt(25 * 169)
    CHECK(r.euclidean == 12.0);
    CHECK(r.max_abs_err == 12.0);
    CHECK(r.max_abs_err_index == only_there);
    CHECK(r.max_rel_err == 1.0);
    CHECK(r.max_rel_err_index == only_there);
    CHECK(r.differing == 1);
    CHECK(r.first_differing_index == only_there);

    CHECK_FALSE(plumb::find_nonfinite(actual.view()).has_value());
    actual[only_there] = plumb::float16::from_bits(0x7c00);
    CHECK(plumb::find_nonfinite(actual.view()) == only_there);
    const plumb::tensor_report s = plumb::summarize(actual.view());
    CHECK(s.count == elements);
    CHECK(s.finite == elements - 1);
    CHECK(s.zeros == elements - 3);
    CHECK(s.max == 4.0);
    CHECK(s.mean == 7.0 / static_cast<double>(elements - 1)); // both exact, hence rounded once
    CHECK(s.norm == 5.0);
    CHECK(s.first_nonfinite_index == only_there);
}
