"""Is the trace of a part of a job whole, and of nothing else?

window_check.py [--counts FILE] [--alike NS] [--from-first] [--unopened] < `baton dump --json DIR`
Of each process: every kernel and copy is one of a recorded call, every recorded launch has its kernel, nothing is lost or in flight, no
call begins and no range ends outside of the window; a range that was open at its end says so.
  --counts FILE   launches by "PID TID N" in the window: those recorded and those dropped, by thread
  --alike NS      the windows of all processes end within so many nanoseconds; where all cores are busy one opens
                  late: it must only begin before any of them ends
  --from-first    the window may have opened before the first collective, where all cores are busy; else their numbers tell that
                  some came before it
  --unopened      there must be no window in any process, and nothing recorded
Prints as JSON, per process in order of rank: rank, launches, kernels, collectives, ranges cut at the begin and at the end.
"""
import argparse
import collections
import json
import re
import sys

CLOCK_NS = 2_000_000  # ticks become nanoseconds by a rate that is measured: edges are that sharp


class Process:
    def __init__(self):
        self.rank = self.pid = None
        self.meta, self.tids = {}, {}
        self.launches, self.lost = {}, collections.Counter()
        self.calls, self.kernels, self.copies = {}, collections.Counter(), []
        self.ranges, self.collectives, self.comms, self.stray = [], [], {}, []

    def read(self, r):
        kind = r["record"]
        if kind == "process":
            self.rank, self.pid = r["rank"], r["pid"]
        elif kind == "meta":
            self.meta[r["key"]] = r["value"]
        elif kind == "thread":
            self.tids[r["id"]] = r["tid"]
        elif kind == "communicator":
            self.comms[r["id"]] = r
        elif kind == "loss":
            of_thread = re.fullmatch(r"launches of thread (\d+)", r["what"])
            if of_thread:
                self.lost[int(of_thread[1])] += r["count"]
            elif not re.fullmatch(r"other calls and ranges of thread \d+", r["what"]):
                self.stray.append(f"{r['count']} {r['what']} lost (kind {r['kind']})")
        elif kind == "call":
            self.calls[r["correlation"]] = r
            if "Launch" in r["name"] and "HostFunc" not in r["name"]:
                self.launches[r["correlation"]] = r
        elif kind == "op" and r["op_kind"] == 1:
            self.kernels[r["correlation"]] += 1
        elif kind == "op":
            self.copies.append(r)
        elif kind == "range":
            self.ranges.append(r)
        elif kind == "collective":
            self.collectives.append(r)

    def window(self):
        return int(self.meta["window's begin, ns"]), int(self.meta["window's end, ns"])

    def faults(self, from_first):
        yield from self.stray
        begin, end = self.window()
        alone = set(self.kernels) - set(self.launches)
        if alone and not self.lost:
            yield f"{len(alone)} kernels without a launch"
        missing = [c for c in self.launches if not self.kernels[c]]
        if missing:
            yield f"{len(missing)} launches without a kernel"
        stray = [c for c in self.copies if c["correlation"] not in self.calls]
        if stray and not self.lost:
            yield f"{len(stray)} copies without a call"
        outside = [c for c in self.calls.values() if not c["name"].startswith("nccl") and
                   not begin - CLOCK_NS <= c["start_ns"] <= end + CLOCK_NS]
        if outside:
            yield f"{len(outside)} calls that begin outside of the window, such as {outside[0]}"
        for r in self.ranges:
            after = r["start_ns"] + r["dur_ns"] - end
            if after > CLOCK_NS or (r["unclosed"] and after < -CLOCK_NS):
                yield f"range {r['name']} ends {after} ns after the window, unclosed {r['unclosed']}"
        for c in self.collectives:
            if not self.kernels[c["correlation"]] or not (c["sequence"] or from_first) or not self.comms[c["comm"]]["size"]:
                yield f"collective {c}"

    def counted(self, counts):
        found = collections.Counter(self.lost)
        for call in self.launches.values():
            found[call["thread"]] += 1
        by_tid = collections.Counter()
        for thread, n in found.items():
            by_tid[self.tids[thread]] += n
        for tid in sorted(set(by_tid) | set(counts)):
            if by_tid[tid] != counts[tid]:
                yield f"thread {tid}: {by_tid[tid]} launches, {counts[tid]} counted"

    def summary(self):
        begin, end = self.window()
        return {"rank": self.rank, "launches": len(self.launches), "kernels": sum(self.kernels.values()),
                "collectives": len(self.collectives), "open_before": [r["name"] for r in self.ranges if r["start_ns"] < begin - CLOCK_NS],
                "open_after": sorted(r["name"] for r in self.ranges if r["unclosed"]), "seconds": (end - begin) / 1e9}


def read(lines):
    processes, is_trace = [], False
    for line in lines:
        r = json.loads(line)
        if r["record"] == "file":
            is_trace = r["content"] == "trace"
            processes += [Process()] if is_trace else []
        elif is_trace:
            processes[-1].read(r)
    return sorted(processes, key=lambda p: p.rank)


def read_counts(path):
    counts = collections.defaultdict(collections.Counter)
    for line in open(path):
        pid, tid, n = map(int, line.split())
        counts[pid][tid] += n
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--counts")
    parser.add_argument("--alike", type=int)
    parser.add_argument("--from-first", action="store_true")
    parser.add_argument("--unopened", action="store_true")
    args = parser.parse_args()
    processes = read(sys.stdin)
    wrong = [] if processes else ["no trace"]
    if args.unopened:
        wrong += [f"pid {p.pid}: not empty" for p in processes if p.calls or p.kernels or p.copies or p.ranges or p.stray]
        wrong += [f"pid {p.pid}: {p.meta}" for p in processes if "window" not in p.meta or "window's begin, ns" in p.meta]
    else:
        wrong += [f"pid {p.pid}: {fault}" for p in processes for fault in p.faults(args.from_first)]
    if args.counts:
        counts = read_counts(args.counts)
        wrong += [f"pid {p.pid}: {fault}" for p in processes for fault in p.counted(counts[p.pid])]
    if args.alike:
        begins, ends = zip(*(p.window() for p in processes))
        if max(ends) - min(ends) > args.alike:
            wrong.append(f"windows end {max(ends) - min(ends)} ns apart")
        if max(begins) >= min(ends):
            wrong.append(f"a window begins {max(begins) - min(ends)} ns after another's end")
    print("; ".join(wrong) if wrong or args.unopened else json.dumps([p.summary() for p in processes]))
    return bool(wrong)


sys.exit(main())
