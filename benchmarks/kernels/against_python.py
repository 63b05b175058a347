#!/usr/bin/env python3
"""Compares plumb with NumPy and torch as a Python user calls them: cosine, largest absolute and largest relative error.

    benchmarks/kernels/against_python.py BENCH_KERNELS [MIB]

BENCH_KERNELS is the benchmark program, which measures plumb; MIB is the size of each of the two buffers, 256 if not given.
Prints how many times longer the Python way takes a pair. What is not installed is left out.
"""
import json
import subprocess
import sys
import time


def plumb_nanoseconds(program, dtype):
    """Nanoseconds a pair, for buffers that no cache holds, on the best level of this processor."""
    run = subprocess.run(
        [program, f"--benchmark_filter=^pairs/{dtype}/[^/]*/dram/", "--benchmark_format=json"],
        check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(run.stdout)["benchmarks"][-1]["ns_per_pair"]


def best_time(function, *arguments):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def numpy_way(numpy, wide):
    def metrics(actual, reference):
        a, b = actual.astype(wide), reference.astype(wide)
        cosine = numpy.dot(a, b) / (numpy.linalg.norm(a) * numpy.linalg.norm(b))
        error = numpy.abs(a - b)
        return cosine, error.max(), (error / numpy.abs(b)).max()
    return metrics


def torch_way(wide):
    def metrics(actual, reference):
        import torch
        a, b = actual.to(wide), reference.to(wide)
        cosine = torch.nn.functional.cosine_similarity(a, b, dim=0)
        error = (a - b).abs()
        return cosine.item(), error.max().item(), (error / b.abs()).max().item()
    return metrics


def rows(bytes_each):
    """(type, name, function, actual, reference) of everything that is installed."""
    try:
        import numpy
        random = numpy.random.default_rng(1)
        for name, dtype in (("f32", numpy.float32), ("f16", numpy.float16)):
            count = bytes_each // numpy.dtype(dtype).itemsize
            a = random.standard_normal(count, numpy.float32)
            b = (a + numpy.float32(0.01) * random.standard_normal(count, numpy.float32)).astype(dtype)
            a = a.astype(dtype)
            for wide in (numpy.float32, numpy.float64):
                yield name, f"NumPy {wide.__name__}", numpy_way(numpy, wide), a, b
    except ImportError:
        print("NumPy is not installed", file=sys.stderr)
    try:
        import torch
        torch.set_num_threads(1)
        for name, dtype in (("f32", torch.float32), ("f16", torch.float16), ("bf16", torch.bfloat16)):
            count = bytes_each // (4 if dtype == torch.float32 else 2)
            a = torch.randn(count)
            b = (a + 0.01 * torch.randn(count)).to(dtype)
            a = a.to(dtype)
            for wide in (torch.float32, torch.float64):
                yield name, f"torch {str(wide).split('.')[1]}", torch_way(wide), a, b
    except ImportError:
        print("torch is not installed", file=sys.stderr)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    bytes_each = int(sys.argv[2] if len(sys.argv) == 3 else 256) << 20
    plumb = {dtype: plumb_nanoseconds(sys.argv[1], dtype) for dtype in ("f32", "f16", "bf16")}
    print(f"{'type':<5} {'computed by':<16} {'ns per pair':>11} {'plumb':>7} {'times':>6}")
    for dtype, name, function, a, b in rows(bytes_each):
        nanoseconds = 1e9 * best_time(function, a, b) / len(a)
        print(f"{dtype:<5} {name:<16} {nanoseconds:11.2f} {plumb[dtype]:7.2f} {nanoseconds / plumb[dtype]:6.1f}")


if __name__ == "__main__":
    main()
