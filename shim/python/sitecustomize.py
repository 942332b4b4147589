"""Runs at the start of every Python of a recorded job (`baton record` puts this directory first on PYTHONPATH): marks the end of
each step of PyTorch's optimizers in the trace. It imports nothing by itself. When the job imports torch.optim.optimizer, PyTorch's
public hook for that is registered there; without libbaton.so in the process nothing happens.

It leaves no trace in sys.path and hands on to the sitecustomize that would have run without it.
"""
import os
import sys

OPTIMIZER = "torch.optim.optimizer"
NAMES_MOST = 4096


def hook(mark, torch, can_ask):
    """What PyTorch calls after each optimizer.step(); `mark` is libbaton.so's function."""
    import weakref

    names = weakref.WeakKeyDictionary()  # an id is given to the next optimizer when one is gone
    given = [0]

    def name_of(optimizer):
        given[0] = min(given[0] + 1, NAMES_MOST)
        name = ("%s %d" % (type(optimizer).__name__, given[0] % NAMES_MOST)).encode("utf-8", "replace")
        names[optimizer] = name
        return name

    def after_step(optimizer, args, kwargs):
        mark(names.get(optimizer) or name_of(optimizer))

    def after_step_not_compiled(optimizer, args, kwargs):
        if torch.compiler.is_compiling():  # an unknown function would break the compiled graph
            return
        mark(names.get(optimizer) or name_of(optimizer))

    return after_step_not_compiled if can_ask else after_step


def can_ask_compiler(torch):
    """torch.compiler is not imported yet while torch.optim is."""
    try:
        with open(os.path.join(os.path.dirname(torch.__file__), "compiler", "__init__.py"), "rb") as source:
            return b"def is_compiling" in source.read()
    except (AttributeError, OSError):
        return False


def register(module):
    import ctypes

    torch = sys.modules["torch"]
    mark = ctypes.PyDLL(None).baton_optimizer_step
    mark.argtypes, mark.restype = [ctypes.c_char_p], None
    module.register_optimizer_step_post_hook(hook(mark, torch, can_ask_compiler(torch)))


def wrap(loader):
    """Once, when the loader has run the module: the hook."""
    run = loader.exec_module

    def exec_module(module):
        del loader.exec_module
        run(module)
        try:
            register(module)
        except Exception:
            pass  # no libbaton.so here, or a PyTorch without the hook: steps are found otherwise

    try:
        loader.exec_module = exec_module
    except Exception:
        pass  # a loader of another kind


class Finder(object):
    """On sys.meta_path until torch.optim.optimizer is found, by the others."""

    def find_spec(self, name, path=None, target=None):
        if name != OPTIMIZER:
            return None
        for finder in list(sys.meta_path):
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec is not None:
                break
        else:
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        if spec.loader is not None and hasattr(spec.loader, "exec_module"):
            wrap(spec.loader)
        return spec


if sys.version_info >= (3, 6) and os.environ.get("BATON_OUT") and os.environ.get("BATON_STEP_MARKS") != "off":
    sys.meta_path.insert(0, Finder())

# As if this file were not there: its place on the path is given up, and the next sitecustomize runs. That there is none is an
# ImportError, which is what site.py would have met.
sys.path[:] = [entry for entry in sys.path if entry != os.path.dirname(__file__)]
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402,F401
