#!/usr/bin/env python3
"""Golden vectors for random-number parity with PyTorch CPU, NumPy and Python.

Runs the reference libraries and records their output bit for bit.
    python3 make_rng_parity.py --out rng_parity.tsv [--seeds 0,1,..] [--sizes 1,15,..] [--params p.json]
The torch part runs twice, in child processes, with ATEN_CPU_CAPABILITY set to
avx2 and to default, because some torch functions give other bits there.

The file has one case a line, with a tab between the fields
    lib  fn  seed  cap  args  dtype  n  bits-or-hash
  args is a JSON list or empty, cap empty where the result does not depend on it.
  bits = the elements in logical (row-major) order, each as its unsigned bit pattern in fixed-width lower-case hex,
         most significant digit first, joined without separator (width in hex digits: 2 for u8/bool, 4 for
         f16/bf16/u16/i16, 8 for f32/u32/i32, 16 for f64/u64/i64).
  hash = "#" and 16 hex digits: h = 14695981039346656037; for each element with unsigned bit pattern x:
         h = ((h xor x) * 1099511628211) mod 2**64.
Several outputs of one case are concatenated in the order that "fn"/"args" tells.
A function whose first k values do not depend on n is recorded for the largest size only.
"""
import argparse, json, math, os, random, subprocess, sys

PARAMS = {
    "uniform": [[-0.1, 0.1], [2.5, 7.25], [-3.0, 0.7]],
    "normal": [[0.5, 0.02]],
    "randint": [[0, 2], [-5, 1000003], [0, 2**31], [0, 2**32 - 1], [0, 2**32], [5, 2**40]],
    "p": [0.1, 0.5],
    "linear": [[3, 5], [16, 4]], "conv": [[2, 3, 3, 1], [4, 6, 2, 2]], "embedding": [[3, 5], [8, 4]],
    "lstm": [2, 3, 2], "mha": [8, 2], "mlp": [4, 6, 2], "init_shape": [6, 5],
    "trunc": [[0.0, 1.0, -2.0, 2.0], [0.0, 0.02, -0.04, 0.04]],
    "shuffle": [2, 5, 23], "getrandbits": [1, 31, 32, 33, 64], "randrange": [1, 3, 10, 1000003, 2**32, 2**40 + 1],
    "sample": [[10, 3], [30, 6], [200, 5], [2000, 6]], "choice": [[10, 4], [1000, 30], [20000, 401]],
    "np_small": [7, 100, 256], "strings": ["abc", ""], "digest_n": 20000,
}

MASK64 = (1 << 64) - 1
PREFIX = {"rand", "uniform_", "uniform", "randint", "random_", "bernoulli_", "bernoulli", "dropout", "exponential_",
          "mt19937", "random_sample", "standard_normal", "normal", "random_raw", "random", "integers", "gauss", "normalvariate"}


def enc(a):
    """numpy array -> (dtype name, n, list of unsigned ints, hex width)"""
    import numpy as np
    a = np.ascontiguousarray(a)
    names = {"f": {2: "f16", 4: "f32", 8: "f64"}, "i": {1: "i8", 2: "i16", 4: "i32", 8: "i64"},
             "u": {1: "u8", 2: "u16", 4: "u32", 8: "u64"}, "b": {1: "bool"}}
    nm = names[a.dtype.kind][a.dtype.itemsize]
    u = a.reshape(-1).view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[a.dtype.itemsize]).tolist()
    return nm, len(u), u, 2 * a.dtype.itemsize


class Out:
    def __init__(self):
        self.cases, self.digests, self.smaller = [], [], ()

    def add(self, lib, fn, seed, arr, args=None, cap=None, dtype=None, digest=False):
        nm, n, u, w = enc(arr)
        if n in self.smaller and not digest and fn.split("(")[0].split(" ")[0] in PREFIX:
            return
        c = {"lib": lib, "fn": fn, "seed": str(seed)}
        if cap:
            c["cap"] = cap
        if args is not None:
            c["args"] = args
        c["dtype"] = dtype or nm
        c["n"] = n
        if digest:
            h = 14695981039346656037
            for x in u:
                h = ((h ^ x) * 1099511628211) & MASK64
            c["hash"] = "%016x" % h
            self.digests.append(c)
        else:
            c["bits"] = "".join("%0*x" % (w, x) for x in u)
            self.cases.append(c)


def torch_part(o, seeds, sizes, P, cap):
    import numpy as np, torch, warnings
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    both = cap == "avx2"            # functions that do not depend on the capability are written once
    T = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}

    def np_(t):
        t = t.detach().contiguous()
        return t.view(torch.int16).numpy().view(np.uint16) if t.dtype == torch.bfloat16 else t.numpy()

    def put(fn, seed, t, args=None, dep=False, **k):
        if dep or both:
            o.add("torch", fn, seed, np_(t) if torch.is_tensor(t) else np.asarray(t), args, cap if dep else None,
                  dtype="bf16" if torch.is_tensor(t) and t.dtype == torch.bfloat16 else None, **k)

    def S(seed):
        torch.manual_seed(seed)

    def flat(m):
        return torch.cat([p.detach().reshape(-1) for p in m.parameters()])
    jobs = [(s, n, False) for s in seeds for n in sizes] + [(s, P["digest_n"] + d, True) for s in seeds[:2] for d in (0, 5)]
    for s, n, dg in jobs:
        for nm, dt in T.items():
            S(s); put("rand", s, torch.rand(n, dtype=dt), digest=dg)
            S(s); put("randn", s, torch.randn(n, dtype=dt), dep=(n >= 16 and nm == "f32"), digest=dg)
        for a, b in P["uniform"]:
            for nm in ("f32", "f64"):
                S(s); put("uniform_", s, torch.empty(n, dtype=T[nm]).uniform_(a, b), [a, b], dep=True, digest=dg)
        for m, sd in P["normal"]:
            for nm in ("f32", "f64"):
                S(s); put("normal_", s, torch.empty(n, dtype=T[nm]).normal_(m, sd), [m, sd], dep=True, digest=dg)
        for lo, hi in P["randint"]:
            S(s); put("randint", s, torch.randint(lo, hi, (n,)), [lo, hi], digest=dg)
        S(s); put("randint", s, torch.randint(0, 256, (n,), dtype=torch.uint8), [0, 256], digest=dg)
        S(s); put("randint", s, torch.randint(-7, 1000, (n,), dtype=torch.int32), [-7, 1000], digest=dg)
        S(s); put("random_", s, torch.empty(n, dtype=torch.int64).random_(), digest=dg)
        S(s); put("randperm", s, torch.randperm(n), digest=dg)
        for p in P["p"]:
            S(s); put("bernoulli_(p) [build without MKL]", s, torch.empty(n).bernoulli_(p).to(torch.uint8), [p], digest=dg)
            S(s); put("bernoulli(tensor f32)", s, torch.bernoulli(torch.full((n,), p)).to(torch.uint8), [p], digest=dg)
            S(s); put("dropout(ones f32) [build without MKL]", s, torch.nn.functional.dropout(torch.ones(n), p, True), [p], digest=dg)
        S(s); put("exponential_", s, torch.empty(n).exponential_(1.5), [1.5], digest=dg)
    for s in seeds:
        for i, u in P["linear"]:
            S(s); put("nn.Linear: weight, bias", s, flat(torch.nn.Linear(i, u)), [i, u], dep=True)
        for i, u, k, g in P["conv"]:
            S(s); put("nn.Conv2d(in,out,k,groups): weight, bias", s, flat(torch.nn.Conv2d(i, u, k, groups=g)), [i, u, k, g], dep=True)
        for u, e in P["embedding"]:
            S(s); put("nn.Embedding", s, flat(torch.nn.Embedding(u, e)), [u, e], dep=True)
        S(s); put("nn.LSTM(in,hidden,layers): all parameters in order", s, flat(torch.nn.LSTM(*P["lstm"])), P["lstm"], dep=True)
        S(s); mha = torch.nn.MultiheadAttention(*P["mha"])
        put("nn.MultiheadAttention(dim,heads): in_proj_weight, out_proj.weight", s,
            torch.cat([mha.in_proj_weight.detach().reshape(-1), mha.out_proj.weight.detach().reshape(-1)]), P["mha"], dep=True)
        S(s); a, b, c = P["mlp"]
        put("Sequential(Linear,ReLU,Linear)", s, flat(torch.nn.Sequential(torch.nn.Linear(a, b), torch.nn.ReLU(), torch.nn.Linear(b, c))), P["mlp"], dep=True)
        w = lambda: torch.empty(*P["init_shape"])
        I = torch.nn.init
        for nm, f in (("kaiming_uniform_(relu)", lambda: I.kaiming_uniform_(w(), nonlinearity="relu")),
                      ("kaiming_uniform_(a=sqrt5)", lambda: I.kaiming_uniform_(w(), a=math.sqrt(5))),
                      ("kaiming_normal_(fan_out,relu)", lambda: I.kaiming_normal_(w(), mode="fan_out", nonlinearity="relu")),
                      ("xavier_uniform_", lambda: I.xavier_uniform_(w())), ("xavier_normal_", lambda: I.xavier_normal_(w()))):
            S(s); put("init." + nm, s, f(), P["init_shape"], dep=True)
        for t in P["trunc"]:
            S(s); put("init.trunc_normal_ [needs libm erff/expf/logf]", s, I.trunc_normal_(w(), *t), P["init_shape"] + t, dep=True)
        for n in P["shuffle"]:
            S(s); dl = torch.utils.data.DataLoader(torch.arange(n), batch_size=4, shuffle=True)
            put("DataLoader(shuffle=True): epoch 1, epoch 2, then rand f32 bits as i64 x2", s,
                torch.cat([torch.cat(list(dl)), torch.cat(list(dl)), torch.from_numpy(torch.rand(2).numpy().view(np.int32).astype(np.int64))]), [n])
            g = torch.Generator(); g.manual_seed(s)
            dl = torch.utils.data.DataLoader(torch.arange(n), batch_size=4, shuffle=True, generator=g)
            put("DataLoader(shuffle=True, generator=g): epoch 1, epoch 2", s, torch.cat([torch.cat(list(dl)), torch.cat(list(dl))]), [n])
            g.manual_seed(s); k = n // 2
            sp = torch.utils.data.random_split(range(n), [n - k, k], generator=g)
            put("random_split(n,[n-n//2,n//2]): indices", s, torch.tensor(sp[0].indices + sp[1].indices), [n])
        S(s); put("RandomSampler(replacement, num_samples=70) over n=10", s, torch.tensor(list(torch.utils.data.RandomSampler(range(10), replacement=True, num_samples=70))))
        from torch.utils.data._utils.worker import _generate_state
        for base in (s & (2**63 - 1),):
            for wid in (0, 3):
                put("DataLoader worker numpy seed words (base_seed=seed & (2**63-1))", s, np.array(_generate_state(base, wid), dtype=np.uint32), [wid])
        S(s); put("sequence: randn(3), rand(2), randn(2), randn(17), randn(1)", s, torch.cat([torch.randn(3), torch.rand(2), torch.randn(2), torch.randn(17), torch.randn(1)]), dep=True)
        S(s); put("uniform_(-1,1) on empty(4,5).t() (filled in memory order)", s, torch.empty(4, 5).t().uniform_(-1, 1), dep=True)
        S(s); put("normal_() on empty(4,5).t() (20 values, scalar path)", s, torch.empty(4, 5).t().normal_())
        S(s); put("uniform_(-1,1) on channels_last (1,2,2,3)", s, torch.empty(1, 2, 2, 3).to(memory_format=torch.channels_last).uniform_(-1, 1), dep=True)


def numpy_part(o, seeds, sizes, P):
    import numpy as np
    for s in seeds:
        if s < 2**32:
            def R():
                return np.random.RandomState(s)
            for n in list(sizes) + [P["digest_n"] + 1]:
                dg = n > 5000

                def put(fn, a, args=None):
                    o.add("numpy.RandomState", fn, s, a, args, digest=dg)
                put("mt19937 32-bit words", R().randint(0, 2**32, n, dtype=np.uint32))
                put("random_sample", R().random_sample(n))
                put("standard_normal", R().standard_normal(n))
                for a, b in P["uniform"]:
                    put("uniform", R().uniform(a, b, n), [a, b])
                for m, sd in P["normal"]:
                    put("normal", R().normal(m, sd, n), [m, sd])
                for lo, hi in P["randint"]:
                    put("randint(int64)", R().randint(lo, hi, n, dtype=np.int64), [lo, hi])
                for hi in P["np_small"]:
                    put("randint(uint8)", R().randint(0, hi, n, dtype=np.uint8), [0, hi])
                    put("randint(uint16)", R().randint(0, hi * 5, n, dtype=np.uint16), [0, hi * 5])
                put("randint(bool)", R().randint(0, 2, n, dtype=bool))
                put("permutation", R().permutation(n).astype(np.int64))
            for n, k in P["choice"]:
                o.add("numpy.RandomState", "choice(n,k) replace", s, R().choice(n, k).astype(np.int64), [n, k])
                o.add("numpy.RandomState", "choice(n,k,replace=False)", s, R().choice(n, k, replace=False).astype(np.int64), [n, k])
            r = R()
            o.add("numpy.RandomState", "sequence: randn(3), random_sample(2), randn(2)", s, np.concatenate([r.randn(3), r.random_sample(2), r.randn(2)]))
            o.add("numpy.RandomState", "seed = array [seed, 7, 9]: random_sample", s, np.random.RandomState([s, 7, 9]).random_sample(5))
        o.add("numpy.SeedSequence", "SeedSequence(seed).generate_state(10, uint32)", s, np.random.SeedSequence(s).generate_state(10))
        o.add("numpy.SeedSequence", "SeedSequence(seed).spawn(3)[2].generate_state(4)", s, np.random.SeedSequence(s).spawn(3)[2].generate_state(4))
        o.add("numpy.MT19937", "Generator bit stream, random_raw", s, np.random.MT19937(s).random_raw(6).astype(np.uint64))
        for bg in (np.random.PCG64, np.random.Philox):
            lib = "numpy." + bg.__name__

            def G():
                return np.random.Generator(bg(s))
            for n in list(sizes) + [P["digest_n"] + 1]:
                dg = n > 5000

                def put(fn, a, args=None):
                    o.add(lib, fn, s, a, args, digest=dg)
                put("random_raw", bg(s).random_raw(n).astype(np.uint64))
                put("random", G().random(n)); put("random f32", G().random(n, dtype=np.float32))
                put("standard_normal", G().standard_normal(n))
                for lo, hi in P["randint"]:
                    put("integers(int64)", G().integers(lo, hi, n), [lo, hi])
                for hi in P["np_small"]:
                    put("integers(uint8)", G().integers(0, hi, n, dtype=np.uint8), [0, hi])
                put("permutation", G().permutation(n).astype(np.int64))
            for n, k in P["choice"]:
                o.add(lib, "choice(n,k,replace=False)", s, G().choice(n, k, replace=False), [n, k])
                o.add(lib, "choice(n,k,replace=False,shuffle=False)", s, G().choice(n, k, replace=False, shuffle=False), [n, k])
            g = G()
            o.add(lib, "sequence: random f32 x1, permutation(5) as f64, random x2", s,
                  np.concatenate([g.random(1, dtype=np.float32).astype(np.float64), g.permutation(5).astype(np.float64), g.random(2)]))


def python_part(o, seeds, sizes, P):
    import numpy as np
    for s in seeds:
        def R():
            return random.Random(s)
        for n in sizes:
            r = R(); o.add("python", "random()", s, np.array([r.random() for _ in range(n)]))
            r = R(); o.add("python", "gauss(0,1)", s, np.array([r.gauss(0, 1) for _ in range(n)]))
            r = R(); o.add("python", "normalvariate(0,1)", s, np.array([r.normalvariate(0, 1) for _ in range(n)]))
            r = R(); x = list(range(n)); r.shuffle(x); o.add("python", "shuffle(range(n))", s, np.array(x, np.int64))
        for k in P["getrandbits"]:
            r = R(); o.add("python", "getrandbits", s, np.array([r.getrandbits(k) for _ in range(5)], np.uint64), [k])
        for m in P["randrange"]:
            r = R(); o.add("python", "randrange", s, np.array([r.randrange(m) for _ in range(9)], np.uint64), [m])
        for n, k in P["sample"]:
            r = R(); o.add("python", "sample(range(n),k)", s, np.array(r.sample(range(n), k), np.int64), [n, k])
        for a, b in P["uniform"]:
            r = R(); o.add("python", "uniform", s, np.array([r.uniform(a, b) for _ in range(5)]), [a, b])
        r = R(); o.add("python", "choices(range(10),k=9)", s, np.array(r.choices(range(10), k=9), np.int64))
        r = R(); n = P["digest_n"]; o.add("python", "random()", s, np.array([r.random() for _ in range(n)]), digest=True)
        r = R(); x = list(range(n)); r.shuffle(x); o.add("python", "shuffle(range(n))", s, np.array(x, np.int64), digest=True)
    for st in P["strings"]:
        r = random.Random(st); o.add("python", "seed(str): random()", st, np.array([r.random() for _ in range(5)]))


# counter-based generators: plain integer reference, checked against published known answers
def philox4x32_10(ctr, key):
    x, k = list(ctr), list(key)
    for r in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(b >> 32) ^ x[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ x[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x


def threefry2x32_20(key, ctr):
    ks = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA]
    a, b = (ctr[0] + ks[0]) & 0xFFFFFFFF, (ctr[1] + ks[1]) & 0xFFFFFFFF
    for g in range(5):
        for r in ((13, 15, 26, 6), (17, 29, 16, 24))[g & 1]:
            a = (a + b) & 0xFFFFFFFF
            b = (((b << r) | (b >> (32 - r))) & 0xFFFFFFFF) ^ a
        a = (a + ks[(g + 1) % 3]) & 0xFFFFFFFF
        b = (b + ks[(g + 2) % 3] + g + 1) & 0xFFFFFFFF
    return [a, b]


def counter_part(o, seeds, sizes, P):
    import numpy as np
    assert philox4x32_10([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox4x32_10([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    assert threefry2x32_20([0, 0], [0, 0]) == [0x6B200159, 0x99BA4EFE]
    assert threefry2x32_20([0xFFFFFFFF] * 2, [0xFFFFFFFF] * 2) == [0x1CB996FC, 0xBB002BE7]
    assert [threefry2x32_20([0, 0], [0, i]) for i in (0, 1)] == [[1797259609, 2579123966], [928981903, 3453687069]]
    M = 0xFFFFFFFF
    for s in seeds:
        for sub, off in ((0, 0), (5, 3), (2**33 + 7, 2**32 + 1)):
            w = []
            for i in range(3):
                c = off + i
                w += philox4x32_10([c & M, c >> 32, sub & M, sub >> 32], [s & M, s >> 32])
            w = np.array(w, np.uint32)
            o.add("philox4x32-10", "words of subsequence, from 128-bit block offset (cuRAND/PyTorch counter layout)", s, w, [sub, off])
            u = (w.astype(np.float32).astype(np.float64) * 2.0**-32 + 2.0**-33).astype(np.float32)
            o.add("philox4x32-10", "cuRAND uniform f32 in (0,1] of those words (derived from source, not run on a GPU)", s, u, [sub, off])
        k = [s >> 32, s & M]
        o.add("threefry2x32-20", "JAX key(seed) split(4), threefry_partitionable=True (derived)", s, np.array([threefry2x32_20(k, [0, i]) for i in range(4)], np.uint32).reshape(-1))
        cnt = list(range(8)); a = [threefry2x32_20(k, [cnt[i], cnt[i + 4]]) for i in range(4)]
        o.add("threefry2x32-20", "JAX key(seed) split(4), threefry_partitionable=False (derived)", s, np.array([v[0] for v in a] + [v[1] for v in a], np.uint32))
        o.add("threefry2x32-20", "JAX random.bits(key(seed),(5,),uint32), threefry_partitionable=True (derived)", s, np.array([x ^ y for x, y in (threefry2x32_20(k, [0, i]) for i in range(5))], np.uint32))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", required=True)
    ap.add_argument("--seeds", default="0,1,1234,2147483648,9223372036854775808")
    ap.add_argument("--sizes", default="1,2,3,8,15,16,17,33")
    ap.add_argument("--np-extra", default="4294967295", help="RandomState seed used besides those below 2**32")
    ap.add_argument("--params", help="JSON file overriding entries of PARAMS")
    ap.add_argument("--torch-child", help=argparse.SUPPRESS)
    a = ap.parse_args()
    seeds = [int(x) for x in a.seeds.split(",")]
    sizes = [int(x) for x in a.sizes.split(",")]
    P = dict(PARAMS)
    if a.params:
        P.update(json.load(open(a.params)))
    o = Out()
    o.smaller = set(sizes) - {max(sizes)}
    if a.torch_child:
        torch_part(o, seeds, sizes, P, a.torch_child)
        json.dump([o.cases, o.digests], open(a.out, "w"))
        return
    import numpy as np, torch
    for cap in ("avx2", "default"):
        env = dict(os.environ, ATEN_CPU_CAPABILITY=cap, OMP_NUM_THREADS="1")
        tmp = a.out + ".part"
        subprocess.run([sys.executable, os.path.abspath(__file__), "--torch-child", cap, "--out", tmp, "--seeds", a.seeds, "--sizes", a.sizes]
                       + (["--params", a.params] if a.params else []), env=env, check=True)
        c, d = json.load(open(tmp)); os.remove(tmp)
        o.cases += c; o.digests += d
    numpy_part(o, seeds + [int(a.np_extra)], sizes, P)   # RandomState takes seeds below 2**32 only
    python_part(o, seeds, sizes, P)
    counter_part(o, seeds, sizes, P)
    with open(a.out, "w") as f:
        f.write("# torch %s%s, NumPy %s, Python %s; made by make_rng_parity.py\n" % (
            torch.__version__, "" if torch.backends.mkl.is_available() else " without MKL", np.__version__, sys.version.split()[0]))
        for c in o.cases + o.digests:
            args = json.dumps(c["args"], separators=(",", ":")) if "args" in c else ""
            f.write("\t".join([c["lib"], c["fn"], c["seed"], c.get("cap", ""), args, c["dtype"], str(c["n"]),
                               c["bits"] if "bits" in c else "#" + c["hash"]]) + "\n")
    print(len(o.cases), "cases,", len(o.digests), "digests,", os.path.getsize(a.out), "bytes")


if __name__ == "__main__":
    main()
