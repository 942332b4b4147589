#!/usr/bin/env bash
# The libnccl double with 1 to 4 ranks, each a process; and nothing may stay in /dev/shm.
set -u
export LD_LIBRARY_PATH=$BUILD/simgpu SIMGPU_DEVICES=4
. tests/double/boards.sh
before=$(boards)
runs=0
while read -r name least; do
	for ranks in 1 2 3 4; do
		[ "$ranks" -ge "$least" ] || continue
		timeout 120 "$BUILD/simgpu/nccl_test" "$name" "$ranks" ||
			{ echo "$name with $ranks ranks: status $?" && exit 1; }
		runs=$((runs + 1))
	done
done < <("$BUILD/simgpu/nccl_test")
[ "$runs" -ge 50 ] || { echo "only $runs runs" && exit 1; }
no_new_board "$before" || exit 1
echo "$runs runs, results, kernels and ends as they must be"
