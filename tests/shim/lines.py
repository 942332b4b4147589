"""lines.py: calls that a training script makes through its framework, each from a function of its own, for lines_case.sh.
The name of the function is the name of the call whose row must carry it."""
import ctypes

cudart = ctypes.CDLL("libcudart.so.13")
nccl = ctypes.CDLL("libnccl.so.2")
NULL, BYTES = ctypes.c_void_p(), 4096


def made(call, *arguments):
    """What `call` makes; its result must be 0."""
    handle = ctypes.c_void_p()
    assert call(ctypes.byref(handle), *arguments) == 0, call.__name__
    return handle


def works(result):
    assert result == 0


def cudaMalloc():
    return made(cudart.cudaMalloc, ctypes.c_size_t(BYTES))


def cudaHostAlloc():
    return made(cudart.cudaHostAlloc, ctypes.c_size_t(BYTES), 0)


def cudaStreamCreate():
    return made(cudart.cudaStreamCreate)


def cudaEventCreate():
    return made(cudart.cudaEventCreate)


def cudaMemcpyAsync(to, source, stream):
    works(cudart.cudaMemcpyAsync(to, source, ctypes.c_size_t(BYTES), 1, stream))


def cudaMemcpy(to, source):
    works(cudart.cudaMemcpy(to, source, ctypes.c_size_t(BYTES), 2))


def cudaMemset(to):
    works(cudart.cudaMemset(to, 0, ctypes.c_size_t(BYTES)))


def cudaMemsetAsync(to, stream):
    works(cudart.cudaMemsetAsync(to, 0, ctypes.c_size_t(BYTES), stream))


def cudaEventRecord(event, stream):
    works(cudart.cudaEventRecord(event, stream))


def cudaStreamWaitEvent(stream, event):
    works(cudart.cudaStreamWaitEvent(stream, event, 0))


def cudaEventSynchronize(event):
    works(cudart.cudaEventSynchronize(event))


def cudaStreamSynchronize(stream):
    works(cudart.cudaStreamSynchronize(stream))


def cudaDeviceSynchronize():
    works(cudart.cudaDeviceSynchronize())


def cudaStreamBeginCapture(stream):
    works(cudart.cudaStreamBeginCapture(stream, 2))


def cudaStreamEndCapture(stream):
    return made(lambda graph: cudart.cudaStreamEndCapture(stream, graph))


def cudaGraphInstantiate(graph):
    return made(cudart.cudaGraphInstantiate, graph, ctypes.c_ulonglong(0))


def cudaGraphLaunch(graph, stream):
    works(cudart.cudaGraphLaunch(graph, stream))


def ncclCommInitAll():
    return made(nccl.ncclCommInitAll, 1, NULL)


def ncclAllReduce(comm, memory, stream):
    works(nccl.ncclAllReduce(memory, memory, ctypes.c_size_t(BYTES // 4), 7, 0, comm, stream))


def ncclCommDestroy(comm):
    works(nccl.ncclCommDestroy(comm))


def cudaFree(memory):
    works(cudart.cudaFree(memory))


def cudaFreeHost(memory):
    works(cudart.cudaFreeHost(memory))


def main():
    memory, pinned = cudaMalloc(), cudaHostAlloc()
    stream, event = cudaStreamCreate(), cudaEventCreate()
    for _ in range(3):
        cudaMemcpyAsync(memory, pinned, stream)
        cudaMemset(memory)
        cudaMemsetAsync(memory, stream)
        cudaEventRecord(event, stream)
        cudaStreamWaitEvent(stream, event)
        cudaEventSynchronize(event)
        cudaStreamSynchronize(stream)
        cudaMemcpy(pinned, memory)
        cudaDeviceSynchronize()
    cudaStreamBeginCapture(stream)
    cudaMemsetAsync(memory, stream)
    graph = cudaGraphInstantiate(cudaStreamEndCapture(stream))
    cudaGraphLaunch(graph, stream)
    comm = ncclCommInitAll()
    ncclAllReduce(comm, memory, stream)
    cudaStreamSynchronize(stream)
    ncclCommDestroy(comm)
    cudaFreeHost(pinned)
    cudaFree(memory)


if __name__ == "__main__":
    main()
