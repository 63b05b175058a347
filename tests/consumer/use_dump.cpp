#include <plumb/dump.hpp>

#include <cstdio>
#include <vector>

int main() {
    const std::vector<float> numbers{1.0f, 2.0f, 3.0f};
    plumb::write_npy("numbers.npy", plumb::view<float>(numbers));
    const plumb::tensor read = plumb::read_tensor("numbers.npy");
    std::printf("read %lld numbers\n", static_cast<long long>(read.view().count()));
    return read.view().count() == 3 ? 0 : 1;
}
