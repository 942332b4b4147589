"""top_text.py TEXT REPORT: what `baton top --once` printed, and `baton report --json` of the same run: the same figures."""

import json
import re
import sys

text, report = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
lines = text.split("\n")
head = next(i for i, line in enumerate(lines) if "ms/step" in line)
names = lines[head].replace("late ms", "late").split()
rows = {}
for line in lines[head + 1:]:
    if not line:
        break
    mark, cells = line[0], line[1:].split()
    # the largest kind of idle time is two words or more and a number
    while len(cells) > len(names) + 1:
        at = names.index("largest%")
        cells[at:at + 2] = [cells[at] + " " + cells[at + 1]]
    at = names.index("largest%")
    cells[at:at + 2] = [(cells[at], float(cells[at + 1]))]
    rows[int(cells[0])] = dict(zip(names, cells), mark=mark)
assert sorted(rows) == [0, 1, 2, 3], rows
assert [rank for rank in rows if rows[rank]["mark"] == "*"] == [2], rows
near = lambda shown, value, by: abs(float(shown) - value) <= by
for device in report["devices"]:
    row, window = rows[device["ranks"][0]], device["window_ns"]
    part = lambda *names: 100 * sum(ns for leaf, ns in device["time_ns"].items() if leaf.startswith(names)) / window
    assert near(row["ms/step"], device["step_ns"]["mean"] / 1e6, 0.006), (row, device["step_ns"])
    assert near(row["comp%"], part("work."), 0.06), row
    assert near(row["NCCL%"], part("nccl."), 0.06), row
    assert near(row["idle%"], part("idle."), 0.06), row
    idle = {leaf: ns for leaf, ns in device["time_ns"].items() if leaf.startswith("idle")}
    largest = max(idle, key=idle.get)
    assert near(row["largest%"][1], 100 * idle[largest] / window, 0.06), row
    assert largest.endswith("." + row["largest%"][0].replace(" ", "_")), (row, largest)
    assert row["lost"] == "0" and row["state"] == "ended"
    # below the table: all leaves of the row, which add up
    own = text.split("\nrank %d " % device["ranks"][0])[1].split("\nrank ")[0]
    shares = [float(share) for share in re.findall(r" (\d+\.\d)(?:,|\n|$)", own.split("\n", 1)[1])]
    assert abs(sum(shares) - 100) < 1.5, (shares, own)
late = next(f for f in report["findings"] if f["id"] == "late_rank")
assert near(rows[2]["late"], max(0, float(rows[2]["late"])), 0) and float(rows[2]["late"]) > 3, rows[2]
assert all(rows[rank]["late"] == "-" for rank in (0, 1, 3))
assert "ank 2 arrives last" in late["text"] and "ank 2 arrives last" in text
