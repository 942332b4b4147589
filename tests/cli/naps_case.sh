#!/usr/bin/env bash
# Whom a sleeping thread waits for is found in time that grows with the trace. Keeps out: sleeps that are kept and sorted again at
# each gap (60 s), and every thread of the process looked at in each gap (4 s).
. "$(dirname "$0")/lib.sh"
limit=3
case ${BUILD:=build/release} in *san-*) limit=30 ;; esac
for kind in long threads; do
	"$PYTHON" tests/cli/naps_traces.py "$kind" "$work/$kind" || fail "naps_traces.py $kind"
	expect_status 0 timeout "$limit" "$BATON" reduce --steps none "$work/$kind"
done
finish
