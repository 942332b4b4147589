"""Is what a trace holds what the simulated driver counted?

conserved.py COUNTS < `baton dump --json DIR`: COUNTS is what libcount.so wrote (tests/double/count.c). Per thread: launches recorded +
launches dropped = launches. Per device and stream: op rows = ops, and kernels of each name = those that ran; when GPU records were
dropped, rows + dropped = ops in all.
  --no-ops          GPU work was not recorded: there must be no row of it
  --drops           launches must have been dropped; without it, none
  --ops-drop        GPU records must have been dropped; without it, none
  --ops-may-drop    a burst: where all cores are busy the writer may come too late for some
  --killed          processes that did not end: nothing was counted; with --launches N the calls of all processes
  --most            with --killed: kernels recorded + in flight = launches, and more than half of them are recorded
  --launches N      that many launches in all, recorded or dropped
Prints "N launches, N dropped, N ops" or what is wrong; status 1 then.
"""
import argparse
import collections
import json
import re
import sys


class Trace:
    """One process: launches by tid, those dropped by tid, ops by (device ordinal, stream number), kernels by name."""

    def __init__(self):
        self.pid = None
        self.tids, self.ordinals, self.streams = {}, {}, {}
        self.calls, self.ops, self.stray_losses = collections.Counter(), collections.Counter(), []
        self.kernels = collections.Counter()
        self.lost_launches, self.lost_ops, self.in_flight = collections.Counter(), 0, 0

    def lose(self, r):
        of_thread = re.fullmatch(r"launches of thread (\d+)", r["what"] or "")
        if r["kind"] == 2:
            self.in_flight += r["count"]
        elif of_thread:
            self.lost_launches[int(of_thread[1])] += r["count"]
        elif r["what"] == "GPU records":
            self.lost_ops += r["count"]
        elif not re.fullmatch(r"other calls and ranges of thread \d+", r["what"] or ""):
            self.stray_losses.append(f"{r['count']} {r['what']}")

    def read(self, r):
        kind = r["record"]
        if kind == "process":
            self.pid = r["pid"]
        elif kind == "thread":
            self.tids[r["id"]] = r["tid"]
        elif kind == "device":
            self.ordinals[r["id"]] = r["ordinal"]
        elif kind == "stream":
            self.streams[r["id"]] = (r["device"], r["stream"])
        elif kind == "loss":
            self.lose(r)
        elif kind == "call" and "Launch" in (r["name"] or "") and "HostFunc" not in r["name"]:
            self.calls[r["thread"]] += 1
        elif kind == "op":
            self.ops[r["stream"]] += 1
            if r["op_kind"] == 1:
                self.kernels[r["name"]] += 1

    def by_tid(self, counter):
        sums = collections.Counter()
        for thread, n in counter.items():
            sums[self.tids.get(thread, f"unknown thread {thread}")] += n
        return sums

    def ops_by_stream(self):
        sums = collections.Counter()
        for stream, n in self.ops.items():
            device, number = self.streams.get(stream, (None, f"unknown stream {stream}"))
            sums[self.ordinals.get(device), number] += n
        return sums


def read_traces(lines):
    traces, others = [], []
    for line in lines:
        r = json.loads(line)
        if r["record"] == "file":
            traces.append(Trace())
            if r["content"] == "gauges":  # of the node's GPUs: of no process
                others.append(traces[-1])
        elif traces:
            traces[-1].read(r)
    return [trace for trace in traces if trace not in others]


def read_counts(path):
    launches, ops, kernels = (collections.defaultdict(collections.Counter) for _ in range(3))
    for line in open(path):
        pid, what, *key, n = line.split()
        if what == "launches":
            launches[int(pid)][int(key[0])] += int(n)
        elif what == "kernels":
            kernels[int(pid)][key[0]] += int(n)
        else:
            ops[int(pid)][int(key[0]), int(key[1])] += int(n)
    return launches, ops, kernels


def differences(title, found, counted):
    return [f"{title} {key}: {found[key]} recorded, {counted[key]} counted"
            for key in sorted(set(found) | set(counted), key=str) if found[key] != counted[key]]


def compare(trace, launches, ops, kernels, args):
    wrong = differences(f"pid {trace.pid}: launches of thread",
                        trace.by_tid(trace.calls) + trace.by_tid(trace.lost_launches), launches)
    found = trace.ops_by_stream()
    if args.no_ops:
        wrong += differences(f"pid {trace.pid}: ops (device, stream)", found, collections.Counter())
    elif trace.lost_ops:
        wrong += differences(f"pid {trace.pid}: ops", collections.Counter(all=sum(found.values()) + trace.lost_ops),
                             collections.Counter(all=sum(ops.values())))
    else:
        wrong += differences(f"pid {trace.pid}: ops (device, stream)", found, ops)
        wrong += differences(f"pid {trace.pid}: kernels", trace.kernels, kernels)
    if trace.in_flight:
        wrong.append(f"pid {trace.pid}: {trace.in_flight} kernels in flight after its end")
    return wrong


def after_kill(trace):
    """What a killed process had launched is recorded or said to be in flight, the most of it recorded."""
    launches, kernels = sum(trace.calls.values()), sum(trace.kernels.values())
    if kernels + trace.in_flight == launches and 2 * kernels > launches:
        return []
    return [f"pid {trace.pid}: {launches} launches, {kernels} kernels, {trace.in_flight} in flight"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("counts", nargs="?")
    for flag in ("--no-ops", "--drops", "--ops-drop", "--ops-may-drop", "--killed", "--most"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--launches", type=int)
    args = parser.parse_args()
    traces = read_traces(sys.stdin)
    wrong = [f"pid {t.pid}: lost {loss}" for t in traces for loss in t.stray_losses]
    if not args.killed:
        launches, ops, kernels = read_counts(args.counts)
        for trace in traces:
            wrong += compare(trace, *(counts.pop(trace.pid, collections.Counter()) for counts in (launches, ops, kernels)), args)
        wrong += [f"pid {pid} is in no trace" for pid in sorted(set(launches) | set(ops))]
    if args.most:
        wrong += [difference for trace in traces for difference in after_kill(trace)]
    recorded = sum(sum(t.calls.values()) for t in traces)
    dropped = sum(sum(t.lost_launches.values()) for t in traces)
    ops_dropped = sum(t.lost_ops for t in traces)
    if bool(dropped) != args.drops:
        wrong.append(f"{dropped} launches dropped")
    if bool(ops_dropped) != args.ops_drop and not args.ops_may_drop:
        wrong.append(f"{ops_dropped} GPU records dropped")
    if args.launches is not None and recorded + dropped != args.launches:
        wrong.append(f"{recorded} launches + {dropped} dropped, not {args.launches}")
    if not traces:
        wrong.append("no trace")
    print("; ".join(wrong) or f"{recorded} launches, {dropped} dropped, {sum(sum(t.ops.values()) for t in traces)} ops")
    return bool(wrong)


sys.exit(main())
