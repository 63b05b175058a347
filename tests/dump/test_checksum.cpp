#include <plumb/dump/checksum.hpp>

#include "catch.hpp"

#include <plumb/dump/load.hpp>
#include <plumb/dump/read_dump.hpp>

#include <cstddef>
#include <string>
#include <vector>

TEST_CASE("crc32: has the check value of the CRC catalogue, in one piece and in two") {
    const std::string text = "123456789";
    CHECK(plumb::crc32(text.data(), 9) == 0xcbf43926u);
    for (std::size_t cut = 0; cut <= 9; ++cut)
        CHECK(plumb::crc32(text.data() + cut, 9 - cut, plumb::crc32(text.data(), cut)) == 0xcbf43926u);
    CHECK(plumb::crc32(text.data(), 0) == 0u);
}

TEST_CASE("crc32_text: gives msprobe's checksums of the recorded step") {
    const std::string folder = std::string(PLUMB_TEST_DATA) + "/dumps/attention/";
    const auto tensors = plumb::read_dump(folder + "msprobe_tensor/npu").ranks.at(0);
    const auto checksums = plumb::read_dump(folder + "msprobe_md5/npu").ranks.at(0);
    std::size_t compared = 0;
    for (const auto& each : checksums.entries) {
        if (each.checksum.empty()) continue;
        for (const auto& data : tensors.entries)
            if (data.name == each.name || (data.op == each.op && data.kind == each.kind && data.slot == each.slot)) {
                CHECK(plumb::crc32_text(plumb::load(data)) == each.checksum);
                ++compared;
                break;
            }
    }
    CHECK(compared > 100);
}

TEST_CASE("crc32_text: is over the elements in row-major order, whatever the strides") {
    const std::vector<float> rows{1, 2, 3, 4, 5, 6}, columns{1, 4, 2, 5, 3, 6};
    const plumb::tensor_view a(plumb::dtype::f32, rows.data(), {2, 3});
    const plumb::tensor_view b(plumb::dtype::f32, columns.data(), {2, 3}, {4, 8});
    CHECK(plumb::crc32_text(a) == plumb::crc32_text(b));
}
