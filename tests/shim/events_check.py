"""events_check.py [TIMES]: what `baton dump --json` says of a recorded events.py, on stdin: its sequence, TIMES times, with one id for
each stream, the same in the rows of ops and of events, and one for each event. After a kill the ops of the last time are missing."""
import sys

import dumped
import events

times = int(sys.argv[1]) if sys.argv[1:] else 1
_, _, rows = dumped.read(sys.stdin)
calls = {row["correlation"]: row for row in rows if row["record"] == "call"}
streams = {row["id"] for row in rows if row["record"] == "stream"}
found = []
for row in rows:
    if row["record"] == "op" and row["op_kind"] == 3:
        found.append((calls[row["correlation"]]["start_ns"], "set", row["stream"]))
    elif row["record"] == "sync":
        call = calls[row["correlation"]]
        same = (call["start_ns"], call["dur_ns"]) == (row["start_ns"], row["dur_ns"])
        name = {1: "cudaEventRecord", 2: "cudaStreamWaitEvent"}[row["sync_kind"]]
        if not same or not call["name"].startswith(name):
            sys.exit("not as its call: %s, %s" % (row, call))
        found.append((row["start_ns"], {1: "record", 2: "wait"}[row["sync_kind"]], row["stream"], row["event"]))
found_ns = max(found)[0]
found = [what[1:] for what in sorted(found)]

expected = [what for what in events.SEQUENCE if what[0] != "destroy"]
expected += [what for what in expected if what[0] != "set"] * (times - 1)
names = {}
for one, other in zip(expected, found):
    if one[0] != other[0] or other[1] not in streams:
        sys.exit("%s, not %s; streams %s" % (other, one, streams))
    for name, value in zip(one[1:], other[1:]):
        if names.setdefault((type(name), name), value) != value:
            sys.exit("%s is %s and %s" % (name, names[type(name), name], value))
if len(found) != len(expected) or len(set(names.values())) != len(names):
    sys.exit("%d of %d; %s" % (len(found), len(expected), names))
priorities = {row["stream"]: (row["priority"], row["kind"]) for row in rows if row["record"] == "priority"}
wanted = {names[str, name]: of for name, of in (("A", (0, 1)), ("B", (events.PRIORITY, 2)), ("C", (0, 1)))}
if priorities != wanted:
    sys.exit("streams of priorities %s, not %s" % (priorities, wanted))
clocks = [row for row in rows if row["record"] == "clock"]
if len(clocks) != 1 or clocks[0]["kind"] != 3 or not 0 < clocks[0]["reference_ns"] < clocks[0]["local_ns"] <= found_ns:
    sys.exit("clocks: %s" % clocks)
print("%d rows, %d streams and events" % (len(found), len(names)))
