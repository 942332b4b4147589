#!/usr/bin/env bash
# Host functions of streams (cudaLaunchHostFunc) have rows of when they ran. Keeps out: a function that runs twice, not at all, out of
# order or with another one's data because it was recorded; one in a graph that runs once only; a row of another stream; no row after a
# kill; idle time behind a host function that is called something else.
. tests/cli/lib.sh
preloads simgpu/libcudart.so.13 simgpu/libcupti.so.13 simgpu/libcuda.so.1
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256

recorded() { # recorded STATUS STACKS [die]
	rm -rf "$work/trace"
	expect_status "$1" "$BATON" record -s "$2" -o "$work/trace" -- "$PYTHON" tests/shim/host_funcs.py ${3:-}
}

found() { # found [die]
	checks=$((checks + 1))
	"$BATON" dump --json "$work/trace" | "$PYTHON" tests/shim/host_funcs_check.py ${1:-} >"$work/why" 2>&1 || fail "$(cat "$work/why")"
}

expect_status 0 "$PYTHON" tests/shim/host_funcs.py # without a recorder
recorded 0 python
found
expect_status '0|4' "$BATON" report --json "$work/trace"
checks=$((checks + 1))
"$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); sys.exit(not r["devices"][0]["time_ns"]["idle.host.host_func"] > 4e6)' <"$work/out" ||
	fail "no idle time is put down to host functions"
recorded 0 off # another path through the recorder
found
recorded '137|265' python die
found die
finish
