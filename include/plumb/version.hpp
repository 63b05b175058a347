/// \file
/// The version of plumb. It is written here alone; CMake reads it from these lines.
#pragma once

#define PLUMB_VERSION_MAJOR 0
#define PLUMB_VERSION_MINOR 1
#define PLUMB_VERSION_PATCH 0

/// One number to compare with in the preprocessor: 1.2.3 is 10203.
#define PLUMB_VERSION (PLUMB_VERSION_MAJOR * 10000 + PLUMB_VERSION_MINOR * 100 + PLUMB_VERSION_PATCH)

#define PLUMB_DETAIL_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define PLUMB_DETAIL_VERSION_TEXT(major, minor, patch) PLUMB_DETAIL_VERSION_TEXT_(major, minor, patch)

namespace plumb {

/// The version as text, "major.minor.patch".
inline constexpr char version[] = PLUMB_DETAIL_VERSION_TEXT(PLUMB_VERSION_MAJOR, PLUMB_VERSION_MINOR, PLUMB_VERSION_PATCH);

} // namespace plumb
