"""A second implementation of docs/JITTER.md, Measures, as plain loops over `baton dump`:
jitter_reference.py BATON RUN CSVDIR [STEP_RANGE]. Compares the matrices and the series of steps that `baton jitter --csv` wrote."""

import csv
import glob
import json
import os
import subprocess
import sys

KERNEL, NO_LAUNCH = 1, None
OTHER_SEQUENCES = 77


def lines(*command):
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        yield json.loads(line)


def read_trace(baton, path):
    """(rank, device's key, kernels): each (launch start, start, end, stream, name, is NCCL), in the order of launches."""
    calls, ops, rank, host, ordinal = {}, [], None, None, None
    collectives = set()
    for row in lines(baton, "dump", "--json", path):
        if row["record"] == "process":
            rank, host = row["rank"], row["host"]
        elif row["record"] == "device":
            ordinal = row["ordinal"]
        elif row["record"] == "call" and row["correlation"] and row["correlation"] not in calls:
            calls[row["correlation"]] = row["start_ns"]
        elif row["record"] == "collective":
            collectives.add(row["correlation"])
        elif row["record"] == "op" and row["op_kind"] == KERNEL:
            ops.append(row)
    kernels = []
    for row in sorted(ops, key=lambda row: row["start_ns"]):
        nccl = row["correlation"] in collectives or "nccl" in row["name"].lower()
        kernels.append((calls.get(row["correlation"], NO_LAUNCH), row["start_ns"], row["start_ns"] + row["dur_ns"], row["stream"],
                        row["name"], nccl))
    kernels.sort(key=lambda k: k[1] if k[0] is NO_LAUNCH else k[0])
    return rank, "%s/%s" % (host, ordinal), kernels


def steps_of(baton, run, by):
    """{device: [(number or place, begin, end)]}"""
    found = {}
    for row in lines(baton, "dump", "--step-list", "--json", *by, run):
        number = row["step"] if row["number"] is None else row["number"]
        found.setdefault(row["device"], []).append((number, row["begin_ns"], row["end_ns"]))
    return found


def measure(kernels):
    """One step of one rank: rows of (D, G, T, L), X, T at the last kernel; without the gap before the step."""
    streams = [k[3] for k in kernels if not k[5]]
    main = max(sorted(set(streams)), key=streams.count)
    rows, total, before, first, last, reach, at_last = [], 0, None, None, None, None, None
    for ls, start, end, stream, name, nccl in kernels:
        gap = 0
        if not nccl and stream == main:
            gap = 0 if before is None else start - before
            first = start if first is None else first
            total += gap + end - start
            before = end
        if nccl and "SendRecv" not in name:
            reach, at_last = end - first, total
        rows.append((end - start, gap, total, None if ls is NO_LAUNCH else start - ls))
        last = total
    first_place = next(i for i, k in enumerate(kernels) if not k[5] and k[3] == main)
    return rows, reach, last if at_last is None else at_last, first_place


def study(baton, run, by):
    """{rank: {step: measured}}, names of the sequence that all have."""
    measured, sequence = {}, None
    devices = steps_of(baton, run, by)
    for path in sorted(glob.glob(os.path.join(run, "*.baton"))):
        if os.path.basename(path) == "summary.baton":
            continue
        rank, device, kernels = read_trace(baton, path)
        for number, begin, end in devices[device]:
            own = [k for k in kernels if begin <= (k[1] if k[0] is NO_LAUNCH else k[0]) < end]
            names = [k[4] for k in own]
            sequence = sequence or names
            if names != sequence:
                print("rank %d step %d has another sequence: this loop takes equal ones" % (rank, number))
                sys.exit(OTHER_SEQUENCES)
            measured.setdefault(rank, {})[number] = measure(own)
    return measured, sequence


def matrices(measured, n):
    """{matrix: rows of positions, columns of ranks}, and the series."""
    ranks = sorted(measured)
    steps = sorted(set.intersection(*(set(measured[r]) for r in ranks)))
    before = {r: {} for r in ranks}
    series = []
    for s in steps:
        reach = {r: measured[r][s][1] for r in ranks}
        most = None if None in reach.values() else max(reach.values())
        for r in ranks:
            before[r][s] = 0 if most is None else most - reach[r]
        at = {r: measured[r][s][2] + before[r][s] for r in ranks}
        least, last = min(ranks, key=lambda r: (at[r], r)), max(ranks, key=lambda r: (at[r], -r))
        series.append((s, len(ranks), least, at[least], last, at[last]))
    out = {name: [[0.0] * len(ranks) for _ in range(n)] for name in ("duration", "gap", "time_to_end", "launch_to_start")}
    for c, r in enumerate(ranks):
        for s in steps:
            rows, _, _, first = measured[r][s]
            for k, (d, g, t, ls) in enumerate(rows):
                out["duration"][k][c] += d / len(steps)
                out["gap"][k][c] += (g + (before[r][s] if k == first else 0)) / len(steps)
                out["time_to_end"][k][c] += (t + (before[r][s] if k >= first else 0)) / len(steps)
                out["launch_to_start"][k][c] += ls / len(steps)
    for name in list(out):
        out[name + "_minus_mean"] = [[x - sum(row) / len(row) for x in row] for row in out[name]]
    return out, series


def main():
    baton, run, folder = sys.argv[1:4]
    measured, sequence = study(baton, run, ["--step-range", sys.argv[4]] if len(sys.argv) > 4 else [])
    expected, series = matrices(measured, len(sequence))
    cells = 0
    for name, rows in expected.items():
        with open(os.path.join(folder, name + ".csv"), newline="") as file:
            table = list(csv.reader(file))
        if len(table) != len(sequence) + 1 or [row[2] for row in table[1:]] != sequence:
            sys.exit("%s: %d rows for %d kernels, or other names" % (name, len(table) - 1, len(sequence)))
        for k, (row, values) in enumerate(zip(table[1:], rows)):
            for r, value in enumerate(values):
                cells += 1
                if abs(float(row[3 + r]) - value) > 0.01:
                    sys.exit("%s: kernel %d, rank %d: %s, the loop has %.3f" % (name, k, r, row[3 + r], value))
    with open(os.path.join(folder, "steps.csv"), newline="") as file:
        written = [tuple(map(int, row[:6])) for row in list(csv.reader(file))[1:]]
    if written != series:
        sys.exit("the series of steps: %s, the loop has %s" % (written[:2], series[:2]))
    print("%d cells, %d steps" % (cells, len(series)))


main()
