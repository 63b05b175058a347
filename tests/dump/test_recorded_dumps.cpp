// The recorded training steps of tests/data/dumps, field by field against another parser, and their data against the index.
#include "catch.hpp"
#include "files.hpp"

#include <plumb/dump/load.hpp>
#include <plumb/dump/read_dump.hpp>

#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace {

using rapidjson::Value;

std::vector<test::fs::path> indexes(const char* name) {
    std::vector<test::fs::path> found;
    for (const auto& each : test::fs::recursive_directory_iterator(test::data_folder / "dumps"))
        if (each.path().filename() == name) found.push_back(each.path());
    std::sort(found.begin(), found.end());
    return found;
}

/// A number, bool or word as text, so that NaN equals NaN.
std::string text(const Value& value) {
    if (value.IsNull() || value.IsArray()) return "-";
    if (value.IsBool()) return value.GetBool() ? "true" : "false";
    if (value.IsString()) return value.GetString();
    return plumb::to_json(value.GetDouble());
}
std::string text(const plumb::recorded_number& number) {
    if (const bool* flag = std::get_if<bool>(&number)) return *flag ? "true" : "false";
    if (const double* value = std::get_if<double>(&number)) return plumb::to_json(*value);
    if (const std::string* word = std::get_if<std::string>(&number)) return *word;
    return "-";
}
std::string text(const plumb::tensor& scalar) {
    if (scalar.type() == plumb::dtype::boolean) return test::packed(scalar)[0] != 0 ? "true" : "false";
    if (scalar.type() == plumb::dtype::i64) return plumb::to_json(static_cast<double>(test::values<std::int64_t>(scalar)[0]));
    return plumb::to_json(test::values<double>(scalar)[0]);
}

template <class Json>
std::optional<plumb::extents> shape(const Json& list) {
    if (!list.IsArray()) return std::nullopt;
    plumb::extents lengths;
    for (const auto& length : list.GetArray()) lengths.push_back(length.GetInt64());
    return lengths;
}

/// The largest and smallest element, as double. False if there is no element, or a NaN, or another type.
bool range_of(const plumb::tensor& tensor, double& max, double& min) {
    std::vector<double> numbers;
    const auto take = [&](const auto& list) {
        for (const auto& each : list) numbers.push_back(static_cast<double>(each));
    };
    if (tensor.type() == plumb::dtype::f32)
        take(test::values<float>(tensor));
    else if (tensor.type() == plumb::dtype::i64)
        take(test::values<std::int64_t>(tensor));
    else if (tensor.type() == plumb::dtype::f16)
        take(test::values<plumb::float16>(tensor));
    if (numbers.empty() || std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); })) return false;
    max = *std::max_element(numbers.begin(), numbers.end());
    min = *std::min_element(numbers.begin(), numbers.end());
    return true;
}

std::uint32_t crc32(const std::string& bytes) { // the zlib polynomial, bit by bit
    std::uint32_t crc = 0xffffffff;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

/// Visits the leaves of an API in msprobe's order, with the path below input, output, ….
template <class F>
void leaves(const Value& value, const std::string& path, F&& f) {
    const auto join = [&](const std::string& part) { return path.empty() ? part : path + "." + part; };
    if (value.IsArray()) {
        for (rapidjson::SizeType i = 0; i < value.Size(); ++i) leaves(value[i], join(std::to_string(i)), f);
    } else if (value.IsObject() && !value.HasMember("type")) {
        for (const auto& member : value.GetObject()) leaves(member.value, join(member.name.GetString()), f);
    } else {
        f(value, path);
    }
}

} // namespace

TEST_CASE("recorded dumps: msprobe's indexes, field by field") {
    std::size_t count = 0;
    for (const auto& path : indexes("dump.json")) {
        CAPTURE(path.string());
        rapidjson::Document document;
        document.Parse<rapidjson::kParseNanAndInfFlag | rapidjson::kParseFullPrecisionFlag>(test::bytes_of(path).c_str());
        REQUIRE(!document.HasParseError());
        const plumb::dump dump = plumb::read_dump(path);
        CHECK(dump.warnings.empty());
        REQUIRE(dump.ranks.size() == 1);
        const plumb::rank_dump& rank = dump.ranks[0];
        CHECK(rank.layout == plumb::dump_layout::msprobe);
        CHECK(rank.rank == 0);
        CHECK(rank.step == 0);
        const bool md5 = path.string().find("md5") != std::string::npos;
        CHECK(rank.task == (md5 ? "md5" : document["task"].GetString()));

        std::size_t next = 0;
        for (const auto& api : document["data"].GetObject())
            for (const auto& part : api.value.GetObject()) {
                const std::string key = part.name.GetString(), op = api.name.GetString();
                if (key == "is_recompute") continue;
                leaves(part.value, "", [&](const Value& leaf, const std::string& slot) {
                    REQUIRE(next < rank.entries.size());
                    const plumb::dump_entry& entry = rank.entries[next];
                    bool same = entry.seq == next++ && entry.op == op && entry.slot == slot &&
                                entry.name == op + (key == "output" ? ".output." : ".input.") + slot &&
                                entry.kind == (key == "output" ? plumb::tensor_kind::output : plumb::tensor_kind::input) &&
                                entry.direction == op.substr(op.rfind('.') + 1) &&
                                entry.call == static_cast<std::uint64_t>(op[op.rfind('.') - 1] - '0');
                    if (!leaf.IsObject()) {
                        same = same && entry.type_name == "None" && entry.text == "null" && !entry.shape && !entry.value &&
                               entry.file.empty();
                    } else if (leaf.HasMember("shape")) {
                        same = same && entry.type_name == leaf["dtype"].GetString() &&
                               entry.type == plumb::parse_dtype(leaf["dtype"].GetString()) &&
                               entry.shape == shape(leaf["shape"]) && text(entry.stats->max) == text(leaf["Max"]) &&
                               text(entry.stats->min) == text(leaf["Min"]) && text(entry.stats->mean) == text(leaf["Mean"]) &&
                               text(entry.stats->norm) == text(leaf["Norm"]) &&
                               entry.requires_grad == leaf["requires_grad"].GetBool() &&
                               entry.checksum == (leaf.HasMember("md5") ? leaf["md5"].GetString() : "") &&
                               (leaf.HasMember("data_name")
                                    ? entry.file == path.parent_path() / "dump_tensor_data" / leaf["data_name"].GetString()
                                    : entry.file.empty());
                    } else if (leaf.HasMember("value") && !leaf["value"].IsString()) {
                        same = same && entry.type_name == leaf["type"].GetString() && entry.value &&
                               text(*entry.value) == text(leaf["value"]) && entry.file.empty();
                    } else {
                        same = same && entry.type_name == leaf["type"].GetString() && !entry.value && !entry.text.empty();
                    }
                    CAPTURE(entry.name);
                    CHECK(same);
                });
            }
        CHECK(next == rank.entries.size());
        count += next;

        rapidjson::Document stacks;
        stacks.Parse(test::bytes_of(path.parent_path() / "stack.json").c_str());
        std::size_t ops = 0;
        for (const auto& member : stacks.GetObject())
            for (const auto& op : member.value[0].GetArray()) {
                ++ops;
                const auto found = rank.stacks.find(op.GetString());
                REQUIRE(found != rank.stacks.end());
                REQUIRE(found->second.size() == member.value[1].Size());
                for (rapidjson::SizeType i = 0; i < member.value[1].Size(); ++i) {
                    const plumb::stack_frame& frame = found->second[i];
                    CHECK("File " + frame.file + ", line " + frame.line + ", in " + frame.function + ", \n " + frame.code ==
                          member.value[1][i].GetString());
                }
            }
        CHECK(ops == rank.stacks.size());
    }
    CHECK(count > 1500);
}

TEST_CASE("recorded dumps: ptdbg's indexes, field by field") {
    std::size_t count = 0;
    for (const auto& path : indexes("api_stack_dump.pkl")) {
        CAPTURE(path.string());
        const plumb::dump dump = plumb::read_dump(path.parent_path());
        CHECK(dump.warnings.empty());
        REQUIRE(dump.ranks.size() == 1);
        const plumb::rank_dump& rank = dump.ranks[0];
        CHECK(rank.layout == plumb::dump_layout::ptdbg);
        CHECK(rank.task == "tensor");
        CHECK("rank" + std::to_string(rank.rank) == path.parent_path().filename().string());

        std::size_t next = 0, stacks = 0;
        std::istringstream lines(test::bytes_of(path));
        for (std::string line; std::getline(lines, line);) {
            rapidjson::Document document;
            document.Parse<rapidjson::kParseNanAndInfFlag | rapidjson::kParseFullPrecisionFlag>(line.c_str());
            REQUIRE(document.IsArray());
            const std::string name = document[0].GetString();
            const std::size_t stack = name.find("_stack_info");
            if (stack != std::string::npos) {
                const auto found = rank.stacks.find(name.substr(0, stack));
                REQUIRE(found != rank.stacks.end());
                REQUIRE(found->second.size() == document[1].Size());
                for (rapidjson::SizeType i = 0; i < document[1].Size(); ++i) {
                    const plumb::stack_frame& frame = found->second[i];
                    const Value& recorded = document[1][i];
                    CHECK((frame.file == recorded[0].GetString() && frame.line == recorded[1].GetString() &&
                           frame.function == recorded[2].GetString() && frame.code == recorded[3].GetString()));
                }
                ++stacks;
                continue;
            }
            REQUIRE(next < rank.entries.size());
            const plumb::dump_entry& entry = rank.entries[next];
            const bool scalar = document[4].IsString();
            CAPTURE(name);
            CHECK(entry.seq == next++);
            CHECK(entry.name == name);
            CHECK(entry.name.compare(0, entry.op.size(), entry.op) == 0);
            CHECK(entry.op.substr(entry.op.size() - entry.direction.size()) == entry.direction);
            CHECK(entry.type_name == document[3].GetString());
            CHECK(entry.shape == shape(document[4]));
            CHECK(entry.value.has_value() == scalar);
            if (scalar) CHECK(text(*entry.value) == text(document[5][0]));
            const plumb::recorded_number* const fields[] = {&entry.stats->max, &entry.stats->min, &entry.stats->mean,
                                                            &entry.stats->norm};
            for (rapidjson::SizeType i = 0; i < 4; ++i) CHECK(text(*fields[i]) == text(document[5][i]));
            CHECK(entry.file == path.parent_path() / "api_stack_dump" / (name + ".npy"));
        }
        CHECK(next == rank.entries.size());
        CHECK(stacks == rank.stacks.size());
        count += next;
    }
    CHECK(count > 400);
}

TEST_CASE("recorded dumps: every tensor is loaded, and its largest and smallest element are those that the index tells") {
    std::size_t compared = 0;
    for (const char* name : {"dump.json", "api_stack_dump.pkl"})
        for (const auto& path : indexes(name)) {
            CAPTURE(path.string());
            plumb::entry_loader load;
            const plumb::dump dump = plumb::read_dump(path);
            for (const plumb::dump_entry& entry : dump.ranks.at(0).entries) {
                if (entry.file.empty()) continue;
                const plumb::tensor tensor = load(entry);
                double max = 0, min = 0;
                if (!entry.shape || !range_of(tensor, max, min)) continue;
                CAPTURE(entry.name);
                CHECK(plumb::to_json(max) == text(entry.stats->max));
                CHECK(plumb::to_json(min) == text(entry.stats->min));
                ++compared;
            }
        }
    CHECK(compared > 700);
}

TEST_CASE("recorded dumps: the checksums of the md5 dumps are those of the bytes in the tensor dumps") {
    for (const char* run : {"bench", "npu", "npu_bug"}) {
        const plumb::dump tensors = plumb::read_dump(test::data_folder / "dumps/attention/msprobe_tensor" / run);
        const plumb::dump checksums = plumb::read_dump(test::data_folder / "dumps/attention/msprobe_md5" / run);
        const auto &with_data = tensors.ranks.at(0).entries, &with_sums = checksums.ranks.at(0).entries;
        REQUIRE(with_data.size() == with_sums.size());
        std::size_t compared = 0;
        for (std::size_t i = 0; i < with_data.size(); ++i) {
            CHECK(with_data[i].name == with_sums[i].name);
            if (with_data[i].file.empty()) continue;
            char sum[16];
            std::snprintf(sum, sizeof sum, "%08x", static_cast<unsigned>(crc32(test::packed(plumb::load(with_data[i])))));
            CHECK(with_sums[i].checksum == sum);
            ++compared;
        }
        CHECK(compared == 148);
    }
}

TEST_CASE("recorded dumps: a run is found from each level of its folders, and two runs at once are an error") {
    const test::fs::path run = test::data_folder / "dumps/attention/msprobe_tensor/npu";
    for (const char* level : {"", "step0", "step0/rank", "step0/rank/", "step0/rank/dump.json"}) {
        const plumb::dump dump = plumb::read_dump(run / level);
        REQUIRE(dump.ranks.size() == 1);
        CHECK(dump.ranks[0].entries.size() == 174);
    }
    CHECK(plumb::read_dump(test::data_folder / "dumps/ranks/mixed").ranks.size() == 2);
    CHECK(plumb::read_dump(test::data_folder / "dumps/ranks/mixed/rank1").ranks.at(0).rank == 1);
    CHECK(test::contains(test::error_of([&] { plumb::read_dump(run.parent_path()); }), "holds several dumps of rank 0, step 0"));
    CHECK(test::contains(test::error_of([&] { plumb::read_dump(test::data_folder / "dumps/expected/overflow"); }),
                         "holds no dump"));
}
