#!/usr/bin/env python3
"""`make bench-scale`: a run of 960 ranks x 903 kernels x 50 steps through the encoder, the reducer and the report.

    scale.py [--build build/release] [--ranks 960] [--steps 50] [--rounds 3] [--others 48] [--work DIR] [--fault slow_gpu=20@17]

The trace is made by baton-sim in a temporary directory (about 0.55 MB a rank), which is removed afterwards. Under the
reducer stands its floor: a plain loop on one core over the same blocks, with the same decoder (decode_loop). Where its CPU
time goes is measured by `stages`, which is baton with clocks between its stages (stages.c). At the end others.py sets other
tools beside `baton jitter`, on a smaller run of --others ranks.
"""

import argparse
import glob
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

KERNELS = 903
BYTES_PER_KERNEL = 14  # room to ask for on the disk, half the steps included


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}"


def run(build, *command):
    """One child: its wall and CPU seconds, peak RSS in MiB, standard output and error. peak.c says why it stands between."""
    with tempfile.TemporaryDirectory() as work:
        usage = os.path.join(work, "usage")
        begin = time.perf_counter()
        done = subprocess.run([os.path.join(build, "peak"), usage, *command], capture_output=True, text=True, check=False)
        wall = time.perf_counter() - begin
        if done.returncode != 0:
            sys.exit(f"bench-scale: {' '.join(command[:4])} ...: status {done.returncode}: {done.stderr.strip()}")
        with open(usage, encoding="ascii") as file:
            kib, cpu = file.read().split()
    return {"wall": wall, "cpu": float(cpu), "mib": int(kib) / 1024, "output": done.stdout, "said": done.stderr}


def simulate(options, out, steps):
    return run(options.build, os.path.join(options.build, "baton-sim"), "-o", out, "--ranks", str(options.ranks), "--steps", str(steps),
               "--kernels", str(KERNELS), "--nvtx", "on", "--threads", str(os.cpu_count()),
               *(["--fault", options.fault] if options.fault else []))


def reduce_and_report(options, directory):
    """The median of `rounds` fresh reductions, and the report that reads what they stored."""
    baton = os.path.join(options.build, "baton")
    rounds = []
    for _ in range(options.rounds):
        reduced = run(options.build, baton, "reduce", directory)
        reported = run(options.build, baton, "report", "--json", directory)
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
    rounds = [{key: run(options.build, baton, "jitter", "--json", *more, directory) for key, more in how.items()}
              for _ in range(options.rounds)]
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
        for line in run(options.build, os.path.join(options.build, "decode_loop"), *traces)["output"].splitlines():
            words = line.split()
            totals[words[0]] = float(words[1])
            totals |= {f"{words[0]}.{k}": float(v) for k, v in zip(words[2::2], words[3::2])}
        best = totals if best is None or totals["seconds"] < best["seconds"] else best
    return best


def stages(options, directory, *arguments):
    """({stage: CPU seconds}, the CPU seconds of baton without the clocks): the least of `rounds`, both in turn."""
    spent, plain = [], []
    for _ in range(options.rounds):
        said = run(options.build, os.path.join(options.build, "stages"), *arguments, directory)["said"]
        spent.append({name: float(seconds) for name, seconds in re.findall(r"^([a-z]+) (\d+\.\d{6})$", said, re.MULTILINE)})
        plain.append(run(options.build, os.path.join(options.build, "baton"), *arguments, directory)["cpu"])
    return min(spent, key=lambda one: sum(one.values())), min(plain)


def print_stages(options, directory, traces, n):
    """The stages that a command has."""
    name = first_range(options, traces[0])
    for label, *arguments in (("report", "report", "--quiet", "--json", "--fresh"),
                              ("jitter", "jitter", "--quiet", "--json", "--step-range", name)):
        spent, plain = stages(options, directory, *arguments)
        what = ", ".join(f"{stage} {1e9 * s / n:.1f}" for stage, s in spent.items() if s > 0)
        print(f"stages     {label}: ns of CPU a kernel with its launch: {what}; all {1e9 * sum(spent.values()) / n:.0f}, "
              f"without these clocks {1e9 * plain / n:.0f}")


def measure(options, work):
    whole, half = os.path.join(work, "whole"), os.path.join(work, "half")
    made = simulate(options, whole, options.steps)
    traces = sorted(glob.glob(os.path.join(whole, "*.baton")))
    size = sum(os.path.getsize(path) for path in traces)
    full = reduce_and_report(options, whole)
    loop = floor(options, traces)
    studies = jitter(options, whole, traces)
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
    print_stages(options, whole, traces, n)


def others(options):
    """Other tools beside `baton jitter`. The status to end with."""
    more = ["--work", options.work] if options.work else []
    command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "others.py"), "--no-machine", "--build",
               options.build, "--ranks", str(options.others), "--rounds", str(options.rounds), *more]
    sys.stdout.flush()
    return subprocess.run(command, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=960)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--others", type=int, default=48, help="ranks of the run on which other tools are measured; 0: none")
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
    if options.others:
        sys.exit(others(options))


if __name__ == "__main__":
    main()
