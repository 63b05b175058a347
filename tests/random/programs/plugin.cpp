// A shared object with hidden visibility that registers a seeder when it is loaded, and draws from the default generator.
#include <plumb/random/seed_all.hpp>

namespace {

const bool registered = [] {
    plumb::on_seed(PLUGIN, [](const plumb::seed_request& request, plumb::seed_receipt& receipt) {
        receipt.settings.push_back({PLUGIN ".seed", std::to_string(request.seed)});
    });
    return true;
}();

} // namespace

extern "C" __attribute__((visibility("default"))) unsigned draw() {
    return registered ? (*plumb::default_torch_generator())() : 0;
}
extern "C" __attribute__((visibility("default"))) double probability() { return plumb::dropout_probability(0.5); }
