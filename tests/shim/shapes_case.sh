#!/usr/bin/env bash
# How kernels were launched, where copies lie and what calls returned stand in the trace. Keeps out: a shape written twice, another kernel's shape, the kinds
# of memory the wrong way round, more shapes than the recorder has room for without a count of what is missing, a dictionary without the
# shapes of what a killed job had in its file.
. tests/cli/lib.sh
preloads simgpu/libcudart.so.13 simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256

recorded() { # recorded [N]
	rm -rf "$work/trace"
	expect_status 0 "$BATON" record -s off -o "$work/trace" -- "$PYTHON" tests/shim/shapes.py "$@"
}

found() { # found [N [MOST]]
	checks=$((checks + 1))
	"$BATON" dump --json "$work/trace" | "$PYTHON" tests/shim/shapes_check.py "$@" >"$work/why" 2>&1 || fail "$(cat "$work/why")"
}

recorded
found
recorded 3000
found 3000
recorded 8000
found 8000 6144
finish
