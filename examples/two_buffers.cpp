// Are these two buffers the same, as far as training is concerned?
#include <plumb/plumb.hpp>

#include <iostream>
#include <vector>

int main() {
    const std::vector<float> reference{0.5f, -1.0f, 2.0f, 0.25f};
    const std::vector<float> actual{0.5f, -1.0f, 2.0f, 0.75f}; // what is under test comes first, always

    const plumb::pair_report report = plumb::measure(actual, reference);
    std::cout << "cosine " << report.cosine << ", max_abs_err " << report.max_abs_err << ", max_rel_err " << report.max_rel_err
              << '\n'
              << plumb::classify(report, plumb::rules::ptdbg()).reason() << '\n';
}
