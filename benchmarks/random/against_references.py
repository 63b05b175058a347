#!/usr/bin/env python3
"""Times plumb's fills and the same of PyTorch, NumPy and Python, a million values each on one thread, in one run:
    against_references.py BENCH_RANDOM [FILTER]
where BENCH_RANDOM is the benchmark program. Prints ns a value and the ratio; above 1, plumb is the faster one."""
import json, os, random, re, subprocess, sys, time

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np, torch

torch.set_num_threads(1)
n = 1 << 20
dtypes = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}
peers = {}
for name, dtype in dtypes.items():
    x = torch.empty(n, dtype=dtype)
    peers["torch/rand/" + name] = lambda x=x: x.uniform_()
    peers["torch/uniform/" + name] = lambda x=x: x.uniform_(-0.1, 0.7)
    peers["torch/randn/" + name] = lambda x=x: x.normal_()
x, i = torch.empty(n), torch.empty(n, dtype=torch.int64)
strided, ones = torch.empty(n, 2)[:, 0], torch.ones(n)
peers.update({
    "torch/randn/f32/strided": lambda: strided.normal_(),
    "torch/randn/f64/portable_libm": peers["torch/randn/f64"],
    "torch/exponential/f32": lambda: x.exponential_(),
    "torch/randint/i64": lambda: i.random_(0, 1000),
    "torch/random/i64": lambda: i.random_(),
    "torch/randperm/i64": lambda: torch.randperm(n, out=i),
    "torch/bernoulli/f32": lambda: x.bernoulli_(0.5),
    "torch/dropout/f32": lambda: torch.nn.functional.dropout(ones, 0.5, True),
    "torch/trunc_normal/f32": lambda: torch.nn.init.trunc_normal_(x),
})
s = np.random.RandomState(1234)
peers.update({
    "RandomState/random_sample/f64": lambda: s.random_sample(n),
    "RandomState/uniform/f64": lambda: s.uniform(-0.1, 0.7, n),
    "RandomState/standard_normal/f64": lambda: s.standard_normal(n),
    "RandomState/randint/i64": lambda: s.randint(0, 1000, n, dtype=np.int64),
    "RandomState/randint/u8": lambda: s.randint(0, 100, n, dtype=np.uint8),
    "RandomState/permutation/i64": lambda: s.permutation(n),
})
d, f = np.empty(n), np.empty(n, dtype=np.float32)
for bits in (np.random.PCG64, np.random.Philox):
    g = np.random.Generator(bits(1234))
    peers.update({
        bits.__name__ + "/random/f64": lambda g=g: g.random(out=d),
        bits.__name__ + "/random/f32": lambda g=g: g.random(dtype=np.float32, out=f),
        bits.__name__ + "/standard_normal/f64": lambda g=g: g.standard_normal(out=d),
        bits.__name__ + "/integers/i64": lambda g=g: g.integers(0, 1000, n),
        bits.__name__ + "/permutation/i64": lambda g=g: g.permutation(n),
    })
r = random.Random(1234)
peers["random/random/f64"] = lambda: [r.random() for _ in range(n)]


def best(call, rounds=7):
    call()
    times = []
    for _ in range(rounds):
        start = time.thread_time() # as the benchmark program: what others do meanwhile does not count
        call()
        times.append(time.thread_time() - start)
    return min(times) / n * 1e9


only = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
output = subprocess.run([sys.argv[1], "--benchmark_format=json", "--benchmark_min_time=0.05", "--benchmark_repetitions=5",
                         "--benchmark_filter=" + only.pattern], check=True, capture_output=True, text=True).stdout
ours = {}
for each in json.loads(output)["benchmarks"]:
    if each["run_type"] == "iteration":
        ns = each["cpu_time"] / n
        ours[each["run_name"]] = min(ns, ours.get(each["run_name"], ns))
print("%-36s %8s %8s %6s" % ("ns a value", "plumb", "peer", "ratio"))
for name, ns in ours.items():
    if name in peers:
        peer = best(peers[name])
        print("%-36s %8.2f %8.2f %6.2f" % (name, ns, peer, peer / ns))
    else:
        print("%-36s %8.2f" % (name, ns))
