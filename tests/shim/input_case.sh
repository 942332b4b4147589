#!/usr/bin/env bash
# A GPU that waits for a data loader is told so without any annotation: by where the silent thread stands. Waiting for workers,
# loading by itself, and, as long, in code of the job's own, which is no input.
. tests/cli/lib.sh
preloads simgpu/libcuda.so.1 simgpu/libcupti.so.13
[ -r /proc/self/schedstat ] || skip "no schedstat here"
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256 PYTHONPATH=$PWD/tests/shim/faketorch

reported() { # reported JOB [OPTION...]
	local job=$1
	shift
	rm -rf "$work/trace"
	expect_status 0 "$BATON" record "$@" -o "$work/trace" -- "$PYTHON" tests/shim/steps.py "$job"
	expect_status 0 "$BATON" report --json "$work/trace"
}

leaf='lambda name: d["devices"][0]["time_ns"].get(name, 0)'
idle='sum(ns for name, ns in d["devices"][0]["time_ns"].items() if name.startswith("idle"))'
is_input_or_no_core="($leaf)('idle.host.input') > 0 and 2 * (($leaf)('idle.host.input') + ($leaf)('idle.host.no_core')) > $idle"
is_not_asleep="4 * ($leaf)('idle.host.blocked') < $idle"
mostly() { # mostly JOB TRIES WHAT; a machine that is very busy keeps the sampler from looking
	local passed=
	for _ in $(seq "$2"); do
		reported "$1"
		"$PYTHON" -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))' "$work/out" "$3" && passed=1 && break
	done
	[ "$passed" ] || "$PYTHON" -c 'import json, sys
for f in json.load(open(sys.argv[1]))["findings"]: print(f["leaf"], f["share_ms"], f["evidence"])' "$work/out"
	expect_true "$3"
}
for job in loads_in_workers loads_itself; do
	mostly $job 5 "$is_input_or_no_core" # one that computes waits for a core where others are busy, and that comes first
	expect_status 0 "$BATON" report "$work/trace"
	expect_prints _next_data # before CPython 3.11 code has no qualified name
done
# Keeps out: a thread whose line is lost because it computes: while it is looked at, frames come and go, and generators stop.
first='d["findings"][0]'
most_at="'most of it at steps.py:' in $first['evidence'] and 0.75 * $first['share_ms'] < float($first['evidence'].split('), ')[1].split(' ms')[0])"
mostly computes 5 "$most_at"
mostly sums 10 "'<genexpr>' in $first['evidence']"
# Keeps out: a sampler that has no turn where the loader's workers keep all cores busy, which is when input is the bound.
busy=()
for _ in $(seq $((2 * $(nproc)))); do
	while :; do :; done &
	busy+=($!)
done
mostly loads_in_workers 5 "$is_input_or_no_core"
mostly loads_itself 5 "$is_input_or_no_core"
# Keeps out: a thread that has no core taken for one that sleeps; the kernel notes that it waited when it is over.
mostly computes 5 "$is_not_asleep"
kill "${busy[@]}"
wait "${busy[@]}" 2>/dev/null
reported loads_nothing
expect_true "($leaf)('idle.host.input') == 0 and $idle > 0"
reported loads_in_workers -s off
expect_true "($leaf)('idle.host.input') == 0 and $idle > 0"
finish
