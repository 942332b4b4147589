"""host_funcs.py [die]: host functions on streams, for host_funcs_case.sh: by the runtime and by the driver, on a stream of its own and on
the default one, more at a time than the recorder has places for, and in a graph that is launched twice. Each has to run as often as it
was given, in the order of its stream, with its own data. `die` ends without a word after the first ones."""
import ctypes
import os
import signal
import sys
import time

NAP_S, MANY, BYTES = 0.004, 1500, 4096


def main(die):
    cudart, cuda = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    ran = []

    @function
    def slow(data):
        ran.append(data)
        time.sleep(NAP_S)

    @function
    def quick(data):
        ran.append(data)

    def made(call, *arguments):
        handle = ctypes.c_void_p()
        assert call(ctypes.byref(handle), *arguments) == 0, call.__name__
        return handle

    memory = made(cudart.cudaMalloc, ctypes.c_size_t(BYTES))
    stream = made(cudart.cudaStreamCreate)

    def work(on):
        assert cudart.cudaMemsetAsync(memory, 0, ctypes.c_size_t(BYTES), on) == 0

    for n, on in enumerate((stream, ctypes.c_void_p(), stream)):
        work(on)
        call = cuda.cuLaunchHostFunc if n == 2 else cudart.cudaLaunchHostFunc
        assert call(on, slow, ctypes.c_void_p(n + 1)) == 0
        work(on)
        cudart.cudaDeviceSynchronize()
    assert ran == [1, 2, 3], ran
    assert cudart.cudaLaunchHostFunc(stream, ctypes.cast(None, function), None) != 0  # no function: no row
    if die:
        time.sleep(1.5)  # all of it is in the file
        assert cudart.cudaLaunchHostFunc(stream, slow, ctypes.c_void_p(4)) == 0
        cudart.cudaDeviceSynchronize()
        os.kill(os.getpid(), signal.SIGKILL)
    ran.clear()
    assert cudart.cudaLaunchHostFunc(stream, slow, ctypes.c_void_p(1)) == 0  # holds up those after it
    for n in range(MANY):
        assert cudart.cudaLaunchHostFunc(stream, quick, ctypes.c_void_p(n + 2)) == 0
    cudart.cudaDeviceSynchronize()
    assert ran == list(range(1, MANY + 2)), "%d ran, or in another order" % len(ran)

    ran.clear()
    graph, exec_ = ctypes.c_void_p(), ctypes.c_void_p()
    assert cudart.cudaStreamBeginCapture(stream, 0) == 0
    work(stream)
    assert cudart.cudaLaunchHostFunc(stream, quick, ctypes.c_void_p(7)) == 0
    assert cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 0
    assert cudart.cudaGraphInstantiate(ctypes.byref(exec_), graph, ctypes.c_ulonglong(0)) == 0
    for _ in range(2):
        assert cudart.cudaGraphLaunch(exec_, stream) == 0
    cudart.cudaDeviceSynchronize()
    assert ran == [7, 7], ran


if __name__ == "__main__":
    main(sys.argv[1:] == ["die"])
