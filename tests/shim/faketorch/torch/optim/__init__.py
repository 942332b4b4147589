from .optimizer import SGD, AdamW  # noqa: F401
