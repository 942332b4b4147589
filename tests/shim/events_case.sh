#!/usr/bin/env bash
# Event records and stream waits have rows that name the stream and the event. Keeps out: another id than the ops of the stream have,
# a destroyed stream's number for one that got its handle, rows of calls that failed, rows without a stream after a kill, and a
# stream's priority that is another one's.
. tests/cli/lib.sh
preloads simgpu/libcudart.so.13 simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256

recorded() { # recorded STATUS STACKS [die]
	rm -rf "$work/trace"
	expect_status "$1" "$BATON" record -s "$2" -o "$work/trace" -- "$PYTHON" tests/shim/events.py ${3:-}
}

found() { # found [TIMES]
	checks=$((checks + 1))
	"$BATON" dump --json "$work/trace" | "$PYTHON" tests/shim/events_check.py ${1:-} >"$work/why" 2>&1 || fail "$(cat "$work/why")"
}

recorded 0 python
found
recorded 0 off # another path through the recorder
found
recorded '137|265' python die
found 2
finish
