#!/usr/bin/env bash
# A part of a run (--rank, --device, --step, --time) in the views that show single rows: stats, dump, export.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

# Keeps out: rows of elsewhere, and rows that are missing.
expect_status 0 "$sim" -o "$work/ddp" --workload ddp --ranks 4 --per-host 2 --steps 6 --kernels 60
expect_status 0 "$sim" -o "$work/dp" --workload dataparallel --ranks 2 --steps 6 --kernels 60
for part in "ddp - - - -" "ddp 1,3 - - - --rank 1,3" "ddp - node1/0 - - --device node1/0" "ddp - - 20000000 30000000 --time 0.02..0.03" \
	"ddp 2 - - - --rank 2 --step 3" "ddp - - - - --step 2..4" "ddp 0 node0/0 0 25000000 --rank 0 --device node0/0 --time ..0.025" \
	"dp - node0/1 - - --device node0/1" "dp - node0/1 - - --device node0/1 --step 2"; do
	set -- $part
	expect_status 0 "$PYTHON" tests/cli/part_check.py "$BATON" "$work/$1" "${@:2}"
done
# ... and traces count from the run's first event, whatever part is shown.
expect_status 0 "$BATON" stats -r cuda_gpu_trace -f csv --time 0.02..0.03 "$work/ddp"
awk -F, 'NR > 1 && ($1 < 20000000 || $1 >= 30000000) { bad = 1 } END { exit bad || NR < 10 }' "$work/out" || fail "starts of a part's trace: $(head -n 3 "$work/out")"

# Idle time and steps of a part.
expect_status 0 "$BATON" dump --idle --json "$work/ddp"
cp "$work/out" "$work/all"
expect_status 0 "$BATON" dump --idle --json --device node1/1 "$work/ddp"
grep '"device":"node1/1"' "$work/all" | cmp -s - "$work/out" || fail "idle time of one device"
expect_status 0 "$BATON" dump --step-list --json --rank 2 --step 3 "$work/ddp"
expect_true "d['device'] == 'node1/0' and d['number'] == 3"

"$PYTHON" - "$work/ddp" "$BATON" <<'P' || fail "steps and idle time of a stretch of time"
import json, subprocess, sys
run = lambda *words: list(map(json.loads, subprocess.run([sys.argv[2], "dump", "--json", *words, sys.argv[1]], capture_output=True, check=True, text=True).stdout.splitlines()))
first = min(row["start_ns"] for row in run() if "start_ns" in row)
steps = run("--step-list")
to = sorted(s["begin_ns"] for s in steps)[len(steps) // 2]
part = f"0..{(to - first) / 1e9:.9f}"
want = [(s["device"], s["begin_ns"]) for s in steps if s["begin_ns"] < to]
got = [(s["device"], s["begin_ns"]) for s in run("--step-list", "--time", part)]
assert got == want and 0 < len(got) < len(steps), (got, want)
idle, every = run("--idle", "--time", part), run("--idle")
assert 0 < len(idle) < len(every) and all(piece in every for piece in idle), (len(idle), len(every))
P
expect_status 2 "$BATON" dump --idle --time 0..1 --step 2 "$work/ddp"
expect_says "--step and --time are two ways to choose steps"

# Copies of a part are those of the table of all copies.
for part in "--rank 1" "--device node1/0" "--step 2..3" "--time 0.02..0.05" "--rank 2 --step 3"; do
	expect_status 0 "$BATON" stats -r cuda_gpu_mem_time_sum -f csv $part "$work/ddp"
	want=$(awk -F, 'NR > 1 && /memcpy/ { n += $3; ns += $2 } END { print n + 0, ns + 0 }' "$work/out")
	expect_status 0 "$BATON" report --by copy --csv $part "$work/ddp"
	[ "$(awk -F, 'NR > 1 { n += $7; ns += $8 } END { print n + 0, ns + 0 }' "$work/out")" = "$want" ] || fail "copies of $part: $want, $(cat "$work/out")"
	[ "$want" != "0 0" ] || fail "no copies in $part"
done
# ... and so is the study's time by device and by run.
for part in "--rank 1" "--device node1/0" "--step 2..3" "--time 0.02..0.05" "--rank 2 --step 3"; do
	expect_status 0 "$BATON" stats -r cuda_gpu_sum -f csv $part "$work/ddp"
	want=$(awk -F, 'NR > 1 { ns += $2 } END { print ns + 0 }' "$work/out")
	[ "$want" -gt 1000000 ] || fail "no work in $part"
	expect_status 0 "$BATON" report --taxonomy seed --by device --csv $part "$work/ddp"
	[ "$(awk -F, '/^$/ { exit } $2 == "sum" { ns += $3 } END { print ns + 0 }' "$work/out")" = "$want" ] || fail "devices of $part: $want, $(head -n 6 "$work/out")"
	expect_status 0 "$BATON" compare --taxonomy seed --by group --csv $part "$work/ddp" "$work/ddp"
	[ "$(awk -F, '$3 == "sum" { ns += $4 } END { print ns + 0 }' "$work/out")" = $((2 * want)) ] || fail "groups of $part: $want, $(cat "$work/out")"
done
# A comparison of a part has the figures of the reports of that part, and the whole loss in its terms.
expect_status 0 "$sim" -o "$work/slow" --workload ddp --ranks 4 --per-host 2 --steps 6 --kernels 60 --fault slow_gpu=40@1
for part in "rank 1:--rank 1" "device node1:--device node1" "step 2..3:--step 2..3" "time 0.02.. s:--time 0.02.." "rank 2, step 3:--rank 2 --step 3"; do
	for run in ddp slow; do
		expect_status 0 "$BATON" report --csv ${part#*:} "$work/$run"
		sed -n 1,2p "$work/out" >"$work/$run.csv"
	done
	expect_status 0 "$BATON" compare --json ${part#*:} "$work/ddp" "$work/slow"
	"$PYTHON" - "$work/out" "$work/ddp.csv" "$work/slow.csv" "${part%%:*}" <<'P' || fail "comparison of ${part#*:}"
import csv, json, sys
c = json.load(open(sys.argv[1]))
reports = [next(csv.DictReader(open(name))) for name in sys.argv[2:4]]
assert c["part"] == sys.argv[4], c["part"]
for key in ("step_ns", "steps", "gpus"):
    assert [r[key] for r in c["runs"]] == [int(r[key]) for r in reports], (key, c["runs"], reports)
loss = c["runs"][1]["step_ns"] - c["runs"][0]["step_ns"]
assert sum(c["bridge"][0]["terms_ns"].values()) == loss > 0, (loss, c["bridge"][0])
P
done
expect_status 0 "$BATON" compare --rank 1 "$work/ddp" "$work/slow"
expect_prints "only rank 1 of each run: waits are not charged to late ranks"
expect_status 0 "$BATON" compare --step 2..3 "$work/ddp" "$work/slow"
expect_prints "only step 2..3 of each run"
expect_status 3 "$BATON" compare --rank 9 "$work/ddp" "$work/slow"
expect_status 3 "$BATON" compare --taxonomy seed --by group --rank 9 "$work/ddp" "$work/slow"
expect_says "no rank of --rank 9 is in it"
expect_status 2 "$BATON" compare --step 1 --time 0..1 "$work/ddp" "$work/slow"
expect_says "--step and --time are two ways to choose steps"

expect_status 3 "$BATON" report --by copy --rank 9 "$work/ddp"
expect_says "no rank of --rank 9 is in it"

# Exports.
expect_status 0 "$BATON" export --format chrome --device node1/1 -o "$work/one.json" "$work/ddp"
grep -q 'rank 3' "$work/one.json" || fail "the device's rank is not in the timeline"
! grep -q 'rank [012]' "$work/one.json" || fail "other ranks are in the timeline of one device"
expect_status 0 "$BATON" export --format csv --partition none --rank 1 -o "$work/tables" "$work/ddp"
expect_status 0 "$BATON" export --format csv --partition none --ranks 1 -o "$work/tables2" "$work/ddp"
expect_status 0 diff -r "$work/tables" "$work/tables2"

# Keeps out: a part that is not there taken for an empty one, and options that cannot both be.
for view in "stats" "dump" "export --format chrome -o $work/no.json" "export --format nsys-sqlite -o $work/no.sqlite" "export --format nvprof-csv -o $work/no.csv"; do
	expect_status 3 "$BATON" $view --rank 7 "$work/ddp"
	expect_says "$work/ddp: no rank of --rank 7 is in it"
	expect_status 3 "$BATON" $view --step 900 "$work/ddp"
	expect_says "no counted step from 900 to 900; baton dump --step-list lists the steps"
	expect_status 2 "$BATON" $view --time 2 "$work/ddp"
	expect_says "--time must be seconds with '..' between them, as 1.5..2, not '2'"
	expect_status 2 "$BATON" $view --step x "$work/ddp"
	expect_says "--step must be a step or two with '..' between them, not 'x'"
	expect_status 2 "$BATON" $view --rank a "$work/ddp"
	expect_says "--rank must be ranks as 0,4-7, not 'a'"
	expect_status 2 "$BATON" $view --device "" "$work/ddp"
	expect_says "--device must be a GPU"
done
[ ! -e "$work/no.sqlite" ] && [ ! -e "$work/no.csv" ] || fail "a file of a part that is not there"
for view in "stats" "export --format chrome -o $work/no.json" "export --format nsys-sqlite -o $work/no.sqlite" "dump --idle" dump; do
	expect_status 3 "$BATON" $view --device node9 "$work/ddp"
	expect_says "no GPU of it is device node9"
done
expect_status 2 "$BATON" dump --stacks --rank 1 "$work/ddp"
expect_says "--stacks counts whole files"
for format in chrome nsys-sqlite; do
	expect_status 2 "$BATON" export --format $format -o "$work/no.file" --rank 1 --ranks 1 "$work/ddp"
	expect_says "--rank and --ranks are the same"
done
expect_status 2 "$BATON" export --format nsys-sqlite -o "$work/no.file" --max-slices 5 "$work/ddp"
expect_says "--format nsys-sqlite: --max-slices is for timelines and tables"

# A part is imported again: its kernels are all there is. Steps are those that the command's options find.
expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/one.sqlite" --ranks 1 --step 2..3 --steps period "$work/ddp"
expect_status 0 "$BATON" import -o "$work/one" "$work/one.sqlite"
expect_status 0 "$BATON" dump --step-list --json --steps period --rank 1 --step 2..3 "$work/ddp"
cp "$work/out" "$work/steps"
expect_status 0 "$BATON" stats -r cuda_gpu_kern_sum -f csv --rank 1 "$work/one"
"$PYTHON" - "$work/steps" "$work/out" "$work/one.sqlite" <<'P' || fail "kernels of two steps by periodicity"
import csv, json, sqlite3, sys
steps = [json.loads(x) for x in open(sys.argv[1])]
rows = sqlite3.connect(sys.argv[3]).execute("SELECT count(*), max(start) - min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
assert rows[0] == sum(int(r["Instances"]) for r in csv.DictReader(open(sys.argv[2]))) > 100, rows
assert 0 < rows[1] <= max(s["window_to_ns"] for s in steps) - min(s["begin_ns"] for s in steps), rows
P

# jitter: ranks of a part are measured as among all; the steps of a stretch of time are those that begin in it.
expect_status 0 "$sim" -o "$work/late" --ranks 8 --per-host 2 --steps 12 --kernels 100 --fault slow_gpu=20@2
expect_status 0 "$BATON" dump --step-list --json "$work/late"
cp "$work/out" "$work/step_list"
expect_status 0 "$BATON" dump --json "$work/late"
read -r time steps < <("$PYTHON" - "$work/out" "$work/step_list" <<'P'
import json, sys
first = min(x["start_ns"] for x in map(json.loads, open(sys.argv[1])) if "start_ns" in x)
begins = {}
for s in map(json.loads, open(sys.argv[2])):
    begins[s["step"]] = min(s["begin_ns"], begins.get(s["step"], s["begin_ns"]))
print(f"{(begins[3] - first) / 1e9:.9f}..{(begins[6] - first) / 1e9:.9f} 3..5")
P
)
for part in "all" "host --device node1" "time --time $time" "steps --step $steps"; do
	expect_status 0 "$BATON" jitter --csv "$work/jitter.${part%% *}" $(cut -sd" " -f2- <<<"$part") "$work/late"
done
diff -r "$work/jitter.time" "$work/jitter.steps" || fail "the matrices of --time $time and --step $steps differ"
"$PYTHON" - "$work/jitter.all/duration.csv" "$work/jitter.host/duration.csv" <<'P' || fail "durations of the GPUs of a host"
import csv, sys
all_, host = (list(csv.DictReader(open(name))) for name in sys.argv[1:])
assert len(all_) == len(host) > 90 and [x for x in host[0] if x.isdigit()] == ["2", "3"], host[0]
assert all(a[r] == b[r] for a, b in zip(all_, host) for r in "23")
P
expect_status 0 "$BATON" jitter --json --device node1 "$work/late"
expect_true "[(r['rank'], r['place']) for r in d['odd_ranks']] == [(2, 'rank')] and len(d['ranks']) == 2"
expect_status 3 "$BATON" jitter --device node9 "$work/late"
expect_says "no GPU of it is device node9"
expect_status 3 "$BATON" jitter --time 900..901 "$work/late"
expect_says "no kernels in these steps"
expect_status 2 "$BATON" jitter --time 0..1 --step 2 "$work/late"
expect_says "--step and --time are two ways to choose steps"
expect_status 2 "$BATON" jitter --time 0..1 --steps none "$work/late"
expect_says "--steps none leaves none"
expect_status 2 "$BATON" jitter --time x "$work/late"
finish
