#!/usr/bin/env bash
# baton stats: every cell of every table beside the same tables made by loops over the rows (stats_tables.py), of an nsys export and of
# simulated runs; formats; hostile names; what is wrong on the command line; a full disk.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

expect_status 0 "$sim" -o "$work/ddp" --workload ddp --ranks 2 --steps 4
expect_status 0 "$PYTHON" tests/cli/stats_tables.py "$BATON" --run "$work/ddp" "$work/ddp"
cells=$(grep -o '[0-9]* cells' "$work/out")
expect_status 0 "$sim" -o "$work/jax" --workload jax --ranks 1 --steps 3
expect_status 0 "$PYTHON" tests/cli/stats_tables.py "$BATON" --run "$work/jax" "$work/jax"
# Keeps out: the nodes of a graph counted as ops of their own in nvtx_gpu_proj_sum.
expect_status 0 "$sim" -o "$work/graph" --workload graph --ranks 1 --steps 4
expect_status 0 "$PYTHON" tests/cli/stats_tables.py "$BATON" --run "$work/graph" "$work/graph"
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	expect_status 0 "$BATON" import "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" -o "$work/nsys"
	expect_status 0 "$PYTHON" tests/cli/stats_tables.py "$BATON" --sqlite "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" "$work/nsys"
	cells="$cells, $(grep -o '[0-9]* cells' "$work/out") of an nsys export"
fi

# Keeps out: a kernel counted twice that lies in two ranges of one name, as operators that call themselves make them.
cat >"$work/nested.py" <<'P'
import json, sys
def event(cat, name, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": args.pop("pid", 9), "tid": args.pop("tid", 9), "ts": ts, "dur": dur, "args": args}
events = []
for i in range(3):
    at = 100 * i
    events += [event("cpu_op", "aten::add", at, 50), event("cpu_op", "aten::add", at + 1, 40),
               event("cuda_runtime", "cudaLaunchKernel", at + 10, 5, correlation=i + 1),
               event("kernel", "add_kernel", at + 20, 7, pid=0, tid=7, device=0, stream=7, correlation=i + 1)]
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
P
"$PYTHON" "$work/nested.py" "$work/nested.json" || fail "nested.py"
expect_status 0 "$BATON" stats -r nvtx_kern_sum -f csv "$work/nested.json"
expect_prints "aten::add,Operator,9,9,6,3,42000,7000.0,"
expect_status 0 "$PYTHON" tests/cli/stats_tables.py "$BATON" --run "$work/nested.json.imported" "$work/nested.json.imported"

# Each format, read by a strict parser, holds the same cells.
cat >"$work/formats.py" <<'P'
import csv, json, re, subprocess, sys
baton, run = sys.argv[1:]
def stats(form):
    return subprocess.run([baton, "stats", "-r", "cuda_api_sum", "-f", form, run], capture_output=True, text=True, check=True).stdout
rows = list(csv.reader(stats("csv").splitlines()))
assert len(rows) > 3 and len(rows[0]) == 9, rows
assert [line.split("\t") for line in stats("tsv").splitlines()] == rows
objects = json.loads(stats("json"), parse_float=str, parse_int=str)
assert [list(o) for o in objects] == [rows[0]] * len(objects)
assert [list(o.values()) for o in objects] == rows[1:]
table = stats("table").splitlines()
assert "CUDA API Summary (cuda_api_sum)" in table[1], table
assert [re.split(r"  +", line.strip()) for line in table[5:]] == rows[1:], table
lines = stats("markdown").splitlines()
marked = [[c.strip().replace("\\_", "_") for c in line.strip("|").split(" | ")] for line in lines[:1] + lines[2:]]
assert marked == rows, marked
P
expect_status 0 "$PYTHON" "$work/formats.py" "$BATON" "$work/ddp"

# Names that would steer a terminal, a spreadsheet or a page.
cat >"$work/hostile.py" <<'P'
import csv, json, subprocess, sys
baton, work = sys.argv[1:]
names = ["=cmd|' /C calc'!A0", "@SUM(1)", "+1", "-2", "a,b", 'say "hi"', "two\nlines", "red \x1b[31m", "\u202eabc", "</script>|x", "nul\x00l", "\u2028", "tab\tbed"]
events = [{"ph": "X", "cat": "kernel", "name": n, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
           "args": {"device": 0, "stream": 7, "correlation": i + 1}} for i, n in enumerate(names)]
with open(f"{work}/hostile.json", "w") as file:
    json.dump({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "GPU"}]}, file)
subprocess.run([baton, "import", f"{work}/hostile.json", "-o", f"{work}/hostile"], check=True, capture_output=True)
def stats(form):
    return subprocess.run([baton, "stats", "-r", "cuda_gpu_kern_sum", "-f", form, f"{work}/hostile"], capture_output=True, check=True).stdout
for form in ("table", "csv", "tsv", "markdown"):
    text = stats(form).decode()
    assert not any(ord(c) < 32 and c not in "\n\t" or ord(c) in (0x7f, 0x202e) for c in text), (form, text)
rows = list(csv.reader(stats("csv").decode().splitlines()))
assert len(rows) == len(names) + 1 and {len(r) for r in rows} == {9}, rows
assert not any(r[8][0] in "=+-@" for r in rows), rows
assert {"a,b", 'say "hi"'} <= {r[8] for r in rows}, rows
assert {o["Name"] for o in json.loads(stats("json"))} >= set(names) - {"nul\x00l"}, stats("json")
assert b"<" not in stats("markdown")
assert {line.count("\t") for line in stats("tsv").decode().splitlines()} == {8}
P
expect_status 0 "$PYTHON" "$work/hostile.py" "$BATON" "$work"

# What Kineto says of a launch, and what it does not.
cat >"$work/kineto.py" <<'P'
import csv, json, subprocess, sys
baton, work = sys.argv[1:]
shapes = [([512, 2, 1], [128, 1, 1], 40, 400), ([1, 2], [1, 1, 1], 1, 1), ("x", [1, 1, 1], 1, 1), ([2 ** 32, 1, 1], [1, 1, 1], 1, 1),
          ([7, 8, 9], [1, 2, 3], None, None), ([1, 1, -1], [1, 1, 1], 1, 1)]
events = [{"ph": "X", "cat": "kernel", "name": f"k{i}", "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
           "args": {"device": 0, "stream": 7, "correlation": i + 1, "grid": g, "block": b, "registers per thread": r, "shared memory": m}}
          for i, (g, b, r, m) in enumerate(shapes)]
events.append({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "pid": 0, "tid": 7, "ts": 90, "dur": 1,
               "args": {"device": 0, "stream": 7, "correlation": 20, "bytes": 1000000}})
with open(f"{work}/kineto.json", "w") as file:
    json.dump({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "GPU"}]}, file)
subprocess.run([baton, "import", f"{work}/kineto.json", "-o", f"{work}/kineto"], check=True, capture_output=True)
out = subprocess.run([baton, "stats", "-r", "cuda_gpu_trace", "-f", "csv", f"{work}/kineto"], capture_output=True, check=True, text=True).stdout
rows = [r[3:16] for r in csv.reader(out.splitlines())][1:]
none = [""] * 13
assert rows[0] == ["512", "2", "1", "128", "1", "1", "40", "", "0.000"] + [""] * 4, rows[0]
assert rows[4] == ["7", "8", "9", "1", "2", "3"] + [""] * 7, rows[4]
assert [rows[i] for i in (1, 2, 3, 5)] == [none] * 4, rows
assert rows[6] == [""] * 9 + ["1.000", "1000000.000", "Device", "Pinned"], rows[6]
P
expect_status 0 "$PYTHON" "$work/kineto.py" "$BATON" "$work"

# Files of their own; several tables.
expect_status 0 "$BATON" stats -r nvtx_sum,cuda_gpu_sum -f csv -o "$work/out_of" "$work/ddp"
[ "$(ls "$work" | grep -c '^out_of_.*\.csv$')" = 2 ] || fail "not two files: $(ls "$work")"
ls -A "$work" | grep -q '\.part$' && fail "a part was left"
expect_status 0 "$BATON" stats "$work/ddp"
[ "$(grep -c '^ \*\* ' "$work/out")" = 5 ] || fail "not five tables"
expect_status 0 "$BATON" stats --list
[ "$(wc -l <"$work/out")" = 14 ] || fail "not 14 tables"
# The words of baton's other commands.
for form in csv markdown json; do
	expect_status 0 "$BATON" stats -r cuda_gpu_kern_sum -f $form "$work/ddp"
	cp "$work/out" "$work/$form"
	expect_status 0 "$BATON" stats -r cuda_gpu_kern_sum --$form "$work/ddp"
	cmp "$work/$form" "$work/out" || fail "--$form is not --format $form"
done
cmp -s "$work/csv" "$work/json" && fail "CSV and JSON are one"
expect_status 2 "$BATON" stats --csv --markdown "$work/ddp"
expect_status 2 "$BATON" stats --csv -f json "$work/ddp"
expect_says "--format json and another form"

# What is wrong.
expect_status 2 "$BATON" stats
expect_says "give the directory of a run"
expect_status 2 "$BATON" stats -r nope "$work/ddp"
expect_says "there is no table 'nope'"
expect_status 2 "$BATON" stats -r cuda_api_sum, "$work/ddp"
expect_status 2 "$BATON" stats -f xml "$work/ddp"
expect_says "--format must be"
expect_status 3 "$BATON" stats "$work/nothing"
expect_status 5 "$BATON" stats -o "$work/no/such/dir/x" "$work/ddp"
expect_status 5 sh -c "'$BATON' stats '$work/ddp' >/dev/full"
# Keeps out: half a file, and a file beside it that another program has put there under the name of the unfinished one.
mkdir "$work/full"
expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 1; exec "$@"' full "$BATON" stats -r cuda_gpu_trace -f csv -o "$work/full/x" "$work/ddp"
expect_says "x_cuda_gpu_trace.csv: File too large"
[ -z "$(ls -A "$work/full")" ] || fail "half a file is left: $(ls -A "$work/full")"
echo kept >"$work/kept"
ln -s ../kept "$work/full/.x_nvtx_sum.csv.part"
ln -s ../kept "$work/full/x_nvtx_sum.csv.part"
expect_status 0 "$BATON" stats -r nvtx_sum -f csv -o "$work/full/x" "$work/ddp"
[ "$(cat "$work/kept")" = kept ] || fail "a link under the name of the unfinished file was followed"
printf 'x' | dd of="$(ls "$work"/jax/*.baton | head -n 1)" bs=1 seek=4000 conv=notrunc status=none
expect_status 4 "$BATON" stats "$work/jax"
finish "$cells"
