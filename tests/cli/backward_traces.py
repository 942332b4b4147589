#!/usr/bin/env python3
"""backward_traces.py KIND DIR: a trace as PyTorch leaves it, 12 steps of some 12.6 ms.

In each step the main thread launches the forward pass and sleeps in backward(), which another thread launches in 1 ms and goes to
sleep. Then it computes 10 ms in Python and launches the optimizer. KIND is how the sampler saw the main thread:

    split     a row without a stack for its sleep, one for its work
    one       one row for both, whose stack is that of the work
    late      as `one`, but with so little work that the row is mostly sleep
    its_own   after backward() it sleeps 10 ms in code of its own instead
    both      as `its_own`, with one row for both sleeps, whose stack is that of its own code
    before    it sleeps 10 ms in code of its own before backward(), not after it
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "format"))
from writer import TraceWriter  # noqa: E402

US, MS = 1000, 1000000
PYTHON = 0x030800f0


class Job:
    def __init__(self, path):
        self.out = TraceWriter(path)
        self.out.process(100, rank=-1, host="node", source="baton")
        self.main, self.autograd = (self.out.thread("python", 100, 100 + i) for i in range(2))
        self.out.stream(self.out.device(0, "GPU", "GPU-0"), 1, 7)
        self.penalty = self.out.stack((1, self.out.code("/home/u/train.py", "penalty", 9, PYTHON), 0))
        self.rows = {"op": [], "call": [], "range": [], "sched": []}
        self.now = 0

    def launch(self, thread, gap_ns=90 * US, name="ampere_sgemm_128x64_nn"):
        number = len(self.rows["call"]) + 1
        self.rows["call"].append({"start_ns": self.now, "dur_ns": 10 * US, "thread": thread, "name": "cudaLaunchKernel",
                                  "correlation": number})
        self.rows["op"].append({"start_ns": self.now + 14 * US, "dur_ns": 20 * US, "op_kind": 1, "stream": 1,
                                "correlation": number, "name": name})
        self.now += 10 * US + gap_ns

    def silent(self, thread, begin, end, **row):
        """The clock of the sampler and that of calls are read apart: rows begin 2 ns early."""
        slept = row.get("slept", 0)
        self.rows["sched"].append({"start_ns": begin - 2, "dur_ns": end - begin, "thread": thread, "slept_ns": slept,
                                   "waited_ns": 0, "stack": row.get("stack", 0)})

    def step(self, number, kind):
        begin = self.now
        for _ in range(10):
            self.launch(self.main)
        asleep = self.now - 90 * US  # in backward()
        if kind == "before":
            self.silent(self.main, asleep, asleep + 10 * MS, slept=10 * MS, stack=self.penalty)
            asleep += 10 * MS
            self.now = asleep + 90 * US
        if number:
            self.silent(self.autograd, self.idle, self.now, slept=self.now - self.idle)
        for _ in range(10):
            self.launch(self.autograd)
        self.idle = self.now - 90 * US
        woken = self.now = self.idle + 50 * US
        self.now += {"late": 700 * US, "before": 50 * US}.get(kind, 10 * MS)
        slept = woken - asleep
        if kind in ("one", "late"):
            self.silent(self.main, asleep, self.now, slept=slept, stack=self.penalty)
        elif kind == "both":
            self.silent(self.main, asleep, self.now, slept=self.now - asleep, stack=self.penalty)
        else:
            self.silent(self.main, asleep, woken, slept=slept)
            self.silent(self.main, woken, self.now, slept=10 * MS if kind == "its_own" else 0, stack=self.penalty)
        self.launch(self.main, name="multi_tensor_apply_kernel")
        self.rows["range"].append({"start_ns": begin, "dur_ns": self.now - begin, "thread": self.main, "name": "step %d" % number,
                                   "category": 1})

    def close(self):
        self.silent(self.autograd, self.idle, self.now, slept=self.now - self.idle)
        for table, rows in self.rows.items():
            self.out.rows(table, rows)
        self.out.close()


target = pathlib.Path(sys.argv[2])
target.mkdir()
job = Job(str(target / "0a1b2c3d.100.1.0.baton"))
for i in range(12):
    job.step(i, sys.argv[1])
job.close()
