#include <plumb/dump/dump_session.hpp>

#include "catch.hpp"
#include "files.hpp"

#include <plumb/types/small_float.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using plumb::dump_layout;
using floats = std::vector<float>;

const floats x{1, 2, 3}, y{4, 5, 6};
constexpr float infinity = std::numeric_limits<float>::infinity();

plumb::dump_options options_for(dump_layout layout, std::uint64_t queue_bytes = 1 << 20) {
    plumb::dump_options options;
    options.layout = layout;
    options.rank = 0;
    options.queue_bytes = queue_bytes;
    options.step_folders = false;
    return options;
}

/// The elements of an entry as bytes.
std::string bytes_of_entry(const plumb::dump_entry& entry) {
    const plumb::tensor data = plumb::load(entry);
    std::string bytes;
    plumb::detail::for_each_packed(data.view(), [&](const char* piece, std::size_t size) { bytes.append(piece, size); });
    return bytes;
}

std::string bytes_of_view(const plumb::tensor_view& view) {
    std::string bytes;
    plumb::detail::for_each_packed(view, [&](const char* piece, std::size_t size) { bytes.append(piece, size); });
    return bytes;
}

std::vector<plumb::dump_entry> entries_of(const test::fs::path& folder) { return plumb::read_dump(folder).ranks.at(0).entries; }

std::vector<std::string> operators_of(const test::fs::path& folder) {
    std::vector<std::string> ops;
    for (const auto& entry : entries_of(folder))
        if (ops.empty() || ops.back() != entry.op) ops.push_back(entry.op);
    return ops;
}

} // namespace

TEST_CASE("dump_session: writes what read_dump reads, in every layout, with and without a thread of its own") {
    const auto layout = GENERATE(dump_layout::plumb, dump_layout::ptdbg, dump_layout::msprobe);
    const auto queue_bytes = GENERATE(std::uint64_t{0}, std::uint64_t{1 << 20});
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(layout, queue_bytes));
    session.start();
    session.forward("Torch", "linear", std::tie(x, y), y);
    session.backward("Torch", "linear", y, std::tie(x, x));
    session.stop();

    const auto entries = entries_of(folder / "run");
    REQUIRE(entries.size() == 6);
    const std::string op = layout == dump_layout::ptdbg ? "Torch_linear_0_forward" : "Torch.linear.0.forward";
    CHECK(entries[0].op == op);
    CHECK(entries[0].name == op + (layout == dump_layout::ptdbg ? "_input.0" : ".input.0"));
    CHECK(entries[2].name == op + (layout == dump_layout::ptdbg ? "_output" : ".output.0"));
    CHECK(entries[2].kind == plumb::tensor_kind::output);
    CHECK(entries[3].direction == "backward");
    CHECK(entries[5].slot == "1");
    CHECK(bytes_of_entry(entries[1]) == bytes_of_view(y));
    CHECK(bytes_of_entry(entries[4]) == bytes_of_view(x));

    // The layout's own index says the same.
    if (layout == dump_layout::plumb) return;
    const auto own = plumb::read_dump(session.index_file()).ranks.at(0);
    CHECK(own.layout == layout);
    REQUIRE(own.entries.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(own.entries[i].name == entries[i].name);
        CHECK(bytes_of_entry(own.entries[i]) == bytes_of_entry(entries[i]));
        CHECK(std::get<double>(own.entries[i].stats->max) == std::get<double>(entries[i].stats->max));
    }
}

TEST_CASE("dump_session: every element type and any strides arrive") {
    const auto layout = GENERATE(dump_layout::plumb, dump_layout::ptdbg, dump_layout::msprobe);
    test::temporary_folder folder;
    std::vector<std::uint64_t> memory(24);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = 0x3c01400142014401u + i * 0x0001000200010003u;
    plumb::dump_session session(folder / "run", options_for(layout));
    session.start();
    std::vector<plumb::tensor_view> views;
    for (std::size_t i = 0; i < plumb::dtype_count; ++i) {
        const auto type = static_cast<plumb::dtype>(i);
        if (type == plumb::dtype::boolean) continue;
        const auto size = static_cast<std::int64_t>(plumb::size_of(type));
        views.emplace_back(type, memory.data(), plumb::extents{2, 3});
        views.emplace_back(type, memory.data(), plumb::extents{3, 2}, plumb::extents{size, 4 * size});
    }
    const bool truth[] = {true, false, true};
    views.emplace_back(plumb::dtype::boolean, truth, plumb::extents{3});
    views.emplace_back(plumb::dtype::f32, nullptr, plumb::extents{0, 4});
    views.emplace_back(plumb::dtype::f64, memory.data(), plumb::extents{});
    for (const auto& view : views) session.forward("Torch", "op", view, std::tuple<>{});
    session.stop();

    const auto entries = entries_of(folder / "run");
    REQUIRE(entries.size() == views.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
        CHECK(entries[i].type == views[i].type());
        CHECK(*entries[i].shape == views[i].shape());
        const plumb::tensor read = plumb::load(entries[i]);
        if (read.type() == views[i].type()) {
            CHECK(bytes_of_entry(entries[i]) == bytes_of_view(views[i]));
        } else { // stored as f32, exactly
            CHECK(read.type() == plumb::dtype::f32);
            CHECK(bytes_of_entry(entries[i]) == bytes_of_view(plumb::detail::widened(views[i])));
        }
    }
}

TEST_CASE("dump_session: begin() records the inputs as they were before an operator that works in place") {
    const auto queue_bytes = GENERATE(std::uint64_t{0}, std::uint64_t{1 << 20});
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::ptdbg, queue_bytes));
    session.start();
    floats value = x;
    auto call = session.begin("Tensor", "mul_", plumb::direction::forward, std::tie(value));
    CHECK(static_cast<bool>(call));
    value = y;
    call.finish(std::tie(value));
    value.assign(3, 0.0f); // the session has its own copy
    session.stop();
    const auto entries = entries_of(folder / "run");
    REQUIRE(entries.size() == 2);
    CHECK(bytes_of_entry(entries[0]) == bytes_of_view(x));
    CHECK(bytes_of_entry(entries[1]) == bytes_of_view(y));
}

TEST_CASE("dump_session: scalars, keywords, nested lists and nothing have their places") {
    const auto layout = GENERATE(dump_layout::plumb, dump_layout::ptdbg, dump_layout::msprobe);
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(layout));
    session.start();
    session.forward("Torch", "op",
                    std::forward_as_tuple(x, nullptr, 2.5, true, std::forward_as_tuple(7, std::tie(y)), "mean",
                                          plumb::argument(-1).named("dim"), plumb::argument(infinity).named("infinite")),
                    std::tie(x));
    session.stop();
    std::map<std::string, plumb::dump_entry> inputs;
    for (const auto& entry : entries_of(session.index_file()))
        if (entry.kind == plumb::tensor_kind::input) inputs.emplace(entry.slot, entry);
    CHECK(inputs.count("1") == (layout == dump_layout::msprobe ? inputs.count("1") : 0u));
    const auto number = [&](const char* slot) {
        const plumb::tensor value = plumb::load(inputs.at(slot));
        return value.type() == plumb::dtype::f64   ? *static_cast<const double*>(value.view().data())
               : value.type() == plumb::dtype::i64 ? static_cast<double>(*static_cast<const std::int64_t*>(value.view().data()))
                                                   : static_cast<double>(*static_cast<const bool*>(value.view().data()));
    };
    CHECK(number("2") == 2.5);
    CHECK(number("3") == 1.0);
    CHECK(number("4.0") == 7.0);
    CHECK(bytes_of_entry(inputs.at("4.1.0")) == bytes_of_view(y));
    if (layout == dump_layout::plumb) {
        CHECK(inputs.at("5").text == "\"mean\"");
        CHECK(number("dim") == -1.0);
        CHECK(number("infinite") == infinity);
    }
}

TEST_CASE("dump_session: ptdbg_ascend's index leaves out keyword arguments, as the tool does; plumb's own has them") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::ptdbg));
    session.start();
    session.forward("Torch", "op", std::forward_as_tuple(x, plumb::argument(y).named("weight"), plumb::argument(-1).named("dim")),
                    std::tie(x));
    session.stop();
    const auto names = [](const std::vector<plumb::dump_entry>& entries) {
        std::vector<std::string> all;
        for (const auto& entry : entries) all.push_back(entry.name);
        return all;
    };
    CHECK(names(entries_of(session.index_file())) ==
          std::vector<std::string>{"Torch_op_0_forward_input.0", "Torch_op_0_forward_output.0"});
    CHECK(names(entries_of(folder / "run")) ==
          std::vector<std::string>{"Torch_op_0_forward_input.0", "Torch_op_0_forward_input.weight",
                                   "Torch_op_0_forward_input.dim", "Torch_op_0_forward_output.0"});
}

TEST_CASE("dump_session: an existing dump is never overwritten") {
    test::temporary_folder folder;
    {
        plumb::dump_session session(folder / "run", options_for(dump_layout::ptdbg));
        session.start();
        session.forward("Torch", "linear", x, y);
        session.stop();
    }
    const auto before = test::bytes_of(folder / "run/rank0/index.jsonl");
    plumb::dump_session session(folder / "run", options_for(dump_layout::ptdbg, 0));
    session.start();
    session.forward("Torch", "linear", y, x);
    std::string message;
    try {
        session.check();
    } catch (const plumb::io_error& error) {
        message = error.what();
    }
    CHECK(message.find("rank0: holds files already: a dump is never overwritten") != std::string::npos);
    CHECK(!session.enabled());
    CHECK(test::bytes_of(folder / "run/rank0/index.jsonl") == before);
}

TEST_CASE("dump_session: names that are no file names get numbers, the index has the real ones") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::plumb));
    session.start();
    const std::vector<std::string> names{"a/b", "../escape", std::string(300, 'n'), "line\nbreak", "=SUM(A1)", "\xff\xfe", "",
                                         "..",  "Torch.add"};
    for (const std::string& name : names) session.forward("", name, std::tuple<>{}, x);
    session.stop();
    const auto entries = entries_of(folder / "run");
    REQUIRE(entries.size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i != 5) CHECK(entries[i].op == names[i] + ".0.forward");
        CHECK(entries[i].file.parent_path() == folder / "run/rank0/dump");
        CHECK(bytes_of_entry(entries[i]) == bytes_of_view(x));
    }
    CHECK(entries[8].file.filename() == "Torch.add.0.forward.output.0.npy");
}

TEST_CASE("dump_session: names that look alike do not overwrite each other") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::ptdbg));
    session.start();
    session.forward("Torch", "a_b", std::tuple<>{}, x);
    session.forward("Torch_a", "b", std::tuple<>{}, y); // Torch_a_b_0_forward_output again
    session.stop();
    const auto entries = entries_of(folder / "run");
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].file != entries[1].file);
    CHECK(bytes_of_entry(entries[0]) == bytes_of_view(x));
    CHECK(bytes_of_entry(entries[1]) == bytes_of_view(y));
}

TEST_CASE("dump_session: while it is off nothing is touched") {
    test::temporary_folder folder;
    {
        plumb::dump_session session(folder / "run");
        session.forward("Torch", "linear", x, y);
        auto call = session.begin("Torch", "linear", plumb::direction::forward, x);
        CHECK(!call);
        call.finish(y);
        session.step();
        session.flush();
        session.stop();
    }
    CHECK(!test::fs::exists(folder / "run"));
}

TEST_CASE("dump_session: records what the recorder keeps") {
    test::temporary_folder folder;
    const std::vector<std::int64_t> indices{1, 2};
    auto options = options_for(dump_layout::ptdbg);
    SECTION("summary: statistics without data") {
        options.recorder.content = plumb::dump_content::summary;
        plumb::dump_session session(folder / "run", options);
        session.start();
        session.forward("Torch", "linear", x, floats{1, infinity});
        session.stop();
        const auto entries = entries_of(folder / "run");
        CHECK(entries[0].file.empty());
        CHECK(std::get<double>(entries[0].stats->mean) == 2.0);
        CHECK(std::get<double>(entries[1].stats->max) == infinity);
        CHECK(plumb::read_dump(session.index_file()).ranks[0].entries.size() == 2);
        CHECK(!test::fs::exists(folder / "run/rank0/dump"));
    }
    SECTION("checksum: nothing but the checksum") {
        options.recorder.content = plumb::dump_content::checksum;
        plumb::dump_session session(folder / "run", options);
        session.start();
        session.forward("Torch", "linear", x, y);
        session.stop();
        const auto dump = plumb::read_dump(folder / "run").ranks[0];
        CHECK(dump.task == "md5");
        CHECK(dump.entries[1].checksum == plumb::crc32_text(y));
        CHECK(!dump.entries[1].stats);
        CHECK(plumb::read_dump(session.index_file()).ranks[0].entries[0].checksum == plumb::crc32_text(x));
    }
    SECTION("outputs alone") {
        options.recorder.inputs = false;
        plumb::dump_session session(folder / "run", options);
        session.start();
        session.forward("Torch", "linear", x, y);
        session.stop();
        REQUIRE(entries_of(folder / "run").size() == 1);
        CHECK(entries_of(folder / "run")[0].kind == plumb::tensor_kind::output);
    }
    SECTION("filter: no scalars, integers, scalar tensors and empty ones") {
        options.recorder.filter = true;
        plumb::dump_session session(folder / "run", options);
        session.start();
        const plumb::tensor_view scalar(plumb::dtype::f32, x.data(), plumb::extents{});
        session.forward("Torch", "linear", std::forward_as_tuple(x, indices, 2.0, scalar, floats{}), y);
        session.stop();
        REQUIRE(entries_of(folder / "run").size() == 2);
        CHECK(entries_of(folder / "run")[0].slot == "0");
    }
    SECTION("sample: evenly spaced elements of the larger tensors, statistics of the whole") {
        options.recorder.sample = 4;
        plumb::dump_session session(folder / "run", options);
        session.start();
        floats ten(10);
        for (std::size_t i = 0; i < 10; ++i) ten[i] = static_cast<float>(i);
        session.forward("Torch", "linear", std::tie(ten, x), std::tuple<>{});
        session.stop();
        const auto entries = entries_of(folder / "run");
        CHECK(bytes_of_entry(entries[0]) == bytes_of_view(floats{0, 2, 5, 7})); // floor(i * 10 / 4)
        CHECK(std::get<double>(entries[0].stats->max) == 9.0);
        CHECK(bytes_of_entry(entries[1]) == bytes_of_view(x));
    }
}

TEST_CASE("dump_session: step folders hold a step each, and calls count from 0 in each") {
    test::temporary_folder folder;
    auto options = options_for(dump_layout::msprobe);
    options.step_folders = true;
    options.rank.reset();
    plumb::dump_session session(folder / "run", options);
    plumb::operator_selector selector;
    selector.every_n_steps = 2;
    session.start(selector);
    for (int step = 0; step < 5; ++step) {
        session.forward("Torch", "add", x, floats{static_cast<float>(step)});
        session.forward("Torch", "add", x, y);
        session.step();
    }
    session.stop();
    CHECK(!test::fs::exists(folder / "run/step1"));
    CHECK(!test::fs::exists(folder / "run/step3"));
    const auto dump = plumb::read_dump(folder / "run");
    REQUIRE(dump.ranks.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(dump.ranks[i].step == static_cast<int>(2 * i));
        REQUIRE(dump.ranks[i].entries.size() == 4);
        CHECK(dump.ranks[i].entries[1].op == "Torch.add.0.forward");
        CHECK(bytes_of_entry(dump.ranks[i].entries[1]) == bytes_of_view(floats{static_cast<float>(2 * i)}));
        CHECK(test::fs::exists(dump.ranks[i].index.parent_path() / "dump.json"));
    }
    CHECK(dump.ranks[0].index == folder / "run/step0/rank/index.jsonl");
}

TEST_CASE("dump_session: without step folders calls are counted on, so that no name comes twice") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::ptdbg));
    session.start();
    session.forward("Torch", "add", x, y);
    session.step();
    session.forward("Torch", "add", x, y);
    session.stop();
    const auto entries = plumb::read_dump(session.index_file()).ranks.at(0).entries;
    REQUIRE(entries.size() == 4);
    CHECK(entries[2].op == "Torch_add_1_forward");
}

TEST_CASE("dump_session: a rank that is not selected writes nothing") {
    test::temporary_folder folder;
    auto options = options_for(dump_layout::ptdbg);
    options.rank = 3;
    plumb::dump_session session(folder / "run", options);
    plumb::operator_selector selector;
    selector.ranks = {1, 2};
    session.start(selector);
    CHECK(!session.enabled());
    selector.ranks = {3};
    session.start(selector);
    session.forward("Torch", "add", x, y);
    session.stop();
    CHECK(plumb::read_dump(folder / "run").ranks.at(0).rank == 3);
}

TEST_CASE("dump_session: stops before the data exceed the byte budget, and says so") {
    test::temporary_folder folder;
    auto options = options_for(dump_layout::ptdbg);
    options.byte_budget = 3 * 12 + 5; // three tensors of three floats
    plumb::dump_session session(folder / "run", options);
    session.start();
    for (int i = 0; i < 5; ++i) session.forward("Torch", "add", std::tuple<>{}, x);
    CHECK(!session.enabled());
    session.stop();
    CHECK(entries_of(folder / "run").size() == 3);
    CHECK(session.status().bytes == 36);
    CHECK(session.status().calls == 3);
    CHECK(session.status().stopped_because == "the byte budget of 41 is used up");
}

TEST_CASE("dump_session: nested calls count as the selector says") {
    const auto which = GENERATE(plumb::nesting::outermost, plumb::nesting::leaves, plumb::nesting::every);
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::plumb));
    plumb::operator_selector selector;
    selector.nesting = which;
    session.start(selector);
    for (int i = 0; i < 2; ++i) {
        auto linear = session.begin("Aten", "linear", plumb::direction::forward, std::tie(x, y));
        auto t = session.begin("Aten", "t", plumb::direction::forward, std::tie(y));
        t.finish(std::tie(y));
        session.forward("Aten", "addmm", std::tie(x, y), x);
        linear.finish(std::tie(x));
    }
    session.forward("Aten", "relu", x, x);
    session.stop();
    using names = std::vector<std::string>;
    const auto dump = plumb::read_dump(folder / "run").ranks.at(0);
    const auto ops = operators_of(folder / "run");
    if (which == plumb::nesting::outermost)
        CHECK(ops == names{"Aten.linear.0.forward", "Aten.linear.1.forward", "Aten.relu.0.forward"});
    if (which == plumb::nesting::leaves)
        CHECK(ops == names{"Aten.t.0.forward", "Aten.addmm.0.forward", "Aten.t.1.forward", "Aten.addmm.1.forward",
                           "Aten.relu.0.forward"});
    if (which == plumb::nesting::every) {
        CHECK(ops == names{"Aten.t.0.forward", "Aten.addmm.0.forward", "Aten.linear.0.forward", "Aten.t.1.forward",
                           "Aten.addmm.1.forward", "Aten.linear.1.forward", "Aten.relu.0.forward"});
        CHECK(dump.parents.at("Aten.addmm.1.forward") == "Aten.linear.1.forward");
        CHECK(dump.parents.count("Aten.relu.0.forward") == 0);
    }
}

TEST_CASE("dump_session: a call may end on another thread, and one without results keeps its inputs") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::plumb));
    session.start();
    auto call = session.begin("Torch", "add", plumb::direction::backward, x);
    std::thread([&] { call.finish(y); }).join();
    { auto lost = session.begin("Torch", "mul", plumb::direction::forward, x); }
    session.forward("Torch", "sub", x, y); // is not nested in either
    session.stop();
    using names = std::vector<std::string>;
    CHECK(operators_of(folder / "run") == names{"Torch.add.0.backward", "Torch.mul.0.forward", "Torch.sub.0.forward"});
    CHECK(entries_of(folder / "run").size() == 5);
}

TEST_CASE("dump_session: a framework that knows it says which forward call a backward call belongs to") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::plumb));
    session.start();
    std::vector<plumb::operator_id> ids;
    for (int i = 0; i < 3; ++i) {
        auto call = session.begin("Torch", "add", plumb::direction::forward, x);
        ids.push_back(call.id().value());
        call.finish(y);
    }
    ids[0].pass = plumb::direction::backward;
    session.begin(ids[0], y).finish(x);
    session.backward("Torch", "add", y, x);
    session.stop();
    const auto ops = operators_of(folder / "run");
    CHECK(ops[3] == "Torch.add.0.backward");
    CHECK(ops[4] == "Torch.add.2.backward");
}

TEST_CASE("dump_session: parameters and their gradients are kinds of their own") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::msprobe));
    session.start(plumb::dump_mode::module);
    auto call = session.begin("Module", "fc.Linear", plumb::direction::forward, std::tie(x));
    call.add(plumb::tensor_kind::parameter, plumb::argument_vector{plumb::argument(y).named("weight")});
    call.finish(std::tie(y));
    auto back = session.begin("Module", "fc.Linear", plumb::direction::backward, std::tie(y));
    back.add(plumb::tensor_kind::parameters_grad, plumb::argument_vector{plumb::argument(x).named("weight")});
    back.finish(std::tie(x));
    session.stop();
    const auto own = plumb::read_dump(session.index_file()).ranks.at(0).entries;
    std::vector<std::string> names;
    for (const auto& each : own) names.push_back(each.op + " " + each.slot);
    CHECK(names == std::vector<std::string>{"Module.fc.Linear.forward.0 0", "Module.fc.Linear.forward.0 weight",
                                            "Module.fc.Linear.forward.0 0", "Module.fc.Linear.backward.0 0",
                                            "Module.fc.Linear.backward.0 0", "Module.fc.Linear.parameters_grad.0 weight.0"});
}

TEST_CASE("dump_session: tells when it is switched, at once and at every change") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::plumb));
    std::vector<bool> states;
    session.on_switch([&](bool on) { states.push_back(on); });
    session.start();
    session.start();
    session.set_enabled(false);
    session.forward("Torch", "add", x, y);
    session.set_enabled(true);
    session.stop();
    CHECK(states == std::vector<bool>{false, true, false, true, false});
    CHECK(session.status().calls == 0);
}

TEST_CASE("dump_session: keeps an error for the next step()") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::plumb));
    session.start();
    session.keep(std::make_exception_ptr(std::runtime_error("first")));
    session.keep(std::make_exception_ptr(std::logic_error("second")));
    session.forward("Torch", "add", x, y); // hooks do not throw it
    CHECK_THROWS_AS(session.step(), std::runtime_error);
    session.step();
    session.stop();
}

TEST_CASE("dump_session: many threads record while another flips the switch") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::ptdbg, 1 << 14));
    session.start();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const floats mine(64, static_cast<float>(t));
            for (int i = 0; i < 50; ++i) {
                auto call = session.begin("Torch", "op" + std::to_string(t), plumb::direction::forward, mine);
                session.forward("Torch", "inner", mine, mine);
                call.finish(mine);
            }
        });
    for (int i = 0; i < 200; ++i) session.set_enabled(i % 2 == 0);
    session.set_enabled(true);
    for (auto& each : threads) each.join();
    session.forward("Torch", "last", x, y);
    session.stop();
    std::map<std::string, std::size_t> tensors;
    for (const auto& entry : entries_of(folder / "run")) {
        ++tensors[entry.op];
        if (entry.op.compare(0, 8, "Torch_op") != 0) continue;
        const floats expected(64, static_cast<float>(entry.op[8] - '0'));
        CHECK(bytes_of_entry(entry) == bytes_of_view(expected));
    }
    CHECK(tensors.count("Torch_last_0_forward") == 1);
    for (const auto& [op, count] : tensors) CHECK(count == 2); // whole calls, each once
}

TEST_CASE("dump_session: an owned tensor is not copied") {
    test::temporary_folder folder;
    plumb::dump_session session(folder / "run", options_for(dump_layout::plumb));
    session.start();
    const auto owned = std::make_shared<const floats>(y);
    std::weak_ptr<const floats> alive = owned;
    {
        plumb::argument argument(*owned);
        argument.owned_by(owned);
        session.forward("Torch", "add", plumb::argument_vector{argument}, x);
    }
    CHECK(owned.use_count() <= 2); // here, and in the queue unless it is written already
    session.stop();
    CHECK(owned.use_count() == 1);
    CHECK(bytes_of_entry(entries_of(folder / "run")[0]) == bytes_of_view(y));
}
