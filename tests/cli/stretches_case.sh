#!/usr/bin/env bash
# `reduce --time --add`: stretches of time that were added up say what a reduction of the whole run says, in each number of the
# report's JSON; a stretch alone has the steps that begin in it; what would count twice, or cannot be added, is refused.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

expect_status 0 "$sim" -o "$work/ddp" --ranks 4 --per-host 2 --steps 40 --kernels 200 --fault slow_kernel=100@1 --fault lost_records
expect_status 0 "$sim" -o "$work/resnet" --workload resnet --ranks 2 --steps 24 --fault input@1
expect_status 0 "$sim" -o "$work/inference" --workload inference --ranks 1 --steps 30
expect_status 0 "$sim" -o "$work/fsdp" --workload fsdp --ranks 2 --steps 16
for name in critics last_empty; do
	"$PYTHON" tests/cli/steps_traces.py $name "$work/$name" || fail "steps_traces.py $name"
done
cat >"$work/sums.py" <<'P'
import json, os, random, subprocess, sys
baton, runs = sys.argv[1], sys.argv[2:]
random.seed(15)
OWN = ("records", "stretches", "stretches_from_ns", "stretches_to_ns", "dirs")
ROUNDED = ("min_ns", "p50_ns", "max_ns")
def sh(*words, status=(0, 4)):
    done = subprocess.run([baton, *words], capture_output=True, text=True)
    assert done.returncode in status, (words, done.returncode, done.stderr)
    return done
def report(*words):
    return json.loads(sh("report", "--json", *words).stdout)
def differences(at, whole, sum):
    if isinstance(whole, dict):
        assert list(whole) == list(sum), at
        return [d for k in whole if k not in OWN for d in differences(at + "." + k, whole[k], sum[k])]
    if isinstance(whole, list):
        assert len(whole) == len(sum), at
        return [d for i in range(len(whole)) for d in differences(f"{at}[{i}]", whole[i], sum[i])]
    return [] if whole == sum else [(at, whole, sum)]
for run in runs:
    whole, added = run + ".whole", run + ".added"
    sh("reduce", "--no-replay", "-o", whole, run)
    before = report(whole)
    seconds = max(d["hull_ns"] for d in before["devices"]) / 1e9
    cuts = sorted(round(random.uniform(0.1, 0.95) * seconds, 6) for _ in range(3))
    edges = ["", *map(str, cuts), ""]
    steps = 0
    for a, b in zip(edges, edges[1:]):
        sh("reduce", "--time", f"{a}..{b}", "--add", "-o", added, run, status=(0, 3, 4)) # 3: no step begins in it
        one = subprocess.run([baton, "report", "--json", "--time", f"{a}..{b}", run], capture_output=True, text=True)
        steps += sum(d["steps"] for d in json.loads(one.stdout)["devices"]) if one.returncode in (0, 4) else 0
    after = report(added)
    # Keeps out: steps that are lost between two stretches or count in both, and views that read a stretch otherwise.
    assert steps == sum(d["steps"] for d in before["devices"]) == sum(d["steps"] for d in after["devices"]), (run, steps)
    odd = differences("", before, after)
    rounded = after["quality"]["rounded_quantiles"] - before["quality"]["rounded_quantiles"]
    for at, was, is_ in odd:
        # Percentiles of many values are rounded, and only they.
        ok = at.endswith("rounded_quantiles") or (rounded and at.endswith(ROUNDED) and 0 <= was - is_ <= 0.001 * was)
        assert ok, (run, at, was, is_)
    assert after["quality"]["stretches"] >= 2 and after["quality"]["stretches_missing_ns"] == 0, after["quality"]
    assert os.path.getsize(added) < 2 * os.path.getsize(whole) + 65536
    # Keeps out: a stretch that is added again.
    again = sh("reduce", "--time", f"{cuts[0]}..", "--add", "-o", added, run, status=(2,))
    assert "count twice" in again.stderr and report(added) == after
# What lies between two stretches is counted.
sh("reduce", "--time", "0..0.3", "-o", runs[0] + ".gap", runs[0])
sh("reduce", "--time", "0.5..0.7", "--add", "-o", runs[0] + ".gap", runs[0])
gap = report(runs[0] + ".gap")
assert gap["quality"]["stretches_missing_ns"] == 200_000_000, gap["quality"]
assert "are missing" in sh("report", runs[0] + ".gap").stdout
P
expect_status 0 "$PYTHON" "$work/sums.py" "$BATON" "$work/ddp" "$work/resnet" "$work/inference" "$work/fsdp" "$work/critics" "$work/last_empty"
expect_status 0 "$BATON" compare "$work/ddp.whole" "$work/ddp.added"
expect_status 0 "$BATON" metrics "$work/ddp.added"
expect_prints "baton_step_seconds"

# Without --time: what begins after the stretches in the file, once.
expect_status 0 "$BATON" reduce --time ..0.4 -o "$work/rest" "$work/ddp"
expect_status 0 "$BATON" reduce --add -o "$work/rest" "$work/ddp"
expect_status 3 "$BATON" reduce --add -o "$work/rest" "$work/ddp"
expect_says "after those that were counted"
expect_status 0 "$BATON" report --json "$work/rest"
cp "$work/out" "$work/rest.json"
expect_status 0 "$BATON" report --json "$work/ddp.added"
expect_true "d['devices'] == json.load(open('$work/rest.json'))['devices'] and d['quality']['stretches'] > 2"

# Keeps out: advice that is refused.
expect_status 0 "$BATON" report "$work/ddp.added"
expect_says_not "See where"
! grep -q "See where" "$work/out" || fail "the report of a summary names a command that needs events"

# Views that need single events say so, and what cannot be a stretch is refused.
expect_status 2 "$BATON" report --gaps 3 "$work/ddp.added"
expect_says "without events"
expect_status 2 "$BATON" report --time 0..1 "$work/ddp.added"
expect_says "need its traces"
expect_status 2 "$BATON" reduce --time 0..1 --add -o "$work/ddp.whole" "$work/ddp"
expect_says "a summary of a whole run"
expect_status 2 "$BATON" reduce --time 0..1 "$work/ddp"
expect_says "--time needs -o FILE"
expect_status 2 "$BATON" reduce --add "$work/ddp"
expect_says "--add needs"
expect_status 2 "$BATON" reduce --time 1 -o "$work/x" "$work/ddp"
expect_says "must be seconds"
# Steps that are found in another way do not mix with those before.
traces() { "$PYTHON" tests/cli/steps_traces.py "$@" || fail "steps_traces.py $1"; }
traces graph_only "$work/period" 1000000
traces two_optimizers "$work/marked" 1000000000
traces graph_only "$work/later" 2000000000
expect_status 0 "$BATON" reduce --add -o "$work/mixed" "$work/period"
expect_status 0 "$BATON" reduce --time .. --add -o "$work/mixed" "$work/marked"
expect_status 0 "$BATON" report --json "$work/mixed"
expect_true 'd["run"]["step_source"] == "optimizer" and d["run"]["steps"] == 19 and d["quality"]["stretches"] == 1'
expect_true '0.98e9 < d["quality"]["stretches_missing_ns"] <= 1.01e9'
expect_status 3 "$BATON" reduce --time .. --add -o "$work/mixed" "$work/later"
expect_says "its steps are those of optimizer, and this stretch has none of them"
expect_status 2 "$BATON" reduce --time .. --steps period --add -o "$work/mixed" "$work/later"
expect_says "other options"
# Nor do those of another run.
traces two_optimizers "$work/run.one" 1000000000 one
traces two_optimizers "$work/run.other" 2000000000 other
expect_status 0 "$BATON" reduce --time .. -o "$work/run" "$work/run.one"
expect_status 2 "$BATON" reduce --add -o "$work/run" "$work/run.other"
expect_says "the stretches in it are of run 'one', and this one is of run 'other'"
# Summaries of several nodes are not merged as parts are: they lack what a node waits for another one.
expect_status 2 "$BATON" merge "$work/run" "$work/run" -o "$work/merged"
expect_says "$work/run: a summary of stretches of time" "let all nodes record into one directory"
[ ! -e "$work/merged" ] || fail "a summary of stretches was merged"

# Ranks that were restarted: each generation counts in the stretches that have it; where both have steps the later one does, and the time of
# the other one is missing.
traces restarted "$work/again"
expect_status 0 "$BATON" reduce --time ..0.0018 --add -o "$work/apart" "$work/again" # the first one ends after 1.4 ms, the second one begins at 2.4
expect_status 0 "$BATON" reduce --add -o "$work/apart" "$work/again"
expect_status 0 "$BATON" report --json "$work/apart"
expect_true '[v["steps"] for v in d["devices"]] == [29, 29] and d["quality"]["stretches_missing_ns"] == 0'
# Keeps out: all kernels of one generation that count outside of the steps of the other one, in both stretches.
expect_true '2 * 31 * 14 <= d["quality"]["ops"] < 2.5 * 31 * 14'
expect_status 0 "$BATON" report "$work/apart"
expect_prints "each stretch of time has the steps of one of its 2 generations"
! grep -q "of other generations" "$work/out" || fail "steps that count are said to be left out"
expect_status 0 "$BATON" reduce --time .. -o "$work/both" "$work/again"
expect_status 0 "$BATON" report --json "$work/both"
expect_true '[v["steps"] for v in d["devices"]] == [20, 20] and 1.3e6 < d["quality"]["stretches_missing_ns"] < 1.5e6'
# The same of processes that no launcher numbered. Keeps out: a summary that ends with the first of them.
traces restarted_alone "$work/alone"
for time in ..0.0035 0.0035..; do # the first one's kernels end at 2.9 ms
	expect_status 0 "$BATON" reduce --time $time --add -o "$work/turns" "$work/alone"
done
expect_status 0 "$BATON" report --json "$work/turns"
expect_true 'd["run"]["steps"] == 29 and d["quality"]["ops"] == 31 * 14 and d["run"]["step_ops_inside"] > 0.9'
expect_status 0 "$BATON" report --json --time 0.0004.. "$work/alone" # it has steps of both: those of the one with more
expect_true 'd["run"]["steps"] == 20'
expect_status 2 "$BATON" report --time 0..1 --step 2 "$work/ddp"
expect_status 2 "$BATON" report --time 0..1 --steps none "$work/ddp"
expect_status 3 "$BATON" reduce --time 900..901 -o "$work/x" "$work/ddp"
expect_says "no step of it begins within"
[ ! -e "$work/x" ] || fail "a stretch without steps was written"
finish
