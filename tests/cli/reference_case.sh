#!/usr/bin/env bash
# docs/REFERENCE.md and what --json prints: no key that the page does not name, none that it names and nobody prints, no other type.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

run=0
printed() { # printed SECTION COMMAND...: its lines of JSON belong to this section of the page
	run=$((run + 1))
	expect_status '0|3|4' "${@:2}"
	cp "$work/out" "$work/$run.$1"
}
made() { # made NAME OPTION...: a simulated run
	expect_status 0 "$sim" -o "$work/$1" "${@:2}"
}

# Every key has to be printed by one of these: imports, recordings with stacks, rare losses, owed gaps, GPU readings, damage.
kineto ranks "$work/json"
imported "$work/json" "$work/ranks"
printed report "$BATON" report --json --gaps 3 --by op "$work/ranks"
for case in rare owed framework; do
	"$PYTHON" tests/cli/words_traces.py $case "$work/$case" || fail "words_traces.py $case"
	printed report "$BATON" report --json --gaps 60 --by line "$work/$case"
done
for case in few_markers loops_markers; do
	"$PYTHON" tests/cli/steps_traces.py $case "$work/$case" || fail "steps_traces.py $case"
	printed report "$BATON" report --json "$work/$case"
done
"$PYTHON" tests/cli/uneven_traces.py "$work/pairs" slow || fail "uneven_traces.py"
printed report "$BATON" report --json "$work/pairs"
printed stacks "$BATON" dump --stacks --json "$work/framework"
made fast --ranks 2 --steps 10 --kernels 200
made slow --ranks 2 --steps 10 --kernels 200 --fault slow_gpu=12@all
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/fast" '*:1:1980:0' || fail "gauges_made.py"
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/slow" '*:1:1980:0' '*:2:1600:4' || fail "gauges_made.py"
printed report "$BATON" report --json --by range "$work/fast"
printed compare "$BATON" compare --json "$work/fast" "$work/slow"
made late --ranks 2 --steps 10 --kernels 200 --fault input=130000@1
made link --ranks 8 --per-host 4 --workload tensor --steps 8 --fault slow_link=400@5
made healthy --ranks 8 --per-host 4 --workload tensor --steps 8
printed compare "$BATON" compare --json "$work/fast" "$work/late"
printed compare "$BATON" compare --json "$work/healthy" "$work/link"
made hosts --ranks 4 --per-host 2 --steps 10 --kernels 200 --fault slow_host=300@0 --fault slow_host=300@1
made even --ranks 4 --per-host 2 --steps 10 --kernels 200
printed compare "$BATON" compare --json "$work/even" "$work/hosts"
printed top "$BATON" top --json "$work/fast"
"$PYTHON" tests/page/made.py "$work/lines" --plain && "$PYTHON" tests/page/made.py "$work/slower" --plain --slower 2 || fail made.py
printed compare "$BATON" compare --json "$work/lines" "$work/slower"
printed whatif "$BATON" whatif --json "$work/fast"
printed whatif "$BATON" whatif --json "$work/fast" --without 'rank 1'
# Two ranks that hide each other.
made joint --ranks 4 --steps 12 --workload ddp --fault slow_gpu=20@1 --fault slow_gpu=20@2
printed report "$BATON" report --json "$work/joint"
printed whatif "$BATON" whatif --json "$work/joint"
made group --ranks 8 --steps 12 --workload ddp --fault slow_gpu=30@1 --fault slow_gpu=30@5
printed report "$BATON" report --json "$work/group"
"$BATON" report --json "$work/fast" >"$work/sizes"
size=$("$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["nccl"][0]["bytes"], d["devices"][0]["device"])' "$work/sizes")
printed whatif "$BATON" whatif --json "$work/fast" --without "collective ${size% *},device ${size#* }" --scale host=2
printed critical "$BATON" report --critical --json "$work/fast"
made odd --ranks 4 --per-host 2 --steps 14 --kernels 200 --fault slow_kernel=100@1 --fault slow_gpu=20@2
printed jitter "$BATON" jitter --json --rank 1 "$work/odd"
printed jitter "$BATON" jitter --json --rank 0 "$work/ranks"
printed stragglers "$BATON" stragglers --json tests/golden/stragglers/trace-ST.csv.gz
"$PYTHON" tests/cli/stragglers_made.py "$work/well.csv" --stages 1
printed stragglers "$BATON" stragglers --json "$work/well.csv"
printed idle "$BATON" dump --idle --json "$work/fast"
printed steps "$BATON" dump --step-list --json "$work/fast"
for trace in "$work"/slow/*.baton; do flip_bit "$trace" -100; done
printed check "$BATON" check --json "$work/fast" "$work/slow"

checks=$((checks + 1))
"$PYTHON" tests/cli/reference.py docs/REFERENCE.md "$work"/[0-9]*.* >"$work/out" 2>&1 || fail "$(cat "$work/out")"
finish "$(tail -n 1 "$work/out")"
