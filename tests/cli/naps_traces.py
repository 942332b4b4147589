"""naps_traces.py long|threads|gap DIR [N]: a trace of a thread that launches after each sleep, 1 ms apart. long: it sleeps in one row that never
ends, with 40 short ones in each gap. threads: another new thread works in each of its sleeps, and is over. gap: it sleeps N times between
two kernels, with a call after each sleep, while another thread sleeps as often."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "format"))
from writer import TraceWriter  # noqa: E402

MS, LAUNCHES = 1_000_000, {"long": 4000, "threads": 8000}


def write(kind, path):
    n = LAUNCHES.get(kind, 2)
    naps = int(sys.argv[3]) if kind == "gap" else 0
    out = TraceWriter(path, compression=1)
    out.process(1, start_time=1, rank=0, world_size=1, host="here", source="baton")
    threads = [out.thread("thread", 1, 1 + i) for i in range(n + 1 if kind == "threads" else 2)]
    device = out.device(0, "Test GPU", "GPU-0")
    out.stream(device, 1, 7)
    out.meta("python.lock", "holder")
    calls, ops, scheds = [], [], []

    def row(rows, begin, length, **columns):
        rows.append({"start_ns": begin, "dur_ns": length, **columns})

    def sleep(begin, length, thread=threads[0]):
        row(scheds, begin, length, thread=thread, slept_ns=length, waited_ns=0, stack=0)

    if kind == "long":
        sleep(0, (n + 1) * MS)
    for i in range(naps):
        sleep(2 * MS + i * 50_000, 40_000)
        row(calls, 2 * MS + i * 50_000 + 42_000, 5000, thread=threads[0], name="cudaGetDevice", correlation=0)
        sleep(2 * MS + i * 50_000 + 20_000, 25_000, threads[1])
        row(calls, 2 * MS + i * 50_000 + 2_000, 5000, thread=threads[1], name="cudaGetDevice", correlation=0)
    for i in range(n):
        begin = (i + 1) * MS + (i and naps * 50_000)
        row(calls, begin, 5000, thread=threads[0], name="cudaLaunchKernel", correlation=i + 1)
        row(ops, begin + 6000, 100_000, op_kind=1, stream=1, correlation=i + 1, name="a_kernel")
        if kind == "threads":
            sleep(begin + 120_000, 800_000)
            row(calls, begin + 900_000, 5000, thread=threads[i + 1], name="cudaMalloc", correlation=0)
        for nap in range(40 if kind == "long" else 0):
            sleep(begin + 150_000 + nap * 20_100, 50)
    for table, rows in (("op", ops), ("call", calls), ("sched", scheds)):
        out.rows(table, rows)
    out.close()


target = pathlib.Path(sys.argv[2])
target.mkdir()
write(sys.argv[1], str(target / "0a1b2c3d.1.1.0.baton"))
