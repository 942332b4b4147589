"""silence_check.py spins TRUTH | goes_on: what `baton dump --json` says of a recorded steps.py, on stdin.

spins: its thread never slept, so what its rows call sleep is what it waited for a core, which the kernel notes late, and little
else; and rows that are all running are there. goes_on: the main thread is seen in `alone` in most rounds."""
import json
import sys

import dumped

ROUNDS = 12

codes, stacks, rows = dumped.read(sys.stdin)
sched = [row for row in rows if row["record"] == "sched"]


def main_thread():
    return next(row["id"] for row in rows if row["record"] == "thread" and row["pid"] == row["tid"])


def spins(path):
    with open(path) as file:
        truth = json.loads(file.read().splitlines()[0])
    main = main_thread()
    mine = [row for row in sched if row["thread"] == main]
    slept = sum(row["slept_ns"] for row in mine)
    seen = sum(row["dur_ns"] for row in mine)
    really = max(truth["at"] - truth["ran"] - truth["waited"], 0)
    allowed = really + truth["waited"] + 0.05 * truth["at"]
    running = sum(row["slept_ns"] + row["waited_ns"] == 0 for row in mine)
    print("%d rows, %d all running, of %.1f ms; asleep %.1f ms (%.1f with all allowed); really %.1f, without a core %.1f ms" % (
        len(mine), running, seen / 1e6, slept / 1e6, allowed / 1e6, really / 1e6, truth["waited"] / 1e6))
    return slept <= allowed and running > 0 and all("stack" not in row for row in mine) and seen > 0.3 * truth["at"]


def goes_on():
    main = main_thread()
    begins = [row["start_ns"] for row in rows if row["record"] == "call" and row["name"] == "cuLaunchKernel" and row["thread"] == main]
    seen = set()
    for row in sched:
        functions = [codes[frame["of"]] for frame in stacks.get(row.get("stack", 0), []) if frame["of"] in codes]
        if row["thread"] == main and any(name.split(".")[-1] == "alone" for name in functions):
            seen.add(sum(begin <= row["start_ns"] for begin in begins))
    print("seen in alone in %d of %d rounds" % (len(seen), ROUNDS))
    return 2 * len(seen) > ROUNDS


sys.exit(not globals()[sys.argv[1]](*sys.argv[2:]))
