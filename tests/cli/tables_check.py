"""The tables of `baton export --format csv` beside `baton report --json` and `baton dump`.

tables_check.py BATON RUN DIR   prints what was compared; an AssertionError says what differs
"""

import collections
import csv
import glob
import json
import os
import subprocess
import sys

csv.field_size_limit(1 << 30)


def rows(directory, table):
    """The rows of a table, with the columns in the names of its directories."""
    files = sorted(glob.glob(f"{directory}/{table}/**/*.csv", recursive=True))
    assert files, f"{table}: no file"
    for path in files:
        part = dict(p.split("=") for p in os.path.relpath(path, directory).split("/") if "=" in p)
        with open(path, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                yield {**row, **part}


def report(baton, run):
    return json.loads(subprocess.run([baton, "report", "--json", run], capture_output=True, check=True).stdout)


def cell(value):
    return "" if value is None else str(value)


def sums(directory):
    """The report's numbers from the tables."""
    by = collections.defaultdict(collections.Counter)
    for r in rows(directory, "kernels"):
        if r["step"] == "-1":
            continue
        by["busy"][r["device"], r["group"]] += int(r["dur_ns"])
        by["kernels"][r["device"]] += r["kind"] == "kernel"
        by["total"][r["name"], r["class"]] += int(r["dur_ns"])
        by["count"][r["name"], r["class"]] += 1
    for r in rows(directory, "gaps"):
        by["idle"][r["device"], r["leaf"]] += int(r["dur_ns"])
    for r in rows(directory, "steps"):
        by["window"][r["device"]] += int(r["dur_ns"])
    for r in rows(directory, "collectives"):
        if r["step"] == "-1":
            continue
        for part in ("transfer_ns", "wait_ns", "unsplit_ns"):
            key = r["op"], r["comm"], r["ranks"], r["bytes"], r["unsplit_reason"], part
            by["nccl"][key] += int(r[part])
    return by


def wanted(doc):
    """The same from the report."""
    by = collections.defaultdict(collections.Counter)
    for d in doc["devices"]:
        for group, ns in d["busy_ns"].items():
            by["busy"][d["device"], group] += ns
        for leaf, ns in d["time_ns"].items():
            if leaf.startswith("idle."):
                by["idle"][d["device"], leaf] += ns
        by["kernels"][d["device"]] += d["kernels"]
        by["window"][d["device"]] += d["window_ns"]
    for k in doc["kernels"]:
        by["total"][k["name"], k["class"]] += k["total_ns"]
        by["count"][k["name"], k["class"]] += k["count"]
    for n in doc["nccl"]:
        for part in ("transfer_ns", "wait_ns", "unsplit_ns"):
            key = n["op"], cell(n["comm"]), cell(n["ranks"] or None), cell(n["bytes"]), cell(n["unsplit_reason"]), part
            by["nccl"][key] += n[part]
    return by


def nonzero(counter):
    return {k: v for k, v in counter.items() if v}


def compare_report(baton, run, directory):
    want, got = wanted(report(baton, run)), sums(directory)
    if not got["window"]:  # no steps: the run is one
        del want["window"]
    for what in want:
        a, b = nonzero(want[what]), nonzero(got[what])
        assert a == b, (what, {k: (a.get(k), b.get(k)) for k in a.keys() | b.keys() if a.get(k) != b.get(k)})
    return sum(len(nonzero(c)) for c in want.values())


def dumped(baton, run, check=True):
    out = subprocess.run([baton, "dump", "--json", run], capture_output=True, check=check, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def compare_dump(baton, run, directory):
    """Numbers of rows and sums of durations, table by table."""
    names = {"op": "kernels", "call": "calls", "range": "ranges"}
    want = {t: [0, 0] for t in names.values()}
    for row in dumped(baton, run):
        if row["record"] in names:
            n = want[names[row["record"]]]
            n[0] += 1
            n[1] += row["dur_ns"]
    about = json.load(open(f"{directory}/_baton.json", encoding="utf-8"))
    for table, expected in want.items():
        got = [0, 0]
        for row in rows(directory, table):
            got[0] += 1
            got[1] += int(row["dur_ns"])
        assert got == expected, (table, got, expected)
        assert about["tables"][table]["rows"] == got[0], table
    return sum(n for n, _ in want.values())


def main():
    baton, run, directory = sys.argv[1:]
    figures = compare_report(baton, run, directory)
    print(f"{figures} figures, {compare_dump(baton, run, directory)} rows")


if __name__ == "__main__":
    main()
