#!/usr/bin/env bash
# baton record --top: the live screen while the job runs.
# Keeps out: output of the job on the screen, or lost; a terminal that is left changed by an end, a signal or a kill; a status, a signal or
# a Ctrl-C that does not reach the job or its caller; a job that begins where no screen can be.
. tests/cli/lib.sh
preloads simtrain simlaunch simgpu/libcupti.so.13
bin=$PWD/$BUILD
export LD_LIBRARY_PATH=$bin/simgpu SIMGPU_MEMORY_MB=256
unset BATON_OUT BATON_WINDOW BATON_KEEP_LAST LD_PRELOAD "${!SLURM_@}" "${!PMI_@}" "${!OMPI_@}" "${!PMIX_@}"
ulimit -c 0
checks=$((checks + 1))
PYTHONPATH=tests/cli "$PYTHON" tests/shim/record_top.py "$BATON" "$bin" "$work" >"$work/out" 2>"$work/err" || fail "$(tail -n 30 "$work/err")"
checks=$((checks + $(wc -l <"$work/out")))
finish
