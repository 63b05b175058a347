/// \file
/// Runs the built program as its users do, and reads what it says.
#pragma once

#include "catch.hpp"

#include <rapidjson/document.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace program {

inline const std::filesystem::path data = PLUMB_TEST_DATA;

struct result {
    int status = 0; ///< exit status; 128 and more: the signal that ended it
    std::string out, err;
};

/// What a run may find different from the test's own surroundings.
struct surroundings {
    std::map<std::string, std::string> environment;
    std::function<void()> before_exec; ///< runs in the new process: limits, redirections
};

inline std::string content_of(std::FILE* file) {
    std::rewind(file);
    std::string text;
    char block[4096];
    while (const std::size_t n = std::fread(block, 1, sizeof block, file)) text.append(block, n);
    std::fclose(file);
    return text;
}

inline std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs `plumb` with these arguments. Standard output and error are files, no terminals.
inline result run(std::vector<std::string> arguments, const surroundings& around = {}) {
    arguments.insert(arguments.begin(), PLUMB_PROGRAM);
    std::vector<char*> argv;
    for (std::string& each : arguments) argv.push_back(each.data());
    argv.push_back(nullptr);
    std::FILE *out = std::tmpfile(), *err = std::tmpfile();
    if (out == nullptr || err == nullptr) throw std::runtime_error("no temporary file");
    const ::pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::fileno(out), STDOUT_FILENO);
        ::dup2(::fileno(err), STDERR_FILENO);
        for (const auto& [name, value] : around.environment) ::setenv(name.c_str(), value.c_str(), 1);
        if (around.before_exec) around.before_exec();
        ::execv(PLUMB_PROGRAM, argv.data());
        ::_exit(127);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("can't run " PLUMB_PROGRAM);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(out), content_of(err)};
}

/// The object that a run with --json printed.
inline rapidjson::Document object_in(const result& answer) {
    rapidjson::Document object;
    object.Parse<rapidjson::kParseFullPrecisionFlag>(answer.out.c_str(), answer.out.size());
    INFO(answer.out << answer.err);
    REQUIRE(!object.HasParseError());
    REQUIRE(object.IsObject());
    return object;
}

/// The names of an object's members, in their order.
inline std::vector<std::string> keys_of(const rapidjson::Value& object) {
    std::vector<std::string> keys;
    for (const auto& member : object.GetObject()) keys.emplace_back(member.name.GetString(), member.name.GetStringLength());
    return keys;
}

inline std::string text_of(const rapidjson::Value& value) { return {value.GetString(), value.GetStringLength()}; }

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A folder that is gone at the end of the test.
class temporary_folder {
public:
    explicit temporary_folder(const std::filesystem::path& where = std::filesystem::temp_directory_path()) {
        std::string name = (where / "plumb-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("can't make a temporary folder");
        path_ = name;
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    std::string text() const { return path_.string(); }
    std::vector<std::filesystem::path> files() const { return files_in(""); }
    std::vector<std::filesystem::path> files_in(const std::string& inside) const {
        std::vector<std::filesystem::path> all;
        for (const auto& each : std::filesystem::directory_iterator(path_ / inside)) all.push_back(each.path());
        return all;
    }

private:
    std::filesystem::path path_;
};

} // namespace program
