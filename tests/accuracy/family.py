#!/usr/bin/env python3
"""Scores baton on random simulated jobs, judged by interventions.

    family.py [--seed 1] [--jobs 400] [--healthy 200] [--only 17,21] [--keep DIR] [--write docs/ACCURACY.md]

A job is drawn from the seed and its number alone: workload, ranks, hosts, cores, steps, evaluation, noise, NVTX, and one to
three faults of random strength. It is simulated with them, without each of them, and without any. judge.py says what was
right; what is accepted stands in docs/ACCURACY.md. Healthy jobs are a draw of their own. Every job that went wrong is
printed with the command that prints it again. Exit status 1 when a job does not run or a bound is missed.
"""
import argparse
import collections
import json
import multiprocessing
import pathlib
import random
import shlex
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import family_tables  # noqa: E402
import judge  # noqa: E402
import score  # noqa: E402

Job = collections.namedtuple("Job", "number workload ranks steps faults options nvtx")

WORKLOADS = ("ddp", "resnet", "fsdp", "tensor", "pipeline", "three_level", "dataparallel", "moe", "graph", "tiny", "inference", "jax",
             "short_forward", "short_backward")
STRENGTH = {  # the usual one, varied by 10 to the power of -0.8 to 0.5
    "slow_host": 160, "gil_hog": 8000, "no_core": 4, "page_fault": 1500, "io_sleep": 8000, "input": 130000, "jitter_host": 350,
    "sync": 3, "item_end": 1, "item_loss": 1, "sync_device": 6, "alloc": 100, "module_load": 30000, "jit": 100000,
    "host_func": 200, "prefetch": 5000, "queue_full": 1, "profiler": 60000, "slow_gpu": 10, "slow_link": 750, "imbalance": 20,
    "dependency": 500, "clock": 5000, "lost_records": 1000, "jitter_kernel": 300}
SLICES = (500, 1000, 2000, 2400, 5000)  # of a GPU that another process uses, us
RARE = {"clock": 0.5, "lost_records": 0.5, "prefetch": 0.4, "queue_full": 0.6, "dependency": 0.6}
BOUNDS = {"no_core": (1, 12), "jitter_host": (110, 100000), "jitter_kernel": (110, 100000), "slow_gpu": (2, 100000),
          "imbalance": (1, 100), "sync": (1, 64), "sync_device": (1, 64), "queue_full": (1, 3)}
EVERYWHERE = {"jitter_host", "jitter_kernel", "prefetch", "queue_full", "imbalance", "dependency", "clock", "lost_records"}
PLAIN = ("ddp", "resnet", "fsdp", "short_forward", "short_backward")  # their training can be varied
NOISES = ("even", "drift", "bursts")
MOST_RANKS = {"tiny": 5}  # its steps are long, and tell no more with many ranks
LEAST_RANKS = {"three_level": 8}
REDRAWS = 30


# ---- drawing --------------------------------------------------------------------------------------

def draw_fault(rng, name, ranks):
    strength = round(STRENGTH[name] * 10 ** rng.uniform(-0.8, 0.5))
    if name in ("item_end", "item_loss"):
        strength = rng.choice((1, 1, 2, 4))
    least, most = BOUNDS.get(name, (1, 10 ** 9))
    fault = f"{name}={min(max(strength, least), most)}"
    if ranks > 1 and name not in EVERYWHERE and rng.random() < 0.55:
        fault += f"@{rng.randrange(ranks) if rng.random() < 0.75 else 'all'}"
    return fault


def draw_faults(rng, ranks):
    names = []
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        left = [name for name in STRENGTH if name not in names]
        names += rng.choices(left, [RARE.get(name, 1.0) for name in left])
    return tuple(draw_fault(rng, name, ranks) for name in names)


def rank_count(rng, workload, counts, most):
    return min(max(rng.choice(counts), LEAST_RANKS.get(workload, 1)), MOST_RANKS.get(workload, 32), most)


def draw(seed, number, attempt, most_ranks=32):
    """Job `number` of a seed. Not every fault has a place in every workload: then the next attempt counts."""
    rng = random.Random(f"{seed}:{number}:{attempt}")
    workload = rng.choice(WORKLOADS)
    ranks = rank_count(rng, workload, (1, 2, 3, 5, 8, 16, 32), most_ranks)
    steps = rng.choice((6, 8, 12)) if ranks < 16 else 6
    options = ["--seed", str(rng.randrange(1, 10 ** 6)), "--noise-seed", str(rng.randrange(1, 10 ** 6))]
    for name, share, values in (("--cores", 0.3, ("2", "4", "8", "16")), ("--per-host", 0.3, ("1", "2", "4")),
                                ("--eval", 0.12, ("4:2", "5:3")), ("--vary", 0.12, ("150", "250"))):
        if rng.random() < share:
            options += [name, rng.choice(values)]
    nvtx = rng.choice(("on", "off"))
    faults = draw_faults(rng, ranks)
    options += ["--host-noise", rng.choice(NOISES), "--gpu-tick", rng.choice(("1", "32"))]
    if workload in PLAIN and ranks <= 8:
        options += rng.choices(((), ("--accumulate", "2"), ("--accumulate", "4"), ("--recompute",)), (7, 1, 1, 1))[0]
    if rng.random() < 0.08:
        faults += (f"checkpoint={rng.choice((50, 200, 1000))}",)
    if rng.random() < 0.05:
        faults += (f"shared_gpu={rng.choice(SLICES)}{rng.choice(('', '@all'))}",)
    return Job(number, workload, ranks, steps, faults, tuple(options), nvtx)


def draw_healthy(seed, number, attempt, most_ranks=32):
    rng = random.Random(f"{seed}:healthy:{number}:{attempt}")
    workload = rng.choice(WORKLOADS)
    ranks = rank_count(rng, workload, (2, 3, 4, 8, 16, 32), most_ranks)
    options = ("--seed", str(rng.randrange(1, 10 ** 6)))
    return Job(number, workload, ranks, rng.choice((20, 150)), (), options, rng.choice(("on", "off")))


def command(job, noise=()):
    return shlex.join(["baton-sim", *score.simulation(job, job.nvtx), *noise])


# ---- one job --------------------------------------------------------------------------------------

def simulate(runner, drawn, directory, noise=()):
    """(job, truth): the first attempt whose faults have a place. `drawn`: a draw, its seed, number and ranks at most."""
    for attempt in range(REDRAWS):
        job = drawn[0](*drawn[1:3], attempt, drawn[3])
        try:
            asked = job._replace(options=(*job.options, *noise))
            return job, runner.simulate(asked, directory, job.nvtx, more=("--without-calls",) if job.faults else ())
        except score.Failed as refused:
            if refused.status != 2:
                raise RuntimeError(f"{command(job)}: {refused}") from refused
    raise RuntimeError(f"no job in {REDRAWS} draws")


def run_job(task):
    runner, (seed, number, most_ranks), keep, accepted = task
    directory = pathlib.Path(tempfile.mkdtemp(dir=runner.work))
    result = {"number": number, "kind": "job"}
    try:
        job, truth = simulate(runner, (draw, seed, number, most_ranks), directory / "run")
        result.update(job._asdict(), command=command(job))
        report, pieces = runner.reduce(directory / "run", truth)
        healthy = runner.simulate(job, directory / "base", job.nvtx, faults=[])
        base = runner.report(directory / "base", healthy)
        ample = without_few_cores(runner, job, directory / "ample", truth)
        result.update(step_ms=truth["step_ns"] / 1e6, hosts=truth["hosts"], planted=[
            (f["fault"], f["strength"], f["rank"], f["loss_ns"] / 1e6) for f in truth["faults"]])
        result.update(leaves=judge.judge_leaves(truth, pieces, accepted.leaves), exposed=judge.judge_exposed(truth, report),
                      calls=judge.judge_calls(truth, report), steps_right=judge.judge_steps(truth, report),
                      finding=judge.judge_finding(truth, report, base, accepted, ample))
        together(runner, job, truth, result["finding"])
        in_order(runner, job, truth, result["finding"])
        put_away(directory, keep, number, truth)
    except (RuntimeError, KeyError, ValueError, IndexError) as problem:
        result["problem"] = f"{type(problem).__name__}: {problem}"
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return result


def run_healthy(task):
    runner, (seed, number, most_ranks), keep, _ = task
    directory = pathlib.Path(tempfile.mkdtemp(dir=runner.work))
    result = {"number": number, "kind": "healthy"}
    noise = [("--noise-seed", str(n + 1), "--host-noise", NOISES[number % 3]) for n in range(3)]
    try:
        job, truth = simulate(runner, (draw_healthy, seed, number, most_ranks), directory / "run", noise[0])
        result.update(job._asdict(), command=command(job, noise[0]))
        report = runner.report(directory / "run", truth)
        others = []
        for i in (1, 2) if judge.concerns(report) else ():
            again = job._replace(options=(*job.options, *noise[i]))
            others.append(runner.report(directory / f"noise{i}", runner.simulate(again, directory / f"noise{i}", job.nvtx)))
        false, lasting = judge.judge_healthy(report, others)
        result.update(steps_right=judge.judge_steps(truth, report), false=[said(f) for f in false],
                      lasting=[said(f) for f in lasting])
        put_away(directory, keep, number, truth)
    except (RuntimeError, KeyError, ValueError, IndexError) as problem:
        result["problem"] = f"{type(problem).__name__}: {problem}"
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return result


def said(finding):
    return {"id": finding["id"], "severity": finding["severity"], "share_ms": finding["share_ms"], "text": finding["text"]}


def together(runner, job, truth, finding):
    """What the first finding is about costs what the job wins without all of it."""
    if len(finding.get("about", [])) >= 2:
        finding["loss_ms"] = loss_of(runner, job, truth, finding["about"])


def in_order(runner, job, truth, finding):
    """Whether the larger of the first two findings about planted faults is about those that cost more."""
    if len(finding.get("two", [])) == 2:
        losses = [loss_of(runner, job, truth, about) for about, _ in finding["two"]]
        near = judge.SAME_LOSS * truth["step_ns"] / 1e6
        finding["ordered"] = None if abs(losses[0] - losses[1]) <= near else losses[0] > losses[1]


def loss_of(runner, job, truth, about):
    """What the job wins without the planted faults of these numbers, in ms."""
    if len(about) == 1:
        return truth["faults"][about[0]]["loss_ns"] / 1e6
    faults = [f for i, f in enumerate(job.faults) if i not in about]
    few = any(truth["faults"][i]["fault"] == judge.FEW_CORES for i in about)
    rest = runner.simulate(with_cores(job) if few else job, None, job.nvtx, faults=faults)
    return (truth["step_ns"] - rest["step_ns"]) / 1e6


def with_cores(job):
    at = job.options.index("--cores")
    return job._replace(options=job.options[:at] + job.options[at + 2:])


def without_few_cores(runner, job, directory, truth):
    """Few cores are a cause like any fault: `truth` gets one more, what the same job wins with a core for every
    thread. Returns the report of that job, None where there are enough."""
    if "--cores" not in job.options:
        return None
    at = job.options.index("--cores")
    ample = runner.simulate(with_cores(job), directory, job.nvtx)
    truth["faults"].append({"fault": judge.FEW_CORES, "strength": int(job.options[at + 1]), "rank": None,
                            "loss_ns": truth["step_ns"] - ample["step_ns"]})
    return runner.report(directory, ample)


def put_away(directory, keep, number, truth):
    if keep:
        target = keep / directory.name
        shutil.move(directory / "run", target)
        (keep / f"{directory.name}.truth.json").write_text(json.dumps(truth))
        print(f"job {number}: {target}", file=sys.stderr)


# ---- all ------------------------------------------------------------------------------------------

def tasks_of(args, work, accepted):
    runner = score.Runner(args.baton, args.sim, work)
    only = [int(n) for n in args.only.split(",")] if args.only else None
    jobs = only if only is not None and not args.only_healthy else ([] if only is not None else range(args.jobs))
    healthy = only if only is not None and args.only_healthy else ([] if only is not None else range(args.healthy))
    return [(run, (runner, (args.seed, n, args.most_ranks), args.keep, accepted))
            for run, numbers in ((run_job, jobs), (run_healthy, healthy)) for n in numbers]


def call(task):
    return task[0](task[1])


def run_all(args, tasks):
    """Results in the order of the tasks; without --keep-going only up to the first that does not run."""
    results = []
    out = args.results.open("w") if args.results else None
    with multiprocessing.Pool(args.processes) as pool:
        for result in pool.imap(call, tasks, chunksize=1):
            results.append(result)
            if out:
                print(json.dumps(result), file=out, flush=True)
            if "problem" in result and not args.keep_going:
                pool.terminate()
                break
    return results


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--baton", default="build/release/baton")
    parser.add_argument("--sim", default="build/release/baton-sim")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=400, help="jobs with faults")
    parser.add_argument("--healthy", type=int, default=200, help="jobs without")
    parser.add_argument("--most-ranks", type=int, default=32, metavar="N", help="no job with more")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="that many jobs at a time")
    parser.add_argument("--keep-going", action="store_true", help="count a job that does not run, and go on")
    parser.add_argument("--only", metavar="N,N", help="jobs with these numbers")
    parser.add_argument("--only-healthy", action="store_true", help="--only are numbers of healthy jobs")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path, help="keep the traces and truths there")
    parser.add_argument("--results", metavar="FILE", type=pathlib.Path, help="what was found of each job, a JSON line each")
    parser.add_argument("--write", metavar="FILE", type=pathlib.Path, help="put the tables into this document")
    parser.add_argument("--quick", action="store_true", help="bounds for a few jobs")
    args = parser.parse_args()
    args.processes = max(1, args.processes)
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    return args


def main():
    args = parse()
    accepted = judge.accepted_of(score.DOCUMENT.read_text())
    with tempfile.TemporaryDirectory() as work:
        results = run_all(args, tasks_of(args, work, accepted))
    lines = family_tables.tables(args, results)
    print("\n".join(lines))
    if args.write:
        score.write_document(args.write, lines, "family")
    for line in family_tables.wrong(args, results):
        print(line)
    failures = [] if args.only else family_tables.failures(results, args.quick)
    failures += [f"job {r['number']} ({r['kind']}) does not run: {r['problem']}" for r in results if "problem" in r]
    for failure in failures:
        print("FAIL", failure)
    print(family_tables.summary(results, failures))
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main())
