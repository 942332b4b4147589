"""The tables of the random family (family.py) and the bounds that it is held to."""
import collections
import statistics

LEAST_TRUE_NS = 1_000_000  # a class, or a job, with less true idle time than this is not judged
BARS = {"leaf": 98.0, "leaf_p10": 92.0, "class": 85.0, "first": 88.0, "first_cores": 95.0, "culprit": 95.0, "steps": 100.0,
        "late": 2.0, "off_median": 3.0, "off_p90": 25.0, "holds": 85.0, "ordered": 95.0}
BARS_OF_FEW = {"leaf": 90.0, "first": 40.0}  # of `make test`: what no change may fall below, however few the jobs


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def share(values):
    """'right of all' of booleans."""
    values = [v for v in values if v is not None]
    return f"{percent(sum(values), len(values))} of {len(values)}" if values else "-"


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else None


# ---- what is counted ------------------------------------------------------------------------------

def jobs_of(results, kind="job"):
    return [r for r in results if r["kind"] == kind and "problem" not in r]


def leaf_sums(results):
    """{cause: [true ns, right ns]}"""
    sums = collections.defaultdict(lambda: [0, 0])
    for r in results:
        for cause, (true, right) in r["leaves"].items():
            sums[cause][0] += true
            sums[cause][1] += right
    return sums


def leaf_percents(results):
    """Of each job with idle time enough."""
    out = []
    for r in results:
        true, right = (sum(column) for column in zip(*r["leaves"].values())) if r["leaves"] else (0, 0)
        if true >= LEAST_TRUE_NS:
            out.append(100 * right / true)
    return out


def leaf_percent(results):
    sums = leaf_sums(results).values()
    true = sum(t for t, _ in sums)
    return 100 * sum(r for _, r in sums) / true if true else 100.0


def asked(results):
    """Jobs in which a loss of 2 % or more has a reference."""
    return [r for r in results if r["finding"] and r["finding"]["reference"]]


def firsts(results, key="first"):
    return [r["finding"].get(key) for r in asked(results)]


def few_cores(r):
    return "--cores" in r["options"]


def gain_errors(results):
    """How far what was claimed is from the loss, of the findings that name it."""
    return [abs(f["claim_ms"] - f["loss_ms"]) / f["loss_ms"] for f in (r["finding"] for r in results if r["finding"])
            if f["claim_ms"] is not None]


def off_by(results):
    """'median, p90' of these errors."""
    errors = gain_errors(results)
    return f"{100 * statistics.median(errors):.1f} %, {100 * quantile(errors, 0.9):.0f} %" if errors else "-"


def interval_holds(results):
    """Whether the interval of the gain holds the loss, of the findings that have both."""
    return [f["interval_ms"][0] <= f["loss_ms"] <= f["interval_ms"][1] for f in (r["finding"] for r in results if r["finding"])
            if f.get("interval_ms")]


def right_percent(values):
    values = [v for v in values if v is not None]
    return 100 * sum(values) / len(values) if values else 100.0


# ---- tables ---------------------------------------------------------------------------------------

def scores_of(results):
    percents = leaf_percents(results)
    mean = f"{statistics.mean(percents):.1f} %, {quantile(percents, 0.1):.1f} %" if percents else "-"
    return [str(len(results)), f"{leaf_percent(results):.2f} %", mean, share(firsts(results)), share(firsts(results, "printed")),
            share(firsts(results, "culprit")), off_by(results), off_by(asked(results)), share(interval_holds(results)),
            share(firsts(results, "ordered")), share(r["steps_right"] for r in results)]


SCORES = ["jobs", "right leaf, by time", "of a job: mean, p10", "first finding", "as printed", "culprit",
          "off by: median, p90", "with a reference", "interval holds", "two in order", "steps"]


def score_table(name, groups):
    rows = [f"| {name} | " + " | ".join(SCORES) + " |", "|---|" + "---:|" * len(SCORES)]
    return rows + [f"| {group} | " + " | ".join(scores_of(members)) + " |" for group, members in groups if members]


def grouped(results, key):
    groups = collections.defaultdict(list)
    for r in results:
        groups[key(r)].append(r)
    return sorted(groups.items())


def ways(results):
    two = [r for r in results if r["ranks"] >= 8 and r["workload"] in ("tensor", "moe", "pipeline", "three_level")]
    return [("all", results), ("NVTX on", [r for r in results if r["nvtx"] == "on"]),
            ("NVTX off", [r for r in results if r["nvtx"] == "off"]),
            ("cores enough", [r for r in results if not few_cores(r)]), ("few cores", [r for r in results if few_cores(r)]),
            ("groups of two and three levels, from 8 ranks on", two)]


def fault_table(results):
    rows = ["| largest loss | asked | first finding | culprit | off by: median |", "|---|---:|---:|---:|---:|"]
    for fault, members in grouped([r for r in results if r["finding"]], lambda r: r["finding"]["fault"]):
        errors = gain_errors(members)
        off = f"{100 * statistics.median(errors):.1f} %" if errors else "-"
        rows.append(f"| {fault} | {len(members)} | {share(firsts(members))} | {share(firsts(members, 'culprit'))} | {off} |")
    return rows


def class_table(results):
    rows = ["| cause | true idle ms | right leaf, NVTX on | off |", "|---|---:|---:|---:|"]
    on, off = (leaf_sums(r for r in results if r["nvtx"] == nvtx) for nvtx in ("on", "off"))
    for cause in sorted({*on, *off}, key=lambda c: -on[c][0] - off[c][0]):
        rows.append(f"| {cause} | {(on[cause][0] + off[cause][0]) / 1e6:,.1f} | {percent(on[cause][1], on[cause][0])} | "
                    f"{percent(off[cause][1], off[cause][0])} |")
    return rows


def exposed_table(results):
    rows = ["| exposed communication | true ms | said and true |", "|---|---:|---:|"]
    for leaf in ("nccl.wait", "nccl.transfer"):
        for name, members in (("", results), (" but for pipelines", [r for r in results if r["workload"] not in ("pipeline", "three_level")])):
            true, right = (sum(column) for column in zip(*(r["exposed"][leaf] for r in members))) if members else (0, 0)
            rows.append(f"| {leaf}{name} | {true / 1e6:,.1f} | {percent(right, true)} |")
    return rows


def calls_table(results):
    """Jobs in which the calls cost 1 % of the step, or are said to."""
    rows = ["| calls that cost or are said to cost 1 % of the step | jobs | size right | off by: median ms | p90 |",
            "|---|---:|---:|---:|---:|"]
    for calls in ("sync", "alloc"):
        told = [r["calls"][calls] for r in results if calls in r["calls"] and max(r["calls"][calls][:2]) >= 0.01 * r["step_ms"]]
        off = [abs(claim - loss) for claim, loss, _ in told]
        if told:
            rows.append(f"| {calls} | {len(told)} | {share(near for _, _, near in told)} | {statistics.median(off):.2f} | "
                        f"{quantile(off, 0.9):.2f} |")
    return rows


def late(r):
    return any(f["id"].startswith("late") for f in r["false"])


def noise_of(r):
    return f"{('even', 'drift', 'bursts')[r['number'] % 3]} noise"


def healthy_table(results):
    rows = ["| healthy jobs | jobs | a late rank out of noise | another finding, medium or more, out of noise | steps |",
            "|---|---:|---:|---:|---:|"]
    groups = [("all", results), *grouped(results, lambda r: f"{r['steps']} steps"), *grouped(results, noise_of),
              *grouped(results, lambda r: r["workload"])]
    for name, members in groups:
        other = [any(not f["id"].startswith("late") for f in r["false"]) for r in members]
        late_ranks = [late(r) for r in members]
        rows.append(f"| {name} | {len(members)} | {sum(late_ranks)} = {percent(sum(late_ranks), len(members))} | {sum(other)} | "
                    f"{share(r['steps_right'] for r in members)} |")
    return rows


def lasting_line(results):
    """What healthy jobs have with any noise: how they are made."""
    counts = collections.Counter((r["workload"], f["id"]) for r in results for f in r["lasting"])
    names = collections.defaultdict(list)
    for (workload, name), n in sorted(counts.items()):
        names[workload].append(f"{name} ({n})")
    return "With any noise, so of the job itself: " + "; ".join(f"{w}: {', '.join(n)}" for w, n in names.items()) + "."


def tables(args, results):
    jobs, healthy = jobs_of(results), jobs_of(results, "healthy")
    lines = ["", f"Seed {args.seed}: {len(jobs)} jobs with faults, {len(healthy)} without.", ""]
    if jobs:
        lines += score_table("jobs", ways(jobs)) + [""]
        lines += score_table("workload", grouped(jobs, lambda r: r["workload"])) + [""]
        lines += score_table("ranks", [(str(n), m) for n, m in grouped(jobs, lambda r: r["ranks"])]) + [""]
        lines += fault_table(jobs) + [""] + class_table(jobs) + [""] + exposed_table(jobs) + [""] + calls_table(jobs) + [""]
    if healthy:
        lines += healthy_table(healthy) + ["", lasting_line(healthy), ""]
    return lines


# ---- what went wrong ------------------------------------------------------------------------------

def badness(r):
    """The larger, the worse: per cent of the step that were not named, or of idle time in a wrong leaf."""
    finding = r["finding"]
    missed = finding["loss_percent"] if finding and finding["reference"] and not finding["first"] else 0
    percents = leaf_percents([r])
    return missed + (100 - percents[0] if percents else 0)


def again(args, r):
    """The command that prints this job again."""
    ranks = "" if args.most_ranks == 32 else f" --most-ranks {args.most_ranks}"
    return f"tests/accuracy/family.py --seed {args.seed}{ranks}{'' if r['kind'] == 'job' else ' --only-healthy'} --only {r['number']}"


def gain_words(finding):
    if finding["claim_ms"] is None:
        return ""
    between = "".join(f" ({low:.2f} to {high:.2f})" for low, high in ([finding["interval_ms"]] if finding["interval_ms"] else []))
    return f"wins {finding['claim_ms']:.2f}{between} of {finding['loss_ms']:.2f}"


def job_line(args, r):
    planted = ", ".join(f"{name}={strength}{'' if rank is None else f'@{rank}'} {loss:.2f}"
                        for name, strength, rank, loss in r["planted"])
    leaves = leaf_percents([r])
    parts = [f"leaf {leaves[0]:.1f} %" if leaves else "", f"planted (ms) {planted} of {r['step_ms']:.2f}"]
    if r["finding"]:
        parts += [f"said {r['finding']['said']}", gain_words(r["finding"]), "" if r["finding"]["first"] else "FIRST WRONG",
                  "CULPRIT WRONG" if r["finding"]["culprit"] is False else ""]
    parts += ["STEPS WRONG" if r["steps_right"] is False else ""]
    return f"job {r['number']}: {'; '.join(p for p in parts if p)}\n    {again(args, r)}\n    {r['command']}"


def is_wrong(r):
    finding = r["finding"]
    missed = finding and finding["reference"] and (not finding["first"] or finding["culprit"] is False)
    percents = leaf_percents([r])
    return missed or r["steps_right"] is False or (percents and percents[0] < BARS["leaf_p10"])


def wrong(args, results):
    jobs = sorted((r for r in jobs_of(results) if is_wrong(r) or args.only), key=badness, reverse=True)
    lines = [job_line(args, r) for r in jobs]
    for r in jobs_of(results, "healthy"):
        if r["false"] or r["steps_right"] is False or args.only:
            text = "; ".join(f"{f['id']} ({f['severity']}) {f['text']}" for f in r["false"]) or "no false finding"
            lines.append(f"healthy job {r['number']}: {text}{'; STEPS WRONG' if r['steps_right'] is False else ''}\n"
                         f"    {again(args, r)}\n    {r['command']}")
    return lines


def below(name, value, bar):
    return [f"{name} {value:.2f} % is below {bar} %"] if value < bar else []


def failures(results, few):
    """The bounds that are missed."""
    jobs, healthy = jobs_of(results), jobs_of(results, "healthy")
    if few:
        return below("right leaf", leaf_percent(jobs), BARS_OF_FEW["leaf"]) + below(
            "first finding", right_percent(firsts(jobs)), BARS_OF_FEW["first"])
    out = below("first finding", right_percent(firsts(jobs)), BARS["first"])
    out += below("first finding with cores enough", right_percent(firsts([r for r in jobs if not few_cores(r)])), BARS["first_cores"])
    out += below("culprit", right_percent(firsts([r for r in jobs if r["ranks"] >= 8], "culprit")), BARS["culprit"])
    out += below("steps", right_percent([r["steps_right"] for r in results if "problem" not in r]), BARS["steps"])
    for nvtx in ("on", "off"):
        part = [r for r in jobs if r["nvtx"] == nvtx]
        out += below(f"NVTX {nvtx}: right leaf", leaf_percent(part), BARS["leaf"])
        out += below(f"NVTX {nvtx}: p10 of jobs", quantile(leaf_percents(part), 0.1) or 100, BARS["leaf_p10"])
        for cause, (true, right) in leaf_sums(part).items():
            if true >= LEAST_TRUE_NS:
                out += below(f"NVTX {nvtx}: class {cause}", 100 * right / true, BARS["class"])
    out += below("interval of the gain", right_percent(interval_holds(jobs)), BARS["holds"])
    out += below("two largest in order", right_percent(firsts(jobs, "ordered")), BARS["ordered"])
    errors = gain_errors(asked(jobs))
    for name, value in (("median", statistics.median(errors)), ("p90", quantile(errors, 0.9))) if errors else ():
        if 100 * value > BARS[f"off_{name}"]:
            out.append(f"gain off by {100 * value:.1f} % ({name}), more than {BARS[f'off_{name}']} %")
    late_percent = 100 * sum(map(late, healthy)) / len(healthy) if healthy else 0
    if late_percent > BARS["late"]:
        out.append(f"late ranks out of noise in {late_percent:.1f} % of healthy jobs, more than {BARS['late']} %")
    out += [f"healthy job {r['number']}: {f['id']}" for r in healthy for f in r["false"] if not f["id"].startswith("late")]
    return out


def summary(results, failed):
    jobs, healthy = jobs_of(results), jobs_of(results, "healthy")
    return (f"family: {len(jobs)} jobs, right leaf {leaf_percent(jobs):.2f} %, first finding {share(firsts(jobs))}, culprit "
            f"{share(firsts(jobs, 'culprit'))}; {len(healthy)} healthy jobs, false findings in "
            f"{sum(bool(r['false']) for r in healthy)}; {len(failed)} failed")
