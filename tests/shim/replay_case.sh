#!/usr/bin/env bash
# Fixtures of the GPU probe through the shim's own path of completed buffers: those that its sections make over simgpu's
# doubles (the layouts of CUPTI 11.8, 12 and 13), and what real GPUs gave (tests/gpu/fixtures): there the trace must also say what
# the probe counted and timed on that machine (figures.txt).
# Keeps out: a field of a record that is read at a wrong offset, a record that is lost, taken twice or refused.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build/release} python=${PYTHON:-python3}
case $build in *san-*) echo 'neither a preload nor the doubles carry a sanitizer' && exit 77 ;; esac
work=$(mktemp -d) played=0 failed=0 real=0
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

figures() { # of a real machine's fixture
	local table=${1%/fixtures/*}/figures.txt
	[ ! -e "$table" ] || "$python" tests/shim/replay_figures.py "$table" "$1" "$work/dump" >"$work/out" 2>&1
}

for release in 11.8 12 13; do
	probe "double$release" "$PWD/$build/simgpu" "libcupti.so.$release"
done
for machine in tests/gpu/fixtures/*/; do
	mkdir -p "$work/$machine/fixtures"
	cp "$machine/figures.txt" "$work/$machine"
	for packed in "$machine"*.fixture.gz; do
		"$python" -c 'import gzip, sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())' "$packed" \
			>"$work/$machine/fixtures/$(basename "$packed" .gz)"
		real=$((real + 1))
	done
done
for fixture in "$work"/*/fixtures/*.fixture "$work"/tests/gpu/fixtures/*/fixtures/*.fixture; do
	[ -e "$fixture" ] || continue
	played=$((played + 1))
	replay "$fixture" && figures "$fixture" && continue
	failed=$((failed + 1))
	echo "${fixture#"$work"/}:"
	cat "$work/out"
done
echo "$played fixtures replayed, $real of them from real GPUs, $failed failed"
[ "$played" -ge $((24 + real)) ] && [ "$real" -ge 9 ] && [ "$failed" = 0 ]
