// Which level runs is decided once in a process, from the environment: each case asks another process, which is this program
// itself running the hidden case at the end.
#include <plumb/detail/cpu.hpp>

#include "catch.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

using plumb::cpu_level;

namespace {

std::string this_program() {
    std::array<char, 4096> path{};
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    return std::string(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
}

/// What another process prints, on stdout and stderr, when PLUMB_CPU is `wish`.
std::string printed_with(const std::string& wish) {
    const std::string command = "PLUMB_CPU='" + wish + "' '" + this_program() + "' '[.print_cpu_target]' 2>&1";
    std::string text;
    if (std::FILE* const output = ::popen(command.c_str(), "r")) {
        std::array<char, 256> part{};
        while (std::fgets(part.data(), part.size(), output) != nullptr) text += part.data();
        ::pclose(output);
    }
    return text;
}

bool says(const std::string& text, std::string_view target) {
    return text.find("<cpu_target " + std::string(target) + ">") != std::string::npos;
}

} // namespace

TEST_CASE("PLUMB_CPU: forces each level that the processor has, and cpu_target() says so") {
    for (int i = 0; i <= static_cast<int>(plumb::best_cpu_level()); ++i) {
        const auto level = static_cast<cpu_level>(i);
        const bool here = level != cpu_level::portable || PLUMB_HAS_XSIMD;
        const std::string text = printed_with(std::string(name_of(level)));
        INFO(text);
        CHECK(says(text, name_of(here ? level : cpu_level::scalar)));
        CHECK(text.find("plumb: ") == std::string::npos);
    }
}

TEST_CASE("PLUMB_CPU: empty, the best level runs") { CHECK(says(printed_with(""), name_of(plumb::best_cpu_level()))); }

TEST_CASE("PLUMB_CPU: a name that is none is reported with those that are, and the best level runs") {
    const std::string text = printed_with("avx1024");
    CHECK(says(text, name_of(plumb::best_cpu_level())));
    CHECK(text.find("plumb: PLUMB_CPU is \"avx1024\"; expected scalar, portable, avx2, avx512 or avx512ifma\n") !=
          std::string::npos);
}

TEST_CASE("parse_cpu_level: a level beyond the processor's best gives the best") {
    CHECK(plumb::parse_cpu_level("avx512ifma", cpu_level::avx2) == cpu_level::avx2);
    CHECK(plumb::parse_cpu_level("avx2", cpu_level::scalar) == cpu_level::scalar);
    CHECK(plumb::parse_cpu_level("scalar", cpu_level::avx512) == cpu_level::scalar);
}

TEST_CASE("prints its cpu_target, for the cases above", "[.print_cpu_target]") {
    std::printf("<cpu_target %s>\n", std::string(plumb::cpu_target()).c_str());
    SUCCEED();
}
