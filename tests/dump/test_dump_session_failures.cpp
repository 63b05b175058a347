#include <plumb/dump/dump_session.hpp>

#include "catch.hpp"
#include "files.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#if defined(__linux__)
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using floats = std::vector<float>;
constexpr float infinity = std::numeric_limits<float>::infinity();

plumb::dump_options small_options(plumb::dump_layout layout = plumb::dump_layout::ptdbg) {
    plumb::dump_options options;
    options.layout = layout;
    options.queue_bytes = 1 << 16;
    return options;
}

std::vector<std::string> operators_of(const test::fs::path& folder) {
    std::vector<std::string> ops;
    for (const auto& rank : plumb::read_dump(folder).ranks)
        for (const auto& entry : rank.entries)
            if (ops.empty() || ops.back() != entry.op) ops.push_back(entry.op);
    return ops;
}

std::string error_of_check(plumb::dump_session& session) {
    try {
        session.check();
    } catch (const plumb::io_error& error) {
        return error.what();
    }
    return {};
}

/// The tensor that call number `call` of the dying process records as its input number `slot`.
floats expected_tensor(std::uint64_t call, int slot) {
    floats values(64 + call % 7 * 100);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>((call * 31 + static_cast<std::uint64_t>(slot) * 17 + i) % 4096);
    return values;
}

[[maybe_unused]] void dump_for_ever(const test::fs::path& folder, plumb::dump_layout layout, std::uint64_t queue_bytes,
                                    plumb::dump_mode mode) {
    plumb::dump_options options;
    options.layout = layout;
    options.queue_bytes = queue_bytes;
    plumb::dump_session session(folder, options);
    session.start(mode);
    for (std::uint64_t call = 0;; ++call) {
        const floats a = expected_tensor(call, 0), b = expected_tensor(call, 1), out = expected_tensor(call, 2);
        session.forward("Torch", "op", std::tie(a, b), std::tie(out));
        if (call % 4 == 3) session.flush(); // the layout's index is replaced while we die, too
    }
}

/// Whether every tensor in the index opens and is what was recorded, in order, without a gap. Returns how many there are.
std::size_t check_survivor(const test::fs::path& folder) {
    const auto read = plumb::read_dump(folder);
    std::size_t number = 0;
    for (const auto& entry : read.ranks.at(0).entries) {
        const std::uint64_t call = number / 3;
        const int slot = static_cast<int>(number % 3);
        REQUIRE(entry.call == call);
        REQUIRE(entry.kind == (slot == 2 ? plumb::tensor_kind::output : plumb::tensor_kind::input));
        const plumb::tensor data = plumb::load(entry);
        const floats expected = expected_tensor(call, slot);
        REQUIRE(data.view().count() == expected.size());
        REQUIRE(std::memcmp(data.view().data(), expected.data(), expected.size() * sizeof(float)) == 0);
        ++number;
    }
    return number;
}

} // namespace

#if defined(__linux__)
TEST_CASE("dump_session: killed at 200 random moments, each dump left behind opens and holds what was recorded") {
    test::temporary_folder folder;
    std::mt19937 random(20261201);
    std::size_t with_data = 0, finished_indexes = 0;
    for (int i = 0; i < 200; ++i) {
        const auto run = folder / std::to_string(i);
        const auto layout = i % 2 == 0 ? plumb::dump_layout::ptdbg : plumb::dump_layout::msprobe;
        const std::uint64_t queue_bytes = i % 4 < 2 ? 1 << 14 : 0;
        // Resolving stacks takes long beside all else: one run in eight does it.
        const auto mode = i % 8 == 7 ? plumb::dump_mode::api_stack : plumb::dump_mode::all;
        const auto rank = layout == plumb::dump_layout::ptdbg ? run / "rank0" : run / "step0" / "rank";
        const ::pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            try {
                dump_for_ever(run, layout, queue_bytes, mode);
            } catch (...) {
            }
            ::_exit(1);
        }
        // One in eight dies at any moment from the start on, the others once they have written.
        std::error_code absent;
        const auto written = [&] { return test::fs::file_size(rank / "index.jsonl", absent) > 0 && !absent; };
        for (int wait = 0; i % 8 != 3 && wait < 5000 && !written(); ++wait) ::usleep(1000);
        ::usleep(static_cast<unsigned>(random() % 20000));
        ::kill(child, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status)); // it did not end by an error
        if (!test::fs::exists(rank / "index.jsonl")) continue;
        const std::size_t tensors = check_survivor(run);
        with_data += tensors > 0;
        // The layout's own index, made at some flush, is whole or not there; so are all files but temporary ones.
        const auto own = rank / (layout == plumb::dump_layout::msprobe ? "dump.json"
                                 : mode == plumb::dump_mode::api_stack ? "api_stack_dump.pkl"
                                                                       : "dump.pkl");
        if (test::fs::exists(own)) {
            ++finished_indexes;
            const auto read = plumb::read_dump(own).ranks.at(0);
            CHECK(read.entries.size() <= tensors);
            for (const auto& entry : read.entries) CHECK_NOTHROW(plumb::load(entry));
        }
        // What the journal holds can be made into the layout's index afterwards.
        if (i % 15 == 0 && tensors > 0) {
            if (layout == plumb::dump_layout::ptdbg)
                plumb::write_ptdbg_index(rank);
            else
                plumb::write_msprobe_index(rank);
            CHECK(plumb::read_dump(own).ranks.at(0).entries.size() == tensors);
        }
        test::fs::remove_all(run);
    }
    CHECK(with_data > 100);
    CHECK(finished_indexes > 0);
}

TEST_CASE("dump_session: a full disk is an error at the next call, and what was written stays readable") {
    const auto policy = GENERATE(plumb::on_dump_error::raise, plumb::on_dump_error::stop);
    const auto layout = GENERATE(plumb::dump_layout::ptdbg, plumb::dump_layout::msprobe);
    test::temporary_folder folder;
    const auto disk = folder / "disk";
    test::fs::create_directories(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
        WARN("skipped: mounting a small tmpfs needs root");
        return;
    }
    {
        auto options = small_options(layout);
        options.on_error = policy;
        plumb::dump_session session(disk / "run", options);
        session.start();
        std::string message;
        int calls = 0;
        try {
            for (; calls < 1000 && session.enabled(); ++calls) {
                const floats a = expected_tensor(static_cast<std::uint64_t>(calls), 0),
                             b = expected_tensor(static_cast<std::uint64_t>(calls), 1),
                             out = expected_tensor(static_cast<std::uint64_t>(calls), 2);
                session.forward("Torch", "op", std::tie(a, b), std::tie(out));
                session.step();
                if (layout == plumb::dump_layout::msprobe) break; // a folder for each step: see below
            }
            for (std::uint64_t call = 1; layout == plumb::dump_layout::msprobe && call < 1000 && session.enabled(); ++call) {
                const floats a(4000, 1.0f);
                session.forward("Torch", "op", std::tie(a), std::tie(a));
            }
        } catch (const plumb::io_error& error) {
            message = error.what();
        }
        if (policy == plumb::on_dump_error::raise) {
            if (message.empty()) message = error_of_check(session);
        } else {
            CHECK(message.empty());
            session.check();
            message = session.status().stopped_because;
        }
        CHECK(message.find("No space left on device") != std::string::npos);
        CHECK(message.find(disk.string()) == 0);
        CHECK(!session.enabled());
        session.forward("Torch", "op", std::tuple<>{}, floats{1}); // training goes on
        if (layout == plumb::dump_layout::ptdbg)
            CHECK(check_survivor(disk / "run") > 0);
        else
            for (const auto& rank : plumb::read_dump(disk / "run").ranks)
                for (const auto& entry : rank.entries) CHECK_NOTHROW(plumb::load(entry));
        // Nothing half-valid: each file in the folder is whole.
        for (const auto& each : test::fs::recursive_directory_iterator(disk))
            if (each.path().extension() == ".npy") CHECK_NOTHROW(plumb::read_npy(each.path()));
    }
    ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_CASE("dump_session: a folder that can't be written to is an error with its name, or dumping stops") {
    const auto policy = GENERATE(plumb::on_dump_error::raise, plumb::on_dump_error::stop);
    test::temporary_folder folder;
    const auto locked = folder / "locked";
    test::fs::create_directories(locked);
    ::chmod(locked.c_str(), 0555);
    // root may write anywhere: another user tries in a child process, whose status is the answer.
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(3);
        int answer = 1;
        try {
            auto options = small_options();
            options.on_error = policy;
            plumb::dump_session session(locked / "run", options);
            session.start();
            session.forward("Torch", "op", std::tuple<>{}, floats{1});
            std::string message;
            try {
                session.flush();
                message = session.status().stopped_because;
                answer = policy == plumb::on_dump_error::stop ? 0 : 1;
            } catch (const plumb::io_error& error) {
                message = error.what();
                answer = policy == plumb::on_dump_error::raise ? 0 : 1;
            }
            if (message.find("locked/run") == std::string::npos || message.find("ermission denied") == std::string::npos)
                answer = 2;
            if (session.enabled()) answer = 4;
        } catch (...) {
            answer = 5;
        }
        ::_exit(answer);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    ::chmod(locked.c_str(), 0755);
}

TEST_CASE("dump_session: a forked child that goes on with its parent's session gets an error, and writes nothing") {
    const std::uint64_t queue_bytes = GENERATE(std::uint64_t{0}, std::uint64_t{1} << 16);
    test::temporary_folder folder;
    auto options = small_options();
    options.queue_bytes = queue_bytes;
    plumb::dump_session session(folder / "run", options);
    session.start();
    session.forward("Torch", "op", std::tuple<>{}, floats{1});
    session.flush();
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::alarm(30); // instead of waiting for ever
        int answer = 1;
        try {
            session.forward("Torch", "op", std::tuple<>{}, floats{2});
            session.flush();
        } catch (const std::runtime_error& error) {
            answer = std::string(error.what()).find("after fork()") != std::string::npos ? 0 : 2;
        }
        if (session.enabled()) answer = 3;
        session.~dump_session();
        ::_exit(answer);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    session.forward("Torch", "op", std::tuple<>{}, floats{3});
    session.stop();
    CHECK(operators_of(folder / "run") == std::vector<std::string>{"Torch_op_0_forward", "Torch_op_1_forward"});
}

TEST_CASE("dump_session: a session that has written nothing may go on in a forked child") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", small_options());
    session.start();
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::alarm(30);
        int answer = 0;
        try {
            session.forward("Torch", "op", std::tuple<>{}, floats{2});
            session.stop();
        } catch (...) {
            answer = 1;
        }
        ::_exit(answer);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(operators_of(folder / "run") == std::vector<std::string>{"Torch_op_0_forward"});
}
#endif

TEST_CASE("dump_session: the layout of a folder without index is refused, for it can only be read") {
    test::temporary_folder folder;
    CHECK_THROWS_AS(plumb::dump_session(folder / "run", small_options(plumb::dump_layout::folder)), std::invalid_argument);
    CHECK(!test::fs::exists(folder / "run"));
}

TEST_CASE("dump_session: of two sessions on one folder the second gets an error, and the first goes on") {
    test::temporary_folder folder;
    plumb::dump_session first(folder / "run", small_options()), second(folder / "run", small_options());
    first.start();
    second.start();
    first.forward("Torch", "op", std::tuple<>{}, floats{1});
    first.flush();
    second.forward("Torch", "other", std::tuple<>{}, floats{2});
    CHECK_THROWS_AS(second.flush(), plumb::io_error);
    first.forward("Torch", "op", std::tuple<>{}, floats{3});
    first.stop();
    CHECK(operators_of(folder / "run") == std::vector<std::string>{"Torch_op_0_forward", "Torch_op_1_forward"});
}

TEST_CASE("dump_session: a path below a file is an error at the next call, thrown once") {
    test::temporary_folder folder;
    test::write_bytes(folder / "file", "x");
    auto options = small_options();
    options.queue_bytes = 0;
    plumb::dump_session session(folder / "file/run", options);
    session.start();
    session.forward("Torch", "op", std::tuple<>{}, floats{1});
    CHECK(error_of_check(session).find("file/run") != std::string::npos);
    CHECK(error_of_check(session).empty());
    CHECK(!session.enabled());
    session.stop();
}

TEST_CASE("dump_session: keep_last writes nothing until a failure, then the last calls and those to follow") {
    test::temporary_folder folder;
    auto options = small_options();
    options.keep_last = 3;
    options.keep_following = 1;
    plumb::dump_session session(folder / "run", options);
    session.start();
    for (int i = 0; i < 10; ++i) session.forward("Torch", "op", std::tuple<>{}, floats{static_cast<float>(i)});
    session.flush();
    CHECK(!test::fs::exists(folder / "run"));
    session.write_recent();
    for (int i = 10; i < 13; ++i) session.forward("Torch", "op", std::tuple<>{}, floats{static_cast<float>(i)});
    session.stop();
    CHECK(operators_of(folder / "run") ==
          std::vector<std::string>{"Torch_op_7_forward", "Torch_op_8_forward", "Torch_op_9_forward", "Torch_op_10_forward"});
}

TEST_CASE("dump_session: with keep_last, a call that an exception leaves is the failure") {
    test::temporary_folder folder;
    auto options = small_options();
    options.keep_last = 2;
    plumb::dump_session session(folder / "run", options);
    session.start();
    for (int i = 0; i < 5; ++i) session.forward("Torch", "op", std::tuple<>{}, floats{1});
    CHECK_THROWS_AS(
        [&] {
            const auto call = session.begin("Torch", "bad", plumb::direction::forward, floats{7});
            throw std::runtime_error("kernel failed");
        }(),
        std::runtime_error);
    session.stop();
    CHECK(operators_of(folder / "run") == std::vector<std::string>{"Torch_op_4_forward", "Torch_bad_0_forward"});
}

TEST_CASE("dump_session: a watching guard sees all calls, has the overflow dumped, and stops with the file's name") {
    const auto layout = GENERATE(plumb::dump_layout::plumb, plumb::dump_layout::ptdbg, plumb::dump_layout::msprobe);
    test::temporary_folder folder;
    auto options = small_options(layout);
    options.keep_last = 2;
    plumb::dump_session session(folder / "run", options);
    plumb::overflow_guard guard(2);
    session.watch(&guard);
    session.start();
    const floats fine{1, 2}, bad{1, infinity};
    for (int i = 0; i < 5; ++i) session.forward("Torch", "add", fine, fine);
    session.forward("Torch", "mul", fine, bad);
    session.forward("Torch", "add", fine, fine);
    std::string message;
    try {
        auto call = session.begin("Torch", "sub", plumb::direction::forward, std::tie(bad));
        call.finish(bad);
    } catch (const plumb::overflow_limit& limit) {
        message = limit.what();
    }
    const std::string file = session.index_file().string();
    CHECK(message.find("[overflow 2 times]: dump file is saved in '" + file + "'.") == 0);
    CHECK(message.find("First source: overflow in Torch.mul.0.forward") != std::string::npos);
    CHECK(test::fs::exists(file));
    std::vector<std::string> expected{"Torch.add.4.forward", "Torch.mul.0.forward", "Torch.add.5.forward", "Torch.sub.0.forward"};
    if (layout == plumb::dump_layout::ptdbg)
        for (std::string& each : expected) std::replace(each.begin(), each.end(), '.', '_');
    CHECK(operators_of(folder / "run") == expected);
    CHECK(test::bytes_of(session.folder() / "index.jsonl").find("\"overflow\": 2") != std::string::npos);
}

TEST_CASE("dump_session: a guard alone watches without a dump; both go off with one switch") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", small_options());
    plumb::overflow_guard guard(1);
    CHECK(!session.enabled());
    session.watch(&guard);
    CHECK(session.enabled());
    session.set_enabled(false);
    session.forward("Torch", "mul", floats{1}, floats{infinity});
    session.set_enabled(true);
    guard.enable(false);
    session.forward("Torch", "mul", floats{1}, floats{infinity});
    guard.enable(true);
    CHECK_THROWS_AS(session.forward("Torch", "mul", floats{1}, floats{infinity}), plumb::overflow_limit);
    session.watch(nullptr);
    CHECK(!session.enabled());
    CHECK(!test::fs::exists(folder / "run"));
}

TEST_CASE("append_file: creates once, goes on when reopened, and appends whole lines") {
    test::temporary_folder folder;
    const auto path = folder / "index.jsonl";
    {
        plumb::append_file file(path, plumb::append_file::opening::create);
        file.append("a\n");
        file.append("b\n");
    }
    CHECK_THROWS_AS(plumb::append_file(path, plumb::append_file::opening::create), plumb::io_error);
    plumb::append_file(path, plumb::append_file::opening::reopen).append("c\n");
    CHECK(test::bytes_of(path) == "a\nb\nc\n");
}

TEST_CASE("the readers take an index with a torn last line") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", small_options());
    session.start();
    for (std::uint64_t call = 0; call < 3; ++call) {
        const floats a = expected_tensor(call, 0), b = expected_tensor(call, 1), out = expected_tensor(call, 2);
        session.forward("Torch", "op", std::tie(a, b), std::tie(out));
    }
    session.stop();
    const auto index = folder / "run/rank0/index.jsonl";
    const std::string whole = test::bytes_of(index);
    for (std::size_t cut = whole.rfind('\n', whole.size() - 2) + 1; cut < whole.size(); ++cut) {
        test::write_bytes(index, whole.substr(0, cut));
        const std::size_t tensors = check_survivor(folder / "run");
        CHECK(tensors == (cut + 1 == whole.size() ? 9u : 8u));
        if (cut % 50 == 0) CHECK_NOTHROW(plumb::write_ptdbg_index(folder / "run/rank0"));
    }
}
