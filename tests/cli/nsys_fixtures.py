#!/usr/bin/env python3
"""Makes small SQLite files shaped like nsys exports, for the tests of `baton import`.

    nsys_fixtures.py KIND OUT.sqlite [--steps N]
    nsys_fixtures.py --list

Each step of a process has two kernels, a copy, a memset and their calls, 1 ms apart. Times begin at
1,000,000 ns. --steps N makes N steps of each process (4).

KIND         what the file holds
2021         one process; no greenContextId, graphNodeId, globalPid, TARGET_INFO_* or
             ENUM_* tables
2023         one process; the columns of 2023.4, GPU name and UUID, clock, host name,
             rank 3 in the environment
2026         one process; the columns of 2026.2, TARGET_INFO_CUDA_DEVICE (ordinal 0 is
             GPU 5), event times and ids
two          two processes of 2026 on two GPUs with the same correlation ids; a third
             has calls and no device work
shared       two processes of 2026 on one GPU (ordinals 0 and 1 of one UUID)
graphs       2023 with CUPTI_ACTIVITY_KIND_GRAPH_TRACE rows and graph node ids on
             kernels
nvtx         2023 with push/pop, start/end and marks, registered strings, a domain,
             emit_nvtx texts, unclosed ranges
overhead     2026 with both overhead tables; the profiler's own, lazy loading, a full
             command buffer
nccl-json    two, with NCCL ranges that carry jsonText: single calls, a fused group, a
             group that is ambiguous
nccl-blob    the same with binaryData and payload schemas
calls-only   one process with calls and no device work
bad-values   2023 with NULL, text and blob where numbers belong, a negative duration
             and times that overflow
no-strings   2023 without StringIds
loose        2023 whose StringIds has no primary key
truncated    2023 cut to 60 % of its bytes
corrupt      2023 with a page of CUPTI_ACTIVITY_KIND_RUNTIME overwritten
empty        2023 without rows
not-nsys     a SQLite file of something else
not-sqlite   the magic of SQLite and nothing more
"""

import argparse
import os
import sqlite3
import struct
import sys

VM = 1 << 48
UTC_NS = 1_700_000_000_000_000_000
MS = 1_000_000
INVALID = 4294967295

TIMES = "start INTEGER NOT NULL, end INTEGER NOT NULL"
PLACE = (
    "deviceId INTEGER, contextId INTEGER, {green} streamId INTEGER, correlationId INTEGER, {pid}")


def global_pid(pid):
    return VM | pid << 24


class Export:
    """A database being made; `year` decides the columns."""

    def __init__(self, path, year):
        if os.path.exists(path):
            os.unlink(path)
        self.db = sqlite3.connect(path)
        self.path = path
        self.year = year
        self.strings = {}
        self.columns = {}
        self.make_tables()

    def table(self, name, columns):
        self.db.execute(f"CREATE TABLE {name} ({columns})")
        self.columns[name] = [row[1] for row in self.db.execute(f"PRAGMA table_info({name})")]

    def make_tables(self):
        green = "greenContextId INTEGER," if self.year >= 2023 else ""
        pid = "globalPid INTEGER" if self.year >= 2023 else "gone INTEGER"
        place = PLACE.format(green=green, pid=pid)
        node = ", graphNodeId INTEGER" if self.year >= 2023 else ""
        sync = "syncType INTEGER NOT NULL, eventId INTEGER NOT NULL"
        stamp = ""
        if self.year >= 2026:
            sync = "deprecatedSyncType INTEGER, " + sync + ", eventSyncId INTEGER"
            stamp = "timestamp INTEGER, "
        self.table("StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL")
        self.table("CUPTI_ACTIVITY_KIND_KERNEL",
                   f"{TIMES}, {place}, demangledName INTEGER, shortName INTEGER{node}")
        self.table(
            "CUPTI_ACTIVITY_KIND_MEMCPY",
            f"{TIMES}, {place}, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, "
            f"dstKind INTEGER{node}"
        )
        self.table("CUPTI_ACTIVITY_KIND_MEMSET", f"{TIMES}, {place}, bytes INTEGER{node}")
        self.table(
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            f"{TIMES}, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER"
        )
        self.table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", f"{TIMES}, {place}, {sync}")
        self.table(
            "NVTX_EVENTS",
            "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, "
            "endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, jsonTextId INTEGER, "
            "jsonText TEXT"
            + (", binaryData TEXT" if self.year >= 2026 else ""))
        if self.year >= 2023:
            self.table("ThreadNames", "nameId INTEGER, priority INTEGER, globalTid INTEGER")
            self.table(
                "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                stamp + place + ", eventId INTEGER" + (", eventSyncId INTEGER" if stamp else ""))
            self.make_target()

    def make_target(self):
        self.table(
            "TARGET_INFO_GPU",
            "vmId INTEGER, id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER, uuid TEXT")
        self.table("TARGET_INFO_SYSTEM_ENV",
                   "globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT")
        self.table("TARGET_INFO_SESSION_START_TIME",
                   "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT")
        self.table("META_DATA_EXPORT", "name TEXT, value TEXT")
        self.enum(
            "CUDA_MEMCPY_OPER", {
                1: ("CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"),
                8: ("CUDA_MEMCPY_KIND_DTOD", "Device-to-Device")
            })
        self.enum(
            "CUDA_MEM_KIND", {
                0: ("CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"),
                2: ("CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device")
            })
        self.add("META_DATA_EXPORT", name="EXPORT_PRODUCT_VERSION", value=f"{self.year}.4.1")
        self.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=UTC_NS)
        self.add("TARGET_INFO_SYSTEM_ENV",
                 devStateName="Local",
                 name="Hostname",
                 nameEnum=619,
                 value="node7")
        if self.year >= 2026:
            self.table(
                "TARGET_INFO_CUDA_DEVICE",
                "gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT, numMultiprocessors INTEGER")

    def enum(self, name, values):
        self.table("ENUM_" + name, "id INTEGER PRIMARY KEY, name TEXT, label TEXT")
        for number, (symbol, label) in values.items():
            self.add("ENUM_" + name, id=number, name=symbol, label=label)

    def add(self, table, **values):
        """Inserts a row; values of columns that this year lacks are left out."""
        kept = {name: value for name, value in values.items() if name in self.columns[table]}
        self.db.execute(
            f"INSERT INTO {table} ({', '.join(kept)}) VALUES ({', '.join('?' * len(kept))})",
            list(kept.values()))

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.add("StringIds", id=self.strings[text], value=text)
        return self.strings[text]

    def gpu(self, number):
        self.add("TARGET_INFO_GPU",
                 vmId=1,
                 id=number,
                 name="NVIDIA H100",
                 totalMemory=80 << 30,
                 smCount=132,
                 uuid=f"GPU-00000000-{number}")

    def call(self, pid, start, end, name, correlation, tid=None):
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME",
                 start=start,
                 end=end,
                 eventClass=0,
                 correlationId=correlation,
                 globalTid=global_pid(pid) | (tid or pid),
                 nameId=self.string(name))

    def op(self, table, pid, start, end, correlation, device=0, stream=7, **more):
        self.add("CUPTI_ACTIVITY_KIND_" + table,
                 start=start,
                 end=end,
                 deviceId=device,
                 contextId=1,
                 streamId=stream,
                 correlationId=correlation,
                 globalPid=global_pid(pid),
                 **more)

    def nvtx(self, pid, start, end, text, kind=59, registered=False, **more):
        name = {"textId": self.string(text)} if registered else {"text": text}
        self.add("NVTX_EVENTS",
                 start=start,
                 end=end,
                 eventType=kind,
                 globalTid=global_pid(pid) | pid,
                 **{"domainId": 0, **name, **more})

    def close(self):
        self.db.commit()
        self.db.close()


def steps(export, pid, count, device=0, correlation=100):
    """`count` steps of a process: launches 20 us before the work begins."""
    for step in range(count):
        at = MS + step * MS
        names = ("void gemm<(int)8, float>(float *)",
                 "ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)")
        for i, name in enumerate(names):
            begin = at + i * 200_000
            export.call(pid, begin - 20_000, begin - 10_000, "cudaLaunchKernel_v7000", correlation)
            export.op("KERNEL",
                      pid,
                      begin,
                      begin + 150_000,
                      correlation,
                      device,
                      7 + i,
                      demangledName=export.string(name),
                      shortName=export.string("gemm"))
            correlation += 1
        export.call(pid, at + 400_000, at + 405_000, "cudaMemcpyAsync_v3020", correlation)
        export.op("MEMCPY",
                  pid,
                  at + 410_000,
                  at + 450_000,
                  correlation,
                  device,
                  bytes=4096,
                  copyKind=1,
                  srcKind=0,
                  dstKind=2)
        export.call(pid, at + 500_000, at + 505_000, "cudaMemsetAsync_v3020", correlation + 1)
        export.op("MEMSET", pid, at + 510_000, at + 512_000, correlation + 1, device, bytes=64)
        export.call(pid, at + 600_000, at + 700_000, "cudaStreamSynchronize_v3020", correlation + 2)
        export.op("SYNCHRONIZATION",
                  pid,
                  at + 610_000,
                  at + 700_000,
                  correlation + 2,
                  0,
                  syncType=3,
                  eventId=INVALID,
                  eventSyncId=0)
        correlation += 3


def make_one(path, count, year):
    export = Export(path, year)
    steps(export, 4242, count)
    if year >= 2023:
        export.gpu(0)
        export.add("ThreadNames",
                   nameId=export.string("python3"),
                   globalTid=global_pid(4242) | 4242)
        export.add("TARGET_INFO_SYSTEM_ENV",
                   devStateName="Local",
                   name="DeviceEnvironment",
                   nameEnum=610,
                   value="SECRET=hunter2\nNODE_RANK=9\nRANK=3\nSLURM_PROCID=7\n")
    if year >= 2026:
        export.gpu(5)
        export.add("TARGET_INFO_CUDA_DEVICE", gpuId=5, cudaId=0, pid=4242, numMultiprocessors=132)
        export.op("CUDA_EVENT", 4242, 0, 0, 150, timestamp=2 * MS, eventId=11, eventSyncId=900)
        export.op("SYNCHRONIZATION",
                  4242,
                  2 * MS + 1000,
                  2 * MS + 2000,
                  151,
                  syncType=2,
                  eventId=11,
                  eventSyncId=900)
    return export


def make_two(path, count, shared=False):
    export = Export(path, 2026)
    for place, pid in enumerate((300, 200)):
        gpu = 0 if shared else place
        steps(export, pid, count, device=place)
        export.add("TARGET_INFO_CUDA_DEVICE", gpuId=gpu, cudaId=place, pid=pid)
        export.gpu(gpu)
    export.call(77, MS, MS + 1000, "cudaGetDeviceCount_v3020", 1)
    return export


def add_graphs(export):
    pid = 4242
    export.table(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        f"{TIMES}, {PLACE.format(green='', pid='globalPid INTEGER')}, graphId INTEGER, "
        "graphExecId INTEGER"
    )
    for i in range(2):
        at = 50 * MS + i * MS
        export.call(pid, at - 30_000, at - 10_000, "cudaGraphLaunch_v10000", 9000 + i)
        export.op("GRAPH_TRACE", pid, at, at + 500_000, 9000 + i, graphId=4, graphExecId=5)
    export.call(pid, 60 * MS - 30_000, 60 * MS - 10_000, "cudaGraphLaunch_v10000", 9100)
    for i in range(3):
        export.op("KERNEL",
                  pid,
                  60 * MS + i * 1000,
                  60 * MS + i * 1000 + 900,
                  9100,
                  demangledName=export.string("node"),
                  shortName=export.string("node"),
                  graphNodeId=70 + i)


def add_nvtx(export):
    pid = 4242
    export.nvtx(pid, 1, None, "mylib", 75, domainId=3)
    export.nvtx(pid, MS, 2 * MS, "step 0")
    export.nvtx(pid, 2 * MS, 3 * MS, "step 1", registered=True)
    export.nvtx(pid, MS, 3 * MS, "epoch", 60, endGlobalTid=global_pid(pid) | pid)
    export.nvtx(pid, MS + 5, None, "checkpoint", 34)
    export.nvtx(pid, MS + 10, MS + 20, "inner", registered=True, domainId=3)
    for i in range(5):
        at = MS + 1000 * i
        export.nvtx(pid, at, at + 500,
                    f"aten::copy_, seq = {i}, op_id = {991000 + i}, sizes = [[8, {i}], []]")
        export.nvtx(pid, at + 600, at + 900, f"aten::empty, op_id = {5 * i}")
    export.nvtx(pid, 3 * MS, None, "never ended")
    export.nvtx(pid, 3 * MS + 1, 0, "never ended either", 60)
    export.nvtx(pid, 4 * MS, 4 * MS - 1, "ends before it begins")
    export.nvtx(999, MS, 2 * MS, "of a process without device work")


def add_overhead(export):
    pid = 4242
    kinds = {
        1: ("OVERHEAD_UNKNOWN", "Unknown"),
        3: ("OVERHEAD_CUPTI_BUFFER_FLUSH", "Buffer flush (Profiler)"),
        6: ("OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING", "Runtime module loading (CUDA)"),
        7: ("OVERHEAD_LAZY_FUNCTION_LOADING", "Lazy function loading (CUDA)"),
        8: ("OVERHEAD_COMMAND_BUFFER_FULL", "Command buffer full (CUDA)")
    }
    export.enum("CUPTI_OVERHEAD_TYPE", kinds)
    export.table("PROFILER_OVERHEAD",
                 f"{TIMES}, globalTid INTEGER, nameId INTEGER, overheadType INTEGER")
    export.table(
        "CUPTI_ACTIVITY_KIND_OVERHEAD", f"{TIMES}, eventClass INTEGER, globalTid INTEGER, "
        "correlationId INTEGER, nameId INTEGER, overheadType INTEGER")
    export.add("PROFILER_OVERHEAD",
               start=MS,
               end=MS + 500,
               globalTid=global_pid(pid) | 4300,
               nameId=export.string("CUPTI Buffer flush"),
               overheadType=3)
    for number in (6, 7, 8, 1):
        export.add("CUPTI_ACTIVITY_KIND_OVERHEAD",
                   start=MS + number * 1000,
                   end=MS + number * 1000 + 700,
                   overheadType=number,
                   globalTid=None if number == 1 else global_pid(pid) | pid)


SCHEMA_INIT, SCHEMA_COLL, SCHEMA_P2P = 100, 101, 102


def payload(export, blob, comm, size=None, ranks=None):
    """The columns that carry a payload of NCCL."""
    if not blob:
        text = {"NCCL communicator ID": f"{comm:,}"}
        text.update({"No. of ranks": ranks} if ranks else {})
        text.update({"Message size [bytes]": size} if size is not None else {})
        return {
            "jsonText": "{" + ", ".join(f'"{k}":"{v}"' if isinstance(v, str) else f'"{k}":{v}'
                                        for k, v in text.items()) + "}"
        }
    body = struct.pack("<Qii", comm, ranks, 0) if ranks else struct.pack("<QQ", comm, size)
    schema = SCHEMA_INIT if ranks else SCHEMA_COLL
    # The last number of the header is the payload's offset, or the size of all: both have been seen.
    return {"binaryData": struct.pack("<QQQQ", 1, schema, len(body), 32 if ranks else 32 + len(body)) + body}


def add_nccl(export, blob):
    if blob:
        export.table(
            "NVTX_PAYLOAD_SCHEMA_ENTRIES",
            "domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER, "
            "type INTEGER, name TEXT, offset INTEGER")
        for schema, rows in ((SCHEMA_INIT, ((18, "NCCL communicator ID", None), (5, "No. of ranks",
                                                                                 8))),
                             (SCHEMA_COLL, ((18, "NCCL communicator ID", None),
                                            (22, "Message size [bytes]", 8)))):
            for i, (kind, name, offset) in enumerate(rows):
                export.add("NVTX_PAYLOAD_SCHEMA_ENTRIES",
                           domainId=1,
                           schemaId=schema,
                           idx=i,
                           type=kind,
                           name=name,
                           offset=offset)
    comm = 0xFEDCBA9876543210
    for pid in (300, 200):

        def nccl(start, end, text, **more):
            export.nvtx(pid, start, end, text, registered=True, domainId=1, **more)

        nccl(1000, 2000, "ncclCommInitRank", **payload(export, blob, comm, ranks=2))
        # The launch of the first step's collective lies in [1,180,000, 1,190,000).
        nccl(MS + 175_000, MS + 195_000, "ncclAllReduce", **payload(export, blob, comm, 4096))
        for i, (kernels, calls) in enumerate((
            (("SendRecv", ), ("ncclSend", "ncclRecv")),  # fused: two rows of one kernel
            (("AllReduce_A", "AllGather_B"), ("ncclAllGather", "ncclAllReduce")),
            (("AllReduce_A", "AllReduce_B"), ("ncclAllReduce", ) * 3))):  # ambiguous: no row
            at = (100 + i) * MS
            nccl(at, at + 10, "ncclGroupStart")
            for j, name in enumerate(calls):
                nccl(at + 20 * (j + 1), at + 20 * (j + 1) + 10, name,
                     **payload(export, blob, comm, 1000 * (j + 1)))
            nccl(at + 1000, at + 90_000, "ncclGroupEnd")
            for j, name in enumerate(kernels):
                export.call(pid, at + 2000 + j * 5000, at + 6000 + j * 5000, "cuLaunchKernelEx",
                            8000 + 10 * i + j)
                export.op("KERNEL",
                          pid,
                          at + 100_000 + j * 50_000,
                          at + 140_000 + j * 50_000,
                          8000 + 10 * i + j,
                          0 if pid == 300 else 1,
                          20,
                          demangledName=export.string("ncclDevKernel_" + name))


def add_bad_values(export):
    pid = 4242
    rows = ({"deviceId": None}, {"deviceId": "zero"}, {"streamId": b"\0\1"}, {"correlationId": "x"},
            {"globalPid": None}, {"demangledName": 12345}, {"start": "soon"}, {"end": b"late"},
            {"start": 5 * MS, "end": 4 * MS}, {"start": -(2**63), "end": 2**63 - 1},
            {"start": 2**63 - 10, "end": 2**63 - 5}, {"deviceId": 2**40}, {"contextId": 1.5})
    for change in rows:
        values = {
            "start": 5 * MS, "end": 5 * MS + 10, "deviceId": 0, "contextId": 1, "streamId": 7,
            "correlationId": 5, "globalPid": global_pid(pid), "demangledName": 1, "shortName": 1
        }
        export.add("CUPTI_ACTIVITY_KIND_KERNEL", **{**values, **change})
    export.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
               start=MS,
               end=2 * MS,
               globalPid=global_pid(pid),
               syncType=99,
               eventId=0)
    export.add("CUPTI_ACTIVITY_KIND_RUNTIME",
               start=MS,
               end=2 * MS,
               globalTid="thread",
               nameId="name")
    export.add("NVTX_EVENTS",
               start=MS,
               end="never",
               eventType=59,
               text=b"\xff\xfe",
               globalTid=global_pid(pid) | 1)
    export.add("NVTX_EVENTS", start=MS, end=2 * MS, eventType="59", text=7, globalTid=1.5)
    export.add("TARGET_INFO_GPU",
               vmId=None,
               id="zero",
               name=b"\0",
               totalMemory=-1,
               smCount=2**40,
               uuid=5)
    export.add("TARGET_INFO_SYSTEM_ENV",
               devStateName="",
               name="DeviceEnvironment",
               nameEnum=1,
               value="RANK=")


def loosen(export):
    export.db.execute("CREATE TABLE Loose (id INTEGER, value TEXT)")
    export.db.execute("INSERT INTO Loose SELECT id, value FROM StringIds")
    export.db.execute("DROP TABLE StringIds")
    export.db.execute("ALTER TABLE Loose RENAME TO StringIds")


def overwrite_page(path, table):
    """Fills a leaf page of the table with 0xff: the last one that the database gave it."""
    db = sqlite3.connect(path)
    size = db.execute("PRAGMA page_size").fetchone()[0]
    root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table, )).fetchone()[0]
    db.close()
    with open(path, "r+b") as file:
        file.seek((root - 1) * size)
        page = file.read(size)
        if page[0] != 5:
            sys.exit("the table has one page: ask for more --steps")
        cells = struct.unpack(">H", page[3:5])[0]
        cell = struct.unpack(">H", page[12 + 2 * (cells - 1):14 + 2 * (cells - 1)])[0]
        child = struct.unpack(">I", page[cell:cell + 4])[0]
        file.seek((child - 1) * size)
        file.write(b"\xff" * size)


def plain(path, year, *changes):

    def make(count):
        export = make_one(path, count, year)
        for change in changes:
            change(export)
        export.close()

    return make


def two(path, *changes, shared=False):

    def make(count):
        export = make_two(path, count, shared)
        for change in changes:
            change(export)
        export.close()

    return make


def calls_only(path):

    def make(_count):
        export = Export(path, 2023)
        export.call(55, MS, 2 * MS, "cudaFree_v3020", 1)
        export.close()

    return make


def truncated(path):

    def make(count):
        plain(path, 2023)(max(count, 200))
        os.truncate(path, os.path.getsize(path) * 6 // 10)

    return make


def corrupt(path):

    def make(count):
        plain(path, 2023)(max(count, 200))
        overwrite_page(path, "CUPTI_ACTIVITY_KIND_RUNTIME")

    return make


def not_nsys(path):

    def make(_count):
        if os.path.exists(path):
            os.unlink(path)
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE songs (title TEXT)")
        db.commit()
        db.close()

    return make


def tables(path, *names):

    def make(_count):
        if os.path.exists(path):
            os.unlink(path)
        db = sqlite3.connect(path)
        for name in names:
            db.execute(f"CREATE TABLE {name} (id INTEGER)")
        db.commit()
        db.close()

    return make


def add_unknown_sync(export):
    """As some drivers give cudaDeviceSynchronize; the second one names an event."""
    for event in (4294967295, 7):
        export.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=MS, end=2 * MS, deviceId=0,
                   contextId=1, streamId=4294967295, globalPid=global_pid(4242), syncType=0,
                   eventId=event)


def not_sqlite(path):

    def make(_count):
        with open(path, "wb") as file:
            file.write(b"SQLite format 3\0")

    return make


def kinds(path):
    return {
        "2021": plain(path, 2021), "2023": plain(path, 2023), "2026": plain(path, 2026),
        "two": two(path), "shared": two(path, shared=True), "graphs": plain(path, 2023, add_graphs),
        "nvtx": plain(path, 2023, add_nvtx), "overhead": plain(path, 2026, add_overhead),
        "nccl-json": two(path, lambda export: add_nccl(export, False)),
        "nccl-blob": two(path, lambda export: add_nccl(export, True)),
        "calls-only": calls_only(path), "bad-values": plain(path, 2023, add_bad_values),
        "no-strings": plain(path, 2023, lambda export: export.db.execute("DROP TABLE StringIds")),
        "loose": plain(path, 2023, loosen), "truncated": truncated(path), "corrupt": corrupt(path),
        "empty": lambda _count: Export(path, 2023).close(), "not-nsys": not_nsys(path),
        "not-sqlite": not_sqlite(path), "unknown-sync": plain(path, 2023, add_unknown_sync),
        "no-cuda": tables(path, "StringIds", "TARGET_INFO_GPU", "OSRT_API"),
        "nvprof": tables(path, "StringTable", "Version", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"),
        "rocpd": tables(path, "rocpd_metadata_abc")
    }


def main():
    parser = argparse.ArgumentParser(description="Makes a small file shaped like an nsys export.")
    parser.add_argument("kind", nargs="?")
    parser.add_argument("out", nargs="?")
    parser.add_argument("--steps", type=int, default=4, help="steps of a process (4)")
    parser.add_argument("--list", action="store_true", help="print the kinds")
    options = parser.parse_args()
    if options.list:
        print("\n".join(kinds("")))
        return
    make = kinds(options.out).get(options.kind)
    if not make or not options.out:
        parser.error("give a kind of --list and a file")
    make(options.steps)


if __name__ == "__main__":
    main()
