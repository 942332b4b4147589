"""steps.py JOB: small jobs with the optimizers of faketorch, for step_marks_case.sh. Each prints only what must be the same with
and without a recorder."""
import json
import os
import subprocess
import sys
import threading
import time

ROUNDS = 12  # of goes_on


def about():
    """What a sitecustomize could have changed, but for the finder that waits for torch."""
    mine = sys.modules.get("sitecustomize")
    path = [p for p in sys.path if not (sys.flags.no_site and p.endswith("/python"))]  # nothing runs that could give it up
    print(path, mine and mine.__file__, getattr(mine, "MINE", None))


def launches():
    from jobs import driver, prepare
    cuda = driver()
    result, kernel = prepare(cuda)
    assert result == 0

    def launch(n):
        for _ in range(n):
            assert cuda.cuLaunchKernel(kernel, 8, 1, 1, 32, 1, 1, 0, None, None, None) == 0
    return launch, cuda.cuCtxSynchronize


def train():
    import torch.optim.optimizer
    launch, synchronize = launches()
    one = torch.optim.SGD()
    for _ in range(7):
        launch(5)
        one.step()
    synchronize()
    print(len(torch.optim.optimizer.hooks) in (0, 1), torch.optim.optimizer.__loader__.__class__,
          "exec_module" in vars(torch.optim.optimizer.__loader__))


def compiled():
    import torch
    launch, synchronize = launches()
    one = torch.optim.AdamW()
    launch(1)
    torch.compiler.compiling = True
    one.step()
    torch.compiler.compiling = False
    one.step()
    synchronize()


def threads():
    def load():
        import torch.optim.optimizer  # noqa: F401
    some = [threading.Thread(target=load) for _ in range(16)]
    for thread in some:
        thread.start()
    for thread in some:
        thread.join()
    train()


def children():
    for flags in ([], ["-S"], ["-I"], ["-E"]):
        print(subprocess.run([sys.executable] + flags + [__file__, "about"], capture_output=True, text=True))
    print(subprocess.run([sys.executable, __file__, "train"], capture_output=True, text=True))


def loads(loader):
    """Steps whose batches come from a loader, or take as long in code of the job's own."""
    import torch.utils.data.dataloader as data
    launch, synchronize = launches()
    optimizer = __import__("torch").optim.SGD()

    def train(batches):
        for _ in batches:
            launch(20)
            optimizer.step()
        synchronize()

    def computed():
        for _ in range(8):
            until = time.monotonic() + data.BATCH_S
            while time.monotonic() < until:
                pass
            yield

    def summed():
        for _ in range(8):
            until = time.monotonic() + data.BATCH_S
            all(now < until for now in iter(time.monotonic, None))
            yield

    def own():
        waiting = data._MultiProcessingDataLoaderIter(8)
        waiting.__class__ = type("Own", (), {"wait": lambda self: threading.Event().wait(data.BATCH_S)})
        for _ in range(8):
            yield waiting.wait()

    made = {"own": own, "computed": computed, "summed": summed}.get(loader)
    train(made() if made else getattr(data, loader)(8))


def loads_in_workers():
    loads("_MultiProcessingDataLoaderIter")


def loads_itself():
    loads("_SingleProcessDataLoaderIter")


def loads_nothing():
    loads("own")


def computes():
    loads("computed")


def sums():
    loads("summed")


def thread_account():
    """What this thread has run, what it waited for a core, and the time, in ns."""
    with open("/proc/thread-self/schedstat") as file:
        waited = int(file.read().split()[1])
    return {"ran": time.thread_time_ns(), "waited": waited, "at": time.monotonic_ns()}


def spins():
    """Never asleep: 3 ms of its own between launches. Prints what the kernel says of that."""
    launch, synchronize = launches()
    launch(1)
    before = thread_account()
    for _ in range(200):
        until = time.monotonic() + 0.003
        while time.monotonic() < until:
            pass
        launch(1)
    after = thread_account()
    synchronize()
    print(json.dumps({key: after[key] - before[key] for key in after}))


def goes_on():
    """The main thread waits for a thread that launches for 34 ms, then stands for 13 ms in `alone`."""
    launch, synchronize = launches()
    begin, done = threading.Event(), threading.Event()

    def work():
        for _ in range(ROUNDS):
            begin.wait()
            begin.clear()
            until = time.monotonic() + 0.034
            while time.monotonic() < until:
                launch(1)
                time.sleep(0.0004)
            done.set()

    def alone():
        time.sleep(0.013)

    worker = threading.Thread(target=work)
    worker.start()
    for _ in range(ROUNDS):
        launch(1)
        begin.set()
        done.wait()
        done.clear()
        alone()
    worker.join()
    synchronize()


def workers():
    """A worker that computes and one that sleeps, for 1.5 s; prints what the first one ran."""
    launch, synchronize = launches()
    launch(1)
    spin = "import time, sys\nend = time.monotonic() + 1.5\nwhile time.monotonic() < end: pass\nprint(time.process_time())"
    busy = subprocess.Popen([sys.executable, "-c", spin], stdout=subprocess.PIPE, text=True)
    idle = subprocess.Popen(["sleep", "1.5"])
    while idle.poll() is None:
        launch(1)
        time.sleep(0.01)
    synchronize()
    print(json.dumps({"busy": busy.pid, "idle": idle.pid, "ran": float(busy.communicate()[0])}))


def hogged():
    """A thread that computes and launches nothing; the main thread needs Python's lock, then sleeps without it."""
    launch, synchronize = launches()
    stop, ids = [], []

    def hog():
        ids.append(threading.get_native_id())
        while not stop:
            sum(range(20000))

    def needs():
        for _ in range(20):
            sum(range(1000))
            time.sleep(0)  # gives the lock away, and wants it again

    def sleeps():
        time.sleep(0.03)

    thread = threading.Thread(target=hog)
    thread.start()
    for _ in range(5):
        launch(1)
        needs()
        launch(1)
        sleeps()
    launch(1)
    stop.append(1)
    thread.join()
    synchronize()
    print(json.dumps({"hog": ids[0]}))


def turns():
    """Takes turns with a thread that computes and launches nothing: after each launch it gives Python's lock away, and waits for
    it for some half of a millisecond, less than the sampler looks at as a silence."""
    launch, synchronize = launches()
    stop, ids = [], []

    def hog():
        ids.append(threading.get_native_id())
        while not stop:
            pass

    launch(1)
    sys.setswitchinterval(0.0005)
    thread = threading.Thread(target=hog)
    thread.start()
    before = thread_account()
    for _ in range(800):
        launch(1)
        time.sleep(0.00002)
    after = thread_account()
    stop.append(1)
    thread.join()
    synchronize()
    print(json.dumps({"hog": ids[0], **{key: after[key] - before[key] for key in after}}))


def handed():
    """The main thread launches, and waits for a thread that computes and launches nothing."""
    import ctypes
    from jobs import driver, prepare
    cuda = driver()
    result, kernel = prepare(cuda)
    assert result == 0

    def works():
        until = time.monotonic() + 0.012
        while time.monotonic() < until:
            pass
        memory = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(memory), 64) == 0  # a call: so it is known that there is such a thread

    for _ in range(ROUNDS):
        assert cuda.cuLaunchKernel(kernel, 8, 1, 1, 32, 1, 1, 0, None, None, None) == 0
        thread = threading.Thread(target=works)
        thread.start()
        thread.join()
    cuda.cuCtxSynchronize()


def broken():
    """An import that fails goes on to fail as it did, and may be tried again."""
    import faulty  # noqa: F401
    for _ in range(2):
        try:
            import torch.optim.optimizer  # noqa: F401
        except ImportError as error:
            print(error)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    if "torch" in sys.modules and os.environ.get("BATON_OUT") and sys.argv[1] != "broken":
        import torch.optim.optimizer
        assert len(torch.optim.optimizer.hooks) == (os.environ.get("BATON_STEP_MARKS") != "off")
