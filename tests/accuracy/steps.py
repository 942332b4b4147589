#!/usr/bin/env python3
"""Are the steps right? Simulated jobs whose steps are known, with and without markers.

    steps.py --baton build/release/baton --sim build/release/baton-sim [--quick | --random N --seed S] [--only WORD]

A line a job: the number of its steps, the number that `baton report` counts on each device, the ratio of the means, and
what the report says of them. A job is *right* when every device has all steps but those that were cut (warm-up and a
partial one: at most 2, and a quarter), of a mean within 1 %; *said* when not, but the confidence is below 0.9, or more
than a tenth of the operations is said to lie outside; else *wrong*. Exit status 1 when a job is wrong that is not listed
as known.
"""

import argparse
import collections
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

WORKLOADS = ("ddp", "fsdp", "tensor", "pipeline", "moe", "resnet", "graph", "tiny", "short_forward", "short_backward",
             "inference", "jax", "dataparallel")
ALONE = {"inference", "graph"}  # run on one device
LEAST_RANKS = {"fsdp": 2, "pipeline": 2, "tensor": 2, "moe": 2, "dataparallel": 2}
RANKS = (1, 2, 3, 4, 5, 8, 16)
MEAN_PERCENT, SURE, MUCH = 1, .9, .9
# Wrong, and why: (workload, markers).
KNOWN = {("inference", "off"): "what recurs is the pass of a token; nothing tells where a request ends"}
QUICK = ("ddp 2 off", "pipeline 5 off", "pipeline 8 off", "resnet 1 off", "moe 4 off", "jax 2 off", "tiny 1 off",
         "ddp 2 off --eval 5:3", "tiny 1 off --eval 5:3", "tiny 4 on", "fsdp 3 on --eval 5:3",
         "short_forward 1 off --recompute seed 106467", "short_backward 1 off --recompute seed 297568", "tiny 1 off --eval 6:5 seed 13",
         "ddp 1 off --accumulate 8", "short_forward 4 off --recompute seed 3", "short_forward 4 off --recompute seed 8")


class Job:
    def __init__(self, workload, ranks, nvtx, *options, steps=20, seed=1):
        self.workload, self.ranks, self.nvtx, self.options = workload, ranks, nvtx, list(options)
        self.steps, self.seed = steps, seed
        self.name = " ".join([workload, str(ranks), nvtx, *options] + (["seed %d" % seed] if seed != 1 else []))

    def command(self, sim, out):
        return [sim, "-o", "%s/run" % out, "--truth", "%s/truth.json" % out, "--workload", self.workload, "--ranks",
                str(self.ranks), "--steps", str(self.steps), "--seed", str(self.seed), "--nvtx", self.nvtx, *self.options]


def table():
    """Every workload with 1 to 16 ranks, with and without markers, plain, with evaluation and with varying steps."""
    jobs = []
    for workload in WORKLOADS:
        for ranks in RANKS:
            if ranks < LEAST_RANKS.get(workload, 1) or (workload in ALONE and ranks > 1):
                continue
            for nvtx in ("off", "on"):
                jobs.append(Job(workload, ranks, nvtx))
                if workload not in ("pipeline", "inference"):
                    jobs.append(Job(workload, ranks, nvtx, "--eval", "5:3"))
                jobs.append(Job(workload, ranks, nvtx, "--vary", "250"))
    jobs += [Job("short_forward", 4, "off", "--recompute", steps=8, seed=seed) for seed in range(1, 9)]
    jobs += [Job("short_forward", 1, "off", "--recompute", seed=106467), Job("short_backward", 1, "off", "--recompute", seed=297568)]
    # one evaluation in a handful of steps
    jobs += [Job(workload, 1, "off", "--eval", every, steps=steps, seed=seed) for workload in ("tiny", "resnet", "ddp")
             for every, steps in (("6:5", 8), ("3:4", 5), ("5:8", 5)) for seed in (13, 14)]
    jobs += [Job(workload, max(1, LEAST_RANKS.get(workload, 1)), "off", "--accumulate", n, steps=steps)
             for workload in ("ddp", "fsdp", "resnet", "tiny") for n in ("2", "3", "8") for steps in (6, 20)]
    return jobs


def drawn(n, seed):
    rng = random.Random(seed)
    jobs = []
    for _ in range(n):
        workload = rng.choice(WORKLOADS)
        ranks = 1 if workload in ALONE else max(rng.choice(RANKS + (6, 7, 12)), LEAST_RANKS.get(workload, 1))
        options = []
        if rng.random() < .3 and workload not in ("pipeline", "inference"):
            options += ["--eval", rng.choice(("4:2", "5:3", "7:4", "6:10", "30:1"))]
        if rng.random() < .3:
            options += ["--vary", str(rng.choice((150, 300)))]
        alone = workload not in ("tensor", "moe", "pipeline", "dataparallel", "jax", "graph", "inference")
        if rng.random() < .2 and alone:
            options += ["--recompute"]
        if rng.random() < .3 and alone:
            options += ["--accumulate", rng.choice("2348")]
        if rng.random() < .2:
            options += ["--host-noise", rng.choice(("drift", "bursts"))]
        if rng.random() < .3:
            options += ["--fault", rng.choice(("slow_gpu=20@0", "slow_host=200", "input=160000", "gil_hog=4000@0", "checkpoint",
                                               "jit", "module_load", "item_loss", "lost_records=2000", "lost_records=20000"))]
        jobs.append(Job(workload, ranks, rng.choice(("off", "off", "on")), *options, steps=rng.choice((5, 6, 8, 12, 20, 40)),
                        seed=rng.randrange(10 ** 6)))
    return jobs


def true_mean(device, n):
    """Of its last n steps."""
    ends = device["step_end_ns"]
    begin = ends[-1 - n] if n < len(ends) else device["step_begin_ns"][0]
    return (ends[-1] - begin) / n


def judge(job, truth, report):
    """(verdict, what to print)"""
    devices = {device["device"]: device for device in truth["devices"]}
    run, cut = report["run"], report["quality"]["steps_cut"] / max(1, len(report["devices"]))
    counted = [device["steps"] for device in report["devices"]]
    n_right = run["step_source"] != "none" and all(
        job.steps - max(2, job.steps // 4) <= n <= job.steps for n in counted) and abs(max(counted) + cut - job.steps) <= 1
    means = [(device["window_ns"] / device["steps"], true_mean(devices[device["device"]], min(device["steps"], job.steps)))
             for device in report["devices"]]
    worst = max((ours / true for ours, true in means if true > 0), key=lambda ratio: abs(ratio - 1), default=1)
    text = "%s of %d %s, mean x %.3f, confidence %s, inside %s" % (
        "/".join(map(str, sorted(set(counted)))), job.steps, run["step_source"], worst, run["step_confidence"],
        run["step_ops_inside"])
    if n_right and abs(worst - 1) * 100 <= MEAN_PERCENT:
        return "right", text
    said = run["step_source"] == "none" or (run["step_confidence"] or 0) < SURE or (run["step_ops_inside"] or 0) < MUCH
    return "said" if said else "wrong", text


def try_job(job, baton, sim):
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run(job.command(sim, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            return "refused", done.stderr.decode().strip()[-200:]
        truth = json.loads(Path(out, "truth.json").read_text())
        answer = subprocess.run([baton, "report", "--json", out + "/run"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                check=False)
        if answer.returncode not in (0, 4):
            return "wrong", "no report: " + answer.stderr.decode().strip()[-200:]
        return judge(job, truth, json.loads(answer.stdout))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--baton", required=True)
    parser.add_argument("--sim", required=True)
    parser.add_argument("--quick", action="store_true", help="a few of the table")
    parser.add_argument("--random", metavar="N", type=int, help="so many jobs drawn instead")
    parser.add_argument("--seed", type=int, default=1, help="of --random (1)")
    parser.add_argument("--only", metavar="WORD", default="", help="only jobs with this in their name")
    args = parser.parse_args()
    jobs = drawn(args.random, args.seed) if args.random else table()
    jobs = [job for job in jobs if args.only in job.name and (not args.quick or job.name in QUICK)]
    counts = collections.Counter()
    for job in jobs:
        verdict, text = try_job(job, args.baton, args.sim)
        if verdict == "wrong" and (job.workload, job.nvtx) in KNOWN:
            verdict = "known"
        counts[verdict] += 1
        if verdict != "right":
            print("%s\t%s\t%s" % (verdict, job.name, text), flush=True)
    print("steps: %d jobs, %s" % (len(jobs), ", ".join("%d %s" % (n, word) for word, n in sorted(counts.items()))))
    sys.exit(1 if counts["wrong"] or not counts["right"] else 0)


if __name__ == "__main__":
    main()
