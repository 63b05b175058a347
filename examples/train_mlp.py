#!/usr/bin/env python3
"""The reference of train_mlp.cpp, in PyTorch: prints the same lines."""
import sys

try:
    import torch
    from torch.nn import functional as F
except ImportError as missing:
    sys.exit("skipped: %s" % missing)

torch.manual_seed(1234)
first, second = torch.nn.Linear(4, 16), torch.nn.Linear(16, 1)
x = torch.randn(64, 4)
y = x[:, 0] - 2 * x[:, 1]
print("w1[0] = %.7f %.7f %.7f %.7f" % tuple(first.weight[0].tolist()))

optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.01)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=1, shuffle=True)
for epoch in range(20):
    loss = 0.0
    for inputs, target in data:
        optimizer.zero_grad()
        error = second(F.dropout(F.relu(first(inputs)), 0.1)).squeeze() - target.squeeze()
        error.square().backward()
        optimizer.step()
        loss += error.item() ** 2 / 64
print("loss %.4f" % loss)
