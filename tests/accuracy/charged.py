#!/usr/bin/env python3
"""Does `baton compare` charge what a fault costs to who has it, and to its class?

    charged.py [--baton BATON] [--sim BATON_SIM] [--seed N] [--jobs N] [--twins N] [--most-ranks N] [--out FILE]

Pairs of simulated jobs, drawn by the seed: a base without a fault, and a run at another time with one fault on one rank, on the link
of one rank, or on all ranks of one host. The truth is an intervention: the run again without the fault. Right is the culprit whom the
first line names, and the class: the leaves it names. The charged ms are the terms of those leaves. Terms have to add up to the loss
exactly. Twins are pairs without a fault, and pairs that both have the same one: nobody may be named there.
"""

import argparse
import collections
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

LEAST = 0.02  # of the step: smaller faults are not judged
WORK = ("work.",)
# what a fault may be charged to (prefixes of leaves), and its usual strength
CLASSES = {
    "input": ("idle.host.input",), "alloc": ("idle.host.alloc",), "io_sleep": ("idle.host.blocked",), "slow_gpu": WORK,
    "slow_host": ("idle.cpu.", "idle.host.sync", "idle.host.code"), "page_fault": ("idle.host.code", "idle.cpu.", "idle.host.sync"),
    "module_load": ("idle.host.module_load",), "sync": ("idle.host.sync",), "gil_hog": ("idle.host.blocked",),
    "no_core": ("idle.host.no_core",), "slow_link": ("nccl.transfer",)}
USUAL = {"input": 130000, "alloc": 150, "io_sleep": 8000, "slow_gpu": 12, "slow_host": 200, "page_fault": 2000, "module_load": 40000,
         "sync": 3, "gil_hog": 8000, "no_core": 5, "slow_link": 400}
OF_RANK = ("input", "alloc", "io_sleep", "slow_gpu", "slow_host", "page_fault", "module_load", "sync", "gil_hog")
OF_HOST = ("no_core", "slow_host", "slow_gpu", "io_sleep")
WORKLOADS = ("ddp", "resnet", "fsdp", "tensor", "moe", "short_forward", "short_backward")
TWO_LEVELS = ("tensor", "moe", "three_level")
NOISES = ("even", "drift", "bursts")

Pair = collections.namedtuple("Pair", "scope fault rank workload ranks options faults base_faults")


def strength(rng, name):
    value = round(USUAL[name] * 10 ** rng.uniform(-0.3, 0.4))
    return min(value, 12) if name == "no_core" else max(value, 2)


def draw(seed, number, most_ranks):
    rng = random.Random(f"{seed}:charged:{number}")
    scope = rng.choice(("rank", "rank", "link", "host"))
    ranks = min(rng.choice((1, 2, 4, 8)), most_ranks)
    workload, options = rng.choice(WORKLOADS), []
    if scope == "host" and ranks < 4 or scope == "link" and ranks < 2:
        scope = "rank"
    if scope == "host":
        options += ["--per-host", str(ranks // 2)]
    if scope == "link" and ranks == 8:
        workload = rng.choice(TWO_LEVELS)
        options += ["--per-host", "4"]
    options += ["--seed", str(rng.randrange(1, 10 ** 6)), "--host-noise", rng.choice(NOISES), "--steps", str(rng.choice((16, 24, 40)))]
    rank = rng.randrange(ranks)
    fault = {"rank": rng.choice(OF_RANK), "link": "slow_link", "host": rng.choice(OF_HOST)}[scope]
    value, on = strength(rng, fault), [rank]
    if scope == "host" and fault != "no_core":
        first = rank // (ranks // 2) * (ranks // 2)
        on = list(range(first, first + ranks // 2))
    faults = [f"{fault}={value}" + (f"@{r}" if ranks > 1 else "") for r in on]
    return Pair(scope, fault, rank, workload, ranks, tuple(options), tuple(faults), ())


def draw_twins(seed, number, most_ranks):
    pair = draw(seed, 10 ** 6 + number, most_ranks)
    both = pair.faults if number % 2 else ()
    return pair._replace(faults=both, base_faults=both)


def words(pair, faults, noise):
    return ["--workload", pair.workload, "--ranks", str(pair.ranks), *pair.options, "--noise-seed", str(noise),
            *(word for fault in faults for word in ("--fault", fault))]


def simulate(asked, pair, faults, noise, directory=None):
    """The truth, or None where the simulator has no place for the fault."""
    with tempfile.NamedTemporaryFile(suffix=".json") as truth:
        command = [asked.sim, "--truth", truth.name, *words(pair, faults, noise)]
        done = subprocess.run(command + (["-o", directory] if directory else []), capture_output=True, text=True, timeout=600)
        return json.load(open(truth.name)) if done.returncode == 0 else None


def compare(asked, work, pair):
    """(bridge, what the fault costs, the step), or None."""
    directories = [os.path.join(work, name) for name in ("base", "run")]
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)
    base = simulate(asked, pair, pair.base_faults, 11, directories[0])
    run = simulate(asked, pair, pair.faults, 12, directories[1])
    if base is None or run is None:
        return None
    how = ["--step-range", run["step_range"]] if run["step_range"] else []
    done = subprocess.run([asked.baton, "compare", "--json", *how, *directories], capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 4):
        raise RuntimeError(f"{shown(pair)}: {done.stderr}")
    cured = simulate(asked, pair, pair.base_faults, 12)
    return json.loads(done.stdout)["bridge"][0], run["step_ns"] - cured["step_ns"], run["step_ns"]


# ---- right or wrong -------------------------------------------------------------------------------

def exact(bridge):
    sums = [sum(bridge[key].values()) for key in ("terms_ns", "charged_ns")]
    moved = collections.Counter(bridge["terms_ns"])
    for culprit in bridge["culprits"]:
        for move in culprit["moved"]:
            moved[move["from"]] -= move["ns"]
            moved[move["leaf"]] += move["ns"]
    return sums == [bridge["loss_ns"] - bridge["residual_ns"]] * 2 and bridge["residual_ns"] == 0 and \
        all(moved[leaf] == ns for leaf, ns in bridge["charged_ns"].items())


def culprit_is_right(pair, said):
    if pair.ranks == 1:
        return True
    if said is None:
        return False
    if pair.scope == "link":
        return said["op"] is not None and (said["rank"] == pair.rank or pair.rank in said["ranks"] or not said["ranks"])
    if pair.scope == "host":
        return said["host"] == f"node{pair.rank // (pair.ranks // 2)}"
    return said["rank"] == pair.rank or (pair.fault == "no_core" and said["host"] is not None)


def judge(pair, bridge, loss_ns):
    """{culprit, class, error}: of the first line; error is None where the class is wrong."""
    most = bridge["changed_most"]
    if most is None:
        return {"culprit": False, "class": False, "error": None, "ns": 0, "text": "nothing"}
    said = bridge["culprits"][most["culprit"]] if most["culprit"] is not None else None
    right = max(most["leaves"], key=lambda leaf: bridge["charged_ns"][leaf]).startswith(CLASSES[pair.fault])
    ns = most["ns"]
    if pair.ranks == 1:  # nobody to name: what all leaves of the class have
        ns = sum(ns for leaf, ns in bridge["charged_ns"].items() if leaf.startswith(CLASSES[pair.fault]))
    return {"culprit": culprit_is_right(pair, said), "class": right, "ns": ns, "text": most["text"],
            "rest": most["rest_is_noise"], "error": abs(ns - loss_ns) / loss_ns if right else None}


def names_somebody(bridge):
    return bridge["changed_most"] is not None


def shown(pair):
    return " ".join(words(pair, pair.faults, 12)) + (f" against {' '.join(pair.base_faults)}" if pair.base_faults else "")


# ---- all ------------------------------------------------------------------------------------------

def run_pairs(asked, work, out):
    results = []
    for number in range(asked.jobs):
        pair = draw(asked.seed, number, asked.most_ranks)
        found = compare(asked, work, pair)
        if found is None or found[1] < LEAST * found[2]:
            continue
        bridge, loss_ns, _ = found
        result = {"number": number, "scope": pair.scope if pair.ranks > 1 else "one GPU", "fault": pair.fault,
                  "exact": exact(bridge), "loss_ns": loss_ns, **judge(pair, bridge, loss_ns)}
        results.append(result)
        out.write(json.dumps({**result, "job": shown(pair)}) + "\n")
        right = result["culprit"] and result["class"] and result["exact"]
        if not right or result["error"] > 0.1:
            print(f"{'ms' if right else '--'} {number} {shown(pair)}: {result['text']} {result['ns'] / 1e6:.2f} of {loss_ns / 1e6:.2f} ms",
                  flush=True)
    return results


def run_twins(asked, work, out):
    named = judged = 0
    for number in range(asked.twins):
        pair = draw_twins(asked.seed, number, asked.most_ranks)
        found = compare(asked, work, pair)
        if found is None:
            continue
        judged += 1
        if names_somebody(found[0]) or not exact(found[0]):
            named += 1
            print(f"tw {number} {shown(pair)}: {found[0]['changed_most']}", flush=True)
        out.write(json.dumps({"twins": number, "most": found[0]["changed_most"], "job": shown(pair)}) + "\n")
    return judged, named


def table(results):
    lines = ["| fault on one | pairs | culprit right | class right | both | ms off, median | p90 |", "|---|---|---|---|---|---|---|"]
    for scope in ("one GPU", "rank", "link", "host", "all"):
        rows = [r for r in results if scope in ("all", r["scope"])]
        if not rows:
            continue
        errors = sorted(r["error"] for r in rows if r["error"] is not None)
        part = ["%.1f %%" % (100 * sum(map(bool, right)) / len(rows))
                for right in ([r["culprit"] for r in rows], [r["class"] for r in rows], [r["culprit"] and r["class"] for r in rows])]
        off = ["%.1f %%" % (100 * value) for value in ((statistics.median(errors), errors[9 * len(errors) // 10]) if errors else ())]
        lines.append(f"| {scope.removeprefix('one ')} | {len(rows)} | " + " | ".join(part + off) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baton", default="build/release/baton")
    parser.add_argument("--sim", default="build/release/baton-sim")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--twins", type=int, default=100)
    parser.add_argument("--most-ranks", type=int, default=8)
    parser.add_argument("--out", default=os.devnull, help="a file for one JSON object for each pair")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, open(asked.out, "w") as out:
        results, (judged, named) = run_pairs(asked, work, out), run_twins(asked, work, out)
    print("\n".join(table(results)))
    wrong = sum(not r["exact"] for r in results)
    right = sum(r["culprit"] and r["class"] for r in results)
    print(f"charged: {right} of {len(results)} right, {wrong} do not add up; {named} of {judged} twins name somebody", flush=True)
    # one of a handful may be wrong
    sys.exit(wrong > 0 or 10 * (right + 1) < 8 * len(results) or 50 * named > max(judged, 49))


if __name__ == "__main__":
    main()
