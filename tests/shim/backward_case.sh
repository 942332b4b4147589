#!/usr/bin/env bash
# What backward launches carries the forward's Python lines: nodes of two layouts, evaluated by a thread without Python, by the same
# thread, nested, failing with an exception, numbered by two threads alike, in a forked child.
. tests/cli/lib.sh
preloads simgpu/libcuda.so.1 simgpu/libcupti.so.13
export BATON_GAUGES=off # the files of a run are its processes'
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256

recorded() { # recorded NAME LIBRARY [off]; second=SECOND_LIBRARY
	expect_status 0 "$BATON" record -s python -o "$work/$1" -- "$PYTHON" tests/shim/backward.py "$2" ${second:-}
	checks=$((checks + 2))
	first=$("$BATON" dump --json "$work/$1" | grep -c '"record":"file"')
	[ "$first" = 2 ] || fail "$first traces, not 2"
	cp "$work/out" "$work/expected"
	child=
	for trace in "$work/$1"/*.baton; do # the parent's has most calls
		"$BATON" dump --json "$trace" >"$work/dump"
		[ "$(grep -c cuLaunchKernel "$work/dump")" -gt 5 ] || { child=$trace && continue; }
		"$PYTHON" tests/shim/backward_check.py "$work/expected" ${3:-} <"$work/dump" 2>"$work/why" || fail "$1: $(cat "$work/why")"
	done
	[ -n "$child" ] && "$BATON" dump --json "$child" | grep -q '{"kind":3,' && fail "the child has a line of its parent's"
}

for base in 16 24; do # 2.15's nodes, and 2.0's to 2.8's
	${CXX:-g++} -std=c++17 -O2 -fPIC -shared -pthread -DBASE_BYTES=$base -o "$work/fake$base.so" tests/shim/fake_autograd.cpp ||
		fail "fake_autograd.cpp does not compile"
	recorded "base$base" "$work/fake$base.so"
done
second=$work/fake16.so recorded two "$work/fake24.so" # each copy reaches its own
# another PyTorch, whose engine has another name
${CXX:-g++} -std=c++17 -O2 -fPIC -shared -pthread -Devaluate_function=evaluate_otherwise -o "$work/other.so" tests/shim/fake_autograd.cpp ||
	fail "fake_autograd.cpp does not compile"
BATON_VERBOSE=1 recorded other "$work/other.so" off
expect_says "this PyTorch's autograd is not known"
BATON_BACKWARD=off recorded off "$work/fake16.so" off
finish
