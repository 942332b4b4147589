#!/usr/bin/env bash
# A process that drives several devices: its calls say which one they are for, also those that have no op (synchronising, freeing).
# With one device nothing is told. And the ends of ncclSend and ncclRecv name their peers, copies their devices, allocations their bytes.
. tests/cli/lib.sh
preloads simgpu/libcudart.so.13 simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256 SIMGPU_DEVICES=3

for n in 3 1 exchange copies; do
	for stacks in python off; do
		expect_status 0 "$BATON" record -s $stacks -o "$work/$n.$stacks" -- "$PYTHON" tests/shim/devices.py $n
		checks=$((checks + 1))
		"$BATON" dump --json "$work/$n.$stacks" | "$PYTHON" tests/shim/devices_check.py $n >"$work/why" 2>&1 ||
			fail "$n devices: $(cat "$work/why")"
	done
done
finish
