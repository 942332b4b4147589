#!/usr/bin/env python3
"""Part of `make bench-scale`: the jitter study (docs/JITTER.md) of one run by baton and by other tools, in turn.

    others.py [--build build/release] [--ranks 48] [--steps 50] [--rounds 3] [--work DIR]

The run is made by baton-sim and exported by `baton export`. Every tool has a process of its own; wall time, CPU time and
peak RSS are those of the whole process, with the start of Python and its imports. All have to find the same sums
(others_study.py): where one differs, that is said and the exit status is 1. HolisticTraceAnalysis has no jitter study and
takes long: it runs its own analyses on a run of few ranks and steps, and its sum of durations has to be ours. What cannot be
installed here is left out, with a line that says so. Disk: about 250 bytes a kernel.
"""

import argparse
import csv
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from scale import KERNELS, first_range, machine, run

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALL, TOOLS = (os.path.normpath(os.path.join(HERE, "../..", directory)) for directory in ("tests/tools", "build/tools"))
BYTES_PER_KERNEL = 250
MOST_STEPS = 999  # means have three digits: times as many steps they are whole numbers
HTA_RANKS, HTA_STEPS = 2, 10
ENVIRONMENTS = {"tables": "pandas, DuckDB on Parquet, and the C loop, for which numpy writes the columns",
                "duckdb-sqlite": "DuckDB on SQLite", "hta": "HTA"}
STUDIES = (("pandas-parquet", "tables", ("pandas", "Parquet")), ("pandas-sqlite", "tables", ("pandas", "SQLite")),
           ("duckdb-parquet", "tables", ("duckdb", "Parquet")), ("duckdb-sqlite", "duckdb-sqlite", ("duckdb", "SQLite")))


def python_of(name):
    """The Python of build/tools/NAME, which is installed now if it is not there; None: it cannot be had, and why was said."""
    script, *what = {"tables": ("install_tables.sh",)}.get(name, ("install_tools.sh", name))
    done = subprocess.run(["sh", os.path.join(INSTALL, script), *what], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"left out   {ENVIRONMENTS[name]}: {done.stdout.strip()}", flush=True)
        return None
    return os.path.join(TOOLS, name, "bin/python")


def version(options, python, package):
    return run(options.build, python, "-c", f"import importlib.metadata as m; print(m.version('{package}'))")["output"].strip()


def make_run(options, out, ranks, steps):
    run(options.build, os.path.join(options.build, "baton-sim"), "-o", out, "--ranks", str(ranks), "--steps", str(steps),
        "--kernels", str(KERNELS), "--nvtx", "on", "--threads", str(os.cpu_count()))


def exported(options, directory, out, *form):
    """Exports the run. (bytes, seconds)."""
    done = run(options.build, os.path.join(options.build, "baton"), "export", "--quiet", *form, "-o", out, directory)
    return sum(os.path.getsize(f) for f in glob.glob(out + "/**", recursive=True) if os.path.isfile(f)), done["wall"]


# ---- what baton says ----

def matrix(directory, measure, steps):
    """{position: (class, sums over the steps by rank)}: a mean times the steps is a whole number of ns."""
    rows = {}
    with open(os.path.join(directory, measure + ".csv"), encoding="utf-8", newline="") as file:
        for position, stream, _, *means in list(csv.reader(file))[1:]:
            rows[int(position)] = (stream, [round(float(mean) * steps) for mean in means[:-1]])
    return rows


def sums_of_matrices(options, directory, name, steps):
    with tempfile.TemporaryDirectory(dir=os.path.dirname(directory)) as out:
        run(options.build, os.path.join(options.build, "baton"), "jitter", "--quiet", "--step-range", name, "--csv", out, directory)
        tables = {m: matrix(out, m, steps) for m in ("duration", "gap", "time_to_end", "launch_to_start")}
    streams = [stream for stream, _ in tables["duration"].values()]
    closing = max(i for i, stream in enumerate(streams) if stream == "nccl")
    last = max(i for i, stream in enumerate(streams[:closing]) if stream == "main")
    whole = {short: sum(sum(sums) for _, sums in tables[m].values()) for short, m in
             (("D", "duration"), ("G", "gap"), ("L", "launch_to_start"))}
    return whole | {"T": sum(tables["time_to_end"][last][1])}


def baton_sums(options, directory, name, output):
    """The sums that the matrices and the series of `baton jitter` have. The series has T too, to its rounding."""
    study = json.loads(output)
    series, ranks = study["series"], len(study["ranks"])
    odd = [r["rank"] for r in study["ranks"] if r["steps"] != study["steps"] or r["kernels_missing"] or r["kernels_extra"]]
    if ranks != options.ranks or odd:
        sys.exit(f"bench-scale: baton jitter: {ranks} ranks, steps or kernels are left out of {odd[:3]}")
    sums = sums_of_matrices(options, directory, name, study["steps"])
    sums |= {"first ranks": sum(s["min_rank"] for s in series), "last ranks": sum(s["max_rank"] for s in series)}
    total = sum(s["mean_ns"] * s["ranks"] for s in series)
    if abs(total - sums["T"]) > ranks * len(series) / 2 + 1:
        sys.exit(f"bench-scale: baton jitter: T is {total} by the series and {sums['T']} by the matrix")
    return {"kernels": study["kernels_per_step"] * study["steps"] * ranks, "sums": sums, "steps": study["steps"]}


# ---- the studies ----

def commands(options, work, spec):
    """(label, command) of each tool that can be had."""
    path, rows = os.path.join(work, "spec.json"), []
    with open(path, "w", encoding="utf-8") as file:
        json.dump(spec, file)
    loop = [os.path.join(options.build, "jitter_loop"), os.path.join(spec["columns"], "classes")]
    tables = python_of("tables")
    if tables:
        run(options.build, tables, os.path.join(HERE, "others_study.py"), "columns", path)
        rows.append(("C loop on bare columns", loop + sorted(glob.glob(spec["columns"] + "/*.i64"))))
    for study, environment, (package, on) in STUDIES:
        python = tables if environment == "tables" else python_of(environment)
        if python:
            label = {"pandas": "pandas", "duckdb": "DuckDB"}[package] + " " + version(options, python, package)
            rows.append((f"{label} on {on}", [python, os.path.join(HERE, "others_study.py"), study, path]))
    return rows


def measured(options, rows):
    """{label: medians of the rounds, and what it printed}, all tools in turn."""
    rounds = [{label: run(options.build, *command) for label, command in rows} for _ in range(options.rounds)]
    return {label: {f: statistics.median(r[label][f] for r in rounds) for f in ("wall", "cpu", "mib")} |
            {"output": rounds[-1][label]["output"]} for label, _ in rows}


def differences(found):
    """A line for each sum that is not baton's."""
    (_, first), *rest = found.items()
    return [f"{label}: {key} is {value}, baton jitter has {want}" for label, answer in rest
            for key, value, want in [("kernels", answer["kernels"], first["kernels"])] +
            [(k, answer["sums"].get(k), v) for k, v in first["sums"].items()] if value != want]


def print_times(results, n):
    ours = results["baton jitter"]["cpu"]
    print(f"           {'':30}  {'wall s':>8} {'CPU s':>8} {'RSS MiB':>8} {'ns of CPU a kernel':>20} {'times the CPU of baton':>23}")
    for label, r in results.items():
        print(f"           {label:30}  {r['wall']:8.2f} {r['cpu']:8.2f} {r['mib']:8.0f} {1e9 * r['cpu'] / n:20.0f} {r['cpu'] / ours:23.2f}")


def compare(options, work):
    directory = os.path.join(work, "run")
    make_run(options, directory, options.ranks, options.steps)
    spec = {"work": work, "ranks": options.ranks, "range": first_range(options, sorted(glob.glob(directory + "/*.baton"))[0]),
            "sqlite": os.path.join(work, "sqlite"), "parquet": os.path.join(work, "parquet"), "columns": os.path.join(work, "columns")}
    os.mkdir(spec["columns"])
    sqlite = exported(options, directory, spec["sqlite"], "--format", "nsys-sqlite", "--one-per-rank")
    parquet = exported(options, directory, spec["parquet"], "--format", "parquet", "--partition", "rank")
    ask = [os.path.join(options.build, "baton"), "jitter", "--quiet", "--json", "--step-range", spec["range"], directory]
    ours = baton_sums(options, directory, spec["range"], run(options.build, *ask)["output"])
    spec["skip"] = options.steps - ours["steps"]
    n = ours["kernels"]
    print(f"others     the jitter study alone: {options.ranks} ranks x {ours['steps']} steps x {n // options.ranks // ours['steps']} "
          f"kernels = {n / 1e6:.2f} M, each with its launch (BENCH_OTHERS={options.ranks});", flush=True)
    print(f"           one process each, the start of Python included, median of {options.rounds} in turn; in the Parquet tables "
          "each kernel already has its launch", flush=True)
    print(f"exported   SQLite {sqlite[0] / 1e6:.0f} MB in {sqlite[1]:.1f} s, Parquet {parquet[0] / 1e6:.0f} MB in {parquet[1]:.1f} s: "
          "not in the times below", flush=True)
    rows = [("baton jitter", ask)] + commands(options, work, spec)
    results = measured(options, rows)
    found = {"baton jitter": ours} | {label: json.loads(results[label]["output"]) for label, _ in rows[1:]}
    print_times(results, n)
    wrong = differences(found)
    if wrong:
        sys.exit("bench-scale: sums differ\n  " + "\n  ".join(wrong))
    whose = "equal for all of them" if len(rows) > 1 else "of baton alone"
    print(f"sums       {whose}: " + ", ".join(f"{key} {value}" for key, value in ours["sums"].items()))


# ---- HolisticTraceAnalysis ----

def durations(options, directory):
    """(kernels, sum of their durations in ns) of all that the run recorded."""
    n = total = 0
    for line in run(options.build, os.path.join(options.build, "baton"), "dump", "--json", directory)["output"].splitlines():
        row = json.loads(line)
        if row["record"] == "op" and row["op_kind"] == 1:
            n, total = n + 1, total + row["dur_ns"]
    return n, total


def compare_hta(options, work, whole):
    python = python_of("hta")
    if not python:
        return
    directory, kineto, path = (os.path.join(work, name) for name in ("few", "kineto", "hta.json"))
    make_run(options, directory, HTA_RANKS, HTA_STEPS)
    size, _ = exported(options, directory, kineto, "--format", "kineto")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"kineto": kineto}, file)
    done = run(options.build, python, os.path.join(HERE, "others_study.py"), "hta", path)
    study = json.loads(done["output"].splitlines()[-1])
    n, total = durations(options, directory)
    if (study["kernels"], study["sums"]["D"]) != (n, total):
        sys.exit(f"bench-scale: HTA: {study['kernels']} kernels, {study['sums']['D']} ns; baton has {n}, {total}")
    us = 1e6 * study["cpu"] / n
    print(f"HTA        {version(options, python, 'HolisticTraceAnalysis')} on Kineto JSON has no jitter study. It loads the timeline, sums "
          "busy and idle time, idle time by cause, and kernels by name;")
    print(f"           {HTA_RANKS} ranks x {HTA_STEPS} steps, {n} kernels, {size / 1e6:.0f} MB: {study['wall']:.1f} s wall and "
          f"{study['cpu']:.1f} s CPU after a start of {study['start']:.1f} s, {us:.0f} us of CPU a kernel, RSS {done['mib']:.0f} MiB;")
    print(f"           its durations add up to ours. Extrapolated, not run: {whole / 1e6:.2f} M kernels would take {us * whole / 6e7:.1f} "
          "minutes of CPU")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=48)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", default=None, help="where the run is made (the system's temporary directory)")
    parser.add_argument("--no-machine", action="store_true", help="the caller has printed what machine this is")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if not 1 < options.ranks or not 3 < options.steps <= MOST_STEPS:
        parser.error(f"at least 2 ranks, and 4 to {MOST_STEPS} steps")
    if not options.no_machine:
        print(f"{machine()}; {time.strftime('%Y-%m-%d')}", flush=True)
    kernels = options.ranks * options.steps * KERNELS
    with tempfile.TemporaryDirectory(prefix="baton-others.", dir=options.work) as work:
        if shutil.disk_usage(work).free < kernels * BYTES_PER_KERNEL:
            print(f"left out   other tools: {work} has not the {kernels * BYTES_PER_KERNEL / 1e6:.0f} MB that they want free")
            return
        compare(options, work)
        compare_hta(options, work, kernels)


if __name__ == "__main__":
    main()
