#!/usr/bin/env bash
# --fail-if of `compare`: any term, leaf or kernel, beyond its noise.
. tests/cli/lib.sh
sim=${SIM:-$(dirname "$BATON")/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"

run() { "$sim" -o "$work/$1" --ranks 2 --steps 24 --noise-seed "$2" "${@:3}" >"$work/out" 2>"$work/err" || fail "baton-sim $*"; }
gate() { # gate STATUS EXPR BASE RUN OPTION...
	expect_status "$1" "$BATON" compare --fail-if "$2" "${@:5}" "$work/$3" "$work/$4"
}
run a 1
run b 2
run slow 3 --fault slow_gpu=7@all
run sync 4 --fault sync=2

# Keeps out: a gate that noise fires; a sign that is ignored; a unit that is misread.
for expression in 'step>2%' 'efficiency<0.98' 'nccl>2%' 'idle.host>2%' 'work>2%' 'kernel:.>5%' 'step>0%' 'step<0%' 'step>1us'; do
	gate 0 "$expression" a b
done
gate 1 'step>2%' a slow
expect_says "gate failed: step of $work/slow is +6." "(between +6." "--fail-if step>2%"
gate 0 'step>8%' a slow
gate 0 'step<-1%' a slow
gate 1 'step<-1%' slow a
gate 1 'efficiency<0.98' a slow
gate 1 'step>2ms' a slow
gate 1 ' work.matmul > 2000 us ' a slow
gate 0 'work.matmul>2s' a slow
gate 1 'idle.host.sync>1%' a sync
gate 0 'idle.host.sync>1%' a slow
gate 1 'idle>1%' a sync
gate 1 'kernel:cutlass>3%' a slow
gate 1 'kernel:flash_(fwd|bwd)>1%' a slow
gate 0 'kernel:cutlass>3%' a sync
gate 0 'kernel:cutlass>12%' a slow
gate 1 'kernel:unrolled_elementwise<9>1s' a slow
expect_says "no kernel of either run matches"

# Keeps out: a value beyond the limit that fires although its range is not.
value=$("$BATON" compare --json "$work/a" "$work/slow" | "$PYTHON" -c \
	'import json,sys; n = json.load(sys.stdin)["bridge"][0]; print((n["loss_ns"] + n["noise"]["loss_low_ns"]) // 2)')
gate 0 "step>${value}ns" a slow
expect_says "gate passed: step of $work/slow is +"

# Keeps out: a gate on another number than the screen shows, without a word of it.
run late 6 --fault input=130000@1
gate 1 'nccl.wait>2%' a late
expect_says "gate failed: nccl.wait of $work/late is +" "; as measured, before waits are charged), --fail-if"
gate 1 'step>2%' a late
! grep -q "as measured" "$work/err" || fail "the step is as long however waits are charged"

# Keeps out: runs of a side so far apart that the step might be 0, whose highest efficiency turned negative.
run apart 6 --fault slow_gpu=300@all
expect_status 0 "$BATON" compare --fail-if 'efficiency<0.98' --base "$work/a" --run "$work/b,$work/apart"
expect_says "gate passed: efficiency of " "and inf)"

# Keeps out: a gate that is open because it cannot be judged, or that says nothing about noise that it does not know.
"$sim" -o "$work/few" --ranks 2 --steps 7 --fault slow_gpu=7@all >"$work/out" 2>&1 || fail "baton-sim"
gate 1 'step>2%' a few
expect_says "noise is not known, so it is not taken off"
gate 0 'step>9%' a few
expect_says "gate passed: " "noise is not known"
run resnet 5 --workload resnet
gate 1 'step>99%' a resnet
expect_says "cannot be judged: its work is another one than the base's"
kineto unlaunched "$work/json"
imported "$work/json" "$work/none"
gate 1 'idle.host>99%' none none
expect_says "cannot be judged: neither trace can measure it"

for expression in '' step 'step>' '>1%' 'step>1' 'step>x%' 'step>1%x' 'step>1kg' 'efficiency<1%' 'efficiency<nan' 'stp>1%' 'kernel:>1%' 'kernel:(>1%'; do
	gate 2 "$expression" a b
	expect_says "--fail-if"
done
finish
