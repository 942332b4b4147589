#!/usr/bin/env bash
# Several processes on one device: whose steps count, and whether another one that nobody recorded uses it.
. "$(dirname "$0")/lib.sh"

cat >"$work/shared.py" <<'EOF'
"""shared.py DIR PID=KIND ...: processes of one device. KIND: none (a stream, no op), one (a kernel), loop, marked, optimizer (12 rounds);
slow (every launch takes 150 us to its start), sliced (all but the first wait for a slice of 400 us), graphs (the same, of CUDA graphs)."""
import os
import sys

sys.path.insert(0, "tests/format")
from writer import TraceWriter

US, MS = 1000, 1000000
os.makedirs(sys.argv[1])
for number, process in enumerate(sys.argv[2:]):
    pid, kind = process.split("=")
    out = TraceWriter(os.path.join(sys.argv[1], "%s.baton" % pid))
    out.process(int(pid), host="node", source="baton")
    thread, stream = out.thread("python", int(pid), int(pid)), out.stream(out.device(0, "GPU", "GPU-0"), 1, 7)
    lag = {"slow": lambda n: 150 * US + n % 7 * US - 3 * US, "sliced": lambda n: 395 * US if n > 1 else 8 * US}
    lag = lag.get("sliced" if kind == "graphs" else kind, lambda n: 9 * US)
    begin, rounds = number * 100 * MS, {"none": 0, "one": 1}.get(kind, 12)
    rows = {"call": [], "op": [], "range": []}
    each = 20 * US if kind not in ("slow", "sliced", "graphs") else 500 * US  # from one launch to the next
    call = "cudaGraphLaunch" if kind == "graphs" else "cudaLaunchKernel"
    for i in range(rounds):
        at = begin + i * (MS if each == 20 * US else 6 * each)
        for k in range(6 if rounds > 1 else 1):
            correlation = len(rows["call"]) + 1
            rows["call"].append({"start_ns": at + k * each, "dur_ns": 5 * US, "thread": thread, "name": call, "correlation": correlation})
            rows["op"].append({"start_ns": at + k * each + lag(correlation), "dur_ns": 9 * US, "op_kind": 1, "stream": stream, "correlation": correlation,
                               "name": "kernel_" + "abcdef"[k]})
            if kind == "graphs":
                rows["op"].append({**rows["op"][-1], "start_ns": rows["op"][-1]["start_ns"] + 10 * US, "name": "node"})
        if kind == "marked":
            rows["range"].append({"start_ns": at, "dur_ns": MS // 2, "thread": thread, "name": "step %d" % i, "category": 1})
        if kind == "optimizer":
            rows["range"].append({"start_ns": at + MS // 2, "dur_ns": 0, "thread": thread, "name": "SGD", "category": 7})
    for table, some in rows.items():
        if some:
            out.rows(table, some)
    out.close()
EOF

# steps SOURCE N PROCESS...: so many steps of the device, 1 ms each, found that way
steps() {
	rm -rf "$work/run"
	"$PYTHON" "$work/shared.py" "$work/run" "${@:3}" || fail "shared.py ${*:3}"
	expect_status 0 "$BATON" report --json "$work/run"
	expect_true "(d['run']['step_source'], d['run']['steps']) == ('$1', $2)"
	expect_true "d['devices'][0]['step_ns']['p50'] == 1000000"
}

# Keeps out: no steps at all, or the pauses between trainers as one, because whoever started them ran a kernel too.
steps marker 11 100=one 200=marked
steps optimizer 11 100=one 200=optimizer
# ... of several that mark steps, the first; a marker does not outdo an earlier process's optimizer.
steps optimizer 11 100=one 200=optimizer 300=marked
steps marker 11 100=marked 200=optimizer
# Keeps out: the work of several processes as one's, unsaid.
expect_status 0 "$BATON" report "$work/run"
expect_prints "2 processes launched work on the GPU: where they ran at the same time"
steps optimizer 11 200=optimizer
expect_status 0 "$BATON" report "$work/run"
! grep -q "processes launched work" "$work/out" || fail "one process, and it says several"
# Keeps out: no steps by periodicity when the first process has a stream on the device and nothing in it.
steps periodicity 11 100=none 200=loop

# Keeps out: another process suspected in a trace whose launches all take long, with a wait after each kernel.
steps_of() {
	rm -rf "$work/run"
	"$PYTHON" "$work/shared.py" "$work/run" "$1" || fail "shared.py $1"
	expect_status 0 "$BATON" report --json "$work/run"
}
steps_of 100=slow
expect_true "all(f['id'] != 'shared' for f in d['findings']) and d['devices'][0]['time_ns']['idle.gpu.shared'] == 0"
steps_of 100=sliced
expect_true "any(f['id'] == 'shared' for f in d['findings'])"
# Keeps out: what starts with the first node of a graph as time that only nodes without a record could explain.
steps_of 100=graphs
expect_true "any(f['id'] == 'shared' for f in d['findings']) and d['devices'][0]['time_ns']['idle.unknown.unrecorded'] == 0"

# One process with two GPUs, a thread for each that waits after every kernel. KIND: quick; sliced, by another process; late, now and then
# and for no regular time.
cat >"$work/two.py" <<'EOF'
"""two.py DIR KIND KIND: 12 marked steps of 12 kernels on each GPU."""
import os
import sys

sys.path.insert(0, "tests/format")
from writer import TraceWriter

US, TOGETHER = 1000, 495000  # a kernel's lag and duration
STEP = 12 * (TOGETHER + 10 * US)
LAG = {"quick": lambda n: 9, "sliced": lambda n: 395 if n % 12 else 9, "late": lambda n: 60 + n * n * 37 % 331 if n % 3 == 1 else 9}
os.makedirs(sys.argv[1])
out = TraceWriter(os.path.join(sys.argv[1], "100.baton"))
out.process(100, host="node", source="baton")
rows = {"call": [], "op": [], "range": []}
threads = [out.thread("gpu%d" % number, 100, 100 + number) for number in range(2)]
for number, kind in enumerate(sys.argv[2:]):
    stream = out.stream(out.device(number, "GPU", "GPU-%d" % number), 1, 7)
    for n in range(144):
        now = n // 12 * STEP + n % 12 * (TOGETHER + 10 * US) + number * 37 * US
        correlation, begin, end = len(rows["op"]) + 1, now + LAG[kind](n) * US, now + TOGETHER
        rows["call"].append({"start_ns": now, "dur_ns": 5 * US, "thread": threads[number], "name": "cudaLaunchKernel", "correlation": correlation})
        rows["call"].append({"start_ns": now + 6 * US, "dur_ns": end - now, "thread": threads[number], "name": "cudaStreamSynchronize", "correlation": 0})
        rows["op"].append({"start_ns": begin, "dur_ns": end - begin, "op_kind": 1, "stream": stream, "correlation": correlation,
                           "name": "kernel_" + "abcdefghijkl"[n % 12]})
for step in range(12):
    rows["range"].append({"start_ns": step * STEP - US, "dur_ns": STEP - US, "thread": threads[0], "name": "step %d" % step, "category": 1})
for table, some in rows.items():
    out.rows(table, sorted(some, key=lambda row: row["start_ns"]))
out.close()
EOF
without_shared() { # without_shared KIND KIND: what `whatif` prints
	rm -rf "$work/run"
	"$PYTHON" "$work/two.py" "$work/run" "$@" || fail "two.py $*"
	expect_status 0 "$BATON" whatif --without shared --json "$work/run"
}
# Keeps out: the flag of the first GPU taken for all of a process. Eleven slices of 386 us are the step of the second GPU.
without_shared quick sliced
expect_true "abs(d['without'][0]['gain_ns'] - 11 * 386000 / 2) < 100000"
without_shared sliced quick
expect_true "abs(d['without'][0]['gain_ns'] - 11 * 386000 / 2) < 100000"
# ... nor is what nothing explains on the other GPU its slices.
without_shared sliced late
expect_true "abs(d['without'][0]['gain_ns'] - 11 * 386000 / 2) < 100000"
without_shared late sliced
expect_true "abs(d['without'][0]['gain_ns'] - 11 * 386000 / 2) < 100000"
finish
