#!/usr/bin/env python3
"""The traces of words_case.sh: `words_traces.py CASE DIR [RANKS]`, a recorded run with 29 counted steps.

Every step is ten kernels of 1 ms that are launched ahead; what CASE says comes between them.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "format"))
from writer import TraceWriter  # noqa: E402

US, MS = 1000, 1000000
PYTHON = 0x030800f0
STEPS = 30  # the first is warm-up


class Rank:
    def __init__(self, path, rank):
        self.out = TraceWriter(path)
        self.out.process(100 + rank, rank=rank, host="node", source="baton")
        self.out.thread("python", 100 + rank, 100 + rank)
        self.out.stream(self.out.device(rank, "GPU", "GPU-%d" % rank), 1, 7)
        self.rank, self.now, self.gpu, self.early = rank, 0, 0, 0
        self.rows = {"op": [], "call": [], "range": [], "sched": []}
        frames = [self.code("/home/u/train.py", "loop", 30)]
        self.launching = self.out.stack(self.code("/v/lib/python3.11/site-packages/torch/nn/linear.py", "forward", 9),
                                        self.code("/home/u/train.py", "forward", 12), *frames)
        packages = "/v/lib/python3.11/site-packages"
        trained = [self.code(packages + "/accelerate/data.py", "send", 80), self.code(packages + "/trainer/loop.py", "run", 500),
                   self.code("/home/u/fit.py", "main", 18)]
        self.inside = [self.out.stack(self.code(packages + "/torch/_tensor.py", "to", 5), *trained),
                       self.out.stack(self.code("/usr/lib/python3.11/threading.py", "wait", 300), *trained[1:]),
                       self.out.stack(*trained[2:])]
        self.waiting = self.out.stack(self.code("/usr/lib/python3.11/threading.py", "wait", 300),
                                      self.code("/home/u/logs.py", "flush", 7), *frames)

    def code(self, file, function, line):
        return 1, self.out.code(file, function, line, PYTHON), 0

    def kernel(self, dur=1 * MS):
        """Launched now, in 5 us."""
        number = len(self.rows["call"]) + 1
        self.rows["call"].append({"start_ns": self.now, "dur_ns": 5 * US, "thread": 1, "name": "cudaLaunchKernel",
                                  "correlation": number, "stack": self.launching})
        begin = max(self.gpu + 1 * US, self.now + 9 * US)
        self.rows["op"].append({"start_ns": begin, "dur_ns": dur, "op_kind": 1, "stream": 1, "correlation": number,
                                "name": "ampere_sgemm_128x64_nn"})
        self.gpu = begin + dur
        self.now += 10 * US

    def silent(self, dur, slept=True, seen=True):
        """No call for so long; schedstat says that it slept or ran, and the sampler may have missed it."""
        self.now = max(self.now, self.gpu) + dur
        if seen:
            self.rows["sched"].append({"start_ns": self.now - dur, "dur_ns": dur, "thread": 1,
                                       "slept_ns": dur if slept else 0, "waited_ns": 0, "stack": self.waiting})

    def wait(self):
        """Waits until the device has done all; comes back 10 us after that."""
        self.rows["call"].append({"start_ns": self.now, "dur_ns": self.gpu + 10 * US - self.now, "thread": 1,
                                  "name": "cudaDeviceSynchronize", "correlation": 0, "stack": self.waiting})
        self.now = self.gpu + 10 * US

    def late(self, dur):
        """Nothing is launched for so long after what was has run."""
        self.now = max(self.now, self.gpu)
        self.rows["range"].append({"start_ns": self.now, "dur_ns": dur, "thread": 1, "name": "aten::view", "category": 3})
        self.now += dur

    def step(self, number, between):
        begin = self.now
        for i in range(10):
            if i == 5:
                between(self, number)
            self.kernel()
        self.rows["range"].append({"start_ns": begin, "dur_ns": self.now - begin, "thread": 1,
                                   "name": "step %d" % (100 + number), "category": 1})

    def close(self):
        for op in self.rows["op"]:
            op["start_ns"] -= self.early
        for table, rows in self.rows.items():
            if rows:
                self.out.rows(table, rows)
        self.out.close()


def rare(rank, step):
    """200 ms in the steps 109 and 117, the second a little more; every step 1 ms of ordinary work."""
    rank.silent(1 * MS // 2)
    if step in (9, 17):
        rank.silent(200 * MS + (step == 17) * 10 * MS)


def rare_on_one(rank, step):
    if rank.rank == 1:
        rare(rank, step)


def spread(rank, _step):
    rank.silent(12 * MS)


def spread_on_one(rank, step):
    if rank.rank == 1:
        spread(rank, step)


def missed(rank, step):
    """A third of the silences have no row."""
    rank.silent(12 * MS, seen=step % 3 > 0)


def compiles(rank, step):
    """In every third step torch.compile, 12 ms; what it compiled runs for 12 ms without a call in the next."""
    torch = "/v/lib/python3.11/site-packages/torch"
    project = rank.code("/home/u/train.py", "forward", 12)
    if step % 3 == 0:
        rank.waiting = rank.out.stack(rank.code(torch + "/_inductor/scheduler.py", "Scheduler.codegen", 50),
                                      rank.code(torch + "/_dynamo/convert_frame.py", "_compile", 900), project)
    else:
        rank.waiting = rank.out.stack(rank.code(torch + "/_inductor/output_code.py", "CompiledFxGraph.__call__", 50), project)
    if step % 3 < 2:
        rank.silent(12 * MS, slept=step % 2)


def ran(rank, _step):
    rank.silent(12 * MS, slept=False)


def owed(rank, _step):
    """A wait, and two launches that are late because of it."""
    rank.wait()
    rank.late(400 * US)
    rank.kernel(100 * US)
    rank.late(300 * US)


def early(rank, step):
    """The GPU's clock is 25 us early."""
    rank.early = 25 * US
    spread(rank, step)


def framework(rank, step):
    """One line of the project is the loop of a library: 12 ms in a step there, or in what that calls in its turn."""
    rank.launching, (sends, runs, itself) = rank.inside[0], rank.inside
    rank.waiting = sends if step % 4 < 2 else runs if step % 4 == 2 else itself
    rank.silent(12 * MS)


CASES = {case.__name__: case for case in (rare, rare_on_one, spread, spread_on_one, missed, compiles, ran, owed, framework,
                                         early)}


def main():
    case, directory, ranks = CASES[sys.argv[1]], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(directory)
    for number in range(ranks):
        rank = Rank(os.path.join(directory, "%d.baton" % number), number)
        for step in range(STEPS):
            rank.step(step, case)
        rank.close()


if __name__ == "__main__":
    main()
