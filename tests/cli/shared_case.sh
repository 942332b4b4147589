#!/usr/bin/env bash
# Several processes on one device: whose steps count, and whether another one that nobody recorded uses it.
. "$(dirname "$0")/lib.sh"

cat >"$work/shared.py" <<'EOF'
"""shared.py DIR PID=KIND ...: processes of one device. KIND: none (a stream, no op), one (a kernel), loop, marked, optimizer (12 rounds);
slow (every launch takes 150 us to its start), sliced (all but the first wait for a slice of 400 us)."""
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
    lag = {"slow": lambda n: 150 * US + n % 7 * US - 3 * US, "sliced": lambda n: 395 * US if n > 1 else 8 * US}.get(kind, lambda n: 9 * US)
    begin, rounds = number * 100 * MS, {"none": 0, "one": 1}.get(kind, 12)
    rows = {"call": [], "op": [], "range": []}
    each = 20 * US if kind not in ("slow", "sliced") else 500 * US  # from one launch to the next
    for i in range(rounds):
        at = begin + i * (MS if each == 20 * US else 6 * each)
        for k in range(6 if rounds > 1 else 1):
            correlation = len(rows["call"]) + 1
            rows["call"].append({"start_ns": at + k * each, "dur_ns": 5 * US, "thread": thread, "name": "cudaLaunchKernel", "correlation": correlation})
            rows["op"].append({"start_ns": at + k * each + lag(correlation), "dur_ns": 9 * US, "op_kind": 1, "stream": stream, "correlation": correlation,
                               "name": "kernel_" + "abcdef"[k]})
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
finish
