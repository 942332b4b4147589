"""uneven_traces.py DIR KIND: a process of four GPUs that copy to each other. In each of 12 steps each GPU runs a kernel of 20 ms and
then copies 64 MB to each of the others, 1 ms each. KIND: even; slow (GPU 2 to GPU 3 takes 8 ms), more (the same, of 512 MB), hidden
(slow, on a stream of its own beside the kernel), small (slow, in copies of 64 kB)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "format"))
from writer import TraceWriter  # noqa: E402

US, MS, GPUS, STEPS, PEER = 1000, 1_000_000, 4, 12, 5
BYTES = 64_000_000


def write(kind, path):
    out = TraceWriter(path, compression=1)
    out.process(1, start_time=1, rank=0, world_size=1, host="here", source="baton")
    thread = out.thread("python", 1, 1)
    devices = [out.device(n, "Test GPU", "GPU-%d" % n) for n in range(GPUS)]
    streams = [out.stream(device, n + 1, 7) for n, device in enumerate(devices)]
    beside = [out.stream(device, n + 1, 8) for n, device in enumerate(devices)]
    rows = {"call": [], "op": [], "range": []}

    def launch(begin, start, length, call, **op):
        correlation = len(rows["op"]) + 1
        rows["call"].append({"start_ns": begin, "dur_ns": US, "thread": thread, "name": call, "correlation": correlation})
        rows["op"].append({"start_ns": start, "dur_ns": length, "correlation": correlation, **{
            "name": 0, "bytes": 0, "copy_dir": 0, "source": 0, "target": 0}, **op})

    at = MS
    for step in range(STEPS):
        begin, calls = at, at + 10 * US
        ends = []
        for gpu in range(GPUS):
            now = begin + 100 * US
            launch(calls, now, 20 * MS, "cudaLaunchKernel", op_kind=1, stream=streams[gpu], name="a_kernel")
            calls += 5 * US
            now += 20 * MS if kind != "hidden" else 0
            for other in range(GPUS):
                if other == gpu:
                    continue
                slow = (gpu, other) == (2, 3) and kind != "even"
                pieces = 1000 if slow and kind == "small" else 1
                sent = 8 * BYTES if slow and kind == "more" else BYTES
                for _ in range(pieces):
                    length = (8 if slow else 1) * MS // pieces
                    launch(calls, now, length, "cudaMemcpyPeerAsync", op_kind=2, stream=(beside if kind == "hidden" else streams)[gpu],
                           bytes=sent // pieces, copy_dir=PEER, source=devices[gpu], target=devices[other])
                    now += length
                    calls += US if pieces > 1 else 5 * US
            ends.append(now if kind != "hidden" else begin + 20 * MS)
        at = max(max(ends), calls) + 50 * US
        rows["range"].append({"start_ns": begin, "dur_ns": at - begin - US, "thread": thread, "name": "step %d" % step, "category": 1})
    for table, of in rows.items():
        out.rows(table, of)
    out.close()


target = pathlib.Path(sys.argv[1])
target.mkdir()
write(sys.argv[2], str(target / "0a1b2c3d.1.1.0.baton"))
