// A framework that brings a half type of its own: one line tells plumb what its bytes mean, and its buffers are read in place.
#include <plumb/plumb.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace my_framework {
struct half { // storage alone: plumb needs no arithmetic
    std::uint16_t bits;
};
struct array {
    std::vector<half> elements;
    const half* data() const { return elements.data(); }
    std::size_t size() const { return elements.size(); }
};
} // namespace my_framework

template <>
struct plumb::element_traits<my_framework::half> : plumb::stored_as<plumb::dtype::f16> {};

int main() {
    const my_framework::array actual{{{0x3c00}, {0x4000}, {0x7c00}}}; // 1, 2, inf
    const std::vector<float> reference{1.0f, 2.0f, 70000.0f};         // types may differ: both are widened exactly

    const plumb::pair_report report = plumb::measure(actual, reference);
    std::cout << report.finite_pairs << " of " << report.count << " pairs are finite, max_abs_err " << report.max_abs_err << '\n'
              << plumb::check(actual, reference, plumb::rules::allclose(1e-3, 1e-3)).reason() << '\n';
}
