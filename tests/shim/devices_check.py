"""devices_check.py N|exchange|copies: what `baton dump --json` says of a recorded devices.py N, on stdin. With several devices every call that has an
op or an event is told its device, the same that these lie on, and the others follow in turn; with one, none is told any."""
import sys

import dumped

_, _, rows = dumped.read(sys.stdin)
if sys.argv[1] == "exchange":  # each end names the other's rank, + 1
    ends = sorted((row["coll"], row["sequence"], row["peer"]) for row in rows if row["record"] == "collective")
    print(ends)
    sys.exit(ends != [(10, n, 2) for n in range(3)] + [(11, n, 1) for n in range(3)])
ordinals = {row["id"]: row["ordinal"] for row in rows if row["record"] == "device"}
if sys.argv[1] == "copies":  # the devices of each, and how much was allocated where (3: device, 2: pinned, 5: managed)
    copies = [(ordinals.get(row.get("source")), ordinals.get(row.get("target"))) for row in rows if row.get("op_kind") == 2]
    allocated = [(row["name"].split("_")[0], row["bytes"] // 4096, row["memory"]) for row in rows
                 if row["record"] == "call" and row.get("bytes")]
    failed = [row for row in rows if row["record"] == "call" and row.get("result") and not row["bytes"]]
    print(copies, allocated, failed)
    sys.exit(copies != [(0, 1), (0, 1), (1, 0), (None, None)] or len(failed) != 1 or
             allocated != [("cudaMalloc", 1, 3), ("cudaMalloc", 1, 3), ("cudaMallocHost", 3, 2), ("cudaMallocManaged", 5, 5)])
n = int(sys.argv[1])
device_of = {row["id"]: ordinals[row["device"]] for row in rows if row["record"] == "stream"}
on = {row["correlation"]: device_of[row["stream"]] for row in rows if row["record"] in ("op", "sync")}
calls = sorted((row for row in rows if row["record"] == "call"), key=lambda row: row["start_ns"])
told = [row for row in calls if row.get("device")]
wrong = [row for row in told if on.get(row["correlation"], ordinals[row["device"]]) != ordinals[row["device"]]]
turns = [ordinals[row["device"]] for row in told if row["name"] == "cudaDeviceSynchronize"]
missing = {row["name"] for row in calls if not row.get("device")} - {"cudaSetDevice", "cudaFree", "cudaMalloc"}
print("%d calls, %d told; turns %s; not told: %s" % (len(calls), len(told), turns, missing))
if n == 1:
    sys.exit(bool(told))
sys.exit(bool(wrong) or sorted(set(on.values())) != list(range(n)) or turns[-n:] != list(range(n)) or len(turns) < 2 * n)
