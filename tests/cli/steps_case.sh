#!/usr/bin/env bash
# Steps without markers: optimizers' marks, what they leave out, and periodicity.
. "$(dirname "$0")/lib.sh"

steps_of() { # steps_of CASE [OPTIONS...]: its report is in $work/out
	[ -d "$work/$1" ] || "$PYTHON" tests/cli/steps_traces.py "$1" "$work/$1" || fail "steps_traces.py $1"
	expect_status 0 "$BATON" report --json "$work/$1" "${@:2}"
}

# Keeps out: optimizers that step after one backward counted as steps each.
steps_of two_optimizers
expect_true "d['run']['steps'] == 19 and d['run']['step_source'] == 'optimizer'"

# Keeps out: a backward inside a graph, which PyTorch does not see, that joins all steps to one.
steps_of graph_part
expect_true "d['run']['steps'] == 39 and d['run']['step_source'] == 'optimizer'"

# Keeps out: a thread's mark that is left out because another thread had a backward, or none.
steps_of threads
expect_true "d['run']['steps'] == 24 and d['run']['step_source'] == 'optimizer'"

# Keeps out: each step of a critic taken for a step, because its generator steps too seldom.
steps_of critics
expect_true "d['run']['steps'] == 15 and d['run']['step_source'] == 'optimizer'"

finish
