#!/usr/bin/env bash
# `baton report --by` and `baton export --folded`: rows by line, stack, module, op and range whose sums are those of the report; forward
# and backward; the line in a finding; more stacks than are kept; sources that carry none.
. "$(dirname "$0")/lib.sh"

PYTHONPATH=tests/format "$PYTHON" - "$work" <<'PY' || fail "writing the traces"
import os, sys
from writer import TraceWriter

PY38 = 0x030800f0
US = 1000


class Trace:
    def __init__(self, path, source="baton", rank=0):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.out = TraceWriter(path)
        self.out.process(100 + rank, rank=rank, host="node", source=source)
        self.out.thread("python", 100 + rank, 100 + rank)
        self.out.stream(self.out.device(rank, "GPU", "GPU-%d" % rank), 1, 7)
        self.ops, self.calls, self.ranges, self.scheds, self.colls = [], [], [], [], []
        self.correlation = 0

    def stack(self, *frames):
        kinds = {"backward": (3, 0, 0)}
        return self.out.stack(*[kinds.get(frame, frame) for frame in frames])

    def launch(self, at, stack, kernel, dur, name="cudaLaunchKernel", kind=1, call=5 * US, lag=8 * US, **op):
        self.correlation += 1
        self.calls.append({"start_ns": at, "dur_ns": call, "thread": 1, "name": name,
                           "correlation": self.correlation, "stack": stack})
        self.ops.append({"start_ns": at + lag, "dur_ns": dur, "op_kind": kind, "stream": 1,
                         "correlation": self.correlation, "name": kernel, **op})
        return at + lag + dur

    def range(self, at, dur, name, category=1):
        self.ranges.append({"start_ns": at, "dur_ns": dur, "thread": 1, "name": name, "category": category})

    def close(self):
        for table, rows in (("op", self.ops), ("call", self.calls), ("range", self.ranges), ("sched", self.scheds),
                            ("collective", self.colls)):
            if rows:
                self.out.rows(table, rows)
        self.out.close()


def train(path, rank=0, stacks=True):
    t = Trace(path, rank=rank)
    code = lambda file, function, line: (1, t.out.code(file, function, line, PY38), 0)
    linear = code("/v/lib/python3.11/site-packages/torch/nn/linear.py", "Linear.forward", 116)
    forward, loop = code("/home/u/train.py", "Net.forward", 10), code("/home/u/train.py", "loop", 30)
    item, load = code("/home/u/train.py", "item", 25), code("/home/u/data.py", "load", 7)
    thread = code("/usr/lib/python3.11/threading.py", "run", 900)
    native = (2, t.out.module("/usr/lib/libmine.so.1", None), 0x40)
    a, b = t.stack(linear, forward, loop), t.stack("backward", linear, forward, loop)
    c, d, e = t.stack(thread), t.stack(native), t.stack(item, loop)
    silent = t.stack(load, loop)
    if not stacks:
        a = b = c = d = e = silent = 0
    for step in range(3):
        at = 10_000 * US * step
        t.range(at, 9_900 * US, "step %d" % step)
        t.range(at + 100 * US, 2000 * US, "forward")
        t.range(at + 150 * US, 900 * US, "layer-%d" % step)
        t.range(at + 190 * US, 700 * US, "aten::linear", 4)
        t.range(at + 195 * US, 600 * US, "aten::addmm", 4)
        t.launch(at + 200 * US, a, "ampere_sgemm_128x64_nn", 300 * US)
        t.launch(at + 600 * US, b, "ampere_sgemm_128x64_tn", 200 * US)
        t.launch(at + 1300 * US, a, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 90 * US)
        # the copy waits: what follows is late for as long as it ran
        t.launch(at + 2000 * US, e, "Memcpy DtoH", 20 * US, "cudaMemcpy", 2, call=800 * US, lag=700 * US, copy_dir=2, pageable=1)
        t.launch(at + 2900 * US, c, "foo", 50 * US)
        t.scheds.append({"start_ns": at + 3100 * US, "dur_ns": 5000 * US, "thread": 1, "slept_ns": 5000 * US, "waited_ns": 0,
                         "stack": silent})
        t.launch(at + 8200 * US, d, "foo", 50 * US)
        t.launch(at + 8400 * US, 0, "", 10 * US, "cudaMemsetAsync", 3)
        t.ops.append({"start_ns": at + 8900 * US, "dur_ns": 5 * US, "op_kind": 1, "stream": 1, "correlation": 0, "name": "lost"})
    for op in t.ops:
        op.setdefault("copy_dir", 0), op.setdefault("pageable", 0)
    t.close()


def driven(path, script):
    """A trainer that pip --target installed in /opt/pkgs runs the program's one line."""
    t = Trace(path)
    frame = lambda file, name, line: (1, t.out.code(file, name, line, PY38), 0)
    linear, fit = frame("/opt/pkgs/torch/nn/linear.py", "forward", 116), frame(script, "<module>", 3)
    for i, (name, line) in enumerate((("training_step", 40), ("log", 70))):
        inside = frame("/opt/pkgs/mytrainer/loop.py", name, line)
        t.launch(100 * US * i, t.stack(linear, inside, fit), "foo", 10)
    t.launch(200 * US, t.stack(linear, frame("/opt/pkgs/mymodel.py", "f", 9)), "foo", 10)
    t.close()


def many(path, n):
    t = Trace(path)
    for i in range(n):
        frame = (1, t.out.code("/home/u/train.py", "f%d" % i, 1 + i, PY38), 0)
        t.launch(100 * US * i, t.stack(frame), "foo", (1 + i) * 10)
    t.close()


def imported(path, source, frames):
    t = Trace(path, source)
    for i in range(3):
        at = 1000 * US * i
        if frames:
            t.range(at, 900 * US, "train.py(4): loop", 5)
            t.range(at + 10 * US, 800 * US, "torch/nn/modules/module.py(1518): _call_impl", 5)
            t.range(at + 20 * US, 700 * US, "<built-in method linear>", 5)
            t.range(at + 500 * US, 200 * US, "autograd::engine::evaluate_function: MmBackward0", 4)
            t.range(at + 590 * US, 30 * US, "aten::mm", 4)
        t.launch(at + 100 * US, 0, "foo", 50 * US)
        t.launch(at + 600 * US, 0, "foo", 70 * US)
    for call in t.calls:
        del call["stack"]
    t.close()


work = sys.argv[1]
train(work + "/one/a.baton")
train(work + "/two/a.baton")
train(work + "/two/b.baton", rank=1)
train(work + "/off/a.baton", stacks=False)
many(work + "/many/a.baton", 5000)
t = Trace(work + "/nvtx/a.baton", "nsys")
t.range(0, 900 * US, "aten::linear, seq = 7")
t.launch(100 * US, 0, "foo", 50 * US)
t.launch(300 * US, 0, "foo", 50 * US)
t.close()
driven(work + "/driven/a.baton", "/home/u/fit.py")
driven(work + "/beside/a.baton", "/opt/pkgs/fit.py")
imported(work + "/kineto/a.baton", "kineto", True)
imported(work + "/plain/a.baton", "kineto", False)
imported(work + "/nsys/a.baton", "nsys", False)
PY

# Every table adds up to the report: plain durations, and the idle leaves of CPU and host.
sums='(sum(r["gpu_ns"] for r in d["by"]["rows"]) == sum(sum(v["busy_ns"].values()) for v in d["devices"]) > 0 and
all(sum(r["starved_ns"][w] for r in d["by"]["rows"]) == sum(ns for v in d["devices"] for leaf, ns in v["time_ns"].items()
    if leaf.startswith("idle.%s." % w)) for w in ("cpu", "host")) and
all(sum(r["busy_ns"].values()) == r["gpu_ns"] for r in d["by"]["rows"]) and d["by"]["left_out"] == 0)'
for by in line stack module op range; do
	for run in one two; do
		expect_status 0 "$BATON" report --json --fresh --by $by "$work/$run"
		expect_true "$sums"
		cp "$work/out" "$work/fresh"
		expect_status 0 "$BATON" report --json --by $by "$work/$run"
		cmp -s "$work/fresh" "$work/out" || fail "--by $by of $run: the stored summary answers otherwise"
	done
done

row() { # row NAME KIND BACKWARD KEY VALUE: KEY is an expression over the row r
	expect_true "[($4) for r in d['by']['rows'] if (r['name'], r['kind'], r['backward']) == ('$1', '$2', $3)] == [$5]"
}
expect_status 0 "$BATON" report --json --by line "$work/one"
row '/home/u/train.py:10 Net.forward' project False 'r["gpu_ns"], r["launches"], r["launch_ns"], r["busy_ns"]["nccl"]' '(1170000, 6, 30000, 270000)'
row '/home/u/train.py:10 Net.forward' project True 'r["gpu_ns"], r["launches"]' '(600000, 3)'
row '/home/u/train.py:25 item' project False 'r["gpu_ns"], r["launch_ns"]' '(60000, 2400000)'
row '/usr/lib/python3.11/threading.py:900 run' other False 'r["launches"]' 3
row 'libmine.so.1+0x40' other False 'r["launches"], r["starved_ns"]["host"] > 15000000' '(3, True)'
row '(no stack)' unknown False 'r["gpu_ns"]' 30000
row '(no launch record)' unknown False 'r["gpu_ns"], r["launches"]' '(15000, 0)'
expect_true '[r["kind"] for r in d["by"]["rows"]] == sorted((r["kind"] for r in d["by"]["rows"]), key=["project", "other", "unknown"].index)'
expect_status 0 "$BATON" report --json --by module "$work/one"
row NCCL other False 'r["gpu_ns"], r["launches"]' '(270000, 3)'
row torch other False 'r["gpu_ns"]' 1500000
row /home/u/train.py project False 'r["gpu_ns"]' 60000
row python other False 'r["gpu_ns"]' 150000
row libmine.so.1 other False 'r["gpu_ns"]' 150000
expect_status 0 "$BATON" report --json --by op "$work/one"
row aten::addmm other False 'r["gpu_ns"], r["launches"]' '(1500000, 6)'
row cudaMemcpy other False 'r["launches"]' 3
expect_status 0 "$BATON" report --json --by range "$work/one"
row 'step * / forward / layer-*' other False 'r["launches"]' 6
row 'step * / forward' other False 'r["launches"]' 6
row 'step *' other False 'r["launches"]' 9

# For people: means per step and device, the project first, what is left out in one row.
expect_status 0 "$BATON" report --by line "$work/two"
expect_prints 'by line, mean of 2 GPUs, per step' '/home/u/train.py:10 Net.forward (backward)'
expect_status 0 "$BATON" report --by line --top 2 "$work/one"
expect_prints 'and 5 more rows (--top 0: all)'
expect_status 0 "$BATON" report --by line --top 0 "$work/one"
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" = 16 ] && ! grep -q 'more rows' "$work/out" || fail "--top 0 is not all rows"
expect_prints "train.py:10 Net.forward (NCCL 23 %)" "NCCL: a collective stands at the line"
expect_status 0 "$BATON" report --by stack "$work/one"
expect_prints '/home/u/train.py:25 item < /home/u/train.py:30 loop' '[backward] < /v/lib/python3.11'
expect_status 0 "$BATON" report --json --by line --top 2 "$work/one"
expect_true 'len(d["by"]["rows"]) == 2 and d["by"]["left_out"] == 5'

# A finding names the line: of the blocking copy, and of where the thread was while it slept.
expect_status 0 "$BATON" report --json "$work/one"
expect_true 'any(f["id"] == "sync" and "most of it at train.py:25 (item), 0.800 ms per step" in f["evidence"] for f in d["findings"])'
expect_true 'any(f["id"] == "blocked" and "most of it at data.py:7 (load), 5.0" in f["evidence"] for f in d["findings"])'
expect_true '"by" not in d'
expect_status 0 "$BATON" report --json "$work/kineto"
expect_true 'any("most of it before the launch at train.py:4 (loop)" in f["evidence"] for f in d["findings"])'

# Python frames of a source that has them as ranges.
expect_status 0 "$BATON" report --json --by line "$work/kineto"
expect_true "$sums"
row 'train.py:4 loop' project False 'r["gpu_ns"]' 150000
row 'train.py:4 loop' project True 'r["gpu_ns"]' 210000
expect_status 0 "$BATON" report --json --by module "$work/kineto"
row torch other False 'r["gpu_ns"]' 360000
# Keeps out: an operator of a backward pass without the node that it works for, or a forward one with a node.
expect_status 0 "$BATON" report --json --by op "$work/kineto"
row 'aten::mm of MmBackward0' other False 'r["gpu_ns"]' 210000
row cudaLaunchKernel other False 'r["gpu_ns"]' 150000

# Operators that are NVTX ranges (emit_nvtx) are not denied.
expect_status 0 "$BATON" report --by op "$work/nvtx"
expect_wrapped "operators as NVTX ranges"
expect_status 0 "$BATON" report --by op "$work/nsys"
expect_wrapped "This run has no operators"

# Packages that pip --target installed are no project; a job that a library drives has a row for each place in it.
expect_status 0 "$BATON" report --json --by line "$work/driven"
row '/home/u/fit.py:3 <module> > mytrainer/loop.py:40 training_step' project False 'r["launches"]' 1
row '/home/u/fit.py:3 <module> > mytrainer/loop.py:70 log' project False 'r["launches"]' 1
row '/opt/pkgs/torch/nn/linear.py:116 forward' other False 'r["launches"]' 1
expect_status 0 "$BATON" report --by line "$work/driven"
expect_prints 'loop.py:40 (training_step)'
expect_prints_not NCCL
# ... but not where the program itself lies there: what is beside it may be its own.
expect_status 0 "$BATON" report --json --by line "$work/beside"
row '/opt/pkgs/mytrainer/loop.py:40 training_step' project False 'r["launches"]' 1
row '/opt/pkgs/mymodel.py:9 f' project False 'r["launches"]' 1

# Folded stacks: every weight adds up to the table.
same() { checks=$((checks + 1)); [ "$2" = "$3" ] || fail "$1: $2, not $3"; }
weights() { awk '{ sum += $NF } END { print sum }' "$1"; }
expect_status 0 "$BATON" export --folded "$work/one"
expect_prints '/home/u/train.py:30 loop;/home/u/train.py:10 Net.forward;/v/lib/python3.11/site-packages/torch/nn/linear.py:116 Linear.forward;[backward] 600000'
checks=$((checks + 1))
[ "$(weights "$work/out")" = 2175000 ] || fail "the weights are not all GPU time"
expect_status 0 "$BATON" export --folded --weight launches -o "$work/folded" "$work/one"
checks=$((checks + 1))
[ "$(weights "$work/folded")" = 21 ] && [ ! -s "$work/out" ] || fail "the weights are not all launches"
expect_status 0 "$BATON" export --folded --weight starved "$work/one"
expect_status 2 "$BATON" export --folded --weight time "$work/one"
expect_says launches starved
# Of a part. Keeps out: options that are taken and change nothing.
for part in "--step 0" "--time 0..0.001"; do
	# shellcheck disable=SC2086
	expect_status 0 "$BATON" export --folded $part "$work/one"
	same "the weights of $part" "$(weights "$work/out")" 725000
done
for part in "--rank 1" "--ranks 1" "--device node/GPU-1"; do
	# shellcheck disable=SC2086
	expect_status 0 "$BATON" export --folded --weight launches $part "$work/two"
	cp "$work/out" "$work/part"
	expect_status 0 "$BATON" export --folded --weight launches "$work/two"
	same "half of $part" "$((2 * $(weights "$work/part")))" "$(weights "$work/out")"
done
expect_status 3 "$BATON" export --folded --rank 7 "$work/one"
for option in "--rank 0 --ranks 0" "--step 0 --time 0..1" "--print summary" --one-per-rank "--partition rank" "--max-slices 3"; do
	# shellcheck disable=SC2086
	expect_status 2 "$BATON" export --folded $option "$work/one"
done
expect_status 2 "$BATON" export "$work/one"
expect_says --folded
expect_status 5 "$BATON" export --folded -o "$work/absent/file" "$work/one"
expect_says 'No such file'
if [ -e /dev/full ]; then
	expect_status 5 "$BATON" export --folded -o /dev/full "$work/one"
fi

# More stacks than are kept: the dearest 4,096, the others exactly in one row, with their number.
for by in line stack; do
	expect_status 0 "$BATON" report --json --by $by "$work/many"
	expect_true "$sums"
	expect_true 'len(d["by"]["rows"]) == 4097 and [(r["rows"], r["launches"]) for r in d["by"]["rows"] if r["kind"] == "rest"] == [(904, 904)]'
done
expect_status 0 "$BATON" report --by line --top 0 "$work/many"
expect_prints '904 smaller rows'

# A real recording, where the doubles are built: the script's own lines, and all launches under one of them.
double=$(dirname "$BATON")/simgpu
case $BATON in *san-*) double=none ;; esac # a preloaded library cannot bring a sanitizer's runtime
if [ -e "$double/libcudart.so.12" ] && "$PYTHON" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))'; then
	cat >"$work/job.py" <<-'EOF'
		import ctypes

		cuda = ctypes.CDLL("libcudart.so.12")
		at = ctypes.c_void_p()
		cuda.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(4096))


		def clear():
		    cuda.cudaMemsetAsync(at, 0, ctypes.c_size_t(4096), None)


		for _ in range(50):
		    clear()
		cuda.cudaMemsetAsync(at, 1, ctypes.c_size_t(4096), None)
		cuda.cudaDeviceSynchronize()
	EOF
	expect_status 0 env LD_LIBRARY_PATH="$double" "$BATON" record -o "$work/recorded" -- "$PYTHON" "$work/job.py"
	expect_status 0 "$BATON" report --json --by line "$work/recorded"
	expect_true "$sums"
	row "$work/job.py:9 clear" project False 'r["launches"], r["busy_ns"]["memory"] > 0' '(50, True)'
	row "$work/job.py:14 <module>" project False 'r["launches"]' 1
fi

# What a source cannot carry is said, and nothing else.
lacks() { # lacks BY DIR TEXT...
	expect_status 3 "$BATON" report --by "$1" "$work/$2"
	shift 2
	expect_says "$@"
	checks=$((checks + 1))
	[ ! -s "$work/out" ] || fail "an empty table was printed"
}
lacks line off --stacks
lacks stack off --stacks
lacks module off --stacks
lacks line plain with_stack
lacks stack kineto '--by line'
lacks range plain record_function
lacks line nsys '--by range'
expect_status 3 "$BATON" export --folded "$work/off"
expect_says --stacks
expect_status 2 "$BATON" report --by file "$work/one"
expect_says "line, stack, module, op, shape, range or copy"
expect_status 2 "$BATON" report --top 3 "$work/one"
expect_says --by

# Keeps out: backward kernels without a range, or in a range of a thread that only shares numbers with autograd's. The links come in any
# order, as sequence numbers or as arrows; thread 9 has both ends on itself.
"$PYTHON" - "$work" <<'P' || fail "writing traces with a backward pass"
import json, sys


def trace(name, sequence, arrows):
    pid, main, autograd, other, events = 500, 500, 7, 9, []

    def put(cat, name, tid, ts, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    def launch(tid, ts, corr):
        put("cuda_runtime", "cudaLaunchKernel", tid, ts, 2, correlation=corr)
        put("kernel", "gemm", 7, ts + 5, 3, correlation=corr, device=0, context=1, stream=7)

    seq = lambda n, back=0: {"Sequence number": n, "Fwd thread id": back} if sequence else {}
    corr = 0
    for step in range(4):
        at = 1000 + 1000 * step
        put("user_annotation", f"ProfilerStep#{step}", main, at, 990)
        put("user_annotation", "forward", main, at + 10, 300)
        put("user_annotation", "backward", main, at + 400, 500)
        for i in range(5):
            n, corr = 10 * step + i, corr + 3
            put("cpu_op", f"Mm{i}Backward0", autograd, at + 410 + 90 * (4 - i), 20, **seq(n, 1))
            put("cpu_op", f"aten::mm{i}", main, at + 20 + 50 * i, 20, **seq(n))
            put("cpu_op", f"aten::cpu{i}", other, at + 20 + 50 * i, 20, **seq(1000 + n))
            put("cpu_op", f"CpuBackward{i}", other, at + 400 + 50 * i, 20, **seq(1000 + n, 2))
            if arrows:
                events.append({"ph": "f", "bp": "e", "cat": "fwdbwd", "name": "fwdbwd", "id": n, "pid": pid, "tid": autograd, "ts": at + 410 + 90 * (4 - i)})
                events.append({"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": n, "pid": pid, "tid": main, "ts": at + 20 + 50 * i})
            launch(main, at + 25 + 50 * i, corr)
            launch(autograd, at + 415 + 90 * (4 - i), corr + 1)
            launch(other, at + 405 + 50 * i, corr + 2)
    json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}, open(f"{sys.argv[1]}/{name}.json", "w"))


trace("sequence", True, False)
trace("arrows", False, True)
trace("none", False, False)
P
for links in sequence arrows none; do
	expect_status 0 "$BATON" import -o "$work/$links" "$work/$links.json"
	expect_status 0 "$BATON" report --json --by range "$work/$links"
	[ $links = none ] && backward="'(no range)': 40" || backward="'(no range)': 20, 'ProfilerStep#* / backward': 20"
	expect_true "{r['name']: r['launches'] for r in d['by']['rows']} == {'ProfilerStep#* / forward': 20, $backward}"
done
expect_status 0 "$BATON" report --json --by op "$work/sequence"
expect_true "any(r['name'] == 'Mm3Backward0' for r in d['by']['rows'])"

finish
