"""Writes a file of gauges into a recorded run, instead of what was sampled: 100 looks at the GPU of every rank while ops ran.

gauges_made.py BATON RUN_DIR [PLACE...] RULE...   PLACE: place.KEY=VALUE, a meta record about where a GPU sits (docs/FORMAT.md). RULE: RANK:EVERY:MHZ:REASONS, in every EVERYth look the GPU of that rank (*: of all) has
this SM clock and these NVML reasons; the last rule that fits holds. An hour before and an hour behind there is a block that cannot be
read.
"""

import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "format"))
from writer import KINDS, TraceWriter  # noqa: E402

LOOKS = 100
HOUR_NS = 3600 * 10**9
SM_MHZ, EVENT_REASONS = 1, 10


def traces(baton, run_dir):
    """Of each trace the process, its first device, when its ops began."""
    for path in sorted(glob.glob(os.path.join(run_dir, "*.baton"))):
        if os.path.basename(path).startswith(("gpus.", "summary")):
            continue
        dump = subprocess.run([baton, "dump", "--json", path], capture_output=True, check=True, text=True)
        rows = [json.loads(line) for line in dump.stdout.splitlines()]
        yield (next(row for row in rows if row["record"] == "process"), next(row for row in rows if row["record"] == "device"),
               [row["start_ns"] for row in rows if row["record"] == "op"])


def main():
    baton, run_dir, *rules = sys.argv[1:]
    places = [rule.split("=", 1) for rule in rules if rule.startswith("place.")]
    rules = [rule.split(":") for rule in rules if not rule.startswith("place.")]
    seen = list(traces(baton, run_dir))
    first, last = min(min(starts) for _, _, starts in seen), max(max(starts) for _, _, starts in seen)
    for old in glob.glob(os.path.join(run_dir, "gpus.*")):
        os.remove(old)
    process = seen[0][0]
    writer = TraceWriter(os.path.join(run_dir, "gpus.made.baton"), content=3)
    writer.process(1, host=process["host"], source="nvml", source_version="1", run_id=process["run_id"])
    for _, device, _ in seen:
        writer.device(device["ordinal"], "GPU", device["uuid"])
    for key, value in places:
        writer.meta(key, value)
    rows = []
    for look in range(LOOKS):
        at = dict(start_ns=first + (last - first) * look // LOOKS, dur_ns=1000)
        for index, (of, _, _) in enumerate(seen):
            mhz, reasons = [rule[2:] for rule in rules if rule[0] in ("*", str(of["rank"])) and look % int(rule[1]) == 0][-1]
            rows += [dict(at, device=index + 1, gauge=SM_MHZ, value=int(mhz)),
                     dict(at, device=index + 1, gauge=EVENT_REASONS, value=int(reasons, 0))]
    for off_ns, damage in ((-HOUR_NS, {"payload_hash": 1}), (0, {}), (HOUR_NS, {"payload_hash": 1})):
        writer.row_block(KINDS["gauge"], [dict(row, start_ns=row["start_ns"] + off_ns) for row in rows], **damage)
    writer.close()


main()
