#!/bin/sh
# Builds everything and runs the tests, on a bare Debian 12 or 13 too.
#
#   tests/run.sh [PRESET [CTEST_ARGUMENT...]]     PRESET is one of CMakePresets.json, `dev` if none is given
set -eu
cd "$(dirname "$0")/.."
. tests/debian_packages.sh

need g++ cmake ninja-build pkg-config catch2 libxsimd-dev libeigen3-dev rapidjson-dev libzip-dev libisal-dev libxxhash-dev \
    libcli11-dev libbenchmark-dev libmpfr-dev python3-numpy

preset=${1:-dev}
[ $# -eq 0 ] || shift
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)" "$@"
