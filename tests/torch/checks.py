"""What the runs of run.sh must hold. Each prints one line; status 1 when it is not so."""
import collections
import json
import subprocess
import sys

import trace

PART_WITH_LINE = 0.95
SLACK_NS = 5000


def baton_json(*arguments):
    done = subprocess.run([trace.BATON, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"baton {' '.join(arguments)}: status {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)


def own_line(frames, places):
    """A line of the script or of a library, not of the interpreter's start."""
    return any(line and not file.startswith("<") for file, _, _, line in frames) and any(p in f[0] for f in frames for p in places)


def lines(directory, *places):
    """Nearly every launch has a line; those of the main thread are the forward pass and the optimizer, those of other threads the backward."""
    count, have = collections.Counter(), collections.Counter()
    without = collections.Counter()
    for process in trace.read_run(directory):
        for name, forward, frames in process.launches():
            count[forward] += 1
            have[forward] += own_line(frames, places)
            if not own_line(frames, places):
                without[name] += 1
    said = ", ".join(f"{title} {have[key]} of {count[key]}" for key, title in ((True, "main thread"), (False, "backward threads")))
    print(f"launches with a line: {said}" + "".join(f"; without: {n} {name[:60]}" for name, n in without.most_common(2)))
    return not count[True] or any(have[key] < PART_WITH_LINE * count[key] for key in count)


def in_window(directory, kineto):
    """The process that the profiler was in, and its ops of the time that the profiler looked at."""
    first = min(map(kineto.start_ns, kineto.ops)) - SLACK_NS
    last = max(kineto.start_ns(op) + round(op["dur"] * 1000) for op in kineto.ops) + SLACK_NS
    best = max(trace.read_run(directory), key=lambda p: sum(first <= op[0] <= last for op in p.ops))
    best.ops = [op for op in best.ops if first <= op[0] and op[0] + op[1] <= last]
    return best


def place(file, first_line, function):
    """The profiler cuts paths, and of functions that were open when it started it has another line."""
    return file.rsplit("/", 1)[-1], function.rsplit(".", 1)[-1], 0 if function in ("main", "<module>") else first_line


def profiler_lines(directory, kineto):
    """Each kernel of the main thread was launched by the functions that torch.profiler names, and by no others."""
    theirs = trace.Kineto(kineto)
    process, ours = in_window(directory, theirs), collections.defaultdict(set)
    for name, forward, frames in process.launches():
        if forward and frames:
            file, function, first_line, _ = frames[0]
            ours[name].add(place(file, first_line, function))
    plain = trace.demangled(ours)
    ours = {plain[name]: places for name, places in ours.items()}
    theirs = {name: {place(*at) for at in places} for name, places in theirs.innermost().items()}
    wrong = [f"{name[:60]}: baton {sorted(ours.get(name, ()))}, profiler {sorted(places)}" for name, places in theirs.items() if ours.get(name) != places]
    print(f"{len(theirs)} kernels of the main thread, {len(wrong)} launched by others here than there", *wrong[:3], sep="; ")
    return not theirs or bool(wrong)


def idle_ns(ops):
    """Of (start, end): the time from the first start to the last end in which none runs."""
    idle, until = 0, None
    for start, end in sorted(ops):
        if until is not None:
            idle += max(0, start - until)
        until = max(end, until or end)
    return idle


def differences(ours, theirs):
    """Of two lists of (start, end, kernel or None, stream): other kernels in other streams, other idle time."""
    a, b = (collections.Counter((name, stream) for _, _, name, stream in ops if name) for ops in (ours, theirs))
    wrong = [f"{key[0][:50]} in stream {key[1]}: {a[key]} here, {b[key]} there" for key in sorted(set(a) | set(b)) if a[key] != b[key]]
    here, there = (idle_ns((start, end) for start, end, *_ in ops) for ops in (ours, theirs))
    if abs(here - there) > 2 * len(ours) + here // 1000:  # ns: theirs are decimal microseconds, and of another clock
        wrong.append(f"idle {here} ns here, {there} ns there")
    print(f"{sum(a.values())} kernels, idle {here / 1e6:.3f} ms: ", "; ".join(wrong[:4]) or "the same in both", sep="")
    return not a or bool(wrong)


def rows(process):
    plain = trace.demangled({op[2] for op in process.ops if op[2]})
    return [(start, start + duration, plain.get(name), process.streams[stream]) for start, duration, name, stream, _ in process.ops]


def same_work(directory, kineto):
    """Over the time the profiler looked at: the same kernels in the same streams, the device equally idle."""
    theirs = trace.Kineto(kineto)
    return differences(rows(in_window(directory, theirs)),
                       [(theirs.start_ns(op), theirs.start_ns(op) + round(op["dur"] * 1000), op["name"] if op["cat"] == "kernel" else None,
                         op["args"]["stream"]) for op in theirs.ops])


def imported(own, kineto, kineto_run):
    """The profiler's export, imported, against our own trace of the same run."""
    (theirs,) = trace.read_run(kineto_run)
    return differences(rows(in_window(own, trace.Kineto(kineto))), rows(theirs))


def first(directory, identity, *texts):
    """The planted cause is the first finding, and its text or evidence says where."""
    findings = baton_json("report", "--json", directory)["findings"]
    top = findings[0] if findings else {}
    said = f"{top.get('text', '')} {json.dumps(top.get('evidence', ''))}"
    missing = [text for text in texts if text not in said]
    print(f"first finding {top.get('id')}: {said[:300]}" + (f"; does not say {missing}" if missing else ""))
    return top.get("id") not in identity.split("|") or bool(missing)


def residual(*directories):
    rows = baton_json("compare", "--json", *directories)["bridge"]
    print(f"{len(rows)} bridges, residuals {[row['residual_ns'] for row in rows]} ns")
    return len(rows) != len(directories) - 1 or any(row["residual_ns"] or sum(row["terms_ns"].values()) != row["loss_ns"] for row in rows)


def profiled(kineto, plain):
    """What the profiler saw beside us is what it sees alone."""
    a, b = (collections.Counter(op["name"] for op in trace.Kineto(path).ops) for path in (kineto, plain))
    print(f"{sum(a.values())} ops beside the recorder, {sum(b.values())} without", *[f"{n[:60]}: {a[n]}, {b[n]}" for n in (a | b) if a[n] != b[n]][:3], sep="; ")
    return not a or a != b


if __name__ == "__main__":
    sys.exit(int(globals()[sys.argv[1]](*sys.argv[2:])))
