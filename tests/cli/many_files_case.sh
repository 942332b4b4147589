#!/usr/bin/env bash
# A directory of very many files takes time that grows with their number, and one line for each of them at most.
# Keeps out: a search through all files before, for each file (100,000 tiny files took `report` 19 s; row 14 of `make hard` found it); a
# line for each pair of files that are of one rank.
. "$(dirname "$0")/lib.sh"

mkdir "$work/ranks"
PYTHONPATH=tests/format "$PYTHON" - "$work/ranks" <<'PY' || fail "writing the traces"
import sys
from writer import TraceWriter

for i in range(120):
    out = TraceWriter("%s/%d.baton" % (sys.argv[1], i))
    out.process(100 + i, rank=0, world_size=1, host="node", source="baton", run_id="run")
    out.close()
PY
"$BATON" report --json "$work/ranks" >/dev/null 2>"$work/said"
checks=$((checks + 1))
lines=$(grep -c "rank 0 was written by two processes" "$work/said")
[ "$lines" = 119 ] || fail "$lines lines for 120 files of one rank"

# The time of the program alone, the least of three: a busy machine has no part in it. Four times as many files may take six times as
# long, and a twentieth of a second; without order it was fourteen times.
"$PYTHON" - "$BATON" "$work" "$(ls "$work/ranks"/*.baton | head -n 1)" >"$work/out" <<'PY' || fail "$(cat "$work/out")"
import os, subprocess, sys

baton, work, trace = sys.argv[1:]
data = open(trace, "rb").read()


def seconds(n):
    folder = "%s/tiny%d" % (work, n)
    os.mkdir(folder)
    for i in range(200):  # the bytes of the others are these
        with open("%s/%d.baton" % (folder, i), "wb") as file:
            file.write(data[:i % len(data)])
    for i in range(200, n):
        os.link("%s/%d.baton" % (folder, i % 200), "%s/%d.baton" % (folder, i))
    took = []
    for _ in range(3):
        job = subprocess.Popen([baton, "report", "--json", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
        if job.returncode not in (3, 4):
            sys.exit("report of %d tiny files ends with %d" % (n, job.returncode))
        took.append(usage.ru_utime)
    return min(took)


few, many = seconds(10_000), seconds(40_000)
print("%.2f s of 10,000 files, %.2f s of 40,000" % (few, many))
sys.exit(many > 6 * few + 0.05)
PY
checks=$((checks + 1))
cat "$work/out"
finish
