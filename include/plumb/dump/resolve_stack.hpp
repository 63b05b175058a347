/// \file
/// Gives the frames of a stack, written as module and offset, their function, file and line.
#pragma once

#include <plumb/dump/model.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__linux__)
#define PLUMB_HAS_SPAWN 1
#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace plumb {
namespace detail {

#if PLUMB_HAS_SPAWN
/// What a program writes to its output; empty if it can't be run. Found by PATH; no shell has a part in it.
inline std::string output_of(const std::vector<std::string>& words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::pid_t child = -1;
    const int failed = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string text;
    if (failed == 0) {
        char buffer[1 << 14];
        for (;;) {
            const auto got = ::read(ends[0], buffer, sizeof buffer);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            text.append(buffer, static_cast<std::size_t>(got));
        }
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    ::close(ends[0]);
    return text;
}
#endif

/// Line `number` of a source file, without blanks around it; "" if it is not there. Keeps the files that it has read.
class source_lines {
public:
    std::string operator()(const std::string& file, const std::string& number) {
        std::size_t line = 0;
        for (const char c : number) line = c >= '0' && c <= '9' ? line * 10 + static_cast<std::size_t>(c - '0') : 0;
        const auto& lines = lines_of(file);
        if (line == 0 || line > lines.size()) return {};
        const std::string& text = lines[line - 1];
        const std::size_t begin = text.find_first_not_of(" \t\r");
        return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
    }

private:
    const std::vector<std::string>& lines_of(const std::string& file) {
        const auto [found, fresh] = files_.try_emplace(file);
        if (fresh) {
            std::ifstream stream(file);
            for (std::string line; found->second.size() < 1000000 && std::getline(stream, line);)
                found->second.push_back(std::move(line));
        }
        return found->second;
    }

    std::map<std::string, std::vector<std::string>> files_;
};

} // namespace detail

/// Resolves stacks in batches: one run of addr2line (binutils) for each module, however many frames there are. Debug information
/// gives file and line, and the frames of inlined functions; else the symbol table gives the function at least. What can't be
/// resolved, because addr2line or the module is missing, stays module and offset.
class stack_resolver {
public:
    /// Notes the frames that need resolving.
    void need(const std::vector<stack_frame>& frames) {
        for (const stack_frame& each : frames)
            if (is_offset(each)) known_[each.file].try_emplace(each.line);
    }

    /// Looks up all that were noted since the last call.
    void resolve() {
        for (auto& [module, offsets] : known_) resolve_module(module, offsets);
    }

    /// `frames` with all that is known filled in, innermost first. plumb's own innermost frames are dropped.
    std::vector<stack_frame> operator()(const std::vector<stack_frame>& frames) const {
        std::vector<stack_frame> result;
        for (const stack_frame& each : frames) {
            const auto module = known_.find(each.file);
            if (is_offset(each) && module != known_.end()) {
                const auto found = module->second.find(each.line);
                if (found != module->second.end() && !found->second.frames.empty()) {
                    result.insert(result.end(), found->second.frames.begin(), found->second.frames.end());
                    continue;
                }
            }
            result.push_back(each);
        }
        const auto first =
            std::find_if(result.begin(), result.end(), [](const stack_frame& each) { return !is_own(each.function); });
        if (first != result.end()) result.erase(result.begin(), first);
        return result;
    }

private:
    struct resolved {
        bool tried = false;
        std::vector<stack_frame> frames;
    };
    using module_frames = std::map<std::string, resolved>;

    static bool is_offset(const stack_frame& frame) { return frame.line.compare(0, 3, "+0x") == 0; }
    static bool is_own(std::string_view function) {
        // A template's name begins with its return type.
        for (const std::string_view own :
             {"plumb::dump_session::", "plumb::operator_call::", "plumb::capture_stack", "plumb::detail::", "plumb::hook_"})
            if (function.find(own) != std::string_view::npos)
                return function.find('(') == std::string_view::npos || function.find(own) < function.find('(');
        return function == "_Unwind_Backtrace";
    }

    void resolve_module(const std::string& module, module_frames& offsets) {
#if PLUMB_HAS_SPAWN
        std::error_code ignored;
        std::vector<std::string> command;
        std::vector<module_frames::iterator> asked;
        const auto run = [&] {
            if (!asked.empty()) take(module, detail::output_of(command), asked);
            command = {"addr2line", "-a", "-f", "-i", "-C", "-e", module};
            asked.clear();
        };
        const bool there = std::filesystem::is_regular_file(std::filesystem::path(module), ignored);
        run();
        for (auto each = offsets.begin(); each != offsets.end(); ++each) {
            if (each->second.tried) continue;
            each->second.tried = true;
            if (!there) continue;
            command.push_back(each->first.substr(1));
            asked.push_back(each);
            if (asked.size() == 4000) run(); // a command line has its limits
        }
        run();
#else
        static_cast<void>(module);
        static_cast<void>(offsets);
#endif
    }

    /// addr2line's answer: for each address a line "0x…", then pairs of lines, function and file:line, innermost first.
    void take(const std::string& module, const std::string& text, const std::vector<module_frames::iterator>& asked) {
        std::size_t number = 0;
        std::string function;
        bool have_function = false;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            const std::string line = text.substr(begin, end - begin);
            begin = end + 1;
            if (!have_function && line.compare(0, 2, "0x") == 0) {
                ++number;
            } else if (!have_function) {
                function = line;
                have_function = true;
            } else {
                have_function = false;
                if (number == 0 || number > asked.size()) continue;
                const auto each = asked[number - 1];
                const std::string place = line.substr(0, line.find(" (discriminator"));
                const std::size_t colon = place.rfind(':');
                const bool known_line = colon != std::string::npos && place.compare(0, 2, "??") != 0 && place[colon + 1] != '?' &&
                                        place.substr(colon + 1) != "0";
                if (known_line) {
                    std::string file = place.substr(0, colon), at = place.substr(colon + 1);
                    std::string code = sources_(file, at);
                    each->second.frames.push_back({std::move(file), std::move(at), function, std::move(code)});
                } else if (function != "??") {
                    each->second.frames.push_back({module, each->first, function, {}});
                }
            }
        }
    }

    std::map<std::string, module_frames> known_;
    detail::source_lines sources_;
};

/// Resolves all stacks of a dump that was read, in one batch.
inline void resolve_stacks(rank_dump& rank) {
    stack_resolver resolver;
    for (const auto& [op, frames] : rank.stacks) resolver.need(frames);
    resolver.resolve();
    for (auto& [op, frames] : rank.stacks) frames = resolver(frames);
}

} // namespace plumb
