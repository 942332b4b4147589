#!/usr/bin/env bash
# A comparison that knows its noise: twins have no winner, what was planted is found, and too few steps say nothing.
. tests/cli/lib.sh
sim=${SIM:-$(dirname "$BATON")/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"

run() { "$sim" -o "$work/$1" --ranks 4 --noise-seed "$2" "${@:3}" >"$work/out" 2>"$work/err" || fail "baton-sim $*"; }

# Keeps out: a winner among runs that differ by noise alone, or by nothing.
for workload in ddp tensor jax; do
	for n in 1 2; do run "$workload$n" "$n" --workload "$workload" --steps 24 --host-noise bursts; done
	expect_status 0 "$BATON" compare --json "$work/${workload}1" "$work/${workload}2"
	expect_true "d['bridge'][0]['noise']['changed'] is False"
	expect_true "not [t for t in d['bridge'][0]['noise']['terms'].values() if t['changed']]"
	expect_true "d['bridge'][0]['noise']['loss_low_ns'] < 0 < d['bridge'][0]['noise']['loss_high_ns']"
	expect_status 0 "$BATON" compare "$work/${workload}1" "$work/${workload}2"
	expect_prints "No difference beyond noise: " "against the base"
	! grep -qE "changed|saves|lost by" "$work/out" || fail "a winner: $(cat "$work/out")"
done
expect_status 0 "$BATON" compare "$work/ddp1" "$work/ddp1"
expect_prints "No difference beyond noise: 0.00 +- "

# Keeps out: noise that hides what is there.
run slow 3 --workload ddp --steps 24 --fault slow_gpu=3@all
expect_status 0 "$BATON" compare --json "$work/ddp1" "$work/slow"
expect_true "d['bridge'][0]['noise']['changed'] and d['bridge'][0]['noise']['terms']['work.matmul']['changed']"
run sync 3 --workload ddp --steps 24 --fault sync=1
expect_status 0 "$BATON" compare "$work/ddp1" "$work/sync"
expect_prints "sync changed most: "
expect_status 0 "$BATON" compare "$work/sync" "$work/ddp1"
expect_prints "sync changed most: " "saves"

# A loss that comes with every third step (0, 3, 6, ...) is no noise either.
run third 3 --workload ddp --steps 48 --fault module_load=8000
run steady 2 --workload ddp --steps 48
expect_status 0 "$BATON" compare --json "$work/steady" "$work/third"
expect_true "d['bridge'][0]['noise']['changed'] and d['bridge'][0]['noise']['terms']['idle.host.module_load']['changed']"
expect_true "d['bridge'][0]['noise']['loss_low_ns'] > 0"

# Keeps out: a verdict from a handful of steps.
run few 1 --workload ddp --steps 7
expect_status 0 "$BATON" compare --json "$work/few" "$work/ddp1"
expect_true "d['bridge'][0]['noise'] is None"
finish
