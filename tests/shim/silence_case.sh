#!/usr/bin/env bash
# What the rows of silent threads and of child processes say. Keeps out: a thread that runs told asleep (schedstat is as of the last
# tick), and the place of a thread not looked at when the one it waited for is done.
. tests/cli/lib.sh
preloads simgpu/libcuda.so.1 simgpu/libcupti.so.13
[ -r /proc/self/schedstat ] || skip "no schedstat here"
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256

right() { # right JOB STACKS [FILE]: once in five tries, a machine that is very busy keeps the sampler from looking
	checks=$((checks + 1))
	for _ in 1 2 3 4 5; do
		rm -rf "$work/trace"
		expect_status 0 "$BATON" record -s "$2" -o "$work/trace" -- "$PYTHON" tests/shim/steps.py "$1"
		"$BATON" dump --json "$work/trace" | "$PYTHON" tests/shim/silence_check.py "$1" ${3:+"$3"} >"$work/why" && break
		cat "$work/why" >>"$work/all"
		[ "$(wc -l <"$work/all")" -lt 5 ] || fail "$1: $(cat "$work/all")"
	done
	: >"$work/all"
}

# by clocks that are exact: a row that is all running is written, and old run times of schedstat are not believed
mkdir "$work/clock"
expect_status 0 env BATON_OUT="$work/clock" BATON_STACKS=off "$BUILD/tests/shim/silence_clock"
checks=$((checks + 1))
"$BATON" dump --json "$work/clock" | "$PYTHON" tests/shim/silence_check.py clock >"$work/why" || fail "clock: $(cat "$work/why")"

: >"$work/all"
right spins off "$work/out"
right goes_on python
for PYTHON in ~/.pyenv/versions/3.1[123].*/bin/python3 "$PYTHON"; do # the lock lies elsewhere in each release
	"$PYTHON" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null &&
		right hogged python "$work/out"
done
right turns python "$work/out"
expect_status 0 "$BATON" record -s python -o "$work/hogged" -- "$PYTHON" tests/shim/steps.py hogged
expect_status 0 "$BATON" report --json "$work/hogged"
expect_true "'the GIL, held by ' in [f['evidence'] for f in d['findings'] if f['id'] == 'blocked'][0]"
expect_true "'steps.py' in [f['evidence'] for f in d['findings'] if f['id'] == 'blocked'][0]"
expect_true "not [k for k in d['kernels'] if 'GIL' in k['name']]" # its name is no kernel's
# who waits for a thread is told by what that one does (ATTRIBUTION.md 4.3); all of it was `blocked` before
checks=$((checks + 1))
for n in 1 2 3 4 5; do
	rm -rf "$work/trace"
	expect_status 0 "$BATON" record -s python -o "$work/trace" -- "$PYTHON" tests/shim/steps.py handed
	"$BATON" report --json --steps none "$work/trace" | "$PYTHON" -c 'import json, sys
ns = json.load(sys.stdin)["devices"][0]["time_ns"]
print({leaf: round(t / 1e6, 1) for leaf, t in ns.items() if t > 1e6})
sys.exit(ns["idle.host.code"] < 0.3 * sum(t for leaf, t in ns.items() if leaf.startswith("idle")))' >"$work/why" && break
	[ "$n" -lt 5 ] || fail "handed: $(cat "$work/why")"
done
right workers python "$work/out"
finish
