#include <plumb/types.hpp>
#include <plumb/version.hpp>

#include <cstdio>
#include <vector>

int main() {
    const std::vector<float> buffer{1.0f, 2.0f};
    const plumb::view<float> numbers = buffer;
    std::printf("plumb %s sees %zu numbers\n", plumb::version, numbers.size());
}
