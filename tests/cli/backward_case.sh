#!/usr/bin/env bash
# A thread that sleeps in backward() waits for the thread that launches it: no cure of `blocked` takes that away, and what it does
# then is the loss. Keeps out: that sleep as a loss of its own, where a row has it together with the work after it, begins some ns
# before the end of the call that it follows, or is the other thread's while it has nothing to do.
. "$(dirname "$0")/lib.sh"

made() { # made KIND
	"$PYTHON" tests/cli/backward_traces.py "$1" "$work/$1" || fail "backward_traces.py $1"
}
wins() { # wins KIND CAUSES LEAST MOST: ms a step that the last of them wins
	expect_status 0 "$BATON" whatif --json --without "$2" "$work/$1"
	expect_true "$3 <= d['without'][-1]['gain_ns'] / 1e6 <= $4 and d['replay_error_ns'] == 0"
}

for kind in split one late; do
	made "$kind"
	wins "$kind" blocked 0 0.01
	wins "$kind" 'code, blocked' 0 0.01
done
for kind in split one; do
	wins "$kind" code 9.9 10.1
done
for kind in its_own both before; do
	made "$kind"
	wins "$kind" blocked 9.9 10.1
done
expect_status 0 "$BATON" report --json "$work/one"
expect_true "[f['id'] for f in d['findings'] if f['gain_ms']] == ['host_code']"
finish
