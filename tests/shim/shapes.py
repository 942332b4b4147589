"""shapes.py [N]: kernels of known shapes and copies between known kinds of memory, for shapes_case.sh; SHAPES, COPIES and SETS are what
shapes_check.py must find. N: so many kernels of different grids after them."""
import ctypes
import sys

import jobs

SHAPES = [((8, 1, 1), (32, 1, 1), 0), ((8, 4, 2), (16, 8, 2), 4096), ((8, 1, 1), (32, 1, 1), 0), ((8, 1, 1), (32, 1, 1), 512),
          ((2 ** 31 - 1, 1, 1), (1, 1, 1), 0), ((8, 4, 2), (16, 8, 2), 4096)]
BYTES = 4096
PAGEABLE, PINNED, DEVICE, MANAGED = 1, 2, 3, 5
COPIES = [(PAGEABLE, DEVICE), (PINNED, DEVICE), (DEVICE, PINNED), (DEVICE, DEVICE), (MANAGED, DEVICE)]  # source, destination
SETS = [DEVICE, MANAGED]
INVALID_HANDLE = 400  # of a stream that there is not


def main(n):
    cuda = jobs.driver()
    result, kernel = jobs.prepare(cuda)
    cudart = ctypes.CDLL("libcudart.so.13")

    def made(call, *arguments):
        pointer = ctypes.c_void_p()
        assert call(ctypes.byref(pointer), ctypes.c_size_t(BYTES), *arguments) == 0, call.__name__
        return pointer

    pageable = ctypes.create_string_buffer(BYTES)
    memory = {PAGEABLE: ctypes.cast(pageable, ctypes.c_void_p), PINNED: made(cudart.cudaMallocHost),
              DEVICE: made(cudart.cudaMalloc), MANAGED: made(cudart.cudaMallocManaged, 1)}
    other = made(cudart.cudaMalloc)
    for grid, block, shared in SHAPES + [((1 + i, 1, 1), (64, 1, 1), 0) for i in range(n)]:
        result = result or cuda.cuLaunchKernel(kernel, *grid, *block, shared, None, None, None)
    for source, target in COPIES:
        to = other if source == target else memory[target]
        result = result or cudart.cudaMemcpyAsync(to, memory[source], ctypes.c_size_t(BYTES), 4, None)
    for kind in SETS:
        result = result or cudart.cudaMemsetAsync(memory[kind], 0, ctypes.c_size_t(BYTES), None)
    assert cudart.cudaMemsetAsync(other, 0, ctypes.c_size_t(BYTES), ctypes.c_void_p(12345)) == INVALID_HANDLE
    assert (result or cudart.cudaDeviceSynchronize()) == 0, result


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 0)
