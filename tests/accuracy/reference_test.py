#!/usr/bin/env python3
"""Tiny traces whose leaves were worked out by hand from docs/ATTRIBUTION.md."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import reference  # noqa: E402

GROUPS = {b"gemm": "matmul", b"norm": "custom", b"foo": "other", b"copy": "memory",
          b"ncclKernel": "nccl"}
KERNEL, MEMCPY, MEMSET, WHOLE_GRAPH = 1, 2, 3, 4
ALL_REDUCE, BROADCAST = 1, 6
MS = 1_000_000


class Trace:
    """The dump lines of one process with one device and the threads 1, 2, ..."""

    def __init__(self, pid=1, rank=0, host="h", ordinal=0, uuid=None):
        self.rows = [
            {"record": "file", "name": "f", "content": "trace"},
            {"record": "process", "pid": pid, "rank": rank, "host": host},
            {"record": "device", "id": 1, "ordinal": ordinal, "uuid": uuid}]
        self.streams = {}

    def add(self, record, begin, end, **fields):
        self.rows.append(dict(fields, record=record, start_ns=begin, dur_ns=end - begin))
        return self

    def op(self, begin, end, correlation=0, stream=7, name="gemm", kind=KERNEL, **more):
        if stream not in self.streams:
            self.streams[stream] = len(self.streams) + 1
            self.rows.append({"record": "stream", "id": self.streams[stream], "device": 1,
                              "context": 1, "stream": stream})
        return self.add("op", begin, end, op_kind=kind, stream=self.streams[stream],
                        correlation=correlation, name=name, **more)

    def call(self, begin, end, correlation=0, thread=1, name="cudaLaunchKernel"):
        return self.add("call", begin, end, thread=thread, name=name, correlation=correlation)

    def range(self, begin, end, name, thread=1, category=3, **more):
        return self.add("range", begin, end, thread=thread, name=name, category=category, **more)

    def overhead(self, begin, end, kind, thread=0):
        return self.add("overhead", begin, end, thread=thread, overhead_kind=kind)

    def communicator(self, size, number=1):
        self.rows.append({"record": "communicator", "id": number, "size": size, "hash": 99})
        return self

    def collective(self, begin, end, correlation, coll=ALL_REDUCE, **more):
        return self.add("collective", begin, end, correlation=correlation, comm=1, coll=coll,
                        **more)


def reduce_traces(*traces, step_range=None):
    lines = [json.dumps(row) for trace in traces for row in trace.rows]
    return reference.reduce_run(lines, GROUPS, step_range)


def reduce_one(trace, **options):
    devices = reduce_traces(trace, **options)
    assert len(devices) == 1
    return devices[0]


def late_launch(**k):
    """Gap [100, 1000) before an op launched in [600, 610); l is 20, the delay of the first op.
    By itself: 500 framework, 10 launch_call, 50 launch_latency, 340 unexplained."""
    return Trace().call(0, 10, 1).op(20, 100, 1).call(600, 610, 2).op(1000, 1100, 2, **k)


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

    def test_named_range(self):
        trace = self.trace().range(150, 151, "my step").range(240, 300, "my step")
        self.assertEqual(reduce_one(trace, step_range="my step")["step_ns"], [100, 100])

    def test_longer_marker_of_one_begin_is_kept(self):
        trace = self.trace().range(200, 360, "step 3")
        self.assertEqual(reduce_one(trace)["step_ns"], [100, 200])

    def test_a_partial_marker_ends_the_step_before_it(self):
        unclosed = self.trace().range(240, 500, "step 3", unclosed=1)
        self.assertEqual(reduce_one(unclosed)["step_ns"], [100, 0])
        mark = self.trace().range(240, 240, "step 3", category=6)
        self.assertEqual(reduce_one(mark)["step_ns"], [100, 0])

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


class GapTest(unittest.TestCase):
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
        trace = late_launch().range(150, 400, "DataLoader").call(200, 300, name="cudaFree")
        self.expect(trace, cpu_framework=250, host_input=150, host_alloc=100)

    def test_sync_and_its_tail(self):
        # returned at 150: [100, 150) inside, then [150, 150 + 100)
        trace = late_launch().call(50, 150, name="cudaStreamSynchronize_v3020")
        self.expect(trace, host_sync=150, cpu_framework=350)
        # the last to return counts, of equal ones the longer; returned before the gap
        trace = late_launch().call(30, 90, name="cudaDeviceSynchronize")
        trace.call(70, 90, name="cuCtxSynchronize")
        self.expect(trace, host_sync=50, cpu_framework=450)
        # returned before the launch of j began
        trace = late_launch().call(-900, 0, name="cudaDeviceSynchronize")
        self.expect(trace)

    def test_pageable_copy(self):
        self.expect(late_launch(kind=MEMCPY, pageable=1), host_sync=10, cpu_launch_call=0)

    def test_launches_of_other_ops_are_api(self):
        trace = late_launch().call(300, 340, 9).op(900, 900, 9, stream=9)
        # the zero-length op cuts the gap at 900: [100, 900) waits for its launch in [300, 340),
        # and [900, 1000) for that of the op at 1000, long made: queued, with q = 100
        self.assertEqual(self.leaves(trace), {
            "idle.cpu.framework": 200, "idle.cpu.launch_call": 40, "idle.cpu.launch_latency": 20,
            "idle.unknown.unexplained": 540, "idle.gpu.dispatch": 100})

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
        self.expect(trace, cpu_launch_call=30, cpu_launch_latency=30)

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


if __name__ == "__main__":
    unittest.main()
