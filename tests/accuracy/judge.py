"""Judges a random job: what was planted, what each fault costs by intervention, what baton said.

The loss of a fault is the step of the job less the step of the same job without that fault. The finding that counts is the
first that the same job without any fault does not have, or clearly smaller (`score.news`): a pipeline has its bubble.
What is accepted stands in docs/ACCURACY.md.
"""
import collections
import re

import score

LEAST_LOSS = 0.02  # of the step: below, no finding is asked for
SAME_LOSS = 0.01  # of the step: of two that differ by less either may come first
TIE = 0.9  # faults that cost nearly as much as the costliest may come first too
FEW_HAVE = 0.8  # of the idle time of a cause: so much on few devices is theirs
FEW_CORES = "few_cores"  # no fault of the simulator's: the machine that the job runs on
LATE = ("late_rank", "late_host")
SEVERE = ("medium", "high")
CALLS_OF = {"sync": ("sync", "sync_device", "item_end", "item_loss"), "alloc": ("alloc",)}
NO_LOSS = ("clock", "lost_records", FEW_CORES)
DEVICES_OF_ONE_PROCESS = ("jax", "dataparallel")
NO_REFERENCE = {"slow_link", "jitter_host", "jitter_kernel"}  # a trace cannot know how fast it should have been
NONE_EVERYWHERE = {"slow_host", "slow_gpu"}  # nor when all are equally slow

Accepted = collections.namedtuple("Accepted", "leaves findings reasons")


def accepted_of(text):
    """What docs/ACCURACY.md accepts: leaves of a cause, findings of a fault, reasons of a late rank."""
    leaves, findings, _ = score.read_document(text)
    return Accepted(leaves, findings, score.read_table(text, "### Faults and reasons"))


# ---- what was planted -----------------------------------------------------------------------------

def one_rank(fault, truth):
    return fault["rank"] is not None and truth["ranks"] > 1


def has_reference(fault, truth, accepted):
    if fault["fault"] in NO_REFERENCE or fault["fault"] not in accepted.findings:
        return False
    if fault["fault"] == "imbalance" and truth["ranks"] == 1:
        return False  # no one to be even with
    return fault["fault"] not in NONE_EVERYWHERE or one_rank(fault, truth)


def largest(truth):
    """The faults of which one has to be named first; [] where nothing costs enough."""
    costly = max(truth["faults"], key=lambda f: f["loss_ns"], default=None)
    if costly is None or costly["loss_ns"] < LEAST_LOSS * truth["step_ns"]:
        return []
    return [f for f in sorted(truth["faults"], key=lambda f: -f["loss_ns"]) if f["loss_ns"] >= TIE * costly["loss_ns"]]


# ---- what was said --------------------------------------------------------------------------------

def words_of(finding):
    return f"{finding['text']}; {finding.get('evidence') or ''}"


def named(finding, pattern):
    """The first that the finding names."""
    found = re.search(pattern, words_of(finding))
    return found.group(1) if found else None


def host_of(device):
    return device["device"].split("/")[0]


def is_alone(device, truth):
    """Whether its process drives no other device."""
    return sum(d["rank"] == device["rank"] for d in truth["devices"]) == 1


def names_device(device, truth, finding):
    ordinal = device["device"].split("/")[1]
    if is_alone(device, truth) and named(finding, r"\b[Rr]anks? (\d+)") == str(device["rank"]):
        return True
    return named(finding, r"\b(?:GPU|device) (?:\w+/)?(\d+)") == ordinal


def few_devices(fault, truth):
    """The devices that have a fault that was planted everywhere, as host functions hold up the first device of a process
    alone, and only the first and last stage of a pipeline wait for a load: fewer than half of all, each with half of the
    most or more, and together with four fifths of it. []: more have it."""
    if fault["rank"] is not None or truth["ranks"] == 1:
        return []
    idle = [sum(b - a for a, b, cause in d.get("idle", ()) if cause == fault.get("cause")) for d in truth["devices"]]
    few = [(device, ns) for device, ns in zip(truth["devices"], idle) if 0 < max(idle) <= 2 * ns]
    theirs = 2 * len(few) < len(idle) and sum(ns for _, ns in few) >= FEW_HAVE * sum(idle)
    return [device for device, _ in few] if theirs else []


def names_culprit(fault, truth, finding):
    """Whether the rank is named that has the fault; its host, where the fault is the host's; where one process drives
    several devices, the device if the fault is the device's, else nobody."""
    if not one_rank(fault, truth):
        return True
    device = truth["devices"][fault["rank"]]
    said = named(finding, r"\b[Rr]anks? (\d+)")
    if fault["fault"] == "no_core":
        on_host = {str(d["rank"]) for d in truth["devices"] if host_of(d) == host_of(device)}
        return truth["hosts"] == 1 or named(finding, r"\bhost (\w+)") == host_of(device) or said in on_host
    if truth["workload"] in DEVICES_OF_ONE_PROCESS:
        if fault["fault"] == "slow_gpu":
            return names_device(device, truth, finding)
        return len({d["rank"] for d in truth["devices"]}) == 1 or said == str(device["rank"])
    return said == str(device["rank"])


def names_finding(fault, truth, finding, accepted):
    if fault["fault"] == FEW_CORES and finding["id"] in LATE:  # of whom the lack of cores holds up most
        return "no_core" in finding["text"]
    few = few_devices(fault, truth)
    if few and finding["id"] in LATE:
        return any(names_device(d, truth, finding) for d in few) and names_class(fault, finding, accepted)
    also = LATE if one_rank(fault, truth) else ()
    return finding["id"] in (*accepted.findings.get(fault["fault"], ()), *also) and names_culprit(fault, truth, finding)


def names_class(fault, finding, accepted):
    """A late rank needs a reason; any other finding is one."""
    if finding["id"] not in LATE:
        return True
    text = finding["text"].replace(" ", "_")
    return any(re.search(rf"(?:^|_|\b){word}(?:_|\b)", text) for word in accepted.reasons.get(fault["fault"], ()))


def claim_ms(finding, printed):
    """What curing it wins. Of one that is not printed first (what is set aside is) what it wins by itself, as is its loss."""
    alone = finding.get("gain_alone_ms")
    if finding is not printed and alone is not None:
        return alone
    return finding["share_ms"] if finding.get("gain_ms") is None else finding["gain_ms"]


def interval_ms(finding, printed):
    """[least, most] that its gain may be, None where the report has no gain, or only beside others."""
    low, high = finding.get("gain_low_ms"), finding.get("gain_high_ms")
    return None if low is None or high is None or finding is not printed else [low, high]


def units_of_step(truth, report):
    """How many of the report's steps a step of the truth holds: of inference one is a request, the other may be a token."""
    means = [d["step_ns"]["mean"] for d in report["devices"] if d.get("step_ns")]
    if truth["workload"] != "inference" or not means:
        return 1
    return truth["step_ns"] / (sum(means) / len(means))


# ---- the verdict ----------------------------------------------------------------------------------

NOTHING = {"id": "none", "text": "no finding", "evidence": "", "share_ms": 0.0}


def faults_of(fault, truth, finding, accepted):
    """The numbers of the planted faults that a finding which names `fault` is about: it says what all of them cost together.
    What makes a rank late is whatever was planted on that rank."""
    return [i for i, f in enumerate(truth["faults"])
            if f is fault or (one_rank(f, truth) == one_rank(fault, truth) and names_finding(f, truth, finding, accepted))]


def two_named(truth, findings, accepted):
    """[[numbers of planted faults, gain in ms]] of the first two findings that are about other faults than each other, each
    with all that it names and a gain; fewer where the report has no two such."""
    out, seen = [], set()
    for finding in findings:
        named_by = [f for f in truth["faults"] if names_finding(f, truth, finding, accepted) and names_class(f, finding, accepted)]
        about = faults_of(max(named_by, key=lambda f: f["loss_ns"]), truth, finding, accepted) if named_by else []
        if not about or seen & set(about) or finding.get("gain_ms") is None:
            continue
        out.append([about, finding["gain_ms"]])
        seen |= set(about)
    return out[:2]


def judge_finding(truth, report, base, accepted, ample=None):
    """The verdict on the first finding, {} where none is asked for. `base`: the report of the job without faults, `ample`:
    with a core for every thread."""
    asked = largest(truth)
    if not asked:
        return {}
    findings = score.findings_of(report)
    printed = (findings or [NOTHING])[0]
    new = score.news(report, ample if asked[0]["fault"] == FEW_CORES else base)  # the job without faults has few cores too
    first = (new or [NOTHING])[0]
    right = [f for f in asked if names_finding(f, truth, first, accepted)]
    alike = [f for f in right if one_rank(f, truth) == one_rank(right[0], truth)]  # the culprit is asked of none or all
    fault = next((f for f in alike if names_class(f, first, accepted)), (right or asked)[0])
    units = units_of_step(truth, report)
    return {
        "fault": fault["fault"], "rank": fault["rank"], "loss_ms": fault["loss_ns"] / 1e6,
        "loss_percent": 100 * fault["loss_ns"] / truth["step_ns"], "reference": has_reference(fault, truth, accepted),
        "first": bool(right), "printed": any(names_finding(f, truth, printed, accepted) for f in asked),
        "about": faults_of(fault, truth, first, accepted) if right else [],
        "culprit": bool(right) and names_class(fault, first, accepted) if one_rank(fault, truth) else None,
        "claim_ms": claim_ms(first, printed) * units if right else None, "by_gain": first.get("gain_ms") is not None,
        "interval_ms": [ms * units for ms in interval_ms(first, printed) or ()] if right else [],
        "two": two_named(truth, new, accepted),
        "said": f"{first['id']}: {first['text']}"}


def judge_steps(truth, report):
    """The right number of steps, and their mean within 1 %; None where the job has none."""
    if truth["workload"] == "inference":
        return None
    want = truth["steps"] - truth["devices"][0]["warmup_steps"]
    means = [d["step_ns"]["mean"] for d in report["devices"] if d["step_ns"]]
    mean = sum(means) / len(means) if means else 0
    return report["run"]["steps"] == want and abs(mean - truth["step_ns"]) <= 0.01 * truth["step_ns"]


def judge_leaves(truth, pieces, leaves):
    """{cause: [true ns, ns in a leaf that is accepted for it]}"""
    out = collections.defaultdict(lambda: [0, 0])
    for (cause, leaf), ns in score.confusion(truth, pieces).items():
        if cause:
            out[cause][0] += ns
            out[cause][1] += ns if leaf in leaves[cause] else 0
    return dict(out)


def exposed_of(truth_device):
    """[ns of waiting, ns of the device's own transfers] while only collectives ran in the counted steps."""
    begin, end = truth_device["window_from_ns"], truth_device["window_to_ns"]
    sums = [0, 0]
    for a, b, kind, device in truth_device["exposed"]:
        own = kind == "transfer" and device == truth_device["number"]
        sums[own] += max(0, min(b, end) - max(a, begin))
    return sums


def judge_exposed(truth, report):
    """{leaf: [true ns, ns that are said and true]} of exposed communication, device by device."""
    said = {d["device"]: d["time_ns"] for d in report["devices"]}
    out = {"nccl.wait": [0, 0], "nccl.transfer": [0, 0]}
    for number, device in enumerate(truth["devices"]):
        for leaf, true in zip(out, exposed_of({**device, "number": number})):
            out[leaf][0] += true
            out[leaf][1] += min(true, said.get(device["device"], {}).get(leaf, 0))
    return out


def judge_calls(truth, report):
    """{calls: (ms that baton says they cost, ms that the job wins without them, right)}. What waiting costs later is no
    matter of instants. Without its waits a job hides other losses too, so where other faults are planted less may be said."""
    steps = report["run"]["steps"] or 1
    out = {}
    for calls in truth["calls"]:
        gains = [f["gain_ms"] for f in report["findings"] if f["id"] == calls["calls"] and f.get("gain_ms") is not None]
        leaf = f"idle.host.{calls['calls']}"
        share = sum(d["time_ns"].get(leaf, 0) for d in report["devices"]) / len(report["devices"]) / steps / 1e6
        claim, loss, step = gains[0] if gains else share, calls["loss_ns"] / 1e6, truth["step_ns"] / 1e6
        alone = all(f["fault"] in (*CALLS_OF[calls["calls"]], *NO_LOSS) for f in truth["faults"])
        near = score.SIZE_OF_LOSS * abs(loss) + score.SIZE_OF_STEP * step
        out[calls["calls"]] = (claim, loss, claim <= loss + near and (claim >= loss - near or not alone))
    return out


def concerns(report):
    """What a job without any fault must not be told: a late rank, and other findings from `medium` on."""
    return [f for f in score.findings_of(report) if f["id"] in LATE or f["severity"] in SEVERE]


def same(finding, other):
    """The same thing said of the same rank or host."""
    return finding["id"] == other["id"] and all(
        named(finding, pattern) == named(other, pattern) for pattern in (r"\b[Rr]anks? (\d+)", r"\bhost (\w+)")
        if finding["id"] in LATE)


def judge_healthy(report, others):
    """(false findings, those that the job has with any noise). `others`: reports of the same job with other noise: what is
    not found there was in the noise, and what is found with any noise is how the job is made."""
    found = concerns(report)
    lasting = [f for f in found if all(any(same(f, o) for o in concerns(other)) for other in others)]
    return [f for f in found if f not in lasting], lasting
