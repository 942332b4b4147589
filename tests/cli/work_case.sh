#!/usr/bin/env bash
# What two runs have in common: other work has no speed-up, the same kernels at another speed are called so, and scaling without a
# loss is the first line.
. tests/cli/lib.sh
sim=${SIM:-$(dirname "$BATON")/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"

run() { "$sim" -o "$work/$1" --steps 12 "${@:2}" >"$work/out" 2>"$work/err" || fail "baton-sim $*"; }
compared() { # compared NAME NAME OPTION...
	expect_status 0 "$BATON" compare --json "${@:3}" "$work/$1" "$work/$2"
	cp "$work/out" "$work/json"
	expect_status 0 "$BATON" compare "${@:3}" "$work/$1" "$work/$2"
	cp "$work/out" "$work/text"
	cp "$work/json" "$work/out"
}
other() { # other WHY: what compared() printed says so, and has no speed-up
	expect_true "d['bridge'][0]['different_work'] == '$1' and d['bridge'][0]['noise'] is None"
	expect_true "[r['efficiency'] for r in d['runs'] if r['dir'] == d['bridge'][0]['dir']] == [None]"
	cp "$work/text" "$work/out"
	expect_prints "Different work, no speed-up: "
	expect_prints_not "residual" "direct comparison" "lost by"
}

run ddp --ranks 2
run resnet --ranks 2 --workload resnet
run twice --ranks 2 --accumulate 2
run one --ranks 1 --noise-seed 2
# Keeps out: "a direct comparison" of two models, or of steps of which one is twice the other's work.
compared ddp resnet
other kernels
compared ddp twice
other kernels
compared ddp twice --scaling weak
expect_true "d['bridge'][0]['different_work'] is None and d['runs'][1]['efficiency'] < 0.6"
# Keeps out: a step of one run against the whole of another, and 100 % efficiency for windows with less work.
"$sim" -o "$work/tokens" --workload inference --ranks 2 --steps 12 >"$work/out" 2>&1 || fail "baton-sim"
"$sim" -o "$work/fewer" --workload inference --ranks 2 --steps 10 >"$work/out" 2>&1 || fail "baton-sim"
compared tokens fewer --steps none
other windows
compared tokens tokens --steps none
expect_true "d['bridge'][0]['different_work'] is None and d['runs'][1]['efficiency'] == 1"
cp "$work/text" "$work/out"
expect_prints "takes as long as the base" "Noise is not known"
kineto plain "$work/plain.json"
imported "$work/plain.json" "$work/plain"
kineto unlaunched "$work/none.json"
imported "$work/none.json" "$work/none"
compared plain none
other steps
compared plain none --scaling weak
other steps

# Keeps out: a run with other work that decides how the others scale, or silences what is said of them.
run whole --ranks 1 --accumulate 2
expect_status 0 "$BATON" compare --json "$work/whole" "$work/ddp" "$work/resnet"
expect_true "d['scaling'] == 'strong' and d['scaling_sure'] and d['runs'][1]['efficiency'] > 0.9 and d['runs'][2]['efficiency'] is None"
expect_status 0 "$BATON" compare "$work/whole" "$work/ddp" "$work/resnet"
expect_prints "One run did other work than the base, so it has no speed-up" "strong scaling (total work is equal within"
expect_status 0 "$BATON" compare "$work/ddp" "$work/resnet" "$work/twice"
expect_prints "Some runs did other work than the base, so they have no speed-up"
expect_prints_not "direct comparison"
run heavy --ranks 2 --fault slow_gpu=60@all
expect_status 0 "$BATON" compare "$work/one" "$work/heavy" "$work/resnet"
expect_says "work per GPU fits neither weak nor strong scaling"

# Keeps out: kernels that are all as much slower, told as a list of terms; a rank's clock told as everybody's; noise told as a clock.
run slow --ranks 2 --noise-seed 3 --fault slow_gpu=7@all
compared ddp slow
expect_true "abs(d['bridge'][0]['kernels']['slower'] - 0.07) < 0.003 and d['bridge'][0]['kernels']['shared'] == 1"
expect_true "d['bridge'][0]['kernels']['slower_rank'] is None"
cp "$work/text" "$work/out"
expect_wrapped "The GPUs run the same kernels 7.0 % slower: check clocks, power and temperature"
compared slow ddp
cp "$work/text" "$work/out"
expect_wrapped "The GPUs run the same kernels 6.5 % faster"
run rank --ranks 4 --fault slow_gpu=10@2
run four --ranks 4 --noise-seed 4
compared four rank
expect_true "abs(d['bridge'][0]['kernels']['slower'] - 0.10) < 0.004 and d['bridge'][0]['kernels']['slower_rank'] == 2"
compared rank four
expect_true "abs(d['bridge'][0]['kernels']['base_slower'] - 0.10) < 0.004 and d['bridge'][0]['kernels']['base_slower_rank'] == 2"
expect_true "-0.03 < d['bridge'][0]['kernels']['slower'] < -0.02 and d['bridge'][0]['kernels']['slower_rank'] is None"
cp "$work/text" "$work/out"
expect_wrapped "In the base the GPU of rank 2 runs the same kernels 9.9 % slower: check clocks, power and temperature"
compared ddp resnet --scaling weak
expect_true "d['bridge'][0]['kernels']['slower'] is None"
run sync --ranks 2 --fault sync=2
compared ddp sync
expect_true "d['bridge'][0]['kernels']['slower'] is None"

# Keeps out: a scaling without a loss that reads like one, and numbers without a confidence.
compared one four
cp "$work/text" "$work/out"
checks=$((checks + 1))
head -n 1 "$work/out" | grep -qE '^scales: (99|100)\.[0-9] %; nothing above the noise$' || fail "the first line: $(head -n 1 "$work/out")"
expect_wrapped "+- is noise: 99 % of what other steps of the same runs would give"
compared one rank
cp "$work/text" "$work/out"
expect_prints_not "scales: "
finish
