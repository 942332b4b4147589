#!/usr/bin/env python3
"""Scores baton's attribution against the truth of simulated runs.

    score.py --baton build/release/baton --sim build/release/baton-sim [--quick] [--write docs/ACCURACY.md] [--only NAME]

Every scenario of scenarios.py runs twice, with NVTX ranges (random words) and without any. The engine's account of idle
time (instants with a cause) is laid over `baton dump --idle` (instants with a leaf). What is accepted stands in the tables
of docs/ACCURACY.md and nowhere else. Exit status 1 when a bound is missed; the last line says how many checks failed.
"""
import argparse
import collections
import json
import multiprocessing
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scenarios  # noqa: E402

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "ACCURACY.md"
OVERALL_LEAST, CLASS_LEAST = 95.0, 85.0
CLASS_MATTERS_NS = 1_000_000  # a class with less true idle time than this in all runs together is not judged
FINDING_PERCENT = 2.0
OVERHEAD = {"cpu_work", "page_fault", "api", "launch_call", "launch_latency"}
DEBT = {"idle.host.sync", "idle.host.alloc"}
SIZE_OF_LOSS, SIZE_OF_STEP = 0.10, 0.01  # how far a share may be from the loss of its fault
NEAR_LOW, NEAR_HIGH = 1.0, 1.9  # per cent of the step


# ---- what is accepted: the tables of docs/ACCURACY.md ---------------------------------------------

def read_table(text, heading):
    """{first column: [words of the second]} of the table below a heading."""
    part = text.split(heading, 1)[1].split("\n#", 1)[0]
    rows = re.findall(r"^\| `([a-z_]+)` \| ([^|]*) \|", part, re.MULTILINE)
    return {name: re.findall(r"`([a-z_.]+)`", accepted) for name, accepted in rows}


def read_document(text):
    return (read_table(text, "### Causes and leaves"), read_table(text, "### Faults and findings"),
            read_table(text, "### Open defects"))


# ---- instants -------------------------------------------------------------------------------------

def overlay(truth, found, begin, end):
    """Counter of (cause, leaf) -> ns over [begin, end); None where one side says nothing."""
    changes = []
    for side, pieces in enumerate((truth, found)):
        for a, b, name in pieces:
            a, b = max(a, begin), min(b, end)
            if a < b:
                changes += [(a, 1, side, name), (b, 0, side, None)]
    changes.sort(key=lambda c: (c[0], c[1]))
    now, at, out = [None, None], begin, collections.Counter()
    for time, _, side, name in changes:
        if time > at and (now[0] or now[1]):
            out[now[0], now[1]] += time - at
        now[side], at = name, time
    return out


def is_debt(cause, leaf):
    """Launch overhead that baton calls the consequence of an earlier wait: no instant can tell, an intervention can."""
    return cause in OVERHEAD and leaf in DEBT


def confusion(truth, found):
    out = collections.Counter()
    for device in truth["devices"]:
        out += overlay(device["idle"], found.get(device["device"], []), device["window_from_ns"], device["window_to_ns"])
    return collections.Counter({key: ns for key, ns in out.items() if not is_debt(*key)})


# ---- one run --------------------------------------------------------------------------------------

def simulation(s, nvtx, faults=None):
    """The arguments that ask baton-sim for a scenario."""
    planted = s.faults if faults is None else faults
    return [*map(str, ["--workload", s.workload, "--ranks", s.ranks, "--steps", s.steps, "--nvtx", nvtx, *s.options]),
            *(word for fault in planted for word in ("--fault", fault))]


def step_range(truth):
    return ["--step-range", truth["step_range"]] if truth["step_range"] else []


def windows(truth):
    """What of a run has a truth: its steps, the whole run where it has none (where baton may see steps, and cut one)."""
    return step_range(truth) or (["--steps", "none"] if truth["workload"] == "inference" else [])


class Failed(RuntimeError):
    """A command that ended with a status it should not have."""

    def __init__(self, command, done):
        super().__init__(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.strip()}")
        self.status = done.returncode


class Runner:
    def __init__(self, baton, sim, work):
        self.baton, self.sim, self.work = baton, sim, pathlib.Path(work)

    def output(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            raise Failed(command, done)
        return done.stdout

    def simulate(self, s, directory, nvtx="on", faults=None, more=()):
        """The truth of a scenario; its trace goes to `directory` unless that is None."""
        truth = self.work / f"{multiprocessing.current_process().pid}.json"
        command = [self.sim, *simulation(s, nvtx, faults), "--truth", truth, *more]
        self.output(*map(str, command + (["-o", directory] if directory else [])))
        return json.loads(truth.read_text())

    def report(self, directory, truth):
        return json.loads(self.output(self.baton, "report", "--json", directory, *step_range(truth)))

    def reduce(self, directory, truth):
        """(report, {device: pieces})"""
        found = collections.defaultdict(list)
        for line in self.output(self.baton, "dump", "--idle", directory, *windows(truth)).splitlines():
            device, a, b, leaf, _ = line.split("\t", 4)
            found[device].append((int(a), int(b), leaf))
        return self.report(directory, truth), found

    def agreement(self, directory, truth):
        script = pathlib.Path(__file__).resolve().parent / "agreement.py"
        done = subprocess.run([sys.executable, script, "--baton", self.baton, "--run", directory, *step_range(truth)],
                              capture_output=True, text=True, check=False)
        return done.stdout.strip().splitlines()[-1] if done.stdout else done.stderr.strip()


def findings_of(report):
    return [f for f in report["findings"] if f["severity"] != "none"]


def news(report, base):
    """The findings that the same job without its faults does not have, or clearly smaller: a pipeline has its bubbles."""
    usual = {f["id"]: f["share_ms"] for f in base["findings"]}
    return [f for f in findings_of(report) if f["share_ms"] > 1.25 * usual.get(f["id"], 0)]


def sizes(s, truth, report):
    """A share is what the intervention says that the fault costs."""
    share_ns = {f["id"]: 1e6 * f["share_ms"] for f in report["findings"]}
    loss_ns = {f["fault"]: f["loss_ns"] for f in truth["faults"]}
    for name, fault in s.sized:
        share, loss = share_ns.get(name, 0), loss_ns[fault] if fault else 0
        near = abs(share - loss) <= SIZE_OF_LOSS * loss + SIZE_OF_STEP * truth["step_ns"]
        yield "size", near, f"{name} {share / 1e6:.2f} ms, {fault or 'no fault'} costs {loss / 1e6:.2f} ms"


def judge(s, truth, report, base, accepted):
    """[(check, passed, what was said)] of a scenario; `base`: the report of the job without faults."""
    steps = report["run"]["steps"]
    found = news(report, base) if base else findings_of(report)
    first = found[0] if found else {"id": "none", "text": "no finding"}
    checks = []
    if s.workload != "inference":
        want = truth["steps"] - truth["devices"][0]["warmup_steps"]
        checks.append(("steps", steps == want, f"{steps} of {want}"))
    checks += sizes(s, truth, report)
    if s.clean:
        checks.append(("clean", not found, ", ".join(f["id"] for f in found) or "no finding"))
    planted = [f for f in truth["faults"] if 100 * f["loss_ns"] >= FINDING_PERCENT * truth["step_ns"]]
    if not planted:
        return checks
    largest = max(planted, key=lambda f: f["loss_ns"])
    said = f"{largest['fault']} {100 * largest['loss_ns'] / truth['step_ns']:.1f} %: {first['id']}"
    if first["id"] not in accepted[largest["fault"]]:
        said += f": {first['text']}"
    checks.append(("first", first["id"] in accepted[largest["fault"]], said))
    host_wide = largest["fault"] == "no_core" or s.workload in ("dataparallel", "jax")  # more than one rank is late
    if largest["rank"] is not None and truth["ranks"] > 1 and not host_wide:
        named = re.search(r"\b[Rr]ank (\d+)", first["text"] + " " + (first.get("evidence") or ""))
        checks.append(("straggler", named is not None and int(named.group(1)) == largest["rank"],
                       f"rank {largest['rank']}, named: {named.group(0).lower() if named else 'none'}"))
    return checks


def run_scenario(job):
    runner, s, nvtx, accepted, with_reference = job
    directory = pathlib.Path(tempfile.mkdtemp(dir=runner.work)) / "run"
    try:
        truth = runner.simulate(s, directory, nvtx)
        report, found = runner.reduce(directory, truth)
        agreed = runner.agreement(directory, truth) if with_reference else ""
        base = None
        if s.faults:
            healthy = runner.simulate(s, directory.parent / "base", nvtx, faults=[])
            base = runner.reduce(directory.parent / "base", healthy)[0]
        return s.name, nvtx, confusion(truth, found), judge(s, truth, report, base, accepted), agreed
    except (RuntimeError, KeyError, ValueError) as problem:
        return s.name, nvtx, collections.Counter(), [("runs", False, str(problem))], ""
    finally:
        shutil.rmtree(directory.parent, ignore_errors=True)


def loss_percent(truth):
    return 100 * truth["faults"][0]["loss_ns"] / truth["step_ns"]


def run_near(job):
    """A strength whose loss is just under the threshold, by bisection; then nothing may be found."""
    runner, (fault, workload, ranks, low, high), accepted = job
    s = scenarios.scenario(f"near {fault}", workload, ranks, steps=20)
    directory = pathlib.Path(tempfile.mkdtemp(dir=runner.work)) / "run"
    try:
        for _ in range(14):
            middle = (low + high) // 2
            percent = loss_percent(runner.simulate(s, None, faults=[f"{fault}={middle}"]))
            if NEAR_LOW <= percent <= NEAR_HIGH or high - low <= 1:
                break
            low, high = (middle, high) if percent < NEAR_LOW else (low, middle)
        truth = runner.simulate(s, directory, faults=[f"{fault}={middle}"])
        found = [f["id"] for f in findings_of(runner.reduce(directory, truth)[0]) if f["id"] in accepted[fault]]
        said = f"{fault}={middle}, {percent:.2f} %: {', '.join(found) or 'no finding'}"
        return s.name, [("near", not found and percent < FINDING_PERCENT, said)]
    except (RuntimeError, KeyError, ValueError) as problem:
        return s.name, [("near", False, str(problem))]
    finally:
        shutil.rmtree(directory.parent, ignore_errors=True)


# ---- the tables -----------------------------------------------------------------------------------

class Score:
    def __init__(self, leaves):
        self.leaves = leaves
        self.all = collections.Counter()

    def add(self, confused):
        self.all += confused

    def right(self, cause=None):
        return sum(ns for (c, leaf), ns in self.all.items() if c and (cause in (None, c)) and leaf in self.leaves[c])

    def true(self, cause=None):
        return sum(ns for (c, _), ns in self.all.items() if c and cause in (None, c))

    def precision(self, cause):
        """Of the time in the leaves accepted for this cause, how much has a cause that accepts its leaf."""
        said = {leaf: ns for leaf in self.leaves[cause] for ns in [sum(
            n for (_, x), n in self.all.items() if x == leaf)]}
        good = sum(ns for (c, leaf), ns in self.all.items() if leaf in said and c and leaf in self.leaves[c])
        return percent_of(good, sum(said.values()))


def percent_of(part, whole):
    return 100 * part / whole if whole else 100.0


def class_rows(scores):
    rows = ["| cause | true idle ms | right leaf, NVTX on | off | precision, on | off |", "|---|---:|---:|---:|---:|---:|"]
    causes = sorted(scores["on"].leaves, key=lambda c: -scores["on"].true(c))
    for cause in (c for c in causes if scores["on"].true(c)):
        on, off = scores["on"], scores["off"]
        rows.append(f"| {cause} | {on.true(cause) / 1e6:,.1f} | {percent_of(on.right(cause), on.true(cause)):.2f} % | "
                    f"{percent_of(off.right(cause), off.true(cause)):.2f} % | {on.precision(cause):.2f} % | "
                    f"{off.precision(cause):.2f} % |")
    rows.append(f"| all | {scores['on'].true() / 1e6:,.1f} | {percent_of(scores['on'].right(), scores['on'].true()):.2f} % | "
                f"{percent_of(scores['off'].right(), scores['off'].true()):.2f} % | | |")
    return rows


def scenario_rows(results):
    rows = ["| scenario | NVTX | right leaf | checks |", "|---|---|---:|---|"]
    for name, nvtx, share, checks in results:
        text = "; ".join(f"{check}: {'ok' if passed else 'NO'} ({said})" for check, passed, said in checks).replace("|", "/")
        rows.append(f"| {name} | {nvtx} | {share} | {text} |")
    return rows


def class_failures(scores, defects):
    failures = []
    for nvtx, score in scores.items():
        overall = percent_of(score.right(), score.true())
        if overall < OVERALL_LEAST:
            failures.append(f"NVTX {nvtx}: overall {overall:.2f} % is below {OVERALL_LEAST} %")
        for cause in score.leaves:
            share = percent_of(score.right(cause), score.true(cause))
            if share < CLASS_LEAST and score.true(cause) >= CLASS_MATTERS_NS and cause not in defects:
                failures.append(f"NVTX {nvtx}: class {cause} {share:.2f} % is below {CLASS_LEAST} %")
    return failures


def write_document(path, lines, part="score"):
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    text = path.read_text()
    head, rest = text.split(begin, 1)
    path.write_text(head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1])


def select(args):
    chosen = scenarios.SCENARIOS
    if args.quick:
        chosen = [s for s in chosen if s.name in scenarios.QUICK]
    if args.only:
        chosen = [s for s in scenarios.SCENARIOS + scenarios.PERIODS if args.only in s.name]
    whole = not (args.quick or args.only)
    return chosen, scenarios.PERIODS if whole else [], scenarios.NEAR if whole else []


def run_all(args, work, accepted):
    runner = Runner(args.baton, args.sim, work)
    chosen, periods, near = select(args)
    jobs = [(runner, s, nvtx, accepted, nvtx == "on") for s in chosen for nvtx in ("on", "off")]
    jobs += [(runner, s, "off", accepted, False) for s in periods]
    with multiprocessing.Pool(args.jobs) as pool:
        runs = pool.map(run_scenario, jobs, chunksize=1)
        nears = pool.map(run_near, [(runner, n, accepted) for n in near], chunksize=1)
    return chosen, runs, nears


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--baton", required=True)
    parser.add_argument("--sim", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="a few scenarios only")
    parser.add_argument("--only", metavar="TEXT", help="scenarios with this in their name")
    parser.add_argument("--write", metavar="FILE", type=pathlib.Path, help="put the tables into this document")
    args = parser.parse_args()
    leaves, accepted, defects = read_document(DOCUMENT.read_text())
    with tempfile.TemporaryDirectory() as work:
        chosen, runs, nears = run_all(args, work, accepted)
    scores = {nvtx: Score(leaves) for nvtx in ("on", "off")}
    names = {s.name for s in chosen}
    results, failures, disagreements, compared = [], [], 0, 0
    for name, nvtx, confused, checks, agreed in runs:
        if name in names and not name.startswith("period"):
            scores[nvtx].add(confused)
        one = Score(leaves)
        one.add(confused)
        results.append((name, nvtx, f"{percent_of(one.right(), one.true()):.1f} %", checks))
        if agreed:
            compared += 1
            disagreements += not agreed.endswith(" 0 disagreements")
            if not agreed.endswith(" 0 disagreements"):
                failures.append(f"{name}: {agreed}")
    results += [(name, "on", "", checks) for name, checks in nears]
    for name, nvtx, _, checks in results:
        failures += [f"{name}, NVTX {nvtx}: {check}: {said}" for check, passed, said in checks
                     if not passed and name.replace(" ", "_") not in defects]
    if not (args.quick or args.only):  # bounds are for the whole: few scenarios leave a class to one of them
        failures += class_failures(scores, defects)
    lines = ["", f"{len(chosen)} scenarios, each with NVTX on and off; the reference agrees on {compared - disagreements} of "
             f"{compared}.", ""] + class_rows(scores) + [""] + scenario_rows(results) + [""]
    print("\n".join(lines))
    if args.write:
        write_document(args.write, lines)
    for failure in failures:
        print("FAIL", failure)
    share = {nvtx: percent_of(score.right(), score.true()) for nvtx, score in scores.items()}
    print(f"accuracy: {len(results)} runs, right leaf {share['on']:.2f} % with NVTX, {share['off']:.2f} % without, "
          f"{disagreements} disagreements with the reference, {len(failures)} failed")
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main())
