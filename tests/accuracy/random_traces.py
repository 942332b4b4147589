#!/usr/bin/env python3
"""Writes small, valid and hostile runs: `random_traces.py --seed N OUTDIR`, `make_run(seed, dir)`.

Times are small multiples of a unit, so that starts, ends, launches and markers often fall on one
instant, now and then far from zero. A run is drawn from its seed alone.
"""

import argparse
import itertools
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "format"))
from writer import TraceWriter  # noqa: E402

KERNEL, MEMCPY, MEMSET, WHOLE_GRAPH = 1, 2, 3, 4
OPERATOR, PYTHON_FRAME, MARK, OPTIMIZER = 4, 5, 6, 7
HOST_FUNCTION, PEER = 6, 7
MS = 1_000_000
NEAR_NS = 1_500_000  # what goes on together
OVER_NS = 3_000_000  # so long without a row a thread is over

KERNEL_NAMES = [
    "ampere_sgemm_128x64_nn",
    "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_f16_128x64_32x6_nn_align8>"
    "(cutlass_80_tensorop_f16_s16816gemm_f16_128x64_32x6_nn_align8::Params)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::direct_copy_kernel_cuda("
    "at::TensorIteratorBase&)::{lambda()#3}, std::array<char*, 2ul> >(int, std::array<char*, 2ul>)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 7, false, false>"
    "(float*, float const*, int, int, int)",
    "foo_kernel", "größe_kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, "
    "unsigned long, ncclWork*)", "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)"]
NCCL_NAMES = KERNEL_NAMES[-2:]
LAUNCH_NAMES = ["cudaLaunchKernel", "cudaLaunchKernel_v7000", "cuLaunchKernelEx",
                "cudaLaunchKernelExC_v11060", "cudnnConvolutionForward"]
GRAPH_NAMES = ["cudaGraphLaunch", "cudaGraphLaunch_v10000", "cuGraphLaunch"]
COPY_NAMES = ["cudaMemcpyAsync", "cudaMemcpy_v3020", "cuMemcpyHtoDAsync_v2"]
ALLOC_NAMES = ["cudaMalloc", "cudaFree_v3020", "cudaHostAlloc", "cuMemFree_v2",
               "cuMemHostGetDevicePointer_v2", "cuMemAddressReserve", "hipMalloc"]
MODULE_NAMES = ["cuModuleLoadDataEx", "cuLibraryGetKernel", "cudaLibraryLoadData", "cuInit",
                "cudaGraphInstantiate_v12000", "cuCtxCreate_v2", "cudaStreamCreateWithPriority",
                "cuDevicePrimaryCtxRetain"]
SYNC_NAMES = ["cudaDeviceSynchronize_v3020", "cudaStreamSynchronize", "cuEventSynchronize",
              "cudaMemcpy", "cudaMemcpy2D", "cuMemcpyDtoH_v2", "cuCtxSynchronize",
              "hipMemcpyWithStream"]
OTHER_NAMES = ["cudaEventRecord", "cudaGetLastError", "cudaMemcpyToSymbol", "cudaMemsetAsync",
               "cudaLaunchHostFunc", "cudaMallocless", "cuInitialise", "cudaFuncGetAttributes",
               "nccl:call", "c10d::allreduce_", "cudaStreamWaitEvent", None]
RANGE_NAMES = [
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "dataload", "data_load",
    "torch/utils/data/dataloader.py(631): __next__", "LOAD_BATCH", "wait_for_batch",
    "nccl:all_reduce", "record_param_comms", "record_param_comms_", "c10d::allreduce_",
    "aten::add", "aten::mm", "Optimizer.step#SGD.step", "forward", "step", "my ProfilerStep#3",
    "step 5 of 9", None, "/home/u/train.py(12): loop", "threading.py(973): run",
    "<string>(1): launcher",
    "/opt/lib/python3.11/site-packages/torch/nn/modules/module.py(1518): _call", "autograd::engine"
    "::evaluate_function: MmBackward0", "<built-in method run>", "step#12", "batch-7"]
PYTHON_FILES = ["/home/u/train.py", "model.py", "/usr/lib/python3.11/threading.py", "<string>",
                "/opt/venv/lib/python3.11/site-packages/torch/nn/functional.py", "<frozen runpy>",
                "/usr/lib/python3/dist-packages/six.py", "torch/autograd/function.py",
                "/tmp/torchinductor_u/ab/cab.py", "/home/u/a;b.py", "<eval_with_key>.7", "/opt/target/torch/optim/adam.py",
                "/home/u/torch/train.py"]
LONGEST_NS = [2**62, 2**63 - 1, 2**63, 2**64 - 1]
STEP_FORMS = ["ProfilerStep#%d", "step %d", "Step_%d", "iteration%d", "STEP#%d", "Iter_%d"]


# Where silent threads stand, innermost first: in a data loader or not.
LOADER = "/x/torch/utils/data/dataloader.py"
STACKS = [
    [(1, "/py/queue.py", "Queue.get"), (1, LOADER, "_MultiProcessingDataLoaderIter._try_get_data"),
     (1, "train.py", "main")],
    [(1, LOADER, "_BaseDataLoaderIter.__next__"), (1, "train.py", "main")],
    [(1, LOADER, "DataLoader.__len__"), (1, "train.py", "main")],
    [(1, "/x/torch/_inductor/ir.py", "f"), (1, "/x/torch/_dynamo/convert_frame.py", "A.__call__"), (1, "train.py", "main")],
    [(1, LOADER, "_BaseDataLoaderIter.__next__"), (1, "triton/compiler/compiler.py", "compile")],
    [(1, "train.py", "backward"), (3, None, None), (1, LOADER, "__next__")],
    [(2, None, None), (1, "webdataset/filters.py", "_shuffle")],
    [(1, "/x/datasets/arrow_dataset.py", "Dataset.__getitems__")],
    [(1, "/x/mydatasets/arrow_dataset.py", "Dataset.__getitems__")],
    [(1, "nvidia/dali/plugin/pytorch/__init__.py", "DALIGenericIterator.__next__")],
    [(1, "torch/utils/data/_utils/fetch.py", "_MapDatasetFetcher.fetch")],
    [(1, "train.py", "__next__")],
    [(2, None, None), (1, "/x/torch/autograd/graph.py", "_engine_run_backward"), (1, "train.py", "main")],
    [(1, "/py/threading.py", "Condition.wait"), (3, None, None), (1, LOADER, "_BaseDataLoaderIter.__next__")],
    [(3, None, None), (1, "queue.py", "get")],
    [(1, "train.py", "hook"), (1, "torch/_tensor.py", "Tensor.backward")],
    [(1, "mythreading.py", "wait")],
]


class ProcessRows:
    """The rows of one process as lists of dicts, before they become a file."""

    def __init__(self, pid, rank, host):
        self.pid, self.rank, self.host = pid, rank, host
        self.devices = []        # (ordinal, uuid)
        self.streams = []        # (index into devices, context, stream)
        self.communicators = []  # (size, hash)
        self.thread_count = 1
        self.ops, self.calls, self.ranges, self.overheads = [], [], [], []
        self.collectives, self.syncs, self.scheds = [], [], []
        self.step_begins = []
        self.last_correlation = pid * 100
        self.metas = []  # (key, value)

    def new_correlation(self):
        self.last_correlation += 1
        return self.last_correlation

    def op(self, begin, end, kind, stream, correlation, name, pageable=0):
        self.ops.append({"start_ns": begin, "dur_ns": end - begin, "op_kind": kind,
                         "stream": stream + 1, "correlation": correlation, "name": name,
                         "pageable": pageable})
        copy = kind == MEMCPY  # of these no number is drawn: seeds stay what they were
        self.ops[-1]["copy_dir"] = (len(self.ops) + correlation) % 6 if copy else 0
        self.ops[-1]["bytes"] = 1000 * (begin % 997) if copy else 0

    def call(self, begin, end, thread, name, correlation=0):
        self.calls.append({"start_ns": begin, "dur_ns": end - begin, "thread": thread,
                           "name": name, "correlation": correlation})

    def range(self, begin, end, thread, name, category, unclosed=0, domain=None):
        self.ranges.append({"start_ns": begin, "dur_ns": end - begin, "thread": thread,
                            "name": name, "category": category, "unclosed": unclosed,
                            "domain": domain})

    def overhead(self, begin, end, thread, kind):
        self.overheads.append({"start_ns": begin, "dur_ns": end - begin, "thread": thread,
                               "overhead_kind": kind, "name": None})

    def sync(self, begin, end, kind, stream_id):
        self.syncs.append({"start_ns": begin, "dur_ns": end - begin, "sync_kind": kind,
                           "stream": stream_id, "correlation": 0, "event": 1})

    def sched(self, begin, end, thread, slept, waited, stack):
        self.scheds.append({"start_ns": begin, "dur_ns": end - begin, "thread": thread,
                            "slept_ns": slept, "waited_ns": waited, "stack": stack,
                            "holder": 0, "holder_stack": 0})

    def driven_devices(self):
        return sorted({device for device, _, _ in self.streams})

    def span(self):
        times = [t for rows in (self.ops, self.calls) for row in rows
                 for t in (row["start_ns"], row["start_ns"] + row["dur_ns"])]
        return (min(times), max(times)) if times else (0, 1)


class Host:
    """Draws what the threads of one process do and what its device makes of it."""

    def __init__(self, rng, process, unit, may_miss):
        self.rng, self.process, self.unit, self.may_miss = rng, process, unit, may_miss
        self.stream_end = {}
        self.instants = [0]  # where ops began or ended: others like to do so too

    def some(self, zero=0.15, long=0.02):
        """A duration: often nothing or a few units, rarely a millisecond and more."""
        kind = self.rng.random()
        if kind < zero:
            return 0
        if kind > 1 - long:
            return MS + self.unit * self.rng.choice([-1, 0, 0, 1, 40])
        most = 5 if kind < 0.7 else 60
        return self.unit * self.rng.randint(1, most)

    def walk(self, thread, count):
        now = self.unit * self.rng.randint(0, 30)
        actions = [(self.launch, 55), (self.plain_call, 14), (self.range_row, 14),
                   (self.overhead_row, 5), (self.nested_call, 4), (self.pause, 8),
                   (self.synchronise, 6)]
        functions, weights = zip(*actions)
        for _ in range(count):
            now = self.rng.choices(functions, weights)[0](thread, now)
            now += self.some(zero=0.3, long=0)

    def pause(self, _thread, now):
        return now + self.some(long=0.25)

    def plain_call(self, thread, now):
        name = self.rng.choice(self.rng.choice(
            [ALLOC_NAMES, MODULE_NAMES, SYNC_NAMES, SYNC_NAMES, OTHER_NAMES]))
        end = now + self.some(long=0.04)
        correlation = self.process.new_correlation() if self.rng.random() < 0.5 else 0
        self.process.call(now, end, thread, name, correlation)
        return end

    def synchronise(self, thread, now):
        """Returns about when an op begins or ends, sometimes two calls at once."""
        end = max(now, self.rng.choice(self.instants[-8:]) + self.unit * self.rng.randint(-1, 5))
        self.process.call(now, end, thread, self.rng.choice(SYNC_NAMES))
        if self.rng.random() < 0.2:
            self.process.call(max(now, end - self.some()), end, thread, self.rng.choice(SYNC_NAMES))
        return end

    def nested_call(self, thread, now):
        outer_end = now + self.some() + 2 * self.unit
        self.plain_call(thread, now + self.unit)
        self.process.call(now, outer_end, thread, self.rng.choice(SYNC_NAMES + OTHER_NAMES))
        return outer_end if self.rng.random() < 0.7 else now + self.unit

    def range_row(self, thread, now):
        begin = now - self.some() if self.rng.random() < 0.3 else now
        length = self.some() * self.rng.choice([1, 3, 20])
        category = self.rng.choice([1, 2, 3, OPERATOR, OPERATOR, PYTHON_FRAME, MARK])
        self.process.range(begin, begin + (0 if category == MARK else length), thread,
                           self.rng.choice(RANGE_NAMES), category)
        return now

    def overhead_row(self, thread, now):
        self.process.overhead(now, now + self.some(), self.rng.choice([0, thread]),
                              self.rng.randint(1, 3))
        return now

    def launch(self, thread, now):
        """A call and its ops, in one of several shapes."""
        end = now + self.some(long=0.05)
        shape = self.rng.choices(["kernel", "copy", "memset", "graph", "whole", "shared", "mixed"],
                                 [60, 12, 4, 8, 3, 4, 4])[0]
        correlation = self.process.new_correlation()
        names = GRAPH_NAMES if shape in ("graph", "whole") else \
            COPY_NAMES if shape == "copy" else LAUNCH_NAMES
        missing = self.may_miss and self.rng.random() < 0.08
        if missing:
            correlation = self.rng.choice([0, correlation])
        else:
            self.launch_calls(thread, now, end, self.rng.choice(names), correlation)
        begin = None
        for kind in self.kinds_of(shape):
            together = begin if self.rng.random() < 0.3 else None
            begin, _ = self.place_op(now, kind, correlation, begin=together)
        return end

    def serial(self, thread, count):
        """`count` launches, each when the device has become idle."""
        now = self.process.span()[1]
        slow = self.unit * self.rng.choice([0, 3, 200])
        for _ in range(count):
            launched = now + self.rng.choice([0, 0, self.unit, self.some(long=0)])
            correlation = self.process.new_correlation()
            self.process.call(launched, launched + self.some(long=0), thread,
                              self.rng.choice(LAUNCH_NAMES), correlation)
            for _ in range(self.rng.choice([1, 1, 1, 2])):
                begin = launched + slow + self.unit * self.rng.randint(0, 30)
                _, now = self.place_op(launched, KERNEL, correlation, length=self.unit * 2,
                                       begin=begin)
                launched = now if self.rng.random() < 0.2 else launched

    def launch_calls(self, thread, begin, end, name, correlation):
        self.process.call(begin, end, thread, name, correlation)
        if self.rng.random() < 0.12:
            inner = self.rng.choice([begin, min(end, begin + self.unit)])
            other = self.rng.randint(1, self.process.thread_count)
            inner_end = self.rng.choice([end, max(inner, end - self.unit)])
            if (inner, inner_end, other) != (begin, end, thread):
                self.process.call(inner, inner_end, other, "cuLaunchKernel", correlation)

    def kinds_of(self, shape):
        several = self.rng.randint(2, 5)
        return {"kernel": [KERNEL], "copy": [MEMCPY], "memset": [MEMSET], "whole": [WHOLE_GRAPH],
                "graph": [self.rng.choice([KERNEL, KERNEL, MEMCPY]) for _ in range(several)],
                "shared": [KERNEL] * several, "mixed": [MEMCPY, KERNEL]}[shape]

    def draw_begin(self, launched, stream):
        begin = launched + self.some(zero=0.05, long=0.01)
        how = self.rng.random()
        if how < 0.25:
            return max(begin, self.stream_end.get(stream, begin))
        if how < 0.4:
            return max(self.rng.choice(self.instants[-6:]), launched)
        return launched - self.some(long=0) if how < 0.42 else begin

    def place_op(self, launched, kind, correlation, name=None, length=None, begin=None,
                 device=None):
        rng = self.rng
        stream = rng.choice([at for at, stream in enumerate(self.process.streams)
                             if device in (None, stream[0])])
        if begin is None:
            begin = self.draw_begin(launched, stream)
        end = begin + (self.some(long=0.005) if length is None else length)
        near = rng.choice(self.instants[-6:])
        if length is None and near >= begin and rng.random() < 0.2:
            end = near
        names = {KERNEL: KERNEL_NAMES, MEMCPY: ["Memcpy HtoD (Pageable -> Device)"],
                 MEMSET: ["Memset (Device)"], WHOLE_GRAPH: [None]}[kind]
        pageable = 1 if kind == MEMCPY and rng.random() < 0.5 else 0
        self.process.op(begin, end, kind, stream, correlation, name or rng.choice(names), pageable)
        self.stream_end[stream] = max(end, self.stream_end.get(stream, end))
        self.instants += [begin, end]
        return begin, end

    def fill_queue(self):
        """About 1,000 launches ahead of a stall, and others that overtake them."""
        rng, process, unit = self.rng, self.process, self.unit
        depth = rng.choice([997, 998, 999, 1000, 1001, 1003, 1100, 1250])
        now = process.span()[1] + unit * rng.randint(0, 100)
        released = now + unit * (depth * 2 + 2000)
        stalled = rng.randrange(len(process.streams))
        at = released
        for _ in range(depth):
            correlation = process.new_correlation()
            process.call(now, now + unit * rng.randint(0, 1), 1, "cudaLaunchKernel", correlation)
            process.op(at, at + unit, KERNEL, stalled, correlation, "foo_kernel")
            now += unit
            at += unit * rng.choice([1, 1, 1, 2])
        for _ in range(rng.randint(3, 30)):
            thread = rng.randint(1, process.thread_count)
            now += unit * rng.randint(0, 60)
            end = now + unit * rng.randint(1, 40)
            correlation = process.new_correlation()
            process.call(now, end, thread, rng.choice(LAUNCH_NAMES), correlation)
            begin = rng.choice([now + unit * rng.randint(0, 80), at + unit * rng.randint(0, 99),
                                released + unit * rng.randint(0, depth)])
            process.op(begin, begin + unit, KERNEL, rng.randrange(len(process.streams)),
                       correlation, "foo_kernel")


    def outlast_debt(self):
        """A wait, a late launch, about 1,000 ops back to back and late launches again; or ops with gaps
        between them, of which the most are waited for."""
        rng, process, unit = self.rng, self.process, self.unit
        now = process.span()[1] + unit * rng.randint(1, 50)
        returned = now + unit * rng.randint(20, 2000)
        process.call(now, returned, 1, rng.choice(SYNC_NAMES))
        self.wait_for(now, returned, 1)
        now = self.late_launch(returned)
        launched, distance = now, rng.choice([1, 2])
        for _ in range(rng.randint(995, 1002)):
            correlation = process.new_correlation()
            process.call(launched, launched, 1, "cudaLaunchKernel", correlation)
            process.op(now, now + unit, KERNEL, 0, correlation, "foo_kernel")
            now += distance * unit
        if distance > 1:
            process.call(launched + unit * rng.randint(0, 400), now - unit * rng.randint(0, 300), 1,
                         rng.choice(SYNC_NAMES))
        for _ in range(4 if distance == 1 else 80):  # enough to use it all up
            now = self.late_launch(now)

    def hand_over(self):
        """A thread or two wait, return together or not, and one of them or another launches late."""
        rng, process, unit = self.rng, self.process, self.unit
        names = ["cudaFree", "cudaDeviceSynchronize", "cudaStreamSynchronize"]

        def anyone():
            return rng.randint(1, process.thread_count)

        now = process.span()[1] + unit * rng.randint(1, 50)
        for _ in range(6):
            returned = now + unit * rng.randint(1, 60)
            if rng.random() < 0.8:
                self.wait_for(now, returned, anyone())
            for _ in range(rng.choice([1, 2, 2, 3])):
                end = returned - unit * rng.choice([0, 0, 0, 1, 5])
                begin = min(end, now + unit * rng.choice([0, 0, 0, 1, 7]))
                process.call(begin, end, anyone(), rng.choice(names))
            if rng.random() < 0.3:
                at = rng.choice([now, returned, rng.randint(now, returned)])
                process.call(at, at + unit, anyone(),
                             rng.choice(["cudaMemsetAsync", "cudaEventQuery"]))
            now = returned
            for _ in range(rng.randint(1, 4)):
                now = self.late_launch(now, anyone())

    def hand_back(self):
        """Threads launch in turn, and rows say who of them sleeps and who is awake between."""
        rng, process, unit = self.rng, self.process, self.unit
        now, last = process.span()[1] + unit, 1
        for _ in range(rng.randint(5, 25)):
            thread = rng.randint(1, process.thread_count)
            gap = now, now + unit * rng.randint(10, 200)
            for silent in last, thread:
                begin = gap[0] + unit * rng.randint(-20, 10)
                while begin < gap[1] and rng.random() < 0.85:
                    end = begin + unit * rng.randint(1, 150)
                    self.sched_row(begin, end, silent)
                    begin = end + unit * rng.choice([0, 0, 0, 2])
            if rng.random() < 0.4:
                begin = rng.randint(gap[0] - 5 * unit, gap[1])
                process.range(begin, begin + unit * rng.randint(0, 50), rng.choice([last, thread]),
                              "aten::add", OPERATOR)
            now, last = self.late_launch(gap[1], thread), thread

    def wait_for_threads(self):
        """A thread sleeps until it launches; others do something, stop or go on about then."""
        rng, process, unit = self.rng, self.process, self.unit
        now, last = process.span()[1] + unit, rng.randint(1, process.thread_count)
        for _ in range(rng.randint(3, 12)):
            launching = rng.choice([last, rng.randint(1, process.thread_count)])
            sleeping = rng.choice([launching, launching, last])
            until = now + unit * rng.randint(10, 200) + rng.choice([0, 2 * MS, 7 * MS])
            begin = now + unit * rng.choice([-20, -1, 0, 1, 5])
            wakes = until + unit * rng.choice([-1, 0, 0, 1, 60])
            self.sleep_in_parts(sleeping, begin, wakes)
            if rng.random() < 0.15:  # in a call
                process.call(begin - unit, rng.choice([until, wakes]), sleeping, "cudaEventQuery")
            if rng.random() < 0.15:  # it goes on before
                at = rng.randint(begin, until)
                process.range(at, at + unit * rng.choice([0, 0, 3]), sleeping, "aten::mm", OPERATOR)
            for thread in range(1, process.thread_count + 1):
                if thread != sleeping and rng.random() < (0.4 if thread == last else 0.9):
                    self.do_something(thread, begin, wakes)
            now = self.late_launch(until, launching)
            launched = now - 5 * unit
            if rng.random() < 0.3:
                self.sleep_in_parts(sleeping, launched + rng.choice([-1, 0, 1]), now)
            if rng.random() < 0.3:  # the last that is seen of it, for a while
                at = launched - 3 * MS + rng.choice([-1, 0, 0, 1, -unit])
                process.range(at - unit * rng.choice([0, 1, 4]), at, last, "aten::mm", OPERATOR)
            last = launching

    def sleep_in_parts(self, thread, begin, end):
        """One sleep or several; a row or two of them have something to tell."""
        rng = self.rng
        inside = [rng.randint(min(begin, end), end) for _ in range(rng.choice([0, 0, 1, 1, 2, 5]))]
        cuts = sorted([min(begin, end), end] + inside)
        for at, next_at in zip(cuts, cuts[1:]):
            apart = rng.choice([0, -self.unit, self.unit, 20_000, 20_000, 20_001, 20_001])
            length = max(0, next_at - at - (apart if next_at < end else 0))
            stack = rng.choice([0] * 12 + [13, 14, 1, 12])  # two of those hand over
            slept = rng.choice([length] * 8 + [length // 2, length // 2 + 1, 0])
            waited = rng.choice([0] * 8 + [max(0, length - slept)])
            self.process.sched(at, at + length, thread, slept, waited, stack)

    def do_something(self, thread, begin, end):
        """Records with an end near those of another thread's sleep, or 1.5 ms before; a sleep that
        begins near its end, or 1.5 ms around it."""
        rng, process, unit = self.rng, self.process, self.unit

        def near(*instants):
            return rng.choice(instants) + rng.choice([-1, 0, 0, 0, 0, 1, -unit, unit])

        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            first, last = sorted([near(begin, rng.randint(min(begin, end), end)), near(
                begin, end, end - NEAR_NS, end - NEAR_NS, rng.randint(min(begin, end), end))])
            if rng.random() < 0.5:
                process.range(first, last, thread, rng.choice(RANGE_NAMES), OPERATOR)
            else:
                names = rng.choice([ALLOC_NAMES, MODULE_NAMES, SYNC_NAMES, OTHER_NAMES])
                process.call(first, last, thread, rng.choice(names))
        if rng.random() < 0.7:
            at = near(end, end, end - NEAR_NS, end - NEAR_NS, end + NEAR_NS)
            self.sleep_in_parts(thread, at, at + unit * rng.randint(0, 60))
        if rng.random() < 0.2:
            self.sleep_in_parts(thread, begin, rng.randint(min(begin, end), end))

    def fall_silent(self):
        """A thread launches and is not heard of from some instant on; about 3 ms or long after it
        another one launches, of which rows tell until then that it sleeps."""
        rng, process, unit = self.rng, self.process, self.unit
        now = process.span()[1] + unit
        for _ in range(rng.randint(2, 8)):
            thread, other = rng.sample(range(1, process.thread_count + 1), 2)
            now = self.late_launch(now, thread)
            last = now + unit * rng.choice([-1, 0, 1, 40])
            self.last_sign(thread, min(now, last), last)
            until = last + OVER_NS + rng.choice([-1, 0, 0, 1, unit, 3 * OVER_NS])
            self.sleep_in_parts(other, now - unit * rng.choice([-9, 0, 1, 50]),
                                until - unit * rng.choice([-1, 0, 1, 9]))
            if rng.random() < 0.2:  # too short to tell anything, and after that it goes on
                at = rng.choice([rng.randint(last, until), until])
                process.range(at, at, thread, "aten::mm", OPERATOR)
                process.range(until + rng.choice([0, 1]), until + unit, thread, None, OPERATOR)
            now = self.late_launch(until, other, late=0)

    def last_sign(self, thread, begin, end):
        """A row with that end."""
        rng, length = self.rng, end - begin
        if rng.random() < 0.4:
            self.process.range(begin, end, thread, "aten::mm", OPERATOR)
        elif rng.random() < 0.4:
            self.process.call(begin, end, thread, rng.choice(OTHER_NAMES))
        else:  # where it stands somewhere only its being over hands back
            slept = rng.choice([0, length, 2 * length])
            self.process.sched(begin, end, thread, slept, 0, rng.choice([0, 1, 12]))

    def wait_for(self, begin, end, thread):
        """Ops that are there to be waited for, mostly back to back and mostly until the end."""
        rng, process, unit = self.rng, self.process, self.unit
        launched = begin - unit * rng.randint(-1, 3)
        at = begin + unit * rng.choice([-1, 0, 0, 4])
        end -= unit * rng.choice([0, 0, 0, 3])
        while at < end:
            correlation = process.new_correlation()
            process.call(launched, launched, thread, "cudaLaunchKernel", correlation)
            until = min(end, at + unit * rng.choice([3, 20, 500]))
            process.op(at, until, KERNEL, 0, correlation, "foo_kernel")
            at = until + unit * rng.choice([0, 0, 1, 10])

    def late_launch(self, now, thread=1, late=None):
        unit, correlation = self.unit, self.process.new_correlation()
        launched = now + unit * (self.rng.randint(1, 30) if late is None else late)
        self.process.call(launched, launched + unit, thread, "cudaLaunchKernel", correlation)
        self.process.op(launched + 3 * unit, launched + 5 * unit, KERNEL, 0, correlation,
                        "foo_kernel")
        return launched + 5 * unit

    # What only recorded runs have.

    def draw_scheds(self):
        """Samples of a thread one behind the other, and rows that begin and end anywhere."""
        rng, process = self.rng, self.process
        for thread in range(process.thread_count + 2):  # 0 and the last are no thread
            begin, end = process.span()
            begin -= self.some()
            for _ in range(rng.choice([0, 10, 40])):
                row_end = begin + rng.choice([1, 1, 4]) * self.some(zero=0.05, long=0.1)
                self.sched_row(begin, row_end, thread)
                begin = row_end + rng.choice([0, 0, 0, self.some()])
                if begin > end:
                    break
            for _ in range(rng.choice([0, 3, 15])):
                begin = rng.choice(self.instants) + self.unit * rng.randint(-2, 1)
                row_end = rng.choice([rng.choice(self.instants), begin + self.some()])
                self.sched_row(begin, max(begin, row_end), thread)

    def sched_row(self, begin, end, thread):
        rng, length = self.rng, end - begin
        inside = [t - begin for t in self.instants if begin <= t <= end] or [length]
        slept = rng.choice([0, 0, length, rng.randint(0, length), rng.choice(inside)])
        waited = rng.choice([0, 0, length - slept, rng.randint(0, length - slept)])
        if rng.random() < 0.15:  # more than there is room for
            slept = rng.choice([slept, rng.randint(0, 2 * length), rng.choice(LONGEST_NS)])
            waited = rng.choice([rng.randint(0, 2 * length), rng.choice(LONGEST_NS)])
        stack = rng.choice([0, 0, 0, rng.randint(1, len(STACKS) + 1)])
        self.process.sched(begin, end, thread, slept, waited, stack)

    def draw_held_up(self):
        """Host functions and peers that end about where an op begins or its launch ends."""
        rng, process, unit = self.rng, self.process, self.unit
        returns = {call["correlation"]: call["start_ns"] + call["dur_ns"]
                   for call in process.calls}
        count = min(len(process.ops), rng.choice([0, 5, 30, 60]))
        for op in rng.sample(process.ops, count):
            begin = op["start_ns"]
            returned = min(begin, returns.get(op["correlation"], begin))
            for _ in range(rng.choice([1, 1, 2])):
                end = rng.choice([begin, begin - unit, begin + unit, begin + self.some(), returned,
                                  returned + unit, rng.randint(returned, begin)])
                stream_id = op["stream"]
                if rng.random() < 0.2:
                    stream_id = rng.randint(0, len(process.streams) + 1)
                kind = rng.choice([HOST_FUNCTION, HOST_FUNCTION, PEER, PEER, rng.randint(0, 8)])
                process.sync(end - self.some(), end, kind, stream_id)

    def draw_graphs(self, rng):
        """Steps that launch a graph, all from some step on or nearly so; draws of its own."""
        process = self.process
        begins = sorted(process.step_begins)
        if not begins:
            return
        first = rng.randint(0, len(begins) // 2 + 1)
        for row in process.calls:
            if row["name"] in GRAPH_NAMES and begins[first:] and row["start_ns"] < begins[first]:
                row["name"] = "cudaLaunchKernel"
        for begin, next_begin in zip(begins[first:], begins[first + 1:] + [begins[-1] + 1000]):
            if rng.random() < 0.03 or next_begin == begin:
                continue
            at = rng.choice([begin, rng.randint(begin, next_begin - 1), next_begin - 1])
            process.call(at, at + 5 * self.unit, rng.randint(1, process.thread_count),
                         rng.choice(GRAPH_NAMES))

    def draw_module_loads(self):
        """Long calls about the begins of the first steps."""
        rng, begins = self.rng, self.process.step_begins
        for begin, next_begin in list(zip(begins, begins[1:]))[:5]:
            if rng.random() < 0.3:
                continue
            at = rng.choice([begin, rng.randint(begin, next_begin), next_begin - 1, next_begin])
            name = rng.choice(MODULE_NAMES + ["cudaMalloc", "cuModuleLoaded"])
            length = rng.choice([MS, MS, MS, MS - 1, MS + 5 * self.unit])
            self.process.call(at, at + length, rng.randint(1, self.process.thread_count), name)


class Run:
    """Draws the processes of a run and what joins them."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.stacks = random.Random(seed) if seed % 3 else None  # its own: all else stays as it is
        rng = self.rng
        self.unit = rng.choice([1, 1, 7, 100, 1000, 1000, 4000, 20_000])
        self.base = rng.choice([0, 0, -20 * self.unit, 1_700_000_000_123_456_789])
        self.may_miss = rng.random() < 0.6
        self.source = rng.choice(["kineto", "kineto", "baton", "baton", "simgpu"])
        self.processes = self.draw_processes(rng.choice([1, 1, 2, 2, 3]))
        self.draw_devices()
        deep = rng.random() < 0.12
        self.hosts = [Host(rng, p, self.unit, self.may_miss) for p in self.processes]
        for host in self.hosts:
            for thread in range(1, host.process.thread_count + 1):
                host.walk(thread, rng.choice([3, 12, 40, 40, 90]))
            if rng.random() < 0.35:
                host.serial(rng.randint(1, host.process.thread_count), rng.randint(18, 24))
        if deep:
            self.hosts[0].fill_queue()
        elif rng.random() < 0.06:
            self.hosts[0].outlast_debt()
        elif rng.random() < 0.15:
            self.hosts[0].hand_over()
        if self.is_recorded():
            self.draw_hand_backs(random.Random(seed))
            self.draw_waits(random.Random("waits %d" % seed))
        self.numbers = list(itertools.accumulate(rng.choice([0, 1, 1, 1, 1, 1, 1, 2])
                                                 for _ in range(17)))
        self.draw_collectives()
        self.draw_long_rows()
        for process in self.processes:
            self.draw_steps(process)
        if self.is_recorded():
            for host in self.hosts:
                host.draw_scheds()
                host.draw_held_up()
                host.draw_module_loads()
            graphs = random.Random("graphs %d" % seed)
            if graphs.random() < 0.3:
                for host in self.hosts:
                    host.draw_graphs(graphs)
        elif random.Random(seed).random() < 0.06:  # of its own too
            for process in self.processes:  # nobody says which call launched what
                process.calls = [row for row in process.calls if row["correlation"] == 0]
        self.in_flight = {}  # pid -> records lost
        if self.is_recorded():
            self.draw_holders(random.Random("holders %d" % seed))
            self.draw_kills(random.Random(seed))

    def draw_hand_backs(self, rng):
        """Of its own too: all that was drawn before it stays as it is."""
        for host in self.hosts:
            if host.process.thread_count > 1 and rng.random() < 0.4:
                host.rng = rng
                host.hand_back()
                host.rng = self.rng

    def draw_waits(self, rng):
        """The same. Most processes tell of their lock."""
        for host in self.hosts:
            if rng.random() < 0.8:
                host.process.metas.append(("python.lock", rng.choice(["held", "", None])))
            elif rng.random() < 0.5:
                host.process.metas.append((rng.choice(["python.lock.", "Python.lock", None]), "x"))
            if host.process.thread_count > 1 and rng.random() < 0.7:
                host.rng = rng
                host.wait_for_threads()
                host.rng = self.rng
            if host.process.thread_count > 1 and rng.random() < 0.4:
                host.rng = rng
                host.fall_silent()
                host.rng = self.rng

    def draw_holders(self, rng):
        """Some rows have the thread that held the lock, or one that is not there."""
        for process in self.processes:
            often = rng.choice([0, 0.05, 0.05, 0.4])
            for row in process.scheds:
                if rng.random() < often:
                    row["holder"] = rng.randint(0, process.thread_count + 1)
                    row["holder_stack"] = rng.randint(0, len(STACKS) + 1)

    def draw_kills(self, rng):
        """Some processes lose the ops that end after some instant, some only say so. All else
        stays as it is."""
        for process in self.processes:
            if rng.random() < 0.7 or not process.ops:
                continue
            ends = sorted(row["start_ns"] + row["dur_ns"] for row in process.ops)
            last = rng.choice(ends[len(ends) // 3:] + 3 * ends[-1:])
            kept = [row for row in process.ops if row["start_ns"] + row["dur_ns"] <= last]
            self.in_flight[process.pid] = max(1, len(process.ops) - len(kept))
            process.ops = kept
            # a collective without its kernel's times is never written
            there = {(row["correlation"], row["start_ns"]) for row in kept}
            process.collectives = [row for row in process.collectives
                                   if (row["correlation"], row["start_ns"]) in there]

    def is_recorded(self):
        return self.source != "kineto"

    def draw_processes(self, count):
        pids = self.rng.sample(range(10, 100), count)
        ranks = self.rng.sample(range(4), count)
        if self.rng.random() < 0.3:
            ranks[self.rng.randrange(count)] = -1
        if self.rng.random() < 0.1:
            ranks = [-1] * count
        hosts = ["node-b"] * count
        if self.rng.random() < 0.15:
            hosts[-1] = "node-a"
        return [ProcessRows(*facts) for facts in zip(pids, ranks, hosts)]

    def draw_devices(self):
        rng = self.rng
        layout = rng.choice(["own", "shared uuid", "shared ordinal", "one drives two",
                             "each drives two", "one under two ordinals"])
        for at, process in enumerate(self.processes):
            process.devices = {"own": [(at % 2, None)], "shared uuid": [(at, "GPU-1234")],
                               "shared ordinal": [(0, None)],
                               "one drives two": [(0, "GPU-a"), (1, "GPU-b")][at:] or
                               [(0, "GPU-b")],
                               "each drives two": [(0, None), (1, None)],
                               "one under two ordinals": [(0, "GPU-c"), (1, "GPU-c")]}[layout]
            process.thread_count = rng.choice([1, 2, 2, 3, 4])
            numbers = rng.sample([0, 7, 13, 20, 28], 4)
            process.streams = [(device, 1 + device, number)
                               for device in range(len(process.devices))
                               for number in numbers[:rng.randint(1, 4)]]
            if rng.random() < 0.3:  # another context has a stream of the same number
                process.streams.append((0, 9, process.streams[0][2]))
            if rng.random() < 0.2:  # an equal stream under another id
                process.streams.append(process.streams[0])
            if rng.random() < 0.2:  # a device without ops
                process.devices = process.devices + [(5, None)]

    def draw_collectives(self):
        rng = self.rng
        places = [(host, device) for host in self.hosts
                  for device in host.process.driven_devices()]
        count = len(places)
        sizes = [count, count, count, len(self.processes), 1, count + 1]
        groups = [(rng.choice(sizes), rng.getrandbits(64))
                  for _ in range(rng.choice([0, 1, 1, 2]))]
        for process in self.processes:
            process.communicators = groups
        sequence = 0
        for number, _ in enumerate(groups, 1):
            with_sequence = rng.random() < 0.5
            for _ in range(rng.choice([1, 4, 10, 20])):
                sequence += rng.choice([0, 1, 1, 1, 1, 1])
                self.draw_collective(places, number, sequence if with_sequence else None)

    def draw_collective(self, places, communicator, sequence):
        rng = self.rng
        coll = rng.choice([1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 10, 0])
        begin = self.unit * 20 * rng.randint(0, 30)
        rows = 2 if rng.random() < 0.15 else 1
        longest = self.unit * rng.choice([0, 3, 40])
        for host, device in places:
            if rng.random() < 0.08:
                continue
            twice = rng.random() < 0.06
            for _ in range(2 if twice else 1):
                member_rows = 3 - rows if rng.random() < 0.04 else rows
                self.draw_member(host, device, begin, longest, [(communicator, coll, sequence)]
                                 * member_rows)

    def draw_member(self, host, device, begin, longest, rows):
        rng, process = self.rng, host.process
        if rng.random() < 0.98:  # else one launch for several members
            process.new_correlation()
        correlation = process.last_correlation
        launched = begin + self.unit * rng.randint(0, 20)
        if not (self.may_miss and rng.random() < 0.05):
            process.call(launched, launched + host.some(), rng.randint(1, process.thread_count),
                         "cudaLaunchKernelExC", correlation)
        name = rng.choice(NCCL_NAMES + ["foo_kernel"])
        kernels = 2 if rng.random() < 0.04 else 1
        for _ in range(kernels):
            length = longest + self.unit * rng.randint(0, 30)
            begun, end = host.place_op(launched, KERNEL, correlation, name, length=length,
                                       device=device)
            for communicator, coll, sequence in rows:
                if rng.random() < 0.02:
                    communicator = 0
                process.collectives.append(
                    {"start_ns": begun, "dur_ns": end - begun, "correlation": correlation,
                     "comm": communicator, "coll": coll, "bytes": 4096, "sequence": sequence})

    def draw_long_rows(self):
        """Ranges and calls that span much of the run, and rows that decide nothing."""
        rng = self.rng
        for process in self.processes:
            begin, end = process.span()
            for _ in range(rng.choice([0, 0, 1, 3])):
                first, last = sorted(rng.randint(begin, end) for _ in range(2))
                thread = rng.randint(1, process.thread_count)
                process.range(first, last, thread, rng.choice(RANGE_NAMES),
                              rng.choice([1, 3, PYTHON_FRAME]), rng.randint(0, 1))
            if rng.random() < 0.1:
                process.overhead(begin, begin + (end - begin) // 3, 0, rng.randint(1, 3))
            if rng.random() < 0.3:
                process.sync(begin, begin, 1, 1)

    def draw_steps(self, process):
        """Markers of none, one or both forms, some partial, some at instants of ops and calls."""
        rng = self.rng
        kind = rng.choice(["none", "ranges", "ranges", "marks", "both", "mixed", "optimizer"])
        if self.is_recorded() and rng.random() < 0.9:
            kind = rng.choice(["ranges", "ranges", "marks", "optimizer", "optimizer"])
        if kind == "none":
            return
        begin, end = process.span()
        instants = sorted({row["start_ns"] for row in process.calls} | {begin, end, 0})
        if rng.random() < 0.3:  # where those of the other processes are, too
            instants = [self.unit * 100 * n for n in range(8)]
        count = rng.choice([1, 2, 3, 3, 6, 12] + [4, 8, 9, 12, 16] * self.is_recorded())
        times = sorted(rng.choice(instants) + self.unit * rng.choice([0, 0, 1, -1])
                       for _ in range(count))
        if rng.random() < 0.5:  # nothing is launched before
            times[0] = min(begin, times[0]) - self.unit * rng.randint(0, 50)
        if kind == "optimizer" or rng.random() < 0.1:
            self.draw_optimizers(process, times)
        if kind == "optimizer":
            process.step_begins += times
            return
        forms = [rng.choice(STEP_FORMS[1:5])] if kind in ("ranges", "marks") else STEP_FORMS
        if kind == "both" or rng.random() < 0.3:
            forms = [STEP_FORMS[0]] + forms[1:3]
        self.draw_markers(process, times, end, forms, kind)

    def draw_optimizers(self, process, times):
        """One to three optimizers: in turn, one seldom, one in parts, some marks missing."""
        rng = self.rng
        names = ["AdamW 1", "SGD 2", "SGD 3"][:rng.choice([1, 1, 2, 3])]
        seldom = rng.choice([1, 1, 2, 9])
        for at, time in enumerate(times):
            for number, name in enumerate(names):
                if rng.random() < 0.1 or (number and at % seldom):
                    continue
                for part in range(rng.choice([1, 1, 1, 2])):
                    again = "again" if part or (number and rng.random() < 0.5) else None
                    process.range(time, time, rng.randint(1, process.thread_count), name, OPTIMIZER,
                                  0, again)
                    time += self.unit * rng.choice([0, 1, 1, 5])

    def draw_markers(self, process, times, end, forms, kind):
        rng = self.rng
        taken = set()
        shift = rng.choice([0, 0, 0, 99])
        for at, begin in enumerate(times):
            if at and rng.random() < 0.1:
                begin = times[at - 1]
            next_begin = times[at + 1] if at + 1 < len(times) else end
            stop = rng.choice([next_begin, next_begin, begin + (next_begin - begin) // 2,
                               next_begin + 10 * self.unit])
            is_mark = kind == "marks" or (kind == "mixed" and rng.random() < 0.3)
            stop = begin if is_mark else max(begin, stop)
            if (begin, stop) in taken:
                continue  # which of two markers with one begin and end counts is not defined
            taken.add((begin, stop))
            process.step_begins.append(begin)
            unclosed = 1 if rng.random() < 0.07 else 0
            category = MARK if is_mark else rng.choice([1, 2, 3, 4])
            if rng.random() < 0.04:
                category = PYTHON_FRAME
            process.range(begin, stop, rng.randint(1, process.thread_count),
                          rng.choice(forms) % (self.numbers[at] + shift), category, unclosed)

    # -- files

    def write(self, outdir):
        outdir = Path(outdir)
        outdir.mkdir(parents=True, exist_ok=True)
        for process in self.processes:
            path = outdir / ("0a1b2c3d.%d.%d.0.baton" % (process.pid, 1000 + process.pid))
            self.write_process(process, path)

    def write_process(self, process, path):
        rng = self.rng
        writer = TraceWriter(str(path), compression=rng.randint(0, 1))
        writer.process(process.pid, start_time=1000 + process.pid, rank=process.rank,
                       world_size=len(self.processes), host=process.host, source=self.source)
        numbers = range(1, process.thread_count + 1)
        order = random.Random(process.pid).sample(range(len(numbers)), len(numbers))
        writer.threads([("thread %d" % n, process.pid, process.pid + n) for n in numbers], order)
        devices = [writer.device(ordinal, "Test GPU", uuid) for ordinal, uuid in process.devices]
        for device, context, stream in process.streams:
            writer.stream(devices[device], context, stream)
        for size, comm_hash in process.communicators:
            writer.communicator(size, comm_hash)
        for frames in STACKS:
            writer.stack(*[(kind, writer.code(file, function, 1, 0x030b0000) if kind == 1 else 0, 0)
                           for kind, file, function in frames])
        if self.stacks:
            self.add_stacks(process, writer)
        for key, value in process.metas:
            writer.meta(key, value)
        if process.pid in self.in_flight:
            writer.loss(2, "kernels", self.in_flight[process.pid])
        with_sequence = [row for row in process.collectives if row["sequence"] is not None]
        without = [{name: value for name, value in row.items() if name != "sequence"}
                   for row in process.collectives if row["sequence"] is None]
        tables = [("op", process.ops), ("call", process.calls), ("range", process.ranges),
                  ("overhead", process.overheads), ("sync", process.syncs),
                  ("sched", process.scheds), ("collective", with_sequence),
                  ("collective", without)]
        rng.shuffle(tables)
        for name, rows in tables:
            self.write_rows(writer, name, rows)
        writer.close()

    def add_stacks(self, process, writer):
        """Call stacks of all kinds of frames for most calls and sched rows; lost ones too."""
        rng = self.stacks
        names = ["f", "Net.forward", "<module>", "launcher", "__init__"]
        codes = [writer.code(file, rng.choice(names), rng.randint(1, 99),
                             0x030800f0) for file in rng.sample(PYTHON_FILES, 6)]
        modules = [writer.module(path, None) for path in ("/usr/lib/libcublas.so.12", "libx.so", "/usr/lib/libcuda.so.1", "libcupti.so.12")]
        stacks = [0, 0, 999]
        for _ in range(rng.randint(1, 12)):
            frames = [(1, rng.choice(codes + [777]), 0) if rng.random() < 0.6 else
                      (2, rng.choice(modules + [0]), rng.randint(1, 9999))
                      for _ in range(rng.randint(0, 6))]
            for _ in range(rng.choice([0, 0, 1, 2])):
                frames.insert(rng.randint(0, len(frames)), (3, 0, 0))
            stacks.append(writer.stack(*frames))
        for row in process.calls:
            row["stack"] = rng.choice(stacks)
        for row in process.scheds:  # others keep a data loader's, or none
            row["stack"] = rng.choice(stacks) if rng.random() < 0.5 else row["stack"]

    def write_rows(self, writer, name, rows):
        """In blocks that may overlap in time; the rows of a collective keep their order."""
        rng = self.rng
        rows = [dict(row, start_ns=row["start_ns"] + self.base) for row in rows]
        per_block = rng.choice([1000, 65536, max(5, len(rows) // 4)])
        if name == "collective":
            parts = [rows]
        else:
            rng.shuffle(rows)
            split = rng.choice([0, len(rows) // 3])
            parts = [rows[:split], rows[split:]]
        for part in parts:
            for optional in ("pageable", "unclosed", "domain", "stack", "copy_dir", "bytes",
                             "holder", "holder_stack"):
                if not any(row.get(optional) for row in part):
                    part = [{k: v for k, v in row.items() if k != optional} for row in part]
            if part:
                writer.rows(name, part, rows_per_block=per_block)


def make_run(seed, outdir):
    """Writes the run of a seed as .baton files into outdir."""
    Run(seed).write(outdir)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("outdir")
    args = parser.parse_args()
    make_run(args.seed, args.outdir)


if __name__ == "__main__":
    main()
