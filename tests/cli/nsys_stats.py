#!/usr/bin/env python3
"""NVIDIA's own `nsys stats` on an export of baton, beside `baton stats` of the run that was exported.

    nsys_stats.py NSYS BATON DIR FILE.sqlite

Runs every table that both have, and compares cell by cell. The rules of EXCUSED say where the two
may differ (docs/STATS.md, docs/COMPATIBILITY.md); cells that need one are counted apart. Prints a
line for each table, and the reports of nsys that have rows; status 1 where cells differ."""

import csv
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter

TABLES = ["cuda_gpu_kern_sum", "cuda_gpu_trace", "cuda_api_sum", "cuda_api_trace", "cuda_kern_exec_sum",
          "cuda_kern_exec_trace", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "cuda_gpu_sum", "nvtx_sum",
          "nvtx_pushpop_sum", "nvtx_gpu_proj_sum", "nvtx_kern_sum"]
OTHERS = ["cuda_api_gpu_sum", "cuda_gpu_kern_gb_sum", "nvtx_pushpop_trace", "nvtx_gpu_proj_trace"]  # nsys only
STARTS = ("Start (ns)", "API Start (ns)", "Queue Start (ns)", "Kernel Start (ns)")


def close(a, b, part):
    try:
        return abs(float(a) - float(b)) <= part * max(abs(float(a)), abs(float(b))) + 0.1000001
    except ValueError:
        return False


def throughput(a, b, row):
    """nsys divides 10^9 by the duration first, and drops the fraction."""
    took = int(row["Duration (ns)"])
    return a != "" and abs(float(a) * took / 1e9 * (10 ** 9 // took) - float(b)) <= 1e-6 * float(a) + 0.001


# (the rule; does it fit a column, our cell, nsys's cell, our row)
EXCUSED = [
    ("ids of later processes are moved",
     lambda c, a, b, r: c in ("CorrId", "CorrID") and b != "" and int(a) > 0 and int(b) > int(a)),
    ("of rows without a correlation id (baton prints 0)", lambda c, a, b, r: c in ("CorrId", "CorrID") and (a, b) == ("0", "")),
    ("of an unknown geometry (nsys prints 0 0 0)",
     lambda c, a, b, r: c in ("GridXYZ", "BlockXYZ") and a == "" and b.split() == ["0"] * 3),
    ("of memory kinds of a recording (pageable or not)",
     lambda c, a, b, r: c in ("SrcMemKd", "DstMemKd") and a == "" and b in ("Unknown", "Pageable")),
    ("of throughput (nsys drops a fraction)", lambda c, a, b, r: c == "Throughput (MB/s)" and throughput(a, b, r)),
    ("of a GPU without a name (nsys begins with a blank)", lambda c, a, b, r: c == "Device" and b == " " + a),
    ("of deviations of nothing (nsys prints 0.0)", lambda c, a, b, r: c == "QStdDev (ns)" and (a, b, r["QCount"]) == ("", "0.0", "0")),
    ("of ranges of PyTorch's profiler, which are push/pop ranges in the file",
     lambda c, a, b, r: c == "Style" and a in ("Annotation", "Operator") and b == "PushPop"),
    ("of a last digit", lambda c, a, b, r: "." in a and close(a, b, 1e-9)),
]


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def read(path):
    if not os.path.exists(path):
        return [], []
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return (rows[0], rows[1:]) if rows else ([], [])


def shifted(heads, rows):
    """Starts from the first row's on: a file of one rank begins with the run, not with the rank."""
    columns = [i for i, head in enumerate(heads) if head in STARTS]
    if not columns or not rows:
        return rows
    first = min(int(row[columns[0]]) for row in rows)
    return [[str(int(c) - first) if i in columns and c else c for i, c in enumerate(row)] for row in rows]


def in_order(heads, rows):
    """By what no rule touches; both sides have the same order then, as far as rows can be told apart."""
    lax = ("CorrId", "CorrID", "GridXYZ", "BlockXYZ", "SrcMemKd", "DstMemKd", "Throughput (MB/s)", "GreenCtx")
    firm = [i for i, head in enumerate(heads) if head not in lax and "Avg" not in head and "StdDev" not in head and
            "Time (%)" not in head and "Med" not in head]
    lax_ones = [i for i in range(len(heads)) if i not in firm]
    return sorted(rows, key=lambda row: ([row[i] for i in firm], [row[i].rjust(24) for i in lax_ones]))


def no_ranges(path):
    return not sqlite3.connect(path).execute("SELECT 1 FROM sqlite_master WHERE name = 'NVTX_EVENTS'").fetchall()


def compare(table, ours, theirs):
    (heads, a), (other_heads, b) = ours, theirs
    if heads != other_heads or len(a) != len(b):
        print(f"{table}: {len(a)} rows, nsys has {len(b)}; heads {'equal' if heads == other_heads else other_heads}")
        return False
    excused, wrong, equal = Counter(), [], 0
    for row, other in zip(in_order(heads, shifted(heads, a)), in_order(heads, shifted(heads, b))):
        named = dict(zip(heads, row))
        for column, mine, cell in zip(heads, row, other):
            if mine.startswith("'") and mine[1:2] in "=+-@":
                mine = mine[1:]
            rule = next((name for name, fits in EXCUSED if mine != cell and fits(column, mine, cell, named)), None)
            equal += mine == cell
            if rule:
                excused[rule] += 1
            elif mine != cell:
                wrong.append((column, mine, cell))
    print(f"{table}: {len(a)} rows, {equal} cells equal" + "".join(f"; {n} {rule}" for rule, n in excused.items()) +
          (f"; {len(wrong)} differ: {wrong[:5]}" if wrong else ""))
    return not wrong


def main():
    nsys, baton, directory, path = sys.argv[1:]
    good = True
    with tempfile.TemporaryDirectory() as work:
        for program, base in ((nsys, "theirs"), (baton, "ours")):
            names = ",".join(TABLES + (OTHERS if program == nsys else []))
            made = run([program, "stats", "-f", "csv", "-o", f"{work}/{base}", "-r", names, path if program == nsys else directory])
            if made.returncode not in (0, 4):
                print(made.stdout, made.stderr)
                return 1
        for table in TABLES:
            ours, theirs = (read(f"{work}/{base}_{table}.csv") for base in ("ours", "theirs"))
            if not theirs[0] and (not ours[1] or table.startswith("nvtx") and no_ranges(path)):
                print(f"{table}: skipped by nsys, for it has no rows")
                continue
            good = compare(table, ours, theirs) and good
        rows = {name: len(read(f"{work}/theirs_{name}.csv")[1]) for name in TABLES + OTHERS}
        print(f"reports of nsys with rows: {sum(n > 0 for n in rows.values())} of {len(rows)}")
    return 0 if good else 1


sys.exit(main())
