#!/usr/bin/env python3
"""The traces of steps_case.sh: `steps_traces.py CASE DIR [BEGIN_NS [RUN_ID]]`, a run of one process or a few without step markers.

A training step is six kernels forward, six backward and two of the optimizer, which marks its end.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "format"))
from writer import TraceWriter  # noqa: E402

US = 1000
FORWARD = ["forward_%d" % i for i in range(6)]
BACKWARD = ["backward_%d" % i for i in range(6)]
ADAM, SGD = "Adam 1", "SGD 2"


class Process:
    def __init__(self, path, rank=0, pid=100, begin=0, source="baton", threads=("python", "python"), **more):
        self.out = TraceWriter(path)
        self.out.process(pid, rank=rank, host="node", source=source, **more)
        for thread, name in enumerate(threads):
            self.out.thread(name, pid, pid + thread)
        ordinal = max(rank, 0)
        self.out.stream(self.out.device(ordinal, "GPU", "GPU-%d" % ordinal), 1, 7)
        self.device, self.pid = 1, pid
        self.now = self.gpu = begin
        self.rows = {"op": [], "call": [], "range": []}
        self.correlation = 0

    def call(self, name, thread):
        self.correlation += 1
        self.rows["call"].append({"start_ns": self.now, "dur_ns": 5 * US, "thread": thread, "name": name,
                                  "correlation": self.correlation})
        self.now += 10 * US

    def op(self, kind, name, us=20):
        begin = max(self.gpu + 1 * US, self.now + 5 * US)
        self.gpu = begin + us * US
        self.rows["op"].append({"start_ns": begin, "dur_ns": us * US, "op_kind": kind, "stream": self.device, "name": name,
                                "correlation": self.correlation})

    def kernels(self, names, thread=1):
        for name in names:
            self.call("cudaLaunchKernel", thread)
            self.op(1, name)

    def graph(self, names, whole_us=0):
        """One launch: a record for each node, or one for all."""
        self.call("cudaGraphLaunch", 1)
        if whole_us:
            self.op(4, "graph", whole_us)
        for name in names:
            self.op(1, name)

    def mark(self, name=ADAM, thread=1, again=False):
        self.rows["range"].append({"start_ns": self.now, "dur_ns": 0, "thread": thread, "name": name, "category": 7,
                                   "domain": "again" if again else "torch"})
        self.now += 1 * US

    def second_device(self):
        self.out.stream(self.out.device(1, "GPU", "GPU-1"), 2, 8)

    def range(self, name, begin, thread=1, category=1):
        self.rows["range"].append({"start_ns": begin, "dur_ns": self.now - begin, "thread": thread, "name": name,
                                   "category": category})

    def optimizer(self, name=ADAM, thread=1, again=False):
        self.kernels(["update_%s_%d" % (name[:3], i) for i in range(2)], thread)
        self.mark(name, thread, again)

    def train(self, steps, thread=1):
        for _ in range(steps):
            self.kernels(FORWARD + BACKWARD, thread)
            self.optimizer(thread=thread)

    def close(self):
        for table, rows in self.rows.items():
            self.out.rows(table, sorted(rows, key=lambda row: row["start_ns"]))
        self.out.close()


def two_optimizers(p):
    """Both step after one backward."""
    for _ in range(20):
        p.kernels(FORWARD + BACKWARD)
        p.optimizer()
        p.optimizer(SGD, again=True)


def graph_part(p):
    """Forward and backward are replayed: autograd sees no backward between the marks."""
    p.train(1)
    for _ in range(39):
        p.graph(FORWARD + BACKWARD)
        p.optimizer(again=True)


def graph_whole(p):
    """Three eager steps, then whole steps are replayed."""
    p.train(3)
    for _ in range(40):
        p.graph(FORWARD + BACKWARD + ["update_Ada_0", "update_Ada_1"])


def graph_whole_ops(p):
    """The same where a graph launch has one record."""
    p.train(3)
    for _ in range(40):
        p.graph([], whole_us=280)


def graph_after_warm_up(p):
    """Eleven eager steps, then forward and backward are replayed."""
    p.train(12)
    for _ in range(26):
        p.graph(FORWARD + BACKWARD)
        p.optimizer()


def graph_after_half(p):
    """Most steps are eager."""
    p.train(21)
    for _ in range(19):
        p.graph(FORWARD + BACKWARD)
        p.optimizer()


def graph_only(p):
    """Each step copies its batch and launches a graph."""
    for _ in range(40):
        p.kernels(["copy"])
        p.graph([], whole_us=300)


def graph_small(p):
    """A small graph is launched several times a step."""
    for _ in range(20):
        p.kernels(FORWARD)
        for _ in range(3):
            p.graph([], whole_us=20)
        p.kernels(BACKWARD + ["update_%d" % i for i in range(4)])


def threads(p):
    """Two threads that each train; the second of two backwards is done when the first mark comes."""
    for step in range(25):
        first = 1 + step // 3 % 2
        p.kernels(FORWARD + BACKWARD, first)
        p.kernels(FORWARD + BACKWARD, 3 - first)
        p.optimizer("Adam %d" % first, first)
        p.optimizer("Adam %d" % (3 - first), 3 - first, again=True)


def loops(p, devices=(1, 1), counts=(30, 20), each=None, marker=False):
    """Two threads that each train: so many steps, a layer at a time in turns that are drawn. Nothing marks them but `each`."""
    rng = random.Random(4)
    work = []
    for thread, n in ((1, counts[0]), (2, counts[1])):
        layers = [part + "_%d" % thread for part in ("in", "mid", "out", "loss", "back_out", "back_mid", "back_in", "update")]
        work.append([(step, i, [layer + "_%d" % k for k in range(3)]) for step in range(n) for i, layer in enumerate(layers)])
    begun = [0, 0]
    while work[0] or work[1]:
        which = rng.choices((0, 1), weights=[len(work[0]), len(work[1])])[0]
        step, i, kernels = work[which].pop(0)
        p.device, begun[which] = devices[which], begun[which] if i else p.now
        p.kernels(kernels, which + 1)
        if i == 7 and each:
            each(p, which, step)
        if i == 7 and marker:
            p.range("step %d" % step, begun[which], which + 1)


def loops_period(p):
    loops(p)


def loops_markers(p):
    loops(p, marker=True)


def loops_devices(p):
    """Each thread has a device of its own."""
    p.second_device()
    loops(p, devices=(1, 2), marker=True)


def loops_instants(p):
    """The same by marks without length."""
    loops(p, each=lambda p, which, step: p.range("step %d" % step, p.now, which + 1, 6))


def loops_optimizers(p):
    loops(p, each=lambda p, which, step: p.mark((ADAM, SGD)[which], which + 1))


def loops_devices_optimizers(p):
    p.second_device()
    loops(p, devices=(1, 2), each=lambda p, which, step: p.mark((ADAM, SGD)[which], which + 1))


def steps_in_turns(p):
    """Threads of a pool that take steps in turns are one loop."""
    for step in range(20):
        begun, thread = p.now, 1 + step // 3 % 2
        p.kernels(FORWARD + BACKWARD, thread)
        p.range("step %d" % step, begun, thread)


def optimizer_in_turns(p):
    """So are those that step the same optimizer."""
    for step in range(20):
        p.kernels(FORWARD + BACKWARD)
        p.optimizer(thread=1 + step // 3 % 2)


def inside(p, markers, marked=True):
    """30 steps, the first `markers` of which are marked; `marked`: the optimizer marks all."""
    for step in range(30):
        begun = p.now
        p.kernels(FORWARD + BACKWARD + ["update_%d" % i for i in range(2)])
        if marked:
            p.mark()
        if step < markers:
            p.range("step %d" % step, begun)


def few_markers(p):
    """The program marks four steps, its optimizer all of them."""
    inside(p, 4)


def few_markers_period(p):
    """The program marks four steps, and nothing marks the others."""
    inside(p, 4, marked=False)


def few_markers_evaluation(p):
    """All steps are marked, and there is far more of evaluation."""
    inside(p, 30, marked=False)
    for _ in range(150):
        p.kernels(FORWARD)


def last_empty(p):
    """Ten steps, and the two that a profiler opened after them, in which nothing was launched."""
    for step in range(12):
        begun = p.now
        if step < 10:
            p.kernels(FORWARD + BACKWARD)
        p.now += 50 * US
        p.range("ProfilerStep#%d" % step, begun)


def few_markers_no_better(p):
    """Four steps are marked; what follows has their kernels, in no order."""
    rng = random.Random(2)
    for step in range(4):
        begun = p.now
        p.kernels(FORWARD + BACKWARD)
        p.range("step %d" % step, begun)
    for _ in range(400):
        p.kernels([rng.choice(FORWARD + BACKWARD)])


def critics(p):
    """A critic steps twelve times for each step of its generator."""
    for _ in range(16):
        for _ in range(12):
            p.kernels(FORWARD + BACKWARD)
            p.optimizer(SGD)
        p.train(1)


def evaluation(p):
    """Far more is evaluated afterwards than was trained."""
    p.train(20)
    for _ in range(300):
        p.kernels(FORWARD)


def uneven(p):
    """In the second part of the run the steps are others."""
    p.train(14)
    for _ in range(8):
        p.kernels(5 * ["other_%d" % i for i in range(14)])
        p.mark()


def imported(p):
    """Nothing marks the steps of a profile."""
    for _ in range(8):
        p.kernels(FORWARD + BACKWARD + ["update_%d" % i for i in range(4)])


def imported_ahead(p):
    """Marked steps of a thread that runs ahead of its GPU."""
    for step in range(8):
        begun = p.now
        for name in FORWARD:
            p.call("cudaLaunchKernel", 1)
            p.op(1, name, us=200)
        p.range("step %d" % step, begun)


def imported_one(p):
    """A profile of a single step, of 24 layers."""
    p.kernels(["embed", "position"])
    for _ in range(24):
        p.kernels(FORWARD)
    p.kernels(["head", "loss", "head_back"])
    for _ in range(24):
        p.kernels(BACKWARD)
    for i in range(60):
        p.kernels(["update"])


def loop(p, steps, batches, layers, optimizer="fused_adam"):
    """The forward is computed again in the backward, a layer at a time; an optimizer ends the step. The loss is one of few kernels
    that a step has once."""
    for _ in range(steps):
        for _ in range(batches):
            p.kernels(FORWARD * layers + ["loss"])
            p.kernels((FORWARD + BACKWARD) * layers)
        p.kernels([optimizer + "_%d" % i for i in range(3)])


def micro_batches(p):
    """A step has 9 micro-batches."""
    loop(p, 12, 9, 2)


def evaluated_once(p):
    """A handful of steps, and an evaluation of more batches after the fourth."""
    for steps in (4, 3):
        loop(p, steps, 1, 2)
        if steps == 4:
            for _ in range(6):
                p.kernels(FORWARD * 2 + ["loss"])


CASES = {case.__name__: case for case in (two_optimizers, graph_part, graph_whole, graph_whole_ops, graph_after_warm_up,
                                             graph_after_half, graph_only, graph_small, threads, critics, evaluation,
                                          uneven, imported, imported_ahead, imported_one, loops_period, loops_markers, loops_devices, loops_instants,
                                          loops_optimizers, loops_devices_optimizers, steps_in_turns, optimizer_in_turns, few_markers,
                                          few_markers_period, few_markers_evaluation, few_markers_no_better, last_empty, micro_batches,
                                          evaluated_once)}


def restarted(folder, steps, told):
    """Two ranks, each with a process for each number of steps, one after the other; `told`: the launcher numbered them, None: there is
    no launcher, and one process at a time."""
    for rank in range(2) if told is not None else [-1]:
        now = 0
        for generation, n in enumerate(steps):
            name = "%d-%d.0.0.0.baton" % (rank, generation)
            p = Process(os.path.join(folder, name), rank, 100 + 10 * rank + generation, now, generation=generation if told else 0)
            p.train(n)
            p.close()
            now = (p.now if told is not None else p.gpu) + 1000 * US


RESTARTED = {"restarted": ((10, 21), True), "restarted_late": ((21, 10, 2), True), "restarted_once": ((21,), True),
             "restarted_untold": ((10, 21), False), "restarted_alone": ((10, 21), None)}


def main():
    name, folder, begin, run_id = (sys.argv[1:] + ["0", None][len(sys.argv) - 3:])[:4]
    os.makedirs(folder)
    if name in RESTARTED:
        restarted(folder, *RESTARTED[name])
        return
    process = Process(os.path.join(folder, "a.0.0.0.baton"), begin=int(begin), source="kineto" if name.startswith("imported") else "baton",
                      run_id=run_id)
    CASES[name](process)
    process.close()


main()
