#!/usr/bin/env bash
# Hosts and GPUs whose names are longer than a key has room: each stays a device of its own, under one key in all that is printed.
# Keeps out: two hosts that differ only in what a key cuts off, counted as one.
. "$(dirname "$0")/lib.sh"
mkdir "$work/run"
PYTHONPATH=tests/format "$PYTHON" - "$work/run" <<'PY' || fail "writing the traces"
import sys
from writer import TraceWriter

HOSTS = ["n" * 300 + end for end in "ab"]
for i, (host, uuid) in enumerate([(HOSTS[0], None), (HOSTS[1], None), (HOSTS[0], None), (HOSTS[1], "GPU-" + "7" * 300), (HOSTS[1], "GPU-" + "7" * 301)]):
    out = TraceWriter("%s/%d.baton" % (sys.argv[1], i))
    out.process(100 + i, host=host, source="baton", run_id="run")
    stream, thread = out.stream(out.device(0, "GPU", uuid), 1, 7), out.thread("main", 100 + i, 100 + i)
    times = [(k, 10**9 + k * 30_000) for k in range(40)]
    out.rows("call", [{"start_ns": at, "dur_ns": 5000, "thread": thread, "name": "cudaLaunchKernel", "correlation": k + 1} for k, at in times])
    out.rows("op", [{"start_ns": at + 9000, "dur_ns": 15_000, "op_kind": 1, "stream": stream, "correlation": k + 1, "name": "gemm"} for k, at in times])
    out.close()
PY
expect_status 0 "$BATON" report --json "$work/run"
"$PYTHON" - "$work/out" >"$work/keys" 2>"$work/why" <<'PY' || fail "$(cat "$work/why")"
import json, sys
keys = [device["device"] for device in json.load(open(sys.argv[1]))["devices"]]
assert len(keys) == len(set(keys)) == 4, keys
assert all(len(key) < 192 and key.startswith("n" * 100) for key in keys), keys
print(*keys, sep="\n")
PY
checks=$((checks + 1))
while read -r key; do # one device by its key, and the same key in single gaps
	expect_status 0 "$BATON" report --gaps 1 --json --device "$key" "$work/run"
	checks=$((checks + 1))
	grep -qF "\"$key\"" "$work/out" || fail "its gaps have another key: $(head -c 300 "$work/out")"
done <"$work/keys"
finish
