#!/usr/bin/env bash
# baton stragglers: the numbers that were published for a timeline, in each form in which a timeline is read.
. "$(dirname "$0")/lib.sh"
set=tests/golden/stragglers/trace-ST.csv.gz

published() { # published FILE...: named trace-ST, trace-SE or trace-AR
	checks=$((checks + 1)) last="stragglers.py $*"
	"$PYTHON" tests/accuracy/stragglers.py "$BATON" "$@" >"$work/out" 2>"$work/err" || fail "not the published numbers: $(cat "$work/out")"
}
made() { # made FILE OPTION...
	"$PYTHON" tests/cli/stragglers_made.py "$work/$@" || fail "stragglers_made.py $*"
}

# Keeps out: another T, T_ideal, S, M_W, M_S, or S of an operation, stage or rank than the authors'.
published "$set"
for file in "${BATON_STRAGGLERS:-/nowhere}"/trace-*; do
	[ ! -e "$file" ] || published "$file"
done

# The same operations as JSON, as JSON lines, by ranks without dp_rank, in other units, mixed up, in two files.
"$PYTHON" - "$set" "$work" <<'END' || fail "the other forms"
import csv, gzip, json, random, sys
rows = list(csv.DictReader(gzip.open(sys.argv[1], "rt")))
work = sys.argv[2]
numbers = [{key: value if key == "optype" else float(value) if key in ("start_ts", "duration") else int(value) for key, value in row.items()}
           for row in rows]
json.dump(numbers, open(work + "/trace-ST.array.json", "w"))
open(work + "/trace-ST.lines.jsonl", "w").write("".join(json.dumps(row) + "\n" for row in numbers))
with open(work + "/trace-ST.ranks.csv", "w", newline="") as out:
    out.write("# a comment\n\nrank, stage ,step,type,\"start_ms\",end_ns,mc\r\n")
    random.Random(1).shuffle(numbers)
    for row in numbers:
        out.write('%d,%d,%d,"%s", %.9f,%d,%d\r\n' % (row["rank"], row["stage"], row["step"], row["optype"].replace("-", "_"),
                  row["start_ts"] * 1e3, round(row["start_ts"] * 1e9) + round(row["duration"] * 1e9), row["mc"]))
half = len(numbers) // 2
for name, part in (("a", numbers[:half]), ("b", numbers[half:])):
    json.dump(part, open("%s/half-%s.json" % (work, name), "w"))
# as the authors draw them: an event of communication begins when the last partner did
latest = {}
P2P = {"forward-send": ("f", 1), "forward-recv": ("f", 0), "backward-send": ("b", -1), "backward-recv": ("b", 0)}
def group(row):
    kind, first = row["optype"], (row["step"],)
    if kind in P2P:
        way, to = P2P[kind]
        return first + (way, row["dp_rank"], row["stage"] + to, row["seq_id"])
    if kind in ("params-all-gather", "grads-reduce-scatter"):
        return first + (kind, row["stage"], row["seq_id"])
    if kind == "embedding-grads-all-reduce":
        return first + (kind, row["dp_rank"])
    return first + (kind,) if kind == "optimizer-clip-main-grad" else None
for row in numbers:
    latest[group(row)] = max(latest.get(group(row), 0), row["start_ts"])
events = []
for row in numbers:
    start = latest[group(row)] if group(row) else row["start_ts"]
    events.append({"ph": "X", "name": row["optype"], "pid": row["dp_rank"], "tid": row["rank"], "ts": start * 1e6,
                   "dur": (row["start_ts"] + row["duration"] - start) * 1e6, "args": {"step": row["step"], "model_chunk": row["mc"]}})
for dp, rank, stage in {(row["dp_rank"], row["rank"], row["stage"]) for row in numbers}:
    events.append({"ph": "M", "name": "thread_name", "pid": dp, "tid": rank, "args": {"name": "PP rank %d, compute" % stage}})
json.dump({"traceEvents": events}, open(work + "/chrome.json", "w"))
END
published "$work/trace-ST.array.json" "$work/trace-ST.lines.jsonl" "$work/trace-ST.ranks.csv"
expect_status 0 "$BATON" stragglers --json "$work/half-a.json" "$work/half-b.json"
expect_true "abs(d['slowdown'] - 1.178702) < 2e-6 and abs(d['m_s'] - 1.219356) < 1e-4 and d['files'] == ['$work/half-a.json', '$work/half-b.json']"
# The begin of the step is not in such events, so the measured step is a little shorter.
expect_status 0 "$BATON" stragglers --json "$work/chrome.json"
expect_true "abs(d['base_ns'] / 2172696813 - 1) < 1e-6 and abs(d['ideal_ns'] / 1843295824 - 1) < 1e-6 and abs(d['m_s'] - 1.219356) < 1e-4"
expect_true "d['stages'] == 4 and d['dp_ranks'] == 2 and d['steps'] == 32 and d['steps_left_out'] == 0"

# What it says: who, how much, what to do.
expect_status 0 "$BATON" stragglers "$set"
expect_wrapped '8 workers: 4 stages x 2 data-parallel ranks' '32 steps, 4 microbatches step 2214.4 ms replayed 2172.7 ms (1.9 % less'
expect_prints 'Stragglers: a step takes 2172.7 instead of 1843.3 ms (S = 1.179)' '121.9 % of the loss: the last stage, 3 (M_S)' \
	'Try: give the last stage fewer layers'
expect_wrapped '3.1 % of the loss: the slowest worker, rank 7 (stage 3, dp_rank 1) (M_W). With usual times there, a step takes 2162.4 ms'
expect_status 0 env COLUMNS=50 "$BATON" stragglers "$set"
checks=$((checks + 1))
[ "$(awk 'length > 50' "$work/out" | wc -l)" = 0 ] || fail "lines wider than the screen"

# --csv and --markdown have the numbers of --json.
expect_status 0 "$BATON" stragglers --json "$set" && cp "$work/out" "$work/json"
for form in csv markdown; do
	expect_status 0 "$BATON" stragglers --$form "$set" && cp "$work/out" "$work/$form"
done
checks=$((checks + 1))
"$PYTHON" - "$work" <<'END' || fail "the tables are not those of --json"
import csv, json, sys
work = sys.argv[1]
of = json.load(open(work + "/json"))
tables = [list(csv.DictReader(part.splitlines())) for part in open(work + "/csv").read().split("\n\n")]
assert len(tables) == 6 and [list(t[0])[0] for t in tables] == ["stages", "type", "stage", "dp_rank", "rank", "step"], tables
def same(cell, value):
    if isinstance(value, bool):
        return cell == ("yes" if value else "no")
    return cell == value if isinstance(value, str) else value is None and cell == "" or abs(float(cell) - value) <= 1e-5 * abs(value)
job, parts = tables[0][0], dict(zip(("by_type", "by_stage", "by_dp_rank", "by_worker", "by_step"), tables[1:]))
assert all(same(cell, of[key]) for key, cell in job.items()), job
for name, rows in parts.items():
    assert len(rows) == len(of[name]) and all(same(row[key], cell) for row, want in zip(rows, of[name]) for key, cell in want.items()), name
assert open(work + "/markdown").read().count("\n|---|---|") == 6
END
expect_status 2 "$BATON" stragglers --csv --json "$set"
expect_says "two forms of one answer"

# Keeps out: one slow worker that is not named, or the last stage named instead.
made one.csv --dp 8 --stages 4 --steps 3
sed -i -E 's/^([0-9]+),5,2,([0-9]+),(forward|backward)-compute,([0-9]+),[0-9]+$/echo \1,5,2,\2,\3-compute,\4,$((\4 + 40))/e' "$work/one.csv"
expect_status 0 "$BATON" stragglers --json "$work/one.csv"
expect_true "(lambda w: (w['stage'], w['dp_rank'], w['in_m_w'], w['rank']))(d['by_worker'][0]) == (2, 5, True, 21) and d['m_w'] > 0.9 and d['m_s'] < 0.1"
expect_status 0 "$BATON" stragglers "$work/one.csv"
expect_prints 'the slowest worker, rank 21 (stage 2, dp_rank 5) (M_W)' 'Try: look at the GPUs and hosts of the slowest workers'

# A healthy job has no stragglers. The replay leaves out the gaps: 10 + 4 * 9 + 3 * 1 us of stage 1 (a receive is posted after the
# forward before it), 9 + 1 for the first backward to come back, 4 * 9 + 3 * 1 in stage 0, 10 for gradients and optimizer.
made well.csv
expect_status 0 "$BATON" stragglers "$work/well.csv"
expect_prints 'Stragglers cost next to nothing: S = 1.000'
expect_prints_not 'What each part costs'
expect_status 0 "$BATON" stragglers --json "$work/well.csv"
expect_true "d['slowdown'] == 1 and d['m_w'] is None and d['m_s'] is None and d['measured_ns'] == 130000 and d['base_ns'] == 108000"
finish
