#!/usr/bin/env python3
"""`make bench-scale`: a run of 960 ranks x 903 kernels x 50 steps through the encoder, the reducer and the report.

    scale.py [--build build/release] [--ranks 960] [--steps 50] [--rounds 3] [--work DIR] [--fault slow_gpu=20@17]

The trace is made by baton-sim in a temporary directory (about 0.55 MB a rank), which is removed afterwards. Under the
reducer stands its floor: a plain loop on one core over the same blocks, with the same decoder (decode_loop). What others
need is text: it was measured elsewhere, on the same number of kernels.
"""

import argparse
import glob
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

KERNELS = 903
BYTES_PER_KERNEL = 14  # room to ask for on the disk, half the steps included

OTHERS = """\
beside it, the jitter study alone on as many kernels with a launch record each (960 ranks x 50 steps x 903 kernels), all
five checksums equal, 2-core Xeon guest, 21 November 2026; wall, peak RSS:
  pandas on nsys-like SQLite            91.3 s   2138 MiB
  DuckDB 1.5.5 on the same SQLite       41.0 s   8358 MiB
  DuckDB 2.0.0 on Parquet               34.6 s   6665 MiB
  pandas on Parquet                     19.2 s   2191 MiB
  a C loop on one core, rows of its own  0.345 s   16 MiB   (sums, gap union, group by instead of jitter: 0.649 s)
  HTA 0.5.0 on Kineto JSON               about 3 h, about 230 GB   (extrapolated from 0.15-0.30 ms a kernel)
source: the anchor figures that the design's budgets name; the rows `jitter` above are baton's study of its own run."""


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}"


def run(*command):
    """One child: its wall and CPU seconds, peak RSS in MiB, standard output."""
    with tempfile.TemporaryFile("w+") as messages:
        begin = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages, text=True) as child:
            output = child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        if child.returncode != 0:
            messages.seek(0)
            sys.exit(f"bench-scale: {' '.join(command[:4])} ...: status {child.returncode}: {messages.read().strip()}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "mib": usage.ru_maxrss / 1024, "output": output}


def simulate(options, out, steps):
    return run(os.path.join(options.build, "baton-sim"), "-o", out, "--ranks", str(options.ranks), "--steps", str(steps),
               "--kernels", str(KERNELS), "--nvtx", "on", "--threads", str(os.cpu_count()),
               *(["--fault", options.fault] if options.fault else []))


def reduce_and_report(options, directory):
    """The median of `rounds` fresh reductions, and the report that reads what they stored."""
    baton = os.path.join(options.build, "baton")
    rounds = []
    for _ in range(options.rounds):
        reduced = run(baton, "reduce", directory)
        reported = run(baton, "report", "--json", directory)
        rounds.append({"wall": reduced["wall"] + reported["wall"], "cpu": reduced["cpu"] + reported["cpu"],
                       "mib": max(reduced["mib"], reported["mib"]), "report": reported["wall"]})
    figures = {key: statistics.median(r[key] for r in rounds) for key in rounds[0]}
    report = json.loads(reported["output"])
    return figures | {"kernels": sum(d["kernels"] for d in report["devices"]), "least": min(r["wall"] for r in rounds),
                      "devices": len(report["devices"])}


def first_range(options, trace):
    """The name of the first NVTX range: each step has one."""
    with subprocess.Popen([os.path.join(options.build, "baton"), "dump", "--json", trace], stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            row = json.loads(line)
            if row["record"] == "range" and row["category"] == 1:
                child.kill()
                return row["name"]
    sys.exit("bench-scale: no NVTX range in %s" % trace)


def jitter(options, directory, traces):
    """{how steps are found: median figures of `rounds`} of the jitter study of the same run, in turn."""
    baton, name = os.path.join(options.build, "baton"), first_range(options, traces[0])
    how = {"by marks": ["--step-range", name], "by periodicity": []}
    rounds = [{key: run(baton, "jitter", "--json", *more, directory) for key, more in how.items()} for _ in range(options.rounds)]
    for key in how:
        study = json.loads(rounds[0][key]["output"])
        if study["kernels_per_step"] < KERNELS - 3 or len(study["ranks"]) != options.ranks:
            sys.exit(f"bench-scale: jitter {key}: {study['kernels_per_step']} kernels, {len(study['ranks'])} ranks")
    return {key: {f: statistics.median(r[key][f] for r in rounds) for f in ("wall", "cpu", "mib")} for key in how}


def floor(options, traces):
    """The loop's totals by table and its seconds, the least of `rounds`."""
    best = None
    for _ in range(options.rounds):
        totals = {}
        for line in run(os.path.join(options.build, "decode_loop"), *traces)["output"].splitlines():
            words = line.split()
            totals[words[0]] = float(words[1])
            totals |= {f"{words[0]}.{k}": float(v) for k, v in zip(words[2::2], words[3::2])}
        best = totals if best is None or totals["seconds"] < best["seconds"] else best
    return best


def measure(options, work):
    whole, half = os.path.join(work, "whole"), os.path.join(work, "half")
    made = simulate(options, whole, options.steps)
    traces = sorted(glob.glob(os.path.join(whole, "*.baton")))
    size = sum(os.path.getsize(path) for path in traces)
    full = reduce_and_report(options, whole)
    loop = floor(options, traces)
    studies = jitter(options, whole, traces)
    shutil.rmtree(whole)
    simulate(options, half, options.steps // 2)
    less = reduce_and_report(options, half)
    n = full["kernels"]
    if full["devices"] != options.ranks or loop["ops"] < n:
        sys.exit(f"bench-scale: {full['devices']} devices, {n} kernels, {loop['ops']:.0f} ops: not the run that was asked for")
    blocks = loop["ops.bytes"] + loop["calls.bytes"]
    print(f"made       {made['wall']:.1f} s wall, {n / made['wall'] / 1e6:.1f} M kernels/s simulated and encoded")
    print(f"disk       {blocks / n:.1f} bytes a kernel (op and call blocks), {size / n:.1f} with all that the run recorded; "
          f"{size / 1e6:.0f} MB")
    print(f"reduce +   {full['wall']:.2f} s wall (median of {options.rounds}, least {full['least']:.2f}), {full['cpu']:.2f} s CPU, "
          f"RSS {full['mib']:.0f} MiB")
    print(f"report     {n / full['wall'] / 1e6:.1f} M kernels/s with their launches; the report alone {full['report']:.3f} s")
    for key, study in studies.items():
        print(f"jitter     {study['wall']:.2f} s wall, {study['cpu']:.2f} s CPU, {1e9 * study['cpu'] / n:.0f} ns a kernel, RSS "
              f"{study['mib']:.0f} MiB: steps {key}")
    print(f"half       {less['wall']:.2f} s wall, RSS {less['mib']:.0f} MiB: twice the steps change RSS by "
          f"{100 * (full['mib'] / less['mib'] - 1):+.1f} %")
    print(f"floor      {loop['seconds']:.2f} s on one core: a plain loop over the {loop['ops'] + loop['calls']:.0f} rows of the same "
          f"blocks; reduce + report take {full['cpu'] / loop['seconds']:.1f} x its CPU")
    print(f"a kernel   with its launch: {1e9 * loop['read'] / n:.0f} ns of CPU to read and check its blocks, "
          f"{1e9 * loop['decode'] / n:.0f} to decode them (the reducer does both once), {1e9 * full['cpu'] / n:.0f} for reduce + report")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=960)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fault", default=None, help="as baton-sim has it: a late rank makes the reduction replay a sample")
    parser.add_argument("--work", default=None, help="where the run is made (the system's temporary directory)")
    options = parser.parse_args()
    print(f"{machine()}; {time.strftime('%Y-%m-%d')}")
    print(f"{options.ranks} ranks x {options.steps} steps x {KERNELS} kernels, NVTX on")
    with tempfile.TemporaryDirectory(prefix="baton-scale.", dir=options.work) as work:
        needed = options.ranks * options.steps * KERNELS * BYTES_PER_KERNEL
        if shutil.disk_usage(work).free < 2 * needed:
            print(f"skipped: {work} has not the {2 * needed / 1e6:.0f} MB that this run wants free (--work, BENCH_RANKS)")
            return
        measure(options, work)
    print(OTHERS)


if __name__ == "__main__":
    main()
