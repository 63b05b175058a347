// Loads shared objects privately, as Python loads extension modules, and checks that they and the program share what there is
// once.
#include <plumb/random/seed_all.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

template <class Function>
Function* symbol(void* object, const char* name) {
    void* const address = dlsym(object, name);
    require(address != nullptr, name);
    return reinterpret_cast<Function*>(address);
}

} // namespace

int main(int count, char** arguments) {
    require(count == 3, "usage: random_plugins <object> <object>");
    void* const one = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    void* const two = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    require(one != nullptr && two != nullptr, "both objects load");

    const std::string receipt = to_string(plumb::seed_all(77));
    std::fputs(receipt.c_str(), stdout);
    require(receipt.find("one.seed=77 two.seed=77") != std::string::npos, "seed_all of the program calls the objects' seeders");

    plumb::rng::torch::generator expected(77);
    require((*plumb::default_torch_generator())() == expected(), "the program draws the first word");
    require(symbol<unsigned()>(one, "draw")() == expected(), "the first object draws the second word");
    require(symbol<unsigned()>(two, "draw")() == expected(), "the second object draws the third word");

    const plumb::dropout_off off;
    require(symbol<double()>(one, "probability")() == 0.0, "the program's alignment mode holds in the objects");
}
