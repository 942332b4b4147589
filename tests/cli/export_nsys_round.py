#!/usr/bin/env python3
"""What comes back of a run that went through nsys's format.

    export_nsys_round.py all BATON RUN BACK       every key of `report --json` is equal
    export_nsys_round.py leaves BATON RUN BACK    every leaf that the format carries is
    export_nsys_round.py nccl BATON RUN BACK      so are the rows of NCCL
    export_nsys_round.py streams BATON RUN BACK   so are the priorities of streams
    export_nsys_round.py study BATON RUN DIR RANGE   the jitter study on rank*.sqlite in DIR

`study` does what the study of 960 GPUs did: its four queries on one file for each rank, then its
matrices, and the same matrices from the rows of `baton dump`. Prints what it compared."""

import json
import sqlite3
import subprocess
import sys
from collections import defaultdict

# Leaves that need what the format has no place for (docs/COMPATIBILITY.md).
NOT_CARRIED = {"idle.host.no_core", "idle.host.blocked", "idle.host.host_func", "idle.gpu.dependency"}


def report(baton, run):
    out = subprocess.run([baton, "report", "--json", run], capture_output=True, text=True, check=False)
    return json.loads(out.stdout)


def flat(value, path=""):
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flat(inner, f"{path}.{key}")
    else:
        yield path, value


def compare_all(baton, run, back):
    a, b = (dict(flat(report(baton, r))) for r in (run, back))
    for keys in (a, b):
        for key in [k for k in keys if k.startswith(".run.dirs.") or k == ".quality.invalid_events"]:
            del keys[key]  # rows that the first import refused are not there any more
    different = [(k, a.get(k), b.get(k)) for k in sorted(a.keys() | b.keys()) if a.get(k) != b.get(k)]
    assert not different, different[:8]
    assert len(a) > 100, len(a)
    return f"{len(a)} values of report --json are equal"


def collectives(baton, run):
    out = subprocess.run([baton, "dump", "--json", run], capture_output=True, text=True, check=True).stdout
    rows = [r for r in map(json.loads, out.splitlines()) if r["record"] == "collective"]
    return sorted(tuple(r.get(k) for k in ("start_ns", "dur_ns", "coll", "bytes", "sequence", "peer")) for r in rows)


def compare_nccl(baton, run, back):
    a, b = collectives(baton, run), collectives(baton, back)
    assert a == b and len(a) >= 100, (len(a), len(b), [x for x in a if x not in b][:2], [x for x in b if x not in a][:2])
    return f"{len(a)} rows of NCCL are equal"


def priorities(baton, run):
    """{(context, stream): {(priority, kind)}} of streams with ops, over all processes."""
    out = subprocess.run([baton, "dump", "--json", run], capture_output=True, text=True, check=True).stdout
    found, streams, said = defaultdict(set), {}, {}
    for row in map(json.loads, out.splitlines()):
        if row["record"] == "file":
            streams, said = {}, {}
        elif row["record"] == "stream":
            streams[row["id"]] = (row["context"], row["stream"])
        elif row["record"] == "priority":
            said.setdefault(row["stream"], (row["priority"], row["kind"]))
        elif row["record"] == "op":
            found[streams[row["stream"]]].add(said.get(row["stream"]))
    return found


def compare_priorities(baton, run, back):
    a, b = priorities(baton, run), priorities(baton, back)
    known = sum(None not in said for said in a.values())
    assert a == b and known > 0, (a, b)
    return f"priorities of {known} streams are equal"


def compare_leaves(baton, run, back):
    a, b = report(baton, run), report(baton, back)
    n = 0
    assert len(a["devices"]) == len(b["devices"]) > 0
    for one, other in zip(a["devices"], b["devices"]):
        for key in ("window_ns", "steps", "busy_ns", "kernels", "launches"):
            assert one[key] == other[key], (key, one[key], other[key])
        times = {leaf: ns for leaf, ns in one["time_ns"].items() if leaf not in NOT_CARRIED}
        lost = {leaf: ns for leaf, ns in one["time_ns"].items() if leaf in NOT_CARRIED and ns}
        assert not lost, lost  # else the time stands in other leaves
        back_times = {leaf: ns for leaf, ns in other["time_ns"].items() if ns or leaf in times}
        assert back_times == times, (back_times, times)
        n += len(times)
    nccl = [[{k: v for k, v in row.items() if k != "comm"} for row in r["nccl"]] for r in (a, b)]  # communicators have other names
    assert nccl[0] == nccl[1] and any(row["busbw_gbps"] for row in nccl[0]), nccl
    return f"{n} leaves of {len(a['devices'])} devices are equal"


# ---- the study ----

def from_sqlite(path, name):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    kernels = db.execute("select correlationId, start, end, streamId, shortName from CUPTI_ACTIVITY_KIND_KERNEL").fetchall()
    calls = dict(db.execute("select correlationId, start from CUPTI_ACTIVITY_KIND_RUNTIME where correlationId is not null"))
    steps = db.execute("select start, end from NVTX_EVENTS where text = ? order by start", (name,)).fetchall()
    texts = dict(db.execute("select id, value from StringIds"))
    epoch = db.execute("select utcEpochNs from TARGET_INFO_SESSION_START_TIME").fetchone()[0]
    return [(start + epoch, end + epoch, "nccl" in texts[short], calls[c] + epoch)
            for c, start, end, _, short in kernels if c in calls], [(s + epoch, e + epoch) for s, e in steps]


def from_dump(baton, run, rank, name):
    out = subprocess.run([baton, "dump", "--json", run], capture_output=True, text=True, check=True).stdout
    rows = defaultdict(list)
    mine = False
    for line in out.splitlines():
        row = json.loads(line)
        if row["record"] == "file":
            held = defaultdict(list)
        if row["record"] == "process":
            mine = row["rank"] == rank
            rows = held if mine else rows
        held[row["record"]].append(row)
    calls = {}
    for call in rows["call"]:
        if call["correlation"]:
            calls[call["correlation"]] = call["start_ns"]
    kernels = [(o["start_ns"], o["start_ns"] + o["dur_ns"], "nccl" in o["name"], calls[o["correlation"]])
               for o in rows["op"] if o["op_kind"] == 1 and o["correlation"] in calls]
    return kernels, sorted((r["start_ns"], r["start_ns"] + r["dur_ns"]) for r in rows["range"] if r["name"] == name)


def matrices(ranks):
    """The checksums of the study: durations, gaps, times to the last kernel, earliest and latest ranks."""
    durations = gaps = times = earliest = latest = 0
    last = defaultdict(list)
    distances = defaultdict(list)
    parts = {}
    for rank, (kernels, steps) in enumerate(ranks):
        for step, (begin, end) in enumerate(steps):
            mine = sorted((k for k in kernels if begin <= k[3] <= end), key=lambda k: (k[3], k[0]))
            own = [k for k in mine if not k[2]]
            closing = [k for k in mine if k[2]][-1]
            distances[step].append(closing[1] - own[0][0])
            parts[rank, step] = mine, own, closing
    for (rank, step), (mine, own, closing) in parts.items():
        durations += sum(k[1] - k[0] for k in mine)
        first = max(distances[step]) - distances[step][rank]
        between = [b[0] - a[1] for a, b in zip(own, own[1:])]
        gaps += first + sum(between)
        until = [k for k in own if mine.index(k) < mine.index(closing)]
        reached = first + sum(between[:len(until) - 1]) + sum(k[1] - k[0] for k in until)
        times += reached
        last[step].append(reached)
    for step, values in last.items():
        earliest += values.index(min(values))
        latest += values.index(max(values))
    return durations, gaps, times, earliest, latest, len(parts)


def study(baton, run, directory, name):
    n = len(report(baton, run)["devices"])
    theirs = matrices([from_sqlite(f"{directory}/rank{rank:03}.sqlite", name) for rank in range(n)])
    ours = matrices([from_dump(baton, run, rank, name) for rank in range(n)])
    assert theirs == ours, (theirs, ours)
    assert theirs[5] >= 2 * n, theirs
    return "sumD %d sumG %d sumT %d minr %d maxr %d of %d steps of a rank" % theirs


what, *rest = sys.argv[1:]
print({"all": compare_all, "leaves": compare_leaves, "nccl": compare_nccl, "streams": compare_priorities, "study": study}[what](*rest))
