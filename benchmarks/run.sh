#!/bin/sh
# Measures the kernels: prints the table of bench_pairs, and that of against_python.py. Needs a quiet machine.
#
#   benchmarks/run.sh [BENCHMARK_ARGUMENT...]     such as --benchmark_filter=pairs/f32, or --benchmark_format=csv
#
# SimSIMD is measured against if npm is there to fetch its headers; NumPy and torch if python3 has them.
set -eu
cd "$(dirname "$0")/.."
. tests/debian_packages.sh

need g++ cmake ninja-build pkg-config libxsimd-dev libeigen3-dev libbenchmark-dev libopenblas-dev

build=build/benchmarks
simsimd=
if command -v npm >/dev/null; then
    mkdir -p "$build/simsimd"
    [ -d "$build/simsimd/package" ] || (
        cd "$build/simsimd"
        npm pack --silent simsimd@6.5.5 >/dev/null && tar xf simsimd-6.5.5.tgz
    ) || echo "SimSIMD could not be fetched; it is left out." >&2
    [ ! -d "$build/simsimd/package/include" ] || simsimd=$PWD/$build/simsimd/package/include
fi

cmake -S . -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D PLUMB_BUILD_TESTS=OFF -D PLUMB_BUILD_EXAMPLES=OFF \
    -D PLUMB_BUILD_PROGRAM=OFF -D PLUMB_BUILD_BENCHMARKS=ON -D PLUMB_SIMSIMD_INCLUDE_DIR="$simsimd"
cmake --build "$build" --target bench_kernels
program=$build/benchmarks/bench_kernels
"$program" --benchmark_counters_tabular=true "$@"
[ $# -ne 0 ] || ! command -v python3 >/dev/null || python3 benchmarks/kernels/against_python.py "$program"
