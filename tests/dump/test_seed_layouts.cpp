// Dumps that the seed tools wrote are read, recorded again by a dump_session, and what it writes is compared with theirs,
// field by field.

#include <plumb/dump/dump_session.hpp>

#include "catch.hpp"
#include "files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

const std::string data = std::string(PLUMB_TEST_DATA) + "/dumps/";

plumb::argument argument_of(const plumb::dump_entry& entry) {
    plumb::argument made;
    if (!entry.text.empty() && entry.text != "null") made = plumb::argument(entry.text.substr(1, entry.text.size() - 2));
    const bool scalar = entry.type_name.find("class") != std::string::npos || (entry.value && entry.file.empty());
    if (scalar) {
        const plumb::tensor value = plumb::load(entry);
        const void* at = value.view().data();
        if (value.type() == plumb::dtype::boolean) made = plumb::argument(*static_cast<const bool*>(at));
        if (value.type() == plumb::dtype::i64) made = plumb::argument(*static_cast<const std::int64_t*>(at));
        if (value.type() == plumb::dtype::f64) made = plumb::argument(*static_cast<const double*>(at));
    } else if (entry.type) {
        const plumb::tensor value = plumb::load(entry);
        made = plumb::argument(value.view());
        made.owned_by(std::make_shared<plumb::tensor>(value));
        if (entry.requires_grad) made.with_requires_grad(*entry.requires_grad);
    }
    return made;
}

/// Puts an argument at the place that its slot names.
void place(plumb::argument_vector& all, std::string slot, const plumb::argument& made) {
    if (slot.empty() || slot[0] < '0' || slot[0] > '9') {
        all.push_back(plumb::argument(made).named(slot));
        return;
    }
    const std::size_t dot = slot.find('.');
    const std::size_t position = std::stoul(slot.substr(0, dot));
    while (all.size() <= position) all.emplace_back(nullptr);
    if (dot == std::string::npos) {
        all[position] = made;
        return;
    }
    plumb::argument_vector inner;
    if (all[position].items()) inner = *all[position].items();
    place(inner, slot.substr(dot + 1), made);
    all[position] = plumb::argument(inner);
}

/// Records what `recorded` holds, but for operators with arguments that a C++ framework does not have.
void record_again(const plumb::rank_dump& recorded, plumb::dump_session& session) {
    for (std::size_t i = 0; i < recorded.entries.size();) {
        const std::string op = recorded.entries[i].op;
        plumb::argument_list inputs, outputs;
        const plumb::dump_entry& first = recorded.entries[i];
        for (; i < recorded.entries.size() && recorded.entries[i].op == op; ++i) {
            const plumb::dump_entry& entry = recorded.entries[i];
            auto& side = entry.kind == plumb::tensor_kind::output ? outputs : inputs;
            place(side.items, entry.slot, argument_of(entry));
            const std::string& name = entry.name;
            if (name.size() > 6 && name.substr(name.size() - 6) == "output") side.single = true;
        }
        // "Tensor___add___1_forward" and "Tensor.__add__.1.forward" alike
        std::string api = op.substr(0, op.size() - first.direction.size() - 1);
        api = api.substr(0, api.size() - std::to_string(first.call).size() - 1);
        const std::size_t cut = api.find_first_of("._");
        const auto pass = first.direction == "backward" ? plumb::direction::backward : plumb::direction::forward;
        auto call = session.begin(plumb::operator_id{api.substr(0, cut), api.substr(cut + 1), pass, first.call}, inputs);
        if (const auto stack = recorded.stacks.find(op); stack != recorded.stacks.end()) call.set_stack(stack->second);
        call.finish(outputs);
    }
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Equal, or as far apart as a sum in the tensor's own type lets them be. The tools' fp16 norm overflows: theirs may be infinite.
/// `scale` is the largest element: a mean of numbers that cancel is only as good as these.
bool close(double own, double theirs, double scale, double epsilon) {
    if (own == theirs || (std::isnan(own) && std::isnan(theirs)) || std::isinf(theirs)) return true;
    return std::fabs(own - theirs) <= epsilon * (std::fabs(theirs) + std::fabs(scale));
}

double number(const std::string& text) {
    return text == "NaN"         ? std::nan("")
           : text == "Infinity"  ? INFINITY
           : text == "-Infinity" ? -INFINITY
                                 : std::atof(text.c_str());
}

/// "a, b, c" between the last brackets of a line.
std::vector<std::string> numbers_of(const std::string& line) {
    const std::size_t begin = line.rfind(", [") + 3;
    std::vector<std::string> parts;
    std::istringstream stream(line.substr(begin, line.size() - begin - 2));
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part.substr(part.find_first_not_of(' ')));
    return parts;
}

} // namespace

TEST_CASE("ptdbg's layout: a recorded step, recorded again, gives its .pkl field by field and its .npy byte by byte") {
    const auto run = GENERATE(std::string("overflow/ptdbg/npu"), std::string("overflow/ptdbg/bench"),
                              std::string("attention/ptdbg/npu"), std::string("ranks/npu/rank0"));
    const auto recorded = plumb::read_dump(data + run).ranks.at(0);
    test::temporary_folder folder;
    plumb::dump_options options;
    options.rank = 0;
    plumb::dump_session session(folder / "run", options);
    session.start(plumb::dump_mode::api_stack);
    record_again(recorded, session);
    session.stop();

    const auto theirs = lines_of(test::bytes_of(recorded.index)), own = lines_of(test::bytes_of(session.index_file()));
    CHECK(session.index_file().filename() == recorded.index.filename());
    REQUIRE(own.size() == theirs.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
        INFO(theirs[i] << "\n" << own[i]);
        if (theirs[i].find("_stack_info") != std::string::npos) {
            CHECK(own[i] == theirs[i]);
            continue;
        }
        const std::size_t cut = own[i].rfind(", ["), their_cut = theirs[i].rfind(", [");
        CHECK(own[i].substr(0, cut) == theirs[i].substr(0, their_cut));
        const auto a = numbers_of(own[i]), b = numbers_of(theirs[i]);
        REQUIRE(a.size() == b.size());
        const double epsilon = theirs[i].find("float16") != std::string::npos ? 0x1p-9 : 0x1p-20;
        for (std::size_t k = 0; k < a.size(); ++k) {
            const bool exact = k < 2 || b[k] == "\"Nan\"";
            CHECK((exact ? a[k] == b[k] : close(number(a[k]), number(b[k]), number(b[0]), epsilon)));
        }
    }
    const auto again = plumb::read_dump(session.index_file()).ranks.at(0);
    REQUIRE(again.entries.size() == recorded.entries.size());
    for (std::size_t i = 0; i < again.entries.size(); ++i) {
        CHECK(again.entries[i].file.filename() == recorded.entries[i].file.filename());
        CHECK(test::bytes_of(again.entries[i].file) == test::bytes_of(recorded.entries[i].file));
    }
}

TEST_CASE("ptdbg's layout: a lone input is number 0 of a list, a lone result has no number") {
    const test::temporary_folder folder;
    const std::vector<float> x{1, 2};
    {
        plumb::dump_session session(folder / "dump");
        session.start(plumb::dump_mode::api_stack);
        session.forward("Torch", "mul", x, x);
    }
    const plumb::dump dump = plumb::read_dump(folder / "dump");
    REQUIRE(dump.ranks.at(0).entries.size() == 2);
    CHECK(dump.ranks[0].entries[0].name == "Torch_mul_0_forward_input.0");
    CHECK(dump.ranks[0].entries[1].name == "Torch_mul_0_forward_output");
}

TEST_CASE("msprobe's layout: a recorded step, recorded again, gives its dump.json line by line, its stacks and its tensors") {
    const auto run = GENERATE(std::string("overflow/msprobe_tensor/npu"), std::string("overflow/msprobe_tensor/bench"),
                              std::string("attention/msprobe_tensor/npu"));
    auto recorded = plumb::read_dump(data + run).ranks.at(0);
    // ones_like has an argument of Python's world, a torch.memory_format.
    const std::string left_out = "Torch.ones_like.0.forward";
    std::vector<plumb::dump_entry> kept;
    for (auto& entry : recorded.entries)
        if (entry.op != left_out) kept.push_back(entry);
    recorded.entries = kept;
    test::temporary_folder folder;
    plumb::dump_options options;
    options.layout = plumb::dump_layout::msprobe;
    plumb::dump_session session(folder / "run", options);
    session.start(plumb::dump_mode::api_stack);
    record_again(recorded, session);
    session.stop();

    auto theirs = lines_of(test::bytes_of(recorded.index));
    for (std::size_t i = 0; i < theirs.size(); ++i)
        if (theirs[i].find("\"" + left_out + "\"") != std::string::npos) {
            std::size_t end = i + 1;
            while (theirs[end].compare(0, 3, "  }") != 0) ++end;
            theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(i), theirs.begin() + static_cast<std::ptrdiff_t>(end + 1));
        }
    const auto own = lines_of(test::bytes_of(session.index_file()));
    // Nothing tells of an argument that was not given after the last one that was.
    std::vector<std::string> comparable;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const bool trailing = i + 1 < theirs.size() && theirs[i].find_first_not_of(' ') != std::string::npos &&
                              theirs[i].substr(theirs[i].find_first_not_of(' ')) == "null";
        if (trailing) {
            std::size_t k = comparable.size();
            while (k > 0 && comparable[k - 1].find("null,") != std::string::npos &&
                   comparable[k - 1].find(':') == std::string::npos)
                --k;
            comparable.resize(k);
            std::string& last = comparable.back();
            if (last.back() == ',') last.pop_back();
            continue;
        }
        comparable.push_back(theirs[i]);
    }
    const auto first_other =
        std::mismatch(own.begin(), own.end(), comparable.begin(), comparable.end(),
                      [](const auto& a, const auto& b) { return a.substr(0, a.find("\": ")) == b.substr(0, b.find("\": ")); });
    INFO("line " << first_other.first - own.begin() << "\n"
                 << (first_other.second == comparable.end() ? "the end" : *first_other.second) << "\n"
                 << (first_other.first == own.end() ? "the end" : *first_other.first));
    REQUIRE(own.size() == comparable.size());
    double epsilon = 0, largest = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        INFO("line " << i << "\n" << comparable[i] << "\n" << own[i]);
        if (own[i].find("\"dtype\"") != std::string::npos)
            epsilon = own[i].find("float16") != std::string::npos ? 0x1p-9 : 0x1p-20;
        const std::size_t colon = own[i].find("\": ");
        if (own[i].find("\"Max\"") != std::string::npos) largest = number(own[i].substr(colon + 3, own[i].size() - colon - 4));
        const bool rounded = own[i].find("\"Mean\"") != std::string::npos || own[i].find("\"Norm\"") != std::string::npos;
        if (own[i].find("dump_data_dir") != std::string::npos) continue;
        if (rounded && own[i].find("null") == std::string::npos) {
            CHECK(own[i].substr(0, colon) == comparable[i].substr(0, colon));
            const auto value = [&](const std::string& line) {
                return number(line.substr(colon + 3, line.size() - colon - 3 - (line.back() == ',')));
            };
            CHECK(close(value(own[i]), value(comparable[i]), largest, epsilon));
        } else {
            CHECK(own[i] == comparable[i]);
        }
    }

    auto again = plumb::read_dump(session.index_file()).ranks.at(0);
    for (auto* entries : {&again.entries, &recorded.entries})
        entries->erase(std::remove_if(entries->begin(), entries->end(), [](const auto& each) { return each.file.empty(); }),
                       entries->end());
    REQUIRE(again.entries.size() == recorded.entries.size());
    for (std::size_t i = 0; i < again.entries.size(); ++i) {
        CHECK(again.entries[i].file.filename() == recorded.entries[i].file.filename());
        CHECK(plumb::crc32_text(plumb::load(again.entries[i])) == plumb::crc32_text(plumb::load(recorded.entries[i])));
    }
    for (const auto& [op, their_frames] : recorded.stacks) {
        if (op == left_out) continue;
        INFO(op);
        REQUIRE(again.stacks.count(op) == 1);
        const auto& frames = again.stacks.at(op);
        REQUIRE(frames.size() == their_frames.size());
        for (std::size_t i = 0; i < frames.size(); ++i)
            CHECK((frames[i].file == their_frames[i].file && frames[i].code == their_frames[i].code));
    }
    const auto folder_of = recorded.index.parent_path();
    CHECK(test::bytes_of(session.folder() / "construct.json") == test::bytes_of(folder_of / "construct.json"));
    if (run.compare(0, 8, "overflow") == 0)
        CHECK(test::bytes_of(session.folder() / "stack.json") == test::bytes_of(folder_of / "stack.json"));
}

TEST_CASE("python numbers: as Python's repr writes them") {
    const auto text = [](double number) {
        std::string to;
        plumb::append_python(to, number);
        return to;
    };
    CHECK(text(7) == "7.0");
    CHECK(text(-0.0) == "-0.0");
    CHECK(text(0.1) == "0.1");
    CHECK(text(1e-5) == "1e-05");
    CHECK(text(0.0001) == "0.0001");
    CHECK(text(123456789012345.0) == "123456789012345.0");
    CHECK(text(1e16) == "1e+16");
    CHECK(text(1.5e300) == "1.5e+300");
    CHECK(text(3.156212568283081) == "3.156212568283081");
    CHECK(text(INFINITY) == "Infinity");
    CHECK(text(-INFINITY) == "-Infinity");
    CHECK(text(NAN) == "NaN");
}
