#!/usr/bin/env bash
# `baton import` of the forms that profiles of other makers, versions and machines have, and of what is given by mistake.
. "$(dirname "$0")/lib.sh"

import() { # import STATUS FILE|DIR... : into $out, new each time
	local status=$1
	shift
	n=$((${n:-0} + 1)) out=$work/out.$n
	expect_status "$status" "$BATON" import "$@" -o "$out"
}

report() { # report CASE: of its import
	kineto "$1" "$work/$1"
	import 0 "$work/$1"
	cp "$work/err" "$work/said"
	expect_status 0 "$BATON" report --json "$out"
}

# Keeps out: calls of ROCm, XPU and other runtimes passed over, so that no kernel has a launch.
report xpu
expect_true "d['quality']['unmatched_ops'] == 0 and d['run']['steps'] == 4 and d['devices'][0]['kernels'] == 32"

# Keeps out: steps by the order of kernels alone, where torch.profiler says when optimizers step; two steps for one, where two optimizers
# step after one backward pass.
report optimizers
expect_true "d['run']['step_source'] == 'optimizer' and d['run']['steps'] == 3 and d['devices'][0]['kernels'] == 3 * 18"
expect_true "d['run']['step_confidence'] == 1"

# Keeps out: steps of 0 ms where the trace does not say what launched the kernels.
report unlaunched
expect_true "d['run']['step_source'] == 'none' and d['quality']['steps_cut'] == 0"
expect_true "d['devices'][0]['kernels'] == 32 and d['devices'][0]['window_ns'] == d['devices'][0]['hull_ns'] > 0"

# Keeps out: a third of the steps unexplained, as kernels "start before their launch", where a process's GPU clock is early; a clock moved
# that is right; a move that nobody is told of.
report ranks
expect_true "all(d['quality'][k] == 0 for k in ('gpu_clocks_moved', 'gpu_clock_shift_ns', 'gpu_clock_early_ns'))"
cp "$work/out" "$work/right.json"
report early
expect_true "d['quality']['gpu_clocks_moved'] == 1 and d['quality']['gpu_clock_shift_ns'] == 36500 and d['quality']['gpu_clock_early_ns'] == 0"
expect_true "d['quality']['invalid_timestamps'] == 0 and all(x['time_ns']['idle.unknown.unmatched'] == 0 for x in d['devices'])"
expect_true "d['devices'][0] == json.load(open('$work/right.json'))['devices'][0]"
expect_true "all(d['devices'][1][k] == json.load(open('$work/right.json'))['devices'][1][k] for k in ('hull_ns', 'hull_idle_ns', 'busy_ns', 'kernels'))"
expect_status 0 "$BATON" report "$out"
expect_wrapped "the GPU's clock of 1 process ran early (the import moved its times by up to 36.5 us)"

# Keeps out: "No loss stands out: the GPU computes 99 %" of steps that are copies alone.
report offload
expect_true "d['findings'][0]['id'] == 'copies' and d['findings'][0]['severity'] == 'high' and d['findings'][0]['share_ms'] > 1.9"
expect_true "[(c['direction'], c['pageable'], c['count'], c['bytes']) for c in d['copies']] == [('HtoD', False, 4, 80 << 20), ('DtoH', False, 4, 40 << 20)]"
expect_true "sum(d['devices'][0]['time_ns'][x] for x in d['devices'][0]['time_ns'] if x.startswith('work.')) == 4 * 50000"
expect_status 0 "$BATON" report "$out"
expect_prints "Why is this slow? The GPU only copies, to or from the host or another GPU: no kernel runs"
expect_wrapped "computing 2.4 %" "21.0 MB at 21.0 GB/s"
expect_status 1 "$BATON" report "$out" --fail-if "copy>0.5"
cp -r "$out" "$work/copies.run"
kineto plain "$work/plain2"
import 0 "$work/plain2"
expect_status '0|4' "$BATON" compare --json "$out" "$work/copies.run"
expect_true "d['bridge'][0]['terms_ns']['copy.exposed'] > 1900000 and sum(d['bridge'][0]['terms_ns'].values()) == d['bridge'][0]['loss_ns'] and d['bridge'][0]['residual_ns'] == 0"
sed 's/"dur": 1000.000/"dur": 800.000/' "$work/offload/rank-0.json" >"$work/faster.json"
sed 's/"bytes": 10485760/"bytes": 5242880/' "$work/faster.json" >"$work/fewer.json"
for way in "faster 10.5 -> 13.1 GB/s" "fewer 10.5 -> 5.2 MB"; do
	import 0 "$work/${way%% *}.json"
	expect_status 0 "$BATON" compare "$work/copies.run" "$out"
	expect_wrapped "GPU to host ${way#* }"
done

# Keeps out: "no step markers" where the job numbers its iterations, as PyTorch's examples for nsys do.
kineto plain "$work/numbered"
sed 's/ProfilerStep#/iteration/' "$work/numbered/rank-0.json" >"$work/numbered/rank-0b.json"
import 0 "$work/numbered/rank-0b.json"
expect_status 0 "$BATON" report --json "$out"
expect_true "d['run']['step_source'] == 'marker' and d['run']['steps'] == 4"

# Keeps out: events lost for what stands in their names.
kineto raw-texts "$work/raw"
import 0 "$work/raw"
expect_status 0 "$BATON" dump --json "$out"
expect_true "{'aten::  mm', 'aten::?'} <= {x['value'] for x in lines if x['record'] == 'string'}"
expect_true "count('range') == json.load(open('$work/raw.json'))['files'][0]['ranges']"

# Keeps out: an import without work of a GPU that looks like any other, and a device nobody reads passed over in silence.
kineto no-gpu "$work/no-gpu"
import 0 "$work/no-gpu"
expect_says "32 events of the category mtia_ccp_events are not read" "no GPU work in it"
expect_says_not "next: baton report"
expect_status 3 "$BATON" report "$out"

# Keeps out: hosts made up of file names that only look like those of PyTorch's handler, and one not seen in those that are.
report handler
expect_true "d['run']['hosts'] == 1 and sorted(x['device'] for x in d['devices']) == ['gpu_box/0', 'gpu_box/1']"
report lookalikes
expect_true "d['run']['hosts'] == 1 and sorted(x['device'] for x in d['devices']) == ['node0/0', 'node0/1']"

# Keeps out: the second window of a process taken for a second GPU.
kineto windows "$work/windows"
import 4 "$work/windows"
expect_says "window1.json: left out, process 4000 is already in $work/windows/window0.json"
expect_status 0 "$BATON" report --json "$out"
expect_true "len(d['devices']) == 1"

# Keeps out: two jobs on one GPU, one after the other, taken for one job on two.
kineto jobs "$work/jobs"
import 4 "$work/jobs"
expect_says "model1.json: left out, it is of another run than $work/jobs/model0.json (at another time"
expect_status 0 "$BATON" report --json "$out"
expect_true "len(d['devices']) == 1"

# Keeps out: a file beside its own gz taken for a second GPU.
gzip -k "$work/windows/window0.json" && rm "$work/windows/window1.json"
import 4 "$work/windows"
expect_says "window0.json.gz: left out, process 4000 is already in"

# Keeps out: "not split: no arguments" in the report with nobody saying how to get them.
nsys two "$work/two.sqlite"
import 0 "$work/two.sqlite"
expect_says "nsys export --include-blobs=true"
nsys nccl-blob "$work/blob.sqlite"
import 0 "$work/blob.sqlite"
expect_says_not "--include-blobs"

# Keeps out: a device-wide wait that a driver calls "Unknown" refused, and one taken for it that waits for an event.
nsys unknown-sync "$work/unknown.sqlite"
import 4 "$work/unknown.sqlite"
expect_says "1 row left out: they are of an unknown kind"
expect_status 0 "$BATON" dump --json "$out"
expect_true "sum(x['record'] == 'sync' and x['sync_kind'] == 5 and x['dur_ns'] == 10**6 for x in lines) == 1"

# Keeps out: "not a trace" for what can be made one, or is one of another tool, or is a name without its file.
put() { # put NAME PRINTF-TEXT
	# shellcheck disable=SC2059
	printf "$2" >"$work/given/$1"
}
mkdir "$work/given"
put empty.json ''
put pointer.json.gz 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n'
put packed.zip 'PK\003\004\024\0\0\0\b\0'
put packed.json.zst '\x28\xb5\x2f\xfd\044\0'
put packed.json.xz '\xfd7zXZ\0\0\004'
put table.parquet 'PAR1\025\004'
put nvprof.log '==12== NVPROF is profiling process 12, command: python train.py\n'
put utf16.json '\xff\xfe{\0'
put rocprof.json '{"rocprofiler-sdk-tool":[{"metadata":{}}]}'
put jax.trace.json '{"traceEvents":[{"ph":"X","pid":1,"tid":2,"ts":10.0,"dur":5.0,"name":"loop_add_fusion"}]}'
put graph.json '{"schema": "1.0.3", "nodes": [{"name": "[pytorch|profiler|execution_trace|thread]", "id": 2}]}'
kineto plain "$work/packed"
tar cf "$work/given/packed.tar" -C "$work/packed" rank-0.json
nsys no-cuda "$work/given/no-cuda.sqlite"
nsys nvprof "$work/given/nvprof.sqlite"
nsys rocpd "$work/given/rocpd.sqlite"
while IFS=: read -r name words; do
	import 3 "$work/given/$name"
	expect_says "$work/given/$name: " "$words"
	expect_nothing_in "$out"
done <<-'EOF'
	empty.json:an empty file
	pointer.json.gz:git lfs pull
	packed.zip:a zip archive
	packed.tar:a tar archive
	packed.json.zst:compressed with zstd
	packed.json.xz:compressed with xz
	table.parquet:nsys export -t sqlite
	nvprof.log:no row of GPU work or CUDA calls in it
	utf16.json:text in UTF-16
	rocprof.json:what rocprofv3 writes
	jax.trace.json:as torch.profiler writes them
	graph.json:an execution trace of PyTorch
	no-cuda.sqlite:without CUDA or NVTX events
	nvprof.sqlite:a profile of nvprof
	rocpd.sqlite:a database of rocprofv3
EOF
mkdir "$work/folder" && cp -r "$work/packed" "$work/folder/inner"
import 3 "$work/folder"
expect_says "$work/folder: no files in it (subdirectories are not searched)"

# Standard input: what a pipe gives, as the file itself. Keeps out: the head of a pipe that is read and then missing, a copy that is left.
kineto plain "$work/one" --gz
one=$(find "$work/one" -type f)
import 0 "$one"
expect_status 0 "$BATON" dump --json "$out"
grep -E '"record":"(op|call|range|collective)"' "$work/out" >"$work/by_name"
import 0 - <"$one"
expect_says "1 process"
checks=$((checks + 1))
[ "$(ls -A "$out")" = "$(basename "$out"/*.baton)" ] || fail "left beside the trace: $(ls -A "$out")"
expect_status 0 "$BATON" dump --json "$out"
checks=$((checks + 1))
[ -s "$work/by_name" ] && grep -E '"record":"(op|call|range|collective)"' "$work/out" | cmp -s - "$work/by_name" || fail "another trace than that of the file"
cat "$one" | "$BATON" import - -o "$work/from.pipe" 2>"$work/err" || fail "a pipe: $(cat "$work/err")"
import 2 - - <"$one"
expect_says "standard input can be read once only"
import 3 - </dev/null
expect_says "standard input: an empty file"
expect_nothing_in "$out"
import 3 - <"$work"
expect_says "standard input: Is a directory"
# Keeps out: a hidden path that nobody gave, in what is said of what was piped in.
head -c $(($(wc -c <"$one") * 2 / 3)) "$one" >"$work/cut.json"
import '3|4' - <"$work/cut.json"
expect_says "standard input: "
expect_says_not ".importing"
printf 'no format of ours' | expect_status 3 "$BATON" import - -o "$work/none"
expect_says "standard input: "
expect_says_not ".importing"
rm -rf "$out"
expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 1; exec "$@" <"$0"' "$one" "$BATON" import - -o "$work/full"
expect_says "File too large"
expect_nothing_in "$work/full"

finish
