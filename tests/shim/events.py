"""events.py [die]: work on several streams that events order, for events_case.sh. SEQUENCE is what events_check.py must find, in this
order: memsets on streams (A, B and C made by the program, the default one, that of the thread), events recorded in and waited for
by them. `die` ends without a word when the trace has been written once and more has been recorded."""
import ctypes
import os
import signal
import sys
import time

SEQUENCE = [("set", "A"), ("record", "A", 1), ("wait", "B", 1), ("set", "B"), ("record", "B", 2), ("wait", "default", 2), ("set", "default"),
            ("record", "thread", 1), ("set", "thread"), ("wait", "thread", 2), ("wait", "A", 1), ("destroy", "A"), ("set", "C"),
            ("record", "C", 2), ("wait", "B", 2), ("record", "default", 1), ("wait", "C", 1)]
BYTES, PRIORITY = 4096, -3  # the priority of B, which does not wait for the default stream


def main(die):
    cudart = ctypes.CDLL("libcudart.so.13")

    def made(call, *arguments):
        handle = ctypes.c_void_p()
        assert call(ctypes.byref(handle), *arguments) == 0, call.__name__
        return handle

    memory = made(cudart.cudaMalloc, ctypes.c_size_t(BYTES))
    events = {n: made(cudart.cudaEventCreate) for n in (1, 2)}
    streams = {"A": made(cudart.cudaStreamCreate), "B": made(cudart.cudaStreamCreateWithPriority, 1, PRIORITY)}
    streams.update(default=ctypes.c_void_p(), thread=ctypes.c_void_p(2))  # cudaStreamPerThread

    def play():
        for what, stream, *event in SEQUENCE:
            if stream == "C" and "C" not in streams:
                streams["C"] = made(cudart.cudaStreamCreate)  # may get the handle that A had
            if what == "destroy":
                result = cudart.cudaStreamDestroy(streams[stream]) if not die else 0
            elif what == "set":
                result = cudart.cudaMemsetAsync(memory, 0, ctypes.c_size_t(BYTES), streams[stream])
            elif what == "record":
                result = cudart.cudaEventRecord(events[event[0]], streams[stream])
            else:
                result = cudart.cudaStreamWaitEvent(streams[stream], events[event[0]], 0)
            assert result == 0, (what, stream, result)

    play()
    assert cudart.cudaStreamWaitEvent(streams["B"], ctypes.c_void_p(), 0) != 0  # a call that fails makes no row
    cudart.cudaDeviceSynchronize()
    if die:
        time.sleep(2.5)  # all of it is in the file
        play()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:] == ["die"])
