#!/usr/bin/env bash
# `baton export --format nvprof-csv`: each cell beside `baton dump`, read as scripts read nvprof's CSV, and imported again; hostile names;
# what is wrong on the command line; a full disk.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

expect_status 0 "$sim" -o "$work/ddp" --workload ddp --ranks 2 --steps 3
expect_status 0 "$PYTHON" tests/cli/export_nvprof_check.py "$BATON" "$work/ddp" "$work"
told=$(cat "$work/out")
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	imported "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" "$work/nsys"
	expect_status 0 "$PYTHON" tests/cli/export_nvprof_check.py "$BATON" "$work/nsys" "$work"
	told="$told; $(cat "$work/out") of an nsys export"
fi

# Keeps out: names that a spreadsheet or a terminal obeys, and those that break a row.
cat >"$work/hostile.py" <<'P'
import csv, json, subprocess, sys
baton, work = sys.argv[1:]
names = ["=cmd|' /C calc'!A0", "@SUM(1)", "+1", "-2", "a,b", 'say "hi", twice', "two\nlines", "red \x1b[31m", "</script>|x", "tab\tbed", "end [12]"]
events = [{"ph": "X", "cat": "kernel", "name": n, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": i + 1}}
          for i, n in enumerate(names)]
with open(f"{work}/hostile.json", "w") as file:
    json.dump({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "=GPU"}]}, file)
subprocess.run([baton, "export", "--format", "nvprof-csv", "-o", f"{work}/hostile.csv", f"{work}/hostile.json"], check=True, capture_output=True)
text = open(f"{work}/hostile.csv").read()
rows = list(csv.reader([x for x in text.splitlines() if not x.startswith("==")], strict=True))
assert len(rows) == 2 + len(names) and {len(r) for r in rows} == {20}, rows
assert not any(c[:1] in "=+-@" and c for r in rows[2:] for c in r), rows
assert "\x1b" not in text
subprocess.run([baton, "import", f"{work}/hostile.csv", "-o", f"{work}/hostile.run"], check=True, capture_output=True)
lines = [json.loads(x) for x in subprocess.run([baton, "dump", "--json", f"{work}/hostile.run"], capture_output=True, check=True).stdout.splitlines()]
got = [x["name"] for x in lines if x["record"] == "op"]
assert got == [n.replace("\x1b", "?").replace("\n", " ").replace("\t", " ") if n not in ("two\nlines", "tab\tbed") else g for n, g in zip(names, got)], got
P
expect_status 0 "$PYTHON" "$work/hostile.py" "$BATON" "$work"

# Keeps out: a file written over, half a file, and options of other formats passed over.
run=$work/ddp
expect_status 0 "$BATON" export --format nvprof-csv -o "$work/t.csv" "$run"
expect_status 2 "$BATON" export --format nvprof-csv -o "$work/t.csv" "$run"
expect_says "t.csv: is there already; -f replaces it"
expect_status 2 "$BATON" export --format nvprof-csv "$run"
expect_says "--format nvprof-csv needs -o"
expect_status 2 "$BATON" export --format nvprof-csv --print metrics -o "$work/full.csv" "$run"
expect_says "--print must be gpu-trace, api-trace, 'gpu-trace,api-trace' or summary, not 'metrics'"
expect_status 2 "$BATON" export --format kineto --print gpu-trace -o "$work/u" "$run"
expect_says "--print is for nvprof-csv"

# A file for each process has the same lines as the one file of all.
expect_status 0 "$BATON" export --format nvprof-csv --print gpu-trace,api-trace -o "$work/all.csv" "$work/ddp"
expect_status 0 "$BATON" export --format nvprof-csv --print gpu-trace,api-trace --one-per-rank -o "$work/each" "$work/ddp"
checks=$((checks + 1))
cat "$work/each/rank000.csv" "$work/each/rank001.csv" | cmp -s - "$work/all.csv" && [ "$(ls "$work/each" | wc -l)" = 2 ] || fail "other files: $(ls "$work/each")"
expect_status 2 "$BATON" export --format nvprof-csv --one-per-rank -o "$work/each" "$work/ddp"
expect_says "Directory not empty; -f replaces files of the same names"
expect_status 0 "$BATON" export --format nvprof-csv --one-per-rank -f -o "$work/each" "$work/ddp"
expect_status 2 "$BATON" export --format perfetto --one-per-rank -o "$work/u" "$run"
expect_says "--one-per-rank is for nsys-sqlite and nvprof-csv"
mkdir "$work/old" && touch "$work/old/x.pt.trace.json"
expect_status 5 "$BATON" export --format kineto -f -o "$work/old" "$run"
expect_says "files are in it, and -f removes none: a profiler's own traces look the same; give a new directory"
expect_status 5 "$BATON" export --format nvprof-csv -o "$work/absent/full.csv" "$run"
expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' - "$BATON" export --format nvprof-csv -o "$work/full.csv" "$run"
expect_says "full.csv: File too large"
checks=$((checks + 1))
[ -z "$(find "$work" -name '*full.csv*')" ] || fail "left: $(find "$work" -name '*full.csv*')"
finish "$told"
