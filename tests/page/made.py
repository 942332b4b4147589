#!/usr/bin/env python3
"""Writes a run of two ranks with call stacks, collectives and copies, whose every name is markup that would run a script.

    made.py DIR [--plain] [--slower N] [--train FILE] [--data FILE]

--plain: the names of an ordinary program; --slower: one kernel takes N times as long; --train, --data: its two files of code
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "format"))
from writer import TraceWriter  # noqa: E402

PY38, US = 0x030800f0, 1000
HOSTILE = ["</script><script>window.ran=1</script>", "<!--<script>", "-->", "<img src=x onerror=window.ran=2>", "\u2028window.ran=3\u2029",
           "\"onmouseover=\"window.ran=4", "'><svg onload=window.ran=5>", "&lt;script&gt;", "javascript:window.ran=6", "${window.ran=7}",
           "__proto__", "</SCRIPT ><iframe srcdoc='<script>parent.ran=8</script>'>", "\\u003cscript\\u003e", "]]>"]


class Names:
    """Each name once more hostile: the next of the list, with what it would be behind it."""

    def __init__(self, plain):
        self.plain, self.used = plain, 0

    def __call__(self, name):
        self.used += 1
        return name if self.plain else HOSTILE[self.used % len(HOSTILE)] + name + HOSTILE[(self.used + 5) % len(HOSTILE)]


def write(path, rank, named, slower, files):
    out = TraceWriter(path)
    out.process(100 + rank, rank=rank, world_size=2, host=named("node"), source="baton", source_version=named("1.0"), run_id="a")
    thread = out.thread(named("python"), 100 + rank, 100 + rank)
    stream = out.stream(out.device(rank, named("GPU"), "GPU-%d" % rank + named("")), 1, 7)
    comm = out.communicator(2, 77, named("default_pg"))

    def code(file, function, line):
        return 1, out.code(named(file), named(function), line, PY38), 0

    linear = code("/v/lib/python3.11/site-packages/torch/nn/linear.py", "Linear.forward", 116)
    loss, net, loop = code(files[0], "loss", 20), code(files[0], "Net.forward", 10), code(files[0], "loop", 30)
    load = code(files[1], "load", 7)
    stacks = [out.stack(linear, net, loop), out.stack(loss, loop), out.stack((3, 0, 0), linear, net, loop), out.stack(load, loop)]
    ops, calls, ranges, colls, kernels = [], [], [], [], [named("sgemm_%d" % i) for i in range(30)]
    for step in range(12):
        at = 10_000 * US * step
        ranges.append({"start_ns": at, "dur_ns": 9_900 * US, "thread": thread, "name": "step %d" % step, "category": 1})
        ranges.append({"start_ns": at + 90 * US, "dur_ns": 3000 * US, "thread": thread, "name": named("forward") if step == 0 else kernels[3], "category": 1})
        for i in range(30):
            correlation = 1 + step * 40 + i
            begin = at + (100 + 200 * i) * US
            calls.append({"start_ns": begin, "dur_ns": 5 * US, "thread": thread, "name": "cudaLaunchKernel", "correlation": correlation, "stack": stacks[i % 4]})
            ops.append({"start_ns": begin + 8 * US, "dur_ns": int((60 + 4 * i + 7 * rank) * US * (slower if i == 7 else 1)), "op_kind": 1, "stream": stream, "correlation": correlation,
                        "name": kernels[i], "copy_dir": 0, "pageable": 0, "bytes": 0})
        correlation = 31 + step * 40
        calls.append({"start_ns": at + 6200 * US, "dur_ns": 6 * US, "thread": thread, "name": "cudaLaunchKernelExC", "correlation": correlation, "stack": stacks[1]})
        begin = at + (6300 - 40 * rank) * US
        ops.append({"start_ns": begin, "dur_ns": at + 7000 * US - begin, "op_kind": 1, "stream": stream, "correlation": correlation,
                    "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL" + named(""), "copy_dir": 0, "pageable": 0, "bytes": 0})
        colls.append({"start_ns": begin, "dur_ns": at + 7000 * US - begin, "correlation": correlation, "comm": comm, "coll": 1, "bytes": 4 << 20, "sequence": step})
        calls.append({"start_ns": at + 7200 * US, "dur_ns": 900 * US, "thread": thread, "name": "cudaMemcpy", "correlation": correlation + 1, "stack": stacks[3]})
        ops.append({"start_ns": at + 7900 * US, "dur_ns": 150 * US, "op_kind": 2, "stream": stream, "correlation": correlation + 1, "name": "", "copy_dir": 2,
                    "pageable": 1, "bytes": 1 << 20})
    for table, rows in (("op", ops), ("call", calls), ("range", ranges), ("collective", colls)):
        out.rows(table, rows)
    out.close()


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    named = Names("--plain" in sys.argv[2:])
    given = lambda option, other: sys.argv[sys.argv.index(option) + 1] if option in sys.argv else other  # noqa: E731
    slower, files = float(given("--slower", 1)), (given("--train", "/home/u/train.py"), given("--data", "/home/u/data.py"))
    for rank in range(2):
        named.used = 0  # the same kernels on both
        write(os.path.join(directory, "%d.baton" % rank), rank, named, slower, files)


if __name__ == "__main__":
    main()
