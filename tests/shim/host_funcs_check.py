"""host_funcs_check.py [die]: what `baton dump --json` says of a recorded host_funcs.py, on stdin: a row for each run of a function, as long
as it took, with the stream of the memsets around it and the correlation of its call."""
import sys

import dumped
import host_funcs

_, _, rows = dumped.read(sys.stdin)
calls = {row["correlation"]: row for row in rows if row["record"] == "call" and row["correlation"]}
ops = sorted((row for row in rows if row["record"] == "op"), key=lambda row: row["start_ns"])
runs = sorted((row for row in rows if row["record"] == "sync" and row["sync_kind"] == 6), key=lambda row: row["start_ns"])
slow = [row for row in runs if row["dur_ns"] >= host_funcs.NAP_S * 1e9]
names = [calls[row["correlation"]]["name"].split("_v")[0] for row in runs]
die = sys.argv[1:] == ["die"]
if len(slow) < 4 or names[:3] != ["cudaLaunchHostFunc"] * 2 + ["cuLaunchHostFunc"]:
    sys.exit("%d runs, %d long; of %s" % (len(runs), len(slow), names[:4]))
for row in runs[:3]:
    before = [op for op in ops if op["start_ns"] < row["start_ns"]][-1]
    if row["stream"] != before["stream"] or row["start_ns"] < calls[row["correlation"]]["start_ns"]:
        sys.exit("%s after %s, by %s" % (row, before, calls[row["correlation"]]))
if not die and not 1000 < len(runs) - 4 <= host_funcs.MANY:
    sys.exit("%d runs of short functions have rows" % (len(runs) - 4))
if die and len(runs) != 4:
    sys.exit("%d runs" % len(runs))
print("%d runs, %d long" % (len(runs), len(slow)))
