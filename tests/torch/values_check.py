"""Values that the driver's double works out (driver/formula.h): each expression below of a few numbers, on the GPU and on the
CPU; then what programs ask of a loss that nobody computed. Between them kernels run that may have written anything."""

import math
import time

import torch
from torch import nn

GPU = torch.device("cuda")
NAN, INF = math.nan, math.inf
LIST = [5, 7, 1]
OTHER = [5, 2, 9]

ALL_TYPES = {
    "greater": lambda x, y: x > y, "at least": lambda x, y: x >= y, "less": lambda x, y: x < y,
    "at most": lambda x, y: x <= y, "equal": lambda x, y: x == y, "unequal": lambda x, y: x != y,
    "than a number": lambda x, y: torch.stack([x > 5, x >= 5, x < 5, x <= 5, x == 5, x != 5, 5 > x]),
    "add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "scaled": lambda x, y: torch.add(x, y, alpha=2),
    "add a number": lambda x, y: x + 3, "from a number": lambda x, y: 9 - x, "offset": lambda x, y: 0 + x[0],
    "multiply": lambda x, y: x * y, "by a number": lambda x, y: x * 3, "absolute": lambda x, y: torch.abs(x),
    "sum": lambda x, y: x.sum(dtype=x.dtype), "of a part": lambda x, y: x[1:].sum(dtype=x.dtype),
    "max": lambda x, y: x.max(), "min": lambda x, y: x.min(), "Python's max": lambda x, y: max([x[0], y[0], x[1], y[2]]),
    "all": lambda x, y: (x == y).all(), "any": lambda x, y: (x == y).any(),
    "cat": lambda x, y: torch.cat([x, y, x]), "cat of parts": lambda x, y: torch.cat([x[:2], y[1:]]),
    "full": lambda x, y: torch.full((3,), 7, dtype=x.dtype, device=x.device) * 2,
}
REAL_TYPES = {
    "divide": lambda x, y: x / y, "by a number": lambda x, y: x / 4,
    "isnan": lambda x, y: torch.isnan(x).any(), "a nan": lambda x, y: torch.isnan(x * NAN).any(),
    "max of nan": lambda x, y: torch.cat([x, y * NAN]).max(),
    "isfinite": lambda x, y: torch.isfinite(x).all(), "an inf": lambda x, y: torch.isfinite(x / 0).all(),
    "isinf": lambda x, y: torch.isinf(torch.cat([x, y / 0])).any(),
}


def busy():
    torch.relu(torch.randn(64, 64, device=GPU) @ torch.randn(64, 64, device=GPU))


def same(what, expression, *tensors):
    wanted = expression(*tensors)
    busy()
    got = expression(*[tensor.to(GPU) for tensor in tensors]).cpu()
    assert got.dtype == wanted.dtype and torch.allclose(got.double(), wanted.double(), equal_nan=True), (what, wanted, got)


def expressions():
    n = 0
    for dtype in torch.int64, torch.int32, torch.uint8, torch.float32, torch.float64:
        x, y = torch.tensor(LIST, dtype=dtype), torch.tensor(OTHER, dtype=dtype)
        some = {**ALL_TYPES, **(REAL_TYPES if dtype.is_floating_point else {})}
        for what, expression in some.items():
            same((what, dtype), expression, x, y)
        long = torch.arange(1000).remainder(100).to(dtype)
        same(("long sum", dtype), lambda x: x.sum(dtype=x.dtype), long)
        same(("long max", dtype), lambda x: x.max(), long)
        n += len(some) + 2
    return n


def joined():
    """Sizes for which PyTorch takes other kernels, and big ones, which are read back as they are."""
    for first, second in (16, 16), (16, 3), (48, 48), (5, 100000):
        x = torch.randint(255, (first + second,), dtype=torch.uint8)
        same((first, second), lambda x: torch.cat([x[:first], x[first:]]), x)


def losses():
    model, x = nn.Linear(400, 900).to(GPU), torch.randn(3, 400).to(GPU)
    loss = model(x).pow(2).mean()
    loss.backward()
    for value in loss, x, model.weight.grad:
        assert torch.isfinite(value).all() and not torch.isnan(value).any() and not torch.isinf(value).any()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    assert loss.item() == 0 and (loss + 1).item() == 0  # nobody computed it, nor what comes of it


def main():
    n = expressions()
    joined()
    losses()
    time.sleep(0.3)  # a thread of autograd that ends with the interpreter aborts the process
    print(f"PyTorch {torch.__version__}: {n} expressions")


main()
