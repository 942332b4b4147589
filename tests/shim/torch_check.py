"""torch_check.py: the dump of a recorded torch_job.py on stdin. Nearly all that another thread than the main one launches is backward
and names a line of the forward; each line of the model has some; each of the ten steps is marked."""
import collections
import json
import sys

PYTHON, BACKWARD = 1, 3
codes, stacks, threads, calls, marks = {}, {}, {}, [], 0
for line in sys.stdin:
    row = json.loads(line)
    if row["record"] == "code":
        codes[row["id"]] = row["function"]
    elif row["record"] == "stack":
        stacks[row["id"]] = row["frames"]
    elif row["record"] == "thread":
        threads[row["id"]] = row["pid"] == row["tid"]
    elif row["record"] == "call" and "Launch" in row["name"]:
        calls.append((threads.get(row["thread"]), row.get("stack", 0)))
    elif row["record"] == "range" and row["category"] == 7:
        marks += row["name"] == "AdamW 1"

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
