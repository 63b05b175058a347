#include "documented_output.hpp"
#include "program.hpp"

#include <cstdint>
#include <string>
#include <vector>

using program::contains;
using program::keys_of;
using program::object_in;
using program::run;
using program::text_of;
using words = std::vector<std::string>;

namespace {

std::string made(const std::string& name) { return (program::data / "cases/data" / name).string(); }

} // namespace

TEST_CASE("plumb metrics --json: one line, the documented members in order, 17 digits") {
    const auto answer = run({"metrics", made("v01-f32-close_actual.npy"), made("v01-f32-close_reference.npy"), "--json"});
    const auto found = object_in(answer);
    words members = test::metric_members;
    members.insert(members.end(), {"verdict", "reason"});
    CHECK(keys_of(found) == members);
    CHECK(keys_of(found["nonfinite"]) == words{"actual", "reference", "matched", "mismatched", "first_mismatch_index"});
    CHECK(keys_of(found["nonfinite"]["actual"]) == words{"nan", "pos_inf", "neg_inf"});
    CHECK(contains(answer.out, "\"cosine\": 0.99999999949176865, "));
    CHECK(answer.out.find('\n') == answer.out.size() - 1);
}

TEST_CASE("plumb metrics --json: what is not finite is a string, what does not apply is null") {
    const auto one_zero =
        object_in(run({"metrics", made("v08-one-zero_actual.npy"), made("v08-one-zero_reference.npy"), "--json"}));
    CHECK(text_of(one_zero["cosine"]) == "nan");
    CHECK(text_of(one_zero["rel_l2_err"]) == "inf");
    CHECK(text_of(one_zero["verdict"]) == "undefined");
    const auto mixed = object_in(
        run({"metrics", made("v12-f16-cast-overflow_actual.npy"), made("v12-f16-cast-overflow_reference.npy"), "--json"}));
    CHECK(mixed["max_ulp_err"].IsNull()); // f16 against f32
    CHECK(mixed["max_ulp_err_index"].IsNull());
    CHECK(mixed["mean_ulp_err"].IsNull());
    const auto empty = object_in(run({"metrics", made("v22-empty_actual.npy"), made("v22-empty_reference.npy"), "--json"}));
    CHECK(text_of(empty["max_abs_err"]) == "nan");
    CHECK(empty["max_abs_err_index"].IsNull());
}

TEST_CASE("plumb metrics: the text begins with the verdict and tells what stands at the worst positions") {
    const auto answer = run({"metrics", made("f01-fortran_actual.npy"), made("f01-fortran_reference.npy")});
    CHECK(answer.status == 0);
    CHECK(answer.out.find("pass\n") == 0);
    CHECK(contains(answer.out, "at 6 = [1, 2]: 3.49980736 against 2.99980736\n"));
    const auto fail = run({"metrics", made("v10-nan-one-side_actual.npy"), made("v10-nan-one-side_reference.npy")});
    CHECK(fail.status == 1);
    CHECK(fail.out.find("fail: ") == 0);
    CHECK(contains(fail.out, "at 23: nan against -1.45996094\n"));
}

TEST_CASE("plumb metrics --rule: limits are data") {
    const words pair{made("v18-max-abs-is-1_actual.npy"), made("v18-max-abs-is-1_reference.npy")};
    CHECK(run({"metrics", pair[0], pair[1]}).status == 0);
    CHECK(run({"metrics", pair[0], pair[1], "--rule", "ptdbg(max_abs_err=0.5)"}).status == 1);
    CHECK(run({"metrics", pair[0], pair[1], "--rule", "bitwise"}).status == 1);
    CHECK(run({"metrics", pair[0], pair[1], "--rule", "allclose(rtol=0, atol=1)"}).status == 0);
    const auto wrong = run({"metrics", pair[0], pair[1], "--rule", "nonsense"});
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "allclose(rtol=R, atol=A)"));
}

TEST_CASE("plumb metrics: shapes that differ can't be compared, with and without --json") {
    const auto text = run({"metrics", made("v21-shape_actual.npy"), made("v21-shape_reference.npy")});
    CHECK(text.status == 2);
    CHECK(text.out.empty());
    CHECK(text.err == "plumb: shapes differ: actual [2, 3], reference [3, 2]\n");
    const auto json = run({"metrics", made("v21-shape_actual.npy"), made("v21-shape_reference.npy"), "--json"});
    CHECK(json.status == 2);
    CHECK(json.out == "{\"error\": \"shapes differ: actual [2, 3], reference [3, 2]\"}\n");
}

TEST_CASE("plumb metrics: raw files need a type and a shape, and must have their size") {
    const program::temporary_folder folder;
    const std::uint16_t bits[] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}; // f16: 1 to 6
    std::ofstream(folder / "raw.bin", std::ios::binary).write(reinterpret_cast<const char*>(bits), sizeof bits);
    const std::string raw = (folder / "raw.bin").string();
    const auto good =
        run({"metrics", raw, raw, "--actual-dtype", "f16", "--reference-dtype", "float16", "--shape", "2,3", "--json"});
    CHECK(good.status == 0);
    CHECK(object_in(good)["count"].GetInt() == 6);
    CHECK(object_in(good)["differing"].GetInt() == 0);
    CHECK(run({"metrics", raw, raw, "--actual-dtype", "f16", "--reference-dtype", "f16", "--shape", "[ 6 ]"}).status == 0);
    CHECK(contains(run({"metrics", raw, raw}).err, "a raw file needs its element type and shape"));
    CHECK(contains(run({"metrics", raw, raw, "--actual-dtype", "f32", "--reference-dtype", "f32", "--shape", "6"}).err,
                   "has 12 bytes"));
    for (const std::string shape : {"2;3", "-1", "x", "", "2,,3", "4294967296,4294967296"}) {
        INFO(shape);
        CHECK(run({"metrics", raw, raw, "--actual-dtype", "f16", "--reference-dtype", "f16", "--shape", shape}).status == 2);
    }
}
