// What a command line meets besides its arguments: pipes, full disks, terminals, locales.
#include "program.hpp"

#include <clocale>
#include <string>
#include <vector>

#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>

using program::contains;
using program::run;
using words = std::vector<std::string>;

namespace {

std::string dump(const std::string& name) { return (program::data / "dumps" / name).string(); }

const words comparison{"compare", dump("attention/msprobe_tensor/npu"), dump("attention/msprobe_tensor/bench")};

words with(words arguments, const words& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

/// False in a bare root without devpts.
bool has_terminals() {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal >= 0) ::close(terminal);
    return terminal >= 0;
}

/// Runs with standard output and error on a terminal of 100 columns, and returns what it shows.
program::result run_on_terminal(const words& arguments, const std::map<std::string, std::string>& environment) {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    const int inside = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
    REQUIRE(inside >= 0);
    struct ::winsize size {};
    size.ws_col = 100;
    size.ws_row = 40;
    ::ioctl(inside, TIOCSWINSZ, &size);

    std::string shown;
    int pipe_ends[2];
    REQUIRE(::pipe(pipe_ends) == 0);
    const ::pid_t reader = ::fork(); // else a full terminal would stop the program
    if (reader == 0) {
        ::close(inside);
        ::close(pipe_ends[0]);
        char block[1024];
        for (::ssize_t n; (n = ::read(terminal, block, sizeof block)) > 0;)
            if (::write(pipe_ends[1], block, static_cast<std::size_t>(n)) != n) break;
        ::_exit(0);
    }
    ::close(pipe_ends[1]);
    program::result answer = run(arguments, {environment, [&] {
                                                 ::dup2(inside, STDOUT_FILENO);
                                                 ::dup2(inside, STDERR_FILENO);
                                             }});
    ::close(inside); // the reader sees the end
    ::close(terminal);
    char block[1024];
    for (::ssize_t n; (n = ::read(pipe_ends[0], block, sizeof block)) > 0;) shown.append(block, static_cast<std::size_t>(n));
    ::close(pipe_ends[0]);
    ::waitpid(reader, nullptr, 0);
    answer.out = shown;
    return answer;
}

} // namespace

TEST_CASE("plumb: --help of the program and of each command says what it takes and what its exit status means") {
    const auto all = run({"--help"});
    CHECK(all.status == 0);
    CHECK(all.err.empty());
    for (const char* command : {"metrics", "compare", "parse", "stats", "overflow"}) {
        INFO(command);
        CHECK(contains(all.out, command));
        const auto one = run({command, "--help"});
        CHECK(one.status == 0);
        CHECK(contains(one.out, "Exit status"));
        std::size_t longest = 0, start = 0;
        for (std::size_t end; (end = one.out.find('\n', start)) != std::string::npos; start = end + 1)
            longest = std::max(longest, end - start);
        CHECK(longest <= 160);
    }
    CHECK(run({"--version"}).out == "plumb " PLUMB_TEST_PROJECT_VERSION "\n");
}

TEST_CASE("plumb: wrong usage is status 2 and one helpful line") {
    for (const words& arguments :
         {words{}, words{"nonsense"}, words{"metrics"}, words{"metrics", "a"}, words{"compare", "a", "b", "--nonsense"},
          words{"compare", "a", "b", "--style", "excel"}, words{"compare", "a", "b", "--jobs", "-1"}, words{"parse", "a"}}) {
        const auto answer = run(arguments);
        INFO(answer.err);
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK(answer.err.find("plumb: ") == 0);
        CHECK(answer.err.find('\n') == answer.err.size() - 1);
        CHECK(contains(answer.err, "--help"));
    }
    CHECK(contains(run({"nonsense"}).err, "there is no command 'nonsense'; expected metrics, compare, parse, stats or overflow"));
}

TEST_CASE("plumb: a closed pipe on standard output changes neither the exit status nor the table that is written") {
    const program::temporary_folder folder;
    for (const bool json : {false, true}) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        ::close(ends[0]);
        const auto answer =
            run(with(comparison, json ? words{"--json"} : words{"-o", folder.text()}), {{}, [&] {
                                                                                            std::signal(SIGPIPE, SIG_DFL);
                                                                                            ::dup2(ends[1], STDOUT_FILENO);
                                                                                        }});
        ::close(ends[1]);
        CHECK(answer.status == 1);
        CHECK(answer.err.empty());
    }
    CHECK(folder.files().size() == 1);
}

TEST_CASE("plumb: results that can't be written are an error, never a silent pass") {
    const int full = ::open("/dev/full", O_WRONLY);
    if (full < 0) return;
    for (const bool json : {false, true}) {
        const auto answer = run(with(comparison, json ? words{"--json"} : words{}), {{}, [&] { ::dup2(full, STDOUT_FILENO); }});
        CHECK(answer.status == 2);
        CHECK(contains(answer.err, "standard output: can't write"));
    }
    ::close(full);
}

TEST_CASE("plumb: help that can't be written is an error, too") {
    const int full = ::open("/dev/full", O_WRONLY);
    if (full < 0) return;
    for (const words& arguments : {words{"--help"}, words{"--version"}, words{"compare", "--help"}})
        CHECK(run(arguments, {{}, [&] { ::dup2(full, STDOUT_FILENO); }}).status == 2);
    ::close(full);
    CHECK(contains(run({"--help"}).out, "compare"));
}

TEST_CASE("plumb: a terminal gets colours and lines that fit; NO_COLOR and TERM=dumb turn colours off") {
    if (!has_terminals()) {
        WARN("no pseudo-terminal can be opened here: nothing was tested");
        return;
    }
    const std::string red = "\x1b[1;31m";
    const auto coloured = run_on_terminal(comparison, {{"TERM", "xterm"}, {"NO_COLOR", ""}});
    CHECK(coloured.status == 1);
    CHECK(contains(coloured.out, red));
    CHECK(!contains(run_on_terminal(comparison, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).out, "\x1b[3"));
    const std::string plain = run_on_terminal(comparison, {{"TERM", "dumb"}, {"NO_COLOR", ""}}).out;
    CHECK(!contains(plain, "\x1b"));
    std::size_t start = 0;
    for (std::size_t end; (end = plain.find("\r\n", start)) != std::string::npos; start = end + 2) {
        std::size_t columns = 0; // of UTF-8 with no wide characters: bytes that begin one
        for (std::size_t i = start; i < end; ++i) columns += (static_cast<unsigned char>(plain[i]) & 0xc0) != 0x80;
        INFO(plain.substr(start, end - start));
        CHECK(columns <= 100);
    }
    CHECK(start > 500);
}

TEST_CASE("plumb: names with control characters are shown escaped, other UTF-8 as it is") {
    const program::temporary_folder folder;
    const std::string source = (program::data / "cases/data/d04-odd-names").string();
    std::filesystem::copy(source + "/actual", folder / "actual");
    for (const char* changed : {"actual/0003.npy", "actual/0005.npy"}) // 6 elements of f32, too
        std::filesystem::copy_file(program::data / "cases/data/v05-f32-subnormals_actual.npy", folder / changed,
                                   std::filesystem::copy_options::overwrite_existing);
    const auto answer = run({"compare", (folder / "actual").string(), source + "/reference", "--rule", "bitwise"});
    CHECK(answer.status == 1);
    CHECK(contains(answer.out, "line\\nbreak.output.0"));
    CHECK(contains(answer.out, "层.归一化.output.0"));
}

TEST_CASE("plumb: a locale with a decimal comma changes no output") {
    const std::vector<words> calls{with(comparison, {"--json"}),
                                   comparison,
                                   {"metrics", (program::data / "cases/data/v01-f32-close_actual.npy").string(),
                                    (program::data / "cases/data/v01-f32-close_reference.npy").string(), "--rule",
                                    "allclose(rtol=1.5e-5, atol=0.5)"},
                                   {"stats", (program::data / "cases/data/v15-f64-huge_actual.npy").string()},
                                   {"parse", dump("overflow/ptdbg/npu"), "Functional_linear_1"}};
    for (const words& call : calls) {
        const auto plain = run(call, {{{"LC_ALL", "C"}}, {}});
        for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
            const auto other = run(call, {{{"LC_ALL", locale}, {"LANG", locale}}, {}});
            CHECK(other.out == plain.out);
            CHECK(other.status == plain.status);
        }
    }
}
