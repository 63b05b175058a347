#include <plumb/plumb.hpp>

#include <cstdio>
#include <vector>

int main() {
    const std::vector<float> actual{1.0f, 2.5f}, reference{1.0f, 2.0f};
    const auto report = plumb::measure(actual, reference);
    std::printf("%s\n", plumb::classify(report, plumb::rules::ptdbg()).reason().c_str());
    return report.max_abs_err == 0.5 ? 0 : 1;
}
