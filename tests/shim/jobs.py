"""jobs.py JOB...: small jobs that use the simulated CUDA driver through ctypes, for identical_case.sh. Each prints only what must be the
same with and without a recorder: results of calls, numbers of descriptors, what its children said."""
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # of fork() beside threads, since 3.12: it names the process
PARAMETERS = ctypes.c_void_p * 1


def driver():
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.cuLaunchKernel.argtypes = [ctypes.c_void_p] + [ctypes.c_uint] * 7 + [ctypes.c_void_p] * 3
    return cuda


def prepare(cuda):
    """A current context and a kernel; the first result that is not 0."""
    context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    result = cuda.cuInit(0)
    result = result or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    result = result or cuda.cuCtxSetCurrent(context)
    result = result or cuda.cuModuleLoadData(ctypes.byref(module), b"")
    result = result or cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"a_kernel")
    return result, kernel


def launch(n, cuda=None):
    """First result that is not 0, of the preparation, n launches and a synchronisation."""
    cuda = cuda or driver()
    result, kernel = prepare(cuda)
    for _ in range(n):
        result = result or cuda.cuLaunchKernel(kernel, 8, 1, 1, 32, 1, 1, 0, None, None, None)
    return result or cuda.cuCtxSynchronize()


def launch_only(n):
    cuda = driver()
    result, kernel = prepare(cuda)
    for _ in range(n):
        result = result or cuda.cuLaunchKernel(kernel, 8, 1, 1, 32, 1, 1, 0, None, None, None)
    return result


def say(*what):
    print(*what, flush=True)


def segv():
    say("launched", launch(300))
    ctypes.string_at(0)


def abort():
    say("launched", launch(300))
    os.abort()


def leave():
    say("launched", launch(300))
    os._exit(5)


def fails():
    say("launched", launch(300))
    sys.exit("it went wrong")


def young():
    """Half a second of launches, one in a millisecond, then a signal: KILLED_BY. A kernel that takes longer keeps the GPU busy throughout."""
    cuda = driver()
    result, kernel = prepare(cuda)
    begin, launched = time.monotonic(), 0
    while time.monotonic() - begin < 0.5:
        while launched < (time.monotonic() - begin) * 1000 + 5:
            result = result or cuda.cuLaunchKernel(kernel, 8, 1, 1, 32, 1, 1, 0, None, None, None)
            launched += 1
        time.sleep(0.0002)
    say("launched", result)
    os.kill(os.getpid(), int(os.environ["KILLED_BY"]))


def newborn():
    """Killed right after its first launches: the recorder's threads may not have had a turn."""
    say("launched", launch_only(5))
    os.kill(os.getpid(), signal.SIGKILL)


def rests():
    """Killed when the GPU has long done all, and the recorder has heard of it."""
    say("launched", launch(300))
    time.sleep(2.5)
    os.kill(os.getpid(), signal.SIGKILL)


def next_numbers():
    kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
    for fd in kept:
        os.close(fd)
    return kept


def numbers():
    """Settled: a thread of ours may hold a descriptor for microseconds, or as long as it has no core, the job's threads too."""
    least, still = next_numbers(), 0
    while still < 50:  # half a second without a change
        time.sleep(0.01)
        found = next_numbers()
        least, still = (found, 0) if found < least else (least, still + 1)
    say("open gives", *least)


def descriptors():
    cuda = driver()
    numbers()
    say("launched", launch(5, cuda))
    time.sleep(0.05)
    numbers()
    threads = [threading.Thread(target=launch, args=(20, cuda)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.05)
    numbers()


def close_all():
    """As daemons do; what is opened then has the numbers that somebody else's files had."""
    cuda = driver()
    say("launched", launch(100, cuda))
    os.closerange(3, 70000)
    files = [os.open(f"own.{i}", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600) for i in range(40)]
    say("numbers", *files)
    for fd in files:
        os.write(fd, b"mine")
    say("launched", launch(100, cuda))
    time.sleep(1.3)  # the writer has written since
    say("launched", launch(100, cuda))
    say("contents", set(os.pread(fd, 4096, 0) for fd in files))
    for i in range(40):
        os.remove(f"own.{i}")


def two_children(how):
    """Each launches and comes to an end as multiprocessing ends it (spawn: exit handlers run; fork: _exit)."""
    context = multiprocessing.get_context(how)
    children = [context.Process(target=launch, args=(100,)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    say("statuses", [child.exitcode for child in children])


def spawn():
    two_children("spawn")


def fork():
    """Children of a parent that has not used CUDA may."""
    two_children("fork")


def fork_after():
    """Children of one that has may not: CUDA says so, and nothing else happens."""
    cuda = driver()
    say("launched", launch(50, cuda))
    read, write = os.pipe()
    if os.fork() == 0:
        result, kernel = prepare(cuda)
        again = cuda.cuLaunchKernel(kernel, 8, 1, 1, 32, 1, 1, 0, None, None, None)
        os.write(write, f"child {result} {again}".encode())
        os._exit(0)
    os.close(write)
    say(os.read(read, 100).decode(), "status", os.wait()[1])
    say("launched", launch(50, cuda))


def children():
    """subprocess with and without close_fds, a pipe that ends, an environment that is the job's."""
    say("launched", launch(10))
    for close_fds in (True, False):
        child = subprocess.run([sys.executable, "-S", __file__, "listing"], close_fds=close_fds, stdout=subprocess.PIPE)
        say("child", child.returncode, child.stdout.decode().strip())
    read, write = os.pipe()
    os.close(write)
    say("end of a pipe", os.read(read, 1))


def listing():
    say("descriptors", sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:-1])


def bomb():
    for _ in range(50):
        if os.fork() == 0:
            os._exit(launch(2) != 0)
    say("statuses", {os.wait()[1] for _ in range(50)})


def signals():
    """Handlers run in the job's threads, sleeps are not cut short, the mask is empty."""
    say("launched", launch(10))
    signal.signal(signal.SIGUSR1, lambda *_: say("handled in", threading.current_thread().name))
    os.kill(os.getpid(), signal.SIGUSR1)
    say("blocked", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    begin = time.monotonic()
    time.sleep(0.1)
    say("slept", time.monotonic() - begin >= 0.1)


def directory_goes():
    """What the output directory's removal does to a job that goes on."""
    say("launched", launch(50))
    directory = os.environ.get("BATON_OUT")
    if directory:
        for name in os.listdir(directory):
            os.unlink(os.path.join(directory, name))
        os.rmdir(directory)
    time.sleep(1.2)
    say("launched", launch(50))


def steady():
    """Launches for a while: the writer writes, or tries to."""
    cuda = driver()
    for _ in range(12):
        result = launch(100, cuda)
        time.sleep(0.1)
    say("launched", result)


if __name__ == "__main__":
    for job in sys.argv[1:]:
        globals()[job]()
