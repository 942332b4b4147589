#!/usr/bin/env python3
"""`baton export --format nvprof-csv` of a run, read as scripts read nvprof's CSV, and imported again.

    export_nvprof_check.py BATON RUN WORK
"""

import collections
import csv
import json
import subprocess
import sys

baton, run, work = sys.argv[1:]
MS = 10**6


def call(*words):
    return subprocess.run([baton, *words], capture_output=True, text=True, check=True).stdout


def dumped(directory):
    """(rank, ops, calls) of each process, by rank."""
    found, ops, calls, rank, shapes, streams, devices = [], [], [], -1, {}, {}, {}
    for line in call("dump", "--json", directory).splitlines() + ['{"record": "file", "content": "end"}']:
        x = json.loads(line)
        kind = x["record"]
        if kind == "file":
            for op in ops:
                op["shape"] = {k: v for k, v in shapes.get(op["shape"], {}).items() if k != "id" and "cluster" not in k}
                op["place"] = devices[streams[op["stream"]]["device"]]["ordinal"], streams[op["stream"]]["stream"]
            if ops or calls:
                found.append((rank, ops, calls))
            ops, calls, rank, shapes, streams, devices = [], [], -1, {}, {}, {}
        elif kind in ("shape", "stream", "device"):
            {"shape": shapes, "stream": streams, "device": devices}[kind][x["id"]] = x
        elif kind == "process":
            rank = x["rank"]
        elif kind == "op":
            ops.append(x)
        elif kind == "call":
            calls.append(x)
    return sorted(found, key=lambda x: x[0])


def tables(text):
    """The tables of a CSV, as scripts take them: lines of nvprof left out, then names, units and rows."""
    found = []
    for line in text.splitlines():
        if line.startswith("=="):
            found += [[]] if "Profiling result" in line else []
        else:
            found[-1].append(line)
    for lines in found:
        names, units, *rows = list(csv.reader(lines, strict=True))
        assert len(names) == len(units) and all(len(row) == len(names) for row in rows), names
        yield dict(zip(names, units)), [dict(zip(names, row)) for row in rows]


def export(print_, name):
    path = "%s/%s.csv" % (work, name)
    call("export", "--format", "nvprof-csv", "--print", print_, "-f", "-o", path, run)
    return path


def imported(path):
    call("import", path, "-f", "-o", path + ".run")
    return path + ".run"


def whole(text):
    before, after = text.split(".")
    return int(before) * MS + int(after)


def busy(directory):
    devices = json.loads(call("report", "--json", "--steps", "none", directory))["devices"]
    return [(x["device"].split("/")[1], x["hull_ns"], x["hull_ns"] - x["hull_idle_ns"], x["kernels"]) for x in devices]


processes = dumped(run)
first = min(x["start_ns"] for x in map(json.loads, call("dump", "--json", run).splitlines()) if x["record"] in ("op", "call", "range"))
WORDS = {1: "[CUDA memcpy HtoD]", 2: "[CUDA memcpy DtoH]", 3: "[CUDA memcpy DtoD]", 4: "[CUDA memcpy HtoH]", 5: "[CUDA memcpy PtoP]"}

# Each row of the trace beside the op that it was written from.
gpu = export("gpu-trace", "gpu")
for (units, rows), (rank, ops, calls) in zip(tables(open(gpu).read()), processes, strict=True):
    assert units["Start"] == units["Duration"] == "ms" and units["Size"] == "B"
    assert len(rows) == len(ops) and rows == sorted(rows, key=lambda x: whole(x["Start"]))
    for row, op in zip(rows, sorted(ops, key=lambda x: x["start_ns"])):
        assert whole(row["Start"]) == op["start_ns"] - first and whole(row["Duration"]) == op["dur_ns"], (row, op)
        assert (int(row["Device"].rsplit("(", 1)[1].rstrip(")")), int(row["Stream"])) == op["place"], (row, op)
        assert row["Correlation_ID"] == (str(op["correlation"]) if op["correlation"] else ""), (row, op)
        if op["op_kind"] == 1:
            assert op["name"][:2] == "_Z" or row["Name"] == op["name"], (row, op)
            assert [row[k] for k in ("Grid X", "Block Y", "Registers Per Thread", "Static SMem")] == [
                str(op["shape"][k]) for k in ("grid_x", "block_y", "registers", "static_shared")] or not op["shape"], (row, op)
        else:
            assert row["Name"] == (WORDS.get(op["copy_dir"], "[CUDA memcpy Unknown]") if op["op_kind"] == 2 else "[CUDA memset]"), (row, op)
            assert float(row["Size"]) == op["bytes"], (row, op)

# Imported again: the same kernels and durations to the ns, the same busy time.
again = dumped(imported(gpu))
for (rank, ops, _), (rank2, ops2, calls2) in zip(processes, again, strict=True):
    assert not calls2
    key = lambda x: (x["op_kind"], x["dur_ns"], x["start_ns"] - base, x["place"], x["copy_dir"], x["bytes"], x["memory"], x["correlation"], str(x["shape"]))
    base = first
    left = collections.Counter(key(x) for x in ops)
    base = 0
    got = collections.Counter(key(x) for x in ops2)
    assert left == got, (rank, list((left - got).items())[:2], list((got - left).items())[:2])
    assert len({x["name"] for x in ops if x["op_kind"] == 1}) == len({x["name"] for x in ops2 if x["op_kind"] == 1})
before, after = busy(run), busy(gpu + ".run")
assert [x[1:] for x in before] == [x[1:] for x in after], (before, after)

# With the calls: what launched what, so no idle time is unexplained for want of a launch.
both = imported(export("gpu-trace,api-trace", "both"))
assert [x[1:] for x in busy(both)] == [x[1:] for x in before]
for (_, _, calls), (_, _, calls2) in zip(processes, dumped(both), strict=True):
    key = lambda x: (x["start_ns"], x["dur_ns"], x["correlation"])
    assert sorted((s - first, d, c) for s, d, c in map(key, calls)) == sorted(map(key, calls2))
quality = [json.loads(call("report", "--json", x))["quality"]["unmatched_ops"] for x in (run, both)]
assert quality[0] == quality[1], quality
api = export("api-trace", "api")
for (units, rows), (_, _, calls) in zip(tables(open(api).read()), processes, strict=True):
    assert list(units) == ["Start", "Duration", "Name", "Correlation_ID"] and len(rows) == len(calls)

# Sums are those of the rows.
for (units, rows), (_, ops, calls) in zip(tables(open(export("summary", "sums")).read()), processes, strict=True):
    for kind, events in (("GPU activities", ops), ("API calls", calls)):
        mine = [x for x in rows if x["Type"] == kind]
        assert sum(whole(x["Time"]) for x in mine) == sum(x["dur_ns"] for x in events), kind
        assert sum(int(x["Calls"]) for x in mine) == len(events)
        assert abs(sum(float(x["Time(%)"]) for x in mine) - 100) < 1e-3
        assert min(whole(x["Min"]) for x in mine) == min(x["dur_ns"] for x in events)
        assert max(whole(x["Max"]) for x in mine) == max(x["dur_ns"] for x in events)
        assert mine == sorted(mine, key=lambda x: -whole(x["Time"]))
print("%d processes, %d ops, %d calls" % (len(processes), sum(len(x[1]) for x in processes), sum(len(x[2]) for x in processes)))
