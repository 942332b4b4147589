"""silence_check.py clock | spins TRUTH | goes_on | workers TRUTH | hogged TRUTH | turns TRUTH: what `baton dump --json` says of a recorded steps.py, on stdin.

clock: of silence_clock.c, the silences of a thread that runs all the time have rows that are all running. spins: its thread never slept, so what its rows call sleep is what it waited for a core, which the kernel notes late, and little
else. goes_on: the main thread is seen in `alone` in most rounds. workers: each
child process has rows of its own, which say what it ran but for its first and last moments. hogged: most of the sleep in
`needs` is a wait for Python's lock, which the other thread held in `hog`; the sleep in `sleeps`
is not, though that thread has the lock meanwhile. turns: waits that are too short for the sampler to meet them have rows, which
say for more than half of the sleep who had the lock."""
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
    return slept <= allowed and all("stack" not in row for row in mine) and seen > 0.3 * truth["at"]


def clock():
    exact = [row for row in sched if row["slept_ns"] + row["waited_ns"] == 0]
    print([(row["dur_ns"], row["slept_ns"], row["waited_ns"]) for row in sched])
    return len(exact) >= 5 and len(sched) <= 9


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


def workers(path):
    with open(path) as file:
        truth = json.loads(file.read().splitlines()[-1])
    ran, seen = {}, {}
    children = {row["id"]: row["pid"] for row in rows if row["record"] == "thread" and row["pid"] in (truth["busy"], truth["idle"])}
    for row in sched:
        if row["thread"] in children:
            pid = children[row["thread"]]
            ran[pid] = ran.get(pid, 0) + (row["dur_ns"] - row["slept_ns"] - row["waited_ns"]) / 1e9
            seen[pid] = seen.get(pid, 0) + row["dur_ns"] / 1e9
    print(truth, ran, seen)
    busy, idle = truth["busy"], truth["idle"]
    return truth["ran"] - 0.4 < ran.get(busy, 0) <= truth["ran"] + 0.1 and ran.get(idle, 9) < 0.1 and seen[idle] > 0.8


def turns(path):
    with open(path) as file:
        truth = json.loads(file.read().splitlines()[-1])
    tids = {row["id"]: row["tid"] for row in rows if row["record"] == "thread"}
    main = main_thread()
    mine = sorted((row for row in sched if row["thread"] == main), key=lambda row: row["start_ns"])
    away = truth["at"] - truth["ran"]
    told = sum(row["slept_ns"] + row["waited_ns"] for row in mine)
    short = sum(row["dur_ns"] < 1e6 for row in mine)
    held = sum(row["slept_ns"] for row in mine if tids.get(row.get("holder", 0)) == truth["hog"])
    slept = sum(row["slept_ns"] for row in mine)
    lapped = sum(max(0, a["start_ns"] + a["dur_ns"] - b["start_ns"]) for a, b in zip(mine, mine[1:]))
    print("%d rows, %d short, %.1f ms away of %.1f (really %.1f), asleep %.1f, %.1f for the lock; %.2f ms told twice" % (
        len(mine), short, told / 1e6, truth["at"] / 1e6, away / 1e6, slept / 1e6, held / 1e6, lapped / 1e6))
    return away > 0.2 * truth["at"] and 0.6 * away < told < 1.05 * away and held > 0.5 * slept and 2 * short > len(mine) and \
        lapped < 0.02 * truth["at"]


def functions(stack):
    return [codes[frame["of"]].split(".")[-1] for frame in stacks.get(stack, []) if frame["of"] in codes]


def hogged(path):
    with open(path) as file:
        hog = json.loads(file.read().splitlines()[-1])["hog"]
    tids = {row["id"]: row["tid"] for row in rows if row["record"] == "thread"}
    main, told = main_thread(), {}
    for row in sched:
        if row["thread"] == main:
            place = "needs" if "needs" in functions(row.get("stack", 0)) else "sleeps" if "sleeps" in functions(row.get("stack", 0)) else "?"
            holder = "hog" if tids.get(row.get("holder", 0)) == hog else "no" if not row.get("holder") else "another"
            there = "hog" in functions(row.get("holder_stack", 0))
            told[place, holder, there] = told.get((place, holder, there), 0) + row["slept_ns"] / 1e6
    print({key: round(ms, 1) for key, ms in told.items()})
    held, known = told.get(("needs", "hog", True), 0), sum(ms for key, ms in told.items() if key[0] == "needs")
    asleep = told.get(("sleeps", "no", False), 0)  # 5 times 30 ms; then it waits for the lock, some 5 ms
    knows = [row for row in rows if row["record"] == "meta" and row["key"] == "python.lock"]
    back = sum(ms for key, ms in told.items() if key[0] == "sleeps") - asleep
    return len(knows) == 1 and held > 50 and held > 0.7 * known and asleep > 120 and back < 0.5 * asleep and not any(key[1] == "another" for key in told)


sys.exit(not globals()[sys.argv[1]](*sys.argv[2:]))
