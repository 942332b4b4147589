"""Do PyTorch's operators behave the same with and without the recorder?

ops.py run LIST        forward and backward of the operators named in LIST on the GPU, one line per sample input: what came out, as shapes and
                       types, or the exception. No values: a simulated GPU computes none.
ops.py choose COUNT    every operator, each group of them twice in a process of its own; prints COUNT of those that behave the same both
                       times, spread evenly over the alphabet (how ops.txt was made)
"""
import re
import subprocess
import sys
import time
import types
import unittest
import warnings

SAMPLES = 2
GROUP = 25


def operators():
    """PyTorch's own list of its operators. That file asks for a package of its test suite, which the list does not use."""
    sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))
    from torch.testing._internal.common_methods_invocations import op_db
    return op_db


def tensors_of(value):
    import torch
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_of(part)


def shown(value):
    found = [f"{str(t.dtype)[6:]}{list(t.shape)}" for t in tensors_of(value)]
    return " ".join(found) or type(value).__name__


def forward_and_backward(op, sample):
    import torch
    out = op(sample.input, *sample.args, **sample.kwargs)
    said = shown(out)
    roots = [t for t in tensors_of(out) if t.requires_grad and t.dtype.is_floating_point]
    if roots:
        leaves = [t for t in tensors_of([sample.input, *sample.args, *sample.kwargs.values()]) if t.requires_grad]
        gradients = torch.autograd.grad([t.sum() for t in roots], leaves, allow_unused=True)
        said += " gradients " + shown([g for g in gradients if g is not None])
    torch.cuda.synchronize()
    return said


def outcome(call, *values):
    try:
        return call(*values)
    except Exception as error:  # which one is the outcome
        text = (str(error).splitlines() or [""])[0]
        return f"{type(error).__name__}: " + re.sub(r"0x[0-9a-f]+|\d+\.\d+|\d{3,}", "N", text)[:120]


def run(names):
    import torch
    warnings.simplefilter("ignore")
    torch.cuda.init()
    for op in operators():
        name = op.full_name
        if name not in names:
            continue
        torch.manual_seed(1)
        dtype = torch.float32 if torch.float32 in op.dtypes else sorted(op.dtypes, key=str)[0]
        gradients = op.supports_autograd and dtype.is_floating_point
        try:
            samples = [s for s, _ in zip(op.sample_inputs("cuda", dtype, requires_grad=gradients), range(SAMPLES))]
        except Exception as error:
            print(f"{name} samples: {type(error).__name__}", flush=True)
            continue
        for i, sample in enumerate(samples):
            print(f"{name} {i}: {outcome(forward_and_backward, op, sample)}", flush=True)


def lines_of(group):
    """What a process of its own says about a group; None when it came to a bad end."""
    try:
        done = subprocess.run([sys.executable, __file__, "run", "-"], input="\n".join(group), capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.splitlines() if done.returncode == 0 else None


def steady(group):
    """Those of a group that end well, with the same outcome twice."""
    first, second = lines_of(group), lines_of(group)
    if first is None or second is None:
        return [name for half in (group[: len(group) // 2], group[len(group) // 2:]) if half for name in steady(half)] if len(group) > 1 else []
    changed = {line.split()[0] for line in set(first) ^ set(second)}
    said = {line.split()[0] for line in first}
    return [name for name in group if name in said and name not in changed]


def choose(count):
    names = sorted({op.full_name for op in operators()})
    good = [name for at in range(0, len(names), GROUP) for name in steady(names[at: at + GROUP])]
    print(f"{len(names)} operators, {len(good)} steady", file=sys.stderr)
    print("\n".join(good[i * len(good) // count] for i in range(count)))


if __name__ == "__main__":
    if sys.argv[1] == "run":
        text = sys.stdin.read() if sys.argv[2] == "-" else open(sys.argv[2]).read()
        run(set(text.split()))
        time.sleep(0.3)
    else:
        choose(int(sys.argv[2]))
