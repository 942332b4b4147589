"""devices.py N: the same work on each of N devices in turn, for devices_case.sh: a memset and a synchronisation, and what orders them.
devices.py exchange: device 0 sends to device 1, three times. devices.py copies: copies between devices, and what they need."""
import ctypes
import sys

BYTES = 4096


def main(n):
    cudart = ctypes.CDLL("libcudart.so.13")
    for device in list(range(n)) * 3:
        memory, event = ctypes.c_void_p(), ctypes.c_void_p()
        results = [cudart.cudaSetDevice(device), cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(BYTES)),
                   cudart.cudaEventCreate(ctypes.byref(event)), cudart.cudaMemsetAsync(memory, 0, ctypes.c_size_t(BYTES), None),
                   cudart.cudaEventRecord(event, None), cudart.cudaDeviceSynchronize(), cudart.cudaFree(memory)]
        assert results == [0] * len(results), results


def exchange():
    cudart, nccl = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libnccl.so.2")
    comms = (ctypes.c_void_p * 2)()
    assert nccl.ncclCommInitAll(comms, 2, None) == 0
    memory = [ctypes.c_void_p(), ctypes.c_void_p()]
    for device in (0, 1):
        assert cudart.cudaSetDevice(device) == 0 and cudart.cudaMalloc(ctypes.byref(memory[device]), ctypes.c_size_t(BYTES)) == 0
    streams = [ctypes.c_void_p(), ctypes.c_void_p()]
    for device in (0, 1):
        assert cudart.cudaSetDevice(device) == 0 and cudart.cudaStreamCreate(ctypes.byref(streams[device])) == 0
    for _ in range(3):
        nccl.ncclGroupStart()
        calls = nccl.ncclSend, nccl.ncclRecv
        for rank, call in enumerate(calls):
            assert call(memory[rank], ctypes.c_size_t(BYTES), 0, 1 - rank, ctypes.c_void_p(comms[rank]), streams[rank]) == 0
        assert nccl.ncclGroupEnd() == 0
    for device in (0, 1):
        assert cudart.cudaSetDevice(device) == 0 and cudart.cudaDeviceSynchronize() == 0


def copies():
    cudart = ctypes.CDLL("libcudart.so.13")
    memory, host = [ctypes.c_void_p(), ctypes.c_void_p()], ctypes.c_void_p()
    for device in (0, 1):
        assert cudart.cudaSetDevice(device) == 0 and cudart.cudaMalloc(ctypes.byref(memory[device]), ctypes.c_size_t(BYTES)) == 0
    assert cudart.cudaMallocHost(ctypes.byref(host), ctypes.c_size_t(3 * BYTES)) == 0
    assert cudart.cudaMallocManaged(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(5 * BYTES), 1) == 0
    assert cudart.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(1 << 50)) != 0  # says no bytes
    for source, target in ((0, 1), (0, 1), (1, 0)):
        assert cudart.cudaMemcpyPeerAsync(memory[target], target, memory[source], source, ctypes.c_size_t(BYTES), None) == 0
    assert cudart.cudaMemcpy(memory[0], host, ctypes.c_size_t(BYTES), 1) == 0  # has one device
    assert cudart.cudaDeviceSynchronize() == 0


if __name__ == "__main__":
    modes = {"exchange": exchange, "copies": copies}
    modes[sys.argv[1]]() if sys.argv[1] in modes else main(int(sys.argv[1]))
