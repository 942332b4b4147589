#!/usr/bin/env bash
# baton top beside a job that is recorded: it names the slow rank, shows a killed one and the end, and the job is as without it.
# Keeps out: a screen that shows only jobs that have ended; a salvage of processes that live, or by somebody who only looks.
. tests/cli/lib.sh
preloads simtrain simlaunch simgpu/libcupti.so.13
bin=$PWD/$BUILD
export LD_LIBRARY_PATH=$bin/simgpu SIMGPU_MEMORY_MB=256
unset BATON_OUT BATON_WINDOW BATON_KEEP_LAST LD_PRELOAD
ulimit -c 0
checks=$((checks + 1))
PYTHONPATH=tests/cli "$PYTHON" tests/shim/top_job.py "$BATON" "$bin" "$work" >"$work/out" 2>"$work/err" || fail "$(tail -n 30 "$work/err")"
checks=$((checks + $(wc -l <"$work/out")))
finish
