#!/usr/bin/env bash
# A trace may hold any time up to 2^62 ns: two ranks whose steps take years are reported and replayed like any others. Keeps out: products
# of times that overflow, so that a loss of the report is missing.
. "$(dirname "$0")/lib.sh"
"$PYTHON" - "$work/ages" <<'P' || fail "no trace"
import pathlib, sys
sys.path.insert(0, "tests/format")
from writer import TraceWriter
STEP, STEPS, KERNELS = 1 << 57, 12, 12
def write(path, pid):
    out = TraceWriter(path, compression=1)
    out.process(pid, start_time=1, rank=pid - 1, world_size=2, host="here", source="baton")
    threads = [out.thread("thread", pid, pid + 10 * i) for i in range(2)]
    out.stream(out.device(pid - 1, "Test GPU", f"GPU-{pid}"), 1, 7)
    out.meta("python.lock", "holder")
    calls, ops, scheds = [], [], []
    for n in range(STEPS * KERNELS):
        step, kernel = divmod(n, KERNELS)
        at = step * STEP + kernel * STEP // 14 + STEP // 1000 + (STEP // 40 if (kernel * 7 + step * 5) % 3 == 0 else 0)
        calls.append(dict(start_ns=at, dur_ns=STEP // 400, thread=threads[0], name="cudaLaunchKernel", correlation=n + 1))
        calls.append(dict(start_ns=at + STEP // 30, dur_ns=STEP // 400, thread=threads[1], name="cudaMalloc", correlation=0))
        ops.append(dict(start_ns=at + STEP // 300, dur_ns=STEP // 60 + pid * STEP // 200, op_kind=1, stream=1, correlation=n + 1, name=f"k{kernel}"))
        if kernel % 4 == 2:
            calls.append(dict(start_ns=at + STEP // 200, dur_ns=STEP // 25, thread=threads[0], name="cudaDeviceSynchronize", correlation=0))
        sleep = dict(slept_ns=STEP // 200, waited_ns=STEP // 300, stack=0)
        scheds.append(dict(start_ns=at + STEP // 20, dur_ns=STEP // 100, thread=threads[0], **sleep))
        scheds.append(dict(start_ns=at, dur_ns=(1 << 62) - at - 5, thread=threads[1], **sleep))
    for table, rows in (("op", ops), ("call", calls), ("sched", scheds)):
        out.rows(table, sorted(rows, key=lambda row: row["start_ns"]))
    out.close()
directory = pathlib.Path(sys.argv[1])
directory.mkdir()
for pid in (1, 2):
    write(str(directory / f"0a1b2c3d.{pid}.1.0.baton"), pid)
P
expect_status 0 "$BATON" report "$work/ages"
expect_prints "Synchronizing calls in the loop"
expect_status 0 "$BATON" report --critical "$work/ages"
expect_prints "On which device it lies"
expect_status 0 "$BATON" whatif "$work/ages"
expect_status 0 "$BATON" whatif --graphs --scale host=3,kernels=2 "$work/ages"

# Twelve ranks that are in a collective for years, and a kernel on each of twelve streams of each. Keeps out: sums over ranks, members of a
# collective and streams that wrap around.
"$PYTHON" - "$work/sums" <<'P' || fail "no trace"
import pathlib, sys
sys.path.insert(0, "tests/format")
from writer import TraceWriter
RANKS, STEPS, LONG = 12, 3, (1 << 60) - 100000
def write(path, pid):
    out = TraceWriter(path, compression=1)
    out.process(pid, start_time=1, rank=pid - 1, world_size=RANKS, host="here", source="baton")
    thread, device = out.thread("thread", pid, pid + 20), out.device(pid - 1, "Test GPU", f"GPU-{pid}")
    streams = [out.stream(device, 1, 7 + i) for i in range(RANKS + 1)]
    comm = out.communicator(RANKS, 7, "world")
    calls, ops, colls = [], [], []
    for n in range(STEPS * (RANKS + 1)):
        step, k = divmod(n, RANKS + 1)
        at = step * (1 << 60) + 1000 + 200 * k
        name = "k" if k else "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        calls.append(dict(start_ns=at, dur_ns=50, thread=thread, name="cudaLaunchKernel", correlation=n + 1))
        ops.append(dict(start_ns=at + 60, dur_ns=LONG - 1000 * pid, op_kind=1, stream=streams[k], correlation=n + 1, name=name))
        if not k:
            colls.append(dict(start_ns=at, dur_ns=50, correlation=n + 1, comm=comm, coll=1, bytes=1000, sequence=step + 1))
    for table, rows in (("op", ops), ("call", calls), ("collective", colls)):
        out.rows(table, rows)
    out.close()
directory = pathlib.Path(sys.argv[1])
directory.mkdir()
for pid in range(1, RANKS + 1):
    write(str(directory / f"0a1b2c3d.{pid}.1.0.baton"), pid)
P
expect_status 0 "$BATON" compare "$work/sums" "$work/sums"
expect_status 0 "$BATON" report --json "$work/sums"
expect_true "d['nccl'][0]['transfer_ns'] == 2**63 - 1 and d['kernels'][0]['total_ns'] == 2**63 - 1"
finish
