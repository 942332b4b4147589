# The doubles have every symbol that an unmodified PyTorch imports, under its version node: without one of them
# `import torch` ends in "undefined symbol".
exec "$PYTHON" tests/double/imports_check.py "$BUILD/simgpu" tools/simgpu/doubles/stubs/*.txt
