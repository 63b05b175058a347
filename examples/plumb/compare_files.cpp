#include "compare_files.hpp"

#include <plumb/dump/error.hpp>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace {

std::string local_time() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[16];
    return ::localtime_r(&now, &parts) != nullptr && std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &parts) > 0 ? text : "0";
}

/// Claims a name that no file has yet.
std::filesystem::path new_file(const std::filesystem::path& folder, const std::string& stem) {
    for (int attempt = 1;; ++attempt) {
        const std::filesystem::path path = folder / (stem + (attempt == 1 ? "" : "_" + std::to_string(attempt)) + ".csv");
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            ::close(file);
            return path;
        }
        if (errno != EEXIST) throw plumb::io_error(path, "can't create: " + std::generic_category().message(errno));
    }
}

} // namespace

std::vector<std::filesystem::path> write_tables(const plumb::comparison& result, plumb::table_style style,
                                                const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw plumb::io_error(folder, "can't make this folder: " + error.message());

    std::vector<std::filesystem::path> written;
    const std::string time = local_time();
    const auto write = [&](const std::string& place, const std::function<void(std::ostream&)>& content) {
        const std::filesystem::path path = new_file(folder, "compare_result" + place + "_" + time);
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        content(file);
        file.close();
        if (!file) {
            std::error_code ignored;
            std::filesystem::remove(path, ignored);
            throw plumb::io_error(path, "can't write: is the disk full?");
        }
        written.push_back(path);
    };

    if (style == plumb::table_style::plumb) {
        write("", [&](std::ostream& to) { write_table(to, result); });
        return written;
    }
    const bool many = result.ranks.size() > 1, steps = has_several_steps(result);
    for (const plumb::rank_pair& rank : result.ranks) {
        std::string place;
        if (steps) place += "_step" + std::to_string(rank.step);
        if (many) place += "_rank" + std::to_string(rank.rank);
        if (many && style == plumb::table_style::ptdbg) place += "-rank" + std::to_string(rank.rank);
        write(place, [&](std::ostream& to) { write_table(to, result, rank, style); });
    }
    return written;
}
