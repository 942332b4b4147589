#!/usr/bin/env python3
"""Reads an export in nsys's format as any reader would, and compares every row with the run.

    export_nsys_check.py BATON DIR FILE.sqlite [RANK]

The rows come from `baton dump --json DIR`, of all ranks or of one. Of each table the rows that must
be there are made by loops over them (docs/COMPATIBILITY.md says which) and compared with what
Python's sqlite3 reads. Prints how many rows are equal; status 1 where one is not."""

import bisect
import json
import sqlite3
import struct
import subprocess
import sys
from collections import Counter, defaultdict

COPIES = [0, 1, 2, 8, 9, 10]  # nsys's number of a direction
LABELS = ["Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array",
          "Array-to-Device", "Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer",
          "Unified Host-to-Device", "Unified Device-to-Host", "Unified Device-to-Device"]
TYPES = {1: 59, 2: 60, 3: 59, 4: 59, 6: 34, 7: 34}
SYNCS = {2: 2, 3: 1, 4: 3, 5: 4}
INVALID = 4294967295


def processes(baton, directory, rank):
    out = subprocess.run([baton, "dump", "--json", directory], capture_output=True, text=True, check=True).stdout
    found = []
    for line in out.splitlines():
        row = json.loads(line)
        if row["record"] == "file":
            found.append(defaultdict(list))
        found[-1][row["record"]].append(row)
    found = [p for p in found if p["process"] and (rank is None or p["process"][0]["rank"] == rank)]
    for process in found:
        for kind in ("thread", "device", "stream", "shape"):
            process[kind] = {row["id"]: row for row in process[kind]}
    return found


def place(process, row, zero, pid):
    stream = process["stream"].get(row["stream"])
    device = process["device"][stream["device"]]["ordinal"] if stream else None
    return [row["start_ns"] - zero, row["start_ns"] + row["dur_ns"] - zero, device, stream and stream["context"],
            stream["stream"] if stream else None, pid]


def memory(row):
    if "memory" in row:
        return [(k - 1 if k else 7) for k in (row["memory"] & 15, row["memory"] >> 4)]
    if row.get("pageable") is None:
        return [None, None]
    if not row["pageable"]:
        return [7, 7]
    return [7, 0] if row.get("copy_dir") == 2 else [0, 7]


def number_of_copy(row):
    name = row["name"] or ""
    if name.startswith("[CUDA memcpy ") and name[13:-1] in LABELS[1:]:
        return LABELS.index(name[13:-1])
    return COPIES[row.get("copy_dir", 0)]


def none_if(value, none):
    return None if value == none else value


def shape_of(process, row):
    shape = process["shape"].get(row.get("shape", 0))
    if not shape:
        return [None] * 12
    sizes = [none_if(shape[k], INVALID) for k in ("registers", "static_shared", "dynamic_shared")]
    numbers = list(shape.values())
    return numbers[3:9] + sizes + [none_if(n, 0) for n in numbers[9:12]]


def expected(process, zero, alone):
    """Table -> rows; a correlation id is ("id", number), so that the reader can take off what was added to it."""
    rows = defaultdict(list)
    pid = process["process"][0]["pid"] & 0xffffff

    def corr(value):
        return ("id", value) if value else None

    def tid(row):
        if row["thread"]:
            return pid, process["thread"][row["thread"]]["tid"] & 0xffffff
        return None if alone else (pid, 0)

    for row in process["op"]:
        at = place(process, row, zero, pid) + [corr(row["correlation"])]
        node = none_if(row.get("graph_node", 0), 0)
        if row["op_kind"] == 1:
            rows["KERNEL"].append(at + [row["name"] or None, node] + shape_of(process, row))
        elif row["op_kind"] == 2:
            rows["MEMCPY"].append(at + [row.get("bytes"), number_of_copy(row)] + memory(row) + [node])
        elif row["op_kind"] == 3:
            kind = row["memory"] >> 4 if "memory" in row else None
            rows["MEMSET"].append(at + [row.get("bytes"), kind if kind is None else (kind - 1 if kind else 7), node])
        else:
            name = row["name"] or ""
            rows["GRAPH_TRACE"].append(at + [int(name.split()[-1]) if name.startswith("CUDA graph ") else None])
    for row in process["call"]:
        name = row["name"] or ""
        kind = 0 if name.startswith("cuda") else 1 if name.startswith("cu") else None
        rows["RUNTIME"].append([row["start_ns"] - zero, row["start_ns"] + row["dur_ns"] - zero, tid(row), kind,
                                corr(row["correlation"]), name or None, row.get("result")])
    for row in process["range"]:
        kind = TYPES.get(row["category"])
        end = None if kind == 34 or row.get("unclosed") else row["start_ns"] + row["dur_ns"] - zero
        domain = row.get("domain") or None
        if row["category"] == 7:
            domain = "baton.optimizer.again" if domain else "baton.optimizer"
        if kind:  # frames of Python have none
            rows["NVTX"].append([row["start_ns"] - zero, end, kind, row["name"] or "", tid(row), domain])
    for row in process["sync"]:
        at = place(process, row, zero, pid)
        at[4] = INVALID if at[4] is None else at[4]
        at.append(corr(row.get("correlation")))
        event = row.get("event", INVALID)
        if row["sync_kind"] == 1:
            rows["CUDA_EVENT"].append(at[:1] + at[2:] + [event])
        elif row["sync_kind"] in SYNCS:
            rows["SYNCHRONIZATION"].append(at + [SYNCS[row["sync_kind"]], event, corr(row.get("record_correlation"))])
    for row in process["overhead"]:
        rows["OVERHEAD"].append([row["start_ns"] - zero, row["start_ns"] + row["dur_ns"] - zero, tid(row),
                                 row.get("name") or None, {2: 6, 3: 8}.get(row["overhead_kind"], 4)])
    return rows


def tables(db):
    return {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def decoded(value):
    return None if value is None else (value >> 24 & 0xffffff, value & 0xffffff)


def stored(db):
    """pid -> table -> rows, in the form of expected()."""
    rows = defaultdict(lambda: defaultdict(list))
    only = db.execute("SELECT min(globalPid) FROM PROCESSES").fetchone()[0]

    def process_of(g):
        return (only if g is None else g) >> 24 & 0xffffff

    texts = dict(db.execute("SELECT id, value FROM StringIds"))
    there = tables(db)

    def corr(value):
        return value if value is None else ("id", value)

    where = "start, end, deviceId, contextId, streamId, globalPid, correlationId"
    more = {"KERNEL": "demangledName, graphNodeId, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,"
                      " staticSharedMemory, dynamicSharedMemory, clusterX, clusterY, clusterZ",
            "MEMCPY": "bytes, copyKind, srcKind, dstKind, graphNodeId", "MEMSET": "bytes, memKind, graphNodeId",
            "GRAPH_TRACE": "graphId", "SYNCHRONIZATION": "syncType, eventId, eventSyncId"}
    for table, columns in more.items():
        if "CUPTI_ACTIVITY_KIND_" + table not in there:
            continue
        for row in db.execute(f"SELECT {where}, {columns} FROM CUPTI_ACTIVITY_KIND_{table}"):
            at, pid, co, last, rest = list(row[:5]), row[5], row[6], row[7], list(row[8:])
            if table == "KERNEL":
                last = texts.get(last)
            if table == "SYNCHRONIZATION":
                rest[-1] = corr(rest[-1])
            pid = pid >> 24 & 0xffffff
            rows[pid][table].append(at + [pid, corr(co), last] + rest)
    if "CUPTI_ACTIVITY_KIND_CUDA_EVENT" in there:
        for *at, pid, co, event in db.execute(
                "SELECT timestamp, deviceId, contextId, streamId, globalPid, correlationId, eventId"
                " FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT"):
            pid = pid >> 24 & 0xffffff
            rows[pid]["CUDA_EVENT"].append(at + [pid, corr(co), event])
    if "CUPTI_ACTIVITY_KIND_RUNTIME" in there:
        for start, end, g, kind, co, name, result in db.execute(
                "SELECT start, end, globalTid, eventClass, correlationId, nameId, returnValue"
                " FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
            rows[process_of(g)]["RUNTIME"].append([start, end, decoded(g), kind, corr(co), texts.get(name), result])
    if "NVTX_EVENTS" in there:
        domains = {(process_of(g), n): text for n, text, g in db.execute(
            "SELECT domainId, text, globalTid FROM NVTX_EVENTS WHERE eventType = 75")}
        for start, end, kind, text, g, domain in db.execute(
                "SELECT start, end, eventType, text, globalTid, domainId FROM NVTX_EVENTS WHERE eventType <> 75 AND category IS NOT ?", (MADE,)):
            name = domains[process_of(g), domain] if domain else None
            rows[process_of(g)]["NVTX"].append([start, end, kind, text, decoded(g), name])
    if "PROFILER_OVERHEAD" in there:
        for start, end, g, name, kind in db.execute("SELECT start, end, globalTid, nameId, overheadType FROM PROFILER_OVERHEAD"):
            rows[process_of(g)]["OVERHEAD"].append([start, end, decoded(g), texts.get(name), kind])
    return rows


MADE = 0x6261746F  # the category of ranges that an export makes from the rows of NCCL
CALLS = {1: "ncclAllReduce", 2: "ncclAllGather", 3: "ncclReduceScatter", 4: "ncclAlltoAll", 6: "ncclBroadcast", 7: "ncclReduce", 8: "ncclGather",
         9: "ncclScatter", 10: "ncclSend", 11: "ncclRecv"}


def payloads(db):
    """(pid, text, {field: value}, start, end, made) of each range with a payload, by the schemas that the file has."""
    widths, fields = {5: 4, 18: 8, 22: 8}, defaultdict(list)
    if "NVTX_PAYLOAD_SCHEMA_ENTRIES" not in tables(db):
        return
    for domain, schema, kind, name, offset in db.execute("SELECT domainId, schemaId, type, name, offset FROM NVTX_PAYLOAD_SCHEMA_ENTRIES"):
        fields[domain, schema].append((name, offset or 0, widths[kind]))
    sizes = {(d, s): (n, size) for d, s, n, size in db.execute("SELECT domainId, schemaId, numEntries, payloadSize FROM NVTX_PAYLOAD_SCHEMAS")}
    for g, text, blob, start, end, category, number in db.execute(
            "SELECT globalTid, text, binaryData, start, end, category, domainId FROM NVTX_EVENTS WHERE binaryData IS NOT NULL"):
        domain, schema, size, offset = struct.unpack_from("<QQQQ", blob)
        assert (domain, offset, size) == (number, 32, len(blob) - 32) and sizes[domain, schema] == (len(fields[domain, schema]), size), blob
        values = {name: int.from_bytes(blob[32 + at:32 + at + width], "little") for name, at, width in fields[domain, schema]}
        yield g >> 24 & 0xffffff, text, values, start, end, category == MADE


def check_payloads(db, parts, zero):
    """Each row of NCCL whose call was written has its payload, in a range around its launch."""
    told = defaultdict(list)
    for pid, text, values, start, end, made in payloads(db):
        told[pid].append((text, values, start, end, made))
    n = 0
    for process in parts:
        mine = told[process["process"][0]["pid"] & 0xffffff]
        if any(not made for *_, made in mine) or not all("sequence" in r for r in process["collective"]):
            continue
        ranks = {c["id"]: c["size"] for c in process["communicator"]}
        launches = {}
        for c in process["call"]:
            if c["correlation"] and not c["name"].startswith("nccl"):
                launches.setdefault(c["correlation"], c["start_ns"] - zero)
        want = sorted((CALLS[r["coll"]], r["sequence"], r["bytes"] // (ranks[r["comm"]] if r["coll"] in (3, 4) else 1)) for r in process["collective"] if r["coll"] in CALLS and r["correlation"] in launches)
        calls = [(t, v, start, end) for t, v, start, end, _ in mine if "Sequence number" in v]
        assert want == sorted((t, v["Sequence number"], v["Message size [bytes]"]) for t, v, *_ in calls), want[:3]
        sized = {v["NCCL communicator ID"]: v["No. of ranks"] for _, v, *_ in mine if "No. of ranks" in v}
        assert not want or sorted(sized.values()) == sorted(ranks[c] for c in {r["comm"] for r in process["collective"]}), sized
        begins = sorted(launches.values())
        alone = [c for c in calls if c[3] - c[2] > 1]
        assert all(any(start <= at < end for at in begins[bisect.bisect_left(begins, start):][:1]) for _, _, start, end in alone)
        n += len(want)
    return n


def ids(rows):
    return [cell[1] for row in rows for cell in row if isinstance(cell, tuple) and cell[0] == "id"]


def moved(rows, by):
    return Counter(tuple(("id", c[1] - by) if isinstance(c, tuple) and c[0] == "id" else c for c in row) for row in rows)


def compare(process, zero, found, taken, alone):
    wanted = expected(process, zero, alone)
    pid = process["process"][0]["pid"] & 0xffffff
    mine = found.pop(pid, {})
    assert set(mine) == set(wanted), (pid, sorted(mine), sorted(wanted))
    ours, theirs = (sorted(i for t in rows.values() for i in ids(t)) for rows in (wanted, mine))
    by = theirs[0] - ours[0] if ours and theirs else 0
    assert not taken & set(theirs), f"process {pid}: correlation ids of another process"
    taken.update(theirs)
    n = 0
    for table, rows in wanted.items():
        a, b = moved(rows, 0), moved(mine[table], by)
        assert a == b, (table, list((a - b).items())[:3], list((b - a).items())[:3])
        n += len(rows)
    return n


def check_target(db, parts):
    gpus = {row[0]: row[1:] for row in db.execute("SELECT id, name, totalMemory, smCount, uuid FROM TARGET_INFO_GPU")}
    used = {}
    for process in parts:
        for device in process["device"].values():
            used[device["ordinal"]] = (device["name"] or None, device["memory_bytes"] or None, device["sm_count"] or None,
                                       device["uuid"] or None)
    assert gpus == used, (gpus, used)
    names = {decoded(g): n for n, g in db.execute(
        "SELECT value, globalTid FROM ThreadNames JOIN StringIds ON id = nameId")}
    for process in parts:
        pid = process["process"][0]["pid"] & 0xffffff
        for thread in process["thread"].values():
            assert names.get((pid, thread["tid"] & 0xffffff)) == (thread["name"] or None), thread
    meta = dict(db.execute("SELECT name, value FROM META_DATA_EXPORT"))
    assert meta["EXPORT_SCHEMA_VERSION"] == "3.7.2", meta
    hosts = {v for (v,) in db.execute("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'")}
    assert hosts == {p["process"][0]["host"] for p in parts}, hosts


def main():
    baton, directory, path = sys.argv[1:4]
    rank = int(sys.argv[4]) if len(sys.argv) > 4 else None
    everyone = processes(baton, directory, None)
    zero = min(r["start_ns"] for p in everyone for k in ("op", "call", "range") for r in p[k])
    parts = processes(baton, directory, rank)
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    found, taken = stored(db), set()
    n = sum(compare(process, zero, found, taken, len(parts) == 1) for process in parts)
    assert not found, f"processes that are not in the run: {list(found)}"
    check_target(db, parts)
    collectives = check_payloads(db, parts, zero)
    epoch = db.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchall() if \
        "TARGET_INFO_SESSION_START_TIME" in tables(db) else []
    known = all(p["process"][0]["source"] in ("baton", "simgpu") or p["clock"] for p in parts)
    assert epoch == ([(zero,)] if known else []), (epoch, zero)
    if rank is not None:
        environment = db.execute("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'DeviceEnvironment'").fetchone()
        assert environment[0].splitlines()[0] == f"RANK={rank}", environment
    assert n > 0
    print(f"{n} rows of {len(parts)} processes are equal" + (f", {collectives} payloads of NCCL" if collectives else ""))


main()
