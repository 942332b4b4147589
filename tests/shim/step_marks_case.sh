#!/usr/bin/env bash
# The ends of optimizer steps, marked by a sitecustomize that `baton record` puts in the way of Python: the marks are there, once for
# each step; whatever else a Python program can see is as it is without (its own sitecustomize, sys.path, -S, -I, children, imports
# by many threads or that fail).
. tests/cli/lib.sh
preloads simgpu/libcuda.so.1 simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256
fake=$PWD/tests/shim/faketorch job=$PWD/tests/shim/steps.py
python=$("$PYTHON" -c 'import sys; print(sys.executable)')
counter=0

recorded() { # recorded JOB [OPTION...]: in $trace; stdout as without a recorder
	local which=$1
	shift
	trace=$work/trace.$((counter += 1))
	expect_status 0 ${with:-env} "$python" "$job" "$which"
	cp "$work/out" "$work/plain"
	expect_status 0 ${with:-env} "$BATON" record "$@" -o "$trace" -- "$python" "$job" "$which"
	checks=$((checks + 1))
	cmp -s "$work/plain" "$work/out" || fail "$which differs: $(diff "$work/plain" "$work/out" | head -n 4)"
}

marks() { # marks NUMBER [NAME]
	checks=$((checks + 1))
	local found
	found=$("$BATON" dump --json "$trace" | grep '"category":7' | grep -c "\"name\":\"${2:-}")
	[ "$found" = "$1" ] || fail "$found marks, not $1"
}

export PYTHONPATH=$fake
recorded train
marks 7 "SGD 1"
expect_status 0 "$BATON" report --json "$trace"
expect_true 'd["run"]["step_source"] == "optimizer" and d["run"]["steps"] == 6 and d["quality"]["steps_cut"] == 1'
expect_true '[x["kernels"] for x in d["devices"]] == [30]'
recorded compiled
marks 1 "AdamW 1"
recorded threads
marks 7
recorded broken
recorded train --step-marks off
marks 0
with="env BATON_STEP_MARKS=off" recorded train
marks 0

# Keeps out: another sitecustomize that no longer runs, or sees us.
mkdir "$work/mine" "$work/wrong"
echo 'MINE = 1; print("mine")' >"$work/mine/sitecustomize.py"
echo 'import not_there_at_all' >"$work/wrong/sitecustomize.py"
for path in "$fake" "$fake:$work/mine" "$work/mine:$fake" ":$fake" "$work/wrong:$fake" "" unset; do
	export PYTHONPATH=$path
	[ "$path" = unset ] && unset PYTHONPATH
	recorded about
	recorded children
done
export PYTHONPATH=$fake
if "$python" -m venv --without-pip "$work/venv" 2>/dev/null; then
	python=$work/venv/bin/python
	recorded about
	recorded train
	marks 7 "SGD 1"
fi
finish
