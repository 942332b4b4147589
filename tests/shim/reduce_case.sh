#!/usr/bin/env bash
# `baton record --reduce` and --report: a node reduces its own files, and prints the report, when the job has ended.
. tests/cli/lib.sh
preloads simgpu/libcuda.so.1 simgpu/libcupti.so.13
unset BATON_RUN_ID BATON_OUT
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256 PYTHONPATH=$PWD/tests/shim/faketorch BATON_GAUGES=off
job="$PYTHON tests/shim/steps.py train"

there() { # there FILE...: and nothing is left of what was written on the way
	checks=$((checks + 1))
	[ "$(cd "$1" && ls -A | grep -vE '^[0-9a-f]{8}\.[0-9]+\.[0-9]+\.[0-9]+\.baton$' | paste -sd' ')" = "$2" ] || fail "$1 has $(ls -A "$1" | paste -sd' ')"
}

# Keeps out: a whole run that is not reduced, or to other bytes than baton reduce makes.
export RANK=0 WORLD_SIZE=1
expect_status 0 "$BATON" record --reduce -o "$work/whole" -- $job
there "$work/whole" summary.baton
chmod a-w "$work/whole/summary.baton"
expect_status 0 "$BATON" report "$work/whole" # not stale: it would be made anew
checks=$((checks + 1))
[ ! -w "$work/whole/summary.baton" ] || [ "$(stat -c %A "$work/whole/summary.baton")" = -r-------- ] || fail "the summary was stale"
cp "$work/whole/summary.baton" "$work/summary"
expect_status 0 "$BATON" reduce "$work/whole"
expect_status 0 cmp "$work/summary" "$work/whole/summary.baton"

# Keeps out: a part of a run taken for the run; a status that is not the job's.
export WORLD_SIZE=2 BATON_RUN_ID=job7
expect_status 3 "$BATON" record --reduce -o "$work/node0" -- sh -c "$job; exit 3"
boot=$(cut -c1-8 /proc/sys/kernel/random/boot_id)
there "$work/node0" "$boot.baton.part"
expect_says "1 devices of this node reduced into $work/node0/$boot.baton.part"
expect_status 0 "$BATON" reduce --part -o "$work/part" "$work/node0"
expect_status 0 cmp "$work/part" "$work/node0/$boot.baton.part"

# Keeps out: a directory with nothing but parts that nobody can read.
mkdir "$work/parts"
cp "$work/node0/$boot.baton.part" "$work/parts"
expect_status 4 "$BATON" report --json "$work/parts"
expect_says "rank 1 of 2 has no file"
expect_true "d['quality']['missing_ranks'] == [1]"
expect_status 0 "$BATON" merge "$work/parts" -o "$work/all"
expect_status 0 cmp "$work/part" "$work/all"
expect_status 3 "$BATON" merge "$work" -o "$work/none"
expect_says "no parts (*.part) here"

# Keeps out: a part of an earlier run beside the next one's traces; a complaint where nothing was recorded.
export WORLD_SIZE=1
expect_status 0 "$BATON" record -f --reduce -o "$work/node0" -- $job
there "$work/node0" summary.baton
expect_status 0 "$BATON" record --reduce -o "$work/nothing" -- true
expect_says "nothing recorded"
expect_says_not "no trace files"

# Keeps out: --report that prints on the job's stdout, another report than `baton report` prints, or one that changes the status.
expect_status 7 "$BATON" record --report -o "$work/told" -- sh -c "$job; echo of the job; exit 7"
checks=$((checks + 2))
[ "$(tail -n 1 "$work/out")" = "of the job" ] || fail "stdout has $(tail -n 1 "$work/out")"
grep -v '^baton: ' "$work/err" >"$work/said"
expect_status 0 "$BATON" report "$work/told"
cmp -s "$work/said" "$work/out" || fail "not the report: $(head -n 3 "$work/said")"
expect_status 0 "$BATON" record --report -o "$work/nothing2" -- true
expect_says "nothing recorded"
expect_says_not "no trace files"
finish
