"""As much of PyTorch as its optimizer hooks need."""
from . import optim  # noqa: F401  (before compiler, as PyTorch does)
from . import compiler  # noqa: F401
