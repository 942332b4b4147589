#!/usr/bin/env bash
# Limits of a process are the job's: at each limit under which it runs alone it runs recorded, or unrecorded with a line that says why.
# Keeps out: a recorder that takes what the job needs later. (The libraries themselves need some 30 MiB of address space, 10 of data.)
. tests/cli/lib.sh
preloads simtrain simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=32 BATON_RING_DIR=$work/rings
mkdir "$BATON_RING_DIR"
job="$BUILD/simtrain --steps 3 --layers 2"

sweep() { # sweep OPTION STEP MORE...: limits in KiB beyond the least under which the job runs alone
	local option=$1 step=$2 enough=10000 recorded=0 refused=0 more
	shift 2
	while [ $enough -lt 4000000 ] && ! bash -c "ulimit $option $enough; exec $job" >"$work/plain" 2>/dev/null; do enough=$((enough + step)); done
	for more; do
		last="ulimit $option $((enough + more))" checks=$((checks + 1))
		rm -rf "$work/run"
		mkdir "$work/run"
		bash -c "ulimit $option $((enough + more)); BATON_OUT=$work/run LD_PRELOAD=$PWD/$BUILD/libbaton.so exec $job" >"$work/out" 2>"$work/err"
		status=$?
		{ [ $status = 0 ] && cmp -s "$work/plain" "$work/out"; } || fail "status $status, or another output"
		if [ -n "$(ls "$work/run")" ]; then
			recorded=$((recorded + 1))
		else
			refused=$((refused + 1))
			expect_says "(ulimit $option) leaves the recorder too little" "is not recorded"
			[ "$(wc -l <"$work/err")" = 1 ] || fail "more than one line"
		fi
	done
	checks=$((checks + 1))
	{ [ $recorded -gt 0 ] && [ $refused -gt 0 ]; } || fail "$option: $recorded recorded, $refused refused"
	expect_nothing_in "$BATON_RING_DIR"
}
sweep -v 10000 30000 60000 140000 250000 400000 550000 700000 800000 900000 1200000
sweep -d 5000 15000 20000 25000 40000 80000 150000 300000
finish
