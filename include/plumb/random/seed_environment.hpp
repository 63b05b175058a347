/// \file
/// The environment variables that the seeding sets, and what in the process it cannot change any more.
#pragma once

#include <plumb/detail/fp_guard.hpp>
#include <plumb/random/seed_receipt.hpp>

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::detail {
inline namespace PLUMB_TARGET {

/// The file names, without folders, of the program and the shared objects loaded now. Empty where /proc is not Linux's.
inline std::vector<std::string> loaded_objects() {
    std::vector<std::string> names;
    std::FILE* const maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return names;
    std::string line;
    for (int c; (c = std::fgetc(maps)) != EOF;) {
        if (c != '\n') {
            line.push_back(static_cast<char>(c));
            continue;
        }
        if (const auto slash = line.rfind('/'); slash != std::string::npos) {
            std::string name = line.substr(slash + 1);
            if (names.empty() || names.back() != name) names.push_back(std::move(name));
        }
        line.clear();
    }
    std::fclose(maps);
    return names;
}

/// The first loaded object whose name begins with one of the prefixes, separated by spaces; empty if there is none.
inline std::string find_loaded(const std::vector<std::string>& objects, std::string_view prefixes) {
    while (!prefixes.empty()) {
        const std::string_view prefix = prefixes.substr(0, prefixes.find(' '));
        for (const std::string& name : objects)
            if (std::string_view(name).substr(0, prefix.size()) == prefix) return name;
        prefixes.remove_prefix(prefix.size() < prefixes.size() ? prefix.size() + 1 : prefix.size());
    }
    return {};
}

inline void set_variable(const char* name, const std::string& value) {
#if defined(_WIN32)
    _putenv_s(name, value.c_str());
#else
    setenv(name, value.c_str(), 1);
#endif
}

/// A variable, and the libraries that read it only once: when they are loaded or first used.
struct environment_variable {
    const char* name;
    std::string value;
    std::string_view readers;
    bool keep; // a value that the user chose stays
};

/// Those of the accuracy tools' seed_all (PYTHONHASHSEED to HCCL_DETERMINISTIC) and, for deterministic runs, of common CPU
/// libraries.
inline std::vector<environment_variable> seed_variables(const seed_request& request) {
    constexpr std::string_view openmp = "libgomp. libomp. libomp5. libiomp5.", mkl = "libmkl_core. libmkl_rt.";
    std::vector<environment_variable> variables = {
        {"PYTHONHASHSEED", std::to_string(request.seed), "libpython3 python3", false},
        {"CUBLAS_WORKSPACE_CONFIG", ":4096:8", "libcublas.", false},
        {"HCCL_DETERMINISTIC", request.deterministic ? "True" : "False", "libhccl.", false},
    };
    if (request.deterministic) {
        variables.push_back({"OMP_DYNAMIC", "FALSE", openmp, true});
        variables.push_back({"MKL_DYNAMIC", "FALSE", mkl, true});
        variables.push_back({"MKL_CBWR", "AUTO,STRICT", mkl, true});
        variables.push_back({"ONEDNN_DEFAULT_FPMATH_MODE", "STRICT", "libdnnl. libmkldnn.", true});
    }
    return variables;
}

inline void set_environment(const std::vector<std::string>& objects, seed_receipt& receipt) {
    for (const environment_variable& variable : seed_variables(receipt.request)) {
        const char* const before = std::getenv(variable.name);
        const bool kept = variable.keep && before != nullptr;
        const bool same = before != nullptr && (kept || variable.value == before);
        receipt.settings.push_back({variable.name, kept ? before : variable.value});
        if (same) continue;
        set_variable(variable.name, variable.value);
        const std::string reader = find_loaded(objects, variable.readers);
        if (!reader.empty())
            receipt.not_reached.push_back(std::string(variable.name) + ": " + reader +
                                          " is loaded and may have read it before; set it where the program is started");
    }
}

/// Names the random engines that are in the process without a seeder.
inline void report_unseeded(const std::vector<std::string>& objects, seed_receipt& receipt) {
    struct engine {
        const char* name;
        std::string_view libraries;
        const char* advice;
    };
    constexpr engine engines[] = {
        {"torch", "libtorch_cpu. libtorch_npu. libtorch.", "call plumb::register_torch_seeder() of plumb/adapters/torch.hpp"},
        {"mindspore", "libmindspore", "call on_seed(\"mindspore\", …)"},
        {"tensorflow", "libtensorflow", "call on_seed(\"tensorflow\", …)"},
        {"paddle", "libpaddle", "call on_seed(\"paddle\", …)"},
        {"onnxruntime", "libonnxruntime", "call on_seed(\"onnxruntime\", …)"},
        {"curand", "libcurand.", "call on_seed(\"curand\", …)"},
        {"python", "libpython3 python3", "seed random and numpy.random there and call on_seed(\"python\", …)"},
    };
    for (const engine& each : engines) {
        const std::string library = find_loaded(objects, each.libraries);
        bool known = library.empty();
        for (const std::string& name : receipt.seeded) known = known || name == each.name;
        if (!known)
            receipt.not_reached.push_back(std::string(each.name) + ": " + library + " is loaded but has no seeder; " +
                                          each.advice);
    }
}

/// Names what the calling thread's floating-point unit does other than the default.
inline void report_floating_point_modes(seed_receipt& receipt) {
    bool rounds_to_nearest = std::fegetround() == FE_TONEAREST; // of x87, which computes nothing here, in glibc
#if defined(__SSE2__) || defined(_M_X64)
    constexpr std::uint64_t flush_to_zero = 0x8000, denormals_are_zero = 0x0040, rounding = 0x6000;
#elif defined(__aarch64__)
    constexpr std::uint64_t flush_to_zero = 1u << 24, denormals_are_zero = 0, rounding = 3u << 22;
#endif
#if defined(__SSE2__) || defined(_M_X64) || defined(__aarch64__)
    const std::uint64_t control = read_fp_control();
    rounds_to_nearest = rounds_to_nearest && (control & rounding) == 0;
    if ((control & flush_to_zero) != 0)
        receipt.not_reached.push_back(
            "FTZ: this thread flushes subnormal results to zero (a program linked with -ffast-math starts so)");
    if ((control & denormals_are_zero) != 0)
        receipt.not_reached.push_back(
            "DAZ: this thread takes subnormal operands for zero (a program linked with -ffast-math starts so)");
#endif
    if (!rounds_to_nearest)
        receipt.not_reached.push_back(
            "rounding mode: this thread does not round to nearest; generated numbers have other last bits");
}

} // namespace PLUMB_TARGET
} // namespace plumb::detail
