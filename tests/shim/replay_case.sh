#!/usr/bin/env bash
# Fixtures of the GPU probe through the shim's own path of completed buffers: those that its sections make over simgpu's
# doubles (the layouts of CUPTI 11.8, 12 and 13), and what a real GPU gave (tests/gpu/fixtures), where there is any.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build/release} python=${PYTHON:-python3}
case $build in *san-*) echo 'neither a preload nor the doubles carry a sanitizer' && exit 77 ;; esac
work=$(mktemp -d) played=0 failed=0
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH=

probe() { # probe NAME DIRECTORY CUPTI: fixtures into work/NAME
	LD_LIBRARY_PATH=$2 "$build/probe/probe" "$work/$1" --driver "$2/libcuda.so.1" --cupti "$2/$3" --quick >"$work/$1.log" 2>&1 ||
		{ echo "the probe over $1 failed: $(tail -1 "$work/$1.log")"; failed=$((failed + 1)); }
}

replay() {
	rm -rf "$work/run"
	mkdir -m 700 "$work/run"
	LD_PRELOAD=$PWD/$build/libbaton.so BATON_OUT=$work/run BATON_STACKS=off BATON_CUPTI=$PWD/$build/tests/shim/replay_cupti.so \
		"$build/tests/shim/replay" "$1" >"$work/out" 2>&1 &&
		"$build/baton" dump --json "$work/run" >"$work/dump" 2>"$work/out" &&
		"$python" tests/shim/replayed.py "$1" "$work/dump" >"$work/out" 2>&1
}

for release in 11.8 12 13; do
	probe "double$release" "$PWD/$build/simgpu" "libcupti.so.$release"
done
for fixture in "$work"/*/fixtures/*.fixture tests/gpu/fixtures/*.fixture; do
	[ -e "$fixture" ] || continue
	played=$((played + 1))
	replay "$fixture" && continue
	failed=$((failed + 1))
	echo "${fixture#"$work"/}:"
	cat "$work/out"
done
echo "$played fixtures replayed, $failed failed"
[ "$played" -ge 24 ] && [ "$failed" = 0 ]
