#!/usr/bin/env python3
"""`baton report --taxonomy seed --by device` beside sums made from `baton dump` with the study's rule.

    study_check.py BATON RUN
"""

import collections
import csv
import json
import subprocess
import sys

baton, run = sys.argv[1:]


def call(*words):
    return subprocess.run([baton, *words], capture_output=True, text=True, check=True).stdout


def group(name):  # the rule of the study, first match wins
    if "gemm" in name:
        return "matrix-mul"
    if "CUDA memcpy" in name or "nccl" in name.lower() or "copy_device_to_device" in name or "CUDA memset" in name:
        return "memory_mgmt"
    if "::native" in name or "vectorized_elementwise" in name or "_cpp1_ii" in name or "_cppl_ii" in name or "reduce_kernel" in name:
        return "custom_ops"
    return "other"


COPIES = ["Unknown", "Host-to-Device", "Device-to-Host", "Device-to-Device", "Host-to-Host", "Peer-to-Peer"]
sums = collections.defaultdict(lambda: [0, 0, 0])  # (device, name): count, ns, bytes
streams, devices, host, waiting = {}, {}, "", []
for line in call("dump", "--json", run).splitlines() + ['{"record": "file"}']:
    x = json.loads(line)
    kind = x["record"]
    if kind == "file":
        for op in waiting:
            device = devices[streams[op["stream"]]["device"]]
            name = op["name"]
            if op["op_kind"] in (2, 3) and not (name or "").startswith("[CUDA "):
                name = "[CUDA memset]" if op["op_kind"] == 3 else "[CUDA memcpy %s]" % COPIES[op["copy_dir"]]
            row = sums["%s/%s" % (host, device["uuid"] or device["ordinal"]), name]
            row[0], row[1], row[2] = row[0] + 1, row[1] + op["dur_ns"], row[2] + op["bytes"]
        streams, devices, host, waiting = {}, {}, "", []
    elif kind in ("stream", "device"):
        {"stream": streams, "device": devices}[kind][x["id"]] = x
    elif kind == "process":
        host = x["host"]
    elif kind == "op":
        waiting.append(x)

tables = [list(csv.reader(part.splitlines(), strict=True)) for part in call("report", "--taxonomy", "seed", "--by", "device", "--csv", run).split("\n\n")]
assert [t[0][0] for t in tables] == ["Device"] * 3
groups = collections.Counter()
for (device, name), (_, ns, _) in sums.items():
    groups[device, group(name)] += ns
    groups[device, "sum"] += ns
got = {(d, g): int(ns) for d, g, ns, _ in tables[0][1:]}
assert got == {k: groups[k] for k in got} and set(groups) <= set(got), (got, groups)
for d in {d for d, _ in got}:
    assert sum(ns for (x, g), ns in got.items() if x == d and g != "sum") == got[d, "sum"]
for d in {d for d, _ in got}:
    best = sorted((-ns, name, n) for (x, name), (n, ns, _) in sums.items() if x == d)[:10]
    rows = [(-int(ns), name, int(n)) for x, _, n, ns, name in tables[1][1:] if x == d]
    assert rows == best, (d, rows, best)
    assert all(g == group(name) for x, g, _, _, name in tables[1][1:])
copies = {(d, name): (int(n), int(ns), int(size)) for d, name, n, ns, size, _ in tables[2][1:]}
assert copies == {k: tuple(v) for k, v in sums.items() if k[1].startswith("[CUDA ")}, (copies, sums)
print("%d devices, %d names" % (len({d for d, _ in got}), len(sums)))
