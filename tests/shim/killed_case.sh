#!/usr/bin/env bash
# Recorded jobs that are killed: what the trace holds of them, and what is said of it.
. tests/cli/lib.sh
preloads simtrain simlaunch simgpu/libcupti.so.13
here=$PWD bin=$PWD/$BUILD
export LD_LIBRARY_PATH=$bin/simgpu
ulimit -c 0

# ---- half a second after its first launch ----
# Keeps out: GPU records that wait for a second in CUPTI, or in buffers that a busy GPU keeps from being given back, and die there.
# A machine that is busy with something else gets three attempts.
young() { # young SIGNAL KERNEL_NS
	local try
	checks=$((checks + 1)) last="young, signal $1, kernels of $2 ns"
	for try in 1 2 3; do
		rm -rf "$work/young"
		KILLED_BY=$1 SIMGPU_KERNEL_NS=$2 timeout 60 "$BATON" record -o "$work/young" -- "$PYTHON" "$here/tests/shim/jobs.py" young \
			>"$work/out" 2>"$work/err"
		[ $? = $((128 + $1)) ] || fail "it did not end by its signal"
		"$BATON" dump --json "$work/young" | "$PYTHON" "$here/tests/shim/conserved.py" --killed --most >"$work/why" && return
	done
	fail "$(cat "$work/why")"
}
for signal in 9 6; do
	young $signal 5000    # the GPU waits for the CPU
	young $signal 1200000 # there is always something unfinished
done

# ---- right after its first launches ----
# Keeps out: kernels that are not in flight because the writer thread had no turn to note that CUPTI delivers.
for _ in $(seq 8); do
	rm -rf "$work/newborn"
	expect_status 137 "$BATON" record -o "$work/newborn" -- "$PYTHON" "$here/tests/shim/jobs.py" newborn
	checks=$((checks + 1))
	"$BATON" dump --json "$work/newborn" | "$PYTHON" -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
calls = sum(r["record"] == "call" and "Launch" in r["name"] for r in rows)
kernels = sum(r["record"] == "op" for r in rows)
in_flight = sum(r["count"] for r in rows if r["record"] == "loss" and r["kind"] == 2)
sys.exit((calls, kernels + in_flight) != (5, 5) and f"{calls} launches, {kernels} kernels, {in_flight} in flight")' 2>"$work/why" ||
		fail "$(cat "$work/why")"
done

# ---- ranks: what is said of what they leave ----
# Keeps out: a report of half a run that scripts take for one of all of it; steps whose GPU records never came, counted as steps.
train="$bin/simtrain --layers 4 --steps"

partial() { # partial DIR: some of it is missing, and everybody says so
	expect_status 4 "$BATON" report "$1"
	expect_says "GPU records were in flight when the job ended; answered without them"
	expect_prints "The job ended before its last GPU records arrived: " " missing" "(in flight)"
	expect_status 4 "$BATON" report --json "$1" # of the stored summary
	expect_says "GPU records were in flight"
	cp "$work/out" "$work/report.json"
	expect_status 0 "$BATON" dump --json "$1"
	checks=$((checks + 1))
	"$PYTHON" "$here/tests/shim/killed.py" "$work/report.json" <"$work/out" >"$work/why" 2>&1 || fail "$(tail -n 1 "$work/why")"
	expect_status 4 "$BATON" reduce "$1"
	expect_says "GPU records were in flight" "devices, "
	expect_status 4 "$BATON" compare "$work/whole" "$1"
	expect_says "$1: "
	expect_status 1 "$BATON" report --fail-if 'step_ms>0' "$1" # a gate wins
}

whole() { # whole DIR: nothing is missing
	expect_status 0 "$BATON" report "$1"
	expect_says_not "in flight"
	expect_status 0 "$BATON" reduce "$1"
	expect_status 0 "$BATON" report --json "$1"
	expect_true "d['quality']['in_flight'] == 0"
}

# shellcheck disable=SC2086
"$BATON" record -o "$work/whole" -- "$bin/simlaunch" -n 2 -- $train 12 >"$work/out" 2>"$work/err" || fail "a whole run: status $?"
whole "$work/whole"
expect_status 0 "$BATON" compare "$work/whole" "$work/whole"

# one rank by SIGKILL, right after it has launched a forward pass; the other is told to end
# shellcheck disable=SC2086
expect_status 137 "$BATON" record -o "$work/rank" -- "$bin/simlaunch" -n 2 -- $train 100000 --kill-rank 1=30
partial "$work/rank"

# all of it: baton passes the signal on; or it is killed with its job, and who reads the trace takes the rest from shared memory
alive() { # alive GROUP: some process of it has not ended
	cat /proc/[0-9]*/stat 2>/dev/null | sed 's/.*) //' | awk -v group="$1" '$3 == group && $1 != "Z"' | grep -q .
}
all() { # all SIGNAL [-]: sent to baton, with - to its group, once the job has come to its 20th step
	local n=0
	: >"$work/out"
	# shellcheck disable=SC2086
	setsid "$BATON" record -o "$work/all$1" -- "$bin/simlaunch" -n 2 -- $train 100000 >"$work/out" 2>"$work/err" &
	while ! grep -q '^step 20 ' "$work/out" && [ $((n += 1)) -lt 3000 ]; do sleep 0.01; done
	kill "-$1" -- "${2:-}$!"
	wait $! 2>/dev/null
	is_ended=$? n=0
	while alive $! && [ $((n += 1)) -lt 500 ]; do sleep 0.01; done
	checks=$((checks + 1)) last="all, signal $1"
	[ $is_ended = $((128 + $1)) ] || fail "ended by $is_ended"
	partial "$work/all$1"
}
all 15
all 9 -
# a process that has nothing to lose any more
"$BATON" record -o "$work/rests" -- "$PYTHON" "$here/tests/shim/jobs.py" rests >"$work/out" 2>"$work/err"
expect_says "1 process ended without closing its trace" " 0 kernels were still in flight"
whole "$work/rests"
finish
