#!/usr/bin/env bash
# `baton jitter`: ranks that are late by their kernels, by one kernel, by their loader; none in a healthy run; the same matrices as a
# plain loop over `baton dump` has; files that are whole or not there; names that mean something to who reads them.
# JITTER_SEEDS: healthy runs (default 2; the full proof: 20), JITTER_RANKS: of each (default 16; 64).
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}
seeds=${JITTER_SEEDS:-2} ranks=${JITTER_RANKS:-16}
made() { # made NAME OPTION...
	rm -rf "${work:?}/$1"
	expect_status 0 "$sim" -o "$work/$1" "${@:2}"
}
odd="{r['rank']: (r['kind'].split('_')[0], r['cause'], r['place']) for r in d['odd_ranks']}"

# Keeps out: a late rank that is not named, by what and where.
made planted --ranks 64 --steps 24 --fault slow_gpu=20@17 --fault slow_kernel=50@40 --fault input=130000@5
expect_status 0 "$BATON" jitter --json "$work/planted"
expect_true "$odd == {17: ('late', 'duration', 'rank'), 40: ('late', 'duration', 'kernel'), 5: ('late', 'gap_before', 'rank')}"
expect_true "all(abs(sum(r['by_cause_ns'].values()) - r['behind_ns']) <= 4 for r in d['ranks'] + d['odd_ranks'])"
expect_true "all(abs(sum(d[k].values()) - 1) < 1e-4 for k in ('share_by_cause', 'share_by_place'))"
expect_true "all(0 < r['significance'] < 1e-4 for r in d['odd_ranks']) and d['not_compared'] is None"
expect_true "abs(next(r for r in d['odd_ranks'] if r['rank'] == 40)['slower'] - 0.5) < 0.02"
expect_true "abs(next(r for r in d['odd_ranks'] if r['rank'] == 17)['slower'] - 0.2) < 0.02"
expect_status 0 "$BATON" jitter "$work/planted"
expect_wrapped "Which rank is late? Rank " "Rank 17 is" "its kernels take" "Rank 5 is" "its steps begin later" "Rank 40 is" "2 more ranks are late"
# Keeps out: a table of all ranks that takes 4e9 turns, and one that leaves ranks out.
expect_status 0 timeout 100 "$BATON" jitter --top 0 "$work/planted"
expect_prints "  0  " "  31  " "  63  "
expect_status 0 "$BATON" jitter --top 2 "$work/planted"
expect_wrapped "(those that differ most)"
checks=$((checks + 1))
[ "$(grep -cE "^ +[0-9]+ .* of 2[0-9] +-?[0-9.]+$" "$work/out")" = 2 ] || fail "--top 2 has other ranks than two: $(cat "$work/out")"

# Keeps out: a name where nothing is wrong.
for ((seed = 1; seed <= seeds; seed++)); do
	made healthy --ranks "$ranks" --steps 24 --seed "$seed"
	expect_status 0 "$BATON" jitter --json "$work/healthy"
	expect_true "d['odd_ranks'] == [] and d['verdict'].startswith('No rank is late') and len(d['ranks']) == $ranks"
done

# Keeps out: "no rank is late" where steps are too few to name one that is.
made few --ranks 4 --steps 6 --fault slow_gpu=20@2
expect_status 0 "$BATON" jitter --json "$work/few"
expect_true "d['steps'] == 5 and d['odd_ranks'] == [] and d['steps_needed'] == 6"
expect_status 0 "$BATON" jitter "$work/few"
expect_wrapped "5 steps are too few to tell a late rank from chance: among 4 ranks it takes 6." "Rank 2 is" "the last one in 5 of 5"

# Keeps out: another length of a step than a report has, where a thread runs ahead of its GPU (0.26 ms).
"$PYTHON" tests/cli/steps_traces.py imported_ahead "$work/ahead" || fail "steps_traces.py"
expect_status 0 "$BATON" report --json "$work/ahead"
expect_true "abs(d['devices'][0]['step_ns']['mean'] - 1207750) < 10"
expect_status 0 "$BATON" jitter --json "$work/ahead"
expect_true "d['steps'] == 8 and abs(d['step_ns'] - 1207750) < 10"

# Keeps out: a host put down to its ranks; a host-bound rank put down to its GPU.
made host --ranks 8 --per-host 2 --steps 20 --kernels 300 --fault slow_gpu=20@2 --fault slow_gpu=20@3
expect_status 0 "$BATON" jitter --json "$work/host"
expect_true "$odd == {2: ('late', 'duration', 'host'), 3: ('late', 'duration', 'host')}"
made slow --ranks 4 --steps 20 --fault slow_host=300@2
expect_status 0 "$BATON" jitter --json "$work/slow"
expect_true "list($odd) == [2] and $odd[2][1] == 'gap_inside'"

# Keeps out: "no rank is late", or a stage that is, where the comparison means nothing.
for pair in tensor:wait_inside moe:wait_inside pipeline:other_kernels three_level:other_kernels; do
	made other --workload "${pair%:*}" --ranks 8 --steps 12
	expect_status 0 "$BATON" jitter --json "$work/other"
	expect_true "d['not_compared'] == '${pair#*:}' and d['odd_ranks'] == [] and d['verdict'].startswith('The ranks cannot be compared')"
	expect_true "'wait_inside' != '${pair#*:}' or set(d['share_by_cause'].values()) == {None}"
done
expect_true "not d['closed']"
expect_status 0 "$BATON" jitter "$work/other"
expect_wrapped "For late ranks use \`baton report $work/other\`" "No collective of all ranks closes the steps"

# Keeps out: an algorithm that two who read the page write differently.
compared=0
same() { # same DIR [STEP_RANGE]: the matrices of the run are those of the loop
	expect_status 0 "$BATON" jitter ${2:+--step-range "$2"} "$1" --csv "$work/csv"
	"$PYTHON" "$lib/jitter_reference.py" "$BATON" "$1" "$work/csv" ${2:+"$2"} >"$work/out" 2>&1
	status=$?
	[ $status != 77 ] || return
	checks=$((checks + 1)) compared=$((compared + 1))
	[ $status = 0 ] || fail "$1: $(cat "$work/out")"
}
same "$work/slow"
# Steps that are marked: the ops are read once, not twice.
same "$work/slow" "$("$BATON" dump --json "$(ls "$work"/slow/*.baton | head -n 1)" | sed -n 's/.*"record":"range".*"name":"\([a-z]*\)","category":1}.*/\1/p' | head -n 1)"
seed=$((RANDOM % 100000))
for options in "--workload ddp --ranks 4 --fault jitter_kernel" "--workload resnet --ranks 3 --fault slow_gpu=15@1" \
	"--workload ddp --ranks 2 --host-noise bursts --fault clock --per-host 1"; do
	failed_before=$failed
	for ((again = 0; again < 8; again++)); do # until the steps of a run have equal sequences
		# shellcheck disable=SC2086
		made random --steps 12 --seed $((seed + again)) --kernels 240 $options
		same "$work/random"
		[ $status = 77 ] || break
	done
	[ "$failed" = "$failed_before" ] || echo "    seed $((seed + again)) $options"
done
checks=$((checks + 1))
[ $compared = 5 ] || fail "only $compared of 5 runs have equal sequences"

# Keeps out: another answer where each device is read once (--time has them read twice), also where not all ranks have the steps
# of the first one.
both_ways() { # both_ways RUN [STATUS]
	expect_status "${2:-0}" "$BATON" jitter --json --time 0..100000 "$work/$1"
	cp "$work/out" "$work/twice"
	expect_status "${2:-0}" "$BATON" jitter --json "$work/$1"
	checks=$((checks + 1))
	cmp -s "$work/out" "$work/twice" || fail "$1 differs by how often it is read: $(diff "$work/twice" "$work/out" | head -n 4)"
}
made even --ranks 5 --steps 20 --kernels 300 --fault slow_gpu=15@3
made longer --ranks 5 --steps 21 --kernels 300
both_ways even
expect_true "d['steps'] == 19"
made uneven --ranks 5 --steps 20 --kernels 300
for rank in 2 3; do
	file=$(basename "$(ls "$work"/longer/*.baton | sed -n "${rank}p")")
	cp "$work/longer/$file" "$work/uneven/$file"
done
both_ways uneven
expect_true "d['steps'] == 20"
rm "$work/even/$(basename "$(ls "$work"/even/*.baton | tail -n 1)")"
both_ways even 4 # a rank has no file

# Keeps out: kernels without a counterpart that spoil the comparison or are left out without a word.
made lossy --ranks 4 --steps 20 --fault lost_records=2000 --fault slow_gpu=20@1
expect_status '0|4' "$BATON" jitter --json "$work/lossy"
expect_true "list($odd) == [1] and any('have no counterpart' in n for n in d['notes'])"
expect_true "sum(r['kernels_missing'] for r in d['ranks']) > 0"
expect_true "all(r['steps'] + r['steps_left_out'] == d['steps'] for r in d['ranks'])"

# One step, one rank, the study's files.
expect_status 0 "$BATON" jitter --json --step 7 "$work/slow"
expect_true "[s['step'] for s in d['series']] == [7] and d['ranks'][0]['steps'] == 1"
expect_true "d['steps'] == 1"
cp "$work/out" "$work/seventh"
expect_status 0 "$BATON" jitter --json --step 7..9 --rank 2 "$work/slow"
expect_true "[s['step'] for s in d['series']] == [7, 8, 9] and len(d['varying']) == d['kernels_per_step']"
expect_status 0 "$BATON" jitter --step 7..9 --svg "$work/three" "$work/slow"
expect_wrapped " 3 steps (found by periodicity) "
checks=$((checks + 1))
[ "$(grep -c '<circle' "$work/three/steps.svg")" = 6 ] && grep -q '>7</text>' "$work/three/steps.svg" && grep -q '>9</text>' "$work/three/steps.svg" ||
	fail "the plot of three steps: $(cat "$work/three/steps.svg")"
expect_status 0 "$BATON" jitter --rank 2 --top 2 "$work/slow"
expect_prints "vary most over its" "deviation"
for wrong in x 7.. 9..7 -1 ''; do
	expect_status 2 "$BATON" jitter --step "$wrong" "$work/slow"
	expect_says "--step must be"
done
expect_status 2 "$BATON" jitter --rank 99 "$work/slow"
expect_says "no rank 99 with kernels"
expect_status 3 "$BATON" jitter --step 5000 "$work/slow"
expect_says "no kernels in these steps"
expect_status 0 "$BATON" jitter --step 7 --steps-csv "$work/steps" "$work/slow"
checks=$((checks + 1))
"$PYTHON" - "$work/steps" <<'PY' >"$work/why" 2>&1 || fail "$(cat "$work/why")"
import csv, glob, sys
files = sorted(glob.glob(sys.argv[1] + "/*.csv"))
assert len(files) == 4, files
for path in files:
    rows = list(csv.DictReader(open(path, newline="")))
    assert list(rows[0]) == ("nvtx_text nvtx_start nvtx_end device crt_name crt_start crt_end kernel_demangled_name kernel_stream "
                             "kernel_start kernel_end kernel_duration").split(), rows[0]
    assert len(rows) == 900 and all(int(r["kernel_end"]) - int(r["kernel_start"]) == int(r["kernel_duration"]) for r in rows)
    assert all(int(r["nvtx_start"]) <= int(r["crt_start"]) < int(r["nvtx_end"]) for r in rows)
PY

# Keeps out: the GPUs of one process under one name.
made several --workload dataparallel --ranks 3 --steps 12 --kernels 200
expect_status 0 "$BATON" jitter "$work/several" --csv "$work/several.csv"
expect_prints "  0/0 " "  0/1 " "  0/2 "
checks=$((checks + 1))
head -n 1 "$work/several.csv/gap.csv" | grep -qx 'position,stream,kernel,0/0,0/1,0/2,mean' || fail "the heads of gap.csv"
expect_status 0 "$BATON" jitter --rank 0/2 "$work/several"
expect_wrapped "Kernels of rank 0/2 that vary most"
for wrong in 0 00; do
	expect_status 2 "$BATON" jitter --rank "$wrong" "$work/several"
	expect_says "rank $wrong has 3 GPUs: give --rank 0/0 for one of them, up to 0/2"
done
for wrong in 0/3 1 x ''; do
	expect_status 2 "$BATON" jitter --rank "$wrong" "$work/several"
	expect_says "no rank $wrong with kernels"
done

# Imports, whole runs, a single rank: an answer or a reason.
kineto ranks "$work/json"
imported "$work/json" "$work/ranks"
expect_status 0 "$BATON" jitter --json "$work/ranks"
expect_true "len(d['ranks']) == 2 and d['steps_numbered']"
expect_status 0 "$BATON" jitter --steps none "$work/ranks"
expect_status 0 "$BATON" jitter --json "$work/ranks"
all=$("$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["steps"])' "$work/out")

# Keeps out: memory for the steps of all ranks together where each has numbers of its own.
shifted() { # shifted BY: the steps of one of the two ranks have larger numbers
	rm -rf "$work/shifted" "$work/shifted.run"
	"$PYTHON" - "$work/json" "$work/shifted" "$1" <<'PY'
import glob, gzip, json, os, re, sys
os.mkdir(sys.argv[2])
for i, path in enumerate(sorted(glob.glob(sys.argv[1] + "/*.json*"))):
    text = (gzip.open if path.endswith("gz") else open)(path, "rt").read()
    if i == 0:
        text = re.sub(r"ProfilerStep#(\d+)", lambda m: "ProfilerStep#%d" % (int(m[1]) + int(sys.argv[3])), text)
    with open(os.path.join(sys.argv[2], os.path.basename(path).replace(".gz", "")), "w") as file:
        file.write(text)
PY
	imported "$work/shifted" "$work/shifted.run"
}
shifted 1
expect_status 0 "$BATON" jitter --json "$work/shifted.run" --steps-csv "$work/shifted.csv"
expect_true "d['steps'] == $all - 1 and any('do not all have the same steps' in n for n in d['notes'])"
expect_true "all(s['ranks'] == 2 for s in d['series'])"
checks=$((checks + 1))
[ "$(find "$work/shifted.csv" -type f | wc -l)" = $((2 * all - 2)) ] || fail "files of steps that one rank has"
shifted 1000
expect_status 3 "$BATON" jitter "$work/shifted.run"
expect_says "no step that two ranks have"
nsys two "$work/x.sqlite"
imported "$work/x.sqlite" "$work/nsys"
expect_status 0 "$BATON" jitter "$work/nsys"
made alone --ranks 1 --steps 8 --kernels 200
expect_status 0 "$BATON" jitter "$work/alone"
expect_wrapped "One rank: there is no other to compare it with"
expect_status 0 "$BATON" reduce "$work/alone" -o "$work/alone.summary"
expect_status 2 "$BATON" jitter "$work/alone.summary"
expect_says "give the run's directory"
expect_status 3 "$BATON" jitter "$work/nowhere"
rm "$(ls "$work"/lossy/*.baton | tail -n 1)"
expect_status 4 "$BATON" jitter --json "$work/lossy"
expect_says "has no file; answered from 3 ranks"
expect_true "list($odd) == [1] and len(d['ranks']) == 3"

# Keeps out: names that are a formula, markup or a terminal's command to who reads the files.
"$PYTHON" - "$work/json" "$work/hostile" <<'PY'
import glob, gzip, json, os, sys
os.mkdir(sys.argv[2])
bad = ["=cmd|' /C calc'!A0", "</script><svg onload=x>\"&", "\u001b[31mred\u2028\u0007", "-2+3", "a,b\n\"c\"", "@x" * 5000]
for path in glob.glob(sys.argv[1] + "/*.json*"):
    opened = gzip.open if path.endswith("gz") else open
    trace = json.load(opened(path, "rt"))
    names = {}
    for event in trace["traceEvents"]:
        if event.get("cat") == "kernel" and "nccl" not in event["name"].lower():
            event["name"] = names.setdefault(event["name"], bad[len(names) % len(bad)])
    with open(os.path.join(sys.argv[2], os.path.basename(path).replace(".gz", "")), "w") as file:
        json.dump(trace, file)
PY
imported "$work/hostile" "$work/bad"
expect_status 0 "$BATON" jitter --json --rank 0 "$work/bad" --csv "$work/bad.csv" --svg "$work/bad.svg" --steps-csv "$work/bad.steps"
expect_true "len(d['ranks']) == 2"
expect_status 0 "$BATON" jitter "$work/bad"
checks=$((checks + 1))
! grep -q "$(printf '\033')" "$work/out" || fail "an escape reaches the terminal"
checks=$((checks + 1))
"$PYTHON" - "$work" <<'PY' >"$work/why" 2>&1 || fail "$(cat "$work/why")"
import csv, glob, sys, xml.etree.ElementTree as tree
files = glob.glob(sys.argv[1] + "/bad.csv/*.csv") + glob.glob(sys.argv[1] + "/bad.steps/*.csv")
assert len(files) > 10, files
for path in files:
    text = open(path, newline="").read()
    rows = list(csv.reader(text.splitlines(), strict=True))
    assert len({len(row) for row in rows}) == 1, path
    for row in rows[1:]:
        for cell in row:
            try:
                float(cell)
            except ValueError:
                assert cell[:1] not in tuple("=+-@\t\r") and all(c >= " " for c in cell), (path, cell[:40])
plots = glob.glob(sys.argv[1] + "/bad.svg/*.svg")
assert len(plots) == 5, plots
for path in plots:
    names = {node.tag.rsplit("}", 1)[1] for node in tree.parse(path).iter()}
    assert names <= {"svg", "style", "text", "path", "circle", "title", "rect"}, (path, names)
PY
expect_status 0 "$BATON" jitter "$work/planted" --svg "$work/plots"
checks=$((checks + 1))
grep -q 'class="band"' "$work/plots/duration.svg" || fail "64 ranks have no band"

# Keeps out: half a file under its final name when the disk is full, and status 0.
for option in --csv --svg --steps-csv; do
	mkdir -p "$work/full"
	expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 4; exec "$@"' full "$BATON" jitter "$work/slow" $option "$work/full"
	expect_says "File too large"
	checks=$((checks + 1))
	for file in "$work"/full/* "$work"/full/.*.part; do
		[ ! -f "$file" ] || [ "$(tail -c 1 "$file" | od -An -c | tr -d ' ')" = '\n' ] && [[ $file != *.part ]] || [ ! -e "$file" ] || fail "half of $file is left"
	done
	rm -rf "$work/full"
done
touch "$work/file"
expect_status 5 "$BATON" jitter "$work/slow" --csv "$work/file"
expect_says "Not a directory"
finish "$compared runs compared with the loop, seed $seed"
