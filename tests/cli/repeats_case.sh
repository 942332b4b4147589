#!/usr/bin/env bash
# Several runs of one job as one side of a comparison: --base A1,A2,A3 and --run.
. tests/cli/lib.sh
sim=${SIM:-$(dirname "$BATON")/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"

run() { "$sim" -o "$work/$1" --workload ddp --steps 12 --noise-seed "$2" "${@:3}" >"$work/out" 2>"$work/err" || fail "baton-sim $*"; }
for n in 1 2 3 4; do run "a$n" "$n" --ranks 2; done
# One base run had another network: what the job does by itself from run to run.
run slow 5 --ranks 2 --fault slow_link=1500@all
run two 6 --ranks 4

# Keeps out: a base that is one of the runs instead of their mean, and a spread that is not looked at.
expect_status 0 "$BATON" compare --json --base "$work/a1,$work/a2,$work/slow" "$work/a4"
expect_true "d['runs'][0]['repeats'] == 3 and d['runs'][1]['repeats'] == 1"
expect_true "sum(d['runs'][0]['time_ns'].values()) == d['runs'][0]['step_ns']"
expect_true "d['bridge'][0]['residual_ns'] == 0"
cp "$work/out" "$work/three"
for n in 1 2; do expect_status 0 "$BATON" compare --json "$work/a$n" "$work/slow" && cp "$work/out" "$work/pair$n"; done
expect_status 0 "$PYTHON" - "$work" <<'PY'
import json, sys
three, one, two = (json.load(open(f"{sys.argv[1]}/{name}")) for name in ("three", "pair1", "pair2"))
steps = [one["runs"][0]["step_ns"], two["runs"][0]["step_ns"], one["runs"][1]["step_ns"]]
base, noise = three["runs"][0], three["bridge"][0]["noise"]
assert abs(base["step_ns"] - sum(steps) / 3) <= 1, (base["step_ns"], steps)
assert base["repeats_spread_ns"] == max(steps) - min(steps), base
loss, spread = three["bridge"][0]["loss_ns"], base["repeats_spread_ns"]
assert noise["loss_low_ns"] <= loss - spread and noise["loss_high_ns"] >= loss + spread, noise
assert not noise["changed"]
PY
expect_status 0 "$BATON" compare --base "$work/a1,$work/a2,$work/slow" "$work/a4"
expect_prints "The base is the mean of 3 runs: "
expect_wrapped "(a term: 99.4 %), at least how far the runs of a side lie apart"
expect_status 0 "$BATON" compare "$work/a1" "$work/a4"
expect_prints_not "lie apart"

# Keeps out: a floor that hides what all runs of a side have; --run, and --base without another operand.
run late 7 --ranks 2 --fault sync=1
run late2 8 --ranks 2 --fault sync=1
expect_status 0 "$BATON" compare --base "$work/a1,$work/a2,$work/a3" --run "$work/late,$work/late2"
expect_prints "sync changed most: "
expect_status 0 "$BATON" compare --json --base "$work/a1" "$work/a2" --run "$work/late,$work/late2"
expect_true "[r['repeats'] for r in d['runs']] == [1, 1, 2] and len(d['bridge']) == 2"
# The base is what --base says, also where another run has fewer GPUs.
expect_status 0 "$BATON" compare --json --base "$work/two" "$work/a1"
expect_true "d['bridge'][0]['base'] == 4 and d['bridge'][0]['gpus'] == 2"

# The directories of one run's nodes are joined by a '+'; a name that has one stays whole.
run nodes 9 --ranks 4 --per-host 2
mkdir "$work/n0" "$work/n1" && cp -r "$work/a1" "$work/a+1"
ls "$work"/nodes/*.baton | grep -v summary | head -n 2 | xargs -I{} mv {} "$work/n0"
ls "$work"/nodes/*.baton | grep -v summary | xargs -I{} mv {} "$work/n1"
expect_status 0 "$BATON" compare --json --base "$work/n0+$work/n1,$work/two" "$work/two"
expect_true "d['runs'][0]['gpus'] == 4 and d['runs'][0]['repeats'] == 2"
expect_status 0 "$BATON" compare --json --base "$work/a+1,$work/a2" "$work/a3"
expect_true "d['runs'][0]['repeats'] == 2"

# Keeps out: runs of different jobs taken for one; a side that is missing.
expect_status 2 "$BATON" compare --base "$work/a1,$work/two" "$work/a2"
expect_says "$work/a1 has 2 GPUs and $work/two has 4"
run other 10 --ranks 2 --accumulate 2
expect_status 2 "$BATON" compare --base "$work/a1,$work/other,$work/a3" "$work/a2"
expect_says "and $work/other did different work (their kernels are others)"
expect_status 2 "$BATON" compare "$work/a1" --run "$work/other,$work/a3,$work/a2"
expect_says "repeats that are taken together must be of one job"
expect_status 0 "$BATON" compare --scaling weak --base "$work/a1,$work/other,$work/a3" "$work/a2"
kineto plain "$work/plain.json"
imported "$work/plain.json" "$work/plain"
kineto unlaunched "$work/none.json"
imported "$work/none.json" "$work/none"
expect_status 2 "$BATON" compare --scaling weak --base "$work/plain,$work/none" "$work/plain"
expect_says "did different work (one of them has steps and the other has none)"
expect_status 2 "$BATON" compare --base "$work/a1,$work/a2"
expect_says "two runs are needed"
expect_status 2 "$BATON" compare --base , "$work/a2"
expect_says "names no directory"
expect_status 3 "$BATON" compare --base "$work/a1,$work/absent" "$work/a2"
expect_says "$work/absent: No such file"
finish
