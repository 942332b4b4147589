#!/usr/bin/env python3
"""Who is to blame, and how much would curing that win? Jobs of the simulator with one or more faults; the truth is the same job
without each fault (an intervention). Right is the rank and the class of the largest loss, named first by the replay.

    culprit.py --baton BATON --sim BATON_SIM [--set levels,pipelines,random,healthy] [--seed N] [--jobs N] [--full] [--out FILE]

levels: two levels of communicators on several hosts, one late rank. pipelines: a slow stage, and what a bubble hides. random: drawn
by the seed over workloads, ranks, cores and faults. healthy: no fault, nothing may be found. Without --full a few jobs of each set,
for CI; the bars below are those of the sets as a whole.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

LEAST = 0.02  # of the step: smaller planted losses are not judged
# what may be named for a fault
CLASSES = {
    "slow_host": ("host", "even_host"), "gil_hog": ("blocked",), "no_core": ("no_core",), "page_fault": ("code", "host"),
    "io_sleep": ("blocked",), "input": ("input",), "jitter_host": ("steady_host", "even_host", "host", "code"),
    "sync": ("sync.mid", "sync.end", "sync"), "item_end": ("sync.end", "sync.mid", "sync"),
    "item_loss": ("sync.mid", "sync.end", "sync"), "sync_device": ("sync.device", "sync.mid", "sync"), "alloc": ("alloc",),
    "module_load": ("module_load",), "jit": ("module_load",), "host_func": ("host_func",), "queue_full": ("queue_full",),
    "profiler": ("profiler",), "slow_gpu": ("kernels",), "slow_link": ("link",), "imbalance": ("even_kernels", "kernels"),
    "dependency": ("dependency",), "jitter_kernel": ("even_kernels", "kernels")}
# A trace cannot tell how fast these should be.
NO_REFERENCE = ("slow_link", "jitter_host", "jitter_kernel")
LEVELS = [("moe", 16, 8), ("moe", 16, 4), ("tensor", 16, 4), ("moe", 32, 8), ("tensor", 32, 8)]
LEVEL_FAULTS = ["slow_gpu=20", "page_fault=2500", "slow_host=300", "io_sleep=20000", "module_load=60000"]
RANDOM_WORKLOADS = ["ddp", "resnet", "fsdp", "tensor", "pipeline", "dataparallel", "moe", "graph", "tiny", "jax", "short_forward",
                    "short_backward"]
USUAL = {"slow_host": 160, "gil_hog": 8000, "no_core": 4, "page_fault": 1500, "io_sleep": 8000, "input": 130000,
         "jitter_host": 350, "sync": 3, "item_end": 1, "item_loss": 1, "sync_device": 6, "alloc": 100, "module_load": 30000,
         "jit": 100000, "host_func": 200, "queue_full": 1, "profiler": 60000, "slow_gpu": 10, "slow_link": 750, "imbalance": 20,
         "dependency": 500, "jitter_kernel": 300}
RANKED = ("slow_host", "gil_hog", "no_core", "page_fault", "io_sleep", "input", "sync", "item_end", "item_loss", "sync_device",
          "alloc", "module_load", "host_func", "profiler", "slow_gpu", "slow_link")


def level_jobs(rng, full):
    for workload, ranks, per_host in LEVELS if full else LEVELS[2:3]:
        for fault in LEVEL_FAULTS if full else LEVEL_FAULTS[::2]:
            yield workload, ranks, 8 if full else 6, ["--per-host", str(per_host), "--seed", str(rng.randrange(1000))], \
                [f"{fault}@{rng.randrange(ranks)}"]


def pipeline_jobs(rng, full):
    for ranks in (2, 4, 8, 16) if full else (4,):
        for fault in ("slow_gpu=20", "slow_host=300", "page_fault=2500", "io_sleep=20000") if full else ("slow_gpu=20",):
            yield "pipeline", ranks, 8, ["--seed", str(rng.randrange(1000))], [f"{fault}@{rng.randrange(ranks)}"]


def random_job(rng):
    workload, ranks = rng.choice(RANDOM_WORKLOADS), rng.choice([1, 2, 3, 5, 8, 16])
    steps = 6 if ranks == 16 else rng.choice([6, 8, 12])
    ranks = min(ranks, 5) if workload == "tiny" else ranks
    options = ["--seed", str(rng.randrange(1, 10**6))]
    if rng.random() < 0.3:
        options += ["--cores", str(rng.choice([2, 4, 8, 16]))]
    if rng.random() < 0.3:
        options += ["--per-host", str(rng.choice([1, 2, 4]))]
    faults = []
    for name in rng.sample(sorted(USUAL), rng.choice([1, 1, 2, 2, 3])):
        strength = max(1, round(USUAL[name] * 10 ** rng.uniform(-0.8, 0.5)))
        strength = min(strength, 12) if name == "no_core" else strength
        strength = rng.choice([1, 2, 4]) if name in ("item_end", "item_loss") else strength
        strength = max(110, strength) if name.startswith("jitter") else max(2, strength) if name == "slow_gpu" else strength
        where = ""
        if ranks > 1 and name in RANKED and rng.random() < 0.55:
            where = "@all" if rng.random() < 0.25 else f"@{rng.randrange(ranks)}"
        faults.append(f"{name}={strength}{where}")
    return workload, ranks, steps, options, faults


def healthy_jobs(rng, full):
    for workload in RANDOM_WORKLOADS if full else ("ddp", "tensor"):
        for ranks in (2, 8) if full else (4,):
            yield workload, ranks, 8, ["--seed", str(rng.randrange(1000))], []


def jobs_of(name, seed, n, full):
    rng = random.Random(f"{seed} {name}")
    if name == "random":
        return [random_job(rng) for _ in range(n)]
    return list({"levels": level_jobs, "pipelines": pipeline_jobs, "healthy": healthy_jobs}[name](rng, full))


def call(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.stdout if done.returncode in (0, 4) else None


def run_job(asked, job, work):
    """{truth, whatif, findings}, or None where the simulator refuses the job."""
    workload, ranks, steps, options, faults = job
    run, truth = os.path.join(work, "run"), os.path.join(work, "truth.json")
    shutil.rmtree(run, ignore_errors=True)
    command = [asked.sim, "-o", run, "--truth", truth, "--workload", workload, "--ranks", str(ranks), "--steps", str(steps), *options]
    if call(command + [word for fault in faults for word in ("--fault", fault)]) is None:
        return None
    truth = json.load(open(truth))
    how = ["--step-range", truth["step_range"]] if truth["step_range"] else []
    whatif, report = call([asked.baton, "whatif", "--json", run, *how]), call([asked.baton, "report", "--json", run, *how])
    return {"job": job, "step_ns": truth["step_ns"], "faults": truth["faults"],
            "whatif": json.loads(whatif) if whatif else None,
            "findings": json.loads(report)["findings"] if report else []}


def largest(result):
    """The fault that costs most; None: none costs enough to be judged."""
    faults = sorted(result["faults"], key=lambda fault: -fault["loss_ns"])
    return faults[0] if faults and faults[0]["loss_ns"] >= LEAST * result["step_ns"] else None


def has_reference(fault, ranks):
    return fault["fault"] not in NO_REFERENCE and not (fault["fault"] in ("slow_host", "slow_gpu") and
                                                       (fault["rank"] is None or ranks == 1))


def named_first(result):
    """Does the first finding of the report name the rank? None: no rank is to be named."""
    fault = largest(result)
    if fault is None or fault["rank"] is None or result["job"][1] == 1:
        return None
    first = result["findings"][0] if result["findings"] else {"text": "", "evidence": ""}
    return re.search(rf"\b[Rr]ank {fault['rank']}\b", first["text"] + first["evidence"]) is not None


def judge(result):
    """(right, gain error or None, whether the gain's interval holds the loss or None)"""
    fault, ranks = largest(result), result["job"][1]
    first = (result["whatif"] or {}).get("without") or [None]
    if first[0] is None:
        return False, None, None
    right = first[0]["cause"] in CLASSES.get(fault["fault"], ())
    if fault["rank"] is not None and ranks > 1 and result["job"][0] not in ("jax", "dataparallel"):
        # cores are a host's
        right = right and (first[0]["rank"] == fault["rank"] or (fault["fault"] == "no_core" and first[0]["rank"] is None))
    if not right:
        return False, None, None
    held = first[0]["gain_low_ns"] <= fault["loss_ns"] <= first[0]["gain_high_ns"]
    return True, abs(first[0]["gain_ns"] - fault["loss_ns"]) / fault["loss_ns"], held


def describe(result):
    faults = ", ".join(f"{f['fault']}={f['strength']}" + ("" if f["rank"] is None else f"@{f['rank']}") + f" {f['loss_ns'] / 1e6:.2f}"
                       for f in result["faults"])
    said = ", ".join(x["cause"] + ("" if x["rank"] is None else f"@{x['rank']}") +
                     f" {x['gain_ns'] / 1e6:.2f} [{x['gain_low_ns'] / 1e6:.2f} {x['gain_high_ns'] / 1e6:.2f}]" for x in (result["whatif"] or {}).get("without", [])[:3])
    workload, ranks, steps, options, _ = result["job"]
    return f"{workload} {ranks} x{steps} {' '.join(options)} [{faults}] of {result['step_ns'] / 1e6:.1f} ms -> {said or 'nothing'}"


def run_set(asked, name, work, out):
    """([judged, right, with a reference, right of those, false], gain errors, whether each interval holds)"""
    sums, errors, intervals, named = [0, 0, 0, 0, 0], [], [], []
    for job in jobs_of(name, asked.seed, asked.jobs, asked.full):
        result = run_job(asked, job, work)
        if result is None:
            continue
        out.write(json.dumps(result) + "\n")
        exact = result["whatif"] is None or result["whatif"]["replay_error_ns"] < 1e-4 * result["step_ns"]
        fault = largest(result)
        if not result["faults"] or fault is None:
            false = [x for x in (result["whatif"] or {}).get("without", []) if x["gain_ns"] > LEAST * result["step_ns"]]
            bad = bool(false) and not result["faults"]
            sums[4] += bad or not exact
            print("BAD" if bad or not exact else "   ", describe(result), flush=True)
            continue
        right, error, held = judge(result)
        known = has_reference(fault, job[1])
        sums = [a + b for a, b in zip(sums, (1, right, known, right and known, not exact))]
        named.append(named_first(result))
        errors += [error] if error is not None and known else []
        intervals += [held] if held is not None and known else []
        print(("ok " if held else "ok!") if right else "-- " if known else "(-)", describe(result), flush=True)
    named = [x for x in named if x is not None]
    print(f"{name}: the first finding of the report names the rank in {sum(named)} of {len(named)}", flush=True)
    return sums, errors, intervals


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baton", required=True)
    parser.add_argument("--sim", required=True)
    parser.add_argument("--set", default="levels,pipelines,random,healthy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=0, help="random jobs (default: 6, with --full 100)")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--out", default=os.devnull, help="a file for one JSON object for each job")
    asked = parser.parse_args()
    asked.jobs = asked.jobs or (100 if asked.full else 6)
    bad = False
    with tempfile.TemporaryDirectory() as work, open(asked.out, "w") as out:
        for name in asked.set.split(","):
            (judged, right, known, right_known, false), errors, intervals = run_set(asked, name, work, out)
            errors.sort()
            gain = f"; gain error median {100 * statistics.median(errors):.2f} %, p90 {100 * errors[9 * len(errors) // 10]:.1f} %; the " \
                f"interval holds the loss in {sum(intervals)} of {len(intervals)}" if errors else ""
            print(f"{name}: {right} of {judged} right, {right_known} of {known} with a reference; {false} false{gain}", flush=True)
            bar = {"levels": 1, "pipelines": 0.95, "random": 0.75 if asked.full else 0.5, "healthy": 0}[name]
            bad |= right_known < bar * known or false > 0
    sys.exit(bad)


if __name__ == "__main__":
    main()
