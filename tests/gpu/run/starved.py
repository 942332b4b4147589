"""A job that waits for its data: starved.py STEPS LOAD_MS. The CUDA driver through ctypes, the job's own kernels; prints what it waited."""
import ctypes
import sys
import time

PTX = b""".version 6.0
.target sm_50
.address_size 64
.visible .entry train_step()
{
	ret;
}
"""
NEWER = PTX.replace(b"6.0", b"7.8").replace(b"sm_50", b"sm_90")


def ok(result):
    if result:
        sys.exit(f"starved: CUDA error {result}")


def load_batch(seconds):
    """A slow disk."""
    began = time.monotonic_ns()
    time.sleep(seconds)
    return time.monotonic_ns() - began


def main(steps, load_ms):
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        sys.exit(77)
    context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    cuda.cuLaunchKernel.argtypes = [ctypes.c_void_p] + [ctypes.c_uint] * 7 + [ctypes.c_void_p] * 3
    ok(cuda.cuInit(0))
    ok(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    ok(cuda.cuCtxSetCurrent(context))
    ok(cuda.cuModuleLoadData(ctypes.byref(module), PTX) and cuda.cuModuleLoadData(ctypes.byref(module), NEWER))
    ok(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"train_step"))
    waited = 0
    for _ in range(steps):
        waited += load_batch(load_ms / 1e3)
        for _ in range(50):
            ok(cuda.cuLaunchKernel(kernel, 64, 1, 1, 128, 1, 1, 0, None, None, None))
        ok(cuda.cuCtxSynchronize())
    print(f"launches {steps * 50} waited_ns {waited}")


main(int(sys.argv[1]), float(sys.argv[2]))
