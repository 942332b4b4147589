#!/usr/bin/env python3
"""Makes small Kineto traces by code, for tests of `baton import` and of what follows it.

    kineto_fixtures.py --list                     the cases, one a line
    kineto_fixtures.py CASE DIR [OPTION...]       writes the files of a case into DIR (made when absent)

On stdout comes what the files hold, as one JSON object: per file its name, rank, and the number of
kernels, copies, calls, ranges, collectives, syncs and overheads that an import must give, and `status`,
the exit status an import of DIR must have.

Options (each case has its own values where one is not given):
    --ranks N       processes, one GPU each
    --steps N       profiler steps (ProfilerStep#0 ...)
    --kernels N     kernels of a step, without NCCL
    --stall-us N    each step waits this long in the DataLoader
    --late-us N     the last rank enters every collective this much later; the others wait for it
    --style S       new (PyTorch 2.x: fractions, baseTimeNanoseconds last), mid (1.12: whole absolute us)
                    or old (1.8: Kernel, Runtime, Operator; threads and streams as strings)
    --damage D      of the case `broken`: quote, bracket, number, garbage
    --gz            write .json.gz

All times come from integers of nanoseconds and are printed without a double. The files of one call are
the same at every run.
"""

import argparse
import gzip
import json
import os
import sys

BASE_NS = 1_711_964_646_000_000_000
START_NS = 4_458_676_522_690_655  # behind the base, as Kineto prints it
US = 1000
OLD_NAMES = {"kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset",
             "cuda_runtime": "Runtime", "cpu_op": "Operator", "user_annotation": "Operator"}
COUNTED = {"kernel": "kernels", "gpu_memcpy": "copies", "gpu_memset": "copies",
           "cuda_runtime": "calls", "cuda_driver": "calls", "cpu_op": "ranges",
           "user_annotation": "ranges", "python_function": "ranges", "cuda_sync": "syncs",
           "overhead": "overheads"}


class Trace:
    """One file: events are added as they would be recorded, then printed in one style."""

    def __init__(self, rank, world, options, day=0):
        self.rank, self.world, self.style = rank, world, options.style
        self.pid, self.tid = 4000 + rank, 4000 + rank
        self.events = []  # texts
        self.counts = dict.fromkeys(["kernels", "copies", "calls", "ranges", "collectives",
                                     "syncs", "overheads"], 0)
        self.correlation = 1
        self.absolute_ns = (BASE_NS if self.style != "new" else 0) + day * 86400 * 10**9
        self.name = f"rank-{rank}.json"
        self.devices = max(world, 1)
        self.gpu_early_ns = 0  # by how much the GPU's clock runs early

    def time(self, ns):
        ns += self.absolute_ns
        if self.style == "new":
            return f"{ns // 1000}.{ns % 1000:03d}"
        return str(ns // 1000)

    def duration(self, ns):
        if self.style != "new":
            return str(ns // 1000)
        sign = "-" if ns < 0 else ""
        return f"{sign}{abs(ns) // 1000}.{abs(ns) % 1000:03d}"

    def add(self, cat, name, pid, tid, start_ns, dur_ns, args):
        old = self.style == "old"
        if old and cat in OLD_NAMES:
            tid = f"stream {tid}" if cat in ("kernel", "gpu_memcpy", "gpu_memset") else str(tid)
        shown = OLD_NAMES.get(cat, cat) if old else cat
        self.events.append(
            f'{{\n    "ph": "X", "cat": "{shown}", "name": {json.dumps(name)}, "pid": {pid}, '
            f'"tid": {json.dumps(tid)},\n    "ts": {self.time(start_ns)}, '
            f'"dur": {self.duration(dur_ns)},\n    "args": {json.dumps(args)}\n  }}')
        if cat in COUNTED:
            self.counts[COUNTED[cat]] += 1
        if cat == "kernel" and "Collective name" in args:
            self.counts["collectives"] += 1

    def range(self, cat, name, start_ns, end_ns):
        self.add(cat, name, self.pid, self.tid, start_ns, end_ns - start_ns, {"External id": 1})

    def launch(self, call, call_ns, call_dur_ns, cat, name, start_ns, dur_ns, stream=7, more=None):
        """A call and the work it gives the device."""
        self.correlation += 1
        ids = {"External id": self.correlation, "correlation": self.correlation}
        self.add("cuda_runtime", call, self.pid, self.tid, call_ns, call_dur_ns, {"cbid": 211, **ids})
        device = self.rank % self.devices
        self.add(cat, name, device, stream, start_ns - self.gpu_early_ns, dur_ns,
                 {"device": device, "context": 1, "stream": stream, **ids, **(more or {})})
        flow = "async" if self.style == "old" else "ac2g"
        self.events.append(f'{{"ph": "s", "id": {self.correlation}, "pid": {self.pid}, "tid": {self.tid}, '
                           f'"ts": {self.time(call_ns)}, "cat": "{flow}", "name": "{flow}"}}')

    def text(self, order="usual", properties=True):
        events = ",\n  ".join(self.events)
        head = ['"schemaVersion": 1']
        if properties:
            listed = [{"id": i, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85029158912,
                       "numSms": 132} for i in range(self.devices)]
            head.append('"deviceProperties": ' + json.dumps(listed))
        if self.world > 0 and self.style != "old":
            head.append('"distributedInfo": ' + json.dumps(
                {"backend": "nccl", "rank": self.rank, "world_size": self.world}))
        tail = ['"traceName": "trace.json"', '"displayTimeUnit": "ms"']
        if self.style == "new":
            tail.append(f'"baseTimeNanoseconds": {BASE_NS}')
        middle = [f'"traceEvents": [\n  {events}\n  ]']
        if order == "bare":
            return f"[\n  {events}\n]\n"
        parts = {"usual": head + middle + tail, "events first": middle + head + tail,
                 "base first": tail + head + middle}[order]
        return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def collective(trace, options, host_ns, sequence, late_ns):
    """An all-reduce whose kernels end together: all wait for the last rank."""
    own_ns = late_ns if trace.rank == trace.world - 1 else 0
    args = {"Collective name": "allreduce", "In msg nelems": 1048576, "Out msg nelems": 1048576,
            "Group size": trace.world, "dtype": "Float", "Process Group Name": "0",
            "Process Group Description": "default_pg", "Process Group Ranks":
            json.dumps(list(range(trace.world))), "Seq": sequence}
    start_ns = host_ns + 12 * US + own_ns
    end_ns = host_ns + 12 * US + late_ns + 250 * US
    trace.range("user_annotation", "nccl:all_reduce", host_ns + own_ns - 4 * US, host_ns + own_ns + 9 * US)
    trace.launch("cudaLaunchKernelExC", host_ns + own_ns, 6 * US, "kernel",
                 "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
                 start_ns, end_ns - start_ns, 40, args if options.style == "new" else {})
    return end_ns


def step(trace, options, begin_ns, number):
    """One step from begin_ns; returns its end. The device is idle while the DataLoader is waited for."""
    now_ns = begin_ns + 2 * US
    stall_ns = options.stall_us * US
    if stall_ns:
        trace.range("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                    now_ns, now_ns + stall_ns)
        now_ns += stall_ns + 5 * US
    trace.launch("cudaMemcpyAsync", now_ns, 30 * US, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)",
                 now_ns + 8 * US, 20 * US, more={"bytes": 1 << 20})
    now_ns += 35 * US
    for k in range(options.kernels):
        trace.range("cpu_op", "aten::mm" if k % 2 else "aten::add", now_ns, now_ns + 20 * US)
        name = ("ampere_sgemm_128x64_nn" if k % 2 else
                "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)")
        trace.launch("cudaLaunchKernel", now_ns + 5 * US, 5 * US, "kernel", name,
                     now_ns + 13 * US + 1, 9 * US + 123)
        now_ns += 25 * US
    if trace.world > 1:
        now_ns = collective(trace, options, now_ns, number, options.late_us * US)
    now_ns += 10 * US
    trace.range("user_annotation", f"ProfilerStep#{number}", begin_ns, now_ns)
    return now_ns


def job(rank, world, options, day=0):
    trace = Trace(rank, world, options, day)
    now_ns = START_NS
    for number in range(options.steps):
        now_ns = step(trace, options, now_ns, number)
    return trace


def put(directory, trace, found, options, **how):
    name = how.pop("name", trace.name)
    data = how.pop("text", None) or trace.text(**how)
    data = data if isinstance(data, bytes) else data.encode()
    if options.gz:
        name += ".gz"
        data = gzip.compress(data, mtime=0)
    with open(os.path.join(directory, name), "wb") as file:
        file.write(data)
    found.append({"name": name, "rank": trace.rank, **trace.counts})


def case_plain(directory, options, found):
    """one file; the time base comes last"""
    put(directory, job(0, 1, options), found, options)
    return 0


def case_old(directory, options, found):
    """one file with the names of PyTorch 1.8; the rank is in the file's name only"""
    options.style = "old"
    put(directory, job(0, 1, options), found, options)
    return 0


def case_ranks(directory, options, found):
    """ranks whose collectives match"""
    for rank in range(options.ranks):
        put(directory, job(rank, options.ranks, options), found, options)
    return 0


def case_stalls(directory, options, found):
    """each step waits for the DataLoader"""
    options.stall_us = options.stall_us or 5000
    return case_ranks(directory, options, found)


def case_early(directory, options, found):
    """two ranks; the clock of the last one's GPU is 40.5 us early"""
    for rank in range(2):
        trace = Trace(rank, 2, options)
        trace.gpu_early_ns = 40500 * rank
        now_ns = START_NS
        for number in range(options.steps):
            now_ns = step(trace, options, now_ns, number)
        put(directory, trace, found, options)
    return 0


def case_offload(directory, options, found):
    """steps that hardly compute: pinned copies to and from the host, one after the other"""
    trace = Trace(0, 1, options)
    now_ns = START_NS
    for number in range(options.steps):
        begin_ns = now_ns
        for way, size in (("HtoD (Pinned -> Device)", 20 << 20), ("DtoH (Device -> Pinned)", 10 << 20)):
            trace.launch("cudaMemcpyAsync", now_ns, 5 * US, "gpu_memcpy", "Memcpy " + way, now_ns + 8 * US,
                         1000 * US, more={"bytes": size})
            now_ns += 1010 * US
        trace.launch("cudaLaunchKernel", now_ns, 5 * US, "kernel", "ampere_sgemm_128x64_nn", now_ns + 8 * US, 50 * US)
        now_ns += 60 * US
        trace.range("user_annotation", f"ProfilerStep#{number}", begin_ns, now_ns)
    put(directory, trace, found, options)
    return 0


def case_optimizers(directory, options, found):
    """steps without markers, each with two optimizers of a class that step one after the other"""
    trace = Trace(0, 1, options)
    now_ns = START_NS
    for number in range(options.steps):
        for name in ("ampere_sgemm_128x64_nn", "void cudnn::bn_bw_1C11_kernel_new<float>(float*)"):
            for _ in range(options.kernels):
                if "_bw_" in name:
                    trace.range("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", now_ns, now_ns + 20 * US)
                trace.launch("cudaLaunchKernel", now_ns + 5 * US, 5 * US, "kernel", name, now_ns + 13 * US, 9 * US)
                now_ns += 25 * US
        for _ in range(2):
            trace.range("user_annotation", "Optimizer.step#SGD.step", now_ns, now_ns + 30 * US)
            trace.counts["ranges"] += 1  # the mark of its end
            trace.launch("cudaLaunchKernel", now_ns + 5 * US, 5 * US, "kernel",
                         "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<2>>()", now_ns + 13 * US, 9 * US)
            now_ns += 40 * US
        now_ns += 50 * US * (1 + number % 3)
    put(directory, trace, found, options)
    return 0


def case_orders(directory, options, found):
    """rank 0 has the events before the other keys, rank 1 the time base before the events"""
    for rank, order in enumerate(["events first", "base first"]):
        put(directory, job(rank, 2, options), found, options, order=order)
    return 0


def case_bare(directory, options, found):
    """a bare array of events, absolute times"""
    options.style = "mid"
    put(directory, job(0, 1, options), found, options, order="bare")
    return 0


def case_broken(directory, options, found):
    """one damaged event in the middle; all others are used"""
    trace = job(0, 1, options)
    middle = next(i for i in range(len(trace.events) // 2, len(trace.events))
                  if '"cudaLaunchKernel"' in trace.events[i])
    event = trace.events[middle]
    trace.events[middle] = {
        "quote": event.replace('"cudaLaunchKernel"', '"cudaLaunchKernel'),
        "bracket": event[:event.rindex("}")],
        "number": event.replace('"dur": ', '"dur": 1.2.3'),
        "garbage": event.replace('"ph"', '\x01%%"ph"'),
    }[options.damage]
    trace.counts["calls"] -= 1
    put(directory, trace, found, options)
    return 4


def case_truncated(directory, options, found):
    """a gz file cut after two thirds, and a plain one cut inside an event; counts are those of the whole"""
    options.gz = False
    for rank in range(2):
        trace = job(rank, 2, options)
        whole = trace.text().encode()
        data = gzip.compress(whole, mtime=0) if rank == 0 else whole
        put(directory, trace, found, options, text=data[:2 * len(data) // 3],
            name=trace.name + (".gz" if rank == 0 else ""))
    return 4


def case_off_times(directory, options, found):
    """three records of another clock at the head, a negative duration, one above 7 days: 5 refused"""
    trace = job(0, 1, options)
    counts = dict(trace.counts)
    events, trace.events = trace.events, []
    for i in range(3):
        trace.launch("cudaLaunchKernel", START_NS, 5 * US, "kernel", "k", START_NS - 10**14 + i, 5 * US)
        counts["calls"] += 1
    trace.events += events
    trace.range("cpu_op", "aten::negative", START_NS, START_NS - 5 * US)
    trace.range("cpu_op", "aten::long", START_NS, START_NS + 8 * 86400 * 10**9)
    trace.counts = counts
    put(directory, trace, found, options)
    return 4


def case_duplicate(directory, options, found):
    """two files of rank 0 (the second is left out), one of rank 1"""
    for rank in range(2):
        put(directory, job(rank, 2, options), found, options)
    put(directory, job(0, 2, options), found, options, name="rank-9-again.json")
    found.pop()
    return 4


def case_missing(directory, options, found):
    """four ranks of which rank 2 has no file"""
    for rank in (0, 1, 3):
        put(directory, job(rank, 4, options), found, options)
    return 0


def case_two_runs(directory, options, found):
    """a run of two files, and one file of another world size; the latter is left out"""
    for rank in range(2):
        put(directory, job(rank, 2, options), found, options)
    put(directory, job(0, 8, options), found, options, name="other.json")
    found.pop()
    return 4


def case_days(directory, options, found):
    """rank 0 of one day and rank 1 of the next: the later file is kept"""
    put(directory, job(0, 2, options), found, options)
    found.pop()
    put(directory, job(1, 2, options, day=1), found, options)
    return 4


def case_same_device(directory, options, found):
    """two ranks that both saw one GPU, number 0, and tell no properties: they never share a device"""
    for rank in range(2):
        trace = Trace(rank, 2, options)
        trace.devices = 1
        now_ns = START_NS
        for number in range(options.steps):
            now_ns = step(trace, options, now_ns, number)
        put(directory, trace, found, options, properties=False)
    return 0


def case_extras(directory, options, found):
    """synchronisation and overhead records, Python frames, what is to be passed over, odd texts"""
    trace = job(0, 1, options)
    at = START_NS + 50 * US
    trace.add("cuda_sync", "Stream Wait Event", 0, 7, at, 2 * US,
              {"cuda_sync_kind": "Stream Wait Event", "wait_on_stream": 20, "stream": 7, "device": 0,
               "wait_on_cuda_event_record_corr_id": 3, "wait_on_cuda_event_id": 9, "context": 1,
               "correlation": 5})
    trace.add("cuda_sync", "Context Sync", 0, -1, at, 2 * US,
              {"cuda_sync_kind": "Context Sync", "stream": -1, "device": 0, "context": 1, "correlation": 6})
    for name in ("Activity Buffer Request", "Lazy Function Loading", "Command Buffer Full"):
        trace.add("overhead", name, -1, 0, at, 3 * US, {})
    trace.range("python_function", "torch/utils/data/dataloader.py(630): __next__", at, at + 9 * US)
    trace.range("user_annotation", "quote \" slash \\ tab \t euro \u20ac clef \U0001d11e", at, at + US)
    trace.add("gpu_user_annotation", "step", 0, 7, at, 3 * US, {})
    trace.events.append('{"name": "process_name", "ph": "M", "ts": 1, "pid": 1, "tid": 0, '
                        '"args": {"name": "python"}}')
    put(directory, trace, found, options)
    return 0


def case_xpu(directory, options, found):
    """calls of a runtime that is not CUDA's"""
    trace = job(0, 1, options)
    trace.events = [event.replace('"cuda_runtime"', '"xpu_runtime"').replace(
        '"cudaLaunchKernel"', '"urEnqueueKernelLaunch"') for event in trace.events]
    put(directory, trace, found, options)
    return 0


def case_unlaunched(directory, options, found):
    """steps and kernels, but no calls: nothing says which step launched what"""
    trace = job(0, 1, options)
    trace.events = [event for event in trace.events if '"cuda_runtime"' not in event]
    trace.counts["calls"] = 0
    put(directory, trace, found, options)
    return 0


def case_no_gpu(directory, options, found):
    """the CPU's side only, and the work of a device that no importer knows"""
    trace = job(0, 1, options)
    trace.events = [event.replace('"kernel"', '"mtia_ccp_events"') for event in trace.events
                    if '"gpu_memcpy"' not in event]
    trace.counts["kernels"] = trace.counts["copies"] = 0
    put(directory, trace, found, options)
    return 0


def case_handler(directory, options, found):
    """files as PyTorch's handlers name them (ms, then ns), two ranks on one node"""
    for rank, time in enumerate(("1694128201545", "1694128201545123456")):
        put(directory, job(rank, 2, options), found, options,
            name=f"gpu_box_{4000 + rank}.{time}.pt.trace.json")
    return 0


def case_lookalikes(directory, options, found):
    """names with numbers where the handler has the process and the time: neither tells a host"""
    for rank, name in enumerate(("worker0_step_12.1694128201545", "rank-1.Apr_03_18_51_38.1102")):
        put(directory, job(rank, 2, options), found, options, name=name + ".pt.trace.json")
    return 0


def put_in_turn(directory, options, found, name, pids):
    """two profiles without a rank, a minute apart; the second is left out"""
    options.style = "mid"
    for number, pid in enumerate(pids):
        trace = Trace(0, 0, options)
        trace.pid = trace.tid = pid or trace.pid
        now_ns = START_NS + number * 60 * 10**9
        for step_number in range(options.steps):
            now_ns = step(trace, options, now_ns, step_number)
        put(directory, trace, found, options, name=f"{name}{number}.json")
    found.pop()
    return 4


def case_windows(directory, options, found):
    """two windows that the profiler recorded of one process, which tells no rank"""
    return put_in_turn(directory, options, found, "window", (None, None))


def case_raw_texts(directory, options, found):
    """names with a control character and with a byte that is no UTF-8, as they stand"""
    text = job(0, 1, options).text().encode()
    text = text.replace(b"aten::mm", b"aten::\x01\tmm", 1).replace(b"aten::add", b"aten::\xe9", 1)
    put(directory, job(0, 1, options), found, options, text=text)
    return 0


def case_jobs(directory, options, found):
    """two jobs of one GPU, a minute apart, that tell no rank"""
    return put_in_turn(directory, options, found, "model", (5000, 5001))


def case_empty(directory, options, found):
    """a trace without events"""
    trace = Trace(0, 1, options)
    put(directory, trace, found, options)
    return 3


CASES = {name[5:].replace("_", "-"): function for name, function in sorted(globals().items())
         if name.startswith("case_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("case", nargs="?", choices=list(CASES))
    parser.add_argument("directory", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--kernels", type=int, default=8)
    parser.add_argument("--stall-us", type=int, default=0)
    parser.add_argument("--late-us", type=int, default=400)
    parser.add_argument("--style", choices=["new", "mid", "old"], default="new")
    parser.add_argument("--damage", choices=["quote", "bracket", "number", "garbage"], default="quote")
    parser.add_argument("--gz", action="store_true")
    options = parser.parse_args()
    if options.list:
        for name, function in CASES.items():
            print(f"{name}\t{function.__doc__}")
        return 0
    if not options.case or not options.directory:
        parser.error("a case and a directory are needed")
    os.makedirs(options.directory, exist_ok=True)
    found = []
    status = CASES[options.case](options.directory, options, found)
    print(json.dumps({"case": options.case, "status": status, "files": found}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
