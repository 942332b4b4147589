"""Are the times of a timeline those of one clock, as well as it says?

    one_clock_check.py BATON RUN TRUTH FILE

FILE: what `baton export --format chrome` wrote of RUN. Every kernel's start there, beside the moment at which it was simulated (TRUTH has the
hosts' clocks), may differ by the residual that FILE prints. Around a jump of a clock, between the collectives before and after it, nothing can be
known. Prints the residual, the worst error, how many kernels were compared, and how many lie around a jump.
"""
import glob, json, re, subprocess, sys

baton, run, truth, path = sys.argv[1:]
truth = json.load(open(truth))
clocks, epoch = {c["host"]: c for c in truth["clocks"]}, truth["epoch_ns"]
text = open(path).read()
file = json.loads(text, parse_float=lambda t: int(t.replace(".", "")) if re.fullmatch(r"-?\d+\.\d{3}", t) else float(t))
words, origin = file["otherData"]["clock"], int(file["otherData"]["origin_ns"])
residual = float(re.search(r"aligned by the ends of collectives, to ([0-9.]+) us", words).group(1)) * 1000 + 50  # as printed, rounded
started = {(e["pid"], e["args"]["correlation"]): e["ts"] for e in file["traceEvents"] if e["ph"] == "X" and e["cat"] == "kernel"}


def moments(clock, own):
    """When a host's clock shows this: before its jump, after it."""
    out = []
    for jump, after in ((0, False), (clock["jump_ns"], True)):
        t = (own - epoch - clock["offset_ns"] - jump) * 10**9 // (10**9 + clock["drift_ppb"])
        if not clock["jump_ns"] or (t >= clock["jump_at_ns"]) == after:
            out.append(t)
    return out[:1] if not clock["jump_ns"] else out


rows, ends = [], {}  # rows: (host, pid, correlation, own start)
pids = {}
for e in file["traceEvents"]:
    if e["ph"] == "M" and e["name"] == "process_name":
        pids[int(re.search(r"pid (\d+)\)", e["args"]["name"]).group(1))] = e["pid"]
for name in glob.glob(run + "/*.0.baton"):
    lines = [json.loads(line) for line in subprocess.run([baton, "dump", "--json", name], stdout=subprocess.PIPE, check=True).stdout.splitlines()]
    process = next(x for x in lines if x["record"] == "process")
    host, pid = process["host"], process["pid"]
    for x in lines:
        if x["record"] == "op" and x.get("op_kind") in (1, "kernel"):
            rows.append((host, pid, x["correlation"], x["start_ns"]))
        if x["record"] == "collective" and 1 <= x["coll"] <= 5:  # all members leave these together
            ends.setdefault(host, []).append((x["start_ns"], x["start_ns"] + x["dur_ns"]))
around = {}
for host, clock in clocks.items():
    at, step = clock["jump_at_ns"], abs(clock["jump_ns"])
    if step:  # a collective that a jump back is in has no length in the trace, and ends too early there
        before = max(t for _, own in ends[host] for t in moments(clock, own) if t < at)
        after = min(moments(clock, end)[-1] for own, end in ends[host] if min(moments(clock, own), default=0) >= at)
        around[host] = (before - step, after + step)
reference = {h for h in clocks if all(started[pids[p], c] + origin == own for host, p, c, own in rows if host == h)}
assert reference, "no host keeps its clock"
keeps = clocks[sorted(reference)[0]]
assert not keeps["jump_ns"] or len(clocks) == 2, "the clock of all is one that jumps"
worst = compared = unclear = 0
for host, pid, correlation, own in rows:
    if host in reference:
        continue
    at = moments(clocks[host], own)
    if len(at) != 1 or any(a <= at[0] <= b for a, b in (around[h] for h in around if h == host or h in reference)):
        unclear += 1
        continue
    want = epoch + at[0] + keeps["offset_ns"] + at[0] * keeps["drift_ppb"] // 10**9
    want += keeps["jump_ns"] if at[0] >= keeps["jump_at_ns"] else 0
    worst = max(worst, abs(started[pids[pid], correlation] + origin - want))
    compared += 1
print(f"residual {residual:.0f} ns, worst error {worst} ns, {compared} kernels, {unclear} around a jump; {words}")
assert compared > 1000 and unclear < compared / 5
assert worst <= residual
