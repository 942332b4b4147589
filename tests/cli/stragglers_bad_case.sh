#!/usr/bin/env bash
# baton stragglers of files that are damaged, wrong or of another kind: what is wrong is said with file and line, and nothing is made up.
. "$(dirname "$0")/lib.sh"
set=tests/golden/stragglers/trace-ST.csv.gz

made() { # made FILE OPTION...
	"$PYTHON" tests/cli/stragglers_made.py "$work/$@" || fail "stragglers_made.py $*"
}
refused() { # refused FILE TEXT...: nothing is printed but these
	expect_status 3 "$BATON" stragglers "$work/$1"
	expect_says "${@:2}"
	checks=$((checks + 1))
	[ ! -s "$work/out" ] || fail "it answers all the same"
}
changed() { # changed FILE SED: of the good timeline
	sed -E "$2" "$work/good.csv" >"$work/$1"
}
made good.csv
head="step,dp_rank,stage,microbatch,type,start_us,end_us"

# Keeps out: a column that is missing or twice, taken for another one.
changed no_type.csv '1s/type/kind/'
refused no_type.csv "no_type.csv:1: no column type"
changed no_start.csv '1s/start_us/start/'
refused no_start.csv "no_start.csv:1: no column start_s (or start_ms, start_us, start_ns)"
changed no_end.csv '1s/end_us/end/'
refused no_end.csv "no_end.csv:1: no column end_s or duration_s"
changed no_rank.csv '1s/dp_rank/dprank/'
refused no_rank.csv "no_rank.csv:1: no column dp_rank or rank"
changed twice.csv '1s/microbatch/start_ms/'
refused twice.csv "twice.csv:1: columns 'start_ms' and 'start_us' mean the same"

# Keeps out: text read as 0, a row of another length, times that run backwards.
changed text.csv '17s/^[0-9]+/x7/'
refused text.csv "text.csv:17: step is 'x7': no whole number"
changed fraction.csv '5s/^[0-9]+,[0-9]+/0,0.5/'
refused fraction.csv "fraction.csv:5: dp_rank is '0.5': no whole number"
changed time.csv '9s/[0-9]+$/1e/'
refused time.csv "time.csv:9: end_us is '1e': no number"
changed empty_time.csv '9s/[0-9]+$//'
refused empty_time.csv "empty_time.csv:9: end_us is '': no number"
changed back.csv '3s/[0-9]+,[0-9]+$/10,9/'
refused back.csv "back.csv:3: end_us is '9': it ends before it starts"
printf 'step,dp_rank,stage,type,start_s,duration_s\n0,0,0,forward-compute,1,-0.5\n' >"$work/negative.csv"
refused negative.csv "negative.csv:2: duration_s is '-0.5': a negative duration"
changed short.csv '4s/,[0-9]+$//'
refused short.csv "short.csv:4: 6 cells, but the first line has 7"
changed huge.csv '4s/[0-9]+$/99999999999999999999999/'
refused huge.csv "huge.csv:4: end_us is '99999999999999999999999': no number, or too large"
changed stage.csv '4s/^0,0,0/0,0,70000/'
refused stage.csv "stage.csv:4: stage is '70000': not between 0 and 255"
changed dp.csv '4s/^0,0,/0,-1,/'
refused dp.csv "dp.csv:4: it has neither a dp_rank nor a rank"
changed years.csv '4s/[0-9]+$/4000000000000000/'
refused years.csv "are the times in another unit?"

# Keeps out: an operation of unknown meaning that is left out without a word.
changed unknown.csv '6s/forward-[a-z]+/tp-allreduce/'
refused unknown.csv "unknown.csv:6: type is 'tp-allreduce': no known type of operation"

# Keeps out: sends whose receives are not there; a stage without operations; ranks of tensor parallelism taken for stragglers.
changed partner.csv '/,1,,forward-recv/d'
refused partner.csv "4 forward-send of stage 0 have 0 partners among the forward-recv of stage 1"
changed one_less.csv '/^[0-9],[0-9],1,,backward-send,69,/d'
refused one_less.csv "3 backward-send of stage 1 have 4 partners among the backward-recv of stage 0"
made three.csv --stages 3
sed '/,1,,[a-z]*-/d' "$work/three.csv" >"$work/middle.csv"
refused middle.csv "stage 1 has 0 forward-recv for 4 forward-compute"
sed -i '/,1,[0-9]*,/d' "$work/three.csv"
refused three.csv "stage 1 of 0 to 2 has no operations"
(echo "rank,$head" && sed '1d; s/^/0,/' "$work/good.csv" && sed '1d; s/^/1,/' "$work/good.csv" | grep -v compute) >"$work/tensor.csv"
refused tensor.csv "keep one rank of each tensor-parallel group"
(cat "$work/good.csv" && sed 1d "$work/good.csv") >"$work/doubled.csv"
refused doubled.csv "the same backward-compute stands there twice"
changed idle.csv '2,$s/,[0-9]+,[0-9]+$/,0,0/'
refused idle.csv "no operation takes any time"

# A step that lacks an operation is left out: status 4, and which.
changed step.csv '/^1,1,0,,optimizer/d'
expect_status 4 "$BATON" stragglers --json "$work/step.csv"
expect_says "1 of 3 steps left out, since operations are missing: step 1, dp_rank 1, stage 0 has fewer optimizer than usual"
expect_true "d['steps'] == 2 and d['steps_left_out'] == 1 and [s['step'] for s in d['by_step']] == [0, 2]"
changed rank.csv '/^2,1,/d'
expect_status 4 "$BATON" stragglers --json "$work/rank.csv"
expect_says "step 2 has 1 of 2 data-parallel ranks"

# Keeps out: a file that is cut short, and no word of it. What stands before the cut is used.
head -c 60000 "$set" >"$work/cut.csv.gz"
expect_status 4 "$BATON" stragglers --json "$work/cut.csv.gz"
expect_says "cut.csv.gz: the file is cut short; what stands before that is used" "steps left out"
expect_true "15 < d['steps'] < 32 and abs(d['slowdown'] - 1.18) < 0.02"
cp "$set" "$work/flipped.csv.gz"
flip_bit "$work/flipped.csv.gz" 50000 3
expect_status '3|4' "$BATON" stragglers --json "$work/flipped.csv.gz"
head -c 100 "$set" >"$work/head.csv.gz"
refused head.csv.gz "the file is cut short"
gzip -dc "$set" | head -c 300000 | "$PYTHON" -c 'import csv, json, sys
for row in csv.DictReader(sys.stdin):
    print(json.dumps({k: v for k, v in row.items() if v is not None}))' >"$work/lines.jsonl"
sed '$d' "$work/lines.jsonl" >"$work/whole.jsonl"
expect_status 4 "$BATON" stragglers --json "$work/whole.jsonl"
head -c 200000 "$work/lines.jsonl" >"$work/cut.jsonl"
expect_status 4 "$BATON" stragglers --json "$work/cut.jsonl"
expect_says "cut.jsonl: the file is cut short"

# JSON: the line of what is wrong in it.
sed '7s/"step": "[0-9]*"/"step": {}/' "$work/whole.jsonl" >"$work/nested.jsonl"
refused nested.jsonl "nested.jsonl:7: step is '{}': no whole number"
sed '9s/"optype": "[a-z-]*", //' "$work/whole.jsonl" >"$work/no_type.jsonl"
refused no_type.jsonl "no_type.jsonl:9: the object has no type"
sed '11s/"step": /"step" /' "$work/whole.jsonl" >"$work/broken.jsonl"
refused broken.jsonl "broken.jsonl:11: this object is no JSON"
sed '12s/}//' "$work/whole.jsonl" >"$work/open.jsonl"
refused open.jsonl "open.jsonl:12: "
echo '[{"ph":"X","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":2,"args":{}}]' >"$work/kineto.json"
refused kineto.json "kineto.json:1: the object has no step" "baton import"
echo '[{"ph":"X","name":"forward","pid":1,"tid":1,"ts":1,"dur":2,"args":{"step":1}}]' >"$work/thread.json"
refused thread.json "a thread with operations has no name that says its stage"

# Other files.
: >"$work/empty.csv"
refused empty.csv "empty.csv: an empty file"
echo "$head" >"$work/head.csv"
refused head.csv "head.csv: no operations"
echo '[]' >"$work/nothing.json"
refused nothing.json "nothing.json: no operations"
printf 'PAR1\0\0' >"$work/a.parquet"
refused a.parquet "a Parquet file: docs/STRAGGLERS.md"
printf 'a\0b\n' >"$work/binary"
refused binary "neither CSV nor JSON"
refused absent.csv "absent.csv: No such file"
refused . "Is a directory"
(echo "$head" && head -c 100000 /dev/zero | tr '\0' 7) >"$work/long.csv"
refused long.csv "long.csv:2: the line is longer than 64 KiB"
expect_status 3 "$BATON" stragglers "$work/good.csv" "$work/absent.csv"
expect_status 2 "$BATON" stragglers

# Keeps out: time that grows with the square of the operations (then each of these takes hours), and memory without bound.
for shape in "--steps 2000 --microbatches 16 --dp 4" "--steps 1 --dp 1 --microbatches 40000" "--steps 1 --dp 12000" \
	"--steps 1 --dp 1 --stages 120 --microbatches 200" "--steps 12000 --dp 1"; do
	made many.csv $shape
	rows=$(wc -l <"$work/many.csv")
	expect_status 0 "$PYTHON" -c 'import resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)' "$BATON" stragglers "$work/many.csv"
	checks=$((checks + 1))
	case ${BUILD:-} in *san-*) continue ;; esac
	[ $(($(tail -n 1 "$work/out") * 1024)) -lt $((rows * 160 + (16 << 20))) ] || fail "$(cat "$work/out") KiB for $rows operations"
done
finish
