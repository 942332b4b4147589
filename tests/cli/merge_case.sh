#!/usr/bin/env bash
# Parts of a run, reduced node by node and merged, against the run reduced as a whole.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"

# parts RUN PREFIX OPTION...: a part of every node of the simulated run, whose files have the node first in their names
parts() {
	local node
	rm -f "$work/$2".*
	for node in $(ls "$work/$1" | grep -v '^summary' | cut -d. -f1 | sort -u); do
		"$BATON" reduce --part -o "$work/$2.$node" "${@:3}" "$work/$1/$node".*.baton 2>"$work/err" || fail "part $node of $1: status $?"
	done
}

trees() { # trees OUT SEED COUNT STATUS PREFIX: of its parts
	checks=$((checks + 1))
	"$PYTHON" tests/cli/merge_trees.py "$BATON" "$work/$1" "$2" "$3" "$4" "$work/$5".* >"$work/out" 2>&1 || fail "$(cat "$work/out")"
}

# Keeps out: a merged run that depends on who is merged with whom and when, and one that is not what all files together give.
seed=0
for run in "ddp 8 2 --fault slow_gpu=30@5" "fsdp 6 2 --fault item_end=1@all --fault clock=5000" "three_level 16 4 --eval 3:2" \
	"moe 8 4 --fault input=130000@3" "tiny 4 1 --fault sync=3@2" "graph 4 2" "jax 8 4"; do
	set -- $run
	seed=$((seed + 1))
	"$sim" -o "$work/$1" --workload "$1" --ranks "$2" --per-host "$3" --steps 7 --seed "$seed" "${@:4}" >"$work/out" 2>"$work/err" || fail "baton-sim $run"
	parts "$1" first
	trees all "$seed" 4 4 first
	parts "$1" second --met "$work/all"
	trees run "$seed" 4 0 second
	expect_status 0 "$BATON" reduce --part -o "$work/whole" "$work/$1"
	expect_status 0 cmp "$work/run" "$work/whole"
	# ... read as a directory: the summary of the run, but for the replay.
	rm -rf "$work/dir"
	mkdir "$work/dir"
	expect_status 0 "$BATON" merge "$work/run" -o "$work/dir"
	expect_status 0 "$BATON" reduce --no-replay -o "$work/summary" "$work/$1"
	expect_status 0 cmp "$work/summary" "$work/dir/summary.baton"
	expect_status 0 "$BATON" report --json "$work/dir"
	sed "s|$work/dir|RUN|g" "$work/out" >"$work/from_parts"
	expect_status 0 "$BATON" report --json "$work/summary"
	sed "s|$work/summary|RUN|g" "$work/out" >"$work/from_whole"
	expect_status 0 cmp "$work/from_parts" "$work/from_whole"
done

# Keeps out: parts that never met taken for whole ones, and a directory that forgets it.
parts ddp first
expect_status 4 "$BATON" merge "$work"/first.* -o "$work/all"
expect_says "8 devices share communicators" "baton reduce --part --met"
expect_status 4 "$BATON" report "$work/all"
expect_says "8 devices share communicators"
expect_status 4 "$BATON" merge "$work"/first.* -o "$work/dir"
expect_says "nothing is written"
expect_status 2 "$BATON" merge "$work/run" -o "$work/ddp"
expect_says "it has traces"

# Keeps out: a device or a process that counts twice, two runs as one, another version, other options, what is no part.
set -- "$work"/first.*
expect_status 2 "$BATON" merge "$1" "$2" "$1" -o "$work/twice"
expect_says "is in an earlier part too"
expect_nothing_in "$work/twice"
expect_status 4 "$BATON" merge "$1" "$2" -o "$work/two"
expect_status 2 "$BATON" merge "$work/two" "$2" -o "$work/twice"
PYTHONPATH=tests/format expect_status 0 "$PYTHON" - "$work/other.baton" <<'PY'
import sys, writer
out = writer.TraceWriter(sys.argv[1])
out.process(1, host="node", source="baton", run_id="other")
thread, stream = out.thread("python", 1, 1), out.stream(out.device(0, "GPU", "GPU-0"), 1, 7)
out.rows("call", [{"start_ns": 1000, "dur_ns": 500, "thread": thread, "name": "cudaLaunchKernel", "correlation": 1}])
out.rows("op", [{"start_ns": 9000, "dur_ns": 900, "op_kind": 1, "stream": stream, "correlation": 1, "name": "kernel"}])
out.close()
PY
expect_status 0 "$BATON" reduce --part -o "$work/other" "$work/other.baton"
expect_status 2 "$BATON" merge "$1" "$work/other" -o "$work/twice"
expect_says "part of another run (other)"
# ... and a node whose processes ran nothing on a GPU, without a part.
PYTHONPATH=tests/format expect_status 0 "$PYTHON" - "$work/idle.baton" <<'PY'
import sys, writer
out = writer.TraceWriter(sys.argv[1])
out.process(2, host="idle", source="baton", run_id="other")
thread = out.thread("python", 1, 1)
out.rows("call", [{"start_ns": 1000, "dur_ns": 500, "thread": thread, "name": "cudaMalloc", "correlation": 1}])
out.close()
PY
expect_status 0 "$BATON" reduce --part -o "$work/idle" "$work/idle.baton"
expect_status 0 "$BATON" merge "$work/other" "$work/idle" -o "$work/both"
expect_status 0 "$BATON" reduce --part -o "$work/whole_both" "$work/other.baton" "$work/idle.baton"
for part in other idle; do
	expect_status 0 "$BATON" reduce --part --met "$work/both" -o "$work/$part.met" "$work/$part.baton"
done
expect_status 0 "$BATON" merge "$work/other.met" "$work/idle.met" -o "$work/met_both"
expect_status 0 cmp "$work/met_both" "$work/whole_both"
expect_status 3 "$BATON" report "$work/idle"
expect_says "no GPU work in it"
expect_status 2 "$BATON" merge --steps none "$1" "$2" -o "$work/twice"
expect_says "was made with other options"
PYTHONPATH=tests/format expect_status 0 "$PYTHON" - "$work/version" <<'PY'
import struct, sys, writer
out = writer.TraceWriter(sys.argv[1], content=2)
text = out.string("marker")
out.record(writer.record_bytes(64, struct.pack("<IiQIIII", 1, 4, 0, 1, text, text, text)))
out.close()
PY
expect_status 3 "$BATON" merge "$work/version" "$2" -o "$work/twice"
expect_says "was made by another version of baton"
flip_bit "$work/two" -100
expect_status 3 "$BATON" merge "$work/two" -o "$work/twice"
expect_says "the summary is damaged"
expect_status 2 "$BATON" merge "$work/summary" -o "$work/twice"
expect_says "a summary, but not a part"
expect_status 3 "$BATON" merge "$work/out" -o "$work/twice"
expect_says "not a part of a run"
expect_status 2 "$BATON" merge "$1"
expect_says "-o FILE is needed"
expect_status 3 "$BATON" merge "$work/absent" -o "$work/twice"

# Keeps out: what only all files together show, answered from some of them.
expect_status 2 "$BATON" reduce --part --met "$work/whole" -o "$work/part" "$work/ddp"
expect_says "the parts in it do not hold these files"
kineto ranks "$work/json"
imported "$work/json" "$work/ranks"
expect_status 2 "$BATON" reduce --part -o "$work/part" "$work/ranks"
expect_says "imported runs have no parts"
expect_status 2 "$BATON" reduce --part "$work/ddp"
expect_says "--part needs -o"
expect_status 2 "$BATON" reduce --met "$work/all" -o "$work/part" "$work/ddp"
expect_says "--met needs --part"
expect_status 2 "$BATON" reduce --no-replay "$work/ddp"
expect_says "--no-replay needs -o"
expect_nothing_in "$work/part"
"$sim" -o "$work/disagree" --workload pipeline --ranks 8 --per-host 4 --steps 9 --seed 5 --fault item_end=1@all --fault clock=5000 >"$work/out" 2>&1
expect_status 0 "$BATON" reduce --part -o "$work/part" "$work/disagree"
expect_status 4 "$BATON" report "$work/part"
expect_says "the ranks do not agree on the steps"

# Keeps out: damage of a node's files that is forgotten in the merged run.
set -- "$work"/ddp/*.baton
head -c -200 "$1" >"$work/cut.baton"
expect_status 4 "$BATON" reduce --part -o "$work/part" "$work/cut.baton"
expect_status 4 "$BATON" merge "$work/part" -o "$work/damaged"
expect_says "1 damaged and 0 unreadable files"
expect_status 4 "$BATON" report "$work/damaged"
expect_says "1 damaged and 0 unreadable files"
# ... and files that were left out, beside a damaged one, of which a part could not tell.
cp "$2" "$work/copy.baton"
rm -f "$work/part"
expect_status 4 "$BATON" reduce --part -o "$work/part" "$work/cut.baton" "$2" "$work/copy.baton"
expect_says "files were left out, so"
expect_nothing_in "$work/part"
expect_status 4 "$BATON" report "$work/damaged"
expect_says "1 damaged and 0 unreadable files"
finish
