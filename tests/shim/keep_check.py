"""Is the trace of the last part of a job whole?

keep_check.py KEEP_NS [LATE_NS] < `baton dump --json DIR`: every process has at most one `kept` record; with those that were left out it has as many
kernels, and those in flight, as launches; all that is there ended after the cut (LATE_NS: threads come so late here); every row's name, thread and stack are defined.
Prints as JSON: processes, shortened, launches (there and left out), there (launches), span_ns (longest).
"""
import json
import sys


class Process:
    def __init__(self):
        self.kept, self.launches, self.kernels, self.in_flight, self.lost = [], 0, 0, 0, 0
        self.threads, self.stacks, self.streams = {0}, {0}, {0}
        self.wrong, self.ends, self.starts = [], [], []

    def row(self, r):
        end_ns = r["start_ns"] + r["dur_ns"]
        self.ends.append(end_ns)
        self.starts.append(r["start_ns"])
        if (r["record"] in ("call", "range") or r.get("op_kind") == 1) and r["name"] is None:
            self.wrong.append(f"a {r['record']} without a name")
        for key, known in (("thread", self.threads), ("stack", self.stacks), ("stream", self.streams)):
            if r.get(key, 0) not in known:
                self.wrong.append(f"{key} {r[key]} is not defined")
        self.launches += r["record"] == "call" and "LaunchKernel" in r["name"]
        self.kernels += r["record"] == "op" and r["op_kind"] == 1


def main():
    keep_ns, all_processes = int(sys.argv[1]), []
    late_ns = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for r in map(json.loads, sys.stdin):
        kind = r["record"]
        if kind == "process":
            all_processes.append(Process())
        p = all_processes[-1] if all_processes else None
        if kind == "kept":
            p.kept.append(r)
        elif kind == "loss" and r["kind"] == 2:
            p.in_flight += r["count"]
        elif kind == "loss":
            p.lost += r["count"]
        elif kind in ("thread", "stack", "stream"):
            getattr(p, kind + "s").add(r["id"])
        elif "start_ns" in r and kind != "gauge":
            p.row(r)
    recorded = [p for p in all_processes if p.ends]
    wrong = [w for p in recorded for w in p.wrong[:3]]
    for p in recorded:
        wrong += ["more than one kept record"] * (len(p.kept) > 1)
        kept = p.kept[0] if p.kept else {"launches": 0, "kernels": 0, "from_ns": min(p.starts), "begin_ns": 0, "keep_ns": keep_ns}
        p.before = kept["launches"]
        if kept["keep_ns"] != keep_ns:
            wrong.append(f"it was to keep {kept['keep_ns']} ns")
        launches, kernels = p.launches + p.before, p.kernels + kept["kernels"] + p.in_flight
        if not p.lost and launches != kernels:
            wrong.append(f"{launches} launches, {kernels} kernels with those in flight")
        if p.kept and min(p.ends) < kept["from_ns"] - 1_500_000_000 - late_ns:
            wrong.append("there are rows that ended long before the cut")
        p.span_ns = max(p.ends) - kept["from_ns"]
    print(json.dumps({"processes": len(recorded), "shortened": sum(bool(p.kept) for p in recorded),
                      "launches": sum(p.launches + p.before for p in recorded),
                      "there": sum(p.launches for p in recorded), "span_ns": max(p.span_ns for p in recorded)}))
    sys.exit("; ".join(wrong[:5]) or None)


main()
