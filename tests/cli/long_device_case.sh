#!/usr/bin/env bash
# Devices of more ops than their steps are sought in at once, which are read once all the same: one thread has eight of them.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"
command -v taskset >"$work/out" || skip "no taskset"
core=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')

# Keeps out: steps that are judged by the launches of the last window alone, as the others are forgotten by then; a part is read twice.
expect_status 0 "$sim" -o "$work/run" --ranks 8 --steps 300 --kernels 903 --nvtx off
expect_status 0 taskset -c "$core" "$BATON" reduce --no-replay -o "$work/once" "$work/run"
expect_status 0 "$BATON" reduce --part -o "$work/part" "$work/run"
mkdir "$work/twice"
expect_status 0 "$BATON" merge "$work/part" -o "$work/twice"
expect_status 0 cmp "$work/once" "$work/twice/summary.baton"
expect_status 0 "$BATON" report --json "$work/twice"
expect_true 'd["quality"]["ops"] > 8 << 18 and d["run"]["steps"] == 299 and d["run"]["step_confidence"] == 1'
finish
