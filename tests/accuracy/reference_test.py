#!/usr/bin/env python3
"""Tiny traces whose leaves were worked out by hand from docs/ATTRIBUTION.md."""

import itertools
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import reference  # noqa: E402

GROUPS = {b"gemm": "matmul", b"norm": "custom", b"foo": "other", b"copy": "memory",
          b"ncclKernel": "nccl"}
KERNEL, MEMCPY, MEMSET, WHOLE_GRAPH = 1, 2, 3, 4
EVENT_SYNC, HOST_FUNCTION, PEER = 3, 6, 7
ALL_REDUCE, BROADCAST = 1, 6
MS = 1_000_000


class Trace:
    """The dump lines of one process with one device (or two) and the threads 1, 2, ..."""

    def __init__(self, pid=1, rank=0, host="h", ordinal=0, uuid=None, source="kineto"):
        self.rows = [
            {"record": "file", "name": "f", "content": "trace"},
            {"record": "process", "pid": pid, "rank": rank, "host": host, "source": source},
            {"record": "device", "id": 1, "ordinal": ordinal, "uuid": uuid}]
        self.streams = {}

    def second_device(self, ordinal, uuid=None):
        """The device of all streams from 100 on."""
        self.rows.append({"record": "device", "id": 2, "ordinal": ordinal, "uuid": uuid})
        return self

    def new_stream(self, stream):
        """Another id for this stream number."""
        self.streams[stream] = len(self.rows)
        self.rows.append({"record": "stream", "id": self.streams[stream],
                          "device": 2 if stream >= 100 else 1, "context": 1, "stream": stream})
        return self

    def add(self, record, begin, end, **fields):
        self.rows.append(dict(fields, record=record, start_ns=begin, dur_ns=end - begin))
        return self

    def op(self, begin, end, correlation=0, stream=7, name="gemm", kind=KERNEL, **more):
        if stream not in self.streams:
            self.new_stream(stream)
        return self.add("op", begin, end, op_kind=kind, stream=self.streams[stream],
                        correlation=correlation, name=name, **more)

    def call(self, begin, end, correlation=0, thread=1, name="cudaLaunchKernel"):
        return self.add("call", begin, end, thread=thread, name=name, correlation=correlation)

    def range(self, begin, end, name, thread=1, category=3, **more):
        return self.add("range", begin, end, thread=thread, name=name, category=category, **more)

    def overhead(self, begin, end, kind, thread=0):
        return self.add("overhead", begin, end, thread=thread, overhead_kind=kind)

    def sched(self, begin, end, slept, waited, thread=1, stack=0, **more):
        return self.add("sched", begin, end, thread=thread, slept_ns=slept, waited_ns=waited,
                        stack=stack, **more)

    def asleep(self, begin, end, thread=1, **more):
        return self.sched(begin, end, end - begin, 0, thread, **more)

    def meta(self, key, value=""):
        self.rows.append({"record": "meta", "key": key, "value": value})
        return self

    def stack(self, number, *frames):
        """Python frames as FILE:FUNCTION, innermost first; None is a native one."""
        for at, name in enumerate(frames):
            file, _, function = (name or "").partition(":")
            self.rows.append({"record": "code", "id": 10 * number + at, "file": file,
                              "function": function})
        self.rows.append({"record": "stack", "id": number, "frames": [
            {"kind": 1 if name else 2, "of": 10 * number + at if name else 0}
            for at, name in enumerate(frames)]})
        return self

    def sync(self, begin, end, kind, stream=7):
        return self.add("sync", begin, end, sync_kind=kind,
                        stream=self.streams.get(stream, stream))

    def communicator(self, size, number=1):
        self.rows.append({"record": "communicator", "id": number, "size": size, "hash": 99})
        return self

    def collective(self, begin, end, correlation, coll=ALL_REDUCE, **more):
        return self.add("collective", begin, end, correlation=correlation, comm=1, coll=coll,
                        **more)


def no_period(_key):
    return []


def reduce_traces(*traces, step_range=None, periods=no_period):
    lines = [json.dumps(row) for trace in traces for row in trace.rows]
    return reference.reduce_run(lines, GROUPS, step_range, periods)


def reduce_one(trace, **options):
    devices = reduce_traces(trace, **options)
    assert len(devices) == 1
    return devices[0]


def late_launch(**k):
    """Gap [100, 1000) before an op launched in [600, 610); l is 20, the delay of the first op.
    By itself: 500 framework, 10 launch_call, 50 launch_latency, 340 unexplained."""
    return Trace().call(0, 10, 1).op(20, 100, 1).call(600, 610, 2).op(1000, 1100, 2, **k)


def busy_before():
    """The same behind an op that ran since -5000: what a call before the gap waits for."""
    return late_launch().call(-5020, -5010, 8).op(-5000, 20, 8)


class WorkTest(unittest.TestCase):
    def test_priority_of_overlapping_ops(self):
        trace = (Trace().op(0, 10, stream=1, name="copy").op(2, 8, stream=2, name="foo")
                 .op(3, 7, stream=3, name="norm").op(4, 6, stream=4, name="gemm"))
        self.assertEqual(reduce_one(trace)["time_ns"], {
            "work.memory": 4, "work.other": 2, "work.custom": 2, "work.matmul": 2})

    def test_copies_graphs_and_hidden_nccl(self):
        trace = (Trace().op(0, 10, stream=1, name="ncclKernel")
                 .op(2, 4, stream=2, kind=MEMSET, name=None)
                 .op(6, 12, stream=3, kind=WHOLE_GRAPH, name=None))
        device = reduce_one(trace)
        self.assertEqual(device["time_ns"],
                         {"nccl.unsplit": 4, "work.memory": 2, "work.graph": 6})
        self.assertEqual(device["nccl_hidden_ns"], 6)
        self.assertEqual(device["busy_ns"], {"nccl": 10, "memory": 2, "other": 6})

    def test_exposed_copies(self):
        htod = {"kind": MEMCPY, "name": None, "copy_dir": 1, "bytes": 500}
        trace = (Trace().op(0, 100, stream=1, **htod).op(10, 20, stream=2)
                 .op(20, 40, stream=2, kind=MEMCPY, name=None, copy_dir=3)
                 .op(50, 70, stream=3, name="ncclKernel"))
        device = reduce_one(trace)
        self.assertEqual(device["time_ns"], {"work.matmul": 10, "work.memory": 20,
                                             "nccl.unsplit": 20, "copy.exposed": 50})
        self.assertEqual(device["nccl_hidden_ns"], 0)
        self.assertEqual(device["busy_ns"], {"memory": 120, "matmul": 10, "nccl": 20})
        self.assertEqual(device["copies"], {("HtoD", False): [1, 100, 500, 100]})

    def test_which_copies_leave_the_device(self):
        for direction, pageable, leaf in ((1, 0, "copy.exposed"), (2, 0, "copy.exposed"),
                                          (3, 0, "work.memory"), (3, 1, "work.memory"),
                                          (4, 0, "copy.exposed"), (5, 0, "copy.exposed"),
                                          (0, 0, "work.memory"), (0, 1, "copy.exposed")):
            trace = Trace().op(0, 10, kind=MEMCPY, copy_dir=direction, pageable=pageable)
            self.assertEqual(reduce_one(trace)["time_ns"], {leaf: 10})

    def test_a_collective_row_makes_a_kernel_nccl(self):
        trace = Trace().op(0, 10, 5, name="foo").collective(0, 10, 5)
        self.assertEqual(reduce_one(trace)["time_ns"], {"nccl.unsplit": 10})

    def test_unclassified_kernel_is_an_error(self):
        with self.assertRaises(ValueError):
            reduce_one(Trace().op(0, 10, name="nobody knows"))


class CollectiveTest(unittest.TestCase):
    def run_pair(self, first, second, size=2):
        """Two ranks; AllReduce of 100 ns and of 30 ns."""
        a = Trace(1, 0, ordinal=0).communicator(size).op(0, 100, 5, name="ncclKernel")
        b = Trace(2, 1, ordinal=1).communicator(size).op(70, 100, 5, name="ncclKernel")
        first(a, 0)
        second(b, 70)
        return [device["time_ns"] for device in reduce_traces(a, b)]

    def test_split_by_the_shortest_member(self):
        def row(trace, begin):
            trace.collective(begin, 100, 5, sequence=3)
        self.assertEqual(self.run_pair(row, row),
                         [{"nccl.wait": 70, "nccl.transfer": 30}, {"nccl.transfer": 30}])

    def test_unsplit(self):
        def row(**more):
            return lambda trace, begin: trace.collective(begin, 100, 5, **more)

        def twice(trace, begin):
            row(sequence=3)(trace, begin)
            row(sequence=3)(trace, begin)

        unsplit = [{"nccl.unsplit": 100}, {"nccl.unsplit": 30}]
        broadcast = row(coll=BROADCAST, sequence=3)
        self.assertEqual(self.run_pair(broadcast, broadcast), unsplit, "not synchronising")
        self.assertEqual(self.run_pair(row(sequence=3), row(sequence=4)), unsplit, "other key")
        self.assertEqual(self.run_pair(row(), row()), unsplit, "no sequence, no steps")
        self.assertEqual(self.run_pair(row(sequence=3), row(sequence=3), 3), unsplit, "third")
        self.assertEqual(self.run_pair(row(sequence=3), twice), unsplit, "row counts differ")

    def ordered(self, *ops_of, world=-1, **more):
        """Ranks whose NCCL kernels (begin, end in us) have no arguments."""
        traces = []
        for rank, ops in enumerate(ops_of):
            trace = Trace(rank + 1, rank, ordinal=rank, **more)
            trace.rows[1]["world_size"] = world
            for number, (begin, end) in enumerate(ops, 1):
                trace.op(begin * 1000, end * 1000, number, name="ncclKernel")
                trace.call(begin * 1000, begin * 1000, number)
            traces.append(trace.range(0, 10_000_000, "step 1"))
        return [{leaf: ns // 1000 for leaf, ns in device["time_ns"].items()
                 if leaf.startswith("nccl")} for device in reduce_traces(*traces)]

    def test_order_matches_what_has_no_arguments(self):
        first = [(0, 1000), (2000, 2300)]
        self.assertEqual(self.ordered(first, [(700, 1050), (2100, 2310)]),
                         [{"nccl.wait": 650 + 90, "nccl.transfer": 350 + 210},
                          {"nccl.transfer": 350 + 210}])
        self.assertEqual(self.ordered(first, [(700, 1050), (2100, 2310)], source="baton"),
                         [{"nccl.unsplit": 1300}, {"nccl.unsplit": 560}], "no import")
        self.assertEqual(self.ordered(first, [(700, 1050), (2100, 2310)], world=3),
                         [{"nccl.unsplit": 1300}, {"nccl.unsplit": 560}], "a rank is missing")

    def test_order_that_does_not_match(self):
        first = [(0, 1000), (2000, 2300)]
        for why, second in (("another number", [(700, 1050)]),
                            ("ends apart", [(200, 300), (5000, 5100)])):
            self.assertEqual(self.ordered(first, second)[0], {"nccl.unsplit": 1300}, why)

    def test_one_in_ten_may_end_apart(self):
        good = [(1000 * i, 1000 * i + 300) for i in range(9)]
        ranks = self.ordered(good + [(9000, 9100)], good + [(9800, 9900)])
        self.assertEqual(ranks, [{"nccl.unsplit": 100, "nccl.transfer": 2700}] * 2)
        ranks = self.ordered(good[1:] + [(9000, 9100)], good[1:] + [(9800, 9900)])
        self.assertEqual(ranks, [{"nccl.unsplit": 2500}] * 2)

    def test_ends_may_be_apart_by_a_tenth_of_the_wait(self):
        self.assertEqual(self.ordered([(0, 9000)], [(4900, 9400)])[1], {"nccl.transfer": 4500})
        self.assertEqual(self.ordered([(0, 9000)], [(5000, 9500)])[1], {"nccl.unsplit": 4500})

    def test_two_ops_with_one_key(self):
        trace = (Trace(2, 1, ordinal=1).communicator(2)
                 .op(0, 10, 5, name="ncclKernel").collective(0, 10, 5, sequence=1)
                 .op(10, 30, 6, name="ncclKernel").collective(10, 30, 6, sequence=1))
        other = (Trace(1, 0).communicator(2)
                 .op(0, 8, 5, name="ncclKernel").collective(0, 8, 5, sequence=1))
        self.assertEqual([d["time_ns"] for d in reduce_traces(other, trace)],
                         [{"nccl.unsplit": 8}, {"nccl.unsplit": 30}])

    def test_sequence_from_the_step(self):
        def rank(pid, ordinal, shift):
            return (Trace(pid, pid, ordinal=ordinal).communicator(2)
                    .range(0, 100, "ProfilerStep#4")
                    .call(1, 2, 5).op(10, 20, 5, name="ncclKernel").collective(10, 20, 5)
                    .call(3, 4, 6).op(20, 40 + shift, 6, name="ncclKernel")
                    .collective(20, 40 + shift, 6))
        devices = reduce_traces(rank(1, 0, 0), rank(2, 1, 7))
        self.assertEqual(devices[1]["time_ns"]["nccl.wait"], 7)
        self.assertEqual(devices[1]["time_ns"]["nccl.transfer"], 30)

    def test_one_process_may_be_several_members(self):
        def times(first_uuid, second_uuid):
            trace = (Trace(uuid=first_uuid).second_device(1, second_uuid).communicator(2)
                     .op(0, 100, 5, name="ncclKernel").collective(0, 100, 5, sequence=3)
                     .op(70, 100, 6, stream=107, name="ncclKernel")
                     .collective(70, 100, 6, sequence=3))
            return [device["time_ns"] for device in reduce_traces(trace)]
        self.assertEqual(times(None, None),
                         [{"nccl.wait": 70, "nccl.transfer": 30}, {"nccl.transfer": 30}])
        self.assertEqual(times("GPU-x", "GPU-x"), [{"nccl.unsplit": 100}], "one device twice")

    def test_each_device_of_a_process_counts_its_own_ops_of_a_step(self):
        trace = Trace().second_device(1).communicator(2).range(0, 100, "ProfilerStep#4")
        for n, (begin, end, stream) in enumerate(((10, 20, 7), (20, 40, 7), (10, 25, 107),
                                                  (30, 40, 107)), 5):
            trace.call(n - 4, n - 3, n).op(begin, end, n, stream=stream, name="ncclKernel")
            trace.collective(begin, end, n)
        waits = [device["time_ns"].get("nccl.wait", 0) for device in reduce_traces(trace)]
        self.assertEqual(waits, [10, 5])

    def test_size_one_is_all_transfer(self):
        trace = Trace().communicator(1).op(0, 10, 5, name="ncclKernel").collective(0, 10, 5)
        self.assertEqual(reduce_one(trace)["time_ns"], {"nccl.transfer": 10})


class StepTest(unittest.TestCase):
    def trace(self):
        """One op launched before, in step 1, in step 2 and after."""
        trace = Trace().range(100, 200, "step 1").range(200, 300, "Step_2")
        for n, begin in enumerate((50, 150, 250, 350), 1):
            trace.call(begin, begin, n).op(begin + 60, begin + 90, n)
        return trace

    def test_windows_tile_from_the_end_of_what_came_before(self):
        device = reduce_one(self.trace())
        self.assertEqual(device["step_ns"], [100, 100])
        self.assertEqual(device["window_ns"], 200)
        self.assertEqual(device["hull_ns"], 330)
        self.assertEqual((device["kernels"], device["launches"], device["lead_in_ns"]), (2, 2, 0))

    def test_profiler_steps_win_and_python_frames_do_not_count(self):
        trace = self.trace().range(150, 300, "ProfilerStep#9")
        trace.range(0, 400, "ProfilerStep#8", category=5)
        self.assertEqual(reduce_one(trace)["step_ns"], [200])

    def test_names_of_frameworks(self):
        for name in ("training_step_%d", "epoch1_step%d-rank0-640_8", "Epoch 2, iteration %d"):
            trace = self.trace()
            for row in trace.rows:
                if row["record"] == "range":
                    row["name"] = name % int(row["name"][-1])
            self.assertEqual(reduce_one(trace)["step_ns"], reduce_one(self.trace())["step_ns"])

    def test_named_range(self):
        trace = self.trace().range(150, 151, "my step").range(240, 300, "my step")
        self.assertEqual(reduce_one(trace, step_range="my step")["step_ns"], [100, 100])

    def test_longer_marker_of_one_begin_is_kept(self):
        trace = self.trace().range(200, 360, "step 3")
        self.assertEqual(reduce_one(trace)["step_ns"], [100, 200])

    def test_a_partial_marker_ends_the_step_before_it(self):
        """It takes the ops of step 2, which is then a last step without any."""
        unclosed = self.trace().range(240, 500, "step 3", unclosed=1)
        self.assertEqual(reduce_one(unclosed)["step_ns"], [100])
        mark = self.trace().range(240, 240, "step 3", category=6)
        self.assertEqual(reduce_one(mark)["step_ns"], [100])

    def test_lead_in(self):
        trace = (Trace().range(100, 300, "step 1").call(150, 160, 1).op(220, 250, 1))
        device = reduce_one(trace)
        # no calibration gap: l is the only delay, 70; latency reaches to 150 + 210 and is cut
        self.assertEqual(device["lead_in_ns"], 120)
        self.assertEqual(device["window_ns"], 150)
        self.assertEqual(device["hull_idle_ns"], 0)
        self.assertEqual(device["time_ns"], {
            "work.matmul": 30, "idle.host.code": 50, "idle.cpu.launch_call": 10,
            "idle.cpu.launch_latency": 60})

    def test_unmatched_op_follows_its_stream(self):
        trace = self.trace().op(245, 260)
        trace.op(130, 280, stream=8)
        device = reduce_one(trace)
        # stream 8 has no launch record at all: before; the op on stream 7 is of step 1
        self.assertEqual((device["kernels"], device["unmatched_ops"]), (3, 2))
        self.assertEqual(device["step_ns"], [0, 60])

    def test_steps_come_from_the_lowest_rank(self):
        a = self.trace()
        a.rows[1]["rank"], a.rows[2]["uuid"] = 3, "GPU-x"
        b = Trace(2, 1, uuid="GPU-x").op(500, 510).range(0, 1000, "step 7")
        devices = reduce_traces(a, b)
        self.assertEqual([d["device"] for d in devices], ["h/GPU-x"])
        self.assertEqual(devices[0]["steps"], 1)


class WarmUpTest(unittest.TestCase):
    def trace(self, steps, source="baton", name="step %d", **marker):
        """Step n is [100 n, 100 n + 100), its op is launched at its begin and runs from 10 on."""
        trace = Trace(source=source)
        for n in range(steps):
            trace.range(100 * n, 100 * n + 100, name % n, **marker)
            trace.call(100 * n, 100 * n + 5, n + 1).op(100 * n + 10, 100 * n + 90, n + 1)
        return trace

    def cut(self, trace):
        device = reduce_one(trace)
        self.assertEqual(device["kernels"], device["steps"])
        return device["steps_cut"]

    def load(self, trace, begin, ns=MS, thread=2, name="cuModuleLoadData"):
        return trace.call(begin, begin + ns, thread=thread, name=name)

    def test_the_first_of_four_steps_is_cut(self):
        self.assertEqual(self.cut(self.trace(3)), 0)
        self.assertEqual(self.cut(self.trace(4)), 1)
        self.assertEqual(self.cut(self.trace(4, source="simgpu")), 1)
        self.assertEqual(self.cut(self.trace(12)), 1)
        for source in ("kineto", "nsys", None):
            self.assertEqual(self.cut(self.trace(4, source=source)), 0)

    def test_the_window_begins_at_the_end_of_the_cut_step(self):
        device = reduce_one(self.trace(4))
        self.assertEqual((device["window_ns"], device["step_ns"]), (300, [100, 100, 100]))
        self.assertEqual((device["launches"], device["busy_ns"]), (3, {"matmul": 240}))
        self.assertEqual(device["hull_ns"], 380)

    def test_a_step_that_loads_modules_is_cut_behind_the_first(self):
        for begin, cut in ((99, 1), (100, 2), (199, 2), (200, 1), (250, 1)):
            self.assertEqual(self.cut(self.load(self.trace(8), begin)), cut, begin)
        self.assertEqual(self.cut(self.load(self.trace(8), 100, MS - 1)), 1)
        self.assertEqual(self.cut(self.load(self.trace(8), 100, name="cudaMalloc")), 1)
        self.assertEqual(self.cut(self.load(self.trace(8), 100, name="cuInit_v2000")), 2)

    def test_at_most_a_quarter_is_cut(self):
        for steps, cut in ((7, 1), (8, 2), (11, 2), (12, 3), (16, 3)):
            trace = self.load(self.load(self.trace(steps), 150), 250)
            self.assertEqual(self.cut(trace), cut, steps)
        self.assertEqual(self.cut(self.load(self.trace(12), 250)), 1, "not directly following")

    def test_partial_markers_are_no_steps(self):
        trace = self.trace(3).range(-50, 0, "step 9", unclosed=1)
        self.assertEqual(reduce_one(trace)["steps_cut"], 1)
        trace = self.trace(4).range(-50, 0, "step 9", unclosed=1)
        device = reduce_one(trace)
        self.assertEqual((device["steps"], device["steps_cut"]), (3, 2))
        # step 1 ends where the partial one begins
        for begin, cut in ((139, 3), (140, 2)):
            trace = self.trace(8).range(140, 150, "step 9", unclosed=1)
            device = reduce_one(self.load(trace, begin))
            self.assertEqual((device["steps"], device["steps_cut"]), (9 - cut, cut), begin)

    def test_only_the_process_that_marks_counts(self):
        marking = self.trace(8)
        marking.rows[2]["uuid"] = "GPU-x"
        other = self.load(Trace(2, 1, uuid="GPU-x", source="kineto").op(800, 810), 150)
        self.assertEqual(reduce_traces(marking, other)[0]["steps_cut"], 1)
        marking.rows[1]["source"], other.rows[1]["source"] = "kineto", "baton"
        self.assertEqual(reduce_traces(marking, other)[0]["steps_cut"], 0)

    def test_ops_of_cut_steps_have_no_step_number(self):
        def rank(pid, shift):
            trace = Trace(pid, pid, ordinal=pid, source="baton").communicator(2)
            for n in range(4):
                begin, end = 100 * n + 10, 100 * n + 50 + shift
                trace.range(100 * n, 100 * n + 100, "step %d" % n).call(100 * n, 100 * n, n + 1)
                trace.op(begin, end, n + 1, name="ncclKernel").collective(begin, end, n + 1)
            return trace
        slow = reduce_traces(rank(1, 0), rank(2, 7))[1]
        self.assertEqual(slow["time_ns"]["nccl.wait"], 21)
        # this rank has no step to cut, that one's step 0 has no partner
        three = rank(2, 7)
        three.rows = [row for row in three.rows if row.get("name") != "step 3"]
        slow = reduce_traces(rank(1, 0), three)[1]
        self.assertEqual(slow["time_ns"]["nccl.unsplit"], 47)
        self.assertEqual(slow["time_ns"]["nccl.wait"], 14)

    def test_without_markers_the_steps_are_periodic(self):
        unmarked = Trace(source="simgpu").call(0, 5, 1).op(5, 10, 1)
        for trace in (unmarked, self.trace(5, unclosed=1)):
            with self.assertRaises(reference.NeedsPeriod):
                reduce_one(trace, periods=None)
        reduce_one(Trace().op(0, 10), periods=None)  # nothing was launched: there is no order

    def test_steps_that_are_given(self):
        trace = Trace(source="simgpu")
        for n in range(5):
            trace.call(100 * n, 100 * n + 5, n + 1).op(100 * n + 10, 100 * n + 60, n + 1)
        lines = [json.dumps(row) for row in trace.rows]
        device, = reference.devices_of(lines, GROUPS, periods=lambda key: [(100, 200), (200, 400)])
        self.assertEqual((device.window, device.step_ends), ((60, 360), [160, 360]))
        whole, = reference.devices_of(lines, GROUPS, periods=lambda key: [])
        self.assertEqual((whole.window, whole.step_ends), ((10, 460), [460]))

    def test_waits_of_ordered_collectives_are_not_owed(self):
        def rank(pid, begin):
            trace = Trace(pid, pid - 1, uuid="%d" % pid)
            trace.call(0, 5, 1).op(10, 20, 1).call(20, 25, 2).op(begin, 1000, 2, name="ncclKernel")
            return trace.call(100, 1000, name="cudaStreamSynchronize").call(1500, 1505, 3).op(1600, 1700, 3)
        early = reduce_traces(rank(1, 100), rank(2, 900))[0]
        self.assertEqual(early["time_ns"]["nccl.wait"], 800)
        self.assertEqual(early["time_ns"]["idle.host.sync"], 100)


class GapCase(unittest.TestCase):
    def leaves(self, trace):
        device = reduce_one(trace)
        return {leaf: ns for leaf, ns in device["time_ns"].items() if leaf.startswith("idle.")}

    def expect(self, trace, **changes):
        """The gap of late_launch with `changes`, keys with _ for the dots."""
        want = {"idle.cpu.framework": 500, "idle.cpu.launch_call": 10,
                "idle.cpu.launch_latency": 50, "idle.unknown.unexplained": 340}
        for key, ns in changes.items():
            want["idle." + key.replace("_", ".", 1)] = ns
        self.assertEqual(self.leaves(trace), {leaf: ns for leaf, ns in want.items() if ns})


class GapTest(GapCase):
    def test_plain(self):
        self.expect(late_launch())

    def test_each_call_class(self):
        for name, leaf in (("cudaMalloc", "host_alloc"), ("cuModuleLoadData", "host_module_load"),
                           ("c10d::allreduce_", "host_nccl_host"),
                           ("cudaEventQuery", "cpu_api")):
            with self.subTest(name):
                self.expect(late_launch().call(200, 300, name=name),
                            cpu_framework=400, **{leaf: 100})

    def test_each_range_class(self):
        for name, category, leaf in (("enumerate(dataloader)", 5, "host_input"),
                                     ("nccl:all_reduce", 1, "host_nccl_host")):
            with self.subTest(name):
                trace = late_launch().range(200, 300, name, category=category)
                self.expect(trace, cpu_framework=400, **{leaf: 100})
        self.expect(late_launch().range(200, 300, "nccl:all_reduce", category=5))
        self.expect(late_launch().range(200, 300, "dataloader", thread=2))

    def test_overhead_rows(self):
        for kind, leaf in ((1, "tool_profiler"), (2, "host_module_load"), (3, "gpu_queue_full")):
            for thread, ns in ((0, 100), (1, 100), (2, 0)):
                trace = late_launch().overhead(200, 300, kind, thread)
                self.expect(trace, cpu_framework=500 - ns, **{leaf: ns})

    def test_first_row_of_the_table_wins(self):
        trace = late_launch().range(150, 400, "DataLoader").call(200, 300, name="cudaMalloc")
        self.expect(trace, cpu_framework=250, host_input=150, host_alloc=100)

    def test_pageable_copy(self):
        self.expect(late_launch(kind=MEMCPY, pageable=1), host_sync=10, cpu_launch_call=0)

    def test_launches_of_other_ops_are_api(self):
        trace = late_launch().call(300, 340, 9).op(900, 900, 9, stream=9)
        # the zero-length op cuts the gap at 900: [100, 900) waits for its launch in [300, 340),
        # and [900, 1000) for that of the op at 1000, long made: queued, with q = 100
        self.assertEqual(self.leaves(trace), {
            "idle.cpu.framework": 200, "idle.cpu.launch_call": 40, "idle.cpu.launch_latency": 40,
            "idle.unknown.unexplained": 520, "idle.gpu.dispatch": 100})

    def test_long_stretch_is_code_across_other_calls(self):
        trace = (Trace().call(0, 10, 1).op(20, 100, 1)
                 .call(400, 500, name="cudaEventQuery")
                 .call(10 + MS, 30 + MS, 2).op(40 + MS, 50 + MS, 2))
        self.assertEqual(self.leaves(trace), {
            "idle.host.code": MS - 190, "idle.cpu.api": 100, "idle.cpu.launch_call": 20,
            "idle.cpu.launch_latency": 10})

    def test_stretch_just_too_short(self):
        trace = (Trace().call(0, 10, 1).op(20, 100, 1)
                 .call(9 + MS, 30 + MS, 2).op(40 + MS, 50 + MS, 2))
        self.assertEqual(self.leaves(trace)["idle.cpu.framework"], MS - 91)

    def test_hand_off(self):
        # thread 1 launched j and is in cudaMalloc until 400; thread 2 first appears at 300
        trace = (Trace().call(0, 10, 1).op(20, 100, 1).call(50, 400, name="cudaMalloc")
                 .range(300, 450, "aten::add", thread=2).call(600, 610, 2, thread=2)
                 .op(1000, 1100, 2))
        device = reduce_one(trace)
        self.assertEqual(device["hand_offs"], 1)
        self.assertEqual(device["time_ns"]["idle.host.alloc"], 200)
        # before the first call of thread 2 its stretch is endless
        self.assertEqual(device["time_ns"]["idle.host.code"], 300)

    def test_outermost_call_is_the_launch(self):
        trace = (Trace().call(0, 10, 1).op(20, 100, 1).call(605, 610, 2, name="cuLaunchKernel")
                 .call(600, 630, 2).op(1000, 1100, 2))
        self.expect(trace, cpu_launch_call=30, cpu_launch_latency=40,
                    unknown_unexplained=330)

    def test_first_long_launch_of_a_kernel_is_module_load(self):
        def trace(first_name):
            return (Trace().call(0, 10, 1).op(20, 100, 1, name=first_name)
                    .call(600, 600 + MS, 2).op(MS + 1000, MS + 1100, 2))
        self.assertEqual(self.leaves(trace("foo"))["idle.host.module_load"], MS)
        self.assertEqual(self.leaves(trace("gemm"))["idle.cpu.launch_call"], MS)

    def test_queued(self):
        # launched at 30, l = 20: queued at 100; one queued gap of 900, so the cap is 2,700
        trace = Trace().call(0, 10, 1).op(20, 100, 1).call(30, 40, 2).op(1000, 1100, 2)
        self.assertEqual(self.leaves(trace), {"idle.gpu.dispatch": 900})

    def test_dispatch_is_capped_by_three_median_gaps(self):
        trace = Trace().call(0, 10, 1).op(20, 100, 1)
        at = 100
        for n, gap in enumerate((5, 5, 100), 2):
            trace.call(30 + n, 31 + n, n).op(at + gap, at + gap + 10, n)
            at += gap + 10
        # q = 5, cap = max(l = 20, 15) = 20
        self.assertEqual(self.leaves(trace),
                         {"idle.gpu.dispatch": 30, "idle.unknown.unexplained": 80})

    def slices(self, lengths, names, lag=20, into=(1_000,)):
        """Gaps of these lengths, each ended by an op that was launched so far `into` it and started later; the first op starts
        `lag` after its launch."""
        trace, at = Trace().call(0, 10, 1).op(lag, lag + 80, 1), lag + 80
        for n, (ns, name, launched) in enumerate(zip(lengths, itertools.cycle(names), itertools.cycle(into)), 2):
            trace.call(at + launched, at + launched + 10, n).op(at + ns, at + ns + 50, n, name=name)
            at += ns + 50
        return self.leaves(trace)

    def test_a_shared_device(self):
        three = ("gemm", "norm", "foo")
        shared = self.slices([400_000] * 6 + [800_000, 1_200_000], three)
        # l = 20 (the smallest start - Ls, of the first op): 60 are launch latency
        self.assertEqual(shared["idle.gpu.shared"], 8 * (400_000 - 1_000 - 60) + 400_000 + 800_000)
        self.assertNotIn("idle.unknown.unexplained", shared)
        for lengths, names in (([400_000] * 5, three), ([400_000] * 8, three[:2]),
                               ([400_000] * 7 + [600_000] * 3, three), ([101_000] * 8, three),
                               ([400_000] * 90 + [600_000] * 3, ["gemm"] * 90 + ["norm", "foo", "copy"])):
            self.assertNotIn("idle.gpu.shared", self.slices(lengths, names), (lengths, names))
        # of one kernel: the starts do not hang on the launches, or they do
        into = (1_000, 21_000, 41_000, 61_000)
        even = [400_000, 401_000, 800_000, 402_000] * 2
        self.assertIn("idle.gpu.shared", self.slices(even, ["gemm"], into=into))
        self.assertNotIn("idle.gpu.shared", self.slices([400_000 + ns for ns in into] * 2, ["gemm"], into=into))
        # of graphs: what their first nodes wait for
        graphs = Trace().call(0, 10, 1).op(20, 100, 1)
        for n in range(6):
            at = 100 + n * 400_200
            graphs.call(at + 1_000, at + 1_010, n + 2, name="cudaGraphLaunch").op(at + 400_000, at + 400_100, n + 2, name=three[n % 3])
            graphs.op(at + 400_110, at + 400_200, n + 2)
        leaves = self.leaves(graphs)
        self.assertEqual(leaves["idle.gpu.shared"], 6 * (400_000 - 1_000 - 60))
        self.assertNotIn("idle.unknown.unrecorded", leaves)
        # where every launch takes long: 251,010 - 1,010 - 100,000 is the longest lag that leaves one
        self.assertIn("idle.gpu.shared", self.slices([251_010] * 8, three, 150_000))
        self.assertNotIn("idle.gpu.shared", self.slices([251_010] * 8, three, 150_001))

    def test_graph_nodes(self):
        trace = (Trace().call(0, 10, 1, name="cudaGraphLaunch").op(20, 100, 1)
                 .op(600, 700, 1))
        # the later node: queued, p1 = p2 = a; q = 500
        self.assertEqual(self.leaves(trace), {"idle.gpu.dispatch": 500})
        # a gap after a node hides work that was not recorded
        trace = late_launch().op(60, 70, 1, stream=8)
        self.expect(trace, unknown_unexplained=0, unknown_unrecorded=340)

    def test_a_copy_sharing_a_correlation_is_no_node(self):
        trace = late_launch().op(60, 70, 1, stream=8, kind=MEMCPY)
        self.expect(trace)

    def test_no_launch_record_and_launch_after_start(self):
        trace = Trace().call(0, 10, 1).op(20, 100, 1).op(300, 400).call(600, 610, 2)
        trace.op(500, 550, 2)
        device = reduce_one(trace)
        self.assertEqual(device["time_ns"]["idle.unknown.unmatched"], 300)
        self.assertEqual((device["unmatched_ops"], device["invalid_timestamps"]), (1, 1))

    def test_launch_at_the_end_of_the_gap(self):
        trace = Trace().call(0, 10, 1).op(20, 100, 1).call(500, 610, 2).op(500, 550, 2)
        self.assertEqual(self.leaves(trace), {"idle.cpu.framework": 400})

    def test_k_is_the_first_launched_of_simultaneous_ops(self):
        trace = late_launch().call(150, 160, 3).op(1000, 1001, 3, stream=8)
        self.expect(trace, cpu_framework=50, unknown_unexplained=790)
        # an op without launch record comes after any with one
        self.expect(late_launch().op(1000, 1001, 0, stream=1))

    def test_j_is_the_last_in_op_order_that_ends_at_a(self):
        # the op of thread 2 ends at 100 too and began later: thread 2 hands off
        trace = late_launch().call(30, 40, 3, thread=2).op(60, 100, 3, stream=8)
        self.assertEqual(reduce_one(trace)["hand_offs"], 1)

    def test_full_queue(self):
        def trace(depth):
            """`depth` launches ahead of a launch of stream 9, none started when the gap ends."""
            trace = Trace().call(-10, -8, 1).op(0, 1, 1)
            for n in range(depth):
                trace.call(10 + n, 11 + n, 10 + n).op(20_000 + n, 20_001 + n, 10 + n)
            trace.call(5000, 6000, 2)
            return trace.op(10_000, 10_001, 2, stream=9)
        self.assertEqual(self.leaves(trace(1000))["idle.gpu.queue_full"], 1000)
        self.assertNotIn("idle.gpu.queue_full", self.leaves(trace(999)))

    def test_floor_is_the_fifth_percentile_of_idle_launches(self):
        trace = Trace()
        for n in range(21):
            at = 10_000 * n
            trace.call(at, at + 1, n + 1).op(at + 100 + n, at + 200, n + 1)
        self.assertEqual(reduce_one(trace)["floor_ns"], 101)


class SchedTest(GapCase):
    def test_slept_then_waited_then_ran(self):
        self.expect(late_launch().sched(200, 500, 100, 50),
                    host_blocked=100, host_no_core=50, cpu_framework=350)

    def test_parts_are_cut_at_the_end_of_the_row_and_of_the_gap(self):
        most = 2**64 - 1
        for slept, waited, blocked, no_core in ((80, 80, 80, 20), (most, most, 100, 0),
                                                (0, most, 0, 100), (0, 0, 0, 0)):
            self.expect(late_launch().sched(200, 300, slept, waited), host_blocked=blocked,
                        host_no_core=no_core, cpu_framework=500 - blocked - no_core)
        self.expect(late_launch().sched(50, 150, 60, 10), host_blocked=10, host_no_core=10,
                    cpu_framework=480)
        self.expect(late_launch().sched(550, 700, 20, 90), host_blocked=20, host_no_core=30,
                    cpu_framework=450)
        self.expect(late_launch().sched(200, 200, 5, 5))

    def test_only_rows_of_the_owner_count(self):
        self.expect(late_launch().sched(200, 300, 50, 50, thread=2))
        self.expect(late_launch().sched(200, 300, 50, 50, thread=0))

    def test_place_in_the_table(self):
        trace = late_launch().sched(200, 300, 100, 0).sched(250, 350, 0, 100)
        self.expect(trace, host_blocked=50, host_no_core=100, cpu_framework=350)
        trace = late_launch().call(150, 350, name="cudaEventQuery").sched(200, 300, 60, 40)
        self.expect(trace, host_blocked=60, host_no_core=40, cpu_api=100, cpu_framework=300)
        trace = late_launch().call(200, 600, name="cudaEventQuery").sched(100, 600, 200, 300)
        self.expect(trace, host_blocked=200, host_no_core=300, cpu_framework=0)
        trace = late_launch().overhead(200, 300, 3, 1).sched(200, 300, 40, 50)
        self.expect(trace, host_no_core=50, gpu_queue_full=50, cpu_framework=400)
        trace = late_launch().overhead(200, 300, 1, 1).sched(200, 300, 50, 50)
        self.expect(trace, host_no_core=50, tool_profiler=50, cpu_framework=400)

    def test_no_core_comes_before_every_call(self):
        for name, leaf in (("cudaMalloc", "alloc"), ("cuModuleLoadData", "module_load"),
                           ("cudaDeviceSynchronize", "sync"), ("ncclAllReduce", "nccl_host")):
            trace = late_launch().call(200, 600, name=name).sched(100, 600, 200, 250)
            self.expect(trace, **{"host_blocked": 100, "host_no_core": 250, "host_" + leaf: 150,
                                  "cpu_framework": 0})
        trace = late_launch().range(100, 600, "DataLoader").sched(100, 600, 200, 250)
        self.expect(trace, host_input=250, host_no_core=250, cpu_framework=0)

    def hand_off(self, *rows):
        """Thread 1 launched j and is in cudaMalloc until 400; thread 2 first appears at 300."""
        trace = (Trace().call(0, 10, 1).op(20, 100, 1).call(50, 400, name="cudaMalloc")
                 .range(300, 450, "aten::add", thread=2).call(600, 610, 2, thread=2)
                 .op(1000, 1100, 2))
        for begin, end, slept, waited, thread in rows:
            trace.sched(begin, end, slept, waited, thread)
        device = reduce_one(trace)
        return device["hand_offs"], device["time_ns"].get("idle.host.alloc", 0)

    def test_a_thread_that_was_awake_owns_the_gap(self):
        mine, handed_off, at_once = (0, 0), (1, 200), (1, 1)
        self.assertEqual(self.hand_off(), handed_off)
        self.assertEqual(self.hand_off((50, 350, 0, 0, 2)), mine)
        self.assertEqual(self.hand_off((50, 350, 50, 0, 2)), mine)
        self.assertEqual(self.hand_off((50, 350, 50, 250, 2)), mine, "waiting is awake")
        self.assertEqual(self.hand_off((50, 350, 51, 0, 2)), at_once)
        self.assertEqual(self.hand_off((50, 100, 0, 0, 2)), handed_off, "ends at a")
        self.assertEqual(self.hand_off((100, 101, 0, 0, 2)), mine, "begins at a")
        self.assertEqual(self.hand_off((101, 350, 0, 0, 2)), at_once, "begins behind a")
        self.assertEqual(self.hand_off((50, 350, 0, 0, 1)), handed_off, "of the other thread")
        self.assertEqual(self.hand_off((50, 350, 0, 0, 0)), handed_off, "of no thread")
        rows = ((60, 200, 140, 0, 2), (50, 350, 10, 0, 2))
        self.assertEqual(self.hand_off(*rows), mine, "one row is enough")

    def test_the_next_thread_works_from_its_first_waking(self):
        """Awake in half of a row that goes on behind a; in less only while that lasts."""
        for row, alloc in (((50, 350, 150, 0, 2), 100), ((50, 350, 151, 0, 2), 101),
                           ((50, 350, 120, 170, 2), 70), ((180, 220, 10, 0, 2), 90),
                           ((180, 220, 30, 0, 2), 190), ((180, 220, 0, 40, 2), 80),
                           ((50, 101, 51, 0, 2), 200), ((200, 200, 0, 0, 2), 200)):
            self.assertEqual(self.hand_off(row), (1, alloc), row)

    def handed_back(self, *rows, stack=0, name="aten::mm"):
        """Thread 1 launched j and is in a range until 150; thread 2 launches at 600, the first
        that it does: what it owns is code."""
        trace = (Trace().call(0, 10, 1).op(20, 100, 1).range(30, 150, name)
                 .call(600, 610, 2, thread=2).op(1000, 1100, 2)
                 .stack(1, "train.py:hook", "torch/autograd/graph.py:run")
                 .stack(2, None, "torch/autograd/graph.py:_engine_run_backward", "train.py:main")
                 .stack(3, "/usr/lib/python3.11/threading.py:Condition.wait")
                 .stack(4, "mythreading.py:wait").stack(5, None).stack(6, "q/queue.py:Queue.get")
                 .stack(7, "queue.py:Queue.put"))
        for begin, end, slept, waited, thread in rows:
            trace.sched(begin, end, slept, waited, thread, stack)
        trace.call(200, 260, name="cudaMalloc", thread=2 if not rows else 3)
        device = reduce_one(trace)
        return device["hand_offs"], {leaf[10:]: ns for leaf, ns in device["time_ns"].items()
                                     if leaf.startswith("idle.host")}

    def test_a_thread_that_is_done_hands_back(self):
        self.assertEqual(self.handed_back(), (1, {"alloc": 60}))
        asleep = (160, 600, 440, 0, 1)
        # asleep without a stack, or in a frame that waits for threads: thread 2 owns it
        for stack in (0, 2, 3, 6):
            self.assertEqual(self.handed_back(asleep, stack=stack), (1, {"code": 440}), stack)
        for stack in (1, 4, 5, 7, 99):  # it stands somewhere; 99 is not there
            self.assertEqual(self.handed_back(asleep, stack=stack), (1, {"blocked": 440}), stack)
        # its range goes on until 150: until then it is at work, though asleep
        self.assertEqual(self.handed_back((110, 600, 490, 0, 1)),
                         (1, {"blocked": 40, "code": 450}))
        # what is no sleep stays with thread 1
        self.assertEqual(self.handed_back((160, 600, 100, 200, 1)),
                         (1, {"no_core": 200, "code": 100}))
        # thread 2 asleep too: its sleep from then on
        self.assertEqual(self.handed_back(asleep, (50, 600, 550, 0, 2)), (1, {"blocked": 440}))

    def over(self, *rows, source="baton", until=1000, launched=10):
        """Thread 1 launched j and is in a range until 1,000 ns; thread 2 launches at 4 ms, and has
        slept since 1 ms while standing somewhere. What thread 2 owns, in ns, is blocked."""
        trace = (Trace(source=source).call(0, launched, 1).op(20, 100, 1).range(30, until, "x")
                 .call(4 * MS, 4 * MS + 10, 2, thread=2).op(4 * MS + 20, 4 * MS + 30, 2)
                 .stack(1, "train.py:main").sched(1 * MS, 4 * MS, 3 * MS, 0, 2, stack=1))
        for begin, end, slept, thread in rows:
            trace.sched(begin, end, slept, 0, thread, stack=1)
        return reduce_one(trace)["time_ns"].get("idle.host.blocked", 0)

    def test_a_thread_that_is_over_hands_back(self):
        self.assertEqual(self.over(), 3 * MS)
        self.assertEqual(self.over(source="kineto"), 0, "nobody samples it")
        self.assertEqual(self.over(until=1 * MS), 3 * MS)
        self.assertEqual(self.over(until=1 * MS + 1), 0, "it was there less than 3 ms before")
        self.assertEqual(self.over(until=4 * MS + 1), 0)
        self.assertEqual(self.over(until=30, launched=0), 0, "only empty rows: they have no end")
        # rows of it: awake, empty, behind the launch
        self.assertEqual(self.over((500, 1 * MS, 0, 1)), 3 * MS)
        self.assertEqual(self.over((500, 2 * MS, 0, 1)), 0)
        self.assertEqual(self.over((2 * MS, 2 * MS, 0, 1)), 3 * MS)
        self.assertEqual(self.over((4 * MS, 5 * MS, 0, 1)), 3 * MS)
        self.assertEqual(self.over((4 * MS - 1, 5 * MS, 0, 1)), 0)
        # only where thread 2 is told asleep
        self.assertEqual(self.over((500_000, 4 * MS, 3500_000, 2)), 3500_000)

    def test_a_call_at_the_launch_is_still_work(self):
        trace = (Trace().call(0, 10, 1).op(20, 100, 1).call(500, 700, name="cudaMalloc")
                 .sched(100, 500, 400, 0).call(600, 610, 2, thread=2).op(1000, 1100, 2))
        leaves = reduce_one(trace)["time_ns"]
        self.assertEqual((leaves["idle.host.blocked"], leaves["idle.host.alloc"]), (400, 100))


class WaitTest(GapCase):
    """Thread 1 launches at 5 ms and sleeps from 1 ms on; before that it runs code, for 0.9999 ms.
    Thread 2 is in cudaMalloc from 2 ms to 3 ms, else in code."""

    def launching(self, key="python.lock", source="kineto"):
        trace = Trace(source=source).call(0, 10, 1).op(20, 100, 1).call(5 * MS, 5 * MS + 10, 2)
        return trace.op(5 * MS + 30, 5 * MS + 50, 2).meta(key).meta("other.key", None)

    def waiting(self, key="python.lock", **sched):
        trace = self.launching(key).asleep(1 * MS, 5 * MS, **sched)
        return trace.call(2 * MS, 3 * MS, name="cudaMalloc", thread=2)

    def host(self, trace):
        """(blocked, alloc, code) in us; code without that of thread 1 itself."""
        leaves = self.leaves(trace)
        found = [leaves.get("idle.host." + leaf, 0) for leaf in ("blocked", "alloc", "code")]
        return found[0] // 1000, found[1] // 1000, (found[2] - (MS - 100)) // 1000

    def test_for_a_thread_that_stops(self):
        trace = self.waiting().asleep(4900_000, 9 * MS, thread=2)
        self.assertEqual(self.host(trace), (100, 1000, 2900))
        # it stops at most 1.5 ms before or behind
        for stops, host in ((3500_000, (1500, 1000, 1500)), (3500_000 - 1, (4000, 0, 0)),
                            (6500_000, (0, 1000, 3000)), (6500_000 + 1, (4000, 0, 0))):
            self.assertEqual(self.host(self.waiting().asleep(stops, 9 * MS, thread=2)), host, stops)
        trace = self.waiting().sched(4 * MS, 9 * MS, 0, 0, 2).sched(4 * MS, 4 * MS, 0, 9, 2)
        self.assertEqual(self.host(trace), (4000, 0, 0), "rows without sleep")

    def test_for_a_thread_that_goes_on(self):
        self.assertEqual(self.host(self.waiting()), (4000, 0, 0), "too long ago")
        for last, host in ((3500_000, (0, 1000, 3000)), (3500_000 - 1, (4000, 0, 0)),
                           (5 * MS, (0, 1000, 3000)), (5 * MS + 1, (4000, 0, 0))):
            trace = self.waiting().range(last, last, "aten::mm", thread=2, category=6)
            self.assertEqual(self.host(trace), host, last)
        # a sleep that ends before is none in which it stops
        trace = self.waiting().range(4 * MS, 8 * MS, "aten::mm", thread=2)
        self.assertEqual(self.host(trace.asleep(3100_000, 3300_000, 2)), (2300, 0, 1700))

    def test_a_record_in_the_sleep(self):
        # the call returned before; with its very last instant in the sleep it counts
        for end, host in ((1 * MS - 1, (4000, 0, 0)), (1 * MS, (100, 0, 3900))):
            trace = self.launching().asleep(1 * MS, 5 * MS).asleep(4900_000, 9 * MS, thread=2)
            trace.call(500_000, end, name="cudaMalloc", thread=2)
            self.assertEqual(self.host(trace), host, end)

    def test_until_its_next_record(self):
        def trace(begin):
            """The sleep goes on behind a mark of thread 1, thread 2 does something behind it."""
            trace = self.launching().asleep(1 * MS, 5 * MS).range(3 * MS, 3 * MS, None)
            return trace.call(begin, 4 * MS, thread=2, name="cudaMalloc").asleep(4 * MS, 9 * MS, 2)
        self.assertEqual(self.host(trace(3 * MS + 1)), (3000, 999, 0))
        self.assertEqual(self.host(trace(3 * MS)), (1000, 1000, 2000))

    def test_naps_of_one_sleep(self):
        def trace(second, third, begin, end):
            trace = self.launching().asleep(1 * MS, 2 * MS).asleep(second, 5 * MS - 10_000)
            trace.asleep(third, 9 * MS).call(begin, end, thread=2, name="cudaMalloc")
            return trace.asleep(5 * MS, 9 * MS, thread=2)
        near, far = 2020_000, 2020_001
        early, late = (1 * MS, 1500_000), (4 * MS, 4500_000)
        # [2 ms, second) and the last 10,000 ns are code of thread 1; what thread 2 does behind
        # the late call is too short for code
        self.assertEqual(self.host(trace(near, 6 * MS, *early)), (0, 500, 3500))
        self.assertEqual(self.host(trace(far, 6 * MS, *early)), (2969, 500, 530))
        self.assertEqual(self.host(trace(near, 6 * MS, *late)), (0, 500, 3010))
        self.assertEqual(self.host(trace(far, 6 * MS, *late)), (1000, 500, 2010))
        # thread 2 appears after the sleep, which a nap behind the launch does not make longer
        last = 5 * MS - 9_000, 5 * MS - 8_000
        self.assertEqual(self.host(trace(near, 5 * MS - 1, *last)), (0, 0, 3999))
        self.assertEqual(self.host(trace(near, 5 * MS, *last)), (3970, 0, 30))

    def test_naps_that_overlap_are_one_sleep(self):
        trace = self.waiting().asleep(900_000, 4 * MS).asleep(1500_000, 2 * MS)
        trace.asleep(2 * MS, 2 * MS).asleep(5 * MS, 9 * MS, thread=2)
        self.assertEqual(self.leaves(trace)["idle.host.code"], MS - 100 + 3 * MS)

    def test_one_that_stops_is_preferred(self):
        def trace(*rows):
            """The time in cudaMalloc, which tells thread 2; (last, stops) of 2, 3 and 4."""
            trace = self.waiting()
            for thread, (last, stops) in enumerate(rows, 2):
                trace.range(last, last, "x", thread=thread).asleep(stops, 20 * MS, thread=thread)
            return self.host(trace)[1]
        stops, goes_on, neither = 6 * MS, 10 * MS, (2 * MS, 12 * MS)
        self.assertEqual(trace((4 * MS, stops), (4500_000, goes_on)), 1000)
        self.assertEqual(trace((4500_000, goes_on), (4 * MS, stops)), 0)
        self.assertEqual(trace((4500_000, stops), (4 * MS, stops)), 1000)
        self.assertEqual(trace((4 * MS, stops), (4500_000, stops)), 0)
        self.assertEqual(trace((4500_000, goes_on), (4 * MS, goes_on), neither), 1000)
        self.assertEqual(trace((4 * MS, goes_on), (4500_000, goes_on), neither), 0)
        self.assertEqual(trace((4 * MS, stops), (4 * MS, stops)), 1000, "the smaller id")
        # a thread with the smaller id, 1, is the launching one itself, 0 is none
        zero = self.waiting().range(4 * MS, 5 * MS, "x", thread=0)
        self.assertEqual(self.host(zero), (4000, 0, 0))

    def test_a_known_reason_is_not_followed(self):
        def host(key="python.lock", stack=0, **sched):
            trace = self.waiting(key, stack=stack, **sched).asleep(5 * MS, 9 * MS, thread=2)
            trace.stack(1, "train.py:main").stack(2, None, "threading.py:wait").stack(3, None)
            return self.host(trace)
        followed, not_followed = (0, 1000, 3000), (4000, 0, 0)
        self.assertEqual(host(), followed)
        self.assertEqual(host(holder=0, holder_stack=7), followed)
        self.assertEqual(host(stack=2), followed, "it waits for threads")
        for holder in (1, 2, 99):
            self.assertEqual(host(holder=holder), not_followed)
        for stack in (1, 3, 99):
            self.assertEqual(host(stack=stack), not_followed)
        for key in ("python.locks", "", None):
            self.assertEqual(host(key), not_followed, "it tells nothing of its lock")

    def test_one_nap_is_enough(self):
        for of_row in ({"holder": 2}, {"stack": 1}):
            trace = self.waiting().asleep(5 * MS, 9 * MS, thread=2).stack(1, "train.py:main")
            trace.asleep(2 * MS, 4 * MS, **of_row)
            self.assertEqual(self.host(trace), (0, 1000, 3000))

    def test_a_nap_is_more_than_half_of_its_row(self):
        # cut at the end of the row; from 3 ms on thread 1 is awake, in code
        for slept, end, host in ((2 * MS, 5 * MS - 1, (0, 1000, 3000)), (2**64 - 1, 5 * MS,
                                 (0, 1000, 3000)), (2 * MS, 5 * MS, (2000, 0, 2000))):
            trace = self.launching().sched(1 * MS, end, slept, 0).asleep(5 * MS, 9 * MS, thread=2)
            trace.call(2 * MS, 3 * MS, name="cudaMalloc", thread=2)
            self.assertEqual(self.host(trace), host, end)
        # a sleep does not begin with what is no nap
        trace = self.launching().sched(1 * MS, 3 * MS, 1 * MS, 0).asleep(2 * MS, 5 * MS)
        trace.call(1 * MS, 1500_000, name="cudaMalloc", thread=2).asleep(5 * MS, 9 * MS, thread=2)
        self.assertEqual(self.host(trace), (4000, 0, 0))

    def test_the_other_is_told_by_its_naps(self):
        """Another sleep neither stops it nor keeps it from being the one."""
        for of_row in ({"holder": 1}, {"stack": 1}):
            trace = self.waiting().stack(1, "train.py:main").asleep(5 * MS, 9 * MS, 2)
            self.assertEqual(self.host(trace.asleep(1 * MS, 2 * MS, 2, **of_row)),
                             (1000, 1000, 2000), "blocked is what it is itself")
            trace = self.waiting().stack(1, "train.py:main").asleep(4 * MS, 9 * MS, 2, **of_row)
            self.assertEqual(self.host(trace), (4000, 0, 0))
        trace = self.waiting().sched(4 * MS, 9 * MS, 2500_000, 0, 2)
        self.assertEqual(self.host(trace), (4000, 0, 0), "half of it")
        trace = self.waiting().sched(4 * MS, 9 * MS, 2500_001, 0, 2)
        self.assertEqual(self.host(trace), (1000, 1000, 2000))

    def test_only_what_is_blocked_is_followed(self):
        trace = self.waiting().asleep(5 * MS, 9 * MS, thread=2)
        trace.sched(1 * MS, 1200_000, 0, 200_000).range(1200_000, 2200_000, "dataloader")
        leaves = self.leaves(trace)
        self.assertEqual((leaves["idle.host.no_core"], leaves["idle.host.input"]), (200_000, MS))
        self.assertEqual(leaves["idle.host.alloc"], 800_000)

    def test_a_thread_in_a_nap(self):
        # it counts only where it is in a call
        trace = self.waiting().asleep(500_000, 4500_000, 2).asleep(5 * MS, 9 * MS, 2)
        self.assertEqual(self.host(trace), (2500, 1000, 500))
        trace = self.launching().asleep(1 * MS, 5 * MS).asleep(500_000, 4500_000, 2)
        trace.call(2 * MS, 3 * MS, name="cudaEventQuery", thread=2).asleep(5 * MS, 9 * MS, 2)
        self.assertEqual(self.host(trace), (3500, 0, 500), "its call is of no class: blocked")

    def test_no_more_than_once(self):
        """Thread 2 sleeps in a call and might wait for thread 3, which thread 1 does not."""
        trace = self.launching().asleep(2100_000, 5 * MS)
        trace.call(2 * MS, 4900_000, name="cudaEventQuery", thread=2)
        trace.asleep(2 * MS, 4900_000, 2).asleep(5 * MS, 9 * MS, thread=2)
        trace.call(2 * MS, 4500_000, name="cudaMalloc", thread=3)
        self.assertEqual(self.host(trace)[:2], (2800, 0))

    def test_what_a_thread_waits_for_after_a_hand_off(self):
        """Thread 3 has launched j, sleeps then and stands somewhere or not."""
        for stack, alloc in ((0, 1000), (1, 0)):
            trace = self.waiting().asleep(5 * MS, 9 * MS, thread=2).stack(1, "train.py:main")
            trace.call(15, 17, 3, thread=3).op(100, 200, 3).range(300, 400, "x", thread=3)
            trace.asleep(400, 9 * MS, thread=3, stack=stack)
            self.assertEqual(self.host(trace)[1], alloc)

    def test_its_launches_and_stretches(self):
        # thread 2 launches every 0.9 ms: framework, and api in its calls
        trace = self.launching().asleep(1 * MS, 5 * MS).asleep(5 * MS, 9 * MS, thread=2)
        for n in range(1, 6):
            trace.call(900_000 * n, 900_000 * n + 50_000, thread=2)
        leaves = self.leaves(trace)
        self.assertEqual((leaves["idle.cpu.api"], leaves["idle.cpu.framework"]),
                         (200_000, 3800_000))

    def test_unsampled(self):
        def unsampled(key="python.lock", stops=5 * MS, holder_from=5 * MS):
            trace = self.launching(key, source="baton").range(0, 1 * MS, "x", thread=1)
            trace.asleep(1 * MS, holder_from).range(1 * MS, 1100_000, "x", thread=2)
            trace.asleep(stops, 9 * MS, thread=2)
            trace.asleep(holder_from, 5 * MS, holder=2)
            return reduce_one(trace)["unsampled_ns"]
        self.assertEqual(unsampled(), 3900_000)
        self.assertEqual(unsampled("other"), 0)
        self.assertEqual(unsampled(stops=4100_000), 3 * MS)
        self.assertEqual(unsampled(stops=4100_000 - 1), 0)
        # the row goes on, but thread 1 no longer waits for thread 2
        self.assertEqual(unsampled(holder_from=4100_000), 3 * MS)
        self.assertEqual(unsampled(holder_from=4100_000 - 1), 0)


class SyncDebtTest(GapCase):
    """late_launch has 560 ns of idle.cpu: 500 before the launch, 10 in it, 50 behind it."""

    def second_gap(self, trace, thread=1):
        """Adds the gap [1100, 1400), whose op is launched at 1300: 200, 10 and 50."""
        return trace.call(1300, 1310, 3, thread=thread).op(1400, 1500, 3)

    def synced(self, trace):
        return reduce_one(trace)["time_ns"].get("idle.host.sync", 0)

    def test_the_lead_it_took_away(self):
        # returned at 150: [100, 150) inside, then [150, 150 + 50)
        trace = busy_before().call(50, 150, name="cudaStreamSynchronize_v3020")
        self.expect(trace, host_sync=100, cpu_framework=400)
        # returned before the gap, and even before the launch of j
        self.expect(busy_before().call(40, 90, name="cuCtxSynchronize"), host_sync=50,
                    cpu_framework=450)
        self.expect(busy_before().call(-300, 0, name="cuCtxSynchronize"), host_sync=300,
                    cpu_framework=200)

    def test_it_pays_for_the_launch_too(self):
        self.expect(busy_before().call(-415, 90, name="cuCtxSynchronize"), host_sync=505,
                    cpu_framework=0, cpu_launch_call=5)
        self.expect(busy_before().call(-425, 90, name="cuCtxSynchronize"), host_sync=515,
                    cpu_framework=0, cpu_launch_call=0, cpu_launch_latency=45)
        self.expect(busy_before().call(-4000, 90, name="cuCtxSynchronize"), host_sync=560,
                    cpu_framework=0, cpu_launch_call=0, cpu_launch_latency=0)

    def test_the_last_pays_first(self):
        trace = busy_before().call(30, 60, name="cudaDeviceSynchronize").call(60, 90, name="cudaFree")
        self.expect(trace, host_alloc=30, host_sync=30, cpu_framework=440)
        trace = busy_before().call(30, 60, name="cudaFree").call(60, 90, name="cuCtxSynchronize")
        self.expect(self.second_gap(trace).range(1100, 1290, "enumerate(dataloader)"), host_alloc=30,
                    host_sync=30, cpu_framework=440 + 10, cpu_launch_call=20, cpu_launch_latency=100,
                    host_input=190, unknown_unexplained=340 + 40)
        self.expect(busy_before().call(60, 90, name="cudaFreeAsync"))

    def test_of_those_that_returned_together(self):
        # the one that frees pays first: 40 ns; then there is a synchronising call
        trace = busy_before().call(50, 90, name="cudaFree").call(50, 90, name="cuCtxSynchronize")
        self.expect(trace.call(140, 600, name="cudaMemcpy"), host_alloc=40, host_sync=460 + 40,
                    cpu_framework=0, cpu_launch_call=0, cpu_launch_latency=20)

    def test_a_call_inside_a_call_is_its_part(self):
        trace = busy_before().call(30, 90, name="cudaDeviceSynchronize")
        trace.call(70, 90, name="cuCtxSynchronize").call(50, 89, name="cuCtxSynchronize")
        self.expect(trace, host_sync=60, cpu_framework=440)
        trace = busy_before().call(30, 60, name="cudaDeviceSynchronize").call(59, 90, name="cudaFree")
        self.expect(trace, host_sync=30, cpu_framework=470)
        trace = busy_before().call(30, 60, name="cuInit").call(40, 60, name="cuCtxSynchronize")
        self.expect(trace, host_sync=20, cpu_framework=480)
        trace = busy_before().call(30, 90, name="cuCtxSynchronize", thread=2)
        self.expect(trace.call(40, 60, name="cuCtxSynchronize"), host_sync=20, cpu_framework=480)

    def test_it_goes_on_in_the_next_step(self):
        trace = (Trace().range(0, 95, "step 1").call(0, 10, 1).op(20, 100, 1)
                 .call(10, 90, name="cuCtxSynchronize").range(95, 1000, "step 2")
                 .call(600, 610, 2).op(1000, 1100, 2))
        self.assertEqual(self.synced(trace), 70)
        self.assertEqual(self.synced(trace.call(95, 105, name="cuCtxSynchronize")), 70 + 5 + 5)

    def test_the_launch_of_a_pageable_copy(self):
        trace = busy_before().call(40, 90, 3).op(60, 80, 3, stream=8, kind=MEMCPY, pageable=1)
        self.expect(trace, host_sync=50, cpu_framework=450)

    def test_it_returned_in_the_gap(self):
        # [100, 380) inside; [380, 430) uses it up
        trace = busy_before().call(50, 380, name="cudaDeviceSynchronize")
        self.expect(trace, host_sync=280 + 50, cpu_framework=170)
        # before r nothing does
        trace = busy_before().call(50, 380, name="cudaDeviceSynchronize", thread=2)
        self.expect(trace, host_sync=50, cpu_framework=450)
        self.expect(trace.call(390, 600, name="cudaMalloc"), host_sync=50, host_alloc=210,
                    cpu_framework=280, cpu_launch_call=0, cpu_launch_latency=20)

    def test_it_owes_what_the_device_worked(self):
        # all of it idle time already
        trace = busy_before().call(300, 380, name="cudaDeviceSynchronize")
        self.expect(trace, host_sync=80, cpu_framework=420)
        # before the first op, and in part
        self.expect(late_launch().call(-300, 20, name="cudaFree"))
        self.expect(late_launch().call(-300, 50, name="cudaFree"), host_alloc=30, cpu_framework=470)
        # idle for 50 ns in the middle
        trace = late_launch().call(-220, -210, 8).op(-200, -100, 8).op(-50, 0, 8).op(0, 20, 8)
        trace.call(-250, 90, name="cuCtxSynchronize")
        self.assertEqual(self.synced(trace), 100 + 140)
        # ops that lie side by side count once
        self.assertEqual(self.synced(trace.op(-190, -110, 8, stream=8)), 100 + 140)

    def test_waiting_for_other_ranks_is_not_owed(self):
        def rank(pid, begin, size=2):
            return (Trace(pid, pid, ordinal=pid).communicator(size).call(-600, -590, 1)
                    .op(begin, 100, 1, name="ncclKernel").collective(begin, 100, 1, sequence=1)
                    .call(600, 610, 2).op(1000, 1100, 2)
                    .call(-560, 90, name="cudaStreamSynchronize"))
        # 580 ns of waiting for the other one, then 100 of transfer, 90 of them in the call
        first, last = reduce_traces(rank(1, -580), rank(2, 0))
        for device in first, last:
            self.assertEqual(device["time_ns"]["idle.host.sync"], 90)
        # with work beside it that counts
        first, _ = reduce_traces(rank(1, -580).op(-300, -100, 9, stream=8), rank(2, 0))
        self.assertEqual(first["time_ns"]["idle.host.sync"], 290)
        # nothing is known of it when a third member is missing: all counts
        first, _ = reduce_traces(rank(1, -580, 3), rank(2, 0, 3))
        self.assertEqual(first["time_ns"]["idle.host.sync"], 560)

    def test_returned_at_the_launch(self):
        trace = busy_before().call(0, 600, name="cudaDeviceSynchronize")
        self.assertEqual(self.synced(trace), 500 + 60)
        self.assertEqual(self.synced(self.second_gap(trace)), 500 + 100)
        # returned behind it: that launch was no later for it
        trace = busy_before().call(60, 605, name="cudaDeviceSynchronize")
        self.assertEqual(self.synced(trace), 500)
        self.assertEqual(self.synced(self.second_gap(trace)), 500 + 40)

    def test_what_is_claimed_does_not_use_it_up(self):
        trace = busy_before().call(40, 90, name="cuCtxSynchronize")
        self.expect(trace.call(110, 160, name="cudaMalloc"), host_sync=50, host_alloc=50,
                    cpu_framework=400)
        behind = {"host_sync": 50, "cpu_framework": 0, "cpu_launch_call": 0,
                  "cpu_launch_latency": 10}
        trace = busy_before().call(40, 90, name="cuCtxSynchronize").overhead(100, 600, 1)
        self.expect(trace, tool_profiler=500, **behind)
        trace = busy_before().call(40, 90, name="cuCtxSynchronize").sched(100, 600, 500, 0)
        self.expect(trace, host_blocked=500, **behind)

    def test_input_uses_it_up_and_stays(self):
        trace = busy_before().call(20, 90, name="cuCtxSynchronize")
        self.expect(trace.range(150, 170, "enumerate(dataloader)"), host_sync=50, host_input=20,
                    cpu_framework=430)
        trace = busy_before().call(20, 90, name="cuCtxSynchronize")
        self.expect(trace.range(100, 300, "enumerate(dataloader)"), host_input=200,
                    cpu_framework=300)

    def test_it_lasts_over_gaps_until_it_is_lost(self):
        trace = self.second_gap(busy_before().call(-530, 90, name="cudaDeviceSynchronize"))
        self.assertEqual(self.synced(trace), 620)
        trace = self.second_gap(busy_before().call(-2000, 90, name="cudaDeviceSynchronize"))
        self.assertEqual(self.synced(trace), 560 + 260)
        # a call in the second gap: what it owes is paid behind it
        trace = self.second_gap(busy_before().call(30, 90, name="cudaDeviceSynchronize"))
        trace.call(1080, 1120, name="cudaDeviceSynchronize")
        self.assertEqual(self.synced(trace), 60 + 20 + 20)

    def test_nobody_is_further_ahead_than_the_queue_is_deep(self):
        for between, paid in ((998, 70), (999, 70 - 50)):  # 50 are owed when the ops are over
            trace = (Trace().call(0, 10, 8).op(20, 90, 8).call(10, 12, 1).op(90, 100, 1)
                     .call(20, 90, name="cuCtxSynchronize")
                     .call(100, 110, 2).op(120, 130, 2))
            for i in range(between - 1):
                trace.call(110, 110, 10 + i).op(130 + i, 131 + i, 10 + i)
            end = 130 + between - 1
            trace.call(end + 100, end + 110, 9000).op(end + 300, end + 310, 9000)
            with self.subTest(between):
                self.assertEqual(self.synced(trace), paid)

    def test_who_waited_for_it(self):
        def of_two(**k):
            return busy_before().call(40, 90, name="cuCtxSynchronize", thread=2, **k)
        # thread 1 drove nothing meanwhile: it had to wait for thread 2
        self.expect(of_two(), host_sync=50, cpu_framework=450)
        self.expect(of_two().call(41, 42, name="cudaEventQuery"), host_sync=50, cpu_framework=450)
        self.expect(of_two().call(90, 91, name="cudaMemsetAsync"), host_sync=50, cpu_api=0,
                    cpu_framework=450)
        # somebody did, at its begin or just before its end
        self.expect(of_two().call(40, 41, name="cudaMemsetAsync"))
        self.expect(of_two().call(89, 91, name="cudaMemsetAsync"))
        self.expect(of_two().call(50, 60, name="cudaMemsetAsync", thread=3))

    def test_threads_that_drive_at_the_same_time_have_their_own(self):
        trace = busy_before().call(-530, 90, name="cudaDeviceSynchronize")
        trace.call(-40, 90, name="cudaDeviceSynchronize", thread=2)
        self.second_gap(trace, thread=2).call(1700, 1710, 4).op(1800, 1900, 4)
        # 560 of thread 1; 130 of thread 2; the rest of thread 1: 60
        self.assertEqual(self.synced(trace), 750)

    def test_it_is_paid_once_whoever_pays(self):
        trace = (Trace().call(-600, -590, 1).op(-580, 100, 1).call(600, 610, 2).op(1000, 1100, 2)
                 .call(-510, 90, name="cudaDeviceSynchronize", thread=2))
        self.assertEqual(self.synced(self.second_gap(trace, thread=2)), 600)

    def test_the_thread_that_handed_off(self):
        trace = (Trace().call(0, 10, 1).op(20, 100, 1)
                 .call(50, 90, name="cuCtxSynchronize", thread=2)
                 .call(150, 400, name="cudaMalloc").call(600, 610, 2, thread=2)
                 .op(1000, 1100, 2))
        device = reduce_one(trace)
        self.assertEqual(device["hand_offs"], 1)
        self.assertEqual(self.synced(trace), 40)
        # in [120, 150) the owner is in a synchronising call itself
        trace.call(120, 150, name="cudaStreamSynchronize")
        self.assertEqual(self.synced(trace), 40 + 30)

    def test_gaps_outside_the_steps_use_it_up(self):
        trace = self.second_gap(busy_before().call(-530, 90, name="cudaDeviceSynchronize"))
        trace.range(1200, 1350, "step 1")
        self.assertEqual(self.synced(trace), 620 - 560)

    def test_in_the_lead_in(self):
        trace = (Trace().range(100, 300, "step 1").call(105, 125, name="cudaDeviceSynchronize")
                 .call(150, 160, 1).op(220, 250, 1))
        self.assertEqual(self.synced(trace), 20)


class HeldUpTest(GapCase):
    def test_a_host_function(self):
        # latency to 660, then held up to 800, then the 20 ns that l allows for dispatch
        self.expect(late_launch().sync(700, 800, HOST_FUNCTION), host_host_func=140,
                    gpu_dispatch=20, unknown_unexplained=180)

    def test_a_peer(self):
        self.expect(late_launch().sync(620, 900, PEER), gpu_dependency=240, gpu_dispatch=20,
                    unknown_unexplained=80)

    def test_one_behind_the_other(self):
        trace = late_launch().sync(620, 900, PEER).sync(700, 800, HOST_FUNCTION)
        self.expect(trace, host_host_func=140, gpu_dependency=100, gpu_dispatch=20,
                    unknown_unexplained=80)
        trace = late_launch().sync(620, 750, PEER).sync(700, 800, HOST_FUNCTION)
        self.expect(trace, host_host_func=140, gpu_dispatch=20, unknown_unexplained=180)

    def test_its_end_decides(self):
        for kind, leaf in ((HOST_FUNCTION, "host_host_func"), (PEER, "gpu_dependency")):
            self.expect(late_launch().sync(650, 660, kind))
            self.expect(late_launch().sync(650, 661, kind), gpu_dispatch=20,
                        unknown_unexplained=319, **{leaf: 1})
            self.expect(late_launch().sync(990, 1000, kind), unknown_unexplained=0, **{leaf: 340})
            self.expect(late_launch().sync(990, 1001, kind))
            trace = late_launch().sync(0, 700, kind).sync(0, 900, kind).sync(0, 1200, kind)
            self.expect(trace, gpu_dispatch=20, unknown_unexplained=80, **{leaf: 240})

    def test_only_rows_of_its_kind_and_stream_count(self):
        self.expect(late_launch().sync(700, 800, EVENT_SYNC))
        self.expect(late_launch().sync(700, 800, HOST_FUNCTION, stream=0))
        trace = late_launch().new_stream(8).sync(700, 800, HOST_FUNCTION, stream=8)
        self.expect(trace, host_host_func=140, gpu_dispatch=20, unknown_unexplained=180)
        self.expect(late_launch().new_stream(7).sync(700, 800, HOST_FUNCTION),
                    host_host_func=140, gpu_dispatch=20, unknown_unexplained=180)

    def test_queued(self):
        # as GapTest.test_queued: the cap is 2,700
        trace = Trace().call(0, 10, 1).op(20, 100, 1).call(30, 40, 2).op(1000, 1100, 2)
        trace.sync(0, 300, PEER)
        self.assertEqual(self.leaves(trace), {"idle.gpu.dependency": 200, "idle.gpu.dispatch": 700})


if __name__ == "__main__":
    unittest.main()
