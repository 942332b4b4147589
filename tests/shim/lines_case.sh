#!/usr/bin/env bash
# Every call row carries the Python line of its call, not only launches: what synchronises, copies, allocates, frees, launches a
# graph or calls NCCL can be named. `--stacks off` leaves all of them out.
. tests/cli/lib.sh
preloads simgpu/libcudart.so.13 simgpu/libnccl.so.2 simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256

recorded() { # recorded STACKS [off]
	expect_status 0 "$BATON" record -s "$1" -o "$work/$1" -- "$PYTHON" tests/shim/lines.py
	checks=$((checks + 1))
	"$BATON" dump --json "$work/$1" | "$PYTHON" tests/shim/lines_check.py ${2:-} >"$work/why" || fail "$1: $(cat "$work/why")"
}

recorded python
recorded off off
finish
