"""level.py BUILD: what `baton record --level summary` costs the job, and what it writes.

A recorded job of 4 simulated GPUs with steps of 20 ms, by turns with `--keep-last 8s` alone and with the process beside it that adds up stretches of 4 s: CPU time of
the process, CPU time of the job, its step, bytes on disk. Then, of a job whose events all stay, how far the leaves of the summary are from those of a reduction of all
events. ROUNDS=3, STEPS=1500.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

build = sys.argv[1]
baton = os.path.join(build, "baton")
rounds, steps = int(os.environ.get("ROUNDS", 3)), int(os.environ.get("STEPS", 1500))
job = [os.path.join(build, "simlaunch"), "-n", "4", "--", os.path.join(build, "simtrain"), "--layers", "4", "--input-stall", "20", "--steps", str(steps)]
env = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(os.path.join(build, "simgpu")), SIMGPU_DEVICES="4", SIMGPU_MEMORY_MB="128")


def report(path):
    return json.loads(subprocess.run([baton, "report", "--json", path], capture_output=True, check=True).stdout)


def record(directory, *options, **variables):
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen([baton, "record", "-v", *options, "-o", directory, "--", *job], stdout=subprocess.DEVNULL, stderr=said, env=dict(env, **variables))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = 0
        said.seek(0)
        text = said.read().decode()
    if status:
        sys.exit("the job failed: " + text)
    beside = re.search(r"beside the job: ([0-9.]+) s", text)
    beside_s = float(beside.group(1)) if beside else 0.0
    return {"beside_s": beside_s, "job_s": used.ru_utime + used.ru_stime - beside_s, "bytes": sum(e.stat().st_size for e in os.scandir(directory))}


def turns(work):
    sides = {"alone": [], "summary": []}
    for i in range(rounds):
        for side, options in (("alone", ()), ("summary", ("--level", "summary"))):
            directory = os.path.join(work, f"{side}{i}")
            run = record(directory, "--keep-last", "8s", *options)
            kept = report(directory)
            run["step_ms"] = statistics.mean(d["step_ns"]["mean"] for d in kept["devices"]) / 1e6
            sides[side].append(run)
            if side == "summary":
                whole = report(os.path.join(directory, "job.summary"))
                run["seconds"] = (whole["quality"]["stretches_to_ns"] - whole["quality"]["stretches_from_ns"]) / 1e9
                run["launches"] = sum(d["launches"] for d in whole["devices"])
                run["summary_bytes"] = os.path.getsize(os.path.join(directory, "job.summary"))
    return sides


def accuracy(work):
    directory, all_events = os.path.join(work, "whole"), os.path.join(work, "all")
    record(directory, "--level", "summary", "--keep-last", "1h", BATON_STRETCH="4")
    subprocess.run([baton, "reduce", "--no-replay", "-o", all_events, directory], check=True, capture_output=True)
    pairs = list(zip(report(all_events)["devices"], report(os.path.join(directory, "job.summary"))["devices"]))
    off = max(abs(ns - b["time_ns"][leaf]) / a["window_ns"] for a, b in pairs for leaf, ns in a["time_ns"].items())
    return off, [(a["steps"], b["steps"]) for a, b in pairs]


def main():
    with tempfile.TemporaryDirectory() as work:
        sides = turns(work)
        middle = {side: {k: statistics.median(r[k] for r in runs) for k in runs[0]} for side, runs in sides.items()}
        a, b = middle["alone"], middle["summary"]
        print(f"process beside the job   {b['beside_s']:.2f} s of CPU in {b['seconds']:.0f} s: {b['beside_s'] / b['seconds']:.2%} of a core for 4 GPUs, "
              f"{1e9 * b['beside_s'] / b['launches']:.0f} ns a launch")
        print(f"the job's CPU            {a['job_s']:.1f} s alone, {b['job_s']:.1f} s with it; step {a['step_ms']:.2f} and {b['step_ms']:.2f} ms")
        print(f"on disk at the end       {a['bytes'] / 1e6:.1f} MB alone, {b['bytes'] / 1e6:.1f} MB with it, of these job.summary {b['summary_bytes'] / 1e3:.0f} kB")
        off, counted = accuracy(work)
        print(f"against all events       steps {counted}, the leaf that is most off by {off:.4%} of the step")


main()
