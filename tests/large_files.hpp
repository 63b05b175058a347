/// \file
/// Whether tests may read files of some GiB that are holes but for a few pages.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <linux/magic.h>
#include <sys/vfs.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLUMB_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLUMB_TEST_SANITIZED 1
#endif
#endif

namespace test {

/// Why such a test can't run in this folder; nothing if it can.
inline std::string obstacle_to_large_files() {
    const char* wish = std::getenv("PLUMB_TEST_LARGE");
    if (wish != nullptr && std::string_view(wish) == "0") return "PLUMB_TEST_LARGE is 0";
#if defined(PLUMB_TEST_SANITIZED)
    return "a sanitizer needs memory of its own";
#else
    struct ::statfs disk {};
    if (::statfs(".", &disk) != 0 || disk.f_type == TMPFS_MAGIC)
        return "this folder lies in memory, where holes take room once they are read";
    return {};
#endif
}

} // namespace test
