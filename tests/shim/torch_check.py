"""torch_check.py: the dump of a recorded torch_job.py on stdin. Nearly all that another thread than the main one launches is backward
and names a line of the forward; each line of the model has some; each of the ten steps is marked."""
import collections
import sys

import dumped

PYTHON, BACKWARD = 1, 3
codes, stacks, rows = dumped.read(sys.stdin)
threads = {row["id"]: row["pid"] == row["tid"] for row in rows if row["record"] == "thread"}
calls = [(threads.get(row["thread"]), row.get("stack", 0))
         for row in rows if row["record"] == "call" and "Launch" in row["name"]]
marks = sum(row["record"] == "range" and row["category"] == 7 and row["name"] == "AdamW 1" for row in rows)

count, functions = collections.Counter(), collections.Counter()
for main, stack in calls:
    kinds = [frame["kind"] for frame in stacks.get(stack, [])]
    forward = stacks[stack][kinds.index(BACKWARD) + 1:] if BACKWARD in kinds else []
    names = [codes.get(frame["of"]) for frame in forward if frame["kind"] == PYTHON]
    count[main, bool(names)] += 1
    functions.update(set(names) & {"Net.forward", "forward", "main"})
print(dict(count), dict(functions), marks)
backward, without = count[False, True], count[False, False]
sys.exit(not (backward > 50 and without < backward / 4 and functions["main"] and marks == 10 and
              (functions["Net.forward"] or functions["forward"])))
