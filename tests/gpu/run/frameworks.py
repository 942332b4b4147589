"""Small jobs of frameworks other than PyTorch: frameworks.py jax|cupy|triton|numba [STEPS]. Status 77: it is not here."""
import sys


def jax(steps):
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(weights, inputs):
        loss, slopes = jax.value_and_grad(lambda w: jnp.square(jnp.tanh(inputs @ w[0]) @ w[1]).mean())(weights)
        return [w - 0.1 * s for w, s in zip(weights, slopes)], loss

    key = jax.random.key(1)
    weights, inputs = [jax.random.normal(key, (512, 512)), jax.random.normal(key, (512, 64))], jax.random.normal(key, (256, 512))
    for _ in range(steps):
        weights, loss = step(weights, inputs)
    loss.block_until_ready()


def cupy(steps):
    import cupy
    weights, inputs = cupy.random.rand(512, 512, dtype=cupy.float32), cupy.random.rand(256, 512, dtype=cupy.float32)
    for _ in range(steps):
        weights -= 1e-6 * (inputs.T @ cupy.tanh(inputs @ weights))
    cupy.cuda.Device().synchronize()


def triton(steps):
    import torch
    import triton_kernel
    x = torch.ones(1 << 20, device="cuda")
    for _ in range(steps):
        triton_kernel.doubled(x)
    torch.cuda.synchronize()


def numba(steps):
    import numba.cuda
    import numpy

    @numba.cuda.jit
    def add_one(x):
        i = numba.cuda.grid(1)
        if i < x.size:
            x[i] += 1

    x = numba.cuda.to_device(numpy.zeros(1 << 16, dtype=numpy.float32))
    for _ in range(steps):
        add_one[256, 256](x)
    numba.cuda.synchronize()


def main():
    name, steps = sys.argv[1], int((sys.argv[2:] or ["60"])[0])
    try:
        {"jax": jax, "cupy": cupy, "triton": triton, "numba": numba}[name](steps)
    except ImportError as missing:
        print(missing, file=sys.stderr)
        sys.exit(77)
    print("done")


main()
