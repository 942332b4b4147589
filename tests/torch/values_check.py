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
    "to int64": lambda x, y: x.long(), "to int32": lambda x, y: x.int(), "to bool": lambda x, y: (x - 5).bool(), "to uint8": lambda x, y: x.byte(),
    "to float32": lambda x, y: x.float(), "to float64": lambda x, y: x.double(), "from bool": lambda x, y: (x > 1).to(x.dtype),
    "remainder": lambda x, y: x % y, "by a number, remainder": lambda x, y: x % 3,
    "larger": lambda x, y: torch.maximum(x, y), "smaller": lambda x, y: torch.minimum(x, y), "not": lambda x, y: torch.logical_not(x - 5),
    "both": lambda x, y: torch.logical_and(x - 5, y), "either": lambda x, y: torch.logical_or(x - 5, y - 5), "one": lambda x, y: torch.logical_xor(x - 5, y),
    "where": lambda x, y: torch.where(x > y, x, y), "where a number": lambda x, y: torch.where(x > y, x, 0), "masked": lambda x, y: x.masked_fill(x > y, 4),
    "assigned by a mask": lambda x, y: assigned(x, x > y, 3), "assigned": lambda x, y: assigned(x, 1, 3), "a column assigned": lambda x, y: assigned(table(x, y), (slice(None), 1), 3),
    "arange": lambda x, y: torch.arange(7, dtype=x.dtype, device=x.device), "arange with a step": lambda x, y: torch.arange(3, 12, 4, dtype=x.dtype, device=x.device),
    "any of numbers": lambda x, y: torch.stack([x.any(), (x - x).any(), x.all(), (x - 5).all()]),
    "argmax": lambda x, y: x.argmax(), "argmin": lambda x, y: y.argmin(), "argmax of equals": lambda x, y: torch.cat([x, x]).argmax(),
    "isin": lambda x, y: torch.isin(x, y), "isin a number": lambda x, y: torch.isin(x, 7), "not in": lambda x, y: torch.isin(x, y, invert=True),
    "equal to a tensor": lambda x, y: torch.tensor(torch.equal(x, x + 0) and not torch.equal(x, y)),
    "rows": lambda x, y: table(x, y).sum(-1, dtype=x.dtype), "columns": lambda x, y: table(x, y).sum(0, dtype=x.dtype),
    "row's max": lambda x, y: table(x, y).amax(-1), "row's max and place": lambda x, y: torch.cat([part.to(x.dtype) for part in table(x, y).max(-1)]),
    "column's min and place": lambda x, y: torch.cat([part.to(x.dtype) for part in table(x, y).min(0)]), "argmax of rows": lambda x, y: table(x, y).argmax(-1),
    "argmax of columns": lambda x, y: table(x, y).argmax(0), "argmin of a view": lambda x, y: table(x, y).t().argmin(1), "any of rows": lambda x, y: (table(x, y) == 2).any(-1),
    "all of columns": lambda x, y: (table(x, y) > 1).all(0), "a column": lambda x, y: table(x, y)[:, -1] + 1, "columns compared": lambda x, y: table(x, y)[:, :2] == table(x, y)[:, 1:],
    "columns and fractions": lambda x, y: torch.stack([table(x, y)[:, 1:] < 4.5, table(x, y)[:, 1:] == 4.5, 4.5 >= table(x, y)[:, :2]]), "halved columns": lambda x, y: table(x, y)[:, :2] * 0.5,
    "a column to": lambda x, y: table(x, y)[:, 1].float(), "broadcast": lambda x, y: x[:, None] >= y[None], "broadcast over types": lambda x, y: x[:, None] * (y > 3),
    "mixed types": lambda x, y: x + y.double(), "transposed": lambda x, y: table(x, y).t().contiguous(), "cat of columns": lambda x, y: torch.cat([table(x, y), table(x, y)[:, 1:]], -1),
    "cat of views": lambda x, y: torch.cat([table(x, y).t(), table(y, x).t()], 1), "expanded": lambda x, y: (x[:1].expand(70) + 1).sum(dtype=x.dtype),
    "one more": lambda x, y: torch.cat([table(x, y), x[:2, None]], -1), "mean": lambda x, y: (x > 2).float().mean(), "how many": lambda x, y: (x == y).sum(), "how many in rows": lambda x, y: (table(x, y) > 4).sum(-1),
    "of a bigger table": lambda x, y: (torch.arange(600, dtype=torch.int64, device=x.device).view(20, 30) % 17).to(x.dtype).argmax(-1),
}
WHOLE_TYPES = {
    "and": lambda x, y: x & y, "or": lambda x, y: x | y, "exclusive or": lambda x, y: x ^ y, "inverted": lambda x, y: ~x, "or a number": lambda x, y: x | 8, "and flags": lambda x, y: x & (y > 3),
}
BOOL_TYPES = {
    "and": lambda x, y: x & y, "or": lambda x, y: x | y, "exclusive or": lambda x, y: x ^ y, "inverted": lambda x, y: ~x, "in place": lambda x, y: assigned(x, slice(None), ~y), "equal": lambda x, y: x == y,
    "sum": lambda x, y: x.sum(), "any": lambda x, y: table(x, y).any(-1), "all": lambda x, y: table(x, y).all(0), "add": lambda x, y: x + y, "multiply": lambda x, y: x * y, "max": lambda x, y: x.max(),
    "cat": lambda x, y: torch.cat([x, y[:2]]), "to float": lambda x, y: x.float(), "where": lambda x, y: torch.where(x, y, ~y), "masked": lambda x, y: x.masked_fill(y, False), "both": lambda x, y: torch.logical_and(x, y),
    "not": lambda x, y: torch.logical_not(x), "full": lambda x, y: torch.full((3,), True, device=x.device), "argmax": lambda x, y: x.int().argmax(),
}
SIGNED_TYPES = {
    "negative": lambda x, y: -x, "remainder of negatives": lambda x, y: torch.cat([-x % 3, -x % y, x % -y]), "floor": lambda x, y: torch.cat([x // y, -x // y, x // -y]), "absolute": lambda x, y: (y - x).abs(),
}
REAL_TYPES = {
    "divide": lambda x, y: x / y, "by a number": lambda x, y: x / 4,
    "isnan": lambda x, y: torch.isnan(x).any(), "a nan": lambda x, y: torch.isnan(x * NAN).any(),
    "max of nan": lambda x, y: torch.cat([x, y * NAN]).max(),
    "isfinite": lambda x, y: torch.isfinite(x).all(), "an inf": lambda x, y: torch.isfinite(x / 0).all(),
    "cut": lambda x, y: (x / 4).long(), "cut below zero": lambda x, y: (-x / 4).int(), "argmax of nan": lambda x, y: torch.cat([x, y * NAN]).argmax(), "larger of nan": lambda x, y: torch.maximum(x, y * NAN),
    "mean of rows": lambda x, y: table(x, y).mean(-1), "close": lambda x, y: torch.tensor(torch.allclose(x, x + 1e-7) and not torch.allclose(x, y)), "nan to bool": lambda x, y: (x * NAN).bool(),
    "fractions": lambda x, y: torch.arange(0, 1, 0.25, dtype=x.dtype, device=x.device), "by integers": lambda x, y: x * y.long(), "integers divided": lambda x, y: x.long() / y.long(),
    "isinf": lambda x, y: torch.isinf(torch.cat([x, y / 0])).any(),
}


def table(x, y):
    return torch.stack([x, y])


def assigned(x, where, what):
    x = x.clone()
    x[where] = what
    return x


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
        some = {**ALL_TYPES, **(REAL_TYPES if dtype.is_floating_point else WHOLE_TYPES), **(SIGNED_TYPES if dtype.is_signed else {})}
        for what, expression in some.items():
            same((what, dtype), expression, x, y)
        long = torch.arange(1000).remainder(100).to(dtype)
        same(("long sum", dtype), lambda x: x.sum(dtype=x.dtype), long)
        same(("long max", dtype), lambda x: x.max(), long)
        n += len(some) + 2
    for what, expression in BOOL_TYPES.items():
        same((what, torch.bool), expression, torch.tensor([True, False, True]), torch.tensor([True, True, False]))
    return n + len(BOOL_TYPES)


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
