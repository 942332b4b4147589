#!/usr/bin/env bash
# `baton report --taxonomy seed --by device`: the tables of the nvprof study beside sums over `baton dump`, of a recorded run, its nvprof CSV
# and an nsys export; a device that has more than the others; options that do not go with it.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

# Keeps out: copies as `other`, NCCL out of memory_mgmt, work outside of the counted steps left out, groups that do not add up.
expect_status 0 "$sim" -o "$work/ddp" --workload ddp --ranks 2 --steps 3
expect_status 0 "$PYTHON" tests/cli/study_check.py "$BATON" "$work/ddp"
told=$(cat "$work/out")
expect_status 0 "$BATON" export --format nvprof-csv -o "$work/gpu.csv" "$work/ddp"
imported "$work/gpu.csv" "$work/csv"
expect_status 0 "$PYTHON" tests/cli/study_check.py "$BATON" "$work/csv"
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	imported "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" "$work/nsys"
	expect_status 0 "$PYTHON" tests/cli/study_check.py "$BATON" "$work/nsys"
fi

# Keeps out: one GPU that copies for all, unnoticed; and a word where none does.
report() { expect_status 0 "$BATON" report --taxonomy seed --by device "$@"; }
report "$work/ddp"
expect_prints "GPU time by device and group" "The ten names of a device with most time" "Copies and fills of each device"
expect_prints_not "Uneven:"
"$PYTHON" - "$work/uneven.csv" <<'P'
import sys
rows = ['"Start","Duration","Device","Context","Stream","Name"', "ms,ms,,,,"]
for i in range(40):
    device = i % 4
    rows.append('%f,2.000000,"Tesla V100 (%d)","1","7","volta_sgemm_128x64_nn"' % (10 * i, device))
    rows.append('%f,%f,"Tesla V100 (%d)","1","7","[CUDA memcpy HtoD]"' % (10 * i + 3, 3 if device == 2 else 1, device))
open(sys.argv[1], "w").write("\n".join(rows) + "\n")
P
report "$work/uneven.csv"
expect_prints "Uneven: memory_mgmt takes 30.0 ms on local/2, 100 % more than the mean of 4 GPUs"
expect_prints_not "Uneven: matrix-mul"

expect_prints "Uneven: [CUDA memcpy HtoD] takes 30.0 ms on local/2, 100 % more than the mean of 4 GPUs"
# The same as a finding of `report`, in text and JSON. Keeps out: an uneven GPU that only the study's tables name.
expect_status 0 "$BATON" report "$work/uneven.csv"
expect_prints "Copies from host to GPU take 30.0 ms on device local/2, 100 % more than the mean of 4 GPUs" \
	"15.0 ms of it are more than the mean and overlapped by nothing; no rank is seen to wait for it," "so no gain is known"
expect_status 0 "$BATON" report --json "$work/uneven.csv"
"$PYTHON" - "$work/out" <<'P' || fail "the finding"
import json, sys
rows = {f["id"]: f for f in json.load(open(sys.argv[1]))["findings"]}
uneven, copies = rows["uneven"], rows["copies"]
assert (uneven["device"], uneven["cause"], uneven["severity"], uneven["gain_ms"]) == ("local/2", "copies", "low", None), uneven
assert uneven["share_ms"] == 15 / 4 and copies["share_ms"] == 15 - 15 / 4, (uneven, copies)
P
checks=$((checks + 1))
expect_status 0 "$BATON" report --json "$work/ddp"
expect_true "not [f for f in d['findings'] if f['id'] == 'uneven']"

# Keeps out: charts that differ from the tables, or that a name breaks.
cp -r "$work/uneven.csv.imported" "$work/<b>&\"x"
report --csv --svg "$work/devices.svg" "$work/uneven.csv"
expect_status 0 "$BATON" compare --taxonomy seed --by group --csv --svg "$work/runs.svg" "$work/uneven.csv" "$work/<b>&\"x" "$work/ddp"
"$PYTHON" - "$work/out" "$work/runs.svg" "$work/devices.svg" <<'P' || fail "charts"
import csv, re, sys, xml.etree.ElementTree as tree
rows = [r for r in list(csv.reader(open(sys.argv[1])))[1:] if r[2] != "sum"]
bars = [n for n in tree.parse(sys.argv[2]).iter() if n.tag.endswith("rect")]
titles = [re.fullmatch(r"(.*), ([a-z_-]+): ([0-9.]+) ms, ([0-9.]+) %", n[0].text).groups() for n in bars]
assert len(bars) == 2 * len(rows) == 24, (len(bars), len(rows))
want = [(r[0], r[2], "%.3f" % (int(r[3]) / 1e6)) for r in rows]
assert [t[:3] for t in titles] == want + want, titles
assert all(abs(float(t[3]) - float(r[4])) <= 0.1001 for t, r in zip(titles, rows)), titles
most = max(int(r[3]) for r in rows)
for n, r in zip(bars, rows):  # ms: 300 pixels are the most
    assert abs(float(n.get("height")) - 300 * int(r[3]) / most) <= 0.11, (n.attrib, r)
for n, r in zip(bars[len(rows):], rows):  # parts: 300 pixels are 100 %
    assert abs(float(n.get("height")) - 3 * float(r[4])) <= 0.31, (n.attrib, r)
names = {n.tag.rsplit("}", 1)[1] for n in tree.parse(sys.argv[3]).iter()}
assert names == {"svg", "style", "text", "path", "title", "rect"}, names
P
checks=$((checks + 1))
expect_status 2 "$BATON" report --svg "$work/x.svg" "$work/ddp"
expect_says "--svg is for --by device"
expect_status 2 "$BATON" compare --svg "$work/x.svg" "$work/ddp" "$work/csv"
expect_says "--svg is for --by group"
expect_status 5 "$BATON" report --taxonomy seed --by device --svg "$work/no/x.svg" "$work/ddp"
expect_nothing_in "$work/x.svg"

# Keeps out: a host's name that steers the terminal.
expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/uneven.sqlite" "$work/uneven.csv"
"$PYTHON" - "$work/uneven.sqlite" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE TARGET_INFO_SYSTEM_ENV SET value = 'a' || char(27) || '[31mb' WHERE name = 'Hostname'")
db.commit()
P
report "$work/uneven.sqlite"
expect_prints "Uneven: memory_mgmt takes 30.0 ms on a?[31mb/2, 100 % more"
expect_prints_not $'\e'

# Keeps out: runs whose groups are not the sums over their devices.
expect_status 0 "$BATON" compare --taxonomy seed --by group --csv "$work/uneven.csv" "$work/csv"
"$PYTHON" - "$BATON" "$work/out" "$work/uneven.csv.imported" "$work/csv" <<'P' || fail "groups of two runs"
import collections, csv, subprocess, sys
baton, said, *runs = sys.argv[1:]
rows = list(csv.reader(open(said), strict=True))
assert rows[0] == ["Run", "GPUs", "Group", "Time (ns)", "Time (%)"] and len(rows) == 11, rows
for run in runs:
    text = subprocess.run([baton, "report", "--taxonomy", "seed", "--by", "device", "--csv", run], capture_output=True, text=True, check=True).stdout
    table, sums = list(csv.reader(text.split("\n\n")[0].splitlines())), collections.Counter()
    for device, group, ns, _ in table[1:]:
        sums[group] += int(ns)
    mine = [r for r in rows[1:] if r[0] == run]
    assert {r[2]: int(r[3]) for r in mine} == sums, (mine, sums)
    assert {r[1] for r in mine} == {str(len({r[0] for r in table[1:]}))}, mine
    assert all(abs(float(r[4]) - 100 * int(r[3]) / sums["sum"]) <= 0.05001 for r in mine), mine
P
checks=$((checks + 1))
expect_status 0 "$BATON" compare --taxonomy seed --by group "$work/ddp" "$work/csv"
expect_prints "GPU time of each run by group"
expect_status 2 "$BATON" compare --taxonomy seed --by group , "$work/csv"
expect_says "'' names no directory"
# Keeps out: a directory whose name has a comma taken for two; parts of a run beyond the 1,024th left out.
cp -r "$work/csv" "$work/a,b"
expect_status 0 "$BATON" compare --taxonomy seed --by group --csv "$work/a,b" "$work/csv"
expect_prints "\"$work/a,b\",2,"
expect_status 3 "$BATON" compare --taxonomy seed --by group "$work/csv$(printf ",$work/csv%.0s" {1..1023}),$work/absent" "$work/csv"
expect_says "$work/absent: No such file or directory"
# The same of plain comparisons and of lists: no part is left out silently.
for words in "compare $work/csv$(printf ",$work/csv%.0s" {1..4200}),$work/absent $work/csv" "compare --base $work/csv$(printf "+$work/csv%.0s" {1..4200})+$work/absent $work/csv"; do
	expect_status 3 "$BATON" $words
	expect_says "$work/absent: No such file or directory"
done
expect_status 2 "$BATON" compare --by group "$work/ddp" "$work/csv"
expect_says "--by group needs --taxonomy seed"
expect_status 2 "$BATON" compare --by device --taxonomy seed "$work/ddp" "$work/csv"
expect_says "--by must be group, not 'device'"
expect_status 2 "$BATON" compare --by group --taxonomy seed --html "$work/x.html" "$work/ddp" "$work/csv"
expect_says "--by group and --html are two reports"

expect_status 2 "$BATON" report --by device "$work/ddp"
expect_says "--by device needs --taxonomy seed"
expect_status 2 "$BATON" report --by device --taxonomy seed --json "$work/ddp"
expect_says "--by device and --json are two reports"
expect_status 2 "$BATON" report --by nothing "$work/ddp"
expect_says "--by must be line, stack, module, op, shape, range or copy, with --taxonomy seed also device, not 'nothing'"
expect_status 5 bash -c 'exec "$@" >/dev/full' - "$BATON" report --taxonomy seed --by device "$work/ddp"
finish "$told"
