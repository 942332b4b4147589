#!/usr/bin/env bash
# Recorded jobs that are killed: what the trace holds of them, and what is said of it.
. tests/cli/lib.sh
case ${BUILD:=build/release} in *san-*) skip "a preloaded library cannot bring a sanitizer's runtime" ;; esac
here=$PWD bin=$PWD/$BUILD
for needed in simtrain simlaunch simgpu/libcupti.so.13; do
	[ -e "$BUILD/$needed" ] || skip "not built: $BUILD/$needed (make doubles simtrain)"
done
export LD_LIBRARY_PATH=$bin/simgpu
ulimit -c 0

# ---- half a second after its first launch ----
# Keeps out: GPU records that wait for a second in CUPTI, or in buffers that a busy GPU keeps from being given back, and die there.
# The recorder's thread has the lowest priority: a machine that is busy with something else gets three attempts.
young() { # young SIGNAL KERNEL_NS
	local try
	checks=$((checks + 1)) last="young, signal $1, kernels of $2 ns"
	for try in 1 2 3; do
		rm -rf "$work/young"
		KILLED_BY=$1 SIMGPU_KERNEL_NS=$2 timeout 60 "$BATON" record -o "$work/young" -- "$PYTHON" "$here/tests/shim/jobs.py" young \
			>"$work/out" 2>"$work/err"
		[ $? = $((128 + $1)) ] || fail "it did not end by its signal"
		"$BATON" dump --json "$work/young" | "$PYTHON" "$here/tests/shim/conserved.py" --killed --most >"$work/why" && return
	done
	fail "$(cat "$work/why")"
}
for signal in 9 6; do
	young $signal 5000    # the GPU waits for the CPU
	young $signal 1200000 # there is always something unfinished
done
finish
