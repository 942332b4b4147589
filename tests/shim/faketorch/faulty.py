"""Imported first, it makes torch.optim.optimizer fail on its first import."""
import builtins
import sys

real = builtins.__import__
failed = []


def once(name, *arguments, **keywords):
    if "optimizer" in name and not failed and "torch.optim" in sys.modules:
        failed.append(name)
        raise ImportError("not yet")
    return real(name, *arguments, **keywords)


builtins.__import__ = once
