#!/usr/bin/env bash
# A job that torchrun restarts: its variable says which generation a process belongs to. Keeps out: two processes of one rank without
# an order, and a complaint that one rank was written twice. An image that exec() makes counts too.
. tests/cli/lib.sh
preloads simgpu/libcuda.so.1 simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256 PYTHONPATH=$PWD/tests/shim/faketorch RANK=0 WORLD_SIZE=1

generations() { # generations "N...": of the processes that were traced, in order
	checks=$((checks + 1))
	"$BATON" dump --json "$work/trace" | grep '"record":"process".*"source":"baton"' | grep -o '"generation":[0-9]*' | cut -d: -f2 | sort -n | paste -sd' ' >"$work/found"
	[ "$(cat "$work/found")" = "$1" ] || fail "generations $(cat "$work/found"), not $1"
}

job="$PYTHON tests/shim/steps.py train"
restarted() { # restarted COUNT...: the job, once with each value of the variable
	rm -rf "$work/trace"
	expect_status 0 "$BATON" record -o "$work/trace" -- bash -c "for n; do TORCHELASTIC_RESTART_COUNT=\$n $job || exit; done" "$0" "$@"
}

restarted 0 1 3
generations "0 1 3"
expect_status 0 "$BATON" report --json "$work/trace"
expect_true 'd["run"]["generations"] == 3 and d["run"]["generation"] == 3' # the last one
expect_says_not "two processes"
restarted "" -1 no
generations "0 0 0"
rm -rf "$work/trace"
expect_status 0 env TORCHELASTIC_RESTART_COUNT=2 "$BATON" record -o "$work/trace" -- "$PYTHON" -c '
import os, subprocess, sys
sys.path.insert(0, "tests/shim")
from jobs import launch
launch(3)
os.execv(sys.executable, [sys.executable] + sys.argv[1:])' tests/shim/steps.py train
generations "2 3"
finish
