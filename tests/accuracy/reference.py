#!/usr/bin/env python3
"""The slow reference of the time attribution, written from docs/ATTRIBUTION.md alone.

Reads the lines of `baton dump --json` of all files of one run and prints where the time of every
device went. It shares no code with the reducer and prefers the obvious way to the fast one: the
host's part of a gap is cut at every boundary that could change the answer, and the table of section
4.3 is asked at each piece. tests/accuracy/agreement.py compares the two.
"""

import argparse
import collections
import itertools
import json
import re
import sys
from bisect import bisect_left, bisect_right

INFINITY = float("inf")

KERNEL, MEMCPY, MEMSET, WHOLE_GRAPH = 1, 2, 3, 4
PYTHON_FRAME, MARK, OPTIMIZER = 5, 6, 7
IN_FLIGHT = 2  # a kind of loss
PROFILER, MODULE_LOAD, BUFFER_FULL = 1, 2, 3
HOST_FUNCTION, PEER = 6, 7
FULL_SYNCHRONISING = {1, 2, 3, 4, 5}
EVERY_THREAD = 0
CALLER_KEY = "autograd.caller."  # a thread that runs backward passes for another one
LOCK_KEY = "python.lock"
RECORDED_SOURCES = {"baton", "simgpu"}

QUEUE_DEPTH = 1000
LONG_NS = 1_000_000
UNSAMPLED_NS = 3_000_000
ONE_SLEEP_NS = 20_000
GOES_ON_NEAR_NS = 1_500_000
FLOOR_NS = 10_000
DISPATCH_CAP_NS = 20_000
CALIBRATION_GAPS = 20
SLICE_LATE_NS, SLICES_MOST = 100_000, 256
HELD_UP_NEAR_NS = 20_000
WARM_UP_STEPS = 4
ENDS_NEAR_NS, ENDS_PART, ORDERED_PART = 200_000, 10, 10

OWED_LEAVES = {"idle.cpu.api", "idle.cpu.framework", "idle.cpu.launch_call",
               "idle.cpu.launch_latency", "idle.host.input"}
LEAF_ORDER = ("work.matmul", "work.custom", "work.other", "work.memory", "work.graph",
              "nccl.transfer", "nccl.unsplit", "nccl.wait", "copy.exposed")
COPY_DIRECTIONS = ("unknown", "HtoD", "DtoH", "DtoD", "HtoH", "PtoP")


def names_matching(*patterns, flags=0):
    joined = re.compile("|".join("(?:%s)" % p for p in patterns).encode(), flags)
    return lambda name: joined.search(name) is not None


# Section 5. Names are bytes; \Z because `$` would also match before a final newline.
CALL_CLASS = {
    "alloc": names_matching(
        r"^(cuda|hip)(Malloc|Free|HostAlloc|HostFree|HostMalloc|HostRegister|HostUnregister)",
        r"^cuMem(Alloc|Free|Host(Alloc|Register|Unregister|GetDevice)?"
        r"|Create|Release|Map|Unmap|Address)"),
    "module_load": names_matching(
        r"^(cu|hip)(Module(Load|Unload)|Library(Load|GetKernel)|Link)", r"^cudaLibraryLoad",
        r"Graph(Instantiate|ExecUpdate|Upload)", r"^(cu|hip)Init\Z", r"Ctx(Create|Retain)",
        r"^(cuda|hip|cu)StreamCreate"),
    "sync": names_matching(
        r"(Device|Stream|Event|Ctx)Synchronize", r"^(cuda|hip)Memcpy(2D|3D)?\Z",
        r"^hipMemcpyWithStream\Z",
        r"^cuMemcpy(DtoH|HtoD)?(_v2)?\Z"),
    "free": names_matching(r"^(cuda|hip)Free(Host|Array|Mipmapped)?\Z", r"^cuMemFree(Host)?(_v2)?\Z"),
    "nccl_host": names_matching(r"^nccl:", r"^record_param_comms\Z", r"^c10d::", r"^p?nccl[A-Z]"),
    "driving": names_matching(r"Launch", r"Memcpy", r"Memset"),
}
NCCL_RANGE = names_matching(r"^nccl:", r"^record_param_comms\Z", r"^c10d::")
INPUT_RANGE = names_matching(r"DataLoader", r"torch/utils/data/", r"data_?load", r"load_batch",
                             r"wait_for_batch", flags=re.IGNORECASE)
INPUT_FRAME = names_matching(
    r"(^|/)torch/utils/data/dataloader\.py:(.*\.)?"
    r"(__next__|__iter__|_next_data|_get_data|_try_get_data|_get_iterator|_reset)\Z",
    r"(^|/)torch/utils/data/_utils/(collate|fetch|pin_memory)\.py:",
    r"(^|/)torchdata/.*\.py:(.*\.)?(__next__|next|_next_data|_get_data|_try_get_data)\Z",
    r"(^|/)webdataset/[^/]*\.py:",
    r"(^|/)datasets/(arrow_dataset|iterable_dataset)\.py:(.*\.)?"
    r"(__iter__|__getitem__|__getitems__)\Z",
    r"(^|/)nvidia/dali/(pipeline|plugin/.*)\.py:(.*\.)?"
    r"(__next__|_get_outputs|share_outputs|outputs|run)\Z")
COMPILE_FRAME = names_matching(
    r"(^|/)torch/_dynamo/convert_frame\.py:",
    r"(^|/)torch/_inductor/compile_fx\.py:(.*\.)?"
    r"(_?compile_fx(_inner)?|fx_codegen_and_compile|codegen_and_compile)\Z",
    r"(^|/)triton/compiler/compiler\.py:compile\Z")
HAND_OVER_FRAME = names_matching(
    r"(^|/)torch/autograd/(graph|__init__)\.py:", r"(^|/)torch/_tensor\.py:(.*\.)?backward\Z",
    r"(^|/)threading\.py:", r"(^|/)queue\.py:(.*\.)?get\Z", r"(^|/)concurrent/futures/",
    r"(^|/)torch/nn/parallel/parallel_apply\.py:",
    r"(^|/)multiprocessing/(connection|popen_fork|synchronize|queues)\.py:",
    r"(^|/)selectors\.py:")
PYTHON_CODE, BACKWARD = 1, 3  # kinds of frames
VERSION_SUFFIX = re.compile(rb"_v[0-9]+\Z")
PROFILER_STEP = re.compile(rb"^ProfilerStep#([0-9]+)\Z", re.IGNORECASE)
PLAIN_STEP = re.compile(rb"^step[ _#]?([0-9]+)\Z", re.IGNORECASE)
TRAINING_STEP = re.compile(
    rb"^(?:train(?:ing)?|global|epoch[ _#:=]?[0-9]+)[ _./:,-]*(?:step|iter|iteration|batch)"
    rb"[ _#:=]*([0-9]+)(?:[^0-9A-Za-z].*)?\Z", re.IGNORECASE | re.DOTALL)
ITERATION = re.compile(rb"^iter(?:ation)?[ _#]?([0-9]+)\Z", re.IGNORECASE)


# ---- rows ----------------------------------------------------------------------------------------

def as_bytes(text):
    return (text or "").encode("utf-8", "surrogateescape")


Span = collections.namedtuple("Span", "begin end")


class Row:
    def __init__(self, fields):
        self.begin = fields["start_ns"]
        self.duration = fields["dur_ns"]
        self.end = self.begin + self.duration
        self.name = as_bytes(fields.get("name"))


class Call(Row):
    def __init__(self, fields):
        super().__init__(fields)
        self.thread_id = fields["thread"]
        self.stack_id = fields.get("stack", 0)
        self.correlation = fields["correlation"]
        self.plain_name = VERSION_SUFFIX.sub(b"", self.name)
        self.ops = []  # the ops it is the launch of
        self.classes = set()

    def classify(self):
        self.classes = {c for c, matches in CALL_CLASS.items() if matches(self.plain_name)}
        if any(op.is_pageable_copy for op in self.ops):
            self.classes.add("sync")
        if self.ops or self.classes & {"sync", "alloc", "module_load"}:
            self.classes.add("driving")


class Range(Row):
    def __init__(self, fields):
        super().__init__(fields)
        self.thread_id = fields["thread"]
        self.category = fields["category"]
        self.domain = as_bytes(fields.get("domain"))
        self.unclosed = fields.get("unclosed", 0) == 1


class Overhead(Row):
    def __init__(self, fields):
        super().__init__(fields)
        self.thread_id = fields["thread"]
        self.kind = fields["overhead_kind"]


class Sched(Row):
    """A silent thread: first asleep, then without a core, then running (section 4.3)."""

    def __init__(self, fields):
        super().__init__(fields)
        self.thread_id = fields["thread"]
        self.stack_id = fields.get("stack", 0)
        self.stands_in = None
        self.stands_nowhere = self.stack_id == 0
        self.waits_for_lock = fields.get("holder", 0) != 0
        asleep_until = min(self.end, self.begin + fields["slept_ns"])
        waiting_until = min(self.end, asleep_until + fields["waited_ns"])
        self.asleep = Span(self.begin, asleep_until)
        self.waiting = Span(asleep_until, waiting_until)
        self.awake = Span(asleep_until, self.end)

    @property
    def is_nap(self):
        """Mostly asleep, and nothing tells what for."""
        return (2 * (self.asleep.end - self.begin) > self.duration and self.stands_nowhere and
                not self.waits_for_lock)


class Op(Row):
    def __init__(self, fields, process):
        super().__init__(fields)
        self.process = process
        self.kind = fields["op_kind"]
        self.stream_id = fields["stream"]
        self.correlation = fields["correlation"]
        self.bytes = fields.get("bytes")
        self.direction = COPY_DIRECTIONS[fields.get("copy_dir", 0)]
        self.is_pageable_copy = self.kind == MEMCPY and fields.get("pageable", 0) == 1
        self.context = self.stream = None  # from the stream record
        self.group = None
        self.launch = None
        self.collectives = []
        self.is_node = False
        self.is_first_of_call = True
        self.step = None
        self.wait_ns = None  # an NCCL op that is split: its first ns; None: not split

    @property
    def leaves_device(self):
        """A copy that is no work of the device's memory alone."""
        known = self.direction not in ("unknown", "DtoD")
        return self.kind == MEMCPY and (
            known or self.is_pageable_copy and self.direction != "DtoD")

    def order(self):
        launch_begin = self.launch.begin if self.launch else INFINITY
        return (self.begin, launch_begin, self.stream, self.correlation, self.end, self.name,
                self.process.pid)

    @property
    def is_later_node(self):
        return self.is_node and not self.is_first_of_call


# ---- a process: one file -------------------------------------------------------------------------

class Process:
    def __init__(self):
        self.host, self.pid, self.rank, self.source = None, 0, -1, None
        self.has_facts, self.world_size = False, -1
        self.tells_of_lock = False
        self.callers = {}  # thread id -> the one for which it runs backward passes
        self.streams, self.devices, self.communicators = {}, {}, {}
        self.ops, self.calls, self.ranges, self.overheads, self.scheds = [], [], [], [], []
        self.syncs = []
        self.held_up = []  # (kind, device key, context, stream, end)
        self.collectives = collections.defaultdict(list)  # correlation -> rows, in file order
        self.stacks, self.codes, self.modules = {}, {}, {}
        self.threads = {}
        self.thread_names = {}
        self.in_flight = 0
        self.first_kernel_launch = {}  # kernel name -> begin of its earliest launch

    def add(self, kind, fields):
        if kind == "process" and not self.has_facts:
            self.has_facts = True
            self.host, self.pid, self.rank = fields["host"], fields["pid"], fields["rank"]
            self.source = fields.get("source")
            self.world_size = fields.get("world_size", -1)
        elif kind == "thread":
            self.thread_names.setdefault(fields["id"], as_bytes(fields["name"]))
        elif kind == "stream":
            self.streams.setdefault(fields["id"], fields)
        elif kind == "device":
            self.devices.setdefault(fields["id"], fields)
        elif kind in ("stack", "code", "module"):
            getattr(self, kind + "s").setdefault(fields["id"], fields)
        elif kind == "communicator":
            self.communicators.setdefault(fields["id"], fields)
        elif kind == "op":
            self.ops.append(Op(fields, self))
        elif kind == "call":
            self.calls.append(Call(fields))
        elif kind == "range":
            self.ranges.append(Range(fields))
        elif kind == "overhead":
            self.overheads.append(Overhead(fields))
        elif kind == "sched":
            self.scheds.append(Sched(fields))
        elif kind == "meta":
            self.tells_of_lock = self.tells_of_lock or fields["key"] == LOCK_KEY
            if (fields["key"] or "").startswith(CALLER_KEY):
                self.callers[int(fields["key"][len(CALLER_KEY):])] = int(fields["value"])
        elif kind == "loss" and fields["kind"] == IN_FLIGHT:
            self.in_flight += fields["count"]
        elif kind == "sync":
            self.syncs.append(fields)
        elif kind == "collective":
            self.collectives[fields["correlation"]].append(fields)

    def stands_in(self, stack_id):
        for frame in self.stacks.get(stack_id, {"frames": []})["frames"]:
            if frame["kind"] == BACKWARD:
                return None
            code = self.codes.get(frame["of"]) if frame["kind"] == PYTHON_CODE else None
            name = code and as_bytes(code["file"]) + b":" + as_bytes(code["function"])
            if name and INPUT_FRAME(name):
                return "input"
            if name and COMPILE_FRAME(name):
                return "module_load"
        return None

    def hands_over(self, stack_id):
        """Does the innermost Python frame wait for another thread?"""
        for frame in self.stacks.get(stack_id, {"frames": []})["frames"]:
            if frame["kind"] == PYTHON_CODE:
                code = self.codes.get(frame["of"])
                return bool(code) and HAND_OVER_FRAME(
                    as_bytes(code["file"]) + b":" + as_bytes(code["function"]))
        return False

    def device_key(self, op):
        """None when the op's stream or device is not defined: then it lies on no device."""
        stream = self.streams.get(op.stream_id)
        return self.key_of(stream) if stream else None

    def key_of(self, stream):
        device = self.devices.get(stream["device"])
        if device is None:
            return None
        which = device["uuid"] if device["uuid"] else device["ordinal"]
        return "%s/%s" % (self.host or "", which)

    def join(self, groups):
        """Gives every op its stream, launch, collectives and group."""
        launches = self.outermost_calls()
        for op in self.ops:
            stream = self.streams.get(op.stream_id)
            if stream:
                op.context, op.stream = stream["context"], stream["stream"]
            if op.correlation != 0:
                op.launch = launches.get(op.correlation)
                if op.kind == KERNEL:
                    op.collectives = self.collectives.get(op.correlation, [])
            if op.launch:
                op.launch.ops.append(op)
            op.group = group_of(op, groups)
        for call in self.calls:
            call.classify()
        for row in self.scheds:
            row.stands_in = self.stands_in(row.stack_id) if row.thread_id != 0 else None
            row.stands_nowhere = row.stack_id == 0 or self.hands_over(row.stack_id)
        self.find_first_kernel_launches()
        self.find_what_held_up()

    def find_what_held_up(self):
        for row in self.syncs:
            stream = self.streams.get(row["stream"])
            if stream and row["sync_kind"] in (HOST_FUNCTION, PEER):
                self.held_up.append((row["sync_kind"], self.key_of(stream), stream["context"],
                                     stream["stream"], row["start_ns"] + row["dur_ns"]))

    def last_held_up(self, kind, op, before_or_at):
        """The latest end of a row of this kind on the op's stream, or shortly before on another
        stream of its device."""
        key = self.device_key(op)
        return max((end for row_kind, device, context, stream, end in self.held_up
                    if row_kind == kind and end <= before_or_at and
                    ((context, stream) == (op.context, op.stream) or
                     (device == key and before_or_at - end <= HELD_UP_NEAR_NS))),
                   default=-INFINITY)

    def outermost_calls(self):
        outermost = {}
        for call in sorted(self.calls, key=lambda c: (c.begin, -c.end, c.thread_id)):
            outermost.setdefault(call.correlation, call)
        return outermost

    def find_first_kernel_launches(self):
        for op in self.ops:
            if op.kind == KERNEL and op.launch:
                earliest = self.first_kernel_launch.get(op.name, INFINITY)
                self.first_kernel_launch[op.name] = min(earliest, op.launch.begin)

    def index_threads(self):
        def by_thread(rows):
            sorted_rows = collections.defaultdict(list)
            for row in rows:
                sorted_rows[row.thread_id].append(row)
            return sorted_rows

        calls, ranges = by_thread(self.calls), by_thread(self.ranges)
        overheads, scheds = by_thread(self.overheads), by_thread(self.scheds)
        for thread_id in set(calls) | set(ranges):
            mine = overheads[thread_id]
            if thread_id != EVERY_THREAD:
                mine = mine + overheads[EVERY_THREAD]
            self.threads[thread_id] = Thread(calls[thread_id], ranges[thread_id], mine,
                                             scheds[thread_id])
            self.threads[thread_id].process_is_sampled = (
                self.source in RECORDED_SOURCES and bool(self.scheds))
        if self.tells_of_lock:
            for thread_id, thread in self.threads.items():
                thread.others = {other_id: other for other_id, other in self.threads.items()
                                 if other_id not in (thread_id, EVERY_THREAD)}
        self.index_debts()

    def index_debts(self):
        """The synchronising calls of all threads; the last of several that owe pays first."""
        self.owing = sorted((c for thread in self.threads.values() for c in thread.owing),
                            key=lambda c: (c.end, c.duration, "free" in c.classes, -c.thread_id))
        self.owing_ends = [call.end for call in self.owing]
        for call in self.owing:
            call.is_shared = not any(thread.drove_in(call.begin, call.end)
                                     for thread_id, thread in self.threads.items()
                                     if thread_id != call.thread_id)

    def owing_to(self, thread_id, after, until):
        """Calls that returned in (after, until] and cost this thread its lead, as they pay."""
        at = slice(bisect_right(self.owing_ends, after), bisect_right(self.owing_ends, until))
        return [call for call in reversed(self.owing[at])
                if call.thread_id == thread_id or call.is_shared]


def group_of(op, groups):
    if op.kind in (MEMCPY, MEMSET):
        return "memory"
    if op.kind == WHOLE_GRAPH:
        return "other"
    if op.collectives:
        return "nccl"
    if op.name not in groups:
        raise ValueError("the classification table lacks the kernel %r" % op.name)
    return groups[op.name]


class Cover:
    """The union of half-open intervals."""

    def __init__(self, rows):
        self.begins, self.ends = [], []
        for row in sorted(rows, key=lambda r: (r.begin, r.end)):
            if row.begin == row.end:
                continue
            if self.ends and row.begin <= self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], row.end)
            else:
                self.begins.append(row.begin)
                self.ends.append(row.end)

    def __contains__(self, x):
        at = bisect_right(self.begins, x) - 1
        return at >= 0 and x < self.ends[at]

    def time_within(self, begin, end):
        at = slice(bisect_right(self.ends, begin), bisect_left(self.begins, end))
        return sum(min(e, end) - max(b, begin) for b, e in zip(self.begins[at], self.ends[at]))


class Naps:
    """Those that overlap or follow each other closely are one sleep."""

    def __init__(self, naps):
        naps = sorted(naps)
        self.begins = [nap.begin for nap in naps]
        self.latest_ends = list(itertools.accumulate((nap.end for nap in naps), max))
        self.firsts = []  # of each nap: the place of the first one of its sleep
        for at, begin in enumerate(self.begins):
            is_first = at == 0 or begin - self.latest_ends[at - 1] > ONE_SLEEP_NS
            self.firsts.append(at if is_first else self.firsts[-1])

    def around(self, x, before):
        """Begin and end of the sleep that holds x, of the naps that begin before an instant."""
        first = self.firsts[bisect_right(self.begins, x) - 1]
        behind = min(bisect_right(self.firsts, first), bisect_left(self.begins, before))
        return self.begins[first], self.latest_ends[behind - 1]

    def next_begin(self, x):
        """Of the first nap that begins after x."""
        at = bisect_right(self.begins, x)
        return self.begins[at] if at < len(self.begins) else INFINITY


def outermost(calls):
    """Those that did not begin inside another of them."""
    begins = sorted(calls, key=lambda c: c.begin)
    latest_end = list(itertools.accumulate((c.end for c in begins), max))
    keys = [c.begin for c in begins]

    def is_part(call):
        earlier = bisect_left(keys, call.begin)
        return earlier > 0 and latest_end[earlier - 1] > call.begin

    return [c for c in begins if not is_part(c)]


class Thread:
    """What a thread's rows say about an instant (section 4.3). `overheads` are its own and those
    of every thread of its process."""

    def __init__(self, calls, ranges, overheads, scheds):
        self.record_begins = sorted(row.begin for row in calls + ranges)
        self.record_edges = sorted({t for row in calls + ranges for t in (row.begin, row.end)})
        # ends after it, begins to be awake; of the rows that are mostly awake
        self.wakings = [(row.end, row.awake.begin) for row in scheds
                        if row.duration > 0 and 2 * (row.end - row.awake.begin) >= row.duration]
        self.asleep_nowhere = Cover([row.asleep for row in scheds if row.stands_nowhere])
        naps = [row.asleep for row in scheds if row.is_nap]
        self.naps, self.napping = Naps(naps), Cover(naps)
        self.others = {}  # the threads that this one may wait for, by id
        self.sched_edges = sorted({t for row in scheds
                                   for t in (row.begin, row.awake.begin, row.end)})
        loading = [row for row in scheds if row.stands_in == "input"]
        compiling = [row for row in scheds if row.stands_in == "module_load"]
        parts = [part for row in scheds for part in (row.asleep, row.waiting)] + loading + compiling
        told = [row for row in calls + ranges + scheds if row.duration > 0]
        self.told = sorted({t for row in told for t in (row.begin, row.end)})
        told.sort(key=lambda row: row.begin)
        self.told_begins = [row.begin for row in told]
        self.told_until = list(itertools.accumulate((row.end for row in told), max))
        self.sampled = Cover(scheds)
        self.boundaries = sorted({t for row in calls + ranges + overheads + parts + scheds
                                  for t in (row.begin, row.end)})

        def called(name):
            return [c for c in calls if name in c.classes]

        def overhead(kind):
            return [o for o in overheads if o.kind == kind]

        self.alloc = Cover(called("alloc"))
        self.module_load = Cover(called("module_load") + overhead(MODULE_LOAD) + compiling)
        self.input = Cover([r for r in ranges if INPUT_RANGE(r.name)] + loading)
        self.nccl_host = Cover(called("nccl_host") + [
            r for r in ranges
            if r.category not in (PYTHON_FRAME, MARK) and NCCL_RANGE(r.name)])
        self.sync = Cover(called("sync"))
        self.profiler = Cover(overhead(PROFILER))
        self.buffer_full = Cover(overhead(BUFFER_FULL))
        self.asleep = Cover([row.asleep for row in scheds])
        self.waiting = Cover([row.waiting for row in scheds])
        self.awake = Cover([row.awake for row in scheds])
        self.any_call = Cover(calls)
        self.launches = sorted((c for c in calls if c.ops), key=lambda c: c.begin)
        self.launch_begins = [c.begin for c in self.launches]
        self.owing = outermost({c for c in called("sync") + called("free") if c.duration > 0})
        driving = sorted(called("driving"), key=lambda c: c.begin)
        self.driving_begins = [c.begin for c in driving]
        self.driving_ends = list(itertools.accumulate((c.end for c in driving), max))

    def cuts(self, begin, end):
        at = slice(bisect_right(self.boundaries, begin), bisect_left(self.boundaries, end))
        return self.boundaries[at]

    def first_record(self, at_or_after):
        at = bisect_left(self.record_begins, at_or_after)
        return self.record_begins[at] if at < len(self.record_begins) else INFINITY

    def works_from(self, a, p1):
        """r of section 4.3."""
        awake = min((max(a, begin) for end, begin in self.wakings if end > a), default=INFINITY)
        return min(p1, self.first_record(a), awake)

    def works_until(self, a, p1, r):
        """e of section 4.3."""
        if p1 in self.any_call:
            return r
        at = bisect_right(self.record_edges, p1)
        return min(max(a, self.record_edges[at - 1] if at else a), r)

    def over_from(self, p1):
        """When no row tells of it any more, long before p1."""
        at = bisect_left(self.told_begins, p1)
        last = self.told_until[at - 1] if at else INFINITY
        is_over = self.process_is_sampled and p1 - last >= UNSAMPLED_NS
        return last if is_over else INFINITY

    def sched_cuts(self, begin, end):
        at = slice(bisect_right(self.sched_edges, begin), bisect_left(self.sched_edges, end))
        return self.sched_edges[at]

    def awaited(self, x, p1):
        """The thread that this one, in a nap at x, waits for; or None."""
        v, slept_until = self.naps.around(x, p1)
        w = min(p1, self.first_record(x + 1), slept_until)
        found = [(place, -other_id) for other_id, other in self.others.items()
                 for place in other.lets_go(x, v, w)]
        return self.others[-max(found)[1]] if found else None

    def lets_go(self, x, v, w):
        """[(does it stop at w?, its last sign of life)] when a thread that sleeps at x, since v and
        until w, may wait for this one, else []."""
        at = bisect_right(self.record_edges, w)
        last = self.record_edges[at - 1] if at else -INFINITY
        if last < v or (x in self.napping and x not in self.any_call):
            return []
        stops = self.naps.next_begin(x)
        if abs(stops - w) <= GOES_ON_NEAR_NS:
            return [(True, last)]
        return [(False, last)] if stops > w and last >= w - GOES_ON_NEAR_NS else []

    def drove_in(self, begin, end):
        return bisect_left(self.driving_begins, begin) < bisect_left(self.driving_begins, end)

    def is_unsampled(self, x, end):
        """No row tells of the thread at x and long around it; it is asked about until `end`."""
        if x in self.sampled:
            return False
        at = bisect_right(self.told, x)
        before = self.told[at - 1] if at else -INFINITY
        after = self.told[at] if at < len(self.told) else INFINITY
        return min(after, end) - before >= UNSAMPLED_NS

    def stretch(self, x):
        """The time without a GPU-driving call around the instants just after x. A call that
        begins at x began before those."""
        at = bisect_right(self.driving_begins, x)
        begin = self.driving_ends[at - 1] if at else -INFINITY
        end = self.driving_begins[at] if at < len(self.driving_begins) else INFINITY
        return begin, end


# ---- a device ------------------------------------------------------------------------------------

Marker = collections.namedtuple("Marker", "begin end number partial")
BEFORE, NO_STEP = "before", "no step"  # otherwise op.step is an index into the markers


class Device:
    def __init__(self, key, ops):
        self.key = key
        self.ops = sorted(ops, key=Op.order)
        self.position = {op: at for at, op in enumerate(self.ops)}
        self.owed = {}  # synchronising call -> ns, where it was asked
        self.own_work = None  # find_own_work()
        self.find_nodes()
        self.hull = (self.ops[0].begin, max(op.end for op in self.ops))
        self.launches = self.first_starts()
        self.launch_begins = sorted(call.begin for call, _ in self.launches)
        self.launched_and_started = sorted(max(call.begin, start)
                                           for call, start in self.launches)
        self.markers, self.step_ends = [], []
        self.step_names = []  # of counted steps: the marker's number, else the place
        self.by_step = collections.defaultdict(collections.Counter)  # place -> leaf -> ns
        self.cut_steps = set()
        self.steps_cut = 0
        self.needs_period = False
        self.counted = []  # places of the markers of counted steps
        self.window = self.hull
        self.lead_in = None
        self.floor = self.queued_gap = 0
        self.shared = False
        self.unsampled_ns = 0
        self.starved = collections.defaultdict(collections.Counter)  # op -> "cpu", "host" -> ns

    def find_nodes(self):
        sharing = collections.defaultdict(list)
        for op in self.ops:
            if op.correlation != 0:
                sharing[op.process, op.correlation].append(op)
        for ops in sharing.values():
            for op in ops[1:]:
                op.is_first_of_call = False
            kernels = sum(op.kind == KERNEL for op in ops)
            for op in ops:
                graph_launch = op.launch is not None and b"GraphLaunch" in op.launch.name
                shared = op.kind == KERNEL and kernels > 1
                op.is_node = op.kind != WHOLE_GRAPH and (graph_launch or shared)

    def first_starts(self):
        """Every launch of this device's ops, with the start of the first of them to start."""
        starts = {}
        for op in self.ops:
            if op.launch:
                starts.setdefault(op.launch, op.begin)
        return sorted(starts.items(), key=lambda launch: launch[0].begin)

    # -- steps (section 2)

    def process_of_steps(self, step_range):
        """The first that marks steps, by markers or its optimizer; when none does the first."""
        processes = sorted({op.process for op in self.ops},
                           key=lambda p: (p.rank < 0, p.rank, p.pid))
        for process in processes:
            launched = self.launched_by(process)
            for markers in markers_of(process, step_range, launched), optimizer_steps(process, launched):
                if any(not marker.partial for marker in self.cut_undelivered(process, markers)):
                    return process
        return processes[0]

    def launched_by(self, process):
        """How many kernels and whole graphs each of its threads launched here."""
        return collections.Counter(op.launch.thread_id for op in self.ops
                                   if op.process is process and op.launch and op.kind in (KERNEL, WHOLE_GRAPH))

    def find_steps(self, step_range):
        process = self.process_of_steps(step_range)
        optimizers = optimizer_steps(process, self.launched_by(process))
        markers = self.cut_undelivered(process, markers_of(process, step_range, self.launched_by(process)))
        if any(not marker.partial for marker in markers):
            counted = self.without_empty(self.try_steps(process, markers, 0, False))
            little = step_range is None and self.covers_little(process, counted)
            if little and optimizers:
                before = self.markers, self.cut_steps, self.steps_cut
                found = self.try_steps(process, self.cut_undelivered(process, optimizers), 1, True)
                if self.convinces(process, found):
                    little, counted = False, found
                else:
                    self.markers, self.cut_steps, self.steps_cut = before
                    self.place_ops()
            if little and self.is_like_around(process, counted):
                self.needs_period = True
        else:
            partial = len(markers) + bool(optimizers)
            counted = self.try_steps(process, self.cut_undelivered(process, optimizers) if optimizers else markers,
                                     partial if optimizers else 0, bool(optimizers))
            if optimizers and (self.steps_go_on(process, counted) or step_range is None and
                               self.covers_little(process, counted) and self.is_like_around(process, counted)):
                self.needs_period = True
        self.settle_steps(process, counted)

    def try_steps(self, process, markers, cut_before, by_optimizer):
        """Puts the ops into them. The steps that count."""
        self.markers, self.cut_steps = markers, set()
        steps = [i for i, marker in enumerate(markers) if not marker.partial]
        if process.source in RECORDED_SOURCES:
            self.cut_steps = warm_up(markers, steps, process.calls, by_optimizer)
        self.place_ops()
        counted = [i for i in steps if i not in self.cut_steps]
        self.steps_cut = cut_before + len(markers) - len(counted)
        return counted

    def without_empty(self, counted):
        """Not the last ones in which the device has no op; they are not cut either."""
        full = {op.step for op in self.ops}
        last = max((i for i in counted if i in full), default=None)
        return counted if last is None else [i for i in counted if i <= last]

    def settle_steps(self, process, counted):
        is_recorded = process.source in RECORDED_SOURCES
        if counted and not self.launches:
            counted, self.steps_cut, is_recorded = [], 0, False
        if not counted:
            self.needs_period = self.needs_period or bool(self.launches)
            self.markers, self.step_ends = [], [self.hull[1]]
            for op in self.ops:
                op.step = 0
            return
        self.take_steps(counted)

    def take_given(self, steps):
        """[begin, end) of each counted step, which only periodicity finds; where there are none the
        whole run stays one. How many were cut cannot be known."""
        if self.counted and [begin for begin, _ in steps] == [self.markers[i].begin for i in self.counted]:
            return  # the marks stay
        self.steps_cut = None
        if not steps:
            return
        self.markers = [Marker(begin, end, None, False) for begin, end in steps]
        self.cut_steps, self.step_ends = set(), []
        self.place_ops()
        self.take_steps(range(len(steps)))

    def take_steps(self, counted):
        self.counted, self.step_ends, self.lead_in = list(counted), [], None
        numbers = [self.markers[i].number for i in counted]
        self.step_names = [place if number is None else number
                           for place, number in enumerate(numbers)]
        before = [op.end for op in self.ops if op.step == BEFORE]
        begin = max(before) if before else min(self.markers[counted[0]].begin, self.hull[0])
        reached = begin
        for step in counted:
            reached = max([reached] + [op.end for op in self.ops if op.step == step])
            self.step_ends.append(reached)
        self.window = (begin, reached)
        if not before and begin < self.hull[0] and reached > begin:
            self.lead_in = (begin, self.hull[0])

    def kernels_by_step(self, process):
        """name -> step -> launches"""
        counts = collections.defaultdict(collections.Counter)
        for op in self.ops:
            if op.process is process and op.kind in (KERNEL, WHOLE_GRAPH) and op.launch:
                counts[op.name][op.step] += 1
        return counts

    def own_kernels(self, process, counted):
        """([(launches by step, launches in the median step)] of own kernels, the steps looked at)"""
        looked = counted[::-(-len(counted) // 256) or 1]
        own = []
        for of_step in self.kernels_by_step(process).values():
            each = sorted(of_step[step] for step in looked)
            if len(each) > 1 and each[(len(each) - 1) // 2]:
                own.append((of_step, each[(len(each) - 1) // 2]))
        return own, looked

    def inside_and_outside(self, process):
        by_step = collections.Counter()
        for of_step in self.kernels_by_step(process).values():
            by_step.update(of_step)
        outside = by_step[BEFORE] + by_step[NO_STEP]
        return sum(by_step.values()) - outside, outside

    def covers_little(self, process, counted):
        inside, outside = self.inside_and_outside(process)
        return len(counted) > 1 and bool(self.own_kernels(process, counted)[0]) and outside > inside

    def is_like_around(self, process, counted):
        """Whole steps lie before the first or after the last one."""
        ratios = sorted(1000 * (of_step[BEFORE] + of_step[NO_STEP]) // usual
                        for of_step, usual in self.own_kernels(process, counted)[0])
        if not ratios:
            return False
        p50, p10 = ratios[-(-len(ratios) // 2) - 1], ratios[-(-len(ratios) // 10) - 1]
        return p50 >= 3000 and 2 * p10 >= p50

    def convinces(self, process, counted):
        inside, outside = self.inside_and_outside(process)
        own, looked = self.own_kernels(process, counted)
        whole = sum(usual for _, usual in own)
        complete = 0
        for step in looked:
            missing = sum(max(0, usual - of_step[step]) for of_step, usual in own)
            same = sum(usual for of_step, usual in own if 10 * abs(of_step[step] - usual) <= usual + 10)
            complete += 10 * missing <= whole and 2 * same >= whole
        return inside >= outside and bool(own) and 100 * complete >= 75 * len(looked)

    def steps_go_on(self, process, counted):
        """Whole steps follow after the last one."""
        looked = counted[::-(-len(counted) // 256) or 1]
        counts = self.kernels_by_step(process)
        graphs = sum(op.process is process and op.kind == WHOLE_GRAPH and bool(op.launch) and
                     op.step is NO_STEP for op in self.ops)
        if graphs >= 4 and graphs > len(counted):
            return True
        ratios = []
        for of_step in counts.values():
            each = sorted(of_step[step] for step in looked)
            usual = each[(len(each) - 1) // 2] if len(each) > 1 else 0
            if usual:
                ratios.append(1000 * of_step[NO_STEP] // usual)
        ratios.sort()
        if not ratios:
            return False
        p50, p10 = ratios[-(-len(ratios) // 2) - 1], ratios[-(-len(ratios) // 10) - 1]
        return p50 >= 3000 and 2 * p10 >= p50 and 2 * p50 >= 1000 * len(counted)

    def cut_undelivered(self, process, markers):
        """Steps that do not end by the last launch that has its op, when records were in flight."""
        if process.source not in RECORDED_SOURCES or process.in_flight == 0:
            return markers
        last = max((op.launch.begin for op in self.ops if op.process is process and op.launch),
                   default=-INFINITY)
        ends = [marker.begin for marker in markers[1:]] + [m.end for m in markers[-1:]]
        return [marker._replace(partial=marker.partial or end > last)
                for marker, end in zip(markers, ends)]

    def place_ops(self):
        newest = {}
        for op in self.ops:
            stream = (op.process, op.context, op.stream)
            if op.launch:
                newest[stream] = self.step_of_launch(op.launch.begin)
            op.step = newest.get(stream, BEFORE)

    def step_of_launch(self, begin):
        at = bisect_right([m.begin for m in self.markers], begin) - 1
        if at < 0:
            return BEFORE
        marker = self.markers[at]
        is_last = at == len(self.markers) - 1
        if marker.partial or (is_last and begin >= marker.end):
            return NO_STEP
        return BEFORE if at in self.cut_steps else at

    def counted_ops(self):
        return [op for op in self.ops if op.step not in (BEFORE, NO_STEP)]

    # -- queue (section 4.4)

    def queue_threshold(self, b):
        """In a gap that ends at b the queue of a call is full when the call begins after this:
        the begin of the 1,000th launch no op of which started before b."""
        launched = bisect_left(self.launch_begins, b)
        started = bisect_left(self.launched_and_started, b)
        if launched - started < QUEUE_DEPTH:
            return INFINITY
        waiting = (call.begin for call, start in self.launches if start >= b)
        return next(itertools.islice(waiting, QUEUE_DEPTH - 1, None), INFINITY)


def until_graph(markers, steps, calls):
    """How many steps come up to the first that launches a graph, where the job goes on with graphs."""
    launches = [c.begin for c in calls if b"GraphLaunch" in c.name]
    ends = [marker.begin for marker in markers[1:]] + [INFINITY]
    having = [any(markers[s].begin <= at < ends[s] for at in launches) for s in steps]
    before = having.index(True) if True in having else len(steps)
    goes_on = 10 * sum(having) >= 9 * (len(steps) - before)
    return before + 1 if 0 < 2 * before <= len(steps) and goes_on else 0


def warm_up(markers, steps, calls, first_is_gone):
    """The first steps of a recorded run that are not typical; `steps` are indices of markers."""
    if len(steps) < WARM_UP_STEPS:
        return set()
    loads = [c.begin for c in calls if "module_load" in c.classes and c.duration >= LONG_NS]
    goes_anyway = until_graph(markers, steps, calls) or (0 if first_is_gone else 1)
    cut = steps[:goes_anyway]
    for step in steps[goes_anyway:len(steps) // 4]:
        begin, end = markers[step].begin, markers[step + 1].begin
        if not any(begin <= load < end for load in loads):
            break
        cut.append(step)
    return set(cut)


def parts_of_steps(marks, graph_launches):
    """Places of the marks that a later mark with `again` leaves out."""
    left_out = set()
    for at, mark in enumerate(marks):
        if mark.domain != b"again":
            continue
        before = next((i for i in reversed(range(at)) if marks[i].thread_id == mark.thread_id), None)
        if before is None:
            continue
        trained = any(m.domain != b"again" for m in marks[before + 1:at])
        if not trained and not any(marks[before].begin <= b < mark.begin for b in graph_launches):
            left_out.add(before)
    return left_out


def is_regular(begins, busiest):
    if len(begins) < 8:
        return False
    counts = collections.Counter(bisect_left(busiest, end) - bisect_left(busiest, begin)
                                 for begin, end in zip(begins, begins[1:]))
    return any(times * 10 >= 9 * (len(begins) - 1) for count, times in counts.items() if count <= 32)


def best_loop(loops, launched, marks_of):
    """Of sets of threads, by their first mark, the one whose threads launched most."""
    return max(loops, key=lambda loop: (sum(launched[t] for t in loop), sum(marks_of[t] for t in loop)),
               default=None)  # max() takes the first of equals


def meeting(rows):
    """Of [(range, number)] those that meet one of another thread."""
    met = set()
    ranges = [(row, at) for at, (row, _) in enumerate(rows) if row.category != MARK]
    for place, (one, at) in enumerate(ranges):
        for other, other_at in ranges[place + 1:]:
            if other.begin >= one.end:
                break
            if other.thread_id != one.thread_id:
                met |= {at, other_at}
    numbered = collections.defaultdict(list)
    for at, (row, number) in enumerate(rows):
        if row.category == MARK and number is not None:
            numbered[number].append(at)
    for places in numbered.values():
        if len({rows[at][0].thread_id for at in places}) > 1:
            met.update(places)
    return met


def of_one_loop(rows, launched):
    """Of [(range, number)], sorted, those of one thread where several mark steps by themselves."""
    met = meeting(rows)
    marks_of = collections.Counter(row.thread_id for row, _ in rows)
    meet_of = collections.Counter(rows[at][0].thread_id for at in met)
    loops = [{thread} for thread in marks_of if 2 * meet_of[thread] > marks_of[thread]]
    chosen = best_loop(loops, launched, marks_of) if len(loops) > 1 else set(marks_of)
    return [(row, number) for row, number in rows if row.thread_id in chosen]


def optimizers_of_one_loop(process, marks, launched):
    """The same of the marks of optimizers, in order."""
    loops = []
    for mark in marks:
        same = [loop for loop in loops if mark.thread_id in loop["threads"] or mark.name in loop["names"]]
        joined = {"threads": {mark.thread_id}, "names": {mark.name}}
        for loop in same:
            joined = {key: joined[key] | loop[key] for key in joined}
        loops = [joined if loop is same[0] else loop for loop in loops
                 if loop not in same[1:]] if same else loops + [joined]
    loops = [loop["threads"] for loop in loops]

    def is_autograd(thread):
        return process.thread_names.get(thread, b"").startswith(b"pt_autograd")

    others = [loop for loop in loops if not all(map(is_autograd, loop))]
    runners = {thread for loop in loops for thread in loop if is_autograd(thread)}
    if len(others) == 1:
        return marks
    if others:
        loops = [loop - runners for loop in others]
    marks_of = collections.Counter(mark.thread_id for mark in marks)
    loops = [loop for loop in loops if sum(marks_of[t] for t in loop) >= 2]
    if len(loops) < 2:
        return marks
    chosen = best_loop(loops, launched, marks_of)
    return [mark for mark in marks if mark.thread_id in chosen]


def optimizer_steps(process, launched):
    """The markers that an optimizer's marks make, [] when there are none."""
    marks = sorted((row for row in process.ranges if row.category == OPTIMIZER),
                   key=lambda row: (row.begin, row.domain == b"again", row.name))
    begins_of = collections.defaultdict(list)
    left_out = parts_of_steps(marks, [c.begin for c in process.calls if b"GraphLaunch" in c.name])
    kept = [mark for at, mark in enumerate(marks) if at not in left_out]
    for mark in optimizers_of_one_loop(process, kept, launched):
        begins_of[mark.name].append(mark.begin)
    busiest = begins_of[min(begins_of, key=lambda name: (-len(begins_of[name]), name))] if begins_of else []
    frequent = [name for name, begins in begins_of.items()
                if 8 * len(begins) >= len(busiest) or is_regular(begins, busiest)]
    if not frequent:
        return []
    fewest = min(len(begins_of[name]) for name in frequent)
    chosen = max((name for name in frequent if len(begins_of[name]) == fewest),
                 key=lambda name: (begins_of[name][0], name))
    begins = begins_of[chosen]
    if len(begins) < 2:
        return []
    kept = sorted(set(begins[:-1]))
    ends = kept[1:] + [begins[-1]]
    return [Marker(begin, end, None, False) for begin, end in zip(kept, ends)]


def markers_of(process, step_range, launched):
    found = {"profiler": [], "plain": [], "iteration": [], "training": [], "named": []}
    for row in process.ranges:
        if row.category == PYTHON_FRAME:
            continue
        if step_range is not None:
            if row.name == as_bytes(step_range):
                found["named"].append((row, None))
            continue
        for form, pattern in (("profiler", PROFILER_STEP), ("plain", PLAIN_STEP),
                              ("iteration", ITERATION), ("training", TRAINING_STEP)):
            match = pattern.match(row.name)
            if match:
                found[form].append((row, int(match.group(1))))
    chosen = next((found[form] for form in found if found[form]), [])
    chosen.sort(key=lambda m: (m[0].begin, -m[0].duration))
    chosen = of_one_loop(chosen, launched)
    kept = [next(same) for _, same in itertools.groupby(chosen, key=lambda m: m[0].begin)]
    markers = []
    for at, (row, number) in enumerate(kept):
        mark_without_next = row.category == MARK and at == len(kept) - 1
        markers.append(Marker(row.begin, row.end, number, row.unclosed or mark_without_next))
    return markers


# ---- collectives (section 3) ---------------------------------------------------------------------

def split_collectives(devices):
    """Sets wait_ns of every NCCL op whose collective is full-synchronising and complete."""
    members = collections.defaultdict(lambda: collections.defaultdict(list))
    keys = {}
    for device in devices:
        for op, key in collective_keys(device):
            keys[op] = key
            members[key][op.process, device].append(op)
    for op in (op for device in devices for op in device.ops if op.collectives):
        communicator, collective = communicator_of(op), op.collectives[0]["coll"]
        if collective not in FULL_SYNCHRONISING or not communicator:
            continue
        if communicator["size"] == 1:
            op.wait_ns = 0
        elif op in keys and all_seen(members[keys[op]], communicator["size"]):
            durations = [m.duration for ops in members[keys[op]].values() for m in ops]
            op.wait_ns = op.duration - min(durations)


def find_own_work(device):
    """When it ran more than nccl.wait; known when collectives are split."""
    device.own_work = Cover([Span(begin, end) for op in device.ops
                             for begin, end, leaf in running_leaves(op) if leaf != "nccl.wait"])


def members_here(processes):
    """How many (process, device) pairs an import of all ranks has; 0: not all, or no import."""
    if any(p.source in RECORDED_SOURCES or p.world_size > len(processes) for p in processes):
        return 0
    places = [{p.key_of(stream) for stream in p.streams.values()} - {None} for p in processes]
    return sum(len(keys) for keys in places)


def ordered_keys(device):
    """(op, name and step, index) of the NCCL kernels without arguments."""
    seen = collections.Counter()
    numbered = any(marker.number is not None for marker in device.markers)
    for op in device.ops:
        if op.group != "nccl" or op.collectives:
            continue
        number = None
        if numbered:
            if op.step in (BEFORE, NO_STEP) or device.markers[op.step].number is None:
                continue
            number = device.markers[op.step].number
        place = (op.process, op.step if numbered else None, op.name)
        yield op, (op.name, number), seen[place]
        seen[place] += 1


def ends_together(ops):
    ends, durations = [op.end for op in ops], [op.duration for op in ops]
    apart = max(ends) - min(ends)
    return apart <= ENDS_NEAR_NS or apart <= (max(durations) - min(durations)) // ENDS_PART


def split_ordered(devices, size):
    """Sets wait_ns of NCCL ops without arguments that their order matches."""
    places = collections.defaultdict(lambda: collections.defaultdict(list))
    for device in devices:
        for op, place, index in ordered_keys(device):
            places[place][index].append(((op.process, device.key), op))
    found = []
    for indexes in places.values():
        if all(len(of) == size == len({member for member, _ in of}) for of in indexes.values()):
            found += [[op for _, op in of] for of in indexes.values()]
    together = [ops for ops in found if ends_together(ops)]
    if ORDERED_PART * (len(found) - len(together)) > len(found):
        return
    for ops in together:
        for op in ops:
            op.wait_ns = op.duration - min(other.duration for other in ops)


def communicator_of(op):
    return op.process.communicators.get(op.collectives[0]["comm"])


def collective_keys(device):
    """(op, key) of the device's ops with a known sequence."""
    seen = collections.Counter()
    for op in device.ops:
        communicator = communicator_of(op) if op.collectives else None
        if not communicator:
            continue
        row = op.collectives[0]
        which = (communicator["hash"], row["coll"])
        place = (op.process, op.step) + which
        index, seen[place] = seen[place], seen[place] + 1
        if "sequence" in row:
            yield op, which + ("given", row["sequence"])
            continue
        in_step = device.markers and op.step not in (BEFORE, NO_STEP)
        if in_step and device.markers[op.step].number is not None:
            yield op, which + ("step", device.markers[op.step].number, index)


def all_seen(ops_of_member, size):
    ops = [op for its_ops in ops_of_member.values() for op in its_ops]
    one_each = len(ops) == len(ops_of_member) == size
    return one_each and len({len(op.collectives) for op in ops}) == 1


# ---- working time (section 3) --------------------------------------------------------------------

def running_leaves(op):
    """[(begin, end, leaf)] of an op."""
    if op.kind == WHOLE_GRAPH:
        return [(op.begin, op.end, "work.graph")]
    if op.leaves_device:
        return [(op.begin, op.end, "copy.exposed")]
    if op.group != "nccl":
        return [(op.begin, op.end, "work." + op.group)]
    if op.wait_ns is None:
        return [(op.begin, op.end, "nccl.unsplit")]
    middle = op.begin + op.wait_ns
    return [(op.begin, middle, "nccl.wait"), (middle, op.end, "nccl.transfer")]


def sweep(device):
    """Yields (begin, end, leaves of the running ops) between each two neighbouring boundaries
    of the hull; a zero-length op is a boundary where nothing changes."""
    changes = collections.defaultdict(list)
    for op in device.ops:
        for begin, end, leaf in running_leaves(op):
            changes[begin].append((leaf, 1))
            changes[end].append((leaf, -1))
    running = collections.Counter()
    times = sorted(changes)
    for begin, end in zip(times, times[1:]):
        for leaf, change in changes[begin]:
            running[leaf] += change
        yield begin, end, [leaf for leaf in LEAF_ORDER if running[leaf]]


# ---- gaps (section 4) ----------------------------------------------------------------------------

class Gap:
    def __init__(self, device, a, b, j, k):
        self.device, self.a, self.b, self.j, self.k = device, a, b, j, k
        self.unsampled_ns = 0
        self.launch = k.launch
        self.j_launch = j.launch if j else None
        self.invalid = self.launch is not None and b < self.launch.begin
        self.valid = self.launch is not None and not self.invalid
        if not self.valid:
            return
        self.thread = k.process.threads[self.launch.thread_id]
        self.p1 = min(max(self.launch.begin, a), b)
        self.p2 = min(max(self.launch.end, self.p1), b)
        if k.is_later_node:
            self.p1 = self.p2 = a

    @property
    def is_queued(self):
        return self.k.is_later_node or (self.launch.begin + self.device.floor <= self.a and
                                        self.launch.end <= self.a)

    def owners(self):
        """[(begin, end, thread)] of [a, p1): its parts."""
        a, p1, t = self.a, self.p1, self.thread
        previous = self.j_launch and self.j.process.threads[self.j_launch.thread_id]
        if previous is None or previous is t or a in t.awake:
            return [(a, p1, t)]
        r = t.works_from(a, p1)
        e = previous.works_until(a, p1, r)
        over = previous.over_from(p1)

        def owner_at(x):
            handed_back = x in previous.asleep_nowhere or (x >= over and x in t.asleep)
            return t if x >= r or x in t.awake or (x >= e and handed_back) else previous

        cuts = sorted({a, r, e, p1, min(max(a, over), p1)} | set(t.sched_cuts(a, p1)) |
                      set(previous.sched_cuts(a, p1)))
        owned = [(x, next_x, owner_at(x)) for x, next_x in zip(cuts, cuts[1:])]
        return [(pieces[0][0], pieces[-1][1], owner)
                for owner, pieces in ((owner, list(same)) for owner, same in
                                      itertools.groupby(owned, key=lambda piece: piece[2]))]

    @property
    def is_hand_off(self):
        return self.valid and any(owner is not self.thread for _, _, owner in self.owners())

    def creditors(self):
        """The synchronising calls that may still owe k's thread something."""
        position = self.device.position[self.k]
        horizon = -INFINITY
        if position >= QUEUE_DEPTH:
            horizon = self.device.ops[position - QUEUE_DEPTH].begin
        calls = self.k.process.owing_to(self.launch.thread_id, horizon, self.launch.begin)
        return [call for call in calls if self.device.owed.get(call, 1) > 0]


def gaps_of(device):
    first_to_start, last_to_end = {}, {}
    for op in device.ops:
        first_to_start.setdefault(op.begin, op)
        last_to_end[op.end] = op
    gaps = [Gap(device, a, b, last_to_end[a], first_to_start[b])
            for a, b, leaves in sweep(device) if not leaves]
    if device.lead_in:
        a, b = device.lead_in
        gaps.insert(0, Gap(device, a, b, None, first_to_start[b]))
    return gaps


def percentile(p, values):
    ordered = sorted(values)
    return ordered[max(1, -(-p * len(ordered) // 100)) - 1]


def is_shared(slices):
    """[(length, kernel, from the launch's end to the start)] of gaps that end with launched work that did not start."""
    if len(slices) < 6:
        return False
    slice_ns = percentile(25, [ns for ns, _, _ in slices])

    def multiple(ns):
        return max(1, (2 * ns + slice_ns - 1) // (2 * slice_ns))

    def is_regular(ns):
        return 16 * abs(ns - multiple(ns) * slice_ns) <= slice_ns

    def spread(values):
        return percentile(75, values) - percentile(25, values)

    def ignores_launches():
        regular = [(ns - multiple(ns) * slice_ns, late, ns - late) for ns, _, late in slices if is_regular(ns)]
        lengths, late, into = (spread(column) for column in zip(*regular))
        return min(late, into) >= 10_000 and 4 * lengths <= min(late, into)

    first = {}
    for ns, kernel, _ in slices:
        first.setdefault(kernel, ns)
    kernels = [is_regular(ns) for ns in first.values()]
    return (4 * sum(kernels) >= 3 * len(kernels) and 4 * sum(is_regular(ns) for ns, _, _ in slices) >= 3 * len(slices)
            and (len(kernels) >= 3 or ignores_launches()))


def calibrate(device, gaps):
    inside = [gap for gap in gaps if gap.j and gap.valid]
    idle_launches = [gap.b - gap.launch.begin for gap in inside
                     if gap.a <= gap.launch.begin < gap.b and gap.k.is_first_of_call]
    delays = [op.begin - op.launch.begin for op in device.ops
              if op.launch and op.is_first_of_call and op.begin > op.launch.begin]
    late = [gap for gap in inside
            if gap.k.is_first_of_call and gap.launch.begin >= gap.a
            and gap.b - gap.launch.end >= SLICE_LATE_NS][:SLICES_MOST]
    device.shared = is_shared([
        (gap.b - gap.a, (gap.k.process, gap.k.name), gap.b - gap.launch.end) for gap in late
        if gap.b - gap.launch.end >= SLICE_LATE_NS + min(delays)])
    if len(idle_launches) >= CALIBRATION_GAPS and not device.shared:
        device.floor = percentile(5, idle_launches)
    else:
        device.floor = min([FLOOR_NS] + delays)
    queued = [gap.b - gap.a for gap in inside if gap.is_queued]
    device.queued_gap = percentile(50, queued) if queued else 0


def attribute(gap):
    """[(ns, leaf)] of a gap; the ns add up to its length."""
    if not gap.valid:
        return [(gap.b - gap.a, "idle.unknown.unmatched")]
    threshold = gap.device.queue_threshold(gap.b)
    parts = host_was_late(gap, threshold)
    parts += own_launch(gap, threshold)
    parts += launched_not_started(gap)
    return settle_debt(gap, parts)


def settle_debt(gap, parts):
    """The parts of a gap as what the synchronising calls owe makes them."""
    calls, settled, x = gap.creditors(), [], gap.a
    for ns, leaf in parts:
        cuts = {x, x + ns} | {call.end for call in calls if x < call.end < x + ns}
        ordered = sorted(cuts) if leaf in OWED_LEAVES else [x, x + ns]
        for begin, end in zip(ordered, ordered[1:]):
            settled += settle_part(gap.device, calls, begin, end, leaf)
        x += ns
    return settled


def settle_part(device, calls, begin, end, leaf):
    """[begin, end) of this leaf, in which no call returns."""
    parts = []
    for call in (call for call in calls if call.end <= begin and leaf in OWED_LEAVES):
        if call not in device.owed:
            device.owed[call] = device.own_work.time_within(call.begin, call.end)
        owed = device.owed[call]
        paid = min(owed, end - begin)
        device.owed[call] = owed - paid
        begin += paid
        parts.append((paid, leaf if leaf == "idle.host.input" else
                      "idle.host.alloc" if "free" in call.classes else "idle.host.sync"))
    return parts + [(end - begin, leaf)]


def host_was_late(gap, threshold):
    parts = []
    for part in gap.owners():
        for x, next_x, thread, until in threads_asked(gap, threshold, *part):
            leaf = table_leaf(gap, threshold, thread, x)
            parts.append((next_x - x, leaf))
            if leaf == "idle.host.code" and thread.process_is_sampled:
                gap.unsampled_ns += next_x - x if thread.is_unsampled(x, until) else 0
    return parts


def threads_asked(gap, threshold, begin, end, owner):
    """[(x, next x, the thread that the table is asked for, until when its time counts)] of a part
    of [a, p1): the owner, or where that waits for another thread this one."""
    cuts, pieces = sorted({begin, end} | set(owner.cuts(begin, end))), []
    for x, next_x in zip(cuts, cuts[1:]):
        if owner.others and x in owner.napping and \
                table_leaf(gap, threshold, owner, x) == "idle.host.blocked":
            pieces += pieces_of_wait(owner, x, next_x, gap.p1)
        else:
            pieces.append((x, next_x, owner))
    asked = []
    for thread, same in itertools.groupby(pieces, key=lambda piece: piece[2]):
        same = list(same)
        until = end if thread is owner else same[-1][1]
        asked += [(x, next_x, thread, until) for x, next_x, _ in same]
    return asked


def pieces_of_wait(owner, begin, end, p1):
    """[begin, end), in which no row of the owner begins or ends, cut where another thread's do."""
    cuts = sorted({begin, end}.union(*(o.cuts(begin, end) for o in owner.others.values())))
    return [(x, next_x, owner.awaited(x, p1) or owner) for x, next_x in zip(cuts, cuts[1:])]


def is_in_full_queue(thread, threshold, x):
    at = slice(bisect_right(thread.launch_begins, threshold),
               bisect_right(thread.launch_begins, x))
    return any(x < call.end for call in thread.launches[at])


def table_leaf(gap, threshold, owner, x):
    """The table of section 4.3 for the instant x."""
    return host_claim(owner, x) or host_leaf(gap, threshold, owner, x)


def host_claim(owner, x):
    """The table down to the calls that synchronise."""
    if x in owner.waiting:
        return "idle.host.no_core"
    if x in owner.alloc:
        return "idle.host.alloc"
    if x in owner.module_load:
        return "idle.host.module_load"
    if x in owner.input:
        return "idle.host.input"
    if x in owner.nccl_host:
        return "idle.host.nccl_host"
    if x in owner.sync:
        return "idle.host.sync"
    return None


def host_leaf(gap, threshold, owner, x):
    """The rest of the table."""
    if x in owner.profiler:
        return "idle.tool.profiler"
    if is_in_full_queue(owner, threshold, x) or x in owner.buffer_full:
        return "idle.gpu.queue_full"
    if x in owner.asleep:
        return "idle.host.blocked"
    if x in owner.any_call:
        return "idle.cpu.api"
    begin, end = owner.stretch(x)
    if min(end, gap.launch.begin) - begin >= LONG_NS:
        return "idle.host.code"
    return "idle.cpu.framework"


def own_launch(gap, threshold):
    """[p1, p2), section 4.4."""
    k, launch, thread = gap.k, gap.launch, gap.thread
    first_of_name = (k.kind == KERNEL and launch.duration >= LONG_NS
                     and k.process.first_kernel_launch[k.name] == launch.begin)
    parts = []
    cuts = [gap.p1] + thread.cuts(gap.p1, gap.p2) + [gap.p2]
    for x, next_x in zip(cuts, cuts[1:]):
        if launch.begin > threshold or x in thread.buffer_full:
            leaf = "idle.gpu.queue_full"
        elif k.is_pageable_copy:
            leaf = "idle.host.sync"
        elif first_of_name:
            leaf = "idle.host.module_load"
        else:
            leaf = "idle.cpu.launch_call"
        parts.append((next_x - x, leaf))
    return parts


def launched_not_started(gap):
    """[p2, b), section 4.4."""
    k, floor = gap.k, gap.device.floor
    parts = []
    x = gap.p2

    def explain(until, leaf):
        nonlocal x
        until = min(gap.b, max(x, until))
        parts.append((until - x, leaf))
        x = until

    if not gap.is_queued:
        explain(max(gap.launch.begin + 3 * floor, gap.launch.end + 2 * floor),
                "idle.cpu.launch_latency")
    ready = x
    explain(k.process.last_held_up(HOST_FUNCTION, k, gap.b), "idle.host.host_func")
    explain(k.process.last_held_up(PEER, k, gap.b), "idle.gpu.dependency")
    if gap.is_queued or x > ready:
        cap = min(DISPATCH_CAP_NS, max(floor, 3 * gap.device.queued_gap))
        explain(x + cap, "idle.gpu.dispatch")
    next_to_node = k.is_node or (gap.j is not None and gap.j.is_node)
    if gap.device.shared and (k.is_first_of_call or not k.is_node):
        explain(gap.b, "idle.gpu.shared")
    else:
        explain(gap.b, "idle.unknown.unrecorded" if next_to_node else "idle.unknown.unexplained")
    return parts


# ---- the answer ----------------------------------------------------------------------------------

def within(window, begin, end):
    return max(0, min(end, window[1]) - max(begin, window[0]))


def add_to_steps(device, begin, end, leaf):
    """[begin, end) lies in the windows."""
    if not device.step_names:
        return
    while begin < end:
        place = bisect_right(device.step_ends, begin)
        until = min(end, device.step_ends[place])
        device.by_step[place][leaf] += until - begin
        begin = until


def leaf_steps(device):
    """Of each leaf that is no work: in how many steps, the first of those with most, how much."""
    found = {}
    for leaf in sorted({leaf for times in device.by_step.values() for leaf in times}):
        times = {place: times[leaf] for place, times in device.by_step.items() if times[leaf] > 0}
        if not times or leaf.startswith("work."):
            continue
        worst_ns = max(times.values())
        worst = min(place for place, ns in times.items() if ns == worst_ns)
        found[leaf] = {"in": len(times), "worst": device.step_names[worst], "worst_ns": worst_ns}
    return found


def working_time(device):
    """(ns of each leaf, ns of hidden NCCL) of the windows."""
    time_ns, hidden = collections.Counter(), 0
    for begin, end, leaves in sweep(device):
        if not leaves:
            continue
        inside = within(device.window, begin, end)
        time_ns[leaves[0]] += inside
        add_to_steps(device, max(begin, device.window[0]), min(end, device.window[1]), leaves[0])
        if leaves[0].startswith("work.") and any(leaf.startswith("nccl.") for leaf in leaves):
            hidden += inside
    return time_ns, hidden


def idle_time(device, gaps):
    """ns of each leaf of the gaps in the windows."""
    time_ns = collections.Counter()
    for gap in gaps:
        inside = within(device.window, gap.a, gap.b)
        assert inside in (0, gap.b - gap.a), "a window cuts a gap"
        for ns, leaf in attribute(gap):  # also outside: sync debts run on there
            assert ns >= 0
            time_ns[leaf] += ns if inside else 0
            if inside:  # a gap lies in one step, wherever in the gap a part of it does
                add_to_steps(device, gap.a, gap.a + ns, leaf)
            if inside and leaf.startswith(("idle.cpu.", "idle.host.")):
                device.starved[gap.k][leaf.split(".")[1]] += ns
        device.unsampled_ns += gap.unsampled_ns if inside else 0
    return time_ns


def copies(ops):
    """Per direction and pageable: count, ns, bytes, ns of those with bytes."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for op in ops:
        if not op.leaves_device:
            continue
        row = rows[(op.direction, op.is_pageable_copy)]
        sized = (op.bytes, op.duration) if op.bytes is not None else (0, 0)
        row[:] = (sum(pair) for pair in zip(row, (1, op.duration) + sized))
    return dict(rows)


def account(device):
    """The object printed for a device."""
    gaps = gaps_of(device)
    calibrate(device, gaps)
    time_ns, hidden = working_time(device)
    time_ns += idle_time(device, gaps)
    window_ns = device.window[1] - device.window[0]
    assert sum(time_ns.values()) == window_ns, "leaves do not add up to the window"
    counted = device.counted_ops()
    kernels = [op for op in counted if op.kind == KERNEL]
    busy_ns = collections.Counter()
    for op in counted:
        busy_ns[op.group] += op.duration
    ends = [device.window[0]] + device.step_ends
    return {
        "device": device.key,
        "steps": len(device.step_ends),
        "window_ns": window_ns,
        "hull_ns": device.hull[1] - device.hull[0],
        "hull_idle_ns": sum(gap.b - gap.a for gap in gaps if gap.j),
        "lead_in_ns": device.lead_in[1] - device.lead_in[0] if device.lead_in else 0,
        "nccl_hidden_ns": hidden,
        "step_ns": [end - begin for begin, end in zip(ends, ends[1:])],
        "time_ns": {leaf: ns for leaf, ns in sorted(time_ns.items()) if ns > 0},
        "busy_ns": dict(sorted(busy_ns.items())),
        "leaf_steps": leaf_steps(device),
        "copies": copies(counted),
        "kernels": len(kernels),
        "launches": len({op.launch for op in kernels if op.launch}),
        "unmatched_ops": sum(op.launch is None for op in device.ops),
        "invalid_timestamps": sum(gap.invalid for gap in gaps),
        "unsampled_ns": device.unsampled_ns,
        "hand_offs": sum(gap.is_hand_off for gap in gaps),
        "steps_cut": device.steps_cut,
        "floor_ns": device.floor,
        "queued_gap_ns": device.queued_gap,
    }


def read_processes(lines):
    processes = []
    is_trace = False
    for line in lines:
        if not line.strip():
            continue
        fields = json.loads(line)
        kind = fields["record"]
        if kind == "file":
            is_trace = fields["content"] == "trace"
            if is_trace:
                processes.append(Process())
        elif is_trace:
            processes[-1].add(kind, fields)
    return processes


def take_comm_ranks(processes):
    """Ranks where nobody has one: the places in the widest communicator (docs/RECORD.md)."""
    places = collections.defaultdict(set)  # (size, hash) -> (process's number, rank)
    for number, process in enumerate(processes):
        if process.rank >= 0:
            return
        for comm in process.communicators.values():
            place = comm["ranks"] or ""
            if process.source in ("baton", "simgpu") and comm["size"] > 1 and \
                    re.fullmatch("[0-9]+", place) and int(place) < comm["size"]:
                places[comm["size"], comm["hash"]].add((number, int(place)))
    with_places = {number for members in places.values() for number, _ in members}
    widest = [members for (size, _), members in sorted(places.items()) if size == max(places)[0]]
    for members in widest:
        if len(members) == len(dict(members)) == len(with_places):
            for number, rank in members:
                processes[number].rank = rank
            return


class NeedsPeriod(Exception):
    """A device's steps are found by periodicity, which this reference does not do and was not given."""


def reduce_run(lines, groups, step_range=None, periods=None):
    """`lines` of the dump, `groups` from kernel name (bytes) to group. One dict per device."""
    return [account(device) for device in devices_of(lines, groups, step_range, periods)]


def devices_of(lines, groups, step_range=None, periods=None):
    """`periods`: a function from device key to the steps that periodicity finds, each [begin, end)."""
    processes = read_processes(lines)
    take_comm_ranks(processes)
    ops_of = collections.defaultdict(list)
    for process in processes:
        process.join(groups)
        process.index_threads()
        for op in process.ops:
            ops_of[process.device_key(op)].append(op)
    ops_of.pop(None, None)
    devices = [Device(key, ops) for key, ops in sorted(ops_of.items())]
    for device in devices:
        device.find_steps(step_range)
        if device.needs_period and not periods:
            raise NeedsPeriod("%s: a run without markers" % device.key)
        if device.needs_period:
            device.take_given(periods(device.key))
    split_collectives(devices)
    if members_here(processes) > 1:
        split_ordered(devices, members_here(processes))
    for device in devices:
        find_own_work(device)
    return devices


def read_groups(path):
    groups = {}
    with open(path, "rb") as table:
        for line in table:
            name, group = line.rstrip(b"\n").split(b"\t")[:2]
            groups[name] = group.decode()
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--classes", metavar="TSV", help="output of `baton classify`")
    parser.add_argument("--step-range", metavar="NAME")
    parser.add_argument("dump", nargs="+", metavar="DUMP.jsonl", help="- for stdin")
    args = parser.parse_args()
    groups = read_groups(args.classes) if args.classes else {}
    lines = []
    for path in args.dump:
        with (sys.stdin if path == "-" else open(path, encoding="ascii")) as dump:
            lines += dump
    try:
        devices = reduce_run(lines, groups, args.step_range)
    except (ValueError, NeedsPeriod) as problem:
        sys.exit("reference: %s" % problem)
    print(json.dumps({"devices": devices}))


if __name__ == "__main__":
    main()
