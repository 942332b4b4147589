#!/usr/bin/env python3
"""The tables of `baton stats` once more, from the rows themselves.

    stats_tables.py BATON (--sqlite FILE | --run DIR) DIR

Reads an nsys export with plain SQL, or what `baton dump` says of a run, makes each table with
loops and Python's statistics, and compares it cell by cell with `baton stats -f csv DIR`. Prints
how many cells are equal; status 1 where one is not."""

import argparse
import csv
import json
import re
import sqlite3
import statistics
import subprocess
import sys
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

STYLES = {1: "PushPop", 2: "StartEnd", 3: "Annotation", 4: "Operator"}
KINDS = ["Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"]
DIRECTIONS = ["Unknown", "Host-to-Device", "Device-to-Host", "Device-to-Device", "Host-to-Host",
              "Peer-to-Peer"]
TAILS = (", op_id = ", ", seq = ", ", sizes = ", ", input_op_ids = ", ", stashed seq = ")


class Events:
    def __init__(self):
        self.ops, self.calls, self.ranges = [], [], []

    def begin(self):
        return min(e["start"] for rows in (self.ops, self.calls, self.ranges) for e in rows)


def without_version(name):
    return re.sub(r"_v\d{4}$", "", name)


def without_tail(name):
    for tail in TAILS:
        at = name.find(tail)
        if at > 0:
            name = name[:at]
    return name


# ---- where the rows come from ----

def from_sqlite(path):
    events = Events()
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    texts = dict(db.execute("SELECT id, value FROM StringIds"))
    kinds = dict(db.execute("SELECT id, label FROM ENUM_CUDA_MEM_KIND"))
    labels = dict(db.execute("SELECT id, label FROM ENUM_CUDA_MEMCPY_OPER"))

    def pid(g):
        return g // 0x1000000 % 0x1000000

    for s, e, g, d, c, st, co, name, *shape in db.execute(
            "SELECT start, end, globalPid, deviceId, contextId, streamId, correlationId, demangledName,"
            " gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory,"
            " dynamicSharedMemory FROM CUPTI_ACTIVITY_KIND_KERNEL"):
        events.ops.append(dict(kind=1, start=s, end=e, process=pid(g), device=d, context=c, stream=st,
                               correlation=co, name=texts[name], bytes=None, model="", shape=shape, memory=None))
    for table, kind in (("MEMCPY", 2), ("MEMSET", 3)):
        what = "copyKind, srcKind, dstKind" if kind == 2 else "0, memKind, NULL"
        for s, e, g, d, c, st, co, b, k, source, target in db.execute(
                f"SELECT start, end, globalPid, deviceId, contextId, streamId, correlationId, bytes, {what}"
                f" FROM CUPTI_ACTIVITY_KIND_{table}"):
            events.ops.append(dict(kind=kind, start=s, end=e, process=pid(g), device=d, context=c, stream=st,
                                   correlation=co, bytes=b, model="",
                                   shape=None, memory=[kinds[source], kinds.get(target, "")],
                                   name=f"[CUDA memcpy {labels[k]}]" if kind == 2 else "[CUDA memset]"))
    threads = {g: texts[n] for n, g in db.execute("SELECT nameId, globalTid FROM ThreadNames")}
    for s, e, g, co, name, result in db.execute(
            "SELECT start, end, globalTid, correlationId, nameId, returnValue FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
        events.calls.append(dict(start=s, end=e, process=pid(g), pid=pid(g), tid=g & 0xffffff, correlation=co,
                                 result=result, name=without_version(texts[name]), thread=threads.get(g, "")))
    for s, e, g, text, string in db.execute(
            "SELECT start, end, globalTid, text, textId FROM NVTX_EVENTS WHERE eventType = 59"):
        events.ranges.append(dict(start=s, end=e, pid=pid(g), tid=g & 0xffffff, style="PushPop", nccl=False,
                                  name=without_tail(text if text is not None else texts[string])))
    return events


def dumped(baton, directory):
    out = subprocess.run([baton, "dump", "--json", directory], capture_output=True, text=True, check=False).stdout
    for line in out.splitlines():
        yield json.loads(line)


def from_run(baton, directory):
    events = Events()
    process = 0
    for row in dumped(baton, directory):
        kind = row["record"]
        if kind == "file":
            process, threads, devices, streams, shapes = process + 1, {}, {}, {}, {}
        elif kind in ("thread", "device", "stream"):
            {"thread": threads, "device": devices, "stream": streams}[kind][row["id"]] = row
        elif kind == "shape":
            shapes[row["id"]] = list(row.values())[3:9] + [row["registers"], row["static_shared"], row["dynamic_shared"]]
        if kind not in ("op", "call", "range"):
            continue
        end = row["start_ns"] + row["dur_ns"]
        if kind == "op":
            stream = streams[row["stream"]]
            device = devices[stream["device"]]
            name = row["name"] or "(unnamed)"
            if row["op_kind"] == 3:
                name = "[CUDA memset]"
            elif row["op_kind"] == 2 and not name.startswith("[CUDA "):
                name = f"[CUDA memcpy {DIRECTIONS[row.get('copy_dir', 0)]}]"
            shape = shapes.get(row.get("shape", 0))
            memory = row.get("memory") if row["op_kind"] in (2, 3) else None  # a kernel has 0 where other rows have one
            if memory is not None:
                memory = [KINDS[memory & 15], KINDS[memory >> 4]] if row["op_kind"] == 2 else [KINDS[memory >> 4], ""]
            events.ops.append(dict(shape=shape, memory=memory, kind=row["op_kind"], start=row["start_ns"], end=end, process=process,
                                   device=device["ordinal"], context=stream["context"], stream=stream["stream"],
                                   correlation=row["correlation"], name=name, bytes=row.get("bytes"),
                                   model=device["name"] or ""))
            continue
        thread = threads[row["thread"]]
        common = dict(start=row["start_ns"], end=end, pid=thread["pid"], tid=thread["tid"])
        if kind == "call":
            events.calls.append(dict(common, process=process, correlation=row["correlation"], result=row.get("result", ""),
                                     thread=thread["name"] or "", name=without_version(row["name"])))
        elif row["category"] in STYLES:
            domain = row.get("domain")
            events.ranges.append(dict(common, style=STYLES[row["category"]], nccl=domain == "NCCL",
                                      name=(f"{domain}:" if domain else "") + (row["name"] or "")))
    return events


# ---- cells ----

def rounded(value, digits):
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def figures(values, unit=1, digits=1, whole=True):
    extreme = (lambda v: str(v)) if whole else (lambda v: rounded(v / unit, digits))
    deviation = statistics.stdev(values) if len(values) > 1 else 0
    return [rounded(Decimal(sum(values)) / len(values) / unit, digits),
            rounded(Decimal(statistics.median(values)) / unit, digits),
            extreme(min(values)), extreme(max(values)), rounded(deviation / unit, digits)]


def by_name(rows, key):
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row["end"] - row["start"])
    return groups


def sum_table(groups):
    total = sum(sum(v) for v in groups.values())
    return [[rounded(100 * sum(v) / total, 1) if total else "0.0", str(sum(v)), str(len(v))] + figures(v) + list(k)
            for k, v in groups.items()]


def named(rows):
    return sum_table(by_name(rows, lambda r: (r["name"],)))


def copies(events):
    return [o for o in events.ops if o["kind"] in (2, 3)]


def kernels(events):
    return [o for o in events.ops if o["kind"] == 1]


def sizes(events):
    groups = defaultdict(list)
    for op in copies(events):
        if op["bytes"] is not None:
            groups[op["name"]].append(op["bytes"])
    return [[rounded(sum(v) / 1e6, 3), str(len(v))] + figures(v, 10 ** 6, 3, False) + [k]
            for k, v in groups.items()]


def callers(events):
    found = {}
    for call in events.calls:
        key = (call["process"], call["correlation"])
        if call["correlation"] and (key not in found or call["start"] < found[key]["start"]):
            found[key] = call
    return found


def launched(events):
    calls = callers(events)
    for op in events.ops:
        yield op, calls.get((op["process"], op["correlation"]))


def exec_rows(events):
    for op, call in launched(events):
        if op["kind"] == 1 and call:
            queue = op["start"] - call["end"]
            yield op, call, queue if queue >= 0 else None, max(op["end"], call["end"]) - call["start"]


def exec_sum(events):
    groups = defaultdict(list)
    for op, call, queue, total in exec_rows(events):
        key = (str(call["pid"]), str(call["tid"]), str(op["device"]), call["name"], op["name"])
        groups[key].append((total, call["end"] - call["start"], queue, op["end"] - op["start"]))
    out = []
    for (pid, tid, device, api, kernel), rows in groups.items():
        queues = [r[2] for r in rows if r[2] is not None]
        out.append([pid, tid, device, str(len(rows)), str(len(queues))] + figures([r[0] for r in rows]) +
                   figures([r[1] for r in rows]) + (figures(queues) if queues else [""] * 5) +
                   figures([r[3] for r in rows]) + [api, kernel])
    return out


def three(op, at):
    return " ".join(f"{n:4}" for n in op["shape"][at:at + 3]) if op["shape"] else ""


def exec_trace(events):
    zero = events.begin()
    return [[str(v) for v in (
        call["start"] - zero, call["end"] - call["start"], "" if queue is None else call["end"] - zero,
        "" if queue is None else queue, op["start"] - zero, op["end"] - op["start"], total, call["pid"], call["tid"],
        op["device"], call["name"], three(op, 0), three(op, 3), op["name"])] for op, call, queue, total in exec_rows(events)]


def gpu_trace(events):
    zero = events.begin()
    out = []
    for op in events.ops:
        took = op["end"] - op["start"]
        sized = op["kind"] in (2, 3) and op["bytes"] is not None
        shape = [""] * 9
        if op["shape"]:
            shape = [str(n) for n in op["shape"][:7]] + ["" if n == 2**32 - 1 else rounded(n / 1e6, 3) for n in op["shape"][7:]]
            shape[6] = "" if shape[6] == str(2**32 - 1) else shape[6]
        out.append([str(op["start"] - zero), str(took), str(op["correlation"])] + shape +
                   [rounded(op["bytes"] / 1e6, 3) if sized else "",
                    rounded(op["bytes"] * 1e3 / took, 3) if sized and took else ""] + (op["memory"] or ["", ""]) + [
                    f"{op['model']}{' ' if op['model'] else ''}({op['device']})", str(op["context"]), "",
                    str(op["stream"]), op["name"]])
    return out


def api_trace(events):
    zero = events.begin()
    return [[str(c["start"] - zero), str(c["end"] - c["start"]), c["name"], str(c["result"]), str(c["correlation"]),
             str(c["pid"]), str(c["tid"]), "", c["thread"]] for c in events.calls]


def around(events):
    """(op, call, ranges): each range of the thread that holds the op's call wholly."""
    threads = defaultdict(list)
    for span in sorted(events.ranges, key=lambda r: r["start"]):
        threads[span["pid"], span["tid"]].append(span)
    opened = defaultdict(list)
    calls = [(op, call) for op, call in launched(events)]
    for op, call in sorted((c for c in calls if c[1]), key=lambda c: c[1]["start"]):
        thread = call["pid"], call["tid"]
        later = threads[thread]
        while later and later[0]["start"] <= call["start"]:
            opened[thread].append(later.pop(0))
        opened[thread] = [r for r in opened[thread] if r["end"] >= call["start"]]
        yield op, call, [r for r in opened[thread] if call["end"] <= r["end"]]
    for op, call in calls:
        if not call:
            yield op, None, []


def depths(spans):
    """How many of these ranges are around each, and how many are directly in it."""
    level, children = defaultdict(int), defaultdict(int)
    pushed = [s for s in spans if s["style"] != "StartEnd"]
    for thread in {(s["pid"], s["tid"]) for s in pushed}:
        stack = []
        for span in sorted((s for s in pushed if (s["pid"], s["tid"]) == thread),
                           key=lambda s: (s["start"], -s["end"])):
            while stack and stack[-1]["end"] < span["end"]:
                stack.pop()
            level[id(span)] = len(stack)
            if stack:
                children[id(stack[-1])] += 1
            stack.append(span)
    return level, children


def projections(events):
    projected = {}
    for op, _, inside in around(events):
        for span in inside:
            first, last, launches, _ = projected.get(id(span), (op["start"], op["end"], set(), None))
            projected[id(span)] = min(first, op["start"]), max(last, op["end"]), launches | {op["correlation"]}, span
    spans = [p[3] for p in projected.values()]
    level, children = depths(spans)
    groups = defaultdict(list)
    for span in spans:
        groups[span["name"], span["style"]].append(span)
    out = []
    for (name, style), of in groups.items():
        times = [projected[id(s)][1] - projected[id(s)][0] for s in of]
        ops = sum(len(projected[id(s)][2]) for s in of)  # nsys counts launches, not the nodes of a graph
        out.append([name, style, str(sum(times)), str(sum(s["end"] - s["start"] for s in of)), str(len(of))] +
                   figures(times) + [str(ops)] +
                   [rounded(Decimal(sum(v)) / len(of), 1) for v in
                    ([ops], [level[id(s)] for s in of], [children[id(s)] for s in of])])
    return out


def range_kernels(events):
    groups, inside_of, kernels_of = defaultdict(list), defaultdict(set), defaultdict(set)
    for op, call, inside in around(events):
        if op["kind"] != 1:
            continue
        if not inside:
            thread = (str(call["pid"]), str(call["tid"])) if call else ("", "")
            groups[("", "", *thread, op["name"])].append(op["end"] - op["start"])
            kernels_of[("", "", *thread, op["name"])].add(id(op))
        for span in inside:
            key = span["name"], span["style"], str(span["pid"]), str(span["tid"]), op["name"]
            groups[key].append(op["end"] - op["start"])
            inside_of[key].add(id(span))
            kernels_of[key].add(id(op))
    return [list(key[:4]) + [str(len(inside_of[key])), str(len(kernels_of[key])), str(sum(v))] + figures(v) + [key[4]]
            for key, v in groups.items()]


def gpu_sum(events):
    words = {1: "CUDA_KERNEL", 2: "MEMORY_OPER", 3: "MEMORY_OPER", 4: "CUDA_GRAPH"}
    return sum_table(by_name(events.ops, lambda o: (words[o["kind"]], o["name"])))


TABLES = {
    "cuda_gpu_kern_sum": lambda e: named(kernels(e)),
    "cuda_gpu_trace": gpu_trace,
    "cuda_api_sum": lambda e: named(e.calls),
    "cuda_api_trace": api_trace,
    "cuda_kern_exec_sum": exec_sum,
    "cuda_kern_exec_trace": exec_trace,
    "cuda_gpu_mem_time_sum": lambda e: named(copies(e)),
    "cuda_gpu_mem_size_sum": sizes,
    "cuda_gpu_sum": gpu_sum,
    "nvtx_sum": lambda e: sum_table(by_name(e.ranges, lambda r: (r["style"], r["name"]))),
    "nvtx_pushpop_sum": lambda e: named([r for r in e.ranges if r["style"] == "PushPop"]),
    "nvtx_gpu_proj_sum": projections,
    "nvtx_kern_sum": range_kernels,
    "nccl_sum": lambda e: named([r for r in e.ranges if r["nccl"]]),
}
ORDER = {"cuda_kern_exec_sum": 5, "nvtx_gpu_proj_sum": 2, "cuda_gpu_mem_size_sum": 0}


def same(a, b):
    """Equal, or numbers whose last digit was rounded on the other side of a half."""
    if a == b:
        return True
    number = re.compile(r"-?\d+\.(\d+)$")
    if not (number.match(a) and number.match(b)):
        return False
    step = Decimal(1).scaleb(-len(number.match(a).group(1)))
    return abs(Decimal(a) - Decimal(b)) <= step and float(a) != 0


def compare(baton, name, expected, directory):
    out = subprocess.run([baton, "stats", "-r", name, "-f", "csv", directory], capture_output=True, text=True,
                         check=False)
    rows = list(csv.reader(out.stdout.splitlines()))
    heads, rows = rows[0], rows[1:]
    wrong = 0
    if "_sum" in name and not name.startswith("nvtx_kern"):
        column = ORDER.get(name, 1)
        order = [float(r[column]) for r in rows]
        wrong += order != sorted(order, reverse=True)
    elif "_trace" in name:
        order = [int(r[0]) for r in rows]
        wrong += order != sorted(order)
    if len(rows) != len(expected):
        print(f"{name}: {len(rows)} rows, not {len(expected)}")
        return 0, 1
    cells = 0
    texts = [i for i, head in enumerate(heads) if not re.search(r"\(|Count|Inst|Start|Dur", head)]
    key = lambda row: ([row[i] for i in texts], row)  # noqa: E731
    for got, want in zip(sorted(rows, key=key), sorted(expected, key=key)):
        for head, a, b in zip(heads, got, want):
            cells += 1
            if not same(a, b):
                wrong += 1
                if wrong < 5:
                    print(f"{name}, {head}: {a!r}, not {b!r} ({got[-1][:60]})")
    return cells, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("baton")
    parser.add_argument("--sqlite")
    parser.add_argument("--run")
    parser.add_argument("directory")
    args = parser.parse_args()
    events = from_sqlite(args.sqlite) if args.sqlite else from_run(args.baton, args.run)
    cells = wrong = 0
    for name, make in TABLES.items():
        n, bad = compare(args.baton, name, make(events), args.directory)
        cells, wrong = cells + n, wrong + bad
    print(f"{len(TABLES)} tables, {cells} cells, {wrong} wrong")
    sys.exit(1 if wrong or not cells else 0)


main()
