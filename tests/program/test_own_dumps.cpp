// What a dump_session writes, in each of its layouts, read by the program.

#include "program.hpp"

#include <plumb/dump/dump_session.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

using plumb::dump_layout;
using program::contains;
using program::object_in;
using program::run;
using program::text_of;

namespace {

namespace fs = std::filesystem;
using halves = std::vector<plumb::float16>;

struct folder {
    fs::path path;
    folder() {
        static int serial = 0;
        path = fs::temp_directory_path() / ("plumb-own-dumps-" + std::to_string(::getpid()) + "-" + std::to_string(serial++));
    }
    ~folder() { fs::remove_all(path); }
    std::string operator/(const char* name) const { return (path / name).string(); }
};

/// "Torch.mul.0.forward", as the layout spells it.
std::string spelt(dump_layout layout, std::string name) {
    if (layout == dump_layout::ptdbg) std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

/// x * w, + b, and the mean with a keyword: three calls. `fault` is added to one product, `scale` multiplies w.
void record(const std::string& where, dump_layout layout, float fault, float scale) {
    plumb::dump_options options;
    options.rank = 0;
    options.layout = layout;
    options.recorder.checksums = true;
    plumb::dump_session session(where, options);
    session.start(plumb::dump_mode::api_stack);
    const std::vector<float> x{1, 2, 3, 4}, w{0.5f, 0.25f, -1, 100};
    halves y;
    for (std::size_t i = 0; i < 4; ++i) y.emplace_back(x[i] * w[i] * scale + (i == 2 ? fault : 0.0f));
    auto call = session.begin("Torch", "mul", plumb::direction::forward, std::tie(x, w));
    call.set_stack({{"train.py", "12", "step", "y = x * w"}});
    call.finish(y);
    halves z;
    for (const plumb::float16 each : y) z.emplace_back(static_cast<float>(each) + 1.0f);
    session.forward("Tensor", "__add__", std::make_tuple(y, 1.0), z);
    const plumb::float16 mean((static_cast<float>(z[0]) + static_cast<float>(z[1])) / 2);
    session.forward("Torch", "mean", std::make_tuple(z, plumb::argument(true).named("keepdim")),
                    plumb::tensor_view(plumb::dtype::f16, &mean, {}));
    session.stop();
}

const auto layouts = {dump_layout::plumb, dump_layout::ptdbg, dump_layout::msprobe};

} // namespace

TEST_CASE("plumb compare: reads the dumps of a session in each layout, and names the operator that differs") {
    for (const dump_layout layout : layouts) {
        INFO(static_cast<int>(layout));
        folder here;
        record(here / "reference", layout, 0, 1);
        record(here / "same", layout, 0, 1);
        record(here / "faulty", layout, 0.5f, 1);

        const auto same = run({"compare", here / "same", here / "reference", "--json"});
        CHECK(same.status == 0);
        CHECK(same.err.empty());
        const auto equal = object_in(same);
        CHECK(equal["first_diverging"].IsNull());
        CHECK(equal["summary"]["unmatched"].GetInt() == 0);
        CHECK(equal["summary"]["errors"].GetInt() == 0);
        for (const auto& row : equal["rows"].GetArray()) {
            CHECK(text_of(row["verdict"]) == "pass");
            CHECK(row["checksum"]["actual"] == row["checksum"]["reference"]);
        }

        const auto found = object_in(run({"compare", here / "faulty", here / "reference", "--json"}));
        CHECK(text_of(found["first_diverging"]["operator"]) == spelt(layout, "Torch.mul.0.forward"));
        CHECK(text_of(found["first_diverging"]["kind"]) == "output");
        REQUIRE(found["sources"].Size() == 1);
        const auto& rows = found["rows"];
        const auto row = std::find_if(rows.Begin(), rows.End(), [](const auto& each) {
            return contains(text_of(each["reference_name"]), "mul") && text_of(each["kind"]) == "output";
        });
        REQUIRE(row != rows.End());
        CHECK((*row)["max_abs_err"].GetDouble() == 0.5);
        CHECK((*row)["max_abs_err_index"].GetInt() == 2);
        CHECK(text_of((*row)["actual_dtype"]) == "f16");
        CHECK((*row)["stats"]["reference"]["max"].GetDouble() == 400.0);
        CHECK((*row)["stats"]["reference"]["min"].GetDouble() == -3.0);
    }
}

TEST_CASE("plumb compare: the indexes of the seed tools' layouts say what index.jsonl says") {
    for (const auto& [layout, index] :
         {std::pair(dump_layout::ptdbg, "rank0/api_stack_dump.pkl"), std::pair(dump_layout::msprobe, "step0/rank0/dump.json")}) {
        INFO(index);
        folder here;
        record(here / "run", layout, 0, 1);
        const auto answer = run({"compare", here / "run", (here.path / "run" / index).string(), "--json"});
        const auto found = object_in(answer);
        CHECK(found["first_diverging"].IsNull());
        CHECK(found["summary"]["fail"].GetInt() == 0);
        CHECK(found["summary"]["errors"].GetInt() == 0);
        // ptdbg_ascend has no names for keyword arguments
        REQUIRE(found["unmatched"]["actual"].Size() == (layout == dump_layout::ptdbg ? 1u : 0u));
        if (layout == dump_layout::ptdbg) CHECK(text_of(found["unmatched"]["actual"][0]) == "Torch_mean_0_forward_input.keepdim");
        CHECK(found["unmatched"]["reference"].Size() == 0);
    }
}

TEST_CASE("plumb parse: prints the statistics and the stack of a session's dump, from each index") {
    for (const dump_layout layout : layouts) {
        INFO(static_cast<int>(layout));
        folder here;
        record(here / "run", layout, 0, 1);
        const auto answer = run({"parse", here / "run", spelt(layout, "Torch.mul.0")});
        CHECK(answer.status == 0);
        CHECK(answer.err.empty());
        CHECK(contains(answer.out, "[shape: [4]][max: 4.0][min: 1.0][mean: 2.5]\n"));
        CHECK(contains(answer.out, "[shape: [4]][max: 400.0][min: -3.0][mean: 99.5]\n"));
        CHECK(contains(answer.out, "  File \"train.py\", line 12, in step\n    y = x * w\n"));
    }
    folder here;
    record(here / "run", dump_layout::ptdbg, 0, 1);
    const auto answer = run({"parse", here / "run/rank0/api_stack_dump.pkl", "Torch_mul_0"});
    CHECK(answer.out ==
          "\nStatistic Info:\n"
          "  [Torch_mul_0_forward_input.0][dtype: torch.float32][shape: [4]][max: 4.0][min: 1.0][mean: 2.5]\n"
          "  [Torch_mul_0_forward_input.1][dtype: torch.float32][shape: [4]][max: 100.0][min: -1.0][mean: 24.9375]\n"
          "  [Torch_mul_0_forward_output][dtype: torch.float16][shape: [4]][max: 400.0][min: -3.0][mean: 99.5]\n"
          "\nTrace back(Torch_mul_0_forward_stack_info):\n"
          "  File \"train.py\", line 12, in step\n"
          "    y = x * w\n");
}

TEST_CASE("plumb overflow: finds the source in a session's dump in each layout, and who inherits it") {
    for (const dump_layout layout : layouts) {
        INFO(static_cast<int>(layout));
        folder here;
        record(here / "good", layout, 0, 1);
        CHECK(run({"overflow", here / "good"}).status == 0);
        record(here / "run", layout, 0, 200); // 80000 is beyond fp16
        const auto answer = run({"overflow", here / "run", "--json"});
        CHECK(answer.status == 1);
        const auto found = object_in(answer);
        CHECK(text_of(found["source"]["operator"]) == spelt(layout, "Torch.mul.0.forward"));
        CHECK(text_of(found["source"]["kind"]) == "output");
        CHECK(found["source"]["index"].GetInt() == 3);
        REQUIRE(found["inherited"].Size() == 1);
        CHECK(text_of(found["inherited"][0]) == spelt(layout, "Tensor.__add__.0.forward"));
    }
}
