#include <plumb/dump/call_stack.hpp>
#include <plumb/dump/resolve_stack.hpp>

#include "catch.hpp"
#include "files.hpp"

#include <cstdint>
#include <string>
#include <vector>

#if defined(__GNUC__)
#define PLUMB_TEST_NOINLINE __attribute__((noinline))
#else
#define PLUMB_TEST_NOINLINE
#endif

namespace {

PLUMB_TEST_NOINLINE std::vector<const void*> stack_of_inner_function(std::size_t limit = 64) {
    auto addresses = plumb::capture_stack(limit);
    addresses.reserve(100); // so that the call above is no tail call
    return addresses;
}

std::vector<plumb::stack_frame> offsets_of(const std::vector<const void*>& addresses) {
    plumb::module_offsets offsets;
    std::vector<plumb::stack_frame> frames;
    for (const void* address : addresses) frames.push_back(offsets(address));
    return frames;
}

} // namespace

#if defined(__GLIBC__)
TEST_CASE("call stack: is taken as addresses, written as module and offset") {
    const auto frames = offsets_of(stack_of_inner_function());
    REQUIRE(frames.size() > 3);
    const auto self = test::fs::read_symlink("/proc/self/exe").string();
    std::size_t own = 0;
    for (const auto& frame : frames) {
        CHECK(frame.line.compare(0, 3, "+0x") == 0);
        CHECK(frame.function.empty());
        own += frame.file == self;
    }
    CHECK(own > 2);
}

TEST_CASE("call stack: is no deeper than asked") { CHECK(stack_of_inner_function(3).size() == 3); }

TEST_CASE("call stack: one batch gives functions, files, lines and code") {
    if (plumb::detail::output_of({"addr2line", "--version"}).empty()) {
        WARN("skipped: addr2line is not installed");
        return;
    }
    const auto frames = offsets_of(stack_of_inner_function());
    plumb::stack_resolver resolver;
    resolver.need(frames);
    resolver.resolve();
    const auto resolved = resolver(frames);
    REQUIRE(!resolved.empty());
    bool found = false;
    for (const auto& frame : resolved) {
        if (frame.function.find("stack_of_inner_function") == std::string::npos) continue;
        found = true;
        if (frame.line.compare(0, 3, "+0x") == 0) continue; // built without debug information
        CHECK(test::fs::path(frame.file).filename() == "test_call_stack.cpp");
        CHECK(frame.code.find("capture_stack(limit)") != std::string::npos);
    }
    CHECK(found);
    CHECK(resolved.front().function.find("plumb::capture_stack") == std::string::npos);
}
#endif

TEST_CASE("stack_resolver: what can't be resolved stays, what a framework told is left alone") {
    const std::vector<plumb::stack_frame> frames{{"/no/such/module.so", "+0x1234", "", ""},
                                                 {"train.py", "12", "step", "loss.backward()"}};
    plumb::stack_resolver resolver;
    resolver.need(frames);
    resolver.resolve();
    const auto resolved = resolver(frames);
    REQUIRE(resolved.size() == 2);
    CHECK(resolved[0].file == "/no/such/module.so");
    CHECK(resolved[0].line == "+0x1234");
    CHECK(resolved[1].code == "loss.backward()");
}

TEST_CASE("resolve_stacks: takes all stacks of a dump that was read") {
    plumb::rank_dump rank;
    rank.stacks["Torch.add.0.forward"] = {{"train.py", "12", "step", ""}};
    plumb::resolve_stacks(rank);
    CHECK(rank.stacks.at("Torch.add.0.forward").at(0).line == "12");
}
