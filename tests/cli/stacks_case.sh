#!/usr/bin/env bash
# `baton dump --stacks`: each stack once with its calls, merged over files; frames without records, hostile texts, damage.
. "$(dirname "$0")/lib.sh"

PYTHONPATH=tests/format "$PYTHON" - "$work" <<'PY' || fail "writing the traces"
import os, sys
from writer import TraceWriter


def trace(name, calls, line=9):
    out = TraceWriter(os.path.join(sys.argv[1], name + ".baton"))
    out.process(1, host="node", source="baton")
    table = bytes((0x80, 0, 0xd8, 4))  # CPython 3.11: 2 bytes + 0 lines, 2 bytes + 1 line
    inner = out.code("train.py", "Net.forward", line, 0x030b07f0, table)
    outer = out.code("dir;a\nb.py", "<module>", 1, 0x030b07f0, bytes((0x80, 0)))
    gone = out.module("/nowhere/libgone.so.1", "00" * 20)
    one = out.stack((1, inner, 2), (1, outer, 0))
    two = out.stack((2, gone, 0x1234), (3, 0, 0), (1, 777, 0), (2, 0, 0xabc))
    out.stack(*[(1, inner, 0)] * 600)
    rows = [{"start_ns": i, "dur_ns": 1, "thread": 1, "name": "cudaLaunchKernel", "correlation": i,
             "stack": (one, two, 0, 999)[which]} for i, which in enumerate(calls)]
    out.rows("call", rows, rows_per_block=2)
    out.close()


os.mkdir(sys.argv[1] + "/run")
trace("run/a", [0, 0, 0, 1, 2, 3])
trace("run/b", [0, 1, 1, 1, 1, 1, 1])
trace("one", [0])
PY

a='dir:a b.py:1 <module>;train.py:10 Net.forward'
b='0xabc;?;[backward];libgone.so.1+0x1234'
long="...$(yes ';train.py:9 Net.forward' | head -n 512 | tr -d '\n')"
expect_status 0 "$BATON" dump --stacks "$work/run"
printf '%s 7\n%s 4\n%s 0\n' "$b" "$a" "$long" | diff - "$work/out" >"$work/err" || fail "two files folded"
expect_status 0 "$BATON" dump --stacks --json "$work/one.baton"
"$PYTHON" -c 'import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert lines[0] == {"stack": sys.argv[2], "calls": 1}, lines[0]
assert [line["calls"] for line in lines] == [1, 0, 0]' "$work/out" "$a" 2>"$work/err" || fail "json"

head -c -100 "$work/run/a.baton" >"$work/cut.baton"
expect_status 4 "$BATON" dump --stacks "$work/cut.baton"
echo text >"$work/foreign.baton"
expect_status 3 "$BATON" dump --stacks "$work/foreign.baton"
expect_status 4 "$BATON" dump --stacks "$work/foreign.baton" "$work/one.baton"
expect_status 3 "$BATON" dump --stacks "$work/absent"
expect_status 3 "$BATON" dump --stacks tests/golden/format/good-summary.baton
finish
