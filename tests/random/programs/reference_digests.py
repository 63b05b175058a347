#!/usr/bin/env python3
"""Prints what random_digests prints, from PyTorch, NumPy and Python: reference_digests.py <avx2|default> <seed> <n>
With a fourth argument, the path of random_digests, runs that and compares: the exit status is 1 if a line differs."""
import hashlib, os, random, subprocess, sys

capability, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.environ["ATEN_CPU_CAPABILITY"] = capability
try:
    import numpy as np, torch
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(0)
import torch.nn as nn

torch.set_num_threads(1)
lines = []


def put(name, values):
    if torch.is_tensor(values):
        values = values.detach().contiguous()
        values = (values.view(torch.int16) if values.dtype == torch.bfloat16 else values).numpy()
    lines.append("%s %s" % (name, hashlib.sha512(np.ascontiguousarray(values).tobytes()).hexdigest()[:16]))


def initialisers(line, vector):
    flat = lambda *parameters: torch.cat([p.detach().reshape(-1) for p in parameters])
    line("kaiming_uniform_", lambda: nn.init.kaiming_uniform_(torch.empty(n, 1)))
    line("kaiming_normal_" + vector, lambda: nn.init.kaiming_normal_(torch.empty(1, n), mode="fan_out", nonlinearity="relu"))
    line("xavier_uniform_", lambda: nn.init.xavier_uniform_(torch.empty(1, n), 2.0))
    line("Embedding" + vector, lambda: nn.Embedding(n, 1, padding_idx=1).weight)
    line("Linear", lambda: flat(*nn.Linear(1, n).parameters()))
    line("Conv2d", lambda: flat(*nn.Conv2d(2, n // 8, 3).parameters()))
    line("ConvTranspose2d", lambda: flat(*nn.ConvTranspose2d(n // 8, 4, 3).parameters()))
    line("LSTM", lambda: flat(*nn.LSTM(2, n // 1000 + 8).parameters()))

    def attention():
        m = nn.MultiheadAttention(n // 4000 * 2 + 16, 1)
        return flat(m.in_proj_weight, m.in_proj_bias, m.out_proj.weight, m.out_proj.bias)
    line("MultiheadAttention", attention)


def samplers(line):
    from torch.utils.data import DataLoader, RandomSampler, random_split, _utils
    indices = lambda sampler: torch.tensor(list(sampler))
    own = lambda: torch.Generator().manual_seed(seed)
    line("random_split", lambda: torch.tensor(sum((s.indices for s in random_split(range(n), [n - n // 2, n // 2])), [])))
    line("RandomSampler replacement", lambda: indices(RandomSampler(range(1000), True, n, own())))
    line("RandomSampler more", lambda: indices(RandomSampler(range(n // 3), False, n, own())))

    def loaded():
        loader = DataLoader(torch.arange(n), batch_size=n, shuffle=True, generator=own())
        list(loader)
        return torch.cat(list(loader))
    line("DataLoader generator", loaded)
    words = [w for worker in range(100) for w in _utils.worker._generate_state(seed >> 1, worker)]
    lines.append("torch.worker seeds %s" % hashlib.sha512(np.array(words, dtype=np.uint32).tobytes()).hexdigest()[:16])


def torch_lines():
    def line(name, fill):
        torch.manual_seed(seed)
        put("torch." + name, fill())
    floats = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}
    vector = " [libm]" if capability == "default" else ""
    for name, dtype in floats.items():
        libm = vector if name == "f32" else " [libm]"
        empty = lambda: torch.empty(n, dtype=dtype)
        line("rand " + name, lambda: torch.rand(n, dtype=dtype))
        line("uniform_ " + name, lambda: empty().uniform_(-0.1, 0.7))
        line("randn " + name + libm, lambda: torch.randn(n, dtype=dtype))
        line("normal_ " + name + libm, lambda: empty().normal_(0.5, 0.02))
        line("normal_ strided " + name + " [libm]", lambda: torch.empty(n, 2, dtype=dtype)[:, 0].normal_(0.5, 0.02))
        line("exponential_ " + name + " [libm]", lambda: empty().exponential_(1.5))
        line("random_ " + name, lambda: empty().random_())
        line("randint " + name, lambda: torch.randint(-5, 100, (n,), dtype=dtype))
        # 1.13 has no bernoulli_ for float16; the draws do not depend on the type.
        line("bernoulli_ " + name, lambda: torch.empty(n, dtype=torch.float32).bernoulli_(0.3).to(dtype))
        inputs = ((torch.arange(n) % 7) - 3).to(dtype)
        if dtype == torch.float16:
            def dropout():
                noise = torch.empty(n, dtype=torch.float32).bernoulli_(0.7).to(dtype)
                return inputs * noise.div_(0.7)
            line("dropout " + name, dropout)
        else:
            line("dropout " + name, lambda: nn.functional.dropout(inputs, 0.3, True))
    for name, dtype in {"i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8}.items():
        line("random_ " + name, lambda: torch.empty(n, dtype=dtype).random_())
        line("randint " + name, lambda: torch.randint(0, 100, (n,), dtype=dtype))
        line("bernoulli_ " + name, lambda: torch.empty(n, dtype=dtype).bernoulli_(0.3))
    line("randint wide", lambda: torch.randint(-5, 1 << 40, (n,)))
    line("randint narrow", lambda: torch.randint(0, 0xffffffff, (n,)))
    line("randperm", lambda: torch.randperm(n))
    line("bernoulli tensor f32", lambda: torch.bernoulli(torch.full((n,), 0.3)))
    line("bernoulli tensor f64", lambda: torch.bernoulli(torch.full((n,), 0.3, dtype=torch.float64)))
    line("trunc_normal_ [libm]", lambda: nn.init.trunc_normal_(torch.empty(n), 0.0, 0.02, -0.04, 0.03))
    line("random_ bool", lambda: torch.empty(n, dtype=torch.bool).random_().view(torch.uint8))
    initialisers(line, vector)
    samplers(line)
    line("xavier_normal_" + vector, lambda: nn.init.xavier_normal_(torch.empty(n, 1)))

    torch.manual_seed(seed)
    flat = lambda model: torch.cat([p.detach().reshape(-1) for p in model.parameters()])
    put("torch.mlp", flat(nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))))
    put("torch.cnn", flat(nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 16, 3), nn.Flatten(), nn.Linear(16 * 64, 10))))
    put("torch.epoch", torch.cat(list(torch.utils.data.DataLoader(torch.arange(1000), batch_size=32, shuffle=True))))
    put("torch.dropout masks", torch.cat([nn.functional.dropout(torch.ones(32, 128), 0.5, True).reshape(-1) for _ in range(10)]))
    put("torch.state", torch.get_rng_state())


def numpy_lines():
    def line(name, fill):
        put("RandomState." + name, fill(np.random.RandomState(seed & 0xffffffff)))
    line("random_sample", lambda s: s.random_sample(n))
    line("uniform", lambda s: s.uniform(-0.1, 0.7, n))
    line("standard_normal [libm]", lambda s: s.standard_normal(n))
    line("normal [libm]", lambda s: s.normal(0.5, 0.02, n))
    line("randint i64", lambda s: s.randint(-5, 100, n, dtype=np.int64))
    line("randint wide", lambda s: s.randint(-5, 3 << 40, n, dtype=np.int64))
    line("randint i32", lambda s: s.randint(-5, 100, n, dtype=np.int32))
    line("randint u16", lambda s: s.randint(0, 1000, n, dtype=np.uint16))
    line("randint u8", lambda s: s.randint(0, 100, n, dtype=np.uint8))
    line("permutation", lambda s: s.permutation(n).astype(np.int64))
    line("choice p", lambda s: s.choice(4, n, p=[0.1, 0.2, 0.3, 0.4]).astype(np.int64))
    line("choice few", lambda s: s.choice(2 * n, n, replace=False))
    line("choice replace", lambda s: s.choice(1000, n))

    def shuffled(s):
        x = np.arange(n)
        s.shuffle(x)
        return x
    line("shuffle", shuffled)
    line("randint bool", lambda s: s.randint(0, 2, n, dtype=bool))
    root = np.random.SeedSequence(seed)
    put("SeedSequence.generate_state", root.generate_state(n))
    put("SeedSequence.spawn", root.spawn(2)[1].spawn(1)[0].generate_state(n, np.uint64))
    for bits in (np.random.PCG64, np.random.Philox, np.random.MT19937):
        def line(name, fill):
            put(bits.__name__ + "." + name, fill(np.random.Generator(bits(seed))))
        line("random", lambda g: g.random(n))
        line("random f32", lambda g: g.random(n, dtype=np.float32))
        line("uniform", lambda g: g.uniform(-0.1, 0.7, n))
        line("standard_normal [libm]", lambda g: g.standard_normal(n))
        line("normal [libm]", lambda g: g.normal(0.5, 0.02, n))
        line("integers i64", lambda g: g.integers(-5, 100, n))
        line("integers wide", lambda g: g.integers(-5, 3 << 40, n))
        line("integers i32", lambda g: g.integers(-5, 100, n, dtype=np.int32))
        line("integers u16", lambda g: g.integers(0, 1000, n, dtype=np.uint16))
        line("integers u8", lambda g: g.integers(0, 100, n, dtype=np.uint8))
        line("permutation", lambda g: g.permutation(n))
        line("choice few", lambda g: g.choice(100 * n, n, replace=False))
        line("choice many", lambda g: g.choice(4 * n, n, replace=False))


def python_lines():
    def line(name, dtype, fill):
        put("random." + name, np.array(fill(random.Random(seed)), dtype=dtype))
    def shuffled(r):
        x = list(range(n))
        r.shuffle(x)
        return x
    line("random", np.float64, lambda r: [r.random() for _ in range(n)])
    line("uniform", np.float64, lambda r: [r.uniform(-0.1, 0.7) for _ in range(n)])
    line("gauss [libm]", np.float64, lambda r: [r.gauss(0.5, 0.02) for _ in range(n)])
    line("normalvariate [libm]", np.float64, lambda r: [r.normalvariate(0.5, 0.02) for _ in range(n)])
    line("randint", np.int64, lambda r: [r.randint(-5, 100) for _ in range(n)])
    line("getrandbits", np.uint64, lambda r: [r.getrandbits(k % 64 + 1) for k in range(n)])
    line("randrange", np.int64, lambda r: [r.randrange(1000003) for _ in range(n)])
    text = random.Random("plumb")
    put("random.seed of a text", np.array([text.random() for _ in range(n)]))
    line("shuffle", np.int64, shuffled)
    line("sample", np.int64, lambda r: r.sample(range(20 * n), n))
    line("choices", np.int64, lambda r: r.choices(range(1000), k=n))


torch_lines()
if capability == "avx2":
    numpy_lines()
    python_lines()
if len(sys.argv) < 5:
    print("\n".join(lines))
    sys.exit(0)
ours = subprocess.run([sys.argv[4]] + sys.argv[1:4], check=True, capture_output=True, text=True).stdout.splitlines()
different = [(a, b) for a, b in zip(ours, lines) if a != b]
for a, b in different:
    print("here %s, there %s" % (a, b))
print("%s, seed %d: %d functions of %d values, %d differ" % (capability, seed, len(lines), n, len(different)))
sys.exit(0 if not different and len(ours) == len(lines) else 1)
