#!/usr/bin/env bash
# The devices between which a copy goes, inputs of operators and bytes of allocations: through every export and back, in tables, and
# with hostile values.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
check() { expect_status 0 "$PYTHON" tests/cli/ends_check.py "$BATON" "$@" || cat "$work/out"; }

# Keeps out: an end that a format drops, or gives to another device.
expect_status 0 "$sim" -o "$work/run" --workload dataparallel --ranks 3 --steps 4 --kernels 60 --seed 3
check pairs "$work/run" "0>1 0>2 1>0 2>0"
expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/run.sqlite" "$work/run"
expect_status 0 "$BATON" export --format nvprof-csv -o "$work/run.csv" "$work/run"
expect_status 0 "$BATON" export --format kineto -o "$work/run.kineto" "$work/run"
expect_status 0 "$BATON" import -o "$work/nsys" "$work/run.sqlite"
expect_status 0 "$BATON" import -o "$work/nvprof" "$work/run.csv"
expect_status 0 "$BATON" import -o "$work/kineto" "$work/run.kineto"/*.json
for form in nsys nvprof kineto; do check same "$work/run" "$work/$form"; done

# A run without such copies has neither columns nor cells for them. Keeps out: zeros, and columns that scripts do not expect.
expect_status 0 "$sim" -o "$work/ddp" --workload ddp --ranks 2 --steps 3 --kernels 60
expect_status 0 "$BATON" dump --json "$work/ddp"
expect_prints_not '"source":1' '"target":' '"inputs":'
expect_status 0 "$BATON" export --format nvprof-csv -o "$work/ddp.csv" "$work/ddp"
checks=$((checks + 1))
! grep -q "Src Dev" "$work/ddp.csv" || fail "columns for ends that no row has"

# Keeps out: an importer that takes any number for a device, or drops the row with it; text that breaks an export.
check write "$work"
expect_status 0 "$BATON" import -o "$work/hostile.nvprof" "$work/hostile.csv"
check pairs "$work/hostile.nvprof" "0>1"
expect_status 0 "$BATON" import -o "$work/hostile.nsys" "$work/hostile.sqlite"
check pairs "$work/hostile.nsys" "0>1"
check markers "$work/hostile.nsys"
check allocations "$work/hostile.nsys" "cudaMalloc:1048576:3 cudaMallocHost:4096:2"
expect_status '0|4' "$BATON" import -o "$work/hostile.kineto" "$work/hostile.json"
check pairs "$work/hostile.kineto" "0>1"
check inputs "$work/hostile.kineto"
for form in nvprof nsys kineto; do
	expect_status '0|4' "$BATON" export --format csv -f -o "$work/tables" "$work/hostile.$form"
	expect_status '0|4' "$BATON" export --format kineto -o "$work/again.$form" "$work/hostile.$form"
	check strict "$work/again.$form"
done
expect_status '0|4' "$BATON" import -o "$work/hostile.again" "$work/again.kineto"/*.json
check inputs "$work/hostile.again" again
expect_status '0|4' "$BATON" export --format nsys-sqlite -o "$work/inputs.sqlite" "$work/hostile.kineto"
check payloads "$work/inputs.sqlite"
expect_status '0|4' "$BATON" import -o "$work/inputs.nsys" "$work/inputs.sqlite"
check told-inputs "$work/hostile.kineto" "$work/inputs.nsys"
# Keeps out: a payload that is cut or of another kind taken for inputs, or read beyond its end.
"$PYTHON" - "$work/inputs.sqlite" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
texts = ['{"Input Dims":', '{"Input Dims":"', '{"Input Dims":"[[1]]', '{"Input Dims":"[[1]]\\', '{"Input Dims":"\\u12', "{}", "", '{"Input Dims":""}',
         '{"Input Dims":"[[2]]","Input type":"[', '{"Input Dims":"[[3]]","Other":1}', "x" * 70000]
db.execute("UPDATE NVTX_EVENTS SET jsonTextId = NULL, jsonText = NULL")
ids = [row for row, in db.execute("SELECT rowid FROM NVTX_EVENTS WHERE eventType = 59 ORDER BY rowid")]
assert len(ids) >= len(texts), len(ids)
for row, text in zip(ids, texts):
    db.execute("UPDATE NVTX_EVENTS SET jsonText = ?, text = ? WHERE rowid = ?", (text, "cut%d" % texts.index(text), row))
db.commit()
P
expect_status '0|4' "$BATON" import -o "$work/cut.nsys" "$work/inputs.sqlite"
expect_status '0|4' "$BATON" dump --json "$work/cut.nsys"
expect_prints '"shapes":"[[2]]","types":null' '"shapes":"[[3]]","types":null'
expect_prints_not '"shapes":"[[1]]' '"shapes":"x'

# The inputs of a real profile, through Kineto's form and back.
sample=$BATON_DATA/multi/dlrm8_v100/worker0_step_12.1694128201545.pt.trace.json.gz
if [ -f "$sample" ]; then
	expect_status '0|4' "$BATON" import -o "$work/real" "$sample"
	expect_status '0|4' "$BATON" export --format kineto -o "$work/real.kineto" "$work/real"
	expect_status '0|4' "$BATON" import -o "$work/real.again" "$work/real.kineto"/*.json
	check same-inputs "$work/real" "$work/real.again"
	expect_status '0|4' "$BATON" export --format nsys-sqlite -o "$work/real.sqlite" "$work/real"
	expect_status '0|4' "$BATON" import -o "$work/real.nsys" "$work/real.sqlite"
	check told-inputs "$work/real" "$work/real.nsys"
	expect_status '0|4' "$BATON" report --by shape "$work/real.nsys"
	expect_prints "by shape, mean of 1 GPU" "aten::cat [[],[]]"
	for by in op shape; do
		expect_status '0|4' "$BATON" report --by $by --json "$work/real"
		cp "$work/out" "$work/$by.json"
	done
	check by-shape "$work/real" "$work/op.json" "$work/shape.json"
	expect_status '0|4' "$BATON" report --by shape "$work/real.again"
	expect_prints "by shape, mean of 1 GPU" "aten::cat [[],[]]"
fi
expect_status 3 "$BATON" report --by shape "$work/run"
expect_says "no launch lies in an operator whose inputs the trace has"

# Keeps out: a slow link that no line names, one that a healthy machine is said to have; a table that is not the sum of the rows.
expect_status 0 "$BATON" import -o "$work/slow" "$work/slow.csv"
expect_status 0 "$BATON" import -o "$work/even" "$work/even.csv"
for view in "report --by copy" "report --taxonomy seed --by device"; do
	expect_status 0 "$BATON" $view "$work/slow"
	expect_prints "Uneven: copies from local/0 to local/3 take 0.3 ms, 157 % more than the mean of 12 pairs of GPUs" \
		"Uneven: copies from local/0 to local/3 run at 3.5 GB/s, all of 12 pairs of GPUs at 9.0 GB/s"
	expect_status 0 "$BATON" $view "$work/even"
	expect_prints_not "Uneven: copies"
done
expect_status 0 "$BATON" compare --taxonomy seed --by group "$work/even" "$work/slow"
expect_prints "$work/slow: Uneven: copies from local/0 to local/3 take 0.3 ms, 157 % more than the mean of 12 pairs of GPUs"
expect_prints_not "$work/even: Uneven"
expect_status 0 "$BATON" report --by copy --csv "$work/slow"
expect_prints "local/0,PtoP,Device,Device,local/0,local/3,1,300000,1048576,3.5" "local/3,PtoP,Device,Device,local/3,local/2,1,100000,1048576,10.5"
expect_status 0 "$BATON" report --by copy --json "$work/run"
cp "$work/out" "$work/copies.json"
check sums "$work/run" "$work/copies.json"
expect_status 0 "$BATON" report --by copy --markdown --rank 0 "$work/run"
expect_status 0 "$BATON" report --by copy "$work/hostile.nvprof"
expect_status '0|4' "$BATON" report --by copy "$work/hostile.kineto"
expect_status 2 "$BATON" report --by copy --rank x "$work/run"
expect_says "--rank"
expect_status 2 "$BATON" report --by copy --gaps 3 "$work/run"
expect_says "--by copy and --gaps are two reports"

# Allocations of a trace that names them, through nsys's table.
expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/again.sqlite" "$work/hostile.nsys"
expect_status 0 "$BATON" import -o "$work/again.nsys" "$work/again.sqlite"
check allocations "$work/again.nsys" "cudaMalloc:1048576:3 cudaMallocHost:4096:2"
expect_status 0 "$BATON" export --format csv -f --partition none -o "$work/tables" "$work/hostile.nsys"
expect_status 0 cat "$work"/tables/calls/*.csv
expect_prints "1048576,Device" "4096,Pinned"
finish
