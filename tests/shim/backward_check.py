"""backward_check.py EXPECTED [off]: the launches of backward.py in the trace whose dump is on stdin, against what it printed. `off`:
none of them carries a forward line."""
import sys

import dumped

PYTHON, BACKWARD = 1, 3
expected = open(sys.argv[1]).read().split()
codes, stacks, rows = dumped.read(sys.stdin)
found = [(row["start_ns"], stacks.get(row.get("stack", 0), []))
         for row in rows if row["record"] == "call" and row["name"] == "cuLaunchKernel"]


def what(frames):
    kinds = [frame["kind"] for frame in frames]
    if BACKWARD not in kinds:
        return "-"
    at = kinds.index(BACKWARD)
    assert frames[at] == {"kind": BACKWARD, "of": 0, "offset": 0}, frames
    names = [codes.get(frame["of"]) for frame in frames[at + 1:] if frame["kind"] == PYTHON]
    own = "+" if PYTHON in kinds[:at] else ""
    made = next(name for name in names if name not in ("node", "<listcomp>"))
    return own + made if names[-1] in ("<module>", "Thread._bootstrap", "_bootstrap") else "cut: %s" % names


found = [what(frames) for _, frames in sorted(found, key=lambda row: row[0])]
if sys.argv[2:] == ["off"]:
    expected = ["-"] * len(expected)
if found != expected:
    sys.exit("found    %s\nexpected %s" % (found, expected))
