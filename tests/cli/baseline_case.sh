#!/usr/bin/env bash
# A baseline: a reduced run in one file, compared with without its traces.
. tests/cli/lib.sh
sim=${SIM:-$(dirname "$BATON")/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"

run() { "$sim" -o "$work/$1" --ranks 4 --per-host 2 --steps 12 --noise-seed "$2" "${@:3}" >"$work/out" 2>"$work/err" || fail "baton-sim $*"; }
run a 1
run b 2
run slow 3 --fault slow_gpu=7@all
base=$work/kept/base.baton
mkdir "$work/kept"
expect_status 0 "$BATON" reduce -o "$base" "$work/a"
expect_says "4 devices reduced into $base"

# Keeps out: a baseline that says something else than its run, or that needs the traces.
for other in b slow; do
	expect_status 0 "$BATON" compare --json "$work/a" "$work/$other"
	sed "s|$work/a|BASE|g" "$work/out" >"$work/from_run"
	expect_status 0 "$BATON" compare --json "$base" "$work/$other"
	sed "s|$base|BASE|g" "$work/out" >"$work/from_file"
	expect_status 0 cmp "$work/from_run" "$work/from_file"
done
mv "$work/a" "$work/gone"
expect_status 1 "$BATON" compare --fail-if 'step>2%' --base "$base" "$work/slow"
expect_status 0 "$BATON" compare --fail-if 'step>2%' --base "$base,$work/b" "$work/b"
expect_status 0 "$BATON" report "$base"
expect_prints "4 GPUs"
expect_status 0 "$BATON" reduce -o "$base" "$work/gone"
expect_status 0 "$BATON" reduce --steps none -o "$work/kept/whole.baton" "$work/gone"
# The nodes of one run are one baseline, and a run's own summary is one too.
mkdir "$work/n0" "$work/n1"
ls "$work"/gone/*.baton | grep -v summary | head -n 2 | xargs -I{} cp {} "$work/n0"
ls "$work"/gone/*.baton | grep -v summary | tail -n 2 | xargs -I{} cp {} "$work/n1"
expect_status 0 "$BATON" reduce -o "$work/kept/nodes.baton" "$work/n0" "$work/n1"
expect_status 0 "$BATON" compare --json "$work/kept/nodes.baton" "$base"
expect_true "d['runs'][0]['gpus'] == 4 and d['bridge'][0]['loss_ns'] == 0"
expect_status 0 "$BATON" compare "$work/b/summary.baton" "$work/b"

# Keeps out: a summary called no trace, where a view needs events.
for view in stats "report --by copy" "export --format nsys-sqlite -o $work/no.sqlite" "dump --rank 0"; do
	expect_status 3 "$BATON" $view "$base"
	expect_says "$base is a stored summary without events, which this needs: give the run's directory"
done

# Keeps out: DIR/*.baton, which names the stored summary too, taken for a run with a file that cannot be read.
expect_status 0 "$BATON" report "$work/b" # stores it
for view in report "report --by copy" stats; do
	expect_status 0 "$BATON" $view "$work"/b/*.baton
	cp "$work/out" "$work/files"
	expect_status 0 "$BATON" $view "$work/b"
	[ "$view" = report ] || cmp -s "$work/files" "$work/out" || fail "$view: the files of a run differ from the run"
done

# Keeps out: a file of another kind that is overwritten, a baseline of half a run.
trace=$(ls "$work"/gone/*.baton | grep -v summary | head -n 1)
cp "$trace" "$work/copy"
expect_status 2 "$BATON" reduce -o "$trace" "$work/gone"
expect_says "exists and is no summary"
expect_status 0 cmp "$trace" "$work/copy"
expect_status 2 "$BATON" reduce -o "$work/b" "$work/gone"
expect_status 5 "$BATON" reduce -o "$work/absent/base" "$work/gone"
expect_says "cannot write $work/absent/base: No such file"
expect_status 4 "$BATON" reduce -o "$work/kept/half.baton" "$work/n0"
expect_says "the run is incomplete"
expect_nothing_in "$work/kept/half.baton"

# Keeps out: a wrong answer from a file that is damaged, of another version or made with other options, and one that asks for events.
expect_status 2 "$BATON" compare --base "$work/kept/whole.baton" "$work/b"
expect_says "was made with other options"
expect_status 0 "$BATON" compare --steps none "$work/kept/whole.baton" "$work/kept/whole.baton"
expect_status 2 "$BATON" report --gaps 3 "$base"
expect_says "a stored summary without events"
for offset in 20 -100; do
	cp "$base" "$work/damaged.baton"
	flip_bit "$work/damaged.baton" $offset
	expect_status 3 "$BATON" compare "$work/damaged.baton" "$work/b"
	grep -qE "damaged|not a baton trace" "$work/err" || fail "damage at $offset is not said"
done
PYTHONPATH=tests/format expect_status 0 "$PYTHON" - "$work/old.baton" <<'PY'
import struct, sys, writer
out = writer.TraceWriter(sys.argv[1], content=2)
text = out.string("marker")
out.record(writer.record_bytes(64, struct.pack("<IiQIIII", 1, 4, 0, 1, text, text, text)))
out.close()
PY
expect_status 3 "$BATON" compare "$work/old.baton" "$work/b"
expect_says "was made by another version of baton"
finish
