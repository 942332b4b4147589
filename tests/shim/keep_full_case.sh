#!/usr/bin/env bash
# baton record --keep-last on a disk that is full. Keeps out: a recorder that writes 200 times a second what has no room; a copy that
# keeps the room that the trace needs; a trace that is not shortened any more once there is room again.
. tests/cli/lib.sh
preloads simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256 BATON_GAUGES=off
unset BATON_OUT BATON_WINDOW BATON_KEEP_LAST LD_PRELOAD
mkdir "$work/disk"
mount -t tmpfs -o size=2m none "$work/disk" 2>/dev/null || skip "may not mount"
mounted=$work/disk
expect_status 0 "$BATON" record --keep-last 1s -o "$work/disk/run" -- "$PYTHON" tests/shim/keep_full.py "$work/disk"
expect_says "No space left on device"
cp "$work/out" "$work/told"
expect_true 'd["writes"] < 60 and d["removed"]'
"$BATON" dump --json "$work/disk/run" | "$PYTHON" tests/shim/keep_check.py 1000000000 >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
expect_true 'd["processes"] == d["shortened"] == 1'
expect_status 0 "$BATON" check "$work/disk/run"
checks=$((checks + 1))
[ -z "$(find "$work/disk" -name '*.keep')" ] || fail "a copy is left"
finish "$(cat "$work/told")"
