#!/usr/bin/env python3
"""Makes a large Kineto trace by repeating one: repeat_kineto.py IN.json[.gz] OUT.json MEGABYTES

Each copy is shifted in time, gets its own correlation ids and its own ProfilerStep numbers, so that the result is one
long capture of the same job. Prints the number of kernels in it.
"""

import gzip
import json
import re
import sys

STEP = re.compile(r"^ProfilerStep#(\d+)$")
IDS = ("correlation", "External id", "external id")


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        return json.load(file)


def shifted(event, copy, span, ids, steps):
    event = dict(event, ts=event["ts"] + copy * span)
    args = event.get("args")
    if args and "correlation" in args:
        event["args"] = {key: value + copy * ids if key in IDS else value for key, value in args.items()}
    step = STEP.match(event.get("name", ""))
    if step:
        event["name"] = f"ProfilerStep#{int(step.group(1)) + copy * steps}"
    return event


def main():
    source, target, megabytes = sys.argv[1], sys.argv[2], float(sys.argv[3])
    trace = read(source)
    events = [event for event in trace.pop("traceEvents") if "ts" in event]
    timed = [event for event in events if event.get("ph") == "X" and event.get("cat") != "Trace"]
    begin = min(event["ts"] for event in timed)
    span = max(event["ts"] + event.get("dur", 0) for event in timed) - begin + 1000
    ids = 1 + max(event["args"]["correlation"] for event in timed if "correlation" in event.get("args", {}))
    steps = len({event["name"] for event in timed if STEP.match(event["name"])})
    kernels = copy = written = 0
    with open(target, "w", encoding="ascii") as out:
        out.write(json.dumps(trace)[:-1] + ',\n"traceEvents": [\n')
        while written < megabytes * 1e6:
            lines = [json.dumps(shifted(event, copy, span, ids, steps)) for event in (timed if copy else events)]
            text = (",\n" if copy else "") + ",\n".join(lines)
            out.write(text)
            written += len(text)
            kernels += sum(event.get("cat") in ("kernel", "Kernel") for event in timed)
            copy += 1
        out.write("\n]}\n")
    print(kernels)


if __name__ == "__main__":
    main()
