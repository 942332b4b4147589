"""Random expressions on random views of small tensors, on the GPU and on the CPU: what the double works out is what the CPU says, and
what it does not work out reads as zeros. Keeps out values read from arguments that are laid out otherwise than was thought."""

import random
import sys

import torch

TYPES = torch.int64, torch.int32, torch.uint8, torch.float32, torch.float64, torch.bool
ONE = {
    "negative": lambda x: -x, "absolute": lambda x: x.abs(), "inverted": lambda x: ~x, "not": lambda x: x.logical_not(), "long": lambda x: x.long(), "float": lambda x: x.float(),
    "bool": lambda x: x.bool(), "int": lambda x: x.int(), "add": lambda x: x + 3, "multiply": lambda x: x * 2.5, "from": lambda x: 7 - x, "equal": lambda x: x == 2, "less": lambda x: x < 1.5,
    "at least": lambda x: x >= 2, "remainder": lambda x: x % 3, "floor": lambda x: x // 2, "contiguous": lambda x: x.contiguous(), "masked": lambda x: x.masked_fill(x > 1, 1),
    "where": lambda x: torch.where(x > 1, x, 1), "or": lambda x: x | 1, "picked": lambda x: torch.where(x > 0, x, x[:1]), "power": lambda x: x.double().pow(3),
}
REDUCED = {name: lambda x, d, name=name: getattr(x, name)(d) for name in ("sum", "any", "all", "amax", "amin", "argmax", "argmin")}
REDUCED |= {
    "max": lambda x, d: torch.cat([part.double() for part in x.max(d)]), "min": lambda x, d: torch.cat([part.double() for part in x.min(d)]), "mean": lambda x, d: x.float().mean(d),
    "of two": lambda x, d: x.sum((0, -1)), "of all": lambda x, d: x.sum(), "max of all": lambda x, d: x.max(), "place of all": lambda x, d: x.argmax(),
}
TWO = {
    "add": lambda x, y: x + y, "multiply": lambda x, y: x * y, "equal": lambda x, y: x == y, "less": lambda x, y: x < y, "and": lambda x, y: x & y, "or": lambda x, y: x | y, "both": torch.logical_and,
    "larger": torch.maximum, "smaller": torch.minimum, "where": lambda x, y: torch.where(x > y, x, y), "cat": lambda x, y: torch.cat([x, y], -1), "stack": lambda x, y: torch.stack([x, y], -1),
    "isin": lambda x, y: torch.isin(x, y.flatten()[:3]), "divide": lambda x, y: x / y, "subtract": lambda x, y: torch.sub(x, y, alpha=2), "assigned": lambda x, y: x.clone().copy_(y),
}


def tensor(draw, shape):
    dtype = draw.choice(TYPES)
    return torch.tensor([draw.randrange(6) for _ in range(torch.Size(shape).numel())]).view(shape).to(dtype)


def view_of(draw, shape):
    """A function that makes a view: dimensions in another order, a part of one, one that is repeated."""
    order = list(range(len(shape)))
    draw.shuffle(order)
    along, begin, step, times = draw.randrange(len(shape)), draw.choice((0, 0, 1)), draw.choice((1, 1, 2)), draw.choice((1, 1, 5))

    def view(x):
        x = x.permute(order)
        x = x[(slice(None),) * along + (slice(begin if x.shape[along] > 1 else 0, None, step),)]
        return x.expand([times if size == 1 else size for size in x.shape])
    return view


def expression(draw, shape):
    """Its name, what it does to a tensor and another, and the other."""
    view, other, along = view_of(draw, shape), None, draw.randrange(len(shape))
    name, function = draw.choice([*ONE.items(), *REDUCED.items(), *TWO.items()])
    if function is TWO.get(name):
        other = tensor(draw, [size if draw.random() < 0.8 else 1 for size in view(torch.empty(shape)).shape])
        return name, lambda x, y: function(view(x), y), other
    if function is REDUCED.get(name):
        return name, lambda x, y: function(view(x), along), other
    return name, lambda x, y: function(view(x)), other


def attempt(draw):
    """1: equal; 0: all zeros; None: the CPU refuses."""
    shape = [draw.choice((1, 2, 3, 4, 8, 17)) for _ in range(draw.choice((1, 2, 2, 3)))] if draw.random() < 0.8 else [draw.choice((20, 64, 130)), draw.choice((3, 8))]
    x, (name, function, other) = tensor(draw, shape), expression(draw, shape)
    try:
        wanted = function(x, other)
    except (RuntimeError, IndexError, TypeError):
        return None
    torch.randn(9, device="cuda")  # may have written anything
    got = function(x.cuda(), other if other is None else other.cuda()).cpu()
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, name
    if torch.allclose(got.double(), wanted.double(), equal_nan=True):
        return 1
    assert not got.any(), (name, x.dtype, shape, wanted, got)
    return 0


def main():
    draw = random.Random(int(sys.argv[1]) if sys.argv[1:] else 1)
    found = [attempt(draw) for _ in range(1500)]
    equal, zeros = found.count(1), found.count(0)
    assert equal > 10 * zeros, (equal, zeros)
    print(f"PyTorch {torch.__version__}: {equal} random expressions as on the CPU, {zeros} read as zeros")


main()
